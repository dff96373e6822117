"""Play-outs: hands played to the end with random legal actions, for whoever searches.

`play_out` finishes any play of cards. `tally` finishes one with tricks many times over and counts what came of it: one
loop on machine integers, without a call or an object for a card, and by far the fastest way to play.
"""

from collections.abc import Sequence
from typing import NamedTuple, final

from services.table.engine.bidding import BiddingPlay
from services.table.engine.cards import ALL_CARDS, BIT, count, suit_of
from services.table.engine.chance import Generator
from services.table.engine.native import i64
from services.table.engine.play import CardPlay
from services.table.engine.tricks import FollowSuit


class Tally(NamedTuple):
    """What came of many play-outs.

    Attributes:
        taken: For each seat, how often it ended with so many tricks: `taken[seat][tricks]`.
        exact: For each seat, how often those were as many as it had bid; 0 where nothing is bid.
    """

    taken: list[list[int]]
    exact: list[int]


def play_out(play: CardPlay, generator: Generator) -> None:
    """Plays a hand to its end, bids still to be made included; at each step all legal actions are equally likely."""
    while not play.is_over():
        play.act_at_random(generator)


@final
class _Player:
    """A seat in `tally`: a link of the ring of players, with what it had at the start and what it has now."""

    __slots__ = ("bid", "cards", "first_bid", "first_cards", "first_taken", "next", "size", "taken")

    def __init__(self, cards: i64, taken: i64) -> None:
        self.first_cards: i64 = cards
        self.first_taken: i64 = taken
        self.first_bid: i64 = -1
        self.size: i64 = count(cards)
        self.next: _Player = self
        self.begin_again()

    def begin_again(self) -> None:
        """Has what it had at the start."""
        self.cards: i64 = self.first_cards
        self.taken: i64 = self.first_taken
        self.bid: i64 = self.first_bid


def tally(play: FollowSuit, generator: Generator, times: int, unseen: Sequence[int] = (), viewer: int = -1) -> Tally:
    """Plays a hand to its end so many times, as `play_out` would, and counts. `play` itself stays as it is.

    Args:
        play: The hand as it stands; with the bids still to be made, if it is a `BiddingPlay`.
        generator: Where the random numbers come from.
        times: How often.
        unseen: The cards that `viewer` does not see: those in the other hands, and those that were not dealt. They are
            dealt anew before each time, to each seat as many as it holds. Empty: the hands stay as they are.
        viewer: Whose hand stays as it is; -1 for nobody's.
    """
    seats = play.seats
    players = [_Player(play.hands[seat], play.taken[seat]) for seat in range(seats)]
    for seat in range(seats):
        players[seat].next = players[(seat + 1) % seats]
    tricks = 1 + max([player.first_taken + player.size for player in players])
    taken = [[0] * (tricks + 1) for _ in players]
    exact = [0] * seats
    leader = players[play.leader]
    starter = bidder = players[play.seat]
    bids_left: i64 = 0
    bid_sum: i64 = 0
    cards_each: i64 = 0
    if isinstance(play, BiddingPlay):
        for seat in range(seats):
            players[seat].first_bid = play.bids[seat]
        if play.bidding():
            starter = leader
            bids_left = seats - play.bids_made
            bid_sum = play.bid_sum
            cards_each = play.cards_each
    pool = list(unseen)
    for _ in range(times):
        for player in players:
            player.begin_again()
        if pool:
            _deal(players, pool, viewer, generator)
        if bids_left > 0:
            _bid(bidder, bids_left, bid_sum, cards_each, generator)
        _play(leader, starter, players[play.holder], play.led, play.beats, play.trump, generator)
        for seat in range(seats):
            player = players[seat]
            taken[seat][player.taken] += 1
            if player.taken == player.bid:
                exact[seat] += 1
    return Tally(taken, exact)


def _deal(players: list[_Player], pool: list[int], viewer: int, generator: Generator) -> None:
    """Deals the cards of the pool anew to all but the viewer, to each as many as it held at the start."""
    left: i64 = len(pool)
    for seat in range(len(players)):
        if seat == viewer:
            continue
        player = players[seat]
        cards: i64 = 0
        for _ in range(player.size):
            place = generator.below(left)
            left -= 1
            card = pool[place]
            pool[place] = pool[left]
            pool[left] = card
            cards |= BIT[card]
        player.cards = cards


def _bid(player: _Player, left: i64, bid_sum: i64, cards_each: i64, generator: Generator) -> None:
    """The players from this one on bid; the last may not make the sum equal to the tricks."""
    while left > 1:
        player.bid = generator.below(cards_each + 1)
        bid_sum += player.bid
        player = player.next
        left -= 1
    if bid_sum > cards_each:
        player.bid = generator.below(cards_each + 1)
        return
    bid = generator.below(cards_each)
    player.bid = bid if bid < cards_each - bid_sum else bid + 1


def _play(
    leader: _Player, player: _Player, holder: _Player, led: i64, beats: i64, trump: i64, generator: Generator
) -> None:
    """Plays all cards; the rules are those of `FollowSuit`, in terms of masks of one card instead of cards."""
    while True:
        hand = player.cards
        cards = hand & led
        if cards == 0:
            cards = hand & trump
            if cards == 0:
                cards = hand
                if cards == 0:
                    return
        for _ in range(generator.below(count(cards))):
            cards &= cards - 1
        card = cards & -cards
        player.cards = hand ^ card
        if player is leader:
            led = suit_of(card)
            holder = player
            beats = led & card - 1
            if led != trump:
                beats |= trump
        elif card & beats != 0:
            holder = player
            beats = trump & card - 1 if card & trump != 0 else led & card - 1 | trump
        player = player.next
        if player is leader:
            holder.taken += 1
            leader = holder
            player = holder
            led = ALL_CARDS
