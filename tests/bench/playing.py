"""The engine, a process of its own that is asked for figures. `LEVATA_ENGINE` chooses the build that it measures.

A *round* is that of `bare.py`: Whist Arzoi of seven with four players, its deal and its bids included. It is played out

- `round`: driven from Python through the hand (`legal_bids`, `bid`, `legal`, `play`), as one searches;
- `inside`: by one call of the engine for a thousand of them;
- `contract`: through the match (`legal_actions`, `apply`), as a table plays: verified, with events;
- `bare`: without the engine.

`game` plays random legal matches of any game through the contract. `solver` asks Remi's solver about random turns of
fifteen tiles late in a round.
"""

import random
import statistics
import time
from collections.abc import Callable

from services.table.engine.arzoi import whist
from services.table.engine.arzoi.actions import Choose
from services.table.engine.bidding import BiddingPlay, bidding_play
from services.table.engine.cards import SUIT_OF
from services.table.engine.chance import Generator
from services.table.engine.game import Deal, State
from services.table.engine.games import GAMES
from services.table.engine.play import deal
from services.table.engine.playouts import tally
from services.table.engine.remi.solver import Spot, best_first_meld, best_rest, closing
from tests.bench.bare import CARDS_EACH, PACK, SEATS, bare_play_out
from tests.bench.stopwatch import answer_questions, per_second
from tests.support.remi_spots import rich_spot

INSIDE = 1000
"""Play-outs of one call."""
KEPT = 40
"""Positions of a game that are copied."""
TURNS = 250
"""Turns that the solver is asked about, and as many again with both Jokers in hand."""
TILES = 15

_rng = random.Random(1)
_draw = _rng.random
_generator = Generator(1)


def new_hand() -> tuple[BiddingPlay, int]:
    """A hand dealt at random, and the turned card."""
    pack = _generator.shuffled(PACK)
    turned = pack[SEATS * CARDS_EACH]
    return bidding_play(deal(pack, SEATS, CARDS_EACH, 1), 1, SUIT_OF[turned], CARDS_EACH), turned


def play_out() -> list[int]:
    """A round, each action chosen and made from here."""
    play, _ = new_hand()
    pick = _generator.pick
    while bids := play.legal_bids():
        play.bid(pick(bids))
    while cards := play.legal():
        play.play(pick(cards))
    return [whist.points(bid, taken, CARDS_EACH, 1) for bid, taken in zip(play.bids, play.taken, strict=True)]


def play_out_inside() -> None:
    """Rounds within the engine: all hands dealt anew each time."""
    play, turned = new_hand()
    tally(play, _generator, INSIDE, [card for card in PACK if card != turned])


def match_before_the_round() -> State:
    """A match of which the whist of seven is to be dealt."""
    state: State = GAMES["arzoi"].new(GAMES["arzoi"].parse_options(""), SEATS)
    state.apply(0, Choose(CARDS_EACH))
    return state


_before = match_before_the_round()


def play_out_by_contract() -> tuple[int, ...]:
    """A round of a match."""
    state = _before.copy()
    state.apply(None, Deal(_generator.shuffled(PACK)))
    while (decision := state.decision()) is not None:
        actions = state.legal_actions()
        state.apply(decision.seat, actions[int(_draw() * len(actions))])
    return state.scores()


def copies(cpu_seconds: float) -> float:
    """Copies a second of a hand in its middle."""
    play, _ = new_hand()
    for _ in range(SEATS + 13):
        play.act_at_random(_generator)
    return per_second(play.copy, cpu_seconds)


def game(name: str, seats: int, cpu_seconds: float) -> dict[str, float]:
    """Plays random legal matches for so many seconds of CPU time.

    Returns:
        `action`: microseconds an action, deals included, with asking what is legal and choosing; the mean.
        `copy`: microseconds a copy of a match; the median over positions from all over.
    """
    rules = GAMES[name]
    state = rules.new(rules.parse_options(""), seats)
    actions = 0
    kept: list[State] = []
    asleep = 0.0
    began = time.process_time()
    while (elapsed := time.process_time() - began - asleep) < cpu_seconds:
        decision = state.decision()
        if decision is not None:
            legal = state.legal_actions()
            state.apply(decision.seat, legal[int(_draw() * len(legal))])
        elif state.needs_deal():
            state.apply(None, Deal(_generator.shuffled(state.pack())))
        else:
            state = rules.new(rules.parse_options(""), seats)
            continue
        actions += 1
        if actions % 64 == 0:
            now = time.process_time()
            kept.append(state.copy())
            if len(kept) > KEPT:
                kept.pop(_rng.randrange(len(kept)))
            asleep += time.process_time() - now
    each = max(cpu_seconds / 4 / max(len(kept), 1), 0.001)
    copied = [1e6 / per_second(one.copy, each) for one in kept or [state]]
    return {"action": 1e6 * elapsed / actions, "copy": statistics.median(copied)}


def solver() -> dict[str, list[float]]:
    """Milliseconds of CPU time that the solver takes for each turn, by question."""
    rng = random.Random(15)
    spots = [rich_spot(rng, TILES, jokers=jokers) for jokers in (False, True) for _ in range(TURNS)]
    questions: dict[str, Callable[[Spot], object]] = {
        "the best first meld": lambda spot: best_first_meld(spot.hand),
        "the best rest of a turn": best_rest,
        "whether it can close": closing,
    }
    found: dict[str, list[float]] = {}
    for question, ask in questions.items():
        found[question] = []
        for spot in spots:
            began = time.process_time()
            ask(spot)
            found[question].append(1000 * (time.process_time() - began))
    return found


def main() -> None:
    """Answers questions."""
    answer_questions(
        {
            "round": lambda cpu_seconds: per_second(play_out, cpu_seconds),
            "inside": lambda cpu_seconds: INSIDE * per_second(play_out_inside, cpu_seconds),
            "contract": lambda cpu_seconds: per_second(play_out_by_contract, cpu_seconds),
            "bare": lambda cpu_seconds: per_second(lambda: bare_play_out(_rng), cpu_seconds),
            "copies": copies,
            "game": game,
            "solver": solver,
        }
    )


if __name__ == "__main__":
    main()
