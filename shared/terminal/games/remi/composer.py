"""A player's turn as it is put together on the screen: the rack, the draft, and what is being asked.

Nothing in here knows keys or widgets. Methods change what is seen, and say so when something does not go together;
those that end in something for the table return the action to be sent.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from shared.gen.levata.table.v1 import remi_pb2
from shared.terminal.games.remi.draft import Announce, Discard, Draft, Lying, Step, TakeAtu, UnfinishedError
from shared.terminal.games.remi.melds import arrangements
from shared.terminal.games.remi.offers import Offers, draft_of, offers_of
from shared.terminal.games.remi.rack import Group, Rack
from shared.terminal.games.remi.ways import Way, ways_to_add, ways_to_lay, ways_to_swap

TWO_TILES = 2


class Zone(Enum):
    """Where the cursor is."""

    HAND = "hand"
    MELDS = "melds"
    ROW = "row"


@dataclass(frozen=True, slots=True)
class Question:
    """Which of several ways is meant; `key` names the words, `at` is the way that Enter picks."""

    key: str
    options: tuple[Way, ...]
    at: int = 0


@dataclass(frozen=True, slots=True)
class Remark:
    """What the composer has to say: the key of a text and what stands in it."""

    key: str
    tiles: tuple[str, ...] = ()
    number: int = 0
    of: int = 0


class Composer:
    """One player's side of the table.

    Attributes:
        table: What everybody sees.
        seat: The player's seat; None for a spectator.
        offers: What the table lets the player do.
        rack: The tiles in the player's order.
        draft: What the player has done on the screen only.
        zone: Where the cursor is.
        cursor: The tile of the rack under the cursor; None when there is none.
        meld_at: The combination under the cursor in its zone.
        place_at: The place of the row under the cursor in its zone.
        question: What is being asked; None when nothing is.
        remark: What was said last; None when there is nothing to say.
        barred: The tile that may not be discarded; empty for none.
    """

    def __init__(self) -> None:
        self.table = remi_pb2.RemiTable()
        self.seat: int | None = None
        self.offers = Offers()
        self.rack = Rack()
        self.draft = Draft()
        self.zone = Zone.HAND
        self.cursor: int | None = None
        self.meld_at = 0
        self.place_at = 0
        self.question: Question | None = None
        self.remark: Remark | None = None
        self.barred = ""
        self._past: list[tuple[Rack, Draft]] = []
        self._proposed = 0
        self._told: tuple[object, ...] = ()

    # What the table says.

    def offer(
        self,
        table: remi_pb2.RemiTable,
        hand: remi_pb2.RemiHand,
        seat: int | None,
        legal: Sequence[remi_pb2.RemiAction],
    ) -> None:
        """Takes note of the newest state. The draft stays as long as nothing that it rests on has changed."""
        turn = bool(legal)
        own = (table.number, seat, turn, table.phase if turn else 0, tuple(sorted(hand.tiles)))
        told = (*own, tuple(meld.SerializeToString(deterministic=True) for meld in table.melds))
        if told != self._told:
            if own != self._told[: len(own)]:
                anew = own[:2] != self._told[:2]
                self.rack = self.rack.holding(hand.tiles, gone=self.draft.used, anew=anew)
                self.zone, self.cursor = Zone.HAND, None
            self.draft, self._past, self.question, self.remark, self._proposed = Draft(), [], None, None, 0
            self._told = told
        self.table, self.seat, self.barred = table, seat, hand.barred
        self.offers = offers_of(legal)

    # What is to be seen.

    @property
    def melding(self) -> bool:
        """Combinations may be drafted: the player has a tile too many, or closes with the Atu."""
        return self.offers.turn and (self.table.phase == remi_pb2.REMI_PHASE_MELD or self.draft.atu is not None)

    @property
    def melded(self) -> bool:
        """The player has laid the first meld."""
        return self.seat is not None and self.seat < len(self.table.seats) and self.table.seats[self.seat].melded

    @property
    def shown_rack(self) -> Rack:
        """The rack with what is lent to it."""
        return self.rack.with_loans(self.draft.loans)

    def layout(self) -> list[Group]:
        """The tiles that are still on the rack, in groups."""
        return self.shown_rack.layout(self.draft.used)

    def in_order(self) -> list[int]:
        """The tiles that are still on the rack, from left to right."""
        return [number for group in self.layout() for number in group]

    def lying(self) -> list[Lying]:
        """The combinations on the table, those of the draft with them."""
        return self.draft.lying(self.table.melds, self.seat or 0)

    def may_announce(self) -> remi_pb2.RemiAnnouncement.ValueType | None:
        """What may be announced now, the draft played; None when nothing."""
        for what in self.offers.announcements:
            if what == remi_pb2.REMI_ANNOUNCEMENT_ATU and not self.draft.announces(what):
                return what
        if not self.melding or self.seat is None or self.seat >= len(self.table.seats):
            return None
        two = remi_pb2.REMI_ANNOUNCEMENT_TWO_TILES
        announced = self.table.seats[self.seat].two_tiles_announced or self.draft.announces(two)
        return two if len(self.in_order()) == TWO_TILES and not announced else None

    # The rack.

    def mark(self) -> None:
        """Marks the tile under the cursor, or takes the mark away. A discard that was proposed comes back first."""
        if self.cursor is not None:
            if self.draft != self.draft.undiscarded():
                self._remember()
                self.draft = self.draft.undiscarded()
            self.rack, self.remark = self.rack.marked(self.cursor), None

    def group(self) -> None:
        """Puts the marked tiles together, or takes the group under the cursor apart."""
        lent = {number for number, _ in self.draft.loans}
        rack = replace(self.rack, marks=self.rack.marks - lent).grouped(self.cursor)
        if rack != self.rack:
            self._remember()
            self.rack, self.remark = rack, None

    def sort(self) -> None:
        """Sorts the loose tiles the other way."""
        self.rack = self.rack.sorted_anew()

    def clear(self) -> bool:
        """Takes back the question, the marks, the cursor: the first that there is. False when there is none."""
        if self.question is not None:
            self.question = None
        elif self.rack.marks:
            self.rack = self.rack.unmarked()
        elif self.zone is not Zone.HAND or self.cursor is not None:
            self.zone, self.cursor = Zone.HAND, None
        else:
            return False
        self.remark = None
        return True

    def take_back(self) -> None:
        """Takes back the last step of the draft, or the last change of the groups."""
        if self._past:
            by_number = self.rack.by_number
            rack, self.draft = self._past.pop()
            self.rack = replace(rack, by_number=by_number)
            self.question = self.remark = None
            self.cursor = self.cursor if self.cursor in self.in_order() else None
        else:
            self.remark = Remark("remi.nothing_to_undo")

    @property
    def can_take_back(self) -> bool:
        """There is something to take back."""
        return bool(self._past)

    # The draft.

    def lay(self) -> None:
        """Lays the marked tiles, the group under the cursor, or all groups that are combinations."""
        if not self._may_draft():
            return
        if self.rack.marks:
            self._lay_one(sorted(self.rack.marks))
            return
        under = next((group for group in self.layout() if self.rack.is_group(group) and self.cursor in group), None)
        groups = [under] if under else [group for group in self.layout() if self.rack.is_group(group)]
        ready = [group for group in groups if arrangements(self._tiles(group))]
        if not ready:
            self.remark = Remark("remi.mark_first")
        elif len(ready) == 1:
            self._lay_one(ready[0])
        else:
            self._remember()
            for group in ready:
                self._then(*ways_to_lay(self.shown_rack, self.draft, group)[0].steps)

    def lay_off(self, meld: int | None = None) -> None:
        """Adds the marked tiles, or the one under the cursor, to a combination: to `meld`, or where they fit."""
        numbers = self._meant()
        if not self._may_draft() or not numbers:
            return
        ways = ways_to_add(self.shown_rack, self._open(meld), numbers)
        self._choose("remi.ask.where", ways, self._none("remi.no_place"), numbers)

    def swap(self, meld: int | None = None) -> None:
        """Puts the tile under the cursor, or the marked one, in the place of a Joker, which then lies on the rack."""
        numbers = self._meant()
        if not self._may_draft() or not numbers:
            return
        if self.draft.pending is not None:
            self.remark = Remark("remi.joker.pending")
            return
        ways = ways_to_swap(self.shown_rack, self.draft, self._open(meld), numbers[0]) if len(numbers) == 1 else []
        self._choose("remi.ask.joker", ways, self._none("remi.no_joker"), numbers)

    def propose(self) -> None:
        """Puts the next of the best possibilities into the draft, in place of what is there."""
        proposals = self.offers.proposals
        if not proposals:
            self.remark = Remark(self._no_proposal())
            return
        at = self._proposed % len(proposals)
        if self.load(proposals[at]):
            self._proposed += 1
            self.remark = Remark("remi.proposal", number=at + 1, of=len(proposals))

    def load(self, proposal: remi_pb2.RemiAction) -> bool:
        """Puts an action into the draft, in place of what is there; False when it does not fit what is in hand."""
        try:
            draft = draft_of(proposal, self.rack, self.table, self.seat or 0)
        except (KeyError, IndexError, StopIteration):
            return False
        self._remember()
        self.draft, self.rack, self.question, self.cursor = draft, self.rack.unmarked(), None, None
        self.zone = Zone.HAND
        return True

    def take_atu(self) -> None:
        """Begins to close with the Atu by hand: it lies on the rack, and nothing is laid yet."""
        self._remember()
        self.draft = Draft()
        self._then(TakeAtu(self.table.atu, self.draft.next_loan))

    def ask_about(self, at: int) -> None:
        """Goes to one of the ways that are asked about."""
        if self.question is not None:
            self.question = replace(self.question, at=at)

    def pick(self, at: int) -> None:
        """Picks one of the ways that were asked about."""
        question = self.question
        if question is None or not 0 <= at < len(question.options):
            return
        self.question = None
        self._remember()
        self._then(*question.options[at].steps)

    # What goes to the table.

    def send(self) -> remi_pb2.RemiAction | None:
        """The draft as it is; None when there is none, or when it is not complete."""
        return self._sent(self.draft) if self.draft else None

    def discard(self, number: int) -> remi_pb2.RemiAction | None:
        """The draft and the discard of a tile. The draft stays, for the table may refuse it."""
        tile = self.shown_rack.tile(number)
        if not self.melding:
            self.remark = Remark("remi.draw_first" if self.offers.turn else "remi.wait")
        elif self.draft.atu is not None and len(self.in_order()) > 1:
            self.remark = Remark("remi.atu.left", number=len(self.in_order()) - 1)
        elif tile == self.barred:
            self.remark = Remark("remi.barred", (tile,))
        elif not self.draft and self.table.duty and tile not in self.offers.discards:
            self.remark = Remark("remi.duty", (self.table.duty,))
        else:
            return self._sent(self.draft.undiscarded().then(Discard(tile, (number,))))
        return None

    def announce(self) -> remi_pb2.RemiAction | None:
        """Announces what may be announced: at once, or as a step of the draft."""
        what = self.may_announce()
        if what is None:
            self.remark = Remark("remi.nothing_to_announce")
        elif not self.draft:
            return remi_pb2.RemiAction(announce=what)
        else:
            self._remember()
            self._then(Announce(what))
        return None

    def _sent(self, draft: Draft) -> remi_pb2.RemiAction | None:
        try:
            return draft.action(len(self.table.melds), melded=self.melded)
        except UnfinishedError as problem:
            self.remark = Remark(problem.key)
            return None

    # How it is done.

    @property
    def _only_own(self) -> bool:
        """Only the player's own combinations are open: it is the turn of the first meld (RM-24)."""
        return not self.melded or self.table.opening

    def _open(self, meld: int | None) -> list[Lying]:
        """The combinations that something may be added to: of all of them, or only that one."""
        return [
            each
            for each in self.lying()
            if meld in (None, each.meld) and (each.owner == self.seat or not self._only_own)
        ]

    def _none(self, key: str) -> str:
        """Why nothing is open, or `key` when that is not why."""
        return "remi.only_own" if self._only_own and self.lying() else key

    def _no_proposal(self) -> str:
        if not self.offers.turn:
            return "remi.wait"
        return "remi.take_opens" if self.offers.takes and not self.melded else "remi.no_proposal"

    def _may_draft(self) -> bool:
        if not self.melding:
            self.remark = Remark("remi.draw_first" if self.offers.turn else "remi.wait")
        return self.melding

    def _meant(self) -> list[int]:
        """The marked tiles, or the one under the cursor."""
        if self.rack.marks:
            return [number for number in self.in_order() if number in self.rack.marks]
        if self.cursor is None:
            self.remark = Remark("remi.point_first")
            return []
        return [self.cursor]

    def _tiles(self, numbers: Sequence[int]) -> list[str]:
        return [self.shown_rack.tile(number) for number in numbers]

    def _lay_one(self, numbers: Sequence[int]) -> None:
        self._choose(
            "remi.ask.order", ways_to_lay(self.shown_rack, self.draft, numbers), "remi.no_combination", numbers
        )

    def _choose(self, key: str, options: Sequence[Way], none: str, numbers: Sequence[int]) -> None:
        """Does the only way there is, asks which of several, or says that there is none."""
        self.question = self.remark = None
        if not options:
            self.remark = Remark(none, tuple(self._tiles(numbers)))
            return
        self.question = Question(key, tuple(options))
        if len(options) == 1:
            self.pick(0)

    def _then(self, *steps: Step) -> None:
        self.draft = self.draft.undiscarded()  # whoever goes on with a proposal discards anew
        for step in steps:
            self.draft = self.draft.then(step)
        self.rack, self.remark = self.rack.unmarked(), None
        self.zone = Zone.HAND
        self.cursor = None

    def _remember(self) -> None:
        self._past.append((self.rack, self.draft))
