"""What has to hold of a match that is over, shown from its log, its record and the ledger."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from services.bot.worker import request_id
from services.table import facts as f
from services.table import replay, verify
from services.table.log import TableLog
from shared.bus import Bus
from shared.client import ClubError
from shared.gen.levata.bot.v1 import bot_pb2
from shared.gen.levata.ledger.v1 import ledger_pb2
from shared.gen.levata.table.v1 import table_pb2
from tests.support.guests import Accepted, Guest
from tests.support.waiting import until

K = TypeVar("K", bound=f.Fact)

Step = tuple[str, str, str]
"""Who acted (`-` for chance), what, and whose decision it was (empty for chance)."""


@dataclass(frozen=True)
class Log:
    """The log of a table, whose chain has been checked.

    Attributes:
        records: The records.
        steps: Every deal and every action, in order.
        points: Final points; empty unless the match was played to the end.
    """

    records: tuple[f.Record, ...]
    steps: tuple[Step, ...]
    points: tuple[int, ...]

    def actions(self, by: str, seat: int | None = None) -> list[Accepted]:
        """The actions decided by some, with the revisions they made."""
        return [
            Accepted(record.n, fact.seat, fact.action)
            for record in self.records
            for fact in record.facts
            if isinstance(fact, f.ActionTaken) and fact.by == by and seat in (None, fact.seat)
        ]

    def facts(self, kind: type[K]) -> list[K]:
        """The facts of one kind."""
        return [fact for record in self.records for fact in record.facts if isinstance(fact, kind)]


async def read_log(bus: Bus, table: str) -> Log:
    """Reads a table's log and checks that it is whole.

    It is numbered without gaps but those of a restore, every record is chained to the one before, no request was
    answered twice, every answer of a bot is one to the decision that was open, and nothing was played after the end.
    """
    link = f.BEGINNING
    records: list[f.Record] = []
    for _, data in await TableLog(bus).read(table):
        record = f.decode(data)
        expected = (records[-1].n if records else 0) + 1 + record.skipped
        assert record.n == expected, f"record {record.n} is in the place of {expected}"
        assert record.prev == link, f"record {record.n} does not follow the one before"
        link = f.link(data)
        records.append(record)
    requests = Counter((r.request.player, r.request.id) for r in records if r.request is not None)
    assert [request for request, times in requests.items() if times > 1] == []
    steps: list[Step] = []
    points: tuple[int, ...] = ()
    asked_at = 0
    for record in records:
        for fact in record.facts:
            if isinstance(fact, f.ActionTaken) and fact.by != "player" and record.request is not None:
                asked = bot_pb2.BotTurn(table_id=table, revision=asked_at, seat=fact.seat)
                assert record.request.id == request_id(asked), f"record {record.n} answers another turn"
            assert not points or not isinstance(fact, (f.Dealt, f.ActionTaken, f.MatchFinished)), "played after the end"
            if isinstance(fact, f.Restored):
                asked_at = record.n
            elif isinstance(fact, f.Dealt):
                steps.append(("-", fact.action, ""))
            elif isinstance(fact, f.ActionTaken):
                steps.append((str(fact.seat), fact.action, fact.by))
            elif isinstance(fact, f.MatchFinished):
                points = fact.points
        if any(isinstance(fact, f.MatchStarted | f.Dealt | f.ActionTaken) for fact in record.facts):
            asked_at = record.n
    return Log(tuple(records), tuple(steps), points)


def steps_of(record: str) -> tuple[Step, ...]:
    """The deals and actions of a record's text, read without the code that wrote it."""
    lines = record.splitlines()
    first = lines.index("actions") + 1
    last = next(number for number, line in enumerate(lines) if line.startswith("result "))
    steps: list[Step] = []
    for line in lines[first:last]:
        who, _, rest = line.partition(" ")
        action, _, by = rest.partition(" by ")
        steps.append((who, action, by or ("" if who == "-" else "player")))
    return tuple(steps)


def result_of(record: str) -> tuple[int, ...]:
    """The final points of a record's text."""
    (line,) = [line for line in record.splitlines() if line.startswith("result ")]
    return tuple(int(word) for word in line.split()[1:])


def check_record(record: str, log: Log, commitment: str, folder: Path) -> None:
    """The record tells what the log tells; both commands that read it say that it holds."""
    assert steps_of(record) == log.steps
    assert result_of(record) == log.points
    path = folder / "match.txt"
    path.write_text(record)
    assert replay.main([str(path)]) == 0
    assert verify.main([str(path), "--commitment", commitment]) == 0


def check_accepted(log: Log, guests: Sequence[Guest], table: str) -> None:
    """Every action that was accepted is in the log once, where the answer said; and nobody's decision is in it that
    nobody made.
    """
    accepted = [one for guest in guests for one in guest.accepted.get(table, [])]
    assert sorted(accepted, key=lambda one: one.revision) == log.actions("player")


async def posted(guest: Guest, match: str, seconds: float = 60.0) -> ledger_pb2.Match:
    """The match as the ledger has it, as soon as it has it."""
    found: list[ledger_pb2.Match] = []

    async def there() -> bool:
        try:
            answer = await guest.club.ledger.GetMatch(ledger_pb2.GetMatchRequest(match_id=match))
        except ClubError as error:
            if error.reason not in ("MATCH_NOT_FOUND", "UNAVAILABLE", "DEPENDENCY_DOWN", "DRAINING"):
                raise
            return False
        found.append(answer.match)
        return True

    await until(there, seconds, f"match {match} is in the ledger")
    return found[0]


async def record_of(guest: Guest, match: str) -> str:
    """The record of a match that the ledger has."""
    return (await guest.club.ledger.GetMatchRecord(ledger_pb2.GetMatchRecordRequest(match_id=match))).record


async def hall_of_fame(guest: Guest, game: str = "arzoi") -> dict[str, ledger_pb2.HallOfFameEntry]:
    """All of a game's, by account."""
    found: dict[str, ledger_pb2.HallOfFameEntry] = {}
    token = ""
    while True:
        request = ledger_pb2.ListHallOfFameRequest(game=game, page_size=100, page_token=token)
        answer = await guest.club.ledger.ListHallOfFame(request)
        for entry in answer.entries:
            assert entry.player_id not in found
            found[entry.player_id] = entry
        token = answer.next_page_token
        if not token:
            return found


def check_match(match: ledger_pb2.Match, table: table_pb2.Table, log: Log) -> None:
    """The ledger has the points of the log, for those who sit at the table."""
    assert tuple(seat.points for seat in match.seats) == log.points
    assert [seat.player_id for seat in match.seats] == [seat.player_id for seat in table.seats]
    assert {seat.seat: seat.place for seat in match.seats} == {one.seat: one.place for one in table.standings}
    assert not match.reversed


def check_hall_of_fame(
    entries: Mapping[str, ledger_pb2.HallOfFameEntry], matches: Sequence[ledger_pb2.Match], players: Sequence[str]
) -> None:
    """Everybody's points, matches and wins are those of these matches."""
    for player in players:
        seats = [seat for match in matches for seat in match.seats if seat.player_id == player]
        entry = entries[player]
        assert (entry.points, entry.matches, entry.wins) == (
            sum(seat.points for seat in seats),
            len(seats),
            sum(seat.place == 1 for seat in seats),
        )
