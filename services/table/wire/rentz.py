"""Rentz on the wire: the engine's values as the messages of rentz.proto, and back.

Only `hand` reads hidden cards, and only those of the seat it is asked for; everything else is made of what is public.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from services.table.engine.cards import SUIT_CARDS, SUITS, TEXT, cards_of, parse_card
from services.table.engine.game import NotationError
from services.table.engine.play import PLAYS, Play
from services.table.engine.rentz import (
    HANDS,
    PASSED,
    SUBGAMES,
    WAITED,
    Action,
    Chosen,
    DealerDrawn,
    Dealt,
    Event,
    Finished,
    LayoutHand,
    MovesAgain,
    Options,
    Passed,
    Phase,
    Placed,
    Scored,
    ScoreRow,
    State,
    Subgame,
    TrickTaken,
    Waited,
)
from services.table.engine.rentz.actions import CHOICES
from services.table.engine.rentz.subgames import SEATS
from services.table.engine.rentz.telling import since_deal
from services.table.wire import MalformedActionError
from shared.gen.levata.table.v1 import game_pb2, rentz_pb2

_SUBGAMES: Final = {
    Subgame.KING_OF_HEARTS: rentz_pb2.RENTZ_SUBGAME_KING_OF_HEARTS,
    Subgame.QUEENS: rentz_pb2.RENTZ_SUBGAME_QUEENS,
    Subgame.DIAMONDS: rentz_pb2.RENTZ_SUBGAME_DIAMONDS,
    Subgame.TRICKS: rentz_pb2.RENTZ_SUBGAME_TRICKS,
    Subgame.TOTALE: rentz_pb2.RENTZ_SUBGAME_TOTALE,
    Subgame.TEN_OF_CLUBS: rentz_pb2.RENTZ_SUBGAME_TEN_OF_CLUBS,
    Subgame.WHIST: rentz_pb2.RENTZ_SUBGAME_WHIST,
    Subgame.RENTZ: rentz_pb2.RENTZ_SUBGAME_RENTZ,
}
_SUBGAMES_BACK: Final[dict[int, Subgame]] = {message: subgame for subgame, message in _SUBGAMES.items()}
_PHASES: Final = {
    Phase.DRAW: rentz_pb2.RENTZ_PHASE_UNSPECIFIED,
    Phase.DEAL: rentz_pb2.RENTZ_PHASE_UNSPECIFIED,
    Phase.CHOOSE: rentz_pb2.RENTZ_PHASE_CHOOSE,
    Phase.PLAY: rentz_pb2.RENTZ_PHASE_PLAY,
    Phase.OVER: rentz_pb2.RENTZ_PHASE_OVER,
}

HANDS_KEPT: Final = 1 << 14
"""Messages of so many hands are kept for the next update; each hand goes out many times before it changes."""


class RentzWire:
    """The wire form of Rentz."""

    def options_from_proto(self, message: game_pb2.GameOptions) -> Options:
        """The engine's options: there are none."""
        return Options()

    def options_to_proto(self, options: Options) -> game_pb2.GameOptions:
        """The message for the engine's options."""
        return game_pb2.GameOptions(rentz=rentz_pb2.RentzOptions())

    def action_from_proto(self, message: game_pb2.GameAction) -> Action:
        """The engine's action. Raises `MalformedActionError`."""
        if message.WhichOneof("game") != "rentz":
            raise MalformedActionError("rentz", "expected an action of Rentz")
        action = message.rentz
        kind = action.WhichOneof("action")
        if kind == "play":
            try:
                return PLAYS[parse_card(action.play)]
            except NotationError as error:
                raise MalformedActionError("rentz.play", str(error)) from error
        if kind == "choose":
            subgame = _SUBGAMES_BACK.get(action.choose)
            if subgame is None:
                raise MalformedActionError("rentz.choose", f"expected a subgame, not {action.choose}")
            return CHOICES[subgame]
        raise MalformedActionError("rentz", "expected one of choose, play")

    def action_to_proto(self, action: Action) -> game_pb2.GameAction:
        """The message for an action of a player (never a deal). It is shared: not to be changed."""
        return _ACTIONS[action]

    def table(self, state: State) -> game_pb2.GameTable:
        """What everybody sees of a match."""
        table = rentz_pb2.RentzTable(
            phase=_PHASES[state.phase],
            number=state.number,
            hands=HANDS,
            dealer=max(state.dealer, 0),
            subgame=_subgame(state.subgame),
            seats=_seats(state),
            drawn=_played(0, state.drawn),
        )
        layout = state.layout
        if layout is not None:
            table.layout.extend(_runs(layout.laid))
            table.again = layout.again
        if state.trick:
            table.trick.extend(_played(state.leader, state.trick))
            table.holder = state.holder or 0
        if state.tricks:
            last = state.tricks[-1]
            table.last_trick.extend(_played(last.leader, last.cards))
            table.last_taker = last.taker
        return game_pb2.GameTable(rentz=table)

    def hand(self, state: State, seat: int) -> game_pb2.GameHand:
        """What only the player of `seat` sees. Shared, not to be changed: the same object as long as the hand is."""
        return _hand(state.hand(seat))

    def event(self, event: Event) -> game_pb2.GameEvent:
        """The message for an event of the engine. The same for all viewers."""
        return game_pb2.GameEvent(rentz=_event(event))

    def history(self, state: State) -> list[game_pb2.GameEvent]:
        """What has happened by the rules since the last deal, from the deal to the last trick or turn."""
        return [self.event(event) for event in since_deal(state)]

    def score_sheet(self, state: State) -> game_pb2.GameScoreSheet:
        """The whole score sheet so far."""
        return game_pb2.GameScoreSheet(rentz=rentz_pb2.RentzScoreSheet(rows=[_row(row) for row in state.rows]))


def _action(action: Action) -> game_pb2.GameAction:
    if isinstance(action, Play):
        return game_pb2.GameAction(rentz=rentz_pb2.RentzAction(play=TEXT[action.card]))
    return game_pb2.GameAction(rentz=rentz_pb2.RentzAction(choose=_SUBGAMES[action.subgame]))


def _subgame(subgame: Subgame | None) -> rentz_pb2.RentzSubgame.ValueType:
    return rentz_pb2.RENTZ_SUBGAME_UNSPECIFIED if subgame is None else _SUBGAMES[subgame]


def _played(leader: int, cards: Sequence[int]) -> list[rentz_pb2.RentzPlayedCard]:
    return [_PLAYED[(leader + index) % SEATS][card] for index, card in enumerate(cards)]


@lru_cache(maxsize=HANDS_KEPT)
def _hand(cards: int) -> game_pb2.GameHand:
    return game_pb2.GameHand(rentz=rentz_pb2.RentzHand(cards=[TEXT[card] for card in cards_of(cards)]))


def _runs(laid: int) -> list[rentz_pb2.RentzRun]:
    """The run of each suit; cards that lie are next to each other, so the ends say all."""
    runs = []
    for suit, suit_cards in zip(SUITS, SUIT_CARDS, strict=True):
        cards = cards_of(laid & suit_cards)
        low, high = (TEXT[cards[-1]], TEXT[cards[0]]) if cards else ("", "")
        runs.append(rentz_pb2.RentzRun(suit=suit, low=low, high=high))
    return runs


def _seats(state: State) -> list[rentz_pb2.RentzSeat]:
    sizes = state.hand_sizes()
    taken = state.taken
    points = state.points
    messages = [
        rentz_pb2.RentzSeat(
            score=state.points_so_far[seat],
            cards=sizes[seat],
            tricks=taken[seat],
            points=points[seat],
            captured=[TEXT[card] for card in state.captured(seat)],
            chosen=[_SUBGAMES[subgame] for subgame in state.chosen(seat)],
        )
        for seat in range(SEATS)
    ]
    if state.layout is not None:
        _add_turns(messages, state.layout)
    return messages


def _add_turns(messages: Sequence[rentz_pb2.RentzSeat], layout: LayoutHand) -> None:
    """What each seat did at its last turn, and who has got rid of all cards."""
    for move in layout.history:
        message = messages[move.seat]
        if move.card == PASSED:
            message.passed = True
        elif move.card == WAITED:
            message.waited = True
        else:
            message.placed = TEXT[move.card]
    for place, seat in enumerate(layout.finished, 1):
        messages[seat].finished = place


def _event(event: Event) -> rentz_pb2.RentzEvent:
    if isinstance(event, TrickTaken):
        return rentz_pb2.RentzEvent(
            trick_taken=rentz_pb2.RentzTrickTaken(
                seat=event.seat, cards=_played(event.leader, event.cards), points=event.points
            )
        )
    if isinstance(event, Placed):
        return rentz_pb2.RentzEvent(placed=rentz_pb2.RentzPlaced(seat=event.seat, card=TEXT[event.card]))
    if isinstance(event, Passed):
        return rentz_pb2.RentzEvent(passed=rentz_pb2.RentzPassed(seat=event.seat))
    if isinstance(event, Waited):
        return rentz_pb2.RentzEvent(waited=rentz_pb2.RentzWaited(seat=event.seat))
    if isinstance(event, MovesAgain):
        return rentz_pb2.RentzEvent(moves_again=rentz_pb2.RentzMovesAgain(seat=event.seat))
    if isinstance(event, Finished):
        return rentz_pb2.RentzEvent(finished=rentz_pb2.RentzFinished(seat=event.seat, place=event.place))
    if isinstance(event, Scored):
        return rentz_pb2.RentzEvent(scored=_row(event.row))
    if isinstance(event, Chosen):
        return rentz_pb2.RentzEvent(chosen=rentz_pb2.RentzChosen(seat=event.seat, subgame=_SUBGAMES[event.subgame]))
    if isinstance(event, Dealt):
        return rentz_pb2.RentzEvent(dealt=rentz_pb2.RentzDealt(number=event.number, dealer=event.dealer))
    assert isinstance(event, DealerDrawn)
    drawn = rentz_pb2.RentzDealerDrawn(cards=_played(0, event.cards), dealer=event.dealer)
    return rentz_pb2.RentzEvent(dealer_drawn=drawn)


def _row(row: ScoreRow) -> rentz_pb2.RentzScoreRow:
    return rentz_pb2.RentzScoreRow(
        number=row.number, dealer=row.dealer, subgame=_SUBGAMES[row.subgame], points=row.points
    )


# Messages that are sent over and over are made once; a field that is set to one gets a copy.
_PLAYED: Final = tuple(tuple(rentz_pb2.RentzPlayedCard(seat=seat, card=text) for text in TEXT) for seat in range(SEATS))
_EVERY_ACTION: Final[tuple[Action, ...]] = (*[CHOICES[subgame] for subgame in SUBGAMES], *PLAYS)
_ACTIONS: Final[dict[Action, game_pb2.GameAction]] = {action: _action(action) for action in _EVERY_ACTION}
