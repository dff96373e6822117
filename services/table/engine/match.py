"""The frame of a match, the same in every game: whose turn it is, what a refusal says, when cards are dealt.

A game derives its position from `Match`, or from `TrickMatch` where tricks are played, and adds what its own actions
need (`_verify_action`, `_act`) and what its deals do (`_deal`).
"""

from typing import ClassVar, Generic, NamedTuple, TypeVar

from services.table.engine.cards import cards_text
from services.table.engine.game import Deal, IllegalAction
from services.table.engine.tricks import Trick, TrickPlay

EventT = TypeVar("EventT")


class Statements(NamedTuple):
    """The statements of a game's rules that the frame's refusals rest on, and the words they are told in.

    Attributes:
        game: The game, as in a sentence.
        pieces: What is dealt, as in a sentence.
        unknown: What a match is: an action of another game is none of this.
        over: When a match is over.
        turn: Whose turn it is.
        deal: When there is a deal, and by whom.
        pack: What the pack consists of.
    """

    game: str
    pieces: str
    unknown: str
    over: str
    turn: str
    deal: str
    pack: str


class Match(Generic[EventT]):
    """A match in progress: what every game does in the same way.

    Attributes:
        points_so_far: The score of each seat.
    """

    __slots__ = ("points_so_far",)

    STATEMENTS: ClassVar[Statements]
    points_so_far: list[int]

    # What a game says

    @property
    def seats(self) -> int:
        """Number of players."""
        raise NotImplementedError

    def decider(self) -> int:
        """The seat that has to decide; -1 when a deal is due or the match is over."""
        raise NotImplementedError

    def needs_deal(self) -> bool:
        """Whether the next action has to be a `Deal`."""
        raise NotImplementedError

    def is_over(self) -> bool:
        """Whether the match has been played to the end."""
        raise NotImplementedError

    def pack(self) -> tuple[int, ...]:
        """What is shuffled for a deal, ascending."""
        raise NotImplementedError

    def awaited(self) -> str:
        """What the seat to decide has to do, as a verb."""
        raise NotImplementedError

    def headline(self) -> str:
        """The position in one line, of what everybody may see: for messages and logs."""
        raise NotImplementedError

    def _verify_action(self, action: object) -> None:
        """Raises `IllegalAction` if the seat to decide may not do `action`, which is no deal."""
        raise NotImplementedError

    def _act(self, action: object) -> tuple[EventT, ...]:
        """Does `action` of the seat to decide, which was verified."""
        raise NotImplementedError

    def _deal(self, pack: tuple[int, ...]) -> tuple[EventT, ...]:
        """Deals a pack, which was verified."""
        raise NotImplementedError

    # What follows from it

    def scores(self) -> tuple[int, ...]:
        """Points so far, one for each seat."""
        return tuple(self.points_so_far)

    def winners(self) -> tuple[int, ...]:
        """The seats with the highest score: one, or joint winners."""
        best = max(self.points_so_far)
        return tuple([seat for seat in range(self.seats) if self.points_so_far[seat] == best])

    def verify(self, seat: int | None, action: object) -> None:
        """Raises `IllegalAction` if `seat` (None for chance) may not do `action` now. Never changes anything."""
        decider = self.decider()
        if decider >= 0 and seat == decider and not isinstance(action, Deal):
            self._verify_action(action)
            return
        statements = self.STATEMENTS
        if self.is_over():
            raise self._illegal("MATCH_OVER", statements.over, "the match is over")
        if isinstance(action, Deal):
            self._verify_deal(seat, action)
        elif self.needs_deal():
            raise self._illegal("DEAL_DUE", statements.deal, f"the {statements.pieces} have to be dealt first")
        else:
            raise self._illegal("NOT_YOUR_TURN", statements.turn, f"it is the turn of seat {decider}")

    def apply(self, seat: int | None, action: object) -> tuple[EventT, ...]:
        """Verifies and does `action`; returns what happened by the rules, in order. Raises `IllegalAction`."""
        self.verify(seat, action)
        return self._deal(action.pack) if isinstance(action, Deal) else self._act(action)

    def _verify_deal(self, seat: int | None, action: Deal) -> None:
        statements = self.STATEMENTS
        if not self.needs_deal():
            raise self._illegal("DEAL_NOT_DUE", statements.deal, "no deal is due")
        if seat is not None:
            raise self._illegal(
                "NOT_YOUR_TURN", statements.deal, f"{statements.pieces} are dealt by chance, not by a player"
            )
        pack = self.pack()
        if tuple(sorted(action.pack)) != pack:
            raise self._illegal(
                "BAD_PACK", statements.pack, f"a deal needs the {len(pack)} {statements.pieces} of the pack, no others"
            )

    def _illegal(self, reason: str, rule: str, text: str) -> IllegalAction:
        return IllegalAction(reason, rule, f"{text} [{self.headline()}]")

    def _unknown(self, action: object) -> IllegalAction:
        statements = self.STATEMENTS
        return self._illegal(
            "UNKNOWN_ACTION", statements.unknown, f"{type(action).__name__} is no action of {statements.game}"
        )

    def _wrong_phase(self, rule: str) -> IllegalAction:
        return self._illegal("WRONG_PHASE", rule, f"seat {self.decider()} has to {self.awaited()} now")


class TrickMatch(Match[EventT]):
    """A match of a game with tricks: what is on the table, as everybody sees it."""

    __slots__ = ()

    def trick_play(self) -> TrickPlay | None:
        """The play of tricks; None between deals, and where something else is played."""
        raise NotImplementedError

    def first_leader(self) -> int:
        """The seat that leads to the first trick of the hand that is, or will be, played."""
        raise NotImplementedError

    def headline_end(self) -> list[str]:
        """The last words of `headline`: the trick that lies, and what is waited for."""
        words: list[str] = []
        if self.trick:
            words.append(f"trick of seat {self.leader}: {cards_text(self.trick)}")
        words.append("over" if self.is_over() else f"to {self.awaited()}")
        return words

    @property
    def trick(self) -> tuple[int, ...]:
        """Cards of the trick on the table in the order played; card i is of seat (leader + i) mod seats."""
        play = self.trick_play()
        return () if play is None else tuple(play.trick)

    @property
    def leader(self) -> int:
        """The seat that leads, or led, the present trick; before the play the one that will lead first."""
        play = self.trick_play()
        return self.first_leader() if play is None else play.leader

    @property
    def holder(self) -> int | None:
        """The seat that would take the trick as it lies; None when no card lies."""
        play = self.trick_play()
        return play.holder if play is not None and play.trick else None

    @property
    def tricks(self) -> tuple[Trick, ...]:
        """The tricks taken since the last deal, oldest first."""
        play = self.trick_play()
        return () if play is None else play.history

    @property
    def taken(self) -> tuple[int, ...]:
        """Tricks that each seat has taken since the last deal."""
        play = self.trick_play()
        return (0,) * self.seats if play is None else tuple(play.taken)

    def hand(self, seat: int) -> int:
        """The cards that `seat` holds, as a mask. Only that seat may know them."""
        play = self.trick_play()
        return 0 if play is None else play.hands[seat]

    def hand_sizes(self) -> tuple[int, ...]:
        """How many cards each seat holds."""
        return tuple([self.hand(seat).bit_count() for seat in range(self.seats)])
