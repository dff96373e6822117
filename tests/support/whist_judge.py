"""Romanian whist written down a second time, plainly and slowly, to judge the engine by.

Nothing of the engine is used. Cards are text, hands are lists, and a match is one procedure that reads like the rules
from top to bottom: wherever the game waits it yields what it waits for, and it is sent the action in text.
"""

from tests.support.waits import Course, Waits

RANKS = "AKQJT9876543"
LOWEST = {3: "9", 4: "7", 5: "5", 6: "3"}


def pack(players: int) -> list[str]:
    return [rank + suit for suit in "SHDC" for rank in RANKS[: RANKS.index(LOWEST[players]) + 1]]


def hands_of_a_match(players: int, pattern: str) -> list[int]:
    ones = [1 for _ in range(players)]
    eights = [8 for _ in range(players)]
    if pattern == "1-8-1":
        return [*ones, 2, 3, 4, 5, 6, 7, *eights, 7, 6, 5, 4, 3, 2, *ones]
    return [*eights, 7, 6, 5, 4, 3, 2, *ones, 2, 3, 4, 5, 6, 7, *eights]


def sort_hand(hand: list[str]) -> list[str]:
    return sorted(hand, key=lambda card: ("SHDC".index(card[1]), RANKS.index(card[0])))


def highest(cards: list[str]) -> str:
    return sorted(cards, key=lambda card: (RANKS.index(card[0]), "SHDC".index(card[1])))[0]


class Judge:
    """One match."""

    def __init__(self, players: int, pattern: str, premium: int) -> None:
        self.players = players
        self.pattern = pattern
        self.premium = premium
        self.scores = [0] * players
        self.made_in_a_row = [0] * players
        self.missed_in_a_row = [0] * players

    def course(self) -> Course:
        everybody = range(self.players)
        drawn = (yield self.waits(None, [])).split()[1:][: self.players]
        dealer = drawn.index(highest(drawn))
        for cards in hands_of_a_match(self.players, self.pattern):
            deal = (yield self.waits(None, [])).split()[1:]
            hands: list[list[str]] = [[] for _ in everybody]
            place = dealer
            for _ in range(cards * self.players):
                place = (place + 1) % self.players
                hands[place].append(deal.pop(0))
            trump = deal[0][1] if deal else "no trump"

            bids: dict[int, int] = {}
            for place in range(1, self.players + 1):
                bidder = (dealer + place) % self.players
                possible = list(range(cards + 1))
                if len(bids) == self.players - 1:
                    possible = [bid for bid in possible if sum(bids.values()) + bid != cards]
                answer = yield self.waits(bidder, [f"bid {bid}" for bid in possible])
                bids[bidder] = int(answer.split()[1])

            tricks = [0] * self.players
            leader = (dealer + 1) % self.players
            for _ in range(cards):
                lying: list[str] = []
                for place in range(self.players):
                    player = (leader + place) % self.players
                    hand = hands[player]
                    allowed = hand
                    if lying:
                        of_suit = [card for card in hand if card[1] == lying[0][1]]
                        trumps = [card for card in hand if card[1] == trump]
                        allowed = of_suit or trumps or hand
                    answer = yield self.waits(player, [f"play {card}" for card in sort_hand(allowed)])
                    hand.remove(answer.split()[1])
                    lying.append(answer.split()[1])
                trumps = [card for card in lying if card[1] == trump]
                of_suit = [card for card in lying if card[1] == lying[0][1]]
                leader = (leader + lying.index(highest(trumps or of_suit))) % self.players
                tricks[leader] += 1

            for player in everybody:
                self.score(player, bids[player], tricks[player], cards)
            dealer = (dealer + 1) % self.players
        yield Waits(None, [], list(self.scores), over=True)

    def waits(self, seat: int | None, legal: list[str]) -> Waits:
        return Waits(seat, legal, list(self.scores))

    def score(self, player: int, bid: int, tricks: int, cards: int) -> None:
        made = bid == tricks
        if made:
            self.scores[player] += 5 + bid
        elif bid > tricks:
            self.scores[player] -= bid - tricks
        else:
            self.scores[player] -= tricks - bid
        if cards == 1:
            return
        if made:
            self.made_in_a_row[player] += 1
            self.missed_in_a_row[player] = 0
        else:
            self.missed_in_a_row[player] += 1
            self.made_in_a_row[player] = 0
        if self.made_in_a_row[player] == 5:
            self.scores[player] += self.premium
            self.made_in_a_row[player] = 0
        if self.missed_in_a_row[player] == 5:
            self.scores[player] -= self.premium
            self.missed_in_a_row[player] = 0
