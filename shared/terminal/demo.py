"""`python -m shared.terminal.demo`: four bots play a whole match through the running club, and it is printed.

A guest makes a public table, starts the match and goes away, so that a bot plays in its seat too; a second guest
watches from the side, as any spectator may. Bots do not dawdle where no person is present.
"""

import argparse
import asyncio
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path

import grpc
from rich.console import Console
from rich.text import Text

from shared.client import Addresses, Club, ClubError, FileStore, new_request_id
from shared.gen.levata.ledger.v1 import ledger_pb2
from shared.gen.levata.table.v1 import game_pb2, table_pb2
from shared.terminal.games import VIEWS
from shared.terminal.games.view import GameView
from shared.terminal.settings import TerminalSettings
from shared.terminal.texts import LANGUAGES, Texts
from shared.terminal.widgets.sheet import sheet_text

SEATS = 4
ABSENCE_SECONDS = 5
POSTING_TRIES = 40
POSTING_SECONDS = 0.25
FAME_ROWS = 10
BOT_LEVELS = {"novice": table_pb2.BOT_LEVEL_NOVICE, "club": table_pb2.BOT_LEVEL_CLUB}


async def sign_in(club: Club, name: str) -> None:
    """Signs in as the guest of that name that this device keeps; under a longer name when somebody else has it."""
    kept = club.credentials
    try:
        await club.sign_in_guest(kept.name if kept is not None else name)
    except ClubError as error:
        if error.reason != "NAME_TAKEN":
            raise
        await club.sign_in_guest(f"{name} {secrets.token_hex(3)}")


class Demonstration:
    """One match of bots, printed."""

    def __init__(self, host: Club, watcher: Club, console: Console, texts: Texts, records: Path) -> None:
        """`host` makes the table, `watcher` watches it; records are written into the folder `records`."""
        self._host = host
        self._watcher = watcher
        self._console = console
        self._texts = texts
        self._records = records
        self._view: GameView = VIEWS["arzoi"]

    async def run(self, seats: int, level: "table_pb2.BotLevel.ValueType") -> bool:
        """Plays and prints a match; whether it came to its end.

        Raises:
            ClubError: The club refuses or cannot be reached.
        """
        table_id = await self._begin(seats, level)
        async with self._watcher.play(table_id) as session:
            names = ", ".join(seat.name for seat in session.table.seats)
            self._say(self._texts("demo.players", names=names))
            async for update in session:
                table = update.table if update.HasField("table") else session.table
                for event in update.events:
                    self._print(self._view.told(table, event, self._texts))
                if session.view.over and update.revision == session.revision:
                    break
            table, sheet = session.table, session.score_sheet
        if table.status != table_pb2.TABLE_STATUS_FINISHED:
            self._say(self._texts("demo.unfinished"))
            return False
        self._show_result(table, sheet)
        await self._show_fame(table.match_id)
        await self._keep_record(table_id)
        return True

    async def _begin(self, seats: int, level: "table_pb2.BotLevel.ValueType") -> str:
        """Makes and starts the table, and goes away from it."""
        options = table_pb2.TableOptions(
            game=self._view.game_options({}),
            seats=seats,
            absence_seconds=ABSENCE_SECONDS,
            bot_talk=table_pb2.BOT_TALK_SILENT,
            bot_level=level,
            visibility=table_pb2.VISIBILITY_PUBLIC,
        )
        tables = self._host.tables
        request = table_pb2.CreateTableRequest(request_id=new_request_id(), options=options)
        table_id = (await tables.CreateTable(request)).table_id
        self._say(self._texts("demo.table", table=table_id))
        async with self._host.play(table_id):
            await tables.StartTable(table_pb2.StartTableRequest(request_id=new_request_id(), table_id=table_id))
        self._say(self._texts("demo.waiting", seconds=ABSENCE_SECONDS))
        return table_id

    def _show_result(self, table: table_pb2.Table, sheet: game_pb2.GameScoreSheet) -> None:
        rows = self._view.sheet(table, sheet, self._texts)
        names = [seat.name for seat in table.seats]
        self._print([Text(""), Text(self._texts("sheet.title"), "bold")])
        self._print(sheet_text(names, rows, min(self._console.width, 100)))
        self._print([Text(""), Text(self._texts("table.finished"), "bold")])
        for standing in table.standings:
            name = table.seats[standing.seat].name
            self._say(self._texts("table.standing", place=standing.place, name=name, points=standing.points))

    async def _show_fame(self, match_id: str) -> None:
        """The Hall of Fame, as soon as the match is in it."""
        for _ in range(POSTING_TRIES):
            try:
                await self._watcher.ledger.GetMatch(ledger_pb2.GetMatchRequest(match_id=match_id))
                break
            except ClubError as error:
                if error.code is not grpc.StatusCode.NOT_FOUND:
                    raise
            await asyncio.sleep(POSTING_SECONDS)
        else:
            self._say(self._texts("demo.late"))
        request = ledger_pb2.ListHallOfFameRequest(game=self._view.name, page_size=FAME_ROWS)
        answer = await self._watcher.ledger.ListHallOfFame(request)
        self._print([Text(""), Text(self._texts("demo.fame"), "bold")])
        for entry in answer.entries:
            self._say(f"  {entry.rank:>3}. {entry.name:<24} {entry.points:>7}  ({entry.matches})")

    async def _keep_record(self, table_id: str) -> None:
        """Writes the record where it can be replayed from."""
        record = await self._watcher.tables.GetRecord(table_pb2.GetRecordRequest(table_id=table_id))
        self._records.mkdir(parents=True, exist_ok=True)
        path = self._records / f"{record.match_id}.txt"
        path.write_text(record.record)
        self._print([Text("")])
        self._say(self._texts("demo.record", match=record.match_id, path=path))

    def _say(self, words: str) -> None:
        self._print([Text(words)])

    def _print(self, lines: Sequence[Text]) -> None:
        for line in lines:
            self._console.print(line, soft_wrap=True, highlight=False)


async def demonstrate(
    settings: TerminalSettings, addresses: Addresses, console: Console, *, seats: int = SEATS, level: str = "club"
) -> int:
    """Signs both guests in and runs the demonstration; the exit status of the command."""
    texts = Texts(settings.spoken)
    host_store, watcher_store = (FileStore(settings.folder / f"demo-{role}.json") for role in ("host", "watcher"))
    try:
        async with (
            Club.connect(addresses, language=texts.language, store=host_store) as host,
            Club.connect(addresses, language=texts.language, store=watcher_store) as watcher,
        ):
            for club, name in ((host, "Demo"), (watcher, "Privitor")):
                async with asyncio.timeout(settings.patience_seconds):
                    await sign_in(club, name)
            demonstration = Demonstration(host, watcher, console, texts, settings.folder / "records")
            return 0 if await demonstration.run(seats, BOT_LEVELS[level]) else 1
    except TimeoutError:
        console.print(Text(texts("club.down")), style="bold red")
        return 1
    except ClubError as error:
        down = error.code is grpc.StatusCode.UNAVAILABLE and not error.answered
        console.print(Text(texts("club.down") if down else error.message), style="bold red")
        return 1


def main() -> None:
    """Reads the settings and demonstrates."""
    settings = TerminalSettings()
    parser = argparse.ArgumentParser(prog="python -m shared.terminal.demo", description="Watch bots play a match.")
    parser.add_argument("--language", choices=LANGUAGES, default=settings.spoken, help="of what is printed")
    parser.add_argument(
        "--seats", type=int, choices=list(VIEWS["arzoi"].sizes), default=SEATS, help="bots at the table"
    )
    parser.add_argument("--level", choices=list(BOT_LEVELS), default="club", help="how well they play")
    arguments = parser.parse_args()
    chosen = settings.model_copy(update={"language": arguments.language})
    run = demonstrate(chosen, Addresses.from_environment(), Console(), seats=arguments.seats, level=arguments.level)
    try:
        sys.exit(asyncio.run(run))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
