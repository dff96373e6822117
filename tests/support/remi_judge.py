"""Remi written down a second time, plainly and slowly, to judge the engine by.

Nothing of the engine is used. Tiles are text, hands are lists, and the rules are asked one after the other: `objection`
says what forbids an action, which is given as text, and `do` does it. Where the rules ask whether something *can* be
done, everything is tried; if that takes too long the judge is `Undecided`.
"""

import copy
import itertools
from collections.abc import Iterator

COLOURS = "RYBK"
JOKER = "*"
PATIENCE = 400
"""Positions that are looked at before the judge gives up."""


class Undecided(Exception):  # noqa: N818 - it is no mistake
    """The question is too big to be answered by trying everything."""


def tile(colour: str, place: int) -> str:
    """The tile at a place of a run; the one after 13 is the ace again."""
    return f"{colour}{1 if place == 14 else place}"


def number(name: str) -> int:
    return int(name[1:])


def pack() -> list[str]:
    return [f"{colour}{value}" for colour in COLOURS for value in range(1, 14) for _ in range(2)] + [JOKER, JOKER]


def places(tiles: list[str]) -> list[tuple[str, int]] | None:
    """What each tile of a run stands for, as colour and place; None if the tiles are no run."""
    for colour in COLOURS:
        for start in range(1, 13):
            if start + len(tiles) - 1 > 14:
                continue
            if all(name in (JOKER, tile(colour, start + index)) for index, name in enumerate(tiles)):
                return [(colour, start + index) for index in range(len(tiles))]
    return None


def set_number(tiles: list[str]) -> int | None:
    """The number of a set; None if the tiles are no set."""
    real = [name for name in tiles if name != JOKER]
    if len(tiles) > 4 or len({name[0] for name in real}) < len(real) or len({number(name) for name in real}) != 1:
        return None
    return number(real[0])


def is_combination(tiles: list[str]) -> bool:
    jokers = tiles.count(JOKER)
    if len(tiles) < 3 or len(tiles) - jokers < 2 * jokers:
        return False
    return places(tiles) is not None or set_number(tiles) is not None


def table_value(tiles: list[str]) -> list[int]:
    """What each tile of a combination is worth on the table."""
    run = places(tiles)
    if run is not None:
        return [10 if place >= 10 else 5 for _, place in run]
    return [5 if 2 <= (set_number(tiles) or 0) <= 9 else 10 for _ in tiles]


def hand_value(name: str) -> int:
    if name == JOKER:
        return 50
    if number(name) == 1:
        return 25
    return 5 if number(name) <= 9 else 10


def stands_for(tiles: list[str], index: int) -> list[str]:
    """The real tiles that may replace the Joker at that index."""
    run = places(tiles)
    if run is not None:
        return [tile(*run[index])]
    there = [name[0] for name in tiles if name != JOKER]
    return [f"{colour}{set_number(tiles)}" for colour in COLOURS if colour not in there]


def combinations(hand: list[str]) -> Iterator[list[str]]:
    """Every combination that can be made of a hand."""
    names = set(hand)
    jokers = hand.count(JOKER)
    for colour in COLOURS:
        for start in range(1, 13):
            for end in range(start + 2, 15):
                wanted = [tile(colour, place) for place in range(start, end + 1)]
                missing = [index for index, name in enumerate(wanted) if name not in names]
                if len(missing) > jokers:
                    continue
                free = [index for index in range(len(wanted)) if index not in missing]
                for more in range(jokers - len(missing) + 1):
                    for others in itertools.combinations(free, more):
                        tiles = [JOKER if i in missing or i in others else name for i, name in enumerate(wanted)]
                        if is_combination(tiles) and contains(hand, tiles):
                            yield tiles
    for value in range(1, 14):
        there = [f"{colour}{value}" for colour in COLOURS if f"{colour}{value}" in names]
        for size in (2, 3, 4):
            for chosen in itertools.combinations(there, size):
                for more in (0, 1):
                    tiles = [*chosen, *[JOKER] * more]
                    if is_combination(tiles) and contains(hand, tiles):
                        yield tiles


def contains(hand: list[str], tiles: list[str]) -> bool:
    return all(hand.count(name) >= tiles.count(name) for name in tiles)


def without(hand: list[str], tiles: list[str]) -> list[str]:
    rest = list(hand)
    for name in tiles:
        rest.remove(name)
    return rest


class Combination:
    """What lies on the table: the tiles, who placed each of them, and who laid it first."""

    def __init__(self, tiles: list[str], owner: int) -> None:
        self.tiles = list(tiles)
        self.placed = [owner for _ in tiles]
        self.owner = owner

    def copy(self) -> "Combination":
        other = Combination(self.tiles, self.owner)
        other.placed = list(self.placed)
        return other

    def ways_to_add(self, name: str) -> list[str]:
        """The ends at which a tile fits; a set has but one place, which counts as its high end."""
        ways = []
        if places(self.tiles) is not None:
            if places([name, *self.tiles]) is not None and is_combination([name, *self.tiles]):
                ways.append("low")
            if places([*self.tiles, name]) is not None and is_combination([*self.tiles, name]):
                ways.append("high")
        elif is_combination([*self.tiles, name]):
            ways.append("high")
        return ways

    def add(self, name: str, way: str, seat: int) -> None:
        at = 0 if way == "low" else len(self.tiles)
        self.tiles.insert(at, name)
        self.placed.insert(at, seat)


class Judge:
    """One match."""

    def __init__(self, players: int, rounds: int) -> None:
        self.players = players
        self.rounds = rounds
        self.round = 1
        self.first = 0
        self.scores = [0 for _ in range(players)]
        self.phase = "deal"

    # The deal

    def deal(self, tiles: list[str]) -> None:
        self.turned = tiles[105]
        order = [(self.first + step) % self.players for step in range(self.players)]
        rest = list(tiles[:105])
        self.hands: list[list[str]] = [[] for _ in range(self.players)]
        for seat in order:
            wanted = 13 if self.turned == JOKER and seat == self.first else 14
            self.hands[seat] = rest[:wanted]
            rest = rest[wanted:]
        if self.turned == JOKER:
            self.hands[self.first].append(JOKER)
        else:
            self.hands[self.first].append(rest.pop(0))
        self.pile = rest
        self.row: list[str] = []
        self.table: list[Combination] = []
        everybody = range(self.players)
        self.melded = [False for _ in everybody]
        self.atu_announced = [False for _ in everybody]
        self.two_announced = [False for _ in everybody]
        self.two_holds = [False for _ in everybody]
        self.two_missed = [False for _ in everybody]
        self.had_a_turn = [False for _ in everybody]
        self.still = 0
        self.seat = self.first
        self.phase = "meld"
        self.opening_turn = True
        self.begin_turn()

    def begin_turn(self) -> None:
        self.melds_this_turn = False
        self.target = ""
        self.barred = ""
        self.memory: Judge | None = None
        self.something_moved = False

    # What forbids an action

    def objection(self, seat: int | None, text: str) -> str:
        """What forbids an action; empty if nothing does. Raises `Undecided`."""
        verb, _, rest = text.partition(" ")
        if self.phase == "over":
            return "the match is over"
        if verb == "deal":
            return "" if self.phase == "deal" and seat is None and sorted(rest.split()) == sorted(pack()) else "no deal"
        if self.phase == "deal":
            return "tiles have to be dealt"
        if seat != self.seat:
            return "it is not the turn of that seat"
        hand = self.hands[self.seat]
        if verb == "draw":
            return "" if self.phase == "draw" else "has a tile already"
        if verb == "take":
            return self.objection_to_taking(int(rest))
        if verb == "undo_take":
            return "" if self.phase == "meld" and self.target else "there is nothing to undo"
        if verb == "announce":
            return self.objection_to_announcing(rest)
        if verb == "turn":
            return self.objection_to_turn(rest)
        if verb == "close_with_atu":
            return self.objection_to_closing(rest)
        if self.phase != "meld":
            return "has to draw first"
        if verb == "discard":
            if rest not in hand:
                return "does not hold it"
            if self.target:
                return "has to use what was taken"
            return "was taken in this turn" if rest == self.barred else ""
        trial = self.trial()
        reason = trial.put(text)
        if reason:
            return reason
        left = trial.hands[self.seat]
        if left and all(name == self.barred for name in left) and not trial.can_add_all():
            return "only tiles that may not be discarded would be left"
        return ""

    def trial(self) -> "Judge":
        """A second table to try things at."""
        other = copy.copy(self)
        other.hands = [list(hand) for hand in self.hands]
        other.table = [combination.copy() for combination in self.table]
        for name in ("row", "melded", "two_announced", "two_holds", "two_missed", "atu_announced"):
            setattr(other, name, list(getattr(self, name)))
        other.had_a_turn = list(self.had_a_turn)
        other.scores = list(self.scores)
        other.pile = list(self.pile)
        return other

    def objection_to_taking(self, place: int) -> str:
        if self.phase != "draw":
            return "has a tile already"
        if place >= len(self.row):
            return "there is nothing"
        if place == 0:
            return "dead"
        if len(self.hands[self.seat]) <= 2:
            return "one or two tiles: the pile"
        top = place == len(self.row) - 1
        trial = self.trial()
        trial.take(place)
        if not self.melded[self.seat]:
            if not top:
                return "the top only"
            return "" if trial.can_meld_first() else "does not help to meld"
        return "" if top or trial.can_use_target() else "cannot be used"

    def objection_to_announcing(self, what: str) -> str:
        hand = self.hands[self.seat]
        if what == "two_tiles":
            fine = self.phase == "meld" and len(hand) == 2 and not self.two_holds[self.seat]
            return "" if fine else "not two tiles, or announced"
        if self.turned == JOKER or self.turned not in hand or self.atu_announced[self.seat]:
            return "has no Atu to announce"
        if self.had_a_turn[self.seat]:
            return "not the first turn"
        return "" if self.phase == "draw" or self.opening_turn else "has drawn"

    def objection_to_turn(self, rest: str) -> str:
        trial = self.trial()
        seat = self.seat
        for step in rest.split(";"):
            if step.split()[0] in ("draw", "undo_take", "turn"):
                return "is no step"
            reason = trial.objection(seat, step.strip())
            if reason:
                return reason
            trial.do(seat, step.strip())
        return ""

    def objection_to_closing(self, rest: str) -> str:
        if self.phase != "draw":
            return "has a tile already"
        if self.turned == JOKER:
            return "there is no Atu"
        parts = [part.strip() for part in rest.split(",")]
        if self.turned not in parts[0].split():
            return "the Atu is not in a new combination"
        trial = self.trial()
        trial.hands[self.seat].append(self.turned)
        reason = trial.put(f"lay {parts[0]}")
        for part in parts[1:]:
            if reason:
                return reason
            if part.startswith("discard"):
                name = part.split()[1]
                if name not in trial.hands[self.seat] or part != parts[-1]:
                    return "does not hold it"
                trial.hands[self.seat].remove(name)
            else:
                reason = trial.put(part)
        return reason or ("tiles are left" if trial.hands[self.seat] else "")

    # Laying, adding, swapping

    def put(self, text: str) -> str:
        """Does one of these if it is allowed; otherwise what forbids it, and then half may be done."""
        verb, _, rest = text.partition(" ")
        seat = self.seat
        hand = self.hands[seat]
        if verb == "lay":
            melds = [part.split() for part in rest.split("/")]
            tiles = [name for meld in melds for name in meld]
            if not contains(hand, tiles):
                return "does not hold them"
            if not all(is_combination(meld) for meld in melds):
                return "is no combination"
            if not self.melded[seat]:
                if sum(sum(table_value(meld)) for meld in melds) < 45:
                    return "fewer than 45 points"
                if all(places(meld) is None for meld in melds):
                    return "no run"
                if self.target and self.target not in tiles:
                    return "without the tile taken"
                self.melded[seat] = True
                self.melds_this_turn = True
            for meld in melds:
                self.table.append(Combination(meld, seat))
            self.leave_hand(tiles)
            return ""
        words = rest.split()
        if not self.melded[seat]:
            return "has not melded"
        if int(words[0]) >= len(self.table):
            return "there is no such combination"
        target = self.table[int(words[0])]
        if self.melds_this_turn and target.owner != seat:
            return "of another player, in the turn of the first meld"
        if verb == "add":
            name = words[1]
            ways = target.ways_to_add(name)
            if len(words) == 3:
                ways = [words[2]] if words[2] in ways and places(target.tiles) is not None else []
            if name not in hand or len(ways) != 1:
                return "does not hold it, or it does not fit, or at both ends"
            target.add(name, ways[0], seat)
            self.leave_hand([name])
            return ""
        place, name, new = int(words[1]), words[2], words[4:]
        if place >= len(target.tiles) or target.tiles[place] != JOKER or name not in stands_for(target.tiles, place):
            return "there is no Joker, or not for this tile"
        if JOKER not in new or not is_combination(new):
            return "the Joker is not in a new combination"
        from_hand = [name, *without(new, [JOKER])]
        if not contains(hand, from_hand):
            return "does not hold them"
        target.tiles[place] = name
        target.placed[place] = seat
        self.table.append(Combination(new, seat))
        self.leave_hand(from_hand)
        return ""

    def leave_hand(self, tiles: list[str]) -> None:
        self.hands[self.seat] = without(self.hands[self.seat], tiles)
        self.something_moved = True
        if self.target in tiles:
            self.target = ""

    def take(self, place: int) -> None:
        self.memory = self.trial()
        taken = self.row[place:]
        if len(taken) > 1 or not self.melded[self.seat]:
            self.target = taken[0]
        if len(taken) == 1:
            self.barred = taken[0]
        self.row = self.row[:place]
        self.hands[self.seat] = self.hands[self.seat] + taken
        self.phase = "meld"

    # What can be done

    def can_add_all(self) -> bool:
        hand = self.hands[self.seat]
        if not hand:
            return True
        for index, combination in enumerate(self.table):
            if combination.owner == self.seat or not self.melds_this_turn:
                for way in combination.ways_to_add(hand[0]):
                    trial = self.trial()
                    trial.table[index].add(hand[0], way, self.seat)
                    trial.hands[self.seat] = hand[1:]
                    if trial.can_add_all():
                        return True
        return False

    def can_meld_first(self) -> bool:
        """Whether there is a first meld with the tile that was taken, and it can be laid."""
        self.patience = PATIENCE
        starts = [meld for meld in combinations(self.hands[self.seat]) if self.target in meld]
        return any(self.can_complete([meld]) for meld in starts)

    def can_complete(self, melds: list[list[str]]) -> bool:
        """Whether some of the rest of the hand makes these combinations a first meld."""
        self.patience -= 1
        if self.patience < 0:
            raise Undecided
        if not self.objection(self.seat, "lay " + " / ".join([" ".join(meld) for meld in melds])):
            return True
        rest = without(self.hands[self.seat], [name for meld in melds for name in meld])
        return any(self.can_complete([*melds, more]) for more in combinations(rest))

    def can_use_target(self) -> bool:
        """Whether there is some way to go on that uses the target."""
        seen: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()
        waiting = [self]
        while waiting:
            if len(seen) > PATIENCE:
                raise Undecided
            now = waiting.pop(0)
            for text in now.everything_to_put():
                trial = now.trial()
                if trial.put(text):
                    continue
                if not trial.target:
                    return True
                key = (tuple(sorted(trial.hands[self.seat])), tuple(sorted(str(one.tiles) for one in trial.table)))
                if key not in seen:
                    seen.add(key)
                    waiting.append(trial)
        return False

    def everything_to_put(self) -> Iterator[str]:
        """Every laying of one combination, every addition and every swap, allowed or not."""
        hand = self.hands[self.seat]
        names = sorted(set(hand))
        for meld in combinations(hand):
            yield "lay " + " ".join(meld)
        for index, combination in enumerate(self.table):
            for name in names:
                for way in combination.ways_to_add(name):
                    yield f"add {index} {name}" + (f" {way}" if places(combination.tiles) is not None else "")
            for place, name in enumerate(combination.tiles):
                if name != JOKER:
                    continue
                for real in stands_for(combination.tiles, place):
                    if real in hand:
                        for meld in combinations([*without(hand, [real]), JOKER]):
                            if JOKER in meld:
                                yield f"swap_joker {index} {place} {real} for {' '.join(meld)}"

    # What follows

    def do(self, seat: int | None, text: str) -> None:
        """Does an action that nothing forbids."""
        verb, _, rest = text.partition(" ")
        if verb == "deal":
            self.deal(rest.split())
            return
        if verb == "turn":
            for step in rest.split(";"):
                self.do(seat, step.strip())
            return
        hand = self.hands[self.seat]
        if verb == "draw":
            hand.append(self.pile.pop(0))
            self.something_moved = True
            self.phase = "meld"
        elif verb == "take":
            self.take(int(rest))
        elif verb == "undo_take":
            assert self.memory is not None
            before = self.memory
            self.hands, self.row, self.table = before.hands, before.row, before.table
            self.two_announced, self.two_holds = before.two_announced, before.two_holds
            self.begin_turn()
            self.hands[self.seat].append(self.pile.pop(0))
            self.something_moved = True
        elif verb == "announce":
            if rest == "atu":
                self.atu_announced[self.seat] = True
            else:
                self.two_announced[self.seat] = self.two_holds[self.seat] = True
        elif verb == "discard":
            if len(hand) == 2 and not self.two_holds[self.seat]:
                self.two_missed[self.seat] = True
            hand.remove(rest)
            self.row.append(rest)
            if hand:
                self.end_turn()
            else:
                self.end_round(self.seat, rest)
        elif verb == "close_with_atu":
            hand.append(self.turned)
            last = ""
            for part in [f"lay {rest}".split(",")[0], *[part.strip() for part in rest.split(",")[1:]]]:
                if part.startswith("discard"):
                    last = part.split()[1]
                else:
                    self.put(part)
                    last = part.split()[2] if part.startswith("add") else ""
            self.end_round(self.seat, last)
        else:
            self.put(text)
            if not self.hands[self.seat]:
                self.end_round(self.seat, text.split()[2] if verb == "add" else "")

    def end_turn(self) -> None:
        if len(self.hands[self.seat]) > 2:
            self.two_holds[self.seat] = False
        self.had_a_turn[self.seat] = True
        self.opening_turn = False
        self.still = 0 if self.something_moved else self.still + 1
        if not self.pile or self.still == 10 * self.players:
            self.end_round(None, "")
            return
        self.seat = (self.seat + 1) % self.players
        self.phase = "draw"
        self.begin_turn()

    def end_round(self, closer: int | None, last: str) -> None:
        double = 2 if self.turned != JOKER and number(self.turned) == 1 else 1
        for seat in range(self.players):
            laid = 0
            for combination in self.table:
                for value, who in zip(table_value(combination.tiles), combination.placed, strict=True):
                    laid += value if who == seat else 0
            atu = 50 if self.atu_announced[seat] else 0
            if seat == closer:
                two = 25 if self.two_announced[seat] and not self.two_missed[seat] else 0
                points = (100 + laid + atu + two) * double * (2 if last == JOKER else 1)
            else:
                hand = 0
                for name in self.hands[seat]:
                    same_colour = self.turned != JOKER and name[0] == self.turned[0]
                    hand += hand_value(name) * (2 if same_colour else 1)
                if not self.melded[seat]:
                    hand *= 2
                points = (laid + atu - hand) * double
            self.scores[seat] += points - (500 if self.two_missed[seat] else 0)
        if self.round == self.rounds:
            self.phase = "over"
        else:
            self.round += 1
            self.first = (self.first + 1) % self.players
            self.phase = "deal"
