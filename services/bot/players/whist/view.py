"""What one seat sees of a match of whist, read from a turn of the work queue and from a state of the engine alike."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from services.bot.errors import UnreadableViewError
from services.bot.players.tricks import observing
from services.bot.players.tricks.reading import card_of, check_cards, trick_facts
from services.bot.players.tricks.view import TrickView
from services.table.engine.bidding import BIDS
from services.table.engine.play import PLAYS
from services.table.engine.whist import PACKS, PREMIUMS, Action, Phase, State, Streak
from shared.gen.levata.table.v1 import table_pb2, whist_pb2

_PHASES = {whist_pb2.WHIST_PHASE_BID: Phase.BID, whist_pb2.WHIST_PHASE_PLAY: Phase.PLAY}


@dataclass(frozen=True, slots=True, kw_only=True)
class WhistView(TrickView):
    """A decision to be made, and all that its seat may know.

    Attributes:
        phase: Which kind of decision.
        deals: Cards each in every hand of the match.
        number: Number of this hand, from 1.
        legal: Everything the seat may do, in the game's order.
        streaks: The streak of each seat before this hand (RW-9).
        premium: Points that a premium brings or costs.
    """

    phase: Phase
    deals: tuple[int, ...]
    number: int
    legal: tuple[Action, ...]
    streaks: tuple[Streak, ...]
    premium: int

    @property
    def pack(self) -> Sequence[int]:
        """The cards of the pack."""
        return PACKS[self.seats]

    @property
    def counting_hands_left(self) -> int:
        """Hands after this one that count towards premiums (GAP-W2)."""
        return sum([cards > 1 for cards in self.deals[self.number :]])


def observed(state: State) -> WhistView:
    """What the seat to decide sees of a state of the engine. Nothing hidden from it is read.

    Raises:
        ValueError: No seat has to decide.
    """
    return WhistView(
        **observing.trick_facts(state),
        phase=state.phase,
        deals=state.deals,
        number=state.number,
        cards_each=state.cards_each,
        trump_card=state.trump_card,
        legal=tuple(state.legal_actions()),
        bids=tuple([None if bid < 0 else bid for bid in state.bids]),
        streaks=tuple(state.streaks),
        premium=state.options.premium,
    )


def told(
    table: whist_pb2.WhistTable,
    private: table_pb2.Private,
    legal: Sequence[whist_pb2.WhistAction],
    history: Iterable[table_pb2.Event],
) -> WhistView:
    """What the seat of `private`, which has to decide, was told.

    Raises:
        UnreadableViewError: The messages do not make sense together.
    """
    seats = len(table.seats)
    if seats not in PACKS:
        raise UnreadableViewError("table.game.whist.seats", f"{seats} seats; whist is for 3 to 6")
    phase = _PHASES.get(table.phase)
    if phase is None:
        raise UnreadableViewError("table.game.whist.phase", "nothing is to be decided")
    if not 1 <= table.number <= len(table.deals) or table.deals[table.number - 1] != table.cards_each:
        raise UnreadableViewError("table.game.whist.number", "no hand of this match")
    if table.premium not in PREMIUMS:
        raise UnreadableViewError("table.game.whist.premium", "no premium of whist")
    view = WhistView(
        **trick_facts("whist", table, private.seat, private.hand.whist.cards, history),
        phase=phase,
        deals=tuple(table.deals),
        number=table.number,
        cards_each=table.cards_each,
        trump_card=card_of(table.trump_card, "table.game.whist.trump_card") if table.trump_card else -1,
        legal=tuple([_action(action) for action in legal]),
        bids=tuple([other.bid if other.HasField("bid") else None for other in table.seats]),
        streaks=tuple([Streak(other.streak.exact, other.streak.missed) for other in table.seats]),
        premium=table.premium,
    )
    check_cards(view, "whist")
    if phase is Phase.PLAY and None in view.bids:
        raise UnreadableViewError("table.game.whist.seats", "a bid is missing")
    return view


def _action(message: whist_pb2.WhistAction) -> Action:
    match message.WhichOneof("action"):
        case "bid" if message.bid < len(BIDS):
            return BIDS[message.bid]
        case "play":
            return PLAYS[card_of(message.play, "private.legal_actions")]
    raise UnreadableViewError("private.legal_actions", "not an action of whist")
