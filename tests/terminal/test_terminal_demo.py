"""The exhibition that `make demo` prints."""

import io
from pathlib import Path

import grpc
import pytest
from rich.console import Console

from shared.gen.levata.ledger.v1 import ledger_pb2
from shared.gen.levata.table.v1 import table_pb2
from shared.terminal.demo import demonstrate
from shared.terminal.settings import TerminalSettings
from tests.support.arzoi_positions import MATCH_ID, TABLE_ID, position
from tests.support.terminal_club import TerminalClub

KEY = "key-of-a-service"


class Printer:
    """Runs the demonstration in a folder, and keeps what it printed."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.printed = ""

    def hold_key(self) -> None:
        """Puts the key where a club that runs from the folder has it."""
        (self.state / "keys").mkdir()
        (self.state / "keys" / "service-matchmaking.jwt").write_text(KEY + "\n")

    async def run(self, club: TerminalClub, language: str = "en", seats: int = 4, level: str = "club") -> int:
        out = io.StringIO()
        settings = TerminalSettings(state=self.state, language=language, patience_seconds=2.0)
        status = await demonstrate(settings, club.addresses, Console(file=out, width=100), seats=seats, level=level)
        self.printed = out.getvalue()
        return status


@pytest.fixture
def printer(tmp_path: Path) -> Printer:
    return Printer(tmp_path)


async def test_the_demonstration_is_an_exhibition_ordered_with_the_key_of_a_service(
    club: TerminalClub, printer: Printer
) -> None:
    printer.hold_key()
    club.shown = position(5, "over", own=None, revision=2)
    assert await printer.run(club, seats=5, level="novice") == 0
    made = club.requests("CreateTable")[0]
    assert list(made.players) == []
    assert made.options.seats == 5
    assert made.options.bot_level == table_pb2.BOT_LEVEL_NOVICE
    assert made.options.visibility == table_pb2.VISIBILITY_PUBLIC
    assert set(club.tokens) == {f"Bearer {KEY}"}
    assert {name for name, _ in club.calls} == {"CreateTable", "GetTable", "WatchTable", "ListHallOfFame", "GetRecord"}


async def test_the_demonstration_prints_everything_from_the_first_revision_and_keeps_the_record(
    club: TerminalClub, printer: Printer
) -> None:
    printer.hold_key()
    club.shown = position(4, "over", own=None, revision=2)
    club.fame = [ledger_pb2.HallOfFameEntry(rank=1, name="Maria", points=30, matches=1)]
    assert await printer.run(club) == 0
    watched = club.requests("WatchTable")[0]
    assert watched.table_id == TABLE_ID
    assert watched.after_revision == 1
    assert "Playing: Ana, Bot1, Bot2, Bot3" in printer.printed
    assert "Orbit 1 · Whist of 3" in printer.printed
    assert "1. Ana  30" in printer.printed
    assert "  1. Maria" in printer.printed
    record = printer.state / "terminal" / "records" / f"{MATCH_ID}.txt"
    assert record.read_text() == "record\n"
    assert str(record) in printer.printed


@pytest.mark.parametrize(("language", "title"), [("ro", "Galeria celebrităților"), ("en", "Hall of Fame")])
async def test_an_empty_hall_of_fame_is_not_printed(
    club: TerminalClub, printer: Printer, language: str, title: str
) -> None:
    printer.hold_key()
    club.shown = position(4, "over", own=None, revision=2)
    assert await printer.run(club, language) == 0
    assert title not in printer.printed
    club.fame = [ledger_pb2.HallOfFameEntry(rank=1, name="Maria", points=30, matches=1)]
    assert await printer.run(club, language) == 0
    assert title in printer.printed


@pytest.mark.parametrize("language", ["ro", "en"])
async def test_without_the_key_of_the_club_the_demonstration_says_where_it_runs(
    club: TerminalClub, printer: Printer, language: str
) -> None:
    assert await printer.run(club, language) == 1
    assert "make up" in printer.printed
    assert "LEVATA_STATE" in printer.printed
    assert str(printer.state / "keys" / "service-matchmaking.jwt") in printer.printed
    assert club.calls == []


async def test_a_club_that_does_not_take_the_key_is_told_to_be_another_one(
    club: TerminalClub, printer: Printer
) -> None:
    printer.hold_key()
    club.refusals["CreateTable"] = [(grpc.StatusCode.UNAUTHENTICATED, "TOKEN_INVALID", "No.")] * 3
    assert await printer.run(club) == 1
    assert "another club" in printer.printed
    assert "LEVATA_STATE" in printer.printed


async def test_a_table_that_closes_before_the_end_is_no_success(club: TerminalClub, printer: Printer) -> None:
    printer.hold_key()
    club.shown = position(4, "whist", own=None, revision=2)
    assert await printer.run(club) == 1
    assert "The table closed before the end." in printer.printed
    assert club.requests("GetRecord") == []


async def test_the_demonstration_says_how_to_start_a_club_that_is_down(club: TerminalClub, printer: Printer) -> None:
    printer.hold_key()
    await club.stop()
    assert await printer.run(club) == 1
    assert "make up" in printer.printed
