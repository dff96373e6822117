"""What a player of Remi is offered: every simple action that is legal, and of the many others the best."""

from services.table.engine.game import IllegalAction
from services.table.engine.remi.actions import (
    ANNOUNCE_ATU,
    ANNOUNCE_TWO_TILES,
    DRAW,
    UNDO_TAKE,
    Action,
    Add,
    Discard,
    Lay,
    Step,
    SwapJoker,
    Take,
    Turn,
)
from services.table.engine.remi.closing import Closing
from services.table.engine.remi.drawing import CLOSED_HAND
from services.table.engine.remi.melds import Meld
from services.table.engine.remi.position import NO_TILE, Phase
from services.table.engine.remi.solver import FEWEST, POINTS, best_first_meld, best_rest, can_use, closing
from services.table.engine.remi.solver import closing_with_atu as atu_closing
from services.table.engine.remi.tiles import HIGH_ACE, JOKER, tile_of


def legal_actions(state: Closing) -> list[Action]:
    """The actions of the seat to decide, as `State.legal_actions` documents them."""
    if state.phase is Phase.DRAW:
        return _to_draw(state)
    return _to_meld(state) if state.phase is Phase.MELD else []


def takes(state: Closing) -> list[Take]:
    """Every legal take, from the top of the row downwards (RM-18 to RM-21)."""
    row = state.row
    if state.phase is not Phase.DRAW or state.hands[state.seat].size() <= CLOSED_HAND:
        return []
    lowest = 1 if state.melded[state.seat] else len(row) - 1
    return [
        Take(place)
        for place in range(len(row) - 1, max(lowest, 1) - 1, -1)
        if not state.binds(place) or can_use(state.spot_after_take(place))
    ]


def additions(state: Closing) -> list[Add]:
    """Every legal addition, by combination and tile; the end is named where the tile fits at both (RM-22)."""
    seat = state.seat
    if state.phase is not Phase.MELD or not state.melded[seat]:
        return []
    hand = state.hands[seat]
    found: list[Add] = []
    for index, one in enumerate(state.melds):
        if state.opening and one.seat != seat:
            continue
        for tile in _fitting(one.meld):
            if not hand.count(tile):
                continue
            ends = one.meld.ends_for(tile)
            found.extend([Add(index, tile, end) for end in ends] if len(ends) > 1 else [Add(index, tile)] * len(ends))
    return found if state.barred == NO_TILE else [add for add in found if is_legal(state, add)]


def discards(state: Closing) -> list[Discard]:
    """Every legal discard, by tile (RM-16)."""
    if state.phase is not Phase.MELD or state.duty != NO_TILE:
        return []
    tiles = state.hands[state.seat].tiles()
    return [
        Discard(tile)
        for index, tile in enumerate(tiles)
        if tile != state.barred and (index == 0 or tiles[index - 1] != tile)
    ]


def is_legal(state: Closing, action: Action) -> bool:
    """Whether the seat to decide may do `action` now."""
    try:
        state.verify(state.seat, action)
    except IllegalAction:
        return False
    return True


def _fitting(meld: Meld) -> list[int]:
    """The tiles that may fit a combination somewhere, ascending."""
    if not meld.run:
        return [*[tile_of(colour, meld.low) for colour in meld.missing_colours()], JOKER]
    tiles = {JOKER}
    if meld.low > 1:
        tiles.add(tile_of(meld.colour, meld.low - 1))
    if meld.high < HIGH_ACE:
        tiles.add(tile_of(meld.colour, meld.high + 1))
    return sorted(tiles)


def _to_draw(state: Closing) -> list[Action]:
    actions: list[Action] = [ANNOUNCE_ATU] if state.may_announce_atu() else []
    actions.append(DRAW)
    actions.extend(takes(state))
    if state.atu != NO_TILE:
        close = atu_closing(state.spot(), state.atu)
        if close is not None:
            actions.append(close)
    return actions


def _to_meld(state: Closing) -> list[Action]:
    actions: list[Action] = []
    if state.may_announce_atu():
        actions.append(ANNOUNCE_ATU)
    if state.may_announce_two_tiles():
        actions.append(ANNOUNCE_TWO_TILES)
    if state.before_take is not None:
        actions.append(UNDO_TAKE)
    actions.extend(_best(state))
    actions.extend(additions(state))
    actions.extend(discards(state))
    return actions


def _best(state: Closing) -> list[Action]:
    """The best that the solver finds: turns first, then the combinations and swaps that can be done at once."""
    spot = state.spot()
    sequences: list[tuple[Step, ...]] = []
    close = closing(spot)
    if close is not None:
        sequences.append(close)
    if spot.stage == "closed":
        for aim in (POINTS, FEWEST):
            first = best_first_meld(spot.hand, spot.required, spot.barred, aim)
            if first is not None:
                sequences.append((first,))
    for aim in (POINTS, FEWEST):
        plan = best_rest(spot, aim)
        if plan is not None:
            sequences.append(plan.steps)
    turns: list[Action] = []
    single: list[Action] = []
    for steps in sequences:
        if len(steps) > 1 and Turn(steps) not in turns:
            turns.append(Turn(steps))
        for step in steps:
            if isinstance(step, Lay | SwapJoker) and step not in single and is_legal(state, step):
                single.append(step)
    return (
        turns + [lay for lay in single if isinstance(lay, Lay)] + [swap for swap in single if not isinstance(swap, Lay)]
    )
