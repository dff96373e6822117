"""Trick-taking play: whose turn it is, which cards may be played, who takes the trick.

`TrickPlay` is what all trick games share; `FollowSuit` plays by the rule of following suit and, where there is a trump,
of having to trump. It serves every game with that rule.
"""

from typing import NamedTuple

from services.table.engine.cards import BIT, HIGHER, SUIT_OF, TEXT
from services.table.engine.game import IllegalAction
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
        trick: Cards on the table in the order played.
        holder: The seat that would take the trick as it lies; meaningful if `trick` is not empty.
        taken: Tricks taken by each seat.
        history: All tricks taken, oldest first.
    """

    __slots__ = ("history", "holder", "leader", "taken", "trick")

    def __init__(self, hands: list[int], leader: int) -> None:
        super().__init__(hands, leader)
        self.leader: int = leader
        self.trick: list[int] = []
        self.holder: int = leader
        self.taken: list[int] = [0] * len(hands)
        self.history: tuple[Trick, ...] = ()

    def copy_into(self, copy: "TrickPlay") -> None:
        """Makes `copy` equal to this in all that trick games share."""
        copy.leader = self.leader
        copy.seat = self.seat
        copy.trick = self.trick[:]
        copy.holder = self.holder
        copy.taken = self.taken[:]
        copy.history = self.history


class FollowSuit(TrickPlay):
    """Play in which suit has to be followed and, without the suit, trumped (AZ-17 to AZ-20).

    The leader may play anything. The others play the suit led; without it a trump; with neither, anything. Nobody has
    to play higher than what lies (GAP-A27). The highest trump takes the trick, without one the highest card of the
    suit led; the taker leads the next.

    Attributes:
        trump: The mask of the trump suit; 0 to play without trump (AZ-32).
        led: The mask of the suit led; 0 while no card lies.
        beats: The cards that would take the trick from its holder.
    """

    __slots__ = ("beats", "led", "trump")

    def __init__(self, hands: list[int], leader: int, trump: int) -> None:
        super().__init__(hands, leader)
        self.trump: int = trump
        self.led: int = 0
        self.beats: int = 0

    def copy(self) -> "FollowSuit":
        """An independent copy."""
        copy = FollowSuit(self.hands[:], self.leader, self.trump)
        self.copy_into(copy)
        copy.led = self.led
        copy.beats = self.beats
        return copy

    def legal(self) -> int:
        """The cards that the seat to play may play, as a mask."""
        hand = self.hands[self.seat]
        if not self.led:
            return hand
        following = hand & self.led
        if following:
            return following
        trumping = hand & self.trump
        return trumping if trumping else hand

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
        bit = BIT[card]
        trick = self.trick
        self.hands[seat] ^= bit
        trick.append(card)
        if not self.led:
            self.led = SUIT_OF[card]
            self.holder = seat
            self.beats = HIGHER[card] if bit & self.trump else HIGHER[card] | self.trump
        elif bit & self.beats:
            self.holder = seat
            self.beats = HIGHER[card] if bit & self.trump else HIGHER[card] | self.trump
        if len(trick) < self.seats:
            seat += 1
            self.seat = seat if seat < self.seats else 0
            return -1
        taker = self.holder
        self.taken[taker] += 1
        self.history += (Trick(self.leader, tuple(trick), taker),)
        self.trick = []
        self.led = 0
        self.leader = taker
        self.seat = taker
        return taker
