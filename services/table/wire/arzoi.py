"""Arzoi on the wire: the engine's values as the messages of arzoi.proto, and back.

Only `hand` reads hidden cards, and only those of the seat it is asked for; everything else is made of what is public.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from services.table.engine.arzoi import (
    SEPTICA,
    Bid,
    BiddingEnded,
    Dealt,
    Leave,
    OrbitEnded,
    Part,
    Phase,
    Play,
    Scored,
    ScoreRow,
    State,
    TrickTaken,
)
from services.table.engine.arzoi import septica as septica_rules
from services.table.engine.arzoi import totale as totale_rules
from services.table.engine.arzoi.actions import BIDS, CHOICES, LEAVE, PLAYS, Action
from services.table.engine.arzoi.events import Event
from services.table.engine.arzoi.options import Options
from services.table.engine.cards import TEXT, cards_of, mask_of, parse_card
from services.table.engine.game import NotationError
from services.table.engine.tricks import Trick
from services.table.wire import MalformedActionError
from shared.gen.levata.table.v1 import arzoi_pb2, game_pb2

_PARTS: Final = {
    None: arzoi_pb2.ARZOI_PART_UNSPECIFIED,
    Part.WHIST: arzoi_pb2.ARZOI_PART_WHIST,
    Part.TOTALE_MINUS: arzoi_pb2.ARZOI_PART_TOTALE_MINUS,
    Part.TOTALE_PLUS: arzoi_pb2.ARZOI_PART_TOTALE_PLUS,
    Part.SEPTICA: arzoi_pb2.ARZOI_PART_SEPTICA,
}
_PHASES: Final = {
    Phase.CHOOSE: arzoi_pb2.ARZOI_PHASE_CHOOSE,
    Phase.DEAL: arzoi_pb2.ARZOI_PHASE_UNSPECIFIED,
    Phase.BID: arzoi_pb2.ARZOI_PHASE_BID,
    Phase.PLAY: arzoi_pb2.ARZOI_PHASE_PLAY,
    Phase.CONTINUE: arzoi_pb2.ARZOI_PHASE_CONTINUE,
    Phase.OVER: arzoi_pb2.ARZOI_PHASE_OVER,
}
_BIDDINGS: Final = {
    None: arzoi_pb2.ARZOI_BIDDING_UNSPECIFIED,
    False: arzoi_pb2.ARZOI_BIDDING_UNDERBID,
    True: arzoi_pb2.ARZOI_BIDDING_OVERBID,
}


MOST_SEATS: Final = 9
HANDS_KEPT: Final = 1 << 14
"""Messages of so many hands are kept for the next update; each hand goes out many times before it changes."""


class ArzoiWire:
    """The wire form of Arzoi."""

    def options_from_proto(self, message: game_pb2.GameOptions) -> Options:
        """The engine's options."""
        return Options(no_whist_of_2=message.arzoi.no_whist_of_2)

    def options_to_proto(self, options: Options) -> game_pb2.GameOptions:
        """The message for the engine's options."""
        return game_pb2.GameOptions(arzoi=arzoi_pb2.ArzoiOptions(no_whist_of_2=options.no_whist_of_2))

    def action_from_proto(self, message: game_pb2.GameAction) -> Action:
        """The engine's action. Raises `MalformedActionError`."""
        if message.WhichOneof("game") != "arzoi":
            raise MalformedActionError("arzoi", "expected an action of Arzoi")
        action = message.arzoi
        kind = action.WhichOneof("action")
        if kind == "play":
            try:
                return PLAYS[parse_card(action.play)]
            except NotationError as error:
                raise MalformedActionError("arzoi.play", str(error)) from error
        if kind == "bid":
            if action.bid >= len(BIDS):
                raise MalformedActionError("arzoi.bid", f"expected 0 to {len(BIDS) - 1}, not {action.bid}")
            return BIDS[action.bid]
        if kind == "leave":
            if not action.leave:
                raise MalformedActionError("arzoi.leave", "expected true")
            return LEAVE
        if kind == "choose":
            return CHOICES[_variant_from_proto(action.choose)]
        raise MalformedActionError("arzoi", "expected one of choose, bid, play, leave")

    def action_to_proto(self, action: Action) -> game_pb2.GameAction:
        """The message for an action of a player (never a deal). It is shared: not to be changed."""
        return _ACTIONS[action]

    def table(self, state: State) -> game_pb2.GameTable:
        """What everybody sees of a match."""
        seats = state.seats
        part = state.part
        variant = _VARIANTS[state.variant] if state.variant else None
        table = arzoi_pb2.ArzoiTable(
            phase=_PHASES[state.phase],
            part=_PARTS[part],
            variant=variant,
            variants_left=[_VARIANTS[left] for left in state.variants_left],
            chooser=state.chooser,
            dealer=state.dealer,
            orbit=state.orbit,
            round=state.round,
            rounds=state.rounds,
            attempt=state.attempt,
            multiplier=state.multiplier,
            cards_each=state.cards_each,
            trump_card=_card(state.trump_card),
            seats=_seats(state),
            bid_sum=state.bid_sum,
            bidding=_BIDDINGS[state.overbid],
            stock=state.stock,
            set_aside=state.set_aside,
            teams=state.teams,
            totale_minus_left=state.totale_minus_left,
            totale_plus_left=state.totale_plus_left,
        )
        play = state.play
        if play is not None:
            if play.trick:
                table.trick.extend(_played(play.leader, play.trick, seats))
                table.holder = play.holder
            if play.history:
                last = play.history[-1]
                table.last_trick.extend(_played(last.leader, last.cards, seats))
                table.last_taker = last.taker
        return game_pb2.GameTable(arzoi=table)

    def hand(self, state: State, seat: int) -> game_pb2.GameHand:
        """What only the player of `seat` sees. Shared, not to be changed: the same object as long as the hand is."""
        return _hand(state.hand(seat))

    def event(self, event: Event) -> game_pb2.GameEvent:
        """The message for an event of the engine. The same for all viewers."""
        return game_pb2.GameEvent(arzoi=_event(event))

    def history(self, state: State) -> list[game_pb2.GameEvent]:
        """What has happened by the rules since the last deal, from the deal to the last trick; empty before a deal."""
        part = state.part
        play = state.play
        if part is None or play is None:
            return []
        events: list[Event] = [
            Dealt(part, state.round, state.attempt, state.dealer, state.cards_each, state.trump_card)
        ]
        overbid = state.overbid
        if overbid is not None:
            events.append(BiddingEnded(state.bid_sum, overbid))
        for trick in play.history:
            events.append(TrickTaken(trick.taker, trick.leader, state.seats, trick.cards, _points(state, trick)))
        return [self.event(event) for event in events]

    def score_sheet(self, state: State) -> game_pb2.GameScoreSheet:
        """The whole score sheet so far."""
        return game_pb2.GameScoreSheet(arzoi=arzoi_pb2.ArzoiScoreSheet(rows=[_row(row) for row in state.rows]))


def _variant_from_proto(message: arzoi_pb2.ArzoiVariant) -> int:
    kind = message.WhichOneof("variant")
    if kind == "whist":
        if not 2 <= message.whist <= 8:
            raise MalformedActionError("arzoi.choose.whist", f"expected 2 to 8, not {message.whist}")
        return message.whist
    if kind == "septica":
        if not message.septica:
            raise MalformedActionError("arzoi.choose.septica", "expected true")
        return SEPTICA
    raise MalformedActionError("arzoi.choose", "expected whist or septica")


def _variant(variant: int) -> arzoi_pb2.ArzoiVariant:
    return arzoi_pb2.ArzoiVariant(septica=True) if variant == SEPTICA else arzoi_pb2.ArzoiVariant(whist=variant)


def _action(action: Action) -> game_pb2.GameAction:
    if isinstance(action, Play):
        return game_pb2.GameAction(arzoi=arzoi_pb2.ArzoiAction(play=TEXT[action.card]))
    if isinstance(action, Bid):
        return game_pb2.GameAction(arzoi=arzoi_pb2.ArzoiAction(bid=action.tricks))
    if isinstance(action, Leave):
        return game_pb2.GameAction(arzoi=arzoi_pb2.ArzoiAction(leave=True))
    return game_pb2.GameAction(arzoi=arzoi_pb2.ArzoiAction(choose=_variant(action.variant)))


def _card(card: int) -> str:
    return TEXT[card] if card >= 0 else ""


def _played(leader: int, cards: Sequence[int], seats: int) -> list[arzoi_pb2.ArzoiPlayedCard]:
    return [_PLAYED[(leader + index) % seats][card] for index, card in enumerate(cards)]


@lru_cache(maxsize=HANDS_KEPT)
def _hand(cards: int) -> game_pb2.GameHand:
    return game_pb2.GameHand(arzoi=arzoi_pb2.ArzoiHand(cards=[TEXT[card] for card in cards_of(cards)]))


def _seats(state: State) -> list[arzoi_pb2.ArzoiSeat]:
    sizes = state.hand_sizes()
    taken = state.taken
    messages = []
    for seat in range(state.seats):
        bid = state.bids[seat]
        burned = bool(state.burned >> seat & 1)
        messages.append(
            arzoi_pb2.ArzoiSeat(
                score=state.points_so_far[seat],
                cards=sizes[seat],
                bid=None if bid < 0 else bid,
                tricks=taken[seat],
                points=state.points[seat],
                burned=burned,
                burned_always=burned and bool(state.burned_always >> seat & 1),
            )
        )
    return messages


def _points(state: State, trick: Trick) -> int:
    if state.part is Part.WHIST:
        return 0
    if state.part is Part.SEPTICA:
        return septica_rules.points_in(state.size, mask_of(trick.cards))
    return totale_rules.points_in(mask_of(trick.cards))


def _event(event: Event) -> arzoi_pb2.ArzoiEvent:
    if isinstance(event, TrickTaken):
        return arzoi_pb2.ArzoiEvent(
            trick_taken=arzoi_pb2.ArzoiTrickTaken(
                seat=event.seat, cards=_played(event.leader, event.cards, event.seats), points=event.points
            )
        )
    if isinstance(event, Dealt):
        return arzoi_pb2.ArzoiEvent(
            dealt=arzoi_pb2.ArzoiDealt(
                part=_PARTS[event.part],
                round=event.round,
                attempt=event.attempt,
                dealer=event.dealer,
                cards_each=event.cards_each,
                trump_card=_card(event.trump_card),
            )
        )
    if isinstance(event, BiddingEnded):
        return arzoi_pb2.ArzoiEvent(
            bidding_ended=arzoi_pb2.ArzoiBiddingEnded(bid_sum=event.bid_sum, bidding=_BIDDINGS[event.overbid])
        )
    if isinstance(event, Scored):
        return arzoi_pb2.ArzoiEvent(scored=_row(event.row))
    assert isinstance(event, OrbitEnded)
    return arzoi_pb2.ArzoiEvent(
        orbit_ended=arzoi_pb2.ArzoiOrbitEnded(
            variant=_variant(event.variant),
            early=event.early,
            perfect=event.perfect,
            totale_minus=event.totale_minus,
            totale_plus=event.totale_plus,
        )
    )


def _row(row: ScoreRow) -> arzoi_pb2.ArzoiScoreRow:
    return arzoi_pb2.ArzoiScoreRow(
        orbit=row.orbit,
        part=_PARTS[row.part],
        variant=_variant(row.variant),
        round=row.round,
        attempt=row.attempt,
        dealer=row.dealer,
        replayed=row.replayed,
        cells=[
            arzoi_pb2.ArzoiCell(
                bid=cell.bid, tricks=cell.tricks, points=cell.points, change=cell.change, burned=cell.burned
            )
            for cell in row.cells
        ],
    )


# Messages that are sent over and over are made once; a field that is set to one gets a copy.
_VARIANTS: Final = {variant: _variant(variant) for variant in CHOICES}
_PLAYED: Final = tuple(
    tuple(arzoi_pb2.ArzoiPlayedCard(seat=seat, card=text) for text in TEXT) for seat in range(MOST_SEATS)
)
_EVERY_ACTION: Final[tuple[Action, ...]] = (*CHOICES.values(), *BIDS, *PLAYS, LEAVE)
_ACTIONS: Final[dict[Action, game_pb2.GameAction]] = {action: _action(action) for action in _EVERY_ACTION}
