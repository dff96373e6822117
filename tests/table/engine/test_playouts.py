"""Random play-outs: legal to the last card, and the fast ones the same as the plain ones."""

import random

import pytest

from services.table.engine.arzoi.packs import SIZES
from services.table.engine.arzoi.septica import septica_play
from services.table.engine.bidding import BiddingPlay, bidding_play
from services.table.engine.cards import SUIT_CARDS, cards_of, mask_of, pack_of, parse_cards
from services.table.engine.chance import Generator
from services.table.engine.play import CardPlay, deal
from services.table.engine.playouts import play_out, tally
from services.table.engine.rentz.layout import layout_hand
from services.table.engine.rentz.subgames import PACK, Subgame
from services.table.engine.rentz.tricks import trick_hand
from services.table.engine.tricks import FollowSuit, follow_suit

MIDDLES = range(0, 40, 3)
"""How far hands are played before they are played out."""


def whist(seats: int, seed: int) -> BiddingPlay:
    """A hand of whist that is to be bid."""
    chance = random.Random(f"{seats} {seed}")
    cards_each = chance.randint(1, 8)
    pack = list(pack_of(2 * seats))
    chance.shuffle(pack)
    leader = chance.randrange(seats)
    return bidding_play(
        deal(tuple(pack), seats, cards_each, leader), leader, chance.choice((0, *SUIT_CARDS)), cards_each
    )


def totale(seats: int, seed: int) -> FollowSuit:
    """A hand without bids."""
    play = whist(seats, seed)
    return follow_suit(play.hands, play.leader, play.trump)


def hands(pack: tuple[int, ...], seats: int, cards_each: int, seed: int) -> list[int]:
    return deal(Generator(seed).shuffled(pack), seats, cards_each, 0)


def plays(seed: int) -> list[CardPlay]:
    """A hand of everything there is."""
    size = SIZES[9]
    pack = Generator(seed).shuffled(size.pack)
    return [
        whist(4, seed),
        totale(5, seed),
        septica_play(size, deal(pack, 9, 4, 0), pack[36:], 0),
        *[trick_hand(subgame, hands(PACK, 4, 8, seed), 0) for subgame in Subgame if subgame is not Subgame.RENTZ],
        layout_hand(hands(PACK, 4, 8, seed), 0),
    ]


@pytest.mark.parametrize("seed", range(10))
def test_every_play_is_played_out_with_legal_actions(seed: int) -> None:
    for play in plays(seed):
        generator = Generator(seed)
        held = sum(hand.bit_count() for hand in play.hands)
        while not play.is_over():
            if isinstance(play, BiddingPlay) and play.bidding():
                bidder, bids = play.seat, play.legal_bids()
                play.act_at_random(generator)
                assert bids >> play.bids[bidder] & 1
                continue
            seat, legal, hand = play.seat, play.legal(), play.hands[play.seat]
            copy = play.copy()
            play.act_at_random(generator)
            gone = hand & ~play.hands[seat]
            assert gone & ~legal == 0
            assert copy.hands[seat] == hand
        assert sum(hand.bit_count() for hand in play.hands) < held


def test_an_opener_of_septica_goes_on_and_leaves() -> None:
    went_on = left = 0
    for seed in range(60):
        size = SIZES[4]
        pack = Generator(seed).shuffled(size.pack)
        play = septica_play(size, deal(pack, 4, 4, 0), pack[16:], 0)
        generator = Generator(seed)
        while not play.is_over():
            deciding, tricks = play.continuing, len(play.leaders)
            play.act_at_random(generator)
            if deciding and len(play.leaders) > tricks:
                left += 1
            elif deciding:
                went_on += 1
    assert left > 20
    assert went_on > 20


@pytest.mark.parametrize("kind", [whist, totale])
@pytest.mark.parametrize("seats", range(3, 8))
def test_a_tally_counts_what_playing_out_one_by_one_brings(kind: type, seats: int) -> None:
    """With the same random numbers, from the middle of the bids, of a trick, and from the start."""
    for seed, middle in enumerate(MIDDLES):
        play = kind(seats, seed)
        moves = Generator(seed)
        for _ in range(middle):
            if not play.is_over():
                play.act_at_random(moves)
        before = play.copy()
        counted = tally(play, Generator(seed), 30)
        assert (play.hands, play.played, play.taken, play.seat) == (
            before.hands, before.played, before.taken, before.seat,
        )  # fmt: skip
        generator = Generator(seed)
        exact = [0] * seats
        taken = [[0] * len(row) for row in counted.taken]
        for _ in range(30):
            one = play.copy()
            play_out(one, generator)
            for seat in range(seats):
                taken[seat][one.taken[seat]] += 1
                if isinstance(one, BiddingPlay):
                    exact[seat] += one.bids[seat] == one.taken[seat]
        assert counted.taken == taken
        assert counted.exact == exact


def test_cards_that_a_viewer_does_not_see_are_dealt_anew() -> None:
    """The viewer's hand stays: with the four highest trumps it takes all tricks, and with none of them few."""
    pack = pack_of(8)
    strong = mask_of(parse_cards("AS KS QS JS"))
    unseen = [card for card in pack if card not in cards_of(strong)]
    play = follow_suit([mask_of(unseen[:4]), strong, mask_of(unseen[4:8]), mask_of(unseen[8:12])], 1, SUIT_CARDS[0])
    counted = tally(play, Generator(1), 500, unseen, viewer=1)
    assert counted.taken[1] == [0, 0, 0, 0, 500, 0]
    everybody = tally(play, Generator(1), 500, pack)
    tricks = [sum(number * times for number, times in enumerate(row)) for row in everybody.taken]
    assert sum(tricks) == 4 * 500
    assert all(sum(row) == 500 for row in everybody.taken)
    assert 300 < tricks[1] < 900
    assert play.hands[1] == strong


def test_a_deal_anew_leaves_everybody_as_many_cards_as_they_hold() -> None:
    """In the middle of a trick some hold one card less; all tricks are still played."""
    pack = pack_of(8)
    play = follow_suit(hands(pack, 4, 7, 5), 2, 0)
    moves = Generator(5)
    for _ in range(10):
        play.act_at_random(moves)
    hidden = [card for card in pack if not play.hands[0] >> card & 1 and card not in play.played]
    counted = tally(play, Generator(5), 200, hidden, viewer=0)
    left = sum(sum(number * times for number, times in enumerate(row)) for row in counted.taken)
    assert left == 7 * 200
