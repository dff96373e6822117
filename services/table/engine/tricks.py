"""Trick-taking play: whose turn it is, which cards may be played, who takes the trick.

`TrickPlay` is what all trick games share; `FollowSuit` plays by the rule of following suit and, where there is a trump,
of having to trump. It serves every game with that rule.
"""

from collections.abc import Hashable
from typing import NamedTuple

from services.table.engine.cards import ALL_CARDS, BIT, HIGHER, SUIT_OF, TEXT
from services.table.engine.game import IllegalAction
from services.table.engine.native import i64
from services.table.engine.play import CardPlay


class Trick(NamedTuple):
    """A trick that was taken.

    Attributes:
        leader: The seat that played the first card; card i is of seat (leader + i) mod seats.
        cards: Its cards in the order played.
        taker: The seat that took it.
    """

    leader: int
    cards: tuple[int, ...]
    taker: int


class TrickPlay(CardPlay):
    """Trick-taking play in progress.

    Attributes:
        leader: The seat that leads, or led, the present trick.
        holder: The seat that would take the trick as it lies; meaningful while a card lies.
        taken: Tricks taken by each seat.
        played: All cards played so far, oldest first.
        leaders: The leader of each trick that was taken, oldest first.
    """

    __slots__ = ("holder", "leader", "leaders", "played", "taken")

    leader: i64
    holder: i64
    taken: list[int]
    played: list[int]
    leaders: list[int]

    def _begin_tricks(self, hands: list[int], leader: int) -> None:
        self.seats = len(hands)
        self.hands = hands
        self.seat = leader
        self.leader = leader
        self.holder = leader
        self.taken = [0] * len(hands)
        self.played = []
        self.leaders = []

    def _copy_tricks(self, copy: "TrickPlay") -> None:
        copy.seats = self.seats
        copy.hands = self.hands[:]
        copy.seat = self.seat
        copy.leader = self.leader
        copy.holder = self.holder
        copy.taken = self.taken[:]
        copy.played = self.played[:]
        copy.leaders = self.leaders[:]

    def start_of(self, trick: int) -> int:
        """How many cards had been played when a trick began; tricks count from 0."""
        return trick * self.seats

    def course(self) -> tuple[Hashable, ...]:
        """All that everybody has seen of the play, as one value."""
        return (self.leader, self.seat, tuple(self.played), tuple(self.leaders))

    @property
    def trick(self) -> list[int]:
        """Cards on the table in the order played."""
        return self.played[self.start_of(len(self.leaders)) :]

    @property
    def history(self) -> tuple[Trick, ...]:
        """All tricks taken, oldest first."""
        return tuple([self._taken_trick(number) for number in range(len(self.leaders))])

    def last_trick(self) -> Trick:
        """The trick that was taken last. There must be one."""
        return self._taken_trick(len(self.leaders) - 1)

    def _taken_trick(self, number: int) -> Trick:
        leaders = self.leaders
        taker = leaders[number + 1] if number + 1 < len(leaders) else self.leader
        cards = self.played[self.start_of(number) : self.start_of(number + 1)]
        return Trick(leaders[number], tuple(cards), taker)


class FollowSuit(TrickPlay):
    """Play in which suit has to be followed and, without the suit, trumped (AZ-17 to AZ-20).

    The leader may play anything. The others play the suit led; without it a trump; with neither, anything. Nobody has
    to play higher than what lies (GAP-A27). The highest trump takes the trick, without one the highest card of the
    suit led; the taker leads the next.

    Attributes:
        trump: The mask of the trump suit; 0 to play without trump (AZ-32).
        led: The mask of the suit led; every card while none lies.
        beats: The cards that would take the trick from its holder; meaningful while a card lies.
    """

    __slots__ = ("beats", "led", "trump")

    trump: i64
    led: i64
    beats: i64

    def _begin_suits(self, hands: list[int], leader: int, trump: int) -> None:
        self._begin_tricks(hands, leader)
        self.trump = trump
        self.led = ALL_CARDS
        self.beats = 0

    def _copy_suits(self, copy: "FollowSuit") -> None:
        self._copy_tricks(copy)
        copy.trump = self.trump
        copy.led = self.led
        copy.beats = self.beats

    def copy(self) -> "FollowSuit":
        """An independent copy."""
        copy = FollowSuit()
        self._copy_suits(copy)
        return copy

    def legal(self) -> int:
        """The cards that the seat to play may play, as a mask; 0 when all have been played."""
        hand: i64 = self.hands[self.seat]
        return hand & self.led or hand & self.trump or hand

    def _objection_to_held(self, card: int, rule: str, headline: str) -> IllegalAction:
        """The refusal of a card that the seat to play holds."""
        text, seat = TEXT[card], self.seat
        if self.hands[seat] & self.led:
            return IllegalAction(
                "MUST_FOLLOW_SUIT", rule, f"{text} is not of the suit led, which seat {seat} holds [{headline}]"
            )
        return IllegalAction(
            "MUST_TRUMP", rule, f"{text} is no trump, and seat {seat} holds one but not the suit led [{headline}]"
        )

    def play(self, card: int) -> int:
        """The seat to play plays `card`; returns the seat that took the trick with it, or -1."""
        seat = self.seat
        bit: i64 = BIT[card]
        hands = self.hands
        hand: i64 = hands[seat]
        hands[seat] = hand ^ bit
        self.played.append(card)
        if seat == self.leader:
            self.led = SUIT_OF[card]
            self.holder = seat
            self.beats = HIGHER[card] if bit & self.trump else HIGHER[card] | self.trump
        elif bit & self.beats:
            self.holder = seat
            self.beats = HIGHER[card] if bit & self.trump else HIGHER[card] | self.trump
        seat += 1
        if seat == self.seats:
            seat = 0
        if seat != self.leader:
            self.seat = seat
            return -1
        taker = self.holder
        self.taken[taker] += 1
        self.leaders.append(seat)
        self.led = ALL_CARDS
        self.leader = taker
        self.seat = taker
        return taker


def follow_suit(hands: list[int], leader: int, trump: int) -> FollowSuit:
    """The play of these hands, which become its own.

    Args:
        hands: The cards of each seat, as masks.
        leader: The seat that leads first.
        trump: The mask of the trump suit; 0 to play without.
    """
    play = FollowSuit()
    play._begin_suits(hands, leader, trump)
    return play
