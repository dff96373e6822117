"""Whist on the wire: the engine's values as the messages of whist.proto, and back.

Only `hand` reads hidden cards, and only those of the seat it is asked for; everything else is made of what is public.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from services.table.engine.bidding import BIDS
from services.table.engine.cards import TEXT, cards_of, parse_card
from services.table.engine.game import NotationError
from services.table.engine.play import PLAYS, Play
from services.table.engine.whist import (
    Action,
    BiddingEnded,
    DealerDrawn,
    Dealt,
    Event,
    Options,
    Phase,
    Scored,
    ScoreRow,
    State,
    Streak,
    TrickTaken,
)
from services.table.engine.whist.course import SIZES
from services.table.engine.whist.options import Pattern
from services.table.wire import MalformedActionError
from shared.gen.levata.table.v1 import game_pb2, whist_pb2

_PATTERNS: Final[dict[Pattern, whist_pb2.WhistPattern.ValueType]] = {
    "1-8-1": whist_pb2.WHIST_PATTERN_1_8_1,
    "8-1-8": whist_pb2.WHIST_PATTERN_8_1_8,
}
_PATTERNS_BACK: Final[dict[int, Pattern]] = {
    whist_pb2.WHIST_PATTERN_UNSPECIFIED: "1-8-1",
    **{message: pattern for pattern, message in _PATTERNS.items()},
}
_PREMIUMS: Final = {
    10: whist_pb2.WHIST_PREMIUM_TEN,
    5: whist_pb2.WHIST_PREMIUM_FIVE,
    0: whist_pb2.WHIST_PREMIUM_NONE,
}
_PREMIUMS_BACK: Final[dict[int, int]] = {
    whist_pb2.WHIST_PREMIUM_UNSPECIFIED: 10,
    **{message: premium for premium, message in _PREMIUMS.items()},
}
_PHASES: Final = {
    Phase.DRAW: whist_pb2.WHIST_PHASE_UNSPECIFIED,
    Phase.DEAL: whist_pb2.WHIST_PHASE_UNSPECIFIED,
    Phase.BID: whist_pb2.WHIST_PHASE_BID,
    Phase.PLAY: whist_pb2.WHIST_PHASE_PLAY,
    Phase.OVER: whist_pb2.WHIST_PHASE_OVER,
}
_BIDDINGS: Final = {
    None: whist_pb2.WHIST_BIDDING_UNSPECIFIED,
    False: whist_pb2.WHIST_BIDDING_UNDERBID,
    True: whist_pb2.WHIST_BIDDING_OVERBID,
}

HANDS_KEPT: Final = 1 << 14
"""Messages of so many hands are kept for the next update; each hand goes out many times before it changes."""


class WhistWire:
    """The wire form of whist."""

    def options_from_proto(self, message: game_pb2.GameOptions) -> Options:
        """The engine's options."""
        options = message.whist
        return Options(_PATTERNS_BACK[options.pattern], _PREMIUMS_BACK[options.premium])

    def options_to_proto(self, options: Options) -> game_pb2.GameOptions:
        """The message for the engine's options."""
        return game_pb2.GameOptions(
            whist=whist_pb2.WhistOptions(pattern=_PATTERNS[options.pattern], premium=_PREMIUMS[options.premium])
        )

    def action_from_proto(self, message: game_pb2.GameAction) -> Action:
        """The engine's action. Raises `MalformedActionError`."""
        if message.WhichOneof("game") != "whist":
            raise MalformedActionError("whist", "expected an action of whist")
        action = message.whist
        kind = action.WhichOneof("action")
        if kind == "play":
            try:
                return PLAYS[parse_card(action.play)]
            except NotationError as error:
                raise MalformedActionError("whist.play", str(error)) from error
        if kind == "bid":
            if action.bid >= len(BIDS):
                raise MalformedActionError("whist.bid", f"expected 0 to {len(BIDS) - 1}, not {action.bid}")
            return BIDS[action.bid]
        raise MalformedActionError("whist", "expected one of bid, play")

    def action_to_proto(self, action: Action) -> game_pb2.GameAction:
        """The message for an action of a player (never a deal). It is shared: not to be changed."""
        return _ACTIONS[action]

    def table(self, state: State) -> game_pb2.GameTable:
        """What everybody sees of a match."""
        table = whist_pb2.WhistTable(
            phase=_PHASES[state.phase],
            number=state.number,
            deals=state.deals,
            cards_each=state.cards_each,
            dealer=max(state.dealer, 0),
            trump_card=_card(state.trump_card),
            seats=_seats(state),
            bid_sum=state.bid_sum,
            bidding=_BIDDINGS[state.overbid],
            drawn=_played(0, state.drawn, state.seats),
            premium=state.options.premium,
        )
        play = state.play
        if play is not None:
            if play.trick:
                table.trick.extend(_played(play.leader, play.trick, state.seats))
                table.holder = play.holder
            if play.history:
                last = play.history[-1]
                table.last_trick.extend(_played(last.leader, last.cards, state.seats))
                table.last_taker = last.taker
        return game_pb2.GameTable(whist=table)

    def hand(self, state: State, seat: int) -> game_pb2.GameHand:
        """What only the player of `seat` sees. Shared, not to be changed: the same object as long as the hand is."""
        return _hand(state.hand(seat))

    def event(self, event: Event) -> game_pb2.GameEvent:
        """The message for an event of the engine. The same for all viewers."""
        return game_pb2.GameEvent(whist=_event(event))

    def history(self, state: State) -> list[game_pb2.GameEvent]:
        """What has happened by the rules since the last deal, from the deal to the last trick; empty before a deal."""
        play = state.play
        if play is None:
            return []
        events: list[Event] = [Dealt(state.number, state.dealer, state.cards_each, state.trump_card)]
        overbid = state.overbid
        if overbid is not None:
            events.append(BiddingEnded(state.bid_sum, overbid))
        events.extend([TrickTaken(trick.taker, trick.leader, trick.cards) for trick in play.history])
        return [self.event(event) for event in events]

    def score_sheet(self, state: State) -> game_pb2.GameScoreSheet:
        """The whole score sheet so far."""
        return game_pb2.GameScoreSheet(whist=whist_pb2.WhistScoreSheet(rows=[_row(row) for row in state.rows]))


def _action(action: Action) -> game_pb2.GameAction:
    if isinstance(action, Play):
        return game_pb2.GameAction(whist=whist_pb2.WhistAction(play=TEXT[action.card]))
    return game_pb2.GameAction(whist=whist_pb2.WhistAction(bid=action.tricks))


def _card(card: int) -> str:
    return TEXT[card] if card >= 0 else ""


def _played(leader: int, cards: Sequence[int], seats: int) -> list[whist_pb2.WhistPlayedCard]:
    return [_PLAYED[(leader + index) % seats][card] for index, card in enumerate(cards)]


@lru_cache(maxsize=HANDS_KEPT)
def _hand(cards: int) -> game_pb2.GameHand:
    return game_pb2.GameHand(whist=whist_pb2.WhistHand(cards=[TEXT[card] for card in cards_of(cards)]))


def _streak(streak: Streak) -> whist_pb2.WhistStreak:
    return whist_pb2.WhistStreak(exact=streak.exact, missed=streak.missed)


def _seats(state: State) -> list[whist_pb2.WhistSeat]:
    sizes = state.hand_sizes()
    taken = state.taken
    messages = []
    for seat in range(state.seats):
        bid = state.bids[seat]
        messages.append(
            whist_pb2.WhistSeat(
                score=state.points_so_far[seat],
                cards=sizes[seat],
                bid=None if bid < 0 else bid,
                tricks=taken[seat],
                streak=_streak(state.streaks[seat]),
            )
        )
    return messages


def _event(event: Event) -> whist_pb2.WhistEvent:
    if isinstance(event, TrickTaken):
        taken = whist_pb2.WhistTrickTaken(seat=event.seat, cards=_played(event.leader, event.cards, len(event.cards)))
        return whist_pb2.WhistEvent(trick_taken=taken)
    if isinstance(event, Dealt):
        dealt = whist_pb2.WhistDealt(
            number=event.number,
            dealer=event.dealer,
            cards_each=event.cards_each,
            trump_card=_card(event.trump_card),
        )
        return whist_pb2.WhistEvent(dealt=dealt)
    if isinstance(event, BiddingEnded):
        ended = whist_pb2.WhistBiddingEnded(bid_sum=event.bid_sum, bidding=_BIDDINGS[event.overbid])
        return whist_pb2.WhistEvent(bidding_ended=ended)
    if isinstance(event, Scored):
        return whist_pb2.WhistEvent(scored=_row(event.row))
    assert isinstance(event, DealerDrawn)
    drawn = whist_pb2.WhistDealerDrawn(cards=_played(0, event.cards, len(event.cards)), dealer=event.dealer)
    return whist_pb2.WhistEvent(dealer_drawn=drawn)


def _row(row: ScoreRow) -> whist_pb2.WhistScoreRow:
    return whist_pb2.WhistScoreRow(
        number=row.number,
        dealer=row.dealer,
        cards_each=row.cards_each,
        cells=[
            whist_pb2.WhistCell(
                bid=cell.bid,
                tricks=cell.tricks,
                points=cell.points,
                premium=cell.premium,
                streak=_streak(cell.streak),
            )
            for cell in row.cells
        ],
    )


# Messages that are sent over and over are made once; a field that is set to one gets a copy.
_PLAYED: Final = tuple(
    tuple(whist_pb2.WhistPlayedCard(seat=seat, card=text) for text in TEXT) for seat in range(SIZES.stop - 1)
)
_EVERY_ACTION: Final[tuple[Action, ...]] = (*BIDS, *PLAYS)
_ACTIONS: Final[dict[Action, game_pb2.GameAction]] = {action: _action(action) for action in _EVERY_ACTION}
