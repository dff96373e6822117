"""The arena: levels play each other offline, on the same packs from every seat.

For each game the packs are drawn once, and the game is played with the line-up rotated by one each time, until every
level has had every seat. Differences of luck cancel out; what is left is strength.

Games of Arzoi can be decided by one round that everybody burned five times over (AZ-25); `--cap` bounds what one round
may count, so that the mean of a few hundred games means something.
"""

import argparse
import math
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from services.bot.players.arzoi.observing import view_of
from services.bot.players.levels import PLAYERS, Player
from services.table.engine.arzoi.events import Part, Scored
from services.table.engine.arzoi.match import State
from services.table.engine.arzoi.options import Options
from services.table.engine.game import Deal

Pack = tuple[int, ...]
Packs = Callable[[Pack, str], Pack]


@dataclass(slots=True)
class Tally:
    """What one level did.

    Attributes:
        games: Mean points of its seats less the mean of the table, one number for each game and its rotations.
        points: Points by part of the game.
        rounds: Seats and rounds by part.
        made: Whist bids made in rounds that counted.
        bids: Whist bids in such rounds.
        seconds: Processor time spent deciding.
        decisions: Decisions made.
    """

    games: list[float] = field(default_factory=list)
    points: dict[Part, float] = field(default_factory=dict)
    rounds: dict[Part, int] = field(default_factory=dict)
    made: int = 0
    bids: int = 0
    seconds: float = 0.0
    decisions: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """The strength of one level: mean points above the table in a game, with a 95 % confidence interval."""

    level: str
    mean: float
    half_width: float
    tally: Tally

    def __str__(self) -> str:
        tally = self.tally
        parts = ", ".join(
            f"{part.value} {tally.points[part] / tally.rounds[part]:+.2f}" for part in Part if tally.rounds.get(part)
        )
        made = 100 * tally.made / max(tally.bids, 1)
        think = 1e6 * tally.seconds / max(tally.decisions, 1)
        return (
            f"{self.level:8} {self.mean:+8.2f} ± {self.half_width:.2f} points a game above the table; "
            f"bids made {made:.1f} %; a round: {parts}; {think:.0f} µs a decision"
        )


def packs_of(seed: str) -> Packs:
    """Shuffled packs that depend on the seed and on which deal it is, not on how the game got there."""

    def shuffled(pack: Pack, deal: str) -> Pack:
        cards = list(pack)
        random.Random(f"{seed}:{deal}").shuffle(cards)
        return tuple(cards)

    return shuffled


def play_game(players: Sequence[Player], packs: Packs, seed: str, cap: int, tallies: Sequence[Tally]) -> list[float]:
    """Plays one match; returns the points of each seat, no row of the score sheet counting more than `cap`.

    Args:
        players: One for each seat.
        packs: Where packs come from.
        seed: For the players' own chance.
        cap: The most that one row may bring or cost.
        tallies: One for each seat, to be added to.
    """
    seats = len(players)
    state = State(Options(), seats)
    points = [0.0] * seats
    revision = 0
    while not state.is_over():
        revision += 1
        if state.needs_deal():
            part = state.part.value if state.part else ""
            deal = f"{state.orbit}:{part}:{state.variant}:{state.round}:{state.attempt}"
            state.apply(None, Deal(packs(state.pack(), deal)))
            continue
        view = view_of(state)
        tally = tallies[view.seat]
        began = time.process_time()
        action = players[view.seat].decide(view, random.Random(f"{seed}:{revision}"))
        tally.seconds += time.process_time() - began
        tally.decisions += 1
        for event in state.apply(view.seat, action):
            if isinstance(event, Scored):
                _count(event, cap, points, tallies)
    return points


def _count(event: Scored, cap: int, points: list[float], tallies: Sequence[Tally]) -> None:
    row = event.row
    for seat, cell in enumerate(row.cells):
        change = max(-cap, min(cap, cell.change))
        points[seat] += change
        tally = tallies[seat]
        tally.points[row.part] = tally.points.get(row.part, 0.0) + change
        if row.round:
            tally.rounds[row.part] = tally.rounds.get(row.part, 0) + 1
        if row.part is Part.WHIST and row.round and not row.replayed:
            tally.bids += 1
            tally.made += not cell.burned


def compete(levels: Sequence[str], seats: int, games: int, seed: str, cap: int = 40) -> list[Line]:
    """Lets levels play each other.

    Args:
        levels: Names of players; seats are filled with them in turn.
        seats: Seats at the table.
        games: How many games; each is played once for every different rotation of the line-up.
        seed: Decides everything that is left to chance.
        cap: The most that one row of the score sheet may bring or cost.

    Returns:
        A line for each level, strongest first.
    """
    tallies = {level: Tally() for level in levels}
    every = [tuple([levels[(seat + turned) % seats % len(levels)] for seat in range(seats)]) for turned in range(seats)]
    line_ups = list(dict.fromkeys(every))
    for game in range(games):
        packs = packs_of(f"{seed}:{game}")
        above = dict.fromkeys(levels, 0.0)
        count = dict.fromkeys(levels, 0)
        for rotation, line_up in enumerate(line_ups):
            points = play_game(
                [PLAYERS[level] for level in line_up],
                packs,
                f"{seed}:{game}:{rotation}",
                cap,
                [tallies[level] for level in line_up],
            )
            mean = sum(points) / seats
            for level, scored in zip(line_up, points, strict=True):
                above[level] += scored - mean
                count[level] += 1
        for level in levels:
            tallies[level].games.append(above[level] / max(count[level], 1))
    lines = [_line(level, tally) for level, tally in tallies.items()]
    return sorted(lines, key=lambda line: -line.mean)


def _line(level: str, tally: Tally) -> Line:
    """The mean over games and 1.96 standard errors; games are independent, their rotations are not."""
    count = len(tally.games)
    mean = sum(tally.games) / count
    if count < 2:
        return Line(level, mean, math.inf, tally)
    variance = sum((value - mean) ** 2 for value in tally.games) / (count - 1)
    return Line(level, mean, 1.96 * math.sqrt(variance / count), tally)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the arena and prints a line for each level."""
    parser = argparse.ArgumentParser(
        prog="python -m services.bot.arena", description="Plays levels against each other."
    )
    parser.add_argument("--games", type=int, default=100, help="games, each played from every seat")
    parser.add_argument("--seats", type=int, default=4, choices=range(3, 10), help="seats at the table, 3 to 9")
    parser.add_argument("--levels", nargs="+", default=["club", "novice"], choices=sorted(PLAYERS))
    parser.add_argument("--seed", default="levata", help="decides all packs and mistakes")
    parser.add_argument("--cap", type=int, default=40, help="the most that one row of the score sheet counts")
    chosen = parser.parse_args(arguments)
    if len(chosen.levels) > chosen.seats:
        parser.error("more levels than seats")
    if chosen.games < 1:
        parser.error("at least one game")
    for line in compete(chosen.levels, chosen.seats, chosen.games, chosen.seed, chosen.cap):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
