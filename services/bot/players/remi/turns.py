"""From what is to be laid to a whole turn in one action: announcements where they belong, and the discard."""

from collections.abc import Sequence

from services.bot.players.remi.view import RemiView
from services.table.engine.game import IllegalAction
from services.table.engine.remi import (
    ANNOUNCE_TWO_TILES,
    NO_TILE,
    Action,
    Add,
    Discard,
    Lay,
    Step,
    SwapJoker,
    Take,
    Tiles,
    Turn,
    meld_of,
)

_TWO = 2


def whole_turn(view: RemiView, steps: Sequence[Step], discard: int = NO_TILE) -> Action:
    """The rest of a turn as one action: two tiles are announced whenever there are just two (RM-25, GAP-R37).

    Args:
        view: The decision.
        steps: What is taken and laid, in order; the discard too if it closes.
        discard: The tile discarded at the end; -1 when that is among the steps, or there is none.
    """
    wanted = [*steps, Discard(discard)] if discard != NO_TILE else list(steps)
    announced = view.two_tiles_announced[view.seat]
    size = view.tiles[view.seat]
    done: list[Step] = []
    for step in wanted:
        if size == _TWO and not announced and not isinstance(step, Take):
            done.append(ANNOUNCE_TWO_TILES)
            announced = True
        done.append(step)
        size += len(view.row) - step.place if isinstance(step, Take) else -given_away(step)
    return done[0] if len(done) == 1 else Turn(tuple(done))


def given_away(step: Step) -> int:
    """Tiles that a step takes from the hand."""
    match step:
        case Lay(melds):
            return sum([len(tiles) for tiles in melds])
        case SwapJoker():
            return len(step.new_meld)
        case Add() | Discard():
            return 1
    return 0


def closing_turn(view: RemiView, steps: Sequence[Step], take: Take | None = None) -> Action:
    """A turn that closes, done so that two tiles are left before its end if that can be: they bring points (RM-30).

    Combinations come first, and of long ones the last tiles are added one by one.

    Args:
        view: The decision.
        steps: What is laid, and the discard.
        take: What is taken from the row before.
    """
    before: list[Step] = [] if take is None else [take]
    swaps = [step for step in steps if isinstance(step, SwapJoker)]
    lays = [step for step in steps if isinstance(step, Lay)]
    singles = [step for step in steps if isinstance(step, Add | Discard)]
    # A tile taken from the top must not be all that is left in between, and a first meld has to be worth its points.
    free = view.barred == NO_TILE and take is None and view.melded[view.seat]
    if not free or len(lays) > 1 or view.two_tiles_announced[view.seat] or len(swaps + lays + singles) < len(steps):
        return whole_turn(view, [*before, *steps])
    if not lays:
        return whole_turn(view, [*before, *swaps, *singles])
    melds, later = _shortened(lays[0].melds, _TWO - len(singles), len(view.melds) + len(swaps))
    return whole_turn(view, [*before, *swaps, Lay(melds), *later, *singles])


def _shortened(melds: tuple[Tiles, ...], wanted: int, place: int) -> tuple[tuple[Tiles, ...], list[Add]]:
    """Combinations without so many of their last tiles, and the additions that bring these, if that can be.

    Args:
        melds: The combinations.
        wanted: Tiles to be added later.
        place: The place on the table that the first of them will have.
    """
    short = list(melds)
    later: list[Add] = []
    for index in range(len(short)):
        while len(later) < wanted and len(short[index]) > 3:
            rest, last = short[index][:-1], short[index][-1]
            try:
                meld = meld_of(rest)
                meld.added(last, "high" if meld.run else "")
            except IllegalAction:
                break
            short[index] = rest
            later.insert(0, Add(place + index, last, "high" if meld.run else ""))
    # Of one run the tile nearest to it comes first.
    later.sort(key=lambda add: add.meld)
    return (tuple(short), later) if len(later) == wanted else (melds, [])
