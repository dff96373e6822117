"""Remi for tests: chosen deals, moves in text, positions set up as wanted, and players that try everything."""

import random
from collections.abc import Iterable, Sequence

from services.table.engine.game import Deal, IllegalAction
from services.table.engine.remi import (
    JOKER,
    Action,
    Add,
    CloseWithAtu,
    Discard,
    Draw,
    Event,
    Lay,
    Options,
    Phase,
    State,
    SwapJoker,
    Take,
    Turn,
    UndoTake,
    meld_of,
)
from services.table.engine.remi import (
    REMI as REMI,
)
from services.table.engine.remi.melds import LaidMeld, laid
from services.table.engine.remi.tiles import Hand, hand_of, parse_tiles

NAMES = ("Ana", "Bogdan", "Călin", "Dana")


def new(seats: int = 2, rounds: int = 1) -> State:
    return REMI.new(Options(rounds), seats)


def deal_of(state: State, hands: Sequence[str] = (), turned: str = "K5", pile: str = "") -> Deal:
    """A deal that gives seat i the tiles `hands[i]`, filled up with what is left, lowest first.

    The first tiles of the pile are those of `pile`. The first player's last tile is the fifteenth, or the Joker.
    """
    atu = parse_tiles(turned)[0]
    given = [list(parse_tiles(hand)) for hand in [*hands, *[""] * (state.seats - len(hands))]]
    top = list(parse_tiles(pile))
    rest = list(state.pack())
    for tile in [atu, *top, *[tile for hand in given for tile in hand]]:
        rest.remove(tile)
    order = [(state.first + index) % state.seats for index in range(state.seats)]
    joker = atu == JOKER
    for seat in order:
        wanted = 14 + (seat == state.first) * (-1 if joker else 1)
        while len(given[seat]) < wanted:
            given[seat].append(rest.pop(0))
        assert len(given[seat]) == wanted, "too many tiles for a hand"
    fifteenth = [] if joker else [given[state.first].pop()]
    return Deal((*[tile for seat in order for tile in given[seat]], *fifteenth, *top, *rest, atu))


def dealt(hands: Sequence[str] = (), turned: str = "K5", pile: str = "", seats: int = 2, rounds: int = 1) -> State:
    """A match after such a deal."""
    state = new(seats, rounds)
    state.apply(None, deal_of(state, hands, turned, pile))
    return state


def set_up(
    hands: Sequence[str],
    melds: Iterable[str] = (),
    row: str = "",
    turned: str = "K5",
    pile: str = "",
    seat: int = 0,
    melded: Sequence[int] = (),
    phase: Phase = Phase.DRAW,
    rounds: int = 1,
) -> State:
    """A position in the middle of a round.

    Args:
        hands: The tiles of each seat.
        melds: Combinations on the table, each as the seat that laid it and its tiles: `0: R5 R6 R7`.
        row: The discard row.
        turned: The tile that was turned up.
        pile: The next tiles of the pile. Below them lies what is left of the pack.
        seat: The seat at turn.
        melded: The seats that have melded.
        phase: What it has to do.
        rounds: Rounds of the match.
    """
    state = new(len(hands), rounds)
    state.turned = parse_tiles(turned)[0]
    state.hands = [hand_of(parse_tiles(hand)) for hand in hands]
    state.melds = tuple([_laid(text) for text in melds])
    state.row = parse_tiles(row)
    state.melded = tuple([index in melded for index in range(len(hands))])
    rest = list(state.pack())
    seen = [tile for hand in state.hands for tile in hand.tiles()]
    seen.extend([*state.row, *[tile for one in state.melds for tile in one.meld.tiles], *parse_tiles(pile)])
    if state.turned != JOKER:
        seen.append(state.turned)
    for tile in seen:
        rest.remove(tile)
    state.stock = (*parse_tiles(pile), *rest)
    state.phase = phase
    state.seat = seat
    state.turns = len(hands) * 3 + (seat - state.first) % len(hands)
    return state


def _laid(text: str) -> LaidMeld:
    seat, tiles = text.split(":")
    return laid(meld_of(parse_tiles(tiles)), int(seat))


def act(text: str) -> Action:
    action = REMI.parse_action(text)
    assert not isinstance(action, Deal)
    return action


def do(state: State, *moves: str) -> list[Event]:
    """Whoever has to decide makes these moves, given in text; what happened."""
    events: list[Event] = []
    for move in moves:
        events.extend(state.apply(state.decider(), act(move)))
    return events


def refusal(state: State, move: str | Action, seat: int | None = None) -> tuple[str, str]:
    """Reason and rule of the refusal of a move, which has to be refused and to change nothing."""
    before = state.copy()
    action = act(move) if isinstance(move, str) else move
    try:
        state.apply(state.decider() if seat is None else seat, action)
    except IllegalAction as error:
        assert state == before
        return error.reason, error.rule
    raise AssertionError(f"{move} was not refused")


def can(state: State, move: str | Action) -> bool:
    """Whether whoever has to decide may make a move."""
    try:
        state.verify(state.decider(), act(move) if isinstance(move, str) else move)
    except IllegalAction:
        return False
    return True


def texts(actions: Iterable[Action]) -> list[str]:
    return [REMI.action_text(action) for action in actions]


def legal(state: State) -> list[str]:
    return texts(state.legal_actions())


def held(state: State, seat: int) -> list[int]:
    return state.hand(seat).tiles()


def hand(text: str) -> Hand:
    return hand_of(parse_tiles(text))


def lucky_deal(state: State, chance: random.Random, turned: str = "") -> Deal:
    """A random deal in which hands go together well: everybody gets some runs and sets, and the Jokers are among them.

    Args:
        state: The match.
        chance: Where chance comes from.
        turned: The tile that is turned up; any if empty.
    """
    pack = list(state.pack())
    chance.shuffle(pack)
    atu = parse_tiles(turned)[0] if turned else pack[-1]
    pack.remove(atu)
    hands: list[list[int]] = [[] for _ in range(state.seats)]
    for own in hands:
        for _ in range(chance.randint(1, 4)):
            colour, low = chance.randrange(4), chance.randint(1, 11)
            run = [colour * 13 + (low + step - 1) % 13 for step in range(chance.randint(3, 5))]
            wanted = run if chance.random() < 0.6 else [13 * each + low - 1 for each in range(3)]
            for tile in wanted:
                if tile in pack and len(own) < 13:
                    pack.remove(tile)
                    own.append(tile)
        if JOKER in pack and chance.random() < 0.5 and len(own) < 13:
            pack.remove(JOKER)
            own.append(JOKER)
    for index, own in enumerate(hands):
        wanted_tiles = 13 if atu == JOKER and index == 0 else 14
        while len(own) < wanted_tiles:
            own.append(pack.pop())
        chance.shuffle(own)
    return Deal((*[tile for own in hands for tile in own], *pack, atu))


def lively(state: State, chance: random.Random) -> Action:
    """An action of a player who lays, adds, swaps, takes and undoes whenever there is something to.

    It chooses a kind of action first, so that the many discards do not drown the rest.
    """
    weights = {Draw: 2.0, Take: 3.0, UndoTake: 0.6, Lay: 5.0, Add: 3.0, SwapJoker: 6.0, Turn: 2.0, Discard: 1.0}
    kinds: dict[type, list[Action]] = {}
    for action in state.legal_actions():
        kinds.setdefault(type(action), []).append(action)
    if CloseWithAtu in kinds:
        return kinds[CloseWithAtu][0]
    for turn in kinds.get(Turn, []):
        trial = state.copy()
        trial.apply(trial.seat, turn)
        if len(trial.rows) > len(state.rows) and chance.random() < 0.7:
            return turn
    chosen = chance.choices(list(kinds), [weights.get(kind, 4.0) for kind in kinds])[0]
    return chance.choice(kinds[chosen])
