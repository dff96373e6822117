"""Arzoi written down a second time, plainly and slowly, to judge the engine by.

Nothing of the engine is used. Cards are text, hands are lists, and a match is one procedure that reads like the rules
from top to bottom: wherever the game waits it yields what it waits for, and it is sent the action in text.
"""

from collections.abc import Generator

from tests.support.waits import Course, Waits

RANKS = "AKQJT987654321"
LOWEST = {3: "9", 4: "7", 5: "5", 6: "3", 7: "3", 8: "3", 9: "1"}
GREATEST_WHIST = {3: 8, 4: 8, 5: 8, 6: 8, 7: 6, 8: 6, 9: 6}
TOTALE_CARDS = {3: 8, 4: 8, 5: 8, 6: 8, 7: 6, 8: 6, 9: 6}
TEAMS = {4: 2, 6: 2, 8: 2, 9: 3}
CUTTERS = {4: "7", 6: "78", 8: "78", 9: "78"}
SEPTICA_POINTS = {4: "AT", 6: "AKT", 8: "AKT", 9: "AKT"}


def pack(players: int) -> list[str]:
    return [rank + suit for suit in "SHDC" for rank in RANKS[: RANKS.index(LOWEST[players]) + 1]]


def sort_hand(hand: list[str]) -> list[str]:
    return sorted(hand, key=lambda card: ("SHDC".index(card[1]), RANKS.index(card[0])))


def allowed_cards(hand: list[str], trick: list[str], trump: str) -> list[str]:
    """The cards that may be played where suit has to be followed and then trumped."""
    if not trick:
        return hand
    of_suit = [card for card in hand if card[1] == trick[0][1]]
    if of_suit:
        return of_suit
    trumps = [card for card in hand if card[1] == trump]
    if trumps:
        return trumps
    return hand


def winning_card(trick: list[str], trump: str) -> int:
    """Which card of a trick takes it."""
    trumps = [card for card in trick if card[1] == trump]
    of_suit = [card for card in trick if card[1] == trick[0][1]]
    candidates = trumps or of_suit
    best = sorted(candidates, key=lambda card: RANKS.index(card[0]))[0]
    return trick.index(best)


def bid_points(bid: int, tricks: int, cards: int) -> int:
    if bid > tricks:
        return tricks - bid
    if tricks > bid:
        return bid - tricks
    points = 5 + bid
    if bid == cards:
        points += 10
    return points


def totale_points(cards: list[str]) -> int:
    points = 0
    for card in cards:
        if card == "KH":
            points += 5
        if card[0] == "Q":
            points += 2
        if card[1] == "D":
            points += 1
    return points


class Judge:
    """One match."""

    def __init__(self, players: int, no_whist_of_2: bool) -> None:
        self.n = players
        self.scores = [0] * players
        self.variants = [f"whist {k}" for k in range(3 if no_whist_of_2 else 2, GREATEST_WHIST[players] + 1)]
        if players in TEAMS:
            self.variants.append("septica")

    def course(self) -> Course:
        chooser = 0
        while self.variants:
            variant = yield Waits(chooser, list(self.variants), self.scores)
            self.variants.remove(variant)
            if variant == "septica":
                yield from self.septica_orbit(chooser)
            else:
                yield from self.whist_orbit(chooser, int(variant.split()[1]))
            chooser = (chooser + 1) % self.n
        yield Waits(None, [], self.scores, over=True)

    def deal(self, dealer: int, each: int) -> Generator[Waits, str, tuple[list[list[str]], list[str]]]:
        """Waits for a deal; the hands and the rest of the pack."""
        text = yield Waits(None, [], self.scores)
        cards = text.split()[1:]
        hands: list[list[str]] = [[] for _ in range(self.n)]
        seat = dealer
        for _ in range(each * self.n):
            seat = (seat + 1) % self.n
            hands[seat].append(cards.pop(0))
        return [sort_hand(hand) for hand in hands], cards

    def whist_orbit(self, first_dealer: int, cards: int) -> Course:
        times_burned = [0] * self.n
        for number in range(self.n):
            dealer = (first_dealer + number) % self.n
            factor = 1
            while True:
                made = yield from self.whist_round(dealer, cards, factor)
                if any(made):
                    break
                factor *= 2
            for seat in range(self.n):
                if not made[seat]:
                    times_burned[seat] += 1
            if 0 not in times_burned:
                return
        perfect = times_burned.count(0)
        for seat in range(self.n):
            if times_burned[seat] == 0:
                self.scores[seat] += 20
        always = times_burned.count(self.n)
        dealer = (first_dealer + self.n) % self.n
        for sign in [-1] * perfect + [1] * always:
            yield from self.totale(dealer, sign)
            dealer = (dealer + 1) % self.n

    def whist_round(self, dealer: int, cards: int, factor: int) -> Generator[Waits, str, list[bool]]:
        hands, rest = yield from self.deal(dealer, cards)
        trump = rest[0][1] if rest else ""
        bids: dict[int, int] = {}
        for place in range(1, self.n + 1):
            seat = (dealer + place) % self.n
            options = list(range(cards + 1))
            if seat == dealer:
                options = [bid for bid in options if sum(bids.values()) + bid != cards]
            text = yield Waits(seat, [f"bid {bid}" for bid in options], self.scores)
            bids[seat] = int(text.split()[1])
        won = yield from self.follow_suit(hands, (dealer + 1) % self.n, trump)
        for seat in range(self.n):
            self.scores[seat] += factor * bid_points(bids[seat], len(won[seat]), cards)
        return [bids[seat] == len(won[seat]) for seat in range(self.n)]

    def follow_suit(
        self, hands: list[list[str]], leader: int, trump: str
    ) -> Generator[Waits, str, list[list[list[str]]]]:
        """Plays all tricks; the tricks that each seat took."""
        won: list[list[list[str]]] = [[] for _ in range(self.n)]
        while hands[leader]:
            trick: list[str] = []
            for place in range(self.n):
                seat = (leader + place) % self.n
                legal = allowed_cards(hands[seat], trick, trump)
                text = yield Waits(seat, [f"play {card}" for card in legal], self.scores)
                card = text.split()[1]
                hands[seat].remove(card)
                trick.append(card)
            leader = (leader + winning_card(trick, trump)) % self.n
            won[leader].append(trick)
        return won

    def totale(self, dealer: int, sign: int) -> Course:
        hands, _ = yield from self.deal(dealer, TOTALE_CARDS[self.n])
        in_play = sum(totale_points(hand) for hand in hands)
        won = yield from self.follow_suit(hands, (dealer + 1) % self.n, "")
        points = [totale_points([card for trick in won[seat] for card in trick]) for seat in range(self.n)]
        if in_play in points and in_play > 0:
            taker = points.index(in_play)
            self.scores[taker] += 10 if sign < 0 else in_play + 10
            return
        for seat in range(self.n):
            self.scores[seat] += sign * points[seat]

    def septica_orbit(self, first_dealer: int) -> Course:
        for number in range(self.n):
            factor = 1
            while not (yield from self.septica_hand((first_dealer + number) % self.n, factor)):
                factor *= 2

    def septica_hand(self, dealer: int, factor: int) -> Generator[Waits, str, bool]:
        """Plays a hand; whether it was decided."""
        n = self.n
        hands, stock = yield from self.deal(dealer, 4)
        teams = TEAMS[n]
        points = [0] * teams
        tricks = [0] * teams
        opener = (dealer + 1) % n
        while hands[opener]:
            trick: list[str] = []
            holder = opener
            while True:
                for place in range(n):
                    seat = (opener + place) % n
                    if place > 0 or not trick:
                        text = yield Waits(seat, [f"play {card}" for card in hands[seat]], self.scores)
                    hands[seat].remove(text.split()[1])
                    trick.append(text.split()[1])
                    if trick[-1][0] in trick[0][0] + CUTTERS[n]:
                        holder = seat
                fitting = [card for card in hands[opener] if card[0] in trick[0][0] + CUTTERS[n]]
                if holder == opener or not fitting:
                    break
                text = yield Waits(opener, [*[f"play {card}" for card in fitting], "leave"], self.scores)
                if text == "leave":
                    break
            tricks[holder % teams] += 1
            points[holder % teams] += len([card for card in trick if card[0] in SEPTICA_POINTS[n]])
            while len(stock) >= n and len(hands[holder]) < 4:
                for place in range(n):
                    hands[(holder + place) % n].append(stock.pop(0))
            hands = [sort_hand(hand) for hand in hands]
            opener = holder
        best = sorted(points)[-1]
        if points.count(best) >= 2:
            return False
        champion = points.index(best)
        took_all_tricks = all(tricks[team] == 0 for team in range(teams) if team != champion)
        for seat in range(n):
            if seat % teams == champion:
                self.scores[seat] += factor * (10 if took_all_tricks else 5)
            else:
                self.scores[seat] -= factor
        return True
