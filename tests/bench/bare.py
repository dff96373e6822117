"""A bare function that plays a round of Whist Arzoi of seven at random, and can do nothing else.

Four hands as bit masks, follow suit or trump, the highest card takes the trick, the bids are scored. It has no state to
ask or to copy, verifies nothing and tells nobody of anything: what the rules cost at the least in Python.
"""

import random

from services.table.engine.cards import SUIT_CARDS, pack_of

SEATS = 4
CARDS_EACH = 7
PACK = pack_of(8)
ACTIONS = 1 + SEATS + SEATS * CARDS_EACH


def bare_play_out(rng: random.Random) -> tuple[int, ...]:
    """Deals, bids and plays the round; returns what it brings each seat. Seat 0 deals."""
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
