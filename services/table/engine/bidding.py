"""Bidding tricks, then playing them: what games that do so share.

Everybody bids once, in turn. The last one may not make the sum of the bids equal to the number of tricks.
"""

from dataclasses import dataclass
from typing import ClassVar, Final, NamedTuple

from services.table.engine.cards import BIT, TEXT, cards_of
from services.table.engine.chance import Generator
from services.table.engine.match import EventT, TrickMatch
from services.table.engine.native import i64
from services.table.engine.tricks import FollowSuit


@dataclass(frozen=True, slots=True)
class Bid:
    """Bid so many tricks."""

    tricks: int


BIDS: Final[tuple[Bid, ...]] = tuple([Bid(tricks) for tricks in range(9)])
"""Every bid there is, by its number of tricks."""


class BiddingPlay(FollowSuit):
    """A hand in which everybody bids and then plays. As long as somebody has to bid, `seat` is the seat to bid.

    Enough in itself for searching:

        while bids := play.legal_bids():
            play.bid(...)
        while cards := play.legal():
            play.play(...)

    Attributes:
        cards_each: Cards each, so the tricks there are.
        bids: The bid of each seat; -1 before it is made.
        bids_made: Bids made so far.
        bid_sum: Their sum.
    """

    __slots__ = ("bid_sum", "bids", "bids_made", "cards_each")

    cards_each: i64
    bids: list[int]
    bids_made: i64
    bid_sum: i64

    def _begin_bids(self, hands: list[int], leader: int, trump: int, cards_each: int) -> None:
        self._begin_suits(hands, leader, trump)
        self.cards_each = cards_each
        self.bids = [-1] * len(hands)
        self.bids_made = 0
        self.bid_sum = 0

    def copy(self) -> "BiddingPlay":
        """An independent copy."""
        copy = BiddingPlay()
        self._copy_suits(copy)
        copy.cards_each = self.cards_each
        copy.bids = self.bids[:]
        copy.bids_made = self.bids_made
        copy.bid_sum = self.bid_sum
        return copy

    def bidding(self) -> bool:
        """Whether somebody has to bid."""
        return self.bids_made < self.seats

    def forbidden_bid(self) -> int:
        """The bid that the seat to bid may not make; -1 if there is none."""
        if self.bids_made != self.seats - 1 or self.bid_sum > self.cards_each:
            return -1
        return self.cards_each - self.bid_sum

    def legal_bids(self) -> int:
        """The bids that the seat to bid may make, bit n for n tricks; 0 when all have bid."""
        if self.bids_made >= self.seats:
            return 0
        every: i64 = BIT[self.cards_each + 1] - 1
        forbidden = self.forbidden_bid()
        return every if forbidden < 0 else every ^ BIT[forbidden]

    def bid(self, tricks: int) -> None:
        """The seat to bid bids so many tricks. When all have bid, it is the leader's turn to play."""
        seat = self.seat
        self.bids[seat] = tricks
        self.bids_made += 1
        self.bid_sum += tricks
        seat += 1
        self.seat = seat if seat < self.seats else 0

    def act_at_random(self, generator: Generator) -> None:
        """The seat whose turn it is does one of the things that it may do, all equally likely."""
        if self.bidding():
            self.bid(generator.pick(self.legal_bids()))
        else:
            self.play(generator.pick(self.legal()))


def bidding_play(hands: list[int], leader: int, trump: int, cards_each: int) -> BiddingPlay:
    """The hand in which these hands, which become its own, are bid and played.

    Args:
        hands: The cards of each seat, as masks.
        leader: The seat that bids and leads first.
        trump: The mask of the trump suit; 0 to play without.
        cards_each: Cards each.
    """
    play = BiddingPlay()
    play._begin_bids(hands, leader, trump, cards_each)
    return play


class BidStatements(NamedTuple):
    """The statements of a game's rules that refusals of bids rest on.

    Attributes:
        bid: What may be bid, and when.
        last: What the last one may not bid.
    """

    bid: str
    last: str


class BiddingMatch(TrickMatch[EventT]):
    """A match of a game in which tricks are bid."""

    __slots__ = ()

    BID_STATEMENTS: ClassVar[BidStatements]

    def bidding_play(self) -> BiddingPlay | None:
        """The hand that is bid or played; None where there is none with bids."""
        raise NotImplementedError

    @property
    def bids(self) -> tuple[int, ...]:
        """The bid of each seat; -1 before it is made."""
        play = self.bidding_play()
        return (-1,) * self.seats if play is None else tuple(play.bids)

    @property
    def bids_made(self) -> int:
        """Bids made in this hand."""
        play = self.bidding_play()
        return 0 if play is None else play.bids_made

    @property
    def bid_sum(self) -> int:
        """Their sum."""
        play = self.bidding_play()
        return 0 if play is None else play.bid_sum

    @property
    def overbid(self) -> bool | None:
        """Whether more tricks were bid than there are; None before all have bid, and where there are no bids."""
        play = self.bidding_play()
        return None if play is None or play.bidding() else play.bid_sum > play.cards_each

    def headline_end_with(self, trump_card: int) -> list[str]:
        """The last words of `headline`: the turned card (-1 for none), the bids, and those of every game of tricks."""
        words: list[str] = []
        if trump_card >= 0:
            words.append(f"trump card {TEXT[trump_card]}")
        if self.bids_made:
            words.append("bids " + " ".join(["-" if bid < 0 else str(bid) for bid in self.bids]))
        return words + self.headline_end()

    def forbidden_bid(self) -> int:
        """The bid that the seat to bid may not make; -1 if there is none."""
        play = self.bidding_play()
        return -1 if play is None else play.forbidden_bid()

    def legal_bids(self) -> list[Bid]:
        """The bids that the seat to bid may make, ascending; none when nobody has to bid."""
        play = self.bidding_play()
        return [] if play is None else [BIDS[tricks] for tricks in cards_of(play.legal_bids())]

    def _verify_bid(self, tricks: int) -> None:
        play = self.bidding_play()
        if play is None or not play.bidding():
            raise self._wrong_phase(self.BID_STATEMENTS.bid)
        cards = play.cards_each
        if not 0 <= tricks <= cards:
            raise self._illegal("BID_OUT_OF_RANGE", self.BID_STATEMENTS.bid, f"a bid is 0 to {cards}, not {tricks}")
        if tricks == play.forbidden_bid():
            raise self._illegal("BID_FORBIDDEN", self.BID_STATEMENTS.last, f"the last bid may not make the sum {cards}")
