"""Rules of thumb: a sensible move at once, for whoever cannot wait for a bot."""

from services.table.engine.remi.actions import (
    ANNOUNCE_ATU,
    ANNOUNCE_TWO_TILES,
    DRAW,
    UNDO_TAKE,
    Action,
    Discard,
    Step,
    Take,
    Turn,
)
from services.table.engine.remi.candidates import discards, takes
from services.table.engine.remi.match import State
from services.table.engine.remi.position import NO_TILE, Phase
from services.table.engine.remi.solver import FEWEST, best_first_meld, best_rest, closing, closing_with_atu
from services.table.engine.remi.tiles import COLOUR_OF, HAND_VALUE, HIGH_ACE, JOKER, NUMBER_OF, Hand, tile_of

TAKES_LOOKED_AT = 3
"""Tiles of the row that are thought about, from the top down."""


def rule_of_thumb(state: State) -> Action:
    """Draws unless a tile of the row opens, closes or can be laid; then lays what it can and discards a tile.

    A take and all that is done with it are one action. So if a tile has been taken that is yet to be used, somebody
    else took it, whose time is out: then it goes back (GAP-R13). It reads the public part of a match and the hand of
    the seat to decide, and nothing else.
    """
    if state.phase is Phase.DRAW:
        return ANNOUNCE_ATU if state.may_announce_atu() else _to_get_a_tile(state)
    if state.phase is not Phase.MELD:
        raise ValueError("no seat has to decide")
    if state.before_take is not None:
        return UNDO_TAKE
    if state.may_announce_atu():
        return ANNOUNCE_ATU
    return _at_once(_rest_of_turn(state, ()))


def _to_get_a_tile(state: State) -> Action:
    if state.atu != NO_TILE:
        close = closing_with_atu(state.spot(), state.atu)
        if close is not None:
            return close
    for take in takes(state)[:TAKES_LOOKED_AT]:
        spot = state.spot_after_take(take.place)
        top = take.place == len(state.row) - 1
        if closing(spot) is not None or (top and _is_laid(state, take)):
            after = state.copy()
            after.apply(after.seat, take)
            return _at_once(_rest_of_turn(after, (take,)))
    return DRAW


def _is_laid(state: State, take: Take) -> bool:
    """Whether the top tile goes to the table at once if it is taken, and something more than without it."""
    if not state.melded[state.seat]:
        return True
    plan = best_rest(state.spot_after_take(take.place), FEWEST)
    alone = best_rest(state.spot(), FEWEST)
    return plan is not None and alone is not None and plan.left.size() <= alone.left.size()


def _rest_of_turn(state: State, before: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps of a whole turn: those done before, then what is laid, added and announced, and the discard.

    Args:
        state: The match after the steps done before.
        before: Those steps.
    """
    trial = state.copy()
    seat = trial.seat
    steps = list(before)
    for step in _to_lay(state):
        _announce(trial, steps)
        steps.append(step)
        trial.apply(seat, step)
        if trial.phase is not Phase.MELD or trial.seat != seat:
            return tuple(steps)
    if not state.melded[seat] and trial.melded[seat]:
        return _rest_of_turn(trial, tuple(steps))
    _announce(trial, steps)
    steps.append(_least_use(trial))
    return tuple(steps)


def _to_lay(state: State) -> tuple[Step, ...]:
    """All that closes, or else the first meld, or else what leaves the fewest tiles."""
    spot = state.spot()
    close = closing(spot)
    if close is not None:
        return close
    if spot.stage == "closed":
        first = best_first_meld(spot.hand, spot.required, spot.barred)
        return () if first is None else (first,)
    plan = best_rest(spot, FEWEST)
    return () if plan is None else plan.steps


def _announce(trial: State, steps: list[Step]) -> None:
    """Announces two tiles if there are two: before a discard one has to, and it brings points if one closes (RM-30)."""
    if trial.may_announce_two_tiles():
        steps.append(ANNOUNCE_TWO_TILES)
        trial.apply(trial.seat, ANNOUNCE_TWO_TILES)


def _at_once(steps: tuple[Step, ...]) -> Action:
    return steps[0] if len(steps) == 1 else Turn(steps)


def _least_use(state: State) -> Discard:
    """The discard that goes least with the rest of the hand; among equals the one that costs most to be left with."""
    hand = state.hands[state.seat]
    atu_colour = COLOUR_OF[state.turned]
    return min(
        discards(state),
        key=lambda discard: (
            _use(hand, discard.tile),
            -HAND_VALUE[discard.tile] * (2 if COLOUR_OF[discard.tile] == atu_colour else 1),
            discard.tile,
        ),
    )


def _use(hand: Hand, tile: int) -> int:
    """How well a tile goes with the rest of a hand; Jokers go with everything.

    A neighbour in a run and a partner in a set count 2, a tile that leaves a gap in a run 1.
    """
    if tile == JOKER:
        return 100
    number, colour = NUMBER_OF[tile], COLOUR_OF[tile]
    use = 2 * sum([hand.count(tile_of(other, number)) > 0 for other in range(4) if other != colour])
    places = (1, HIGH_ACE) if number == 1 else (number,)
    for place in places:
        for distance in (-2, -1, 1, 2):
            if 1 <= place + distance <= HIGH_ACE and hand.count(tile_of(colour, place + distance)):
                use += 3 - abs(distance)
    return use
