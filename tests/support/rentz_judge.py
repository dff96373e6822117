"""Rentz written down a second time, plainly and slowly, to judge the engine by.

Nothing of the engine is used. Cards are text, hands are lists, and a match is one procedure that reads like the rules
from top to bottom: wherever the game waits it yields what it waits for, and it is sent the action in text.
"""

from tests.support.waits import Course, Waits

RANKS = "AKQJT987"
SUITS = "SHDC"
SUBGAMES = ["king of hearts", "queens", "diamonds", "tricks", "totale", "ten of clubs", "whist", "rentz"]


def pack() -> list[str]:
    return [rank + suit for suit in SUITS for rank in RANKS]


def sort_hand(hand: list[str]) -> list[str]:
    return sorted(hand, key=lambda card: (SUITS.index(card[1]), RANKS.index(card[0])))


def is_valid(card: str, table: list[str]) -> bool:
    """A jack, or a card next in rank to one of its suit that lies there."""
    rank, suit = card[0], card[1]
    if rank == "J":
        return True
    place = RANKS.index(rank)
    neighbours = [RANKS[beside] + suit for beside in (place - 1, place + 1) if 0 <= beside < len(RANKS)]
    return any(neighbour in table for neighbour in neighbours)


def worth(subgame: str, card: str) -> int:
    """What taking `card` brings."""
    points = 0
    if card == "KH" and subgame in ("king of hearts", "totale"):
        points -= 200
    if card[0] == "Q" and subgame in ("queens", "totale"):
        points -= 40
    if card[1] == "D" and subgame in ("diamonds", "totale"):
        points -= 30
    if card == "TC" and subgame == "ten of clubs":
        points += 200
    return points


def worth_of_a_trick(subgame: str) -> int:
    if subgame in ("tricks", "totale"):
        return -50
    return 50 if subgame == "whist" else 0


class Judge:
    """One match."""

    def __init__(self) -> None:
        self.scores = [0, 0, 0, 0]

    def course(self) -> Course:
        drawn = (yield self.waits(None, [])).split()[1:5]
        highest = sorted(drawn, key=lambda card: (RANKS.index(card[0]), SUITS.index(card[1])))[0]
        chooser = drawn.index(highest)
        chosen: list[list[str]] = [[], [], [], []]
        for _ in range(32):
            deal = (yield self.waits(None, [])).split()[1:]
            hands: list[list[str]] = [[], [], [], []]
            for place, card in enumerate(deal):
                hands[(chooser + place) % 4].append(card)
            left = [subgame for subgame in SUBGAMES if subgame not in chosen[chooser]]
            answer = yield self.waits(chooser, [f"choose {subgame}" for subgame in left])
            subgame = answer.removeprefix("choose ")
            chosen[chooser].append(subgame)
            if subgame == "rentz":
                yield from self.layout(hands, chooser)
            else:
                yield from self.tricks(subgame, hands, chooser)
            chooser = (chooser + 1) % 4
        yield Waits(None, [], list(self.scores), over=True)

    def waits(self, seat: int | None, legal: list[str]) -> Waits:
        return Waits(seat, legal, list(self.scores))

    def tricks(self, subgame: str, hands: list[list[str]], leader: int) -> Course:
        won: list[int] = [0, 0, 0, 0]
        gone: list[str] = []
        while any(hands):
            lying: list[str] = []
            for place in range(4):
                player = (leader + place) % 4
                allowed = hands[player]
                if lying:
                    allowed = [card for card in hands[player] if card[1] == lying[0][1]] or hands[player]
                answer = yield self.waits(player, [f"play {card}" for card in sort_hand(allowed)])
                hands[player].remove(answer.split()[1])
                lying.append(answer.split()[1])
            of_suit = [card for card in lying if card[1] == lying[0][1]]
            best = sorted(of_suit, key=lambda card: RANKS.index(card[0]))[0]
            leader = (leader + lying.index(best)) % 4
            won[leader] += worth_of_a_trick(subgame)
            won[leader] += sum(worth(subgame, card) for card in lying)
            gone += lying
            still_to_come = [card for card in pack() if card not in gone and worth(subgame, card) != 0]
            if not still_to_come and worth_of_a_trick(subgame) == 0:
                break
        for player in range(4):
            self.scores[player] += won[player]

    def layout(self, hands: list[list[str]], first: int) -> Course:
        table: list[str] = []
        out: list[int] = []
        somebody_waits = False
        player = first
        while len(out) < 3:
            moves = [card for card in hands[player] if is_valid(card, table)]
            if player in out:
                player = (player + 1) % 4
                continue
            if somebody_waits:
                somebody_waits = False
                player = (player + 1) % 4
                continue
            if not moves:
                player = (player + 1) % 4
                continue
            answer = yield self.waits(player, [f"play {card}" for card in sort_hand(moves)])
            card = answer.split()[1]
            hands[player].remove(card)
            table.append(card)
            if not hands[player]:
                out.append(player)
            can_go_on = any(is_valid(other, table) for other in hands[player])
            if card[0] == "A" and can_go_on:
                continue
            if card[0] == "7":
                somebody_waits = True
            player = (player + 1) % 4
        for points, player in zip((400, 200, 100), out, strict=True):
            self.scores[player] += points
