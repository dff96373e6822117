"""The view of a seat, read from what the table service sends."""

from collections.abc import Iterable, Sequence

from services.bot.errors import UnreadableViewError
from services.bot.players.arzoi.view import ArzoiView
from services.bot.players.tricks.reading import card_of, check_cards, trick_facts
from services.table.engine.arzoi.actions import BIDS, CHOICES, LEAVE, PLAYS, Action
from services.table.engine.arzoi.events import Part
from services.table.engine.arzoi.packs import SEPTICA, SIZES
from services.table.engine.arzoi.position import Phase
from shared.gen.levata.table.v1 import arzoi_pb2, table_pb2

_PHASES = {
    arzoi_pb2.ARZOI_PHASE_CHOOSE: Phase.CHOOSE,
    arzoi_pb2.ARZOI_PHASE_BID: Phase.BID,
    arzoi_pb2.ARZOI_PHASE_PLAY: Phase.PLAY,
    arzoi_pb2.ARZOI_PHASE_CONTINUE: Phase.CONTINUE,
}
_PARTS = {
    arzoi_pb2.ARZOI_PART_UNSPECIFIED: None,
    arzoi_pb2.ARZOI_PART_WHIST: Part.WHIST,
    arzoi_pb2.ARZOI_PART_TOTALE_MINUS: Part.TOTALE_MINUS,
    arzoi_pb2.ARZOI_PART_TOTALE_PLUS: Part.TOTALE_PLUS,
    arzoi_pb2.ARZOI_PART_SEPTICA: Part.SEPTICA,
}


def view_of(
    table: arzoi_pb2.ArzoiTable,
    seat: int,
    hand: arzoi_pb2.ArzoiHand,
    legal: Sequence[arzoi_pb2.ArzoiAction],
    history: Iterable[table_pb2.Event],
) -> ArzoiView:
    """What `seat`, which has to decide, was told.

    Args:
        table: What everybody sees.
        seat: The seat.
        hand: Its hand.
        legal: What it may do, in the order sent.
        history: What happened since the last deal, oldest first; without it only the trick before is known.

    Raises:
        UnreadableViewError: The messages do not make sense together.
    """
    seats = len(table.seats)
    if seats not in SIZES:
        raise UnreadableViewError("table.game.arzoi.seats", f"{seats} seats; Arzoi is for 3 to 9")
    phase = _PHASES.get(table.phase)
    if phase is None or table.part not in _PARTS:
        raise UnreadableViewError("table.game.arzoi.phase", "nothing is to be decided")
    part = _PARTS[table.part]
    if (part is None) != (phase is Phase.CHOOSE):
        raise UnreadableViewError("table.game.arzoi.part", "does not fit the phase")
    dealt = phase is not Phase.CHOOSE
    view = ArzoiView(
        **trick_facts("arzoi", table, seat, hand.cards, history if dealt else ()),
        phase=phase,
        part=part,
        variants_left=tuple([_variant(variant, "table.game.arzoi.variants_left") for variant in table.variants_left]),
        round=table.round,
        rounds=table.rounds,
        attempt=max(table.attempt, 1),
        multiplier=max(table.multiplier, 1),
        cards_each=table.cards_each,
        trump_card=card_of(table.trump_card, "table.game.arzoi.trump_card") if table.trump_card else -1,
        legal=tuple([action_of(action) for action in legal]),
        bids=tuple([other.bid if other.HasField("bid") else None for other in table.seats]),
        points=tuple([other.points for other in table.seats]),
        burned=tuple([other.burned for other in table.seats]),
        stock=table.stock,
        teams=table.teams,
    )
    _check(view)
    return view


def action_of(message: arzoi_pb2.ArzoiAction) -> Action:
    """The engine's action. Raises `UnreadableViewError`."""
    match message.WhichOneof("action"):
        case "choose":
            return CHOICES[_variant(message.choose, "private.legal_actions")]
        case "bid" if message.bid < len(BIDS):
            return BIDS[message.bid]
        case "play":
            return PLAYS[card_of(message.play, "private.legal_actions")]
        case "leave":
            return LEAVE
    raise UnreadableViewError("private.legal_actions", "not an action of Arzoi")


def _variant(message: arzoi_pb2.ArzoiVariant, field: str) -> int:
    variant = SEPTICA if message.WhichOneof("variant") == "septica" else message.whist
    if variant not in CHOICES:
        raise UnreadableViewError(field, "not a variant of Arzoi")
    return variant


def _check(view: ArzoiView) -> None:
    """Refuses a view whose parts contradict each other, so that players need not distrust it."""
    check_cards(view, "arzoi")
    if view.part is Part.WHIST and view.phase is Phase.PLAY and None in view.bids:
        raise UnreadableViewError("table.game.arzoi.seats", "a bid is missing")
    if view.part is Part.SEPTICA and view.teams != view.size.teams:
        raise UnreadableViewError("table.game.arzoi.teams", "does not fit the number of seats")
