"""The engine, plain and compiled, beside OpenSpiel, beside a bare function, and game by game.

Each side is a process of its own, asked in turn; all times are CPU times of that process.
"""

import importlib.util
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from deploy.compiled.builder import CannotCompileError, compile_engine
from services.table.engine.games import GAMES
from services.table.engine_build import COMPILED, PLAIN, VARIABLE
from tests.bench.bare import ACTIONS
from tests.bench.processes import Process
from tests.bench.report import Row, Section

OPENSPIEL = "OpenSpiel"
ROUNDS = ("round", "inside", "contract", "bare", "copies")


async def measure(folder: Path, turns: int, seconds: float) -> list[Section]:
    """Measures all sides in turns of so many CPU seconds a figure."""
    sides: dict[str, Process] = {}
    notes: list[str] = []
    try:
        sides[PLAIN] = await Process.python("plain", ["tests.bench.playing"], folder, {VARIABLE: PLAIN})
        try:
            compile_engine(COMPILED)
        except CannotCompileError as error:
            notes.append(f"not measured compiled: {error}")
        else:
            sides[COMPILED] = await Process.python("compiled", ["tests.bench.playing"], folder, {VARIABLE: COMPILED})
        if importlib.util.find_spec("pyspiel") is None:
            notes.append("no OpenSpiel here to compare with (`make openspiel`)")
        else:
            sides[OPENSPIEL] = await Process.python("openspiel", ["tests.bench.openspiel"], folder)
        rounds = await _rounds(sides, turns, seconds)
        games = await _games(sides, turns, seconds / 4)
        solver = await _solver(sides, min(turns, 3))
    finally:
        for side in sides.values():
            await side.stop()
    sections = [_beside_openspiel(rounds, notes)] if OPENSPIEL in sides else []
    return [*sections, _beside_bare(rounds, [] if sections else notes), _by_game(games, rounds), _of_solver(solver)]


async def _rounds(sides: Mapping[str, Process], turns: int, seconds: float) -> dict[tuple[str, str], list[float]]:
    """Rates per second by side and measure, one a turn."""
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for _ in range(turns):
        for name, side in sides.items():
            for what in ("round", "by the book", "copies") if name == OPENSPIEL else ROUNDS:
                answer = await side.ask(600, measure=what, cpu_seconds=seconds)
                found[name, what].append(answer["found"])
    return found


async def _games(
    sides: Mapping[str, Process], turns: int, seconds: float
) -> dict[tuple[str, int, str, str], list[float]]:
    """Microseconds by game, size, side and what was done, one a turn."""
    found: dict[tuple[str, int, str, str], list[float]] = defaultdict(list)
    for _ in range(turns):
        for game, rules in GAMES.items():
            for seats in rules.sizes:
                for name in (PLAIN, COMPILED):
                    if name in sides:
                        answer = await sides[name].ask(600, measure="game", name=game, seats=seats, cpu_seconds=seconds)
                        for what, microseconds in answer["found"].items():
                            found[game, seats, name, what].append(microseconds)
    return found


async def _solver(sides: Mapping[str, Process], turns: int) -> dict[tuple[str, str], list[float]]:
    """Milliseconds by side and question, one for each turn: of several tries the least, which was disturbed least."""
    found: dict[tuple[str, str], list[float]] = {}
    for _ in range(turns):
        for name in (PLAIN, COMPILED):
            if name in sides:
                answer = await sides[name].ask(600, measure="solver")
                for question, milliseconds in answer["found"].items():
                    before = found.get((name, question), milliseconds)
                    found[name, question] = [min(pair) for pair in zip(before, milliseconds, strict=True)]
    return found


def _beside_openspiel(rounds: Mapping[tuple[str, str], Sequence[float]], notes: list[str]) -> Section:
    floor = statistics.median(rounds[OPENSPIEL, "round"])
    aims = {(PLAIN, "round"): ">= 0.7", (COMPILED, "round"): ">= 4", (COMPILED, "inside"): ">= 20"}
    rows = []
    for what, title in (("round", "driven from Python"), ("inside", "inside the engine")):
        for side in (PLAIN, COMPILED):
            if rates := rounds.get((side, what)):
                rate = statistics.median(rates)
                rows.append(Row(f"{side}, {title}: play-outs", rate, floor, "/s", aims.get((side, what), "")))
    copies = statistics.median(rounds[OPENSPIEL, "copies"])
    for side in (PLAIN, COMPILED):
        if rates := rounds.get((side, "copies")):
            rows.append(Row(f"{side}: copies in mid-hand", statistics.median(rates), copies, "/s"))
    book = statistics.median(rounds[OPENSPIEL, "by the book"]) / floor
    return Section(
        "engine: a hand of whist, 4 players, 32 cards, 7 each; floor: OpenSpiel's oh_hell driven from Python",
        rows,
        [
            "random legal actions; deal, bids and score included on both sides",
            f"dealing by chance_outcomes() as in its examples, OpenSpiel plays {book:.2f} of that floor",
            f"spread of the floor over the turns: {_spread(rounds[OPENSPIEL, 'round'])}",
            *notes,
        ],
    )


def _beside_bare(rounds: Mapping[tuple[str, str], Sequence[float]], notes: list[str]) -> Section:
    floor = statistics.median(rounds[PLAIN, "bare"])
    rows = []
    for side in (PLAIN, COMPILED):
        for what, title in (("round", "through the hand"), ("contract", "through the match, verified, with events")):
            if rates := rounds.get((side, what)):
                rate = statistics.median(rates)
                rows.append(Row(f"{side}, {title}: play-outs", rate, floor, "/s"))
                rows.append(Row(f"{side}, {title}: an action", 1e6 / rate / ACTIONS, 1e6 / floor / ACTIONS, "µs"))
    return Section(
        "engine: the same hand; floor: one bare function in Python that plays this hand only",
        rows,
        [f"spread of the floor over the turns: {_spread(rounds[PLAIN, 'bare'])}", *notes],
    )


def _by_game(
    games: Mapping[tuple[str, int, str, str], Sequence[float]], rounds: Mapping[tuple[str, str], Sequence[float]]
) -> Section:
    """Compiled beside plain; without a compiled build plain beside an action of the bare function."""
    bare = 1e6 / statistics.median(rounds[PLAIN, "bare"]) / ACTIONS
    compiled = any(side == COMPILED for _, _, side, _ in games)
    rows = []
    for game, seats, side, what in games:
        if side == PLAIN:
            plain = statistics.median(games[game, seats, PLAIN, what])
            name = f"{game}, {seats} players: {'an action' if what == 'action' else 'a copy'}"
            if compiled:
                rows.append(Row(name, statistics.median(games[game, seats, COMPILED, what]), plain, "µs"))
            else:
                rows.append(Row(name, plain, bare, "µs"))
    return Section(
        "engine: random legal matches through the contract, game by game; "
        + ("compiled, floor: plain" if compiled else "floor: an action of the bare function"),
        rows,
        ["an action: asking for the legal ones, choosing, verifying and doing one; deals count as actions"],
    )


def _of_solver(solver: Mapping[tuple[str, str], Sequence[float]]) -> Section:
    rows = []
    for side, question in solver:
        if side == PLAIN:
            plain = solver[PLAIN, question]
            ours = solver.get((COMPILED, question), plain)
            rows.append(Row(f"{question}: median", statistics.median(ours), statistics.median(plain), "ms"))
            rows.append(Row(f"{question}: 99 of 100", _percentile(ours), _percentile(plain), "ms"))
            rows.append(Row(f"{question}: worst", max(ours), max(plain), "ms"))
    return Section(
        "engine: Remi's solver on random hands of 15 tiles; "
        + ("compiled, floor: plain" if any(side == COMPILED for side, _ in solver) else "plain"),
        rows,
        ["500 turns late in a round, some ten combinations on the table; in half of them both Jokers in hand"],
    )


def _percentile(values: Sequence[float]) -> float:
    """What 99 of 100 values do not exceed."""
    return statistics.quantiles(values, n=100)[-1]


def _spread(rates: Sequence[float]) -> str:
    middle = statistics.median(rates)
    return f"{min(rates) / middle:.2f} to {max(rates) / middle:.2f}"
