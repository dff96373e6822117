"""What one seat sees of a match of Rentz, read from a turn of the work queue and from a state of the engine alike."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from services.bot.errors import UnreadableViewError
from services.bot.players.tricks import observing
from services.bot.players.tricks.reading import card_of, check_cards, trick_facts
from services.bot.players.tricks.view import TrickView
from services.table.engine.cards import BIT, SUIT_CARDS, SUITS, mask_of
from services.table.engine.play import PLAYS
from services.table.engine.rentz import PACK, Action, Phase, State, Subgame
from services.table.engine.rentz.actions import CHOICES
from services.table.engine.rentz.subgames import HAND, SEATS
from shared.gen.levata.table.v1 import rentz_pb2, table_pb2

_PHASES: Final = {rentz_pb2.RENTZ_PHASE_CHOOSE: Phase.CHOOSE, rentz_pb2.RENTZ_PHASE_PLAY: Phase.PLAY}
_SUBGAMES: Final[dict[int, Subgame]] = {
    rentz_pb2.RENTZ_SUBGAME_KING_OF_HEARTS: Subgame.KING_OF_HEARTS,
    rentz_pb2.RENTZ_SUBGAME_QUEENS: Subgame.QUEENS,
    rentz_pb2.RENTZ_SUBGAME_DIAMONDS: Subgame.DIAMONDS,
    rentz_pb2.RENTZ_SUBGAME_TRICKS: Subgame.TRICKS,
    rentz_pb2.RENTZ_SUBGAME_TOTALE: Subgame.TOTALE,
    rentz_pb2.RENTZ_SUBGAME_TEN_OF_CLUBS: Subgame.TEN_OF_CLUBS,
    rentz_pb2.RENTZ_SUBGAME_WHIST: Subgame.WHIST,
    rentz_pb2.RENTZ_SUBGAME_RENTZ: Subgame.RENTZ,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RentzView(TrickView):
    """A decision to be made, and all that its seat may know.

    Attributes:
        phase: Which kind of decision.
        number: Number of the hand in the match, from 1.
        subgame: What is played; None before the choice.
        legal: Everything the seat may do, in the game's order.
        points: Points that this hand has brought each seat so far.
        chosen: The subgames that each seat has chosen before this hand, in the order of the match.
        laid: The cards of the layout, as a mask.
    """

    phase: Phase
    number: int
    subgame: Subgame | None
    legal: tuple[Action, ...]
    points: tuple[int, ...]
    chosen: tuple[tuple[Subgame, ...], ...]
    laid: int

    @property
    def pack(self) -> Sequence[int]:
        """The cards of the pack."""
        return PACK

    @property
    def shown(self) -> int:
        """The cards that everybody sees beside the tricks: those of the layout."""
        return self.laid


def observed(state: State) -> RentzView:
    """What the seat to decide sees of a state of the engine. Nothing hidden from it is read.

    Raises:
        ValueError: No seat has to decide.
    """
    layout = state.layout
    return RentzView(
        **observing.trick_facts(state),
        cards_each=HAND,
        trump_card=-1,
        bids=(None,) * SEATS,
        phase=state.phase,
        number=state.number,
        subgame=state.subgame,
        legal=tuple(state.legal_actions()),
        points=state.points,
        chosen=tuple([state.chosen(seat) for seat in range(SEATS)]),
        laid=0 if layout is None else layout.laid,
    )


def told(
    table: rentz_pb2.RentzTable,
    private: table_pb2.Private,
    legal: Sequence[rentz_pb2.RentzAction],
    history: Iterable[table_pb2.Event],
) -> RentzView:
    """What the seat of `private`, which has to decide, was told.

    Raises:
        UnreadableViewError: The messages do not make sense together.
    """
    if len(table.seats) != SEATS:
        raise UnreadableViewError("table.game.rentz.seats", f"{len(table.seats)} seats; Rentz is for {SEATS}")
    phase = _PHASES.get(table.phase)
    if phase is None:
        raise UnreadableViewError("table.game.rentz.phase", "nothing is to be decided")
    subgame = _subgame(table.subgame, "table.game.rentz.subgame") if table.subgame else None
    if (subgame is None) != (phase is Phase.CHOOSE):
        raise UnreadableViewError("table.game.rentz.subgame", "does not fit the phase")
    view = RentzView(
        **trick_facts("rentz", table, private.seat, private.hand.rentz.cards, history),
        cards_each=HAND,
        trump_card=-1,
        bids=(None,) * SEATS,
        phase=phase,
        number=table.number,
        subgame=subgame,
        legal=tuple([_action(action) for action in legal]),
        points=tuple([other.points for other in table.seats]),
        chosen=tuple(
            [
                tuple([_subgame(chosen, "table.game.rentz.seats.chosen") for chosen in other.chosen])
                for other in table.seats
            ]
        ),
        laid=_laid(table),
    )
    check_cards(view, "rentz")
    return view


def _subgame(message: int, field: str) -> Subgame:
    subgame = _SUBGAMES.get(message)
    if subgame is None:
        raise UnreadableViewError(field, "not a subgame")
    return subgame


def _action(message: rentz_pb2.RentzAction) -> Action:
    match message.WhichOneof("action"):
        case "choose":
            return CHOICES[_subgame(message.choose, "private.legal_actions")]
        case "play":
            return PLAYS[card_of(message.play, "private.legal_actions")]
    raise UnreadableViewError("private.legal_actions", "not an action of Rentz")


def _laid(table: rentz_pb2.RentzTable) -> int:
    """The cards of the layout."""
    laid = 0
    for run in table.layout:
        if not run.low:
            continue
        low, high = (card_of(card, "table.game.rentz.layout") for card in (run.low, run.high))
        if run.suit not in SUITS or high > low or BIT[high] & ~_suit(run.suit) or BIT[low] & ~_suit(run.suit):
            raise UnreadableViewError("table.game.rentz.layout", "not a run of its suit")
        laid |= mask_of(range(high, low + 1))
    return laid


def _suit(suit: str) -> int:
    return SUIT_CARDS[SUITS.index(suit)]
