"""The arena: levels play each other offline, on the same packs from every seat.

For each game the packs are drawn once, and the game is played with the line-up rotated by one each time, until every
level has had every seat. Differences of luck cancel out; what is left is strength.

Games of Arzoi can be decided by one round that everybody burned five times over (AZ-25); a cap, each game's own unless
`--cap` says otherwise, bounds what one round may count, so that the mean of a few hundred games means something.
"""

import argparse
import math
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from services.bot.players.game import BotGame, Outcome, Player
from services.bot.players.games import GAMES
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
        made: How often its seats did what they set out to, in rounds that counted.
        tried: How often they could have.
        seconds: Processor time spent deciding.
        decisions: Decisions made.
    """

    games: list[float] = field(default_factory=list)
    points: dict[str, float] = field(default_factory=dict)
    rounds: dict[str, int] = field(default_factory=dict)
    made: int = 0
    tried: int = 0
    seconds: float = 0.0
    decisions: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """The strength of one level: mean points above the table in a game, with a 95 % confidence interval."""

    level: str
    mean: float
    half_width: float
    tally: Tally
    goal: str

    def __str__(self) -> str:
        tally = self.tally
        parts = ", ".join(
            f"{part} {tally.points[part] / rounds:+.2f}" for part, rounds in sorted(tally.rounds.items()) if rounds
        )
        made = f"{self.goal} {100 * tally.made / tally.tried:.1f} %; " if tally.tried else ""
        think = 1e6 * tally.seconds / max(tally.decisions, 1)
        return (
            f"{self.level:8} {self.mean:+8.2f} ± {self.half_width:.2f} points a game above the table; "
            f"{made}a round: {parts}; {think:.0f} µs a decision"
        )


def packs_of(seed: str) -> Packs:
    """Shuffled packs that depend on the seed and on which deal it is, not on how the game got there."""

    def shuffled(pack: Pack, deal: str) -> Pack:
        cards = list(pack)
        random.Random(f"{seed}:{deal}").shuffle(cards)
        return tuple(cards)

    return shuffled


def play_game(
    game: BotGame, players: Sequence[Player], packs: Packs, seed: str, cap: int, tallies: Sequence[Tally]
) -> list[float]:
    """Plays one match; returns the points of each seat, no row of the score sheet counting more than `cap`.

    Args:
        game: What is played.
        players: One for each seat.
        packs: Where packs come from.
        seed: For the players' own chance.
        cap: The most that one row may bring or cost.
        tallies: One for each seat, to be added to.
    """
    seats = len(players)
    state = game.new(seats)
    points = [0.0] * seats
    revision = 0
    while not state.is_over():
        revision += 1
        if state.needs_deal():
            state.apply(None, Deal(packs(state.pack(), game.deal_name(state))))
            continue
        view = game.observe(state)
        tally = tallies[view.seat]
        began = time.process_time()
        action = players[view.seat].decide(view, random.Random(f"{seed}:{revision}"))
        tally.seconds += time.process_time() - began
        tally.decisions += 1
        for event in state.apply(view.seat, action):
            for outcome in game.outcomes(event):
                _count(outcome, cap, points, tallies)
    return points


def _count(outcome: Outcome, cap: int, points: list[float], tallies: Sequence[Tally]) -> None:
    part = outcome.part
    for seat, change in enumerate(outcome.changes):
        counted = max(-cap, min(cap, change))
        points[seat] += counted
        tally = tallies[seat]
        tally.points[part] = tally.points.get(part, 0.0) + counted
        tally.rounds[part] = tally.rounds.get(part, 0) + outcome.counts
        if outcome.made:
            tally.tried += 1
            tally.made += outcome.made[seat]


def compete(
    levels: Sequence[str], seats: int, games: int, seed: str, cap: int | None = None, game: BotGame = GAMES["arzoi"]
) -> list[Line]:
    """Lets levels play each other.

    Args:
        levels: Names of players; seats are filled with them in turn.
        seats: Seats at the table.
        games: How many games; each is played once for every different rotation of the line-up.
        seed: Decides everything that is left to chance.
        cap: The most that one row of the score sheet may bring or cost; None for what is usual in the game.
        game: What is played.

    Returns:
        A line for each level, strongest first.
    """
    cap = game.cap if cap is None else cap
    tallies = {level: Tally() for level in levels}
    every = [tuple([levels[(seat + turned) % seats % len(levels)] for seat in range(seats)]) for turned in range(seats)]
    line_ups = list(dict.fromkeys(every))
    for number in range(games):
        packs = packs_of(f"{seed}:{number}")
        above = dict.fromkeys(levels, 0.0)
        count = dict.fromkeys(levels, 0)
        for rotation, line_up in enumerate(line_ups):
            points = play_game(
                game,
                [game.players[level] for level in line_up],
                packs,
                f"{seed}:{number}:{rotation}",
                cap,
                [tallies[level] for level in line_up],
            )
            mean = sum(points) / seats
            for level, scored in zip(line_up, points, strict=True):
                above[level] += scored - mean
                count[level] += 1
        for level in levels:
            tallies[level].games.append(above[level] / max(count[level], 1))
    lines = [_line(level, tally, game.goal) for level, tally in tallies.items()]
    return sorted(lines, key=lambda line: -line.mean)


def _line(level: str, tally: Tally, goal: str) -> Line:
    """The mean over games and 1.96 standard errors; games are independent, their rotations are not."""
    count = len(tally.games)
    mean = sum(tally.games) / count
    if count < 2:
        return Line(level, mean, math.inf, tally, goal)
    variance = sum((value - mean) ** 2 for value in tally.games) / (count - 1)
    return Line(level, mean, 1.96 * math.sqrt(variance / count), tally, goal)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the arena and prints a line for each level."""
    parser = argparse.ArgumentParser(
        prog="python -m services.bot.arena", description="Plays levels against each other."
    )
    parser.add_argument("--game", default="arzoi", choices=sorted(GAMES), help="what is played")
    parser.add_argument("--games", type=int, default=100, help="games, each played from every seat")
    parser.add_argument("--seats", type=int, default=4, help="seats at the table")
    parser.add_argument(
        "--levels",
        nargs="+",
        default=["club", "novice"],
    )
    parser.add_argument("--seed", default="levata", help="decides all packs and mistakes")
    parser.add_argument("--cap", type=int, help="the most that one row of the score sheet counts")
    chosen = parser.parse_args(arguments)
    game = GAMES[chosen.game]
    if chosen.seats not in game.sizes:
        parser.error(f"{game.name} is for {game.sizes.start} to {game.sizes.stop - 1} seats")
    if unknown := set(chosen.levels) - set(game.players):
        parser.error(f"no such level: {', '.join(sorted(unknown))}")
    if len(chosen.levels) > chosen.seats:
        parser.error("more levels than seats")
    if chosen.games < 1:
        parser.error("at least one game")
    for line in compete(chosen.levels, chosen.seats, chosen.games, chosen.seed, chosen.cap, game):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
