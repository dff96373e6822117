"""Things that somebody might try in a position of Remi: sensible, nearly right, and nonsense."""

import random

from services.table.engine.game import IllegalAction
from services.table.engine.remi import (
    ANNOUNCE_ATU,
    ANNOUNCE_TWO_TILES,
    DRAW,
    JOKER,
    NO_TILE,
    UNDO_TAKE,
    Action,
    Add,
    CloseWithAtu,
    Discard,
    End,
    Lay,
    State,
    Step,
    SwapJoker,
    Take,
    Tiles,
    Turn,
)
from services.table.engine.remi.tiles import Hand, tile_of

ENDS: tuple[End, ...] = ("", "", "low", "high")


def attempt(state: State, chance: random.Random) -> Action:
    """One action that the seat to decide might try."""
    roll = chance.random()
    if roll < 0.04:
        return DRAW
    if roll < 0.08:
        return UNDO_TAKE
    if roll < 0.18:
        return _turn(state, chance)
    return _step(state, chance)


def _step(state: State, chance: random.Random) -> Step:
    roll = chance.random()
    if roll < 0.15:
        return Discard(_tile(state, chance))
    if roll < 0.40:
        return Lay(tuple([_combination(_hand(state), chance) for _ in range(chance.choice((1, 1, 1, 2, 2, 3)))]))
    if roll < 0.58:
        return _add(state, chance, _hand(state))
    if roll < 0.74:
        return _swap(state, chance)
    if roll < 0.80:
        return Take(chance.randrange(len(state.row) + 2))
    if roll < 0.90:
        return chance.choice((ANNOUNCE_ATU, ANNOUNCE_TWO_TILES))
    return _close(state, chance)


def _turn(state: State, chance: random.Random) -> Turn:
    """Steps that go on from each other, as far as they are legal; what is tried last need not be."""
    trial = state.copy()
    seat = state.seat
    steps: list[Step] = []
    for _ in range(chance.randint(1, 4)):
        offered = [action for action in trial.legal_actions() if isinstance(action, Step)]
        step = chance.choice(offered) if offered and chance.random() < 0.7 else _step(trial, chance)
        steps.append(step)
        try:
            trial.apply(seat, step)
        except IllegalAction:
            break
        if trial.decider() != seat:
            break
    if chance.random() < 0.5 and trial.decider() == seat:
        steps.append(Discard(_tile(trial, chance)))
    return Turn(tuple(steps))


def _hand(state: State) -> Hand:
    return state.hand(state.seat)


def _tile(state: State, chance: random.Random) -> int:
    """Mostly one that is held."""
    tiles = _hand(state).tiles()
    return chance.choice(tiles) if tiles and chance.random() < 0.85 else chance.randrange(53)


def _combination(hand: Hand, chance: random.Random, joker: bool = False) -> Tiles:
    """A run or a set around a tile that is held, often with tiles that are not, sometimes spoilt.

    Args:
        hand: The tiles held.
        chance: Where chance comes from.
        joker: Whether one Joker more may be used than is held.
    """
    held = [tile for tile in hand.tiles() if tile != JOKER] or [chance.randrange(52)]
    core = chance.choice(held)
    colour, number = divmod(core, 13)
    jokers = hand.jokers + joker
    tiles: list[int] = []
    if chance.random() < 0.6:
        low = max(1, number + 1 - chance.randrange(3))
        length = chance.choice((3, 3, 3, 4, 4, 5, 6, 14))
        wanted = [tile_of(colour, place) for place in range(low, min(low + length, 15))]
    else:
        wanted = [13 * other + number for other in chance.sample(range(4), chance.choice((3, 3, 4)))]
    for tile in wanted:
        if jokers and (not hand.count(tile) or chance.random() < 0.1):
            jokers -= 1
            tiles.append(JOKER)
        else:
            tiles.append(tile)
    if joker and JOKER not in tiles:
        tiles[chance.randrange(len(tiles))] = JOKER
    roll = chance.random()
    if roll < 0.05:
        tiles.pop()
    elif roll < 0.10:
        tiles.append(chance.choice(held))
    elif roll < 0.15:
        chance.shuffle(tiles)
    elif roll < 0.20:
        tiles[chance.randrange(len(tiles))] = chance.randrange(53)
    return tuple(tiles) or (core,)


def _add(state: State, chance: random.Random, hand: Hand) -> Add:
    if chance.random() < 0.7:
        fitting = [
            (index, tile)
            for index, one in enumerate(state.melds)
            for tile in sorted(set(hand.tiles()))
            if one.meld.ends_for(tile)
        ]
        if fitting:
            return Add(*chance.choice(fitting), chance.choice(ENDS))
    tile = chance.choice(hand.tiles() or [JOKER]) if chance.random() < 0.9 else chance.randrange(53)
    return Add(chance.randrange(len(state.melds) + 1), tile, chance.choice(ENDS))


def _swap(state: State, chance: random.Random) -> SwapJoker:
    jokers = [
        (index, place)
        for index, one in enumerate(state.melds)
        for place, tile in enumerate(one.meld.tiles)
        if tile == JOKER
    ]
    if not jokers or chance.random() < 0.1:
        index, place = chance.randrange(len(state.melds) + 1), chance.randrange(5)
        return SwapJoker(index, place, _tile(state, chance), _combination(_hand(state), chance, joker=True))
    index, place = chance.choice(jokers)
    tile = chance.choice(state.melds[index].meld.stands_for(place))
    hand = _hand(state).copy()
    if hand.count(tile):
        hand.remove(tile)
    if chance.random() < 0.1:
        tile = _tile(state, chance)
    return SwapJoker(index, place, tile, _combination(hand, chance, joker=chance.random() < 0.9))


def _close(state: State, chance: random.Random) -> CloseWithAtu:
    """Closing with the Atu: a combination with it, and the rest of the hand added and discarded in some way."""
    hand = _hand(state).copy()
    atu = state.atu if state.atu != NO_TILE else chance.randrange(53)
    only = Hand()
    only.add(atu)
    hand.add(atu) if hand.count(atu) < 2 else None
    melds: list[Tiles] = []
    for _ in range(chance.choice((1, 1, 2))):
        melds.append(_combination(hand if melds else _with(hand, only, chance), chance))
        for tile in melds[-1]:
            if hand.count(tile):
                hand.remove(tile)
    additions = [_add(state, chance, hand) for _ in range(chance.choice((0, 0, 1, 2)))]
    left = hand.tiles()
    discard = chance.choice([*left, chance.randrange(53)]) if chance.random() < 0.6 else None
    return CloseWithAtu(tuple(melds), tuple(additions), discard)


def _with(hand: Hand, core: Hand, chance: random.Random) -> Hand:
    """Mostly only the tiles that may go with the core, so that a combination is built around it."""
    return core if chance.random() < 0.2 else hand
