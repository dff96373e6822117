"""The view of a seat, read from what the table service sends."""

from collections.abc import Iterable, Sequence

from services.bot.errors import UnreadableViewError
from services.bot.players.arzoi.view import ArzoiView
from services.table.engine.arzoi.actions import BIDS, CHOICES, LEAVE, PLAYS, Action
from services.table.engine.arzoi.events import Part
from services.table.engine.arzoi.packs import SEPTICA, SIZES
from services.table.engine.arzoi.position import Phase
from services.table.engine.cards import BIT, mask_of, parse_card
from services.table.engine.game import NotationError
from services.table.engine.tricks import Trick
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
    if seat >= seats:
        raise UnreadableViewError("private.seat", f"seat {seat} of {seats}")
    phase = _PHASES.get(table.phase)
    if phase is None or table.part not in _PARTS:
        raise UnreadableViewError("table.game.arzoi.phase", "nothing is to be decided")
    part = _PARTS[table.part]
    if (part is None) != (phase is Phase.CHOOSE):
        raise UnreadableViewError("table.game.arzoi.part", "does not fit the phase")
    trick = _played(table.trick, "table.game.arzoi.trick", seats)
    dealt = phase is not Phase.CHOOSE
    view = ArzoiView(
        seat=seat,
        seats=seats,
        phase=phase,
        part=part,
        variants_left=tuple([_variant(variant, "table.game.arzoi.variants_left") for variant in table.variants_left]),
        dealer=table.dealer,
        round=table.round,
        rounds=table.rounds,
        attempt=max(table.attempt, 1),
        multiplier=max(table.multiplier, 1),
        cards_each=table.cards_each,
        trump_card=_card(table.trump_card, "table.game.arzoi.trump_card") if table.trump_card else -1,
        hand=mask_of([_card(card, "private.hand.arzoi.cards") for card in hand.cards]),
        legal=tuple([action_of(action) for action in legal]),
        scores=tuple([other.score for other in table.seats]),
        cards=tuple([other.cards for other in table.seats]),
        bids=tuple([other.bid if other.HasField("bid") else None for other in table.seats]),
        tricks=tuple([other.tricks for other in table.seats]),
        points=tuple([other.points for other in table.seats]),
        burned=tuple([other.burned for other in table.seats]),
        leader=table.trick[0].seat if table.trick else -1,
        trick=trick,
        past=_past(table, history, seats) if dealt else (),
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
            return PLAYS[_card(message.play, "private.legal_actions")]
        case "leave":
            return LEAVE
    raise UnreadableViewError("private.legal_actions", "not an action of Arzoi")


def _variant(message: arzoi_pb2.ArzoiVariant, field: str) -> int:
    variant = SEPTICA if message.WhichOneof("variant") == "septica" else message.whist
    if variant not in CHOICES:
        raise UnreadableViewError(field, "not a variant of Arzoi")
    return variant


def _card(text: str, field: str) -> int:
    try:
        return parse_card(text)
    except NotationError as error:
        raise UnreadableViewError(field, "not a card") from error


def _played(cards: Sequence[arzoi_pb2.ArzoiPlayedCard], field: str, seats: int) -> tuple[int, ...]:
    """Cards of a trick, in the order played, each by the seat after the one before."""
    for offset, played in enumerate(cards):
        if played.seat != (cards[0].seat + offset) % seats:
            raise UnreadableViewError(field, "cards are not in the order of the seats")
    return tuple([_card(played.card, field) for played in cards])


def _past(table: arzoi_pb2.ArzoiTable, history: Iterable[table_pb2.Event], seats: int) -> tuple[Trick, ...]:
    """The tricks taken since the deal: those of the history, or else the last one, which everybody sees."""
    tricks: list[Trick] = []
    for event in history:
        if event.WhichOneof("event") != "game" or event.game.WhichOneof("game") != "arzoi":
            continue
        happened = event.game.arzoi
        match happened.WhichOneof("event"):
            case "dealt":
                tricks.clear()
            case "trick_taken" if happened.trick_taken.cards:
                taken = happened.trick_taken
                cards = _played(taken.cards, "history", seats)
                tricks.append(Trick(taken.cards[0].seat, cards, taken.seat))
    if not tricks and table.last_trick:
        cards = _played(table.last_trick, "table.game.arzoi.last_trick", seats)
        tricks.append(Trick(table.last_trick[0].seat, cards, table.last_taker))
    return tuple(tricks)


def _check(view: ArzoiView) -> None:
    """Refuses a view whose parts contradict each other, so that players need not distrust it."""
    pack = mask_of(view.size.pack)
    seen = view.hand
    cards = [card for trick in view.past for card in trick.cards] + list(view.trick)
    if view.trump_card >= 0:
        cards.append(view.trump_card)
    for card in cards:
        if BIT[card] & seen:
            raise UnreadableViewError("history", "the same card lies in two places")
        seen |= BIT[card]
    if seen & ~pack:
        raise UnreadableViewError("private.hand.arzoi.cards", "a card is not in the pack")
    if view.hand.bit_count() != view.cards[view.seat]:
        raise UnreadableViewError("private.hand.arzoi.cards", "not as many as the table says")
    if sum(view.cards) - view.cards[view.seat] > (pack & ~seen).bit_count():
        raise UnreadableViewError("table.game.arzoi.seats", "more cards in hand than there are")
    whist_play = view.part is Part.WHIST and view.phase is Phase.PLAY
    if whist_play and None in view.bids:
        raise UnreadableViewError("table.game.arzoi.seats", "a bid is missing")
    if view.part is Part.SEPTICA and view.teams != view.size.teams:
        raise UnreadableViewError("table.game.arzoi.teams", "does not fit the number of seats")
    if view.trick and (view.leader + len(view.trick)) % view.seats != view.seat:
        raise UnreadableViewError("private.seat", "it is the turn of another seat")
    if any(trick.leader >= view.seats or trick.taker >= view.seats for trick in view.past):
        raise UnreadableViewError("history", "a trick of a seat that there is not")
    for action in view.legal:
        if action in PLAYS and not BIT[PLAYS.index(action)] & view.hand:
            raise UnreadableViewError("private.legal_actions", "a card that is not in hand")
