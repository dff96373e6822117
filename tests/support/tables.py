"""A table on paper: commands decided and folded without a server, for tests of what a table answers."""

import random
from typing import Any

from msgspec.structs import replace

from services.table import commands as c
from services.table import facts as f
from services.table.clocks import Limits, next_deadline
from services.table.decide import Circumstances, decide
from services.table.state import TableState, fold, sealed
from shared.personas import PERSONA_NAMES

BEGIN = 1_800_000_000_000
ANA, BOGDAN, CARMEN, DAN = (f.Person(f"p-{name.lower()}", name) for name in ("Ana", "Bogdan", "Carmen", "Dan"))


class PaperTable:
    """One table: its state, its log, and a clock that tests move.

    Every change is written as a record and read back: the state is checked to be the fold of the log.
    """

    def __init__(self, seed: int = 1, limits: Limits | None = None) -> None:
        self.state = TableState()
        self.log: list[bytes] = []
        self.now = BEGIN
        self.limits = limits or Limits()
        self._chance = random.Random(seed)

    def do(self, command: c.Command) -> list[f.AnyFact]:
        """Decides a command and writes what follows; the facts."""
        change = decide(self.state, command, self.circumstances())
        if not change.facts:
            return []
        facts = [fact for fact, _ in change.facts]
        record = f.Record(self.state.revision + 1, self.state.link, self.now, tuple(facts))
        data = f.encode(record)
        folded, told = fold(self.state, f.decode(data), f.link(data))
        after = sealed(change.state, record, f.link(data))
        assert next_deadline(change.state, self.limits) == next_deadline(after, self.limits)  # timers are armed before
        assert replace(folded, game=None) == replace(after, game=None)
        assert [events for _, events in told] == [events for _, events in change.facts]
        if after.game is not None and folded.game is not None:
            assert all(
                after.game.knowledge(seat) == folded.game.knowledge(seat) for seat in (None, *range(len(after.seats)))
            )
        self.log.append(data)
        self.state = after
        return facts

    def circumstances(self) -> Circumstances:
        return Circumstances(self.now, self._chance.randbytes, self.limits, PERSONA_NAMES)

    def wait(self, milliseconds: int) -> list[f.AnyFact]:
        """Lets time pass, and the table do what is due at the end of it."""
        self.now += milliseconds
        return self.do(c.Tick())

    def wait_for_deadline(self) -> list[f.AnyFact]:
        """Lets time pass until the table does something by itself."""
        deadline = next_deadline(self.state, self.limits)
        assert deadline is not None, "the table waits for ever"
        return self.wait(max(0, deadline - self.now))

    def legal(self) -> list[Any]:
        """What the seat to decide may do."""
        return list(self.state.position().legal_actions())

    def play_on(self, until: Any = None, at_most: int = 100_000) -> None:
        """Bots answer their turns at random and present people play at random, until `until(state)` or the end."""
        for _ in range(at_most):
            state = self.state
            if state.over or (until is not None and until(state)):
                return
            assert state.decision is not None
            action = self._chance.choice(self.legal())
            seat = state.decision.seat
            if state.decided_by == "player":
                self.do(c.SubmitAction(state.seats[seat].player, action))
            else:
                self.do(c.AnswerTurn(seat, state.game_revision, action))
        raise AssertionError("the match does not end")


def table(
    *people: f.Person,
    seats: int = 4,
    start: bool = True,
    seed: int = 1,
    limits: Limits | None = None,
    game: str = "arzoi",
    **options: Any,
) -> PaperTable:
    """A table at which these people sit, all of them present; the first is host."""
    paper = PaperTable(seed, limits)
    host, *others = people
    paper.do(c.CreateTable("t" * 24, f.Options(game=game, seats=seats, **options), host=host))
    for person in others:
        paper.do(c.TakeSeat(person, code=paper.state.code))
    for person in people:
        paper.do(c.Connect(person.player, "server-a"))
    if start:
        paper.do(c.StartMatch(host.player))
    return paper


def facts_of(kind: type, facts: list[f.AnyFact]) -> list[Any]:
    """The facts of one kind."""
    return [fact for fact in facts if isinstance(fact, kind)]
