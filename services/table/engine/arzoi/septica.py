"""Septica Arzoi: play in teams with cutting cards, refilled from a stock (AZ-36 to AZ-46)."""

from collections.abc import Hashable, Sequence
from typing import Final

from services.table.engine.arzoi.packs import Size
from services.table.engine.cards import BIT, RANK_OF, TEXT, count
from services.table.engine.chance import Generator
from services.table.engine.game import IllegalAction
from services.table.engine.native import i64
from services.table.engine.tricks import TrickPlay

HAND: Final = 4
"""Cards that everyone holds (AZ-39)."""
WIN: Final = 5
PIELE: Final = 10
LOSS: Final = -1


class SepticaPlay(TrickPlay):
    """A hand of Septica.

    Any card may be played (AZ-39). The trick goes to the last who played a card of the rank of the very first card
    (GAP-A19) or a cutting card (AZ-40). After each full circle of cards the opener may go on, if another seat holds the
    trick and a fitting card is in hand (AZ-41, GAP-A18); otherwise the trick ends by itself.

    Attributes:
        size: The row of AZ-4.
        stock: The cards that were left after the deal, front first. Hidden from everybody.
        drawn: How many of them have been drawn.
        refills: Who took the trick before each refill, and how many circles of one card each were drawn.
        fitting: The cards that take the present trick; 0 while no card lies.
        continuing: The opener decides whether to go on or to leave.
        starts: How many cards had been played when each trick began, the present one included.
    """

    __slots__ = ("continuing", "drawn", "fitting", "refills", "size", "starts", "stock")

    size: Size
    stock: tuple[int, ...]
    drawn: i64
    refills: tuple[tuple[int, int], ...]
    fitting: i64
    continuing: bool
    starts: list[int]

    def _begin(self, size: Size, hands: list[int], stock: tuple[int, ...], leader: int) -> None:
        self._begin_tricks(hands, leader)
        self.size = size
        self.stock = stock
        self.drawn = 0
        self.refills = ()
        self.fitting = 0
        self.continuing = False
        self.starts = [0]

    def copy(self) -> "SepticaPlay":
        """An independent copy."""
        copy = SepticaPlay()
        self._copy_tricks(copy)
        copy.size = self.size
        copy.stock = self.stock
        copy.drawn = self.drawn
        copy.refills = self.refills
        copy.fitting = self.fitting
        copy.continuing = self.continuing
        copy.starts = self.starts[:]
        return copy

    def start_of(self, trick: int) -> int:
        """How many cards had been played when a trick began; tricks count from 0."""
        return self.starts[trick]

    def course(self) -> tuple[Hashable, ...]:
        """All that everybody has seen of the play, as one value."""
        return (*super().course(), tuple(self.starts), self.refills)

    def legal(self) -> int:
        """The cards that the seat to play may play, as a mask: all, or the fitting ones for an opener who goes on."""
        hand = self.hands[self.seat]
        return hand & self.fitting if self.continuing else hand

    def play(self, card: int) -> int:
        """The seat to play plays `card`; returns the seat that took the trick with it, or -1."""
        seat = self.seat
        self.hands[seat] ^= BIT[card]
        self.continuing = False
        if len(self.played) == self.starts[-1]:
            self.fitting = RANK_OF[card] | self.size.cutters
        self.played.append(card)
        if BIT[card] & self.fitting:
            self.holder = seat
        self.seat = (seat + 1) % self.seats
        if self.seat != self.leader:
            return -1
        if self.holder != self.leader and self.hands[self.leader] & self.fitting:
            self.continuing = True
            return -1
        return self.take()

    def _objection_to_held(self, card: int, rule: str, headline: str) -> IllegalAction:
        """The refusal of a card that the opener holds and cannot go on with (AZ-41)."""
        text = f"{TEXT[card]} neither cuts nor has the rank of the first card"
        return IllegalAction("CANNOT_CONTINUE", "AZ-41", f"{text} [{headline}]")

    def act_at_random(self, generator: Generator) -> None:
        """The seat whose turn it is does one of the things that it may do, all equally likely; leaving is one."""
        cards = self.legal()
        if self.continuing and generator.below(count(cards) + 1) == 0:
            self.take()
        else:
            self.play(generator.pick(cards))

    def take(self) -> int:
        """Ends the trick and refills the hands; returns the seat that took it.

        Hands are refilled in complete circles of one card each, from the taker on, up to four cards (AZ-42, GAP-A15).
        """
        taker = self.holder
        self.taken[taker] += 1
        self.leaders.append(self.leader)
        circles = min(len(self.played) - self.starts[-1], len(self.stock) - self.drawn) // self.seats
        self.starts.append(len(self.played))
        self.fitting = 0
        self.continuing = False
        self.leader = taker
        self.seat = taker
        if circles:
            self.refills += ((taker, circles),)
            for _ in range(circles):
                for offset in range(self.seats):
                    self.hands[(taker + offset) % self.seats] |= BIT[self.stock[self.drawn]]
                    self.drawn += 1
        return taker

    def to_draw(self) -> int:
        """Cards that will still be drawn from the stock: those of complete circles (GAP-A15)."""
        left = len(self.stock) - self.drawn
        return left - left % self.seats

    def set_aside(self) -> int:
        """Cards that nobody will ever see (GAP-A15)."""
        return len(self.stock) % self.seats

    def drawn_by(self, seat: int) -> tuple[int, ...]:
        """The cards that `seat` has drawn from the stock, in order; only that seat may know them."""
        cards = []
        start = 0
        for taker, circles in self.refills:
            for _ in range(circles):
                cards.append(self.stock[start + (seat - taker) % self.seats])
                start += self.seats
        return tuple(cards)


def septica_play(size: Size, hands: list[int], stock: tuple[int, ...], leader: int) -> SepticaPlay:
    """The hand of Septica in which these hands, which become its own, are held.

    Args:
        size: The row of AZ-4.
        hands: The cards of each seat, as masks.
        stock: The cards left after the deal, front first.
        leader: The seat that leads first.
    """
    play = SepticaPlay()
    play._begin(size, hands, stock, leader)
    return play


def points_in(size: Size, cards: int) -> int:
    """The points of a set of cards: one for each point card (AZ-38, GAP-A14, GAP-A16)."""
    return (cards & size.septica_points).bit_count()


def team_sums(teams: int, of_seats: Sequence[int]) -> list[int]:
    """What the seats of each team have together; seat i plays for team i mod `teams` (AZ-37)."""
    sums = [0] * teams
    for seat in range(len(of_seats)):
        sums[seat % teams] += of_seats[seat]
    return sums


def winner(team_points: Sequence[int]) -> int:
    """The team with the most points; -1 if there is a tie for the first place (AZ-43, AZ-45, AZ-46, GAP-A21)."""
    best = max(team_points)
    if team_points.count(best) > 1:
        return -1
    return team_points.index(best)


def changes(teams: int, points: Sequence[int], tricks: Sequence[int], multiplier: int) -> list[int]:
    """What a hand brings each seat (AZ-43 to AZ-46).

    Args:
        teams: Number of teams.
        points: Points that each seat took.
        tricks: Tricks that each seat took; even an empty one prevents piele (GAP-A20).
        multiplier: 2 for each tie before, multiplied together (GAP-A21).

    Returns:
        The change of each seat's score: all 0 when the hand is tied and has to be replayed.
    """
    seats = len(points)
    team = winner(team_sums(teams, points))
    if team < 0:
        return [0] * seats
    team_tricks = team_sums(teams, tricks)
    gain = PIELE if sum(team_tricks) == team_tricks[team] else WIN
    return [(gain if seat % teams == team else LOSS) * multiplier for seat in range(seats)]
