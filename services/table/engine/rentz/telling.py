"""What has happened in the hand that is played, told as events from the hand itself."""

from services.table.engine.cards import mask_of
from services.table.engine.rentz.events import (
    Chosen,
    Dealt,
    Event,
    Finished,
    MovesAgain,
    Passed,
    Placed,
    TrickTaken,
    Waited,
)
from services.table.engine.rentz.layout import PASSED, WAITED, LayoutHand, Move
from services.table.engine.rentz.position import Phase, Position
from services.table.engine.rentz.tricks import TrickHand
from services.table.engine.tricks import Trick


def since_deal(position: Position) -> list[Event]:
    """All that has happened by the rules since the last deal, oldest first; nothing between hands."""
    if position.needs_deal() or position.phase is Phase.OVER:
        return []
    events: list[Event] = [Dealt(position.number, position.dealer)]
    if position.subgame is not None:
        events.append(Chosen(position.dealer, position.subgame))
    play = position.play
    if isinstance(play, TrickHand):
        events.extend([trick_event(play, trick) for trick in play.history])
    elif play is not None:
        events.extend(layout_events(play, 0))
    return events


def trick_event(play: TrickHand, trick: Trick) -> TrickTaken:
    """That this trick of `play` was taken."""
    return TrickTaken(trick.taker, trick.leader, trick.cards, play.scoring.points_in(mask_of(trick.cards)))


def layout_events(play: LayoutHand, first: int) -> list[Event]:
    """What happened in the layout game from its move number `first` on, counted from 0."""
    events: list[Event] = []
    history = play.history
    for index in range(first, len(history)):
        move = history[index]
        seat = move.seat
        events.append(_turn(move))
        if move.card in (PASSED, WAITED):
            continue
        later = history[index + 1 :]
        if not play.hands[seat] and all(other.seat != seat for other in later):
            events.append(Finished(seat, play.finished.index(seat) + 1))
        elif later[0].seat == seat if later else play.again:
            # Between two other moves of one seat there is always one of another, if only that it passed.
            events.append(MovesAgain(seat))
    return events


def _turn(move: Move) -> Event:
    if move.card == PASSED:
        return Passed(move.seat)
    return Waited(move.seat) if move.card == WAITED else Placed(move.seat, move.card)
