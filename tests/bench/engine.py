"""Random play-outs of a round of Whist Arzoi on the engine, beside a bare function that plays the same round.

The bare function knows that one round and no more: four hands as bit masks, follow suit or trump, the highest card
takes the trick, the bids are scored. It has no state to ask or to copy, verifies nothing and tells nobody of anything.
Beside the copy of a state stands that of four short lists.
"""

import random
import statistics
import time
from collections.abc import Callable
from typing import Any

from services.table.engine.arzoi.actions import Choose
from services.table.engine.arzoi.options import Options
from services.table.engine.cards import SUIT_CARDS, pack_of
from services.table.engine.game import Deal
from services.table.engine.games import GAMES
from tests.bench.report import Row, Section

SEATS = 4
CARDS_EACH = 7
ACTIONS = 1 + SEATS + SEATS * CARDS_EACH
PACK = pack_of(8)


def whist_round() -> Any:
    """A match of four whose first player has chosen the whist of seven: the deal is due."""
    state = GAMES["arzoi"].new(Options(), SEATS)
    state.apply(0, Choose(CARDS_EACH))
    return state


def play_out(start: Any, rng: random.Random) -> tuple[int, ...]:
    """Deals and plays a round with random legal actions; returns the scores."""
    state = start.copy()
    pack = list(PACK)
    rng.shuffle(pack)
    state.apply(None, Deal(tuple(pack)))
    draw = rng.random
    while (decision := state.decision()) is not None:
        legal = state.legal_actions()
        state.apply(decision.seat, legal[int(draw() * len(legal))])
    scores: tuple[int, ...] = state.scores()
    return scores


def bare_play_out(rng: random.Random) -> tuple[int, ...]:
    """The same round without an engine; seat 0 deals."""
    pack = list(PACK)
    rng.shuffle(pack)
    draw = rng.random
    hands = [0] * SEATS
    for place in range(SEATS * CARDS_EACH):
        hands[(place + 1) % SEATS] |= 1 << pack[place]
    trumps = SUIT_CARDS[pack[SEATS * CARDS_EACH] // 14]
    bids = [0] * SEATS
    for place in range(SEATS):
        choices = list(range(CARDS_EACH + 1))
        if place == SEATS - 1 and sum(bids) <= CARDS_EACH:
            choices.remove(CARDS_EACH - sum(bids))
        bids[(place + 1) % SEATS] = choices[int(draw() * len(choices))]
    tricks = [0] * SEATS
    leader = 1
    for _ in range(CARDS_EACH):
        led = winning_suit = best = 0
        taker = leader
        for place in range(SEATS):
            seat = (leader + place) % SEATS
            hand = hands[seat]
            legal = (hand & led or hand & trumps or hand) if place else hand
            cards = []
            while legal:
                lowest = legal & -legal
                cards.append(lowest)
                legal ^= lowest
            card = cards[int(draw() * len(cards))]
            hands[seat] = hand ^ card
            if not place:
                led = winning_suit = next(suit for suit in SUIT_CARDS if suit & card)
                best = card
            elif card & winning_suit:
                if card < best:
                    best, taker = card, seat
            elif card & trumps:
                best, taker, winning_suit = card, seat, trumps
        tricks[taker] += 1
        leader = taker
    return tuple(
        5 + bid + (10 if bid == made == CARDS_EACH else 0) if bid == made else -abs(bid - made)
        for bid, made in zip(bids, tricks, strict=True)
    )


def measure(turns: int, seconds: float) -> Section:
    """Measures both in turns of so many CPU seconds."""
    start = whist_round()
    middle = start.copy()
    rng = random.Random(1)
    middle.apply(None, Deal(PACK))
    for _ in range(SEATS + 9):
        decision = middle.decision()
        assert decision is not None
        middle.apply(decision.seat, rng.choice(middle.legal_actions()))
    position = [[1, 2, 3, 4], [0, 1, 2, 3], [0, 0, 0, 1], [5, 6], 1, 0, 3, 7]
    ours: list[float] = []
    bare: list[float] = []
    copies: list[float] = []
    bare_copies: list[float] = []
    for _ in range(turns):
        bare.append(_per_second(lambda: bare_play_out(rng), seconds))
        ours.append(_per_second(lambda: play_out(start, rng), seconds))
        copies.append(_per_second(middle.copy, seconds / 4))
        bare_copies.append(_per_second(lambda: [x[:] if isinstance(x, list) else x for x in position], seconds / 4))
    rate, floor = statistics.median(ours), statistics.median(bare)
    return Section(
        "engine: a round of Whist Arzoi, 4 players, 7 cards each, random legal actions",
        [
            Row("play-outs per CPU second, deal included", rate, floor, "/s"),
            Row("microseconds an action", 1e6 / rate / ACTIONS, 1e6 / floor / ACTIONS, "µs"),
            Row(
                "microseconds a copy in mid-round",
                1e6 / statistics.median(copies), 1e6 / statistics.median(bare_copies), "µs",
            ),
        ],
        ["floor: one bare function that plays this round only, without state, checks and events"],
    )  # fmt: skip


def _per_second(work: Callable[[], object], seconds: float) -> float:
    """How often `work` can be done in a second of this process's CPU time."""
    done, batch = 0, 1
    began = time.process_time()
    while (elapsed := time.process_time() - began) < seconds:
        for _ in range(batch):
            work()
        done += batch
        batch = min(batch * 2, 256)
    return done / elapsed
