"""`python -m shared.terminal.demo`: bots play a whole match through the running club, and it is printed.

The table is an exhibition: a service makes it, no person has a seat, so it starts at once, belongs to nobody and counts
for nobody. Only whoever runs the club can order one: the key of a service is read from the club's own folder.
"""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

import grpc
from rich.console import Console
from rich.text import Text

from shared.client import Addresses, Club, ClubError, TableView, new_request_id
from shared.gen.levata.ledger.v1 import ledger_pb2
from shared.gen.levata.table.v1 import game_pb2, table_pb2
from shared.terminal.games import VIEWS
from shared.terminal.games.view import GameView
from shared.terminal.settings import TerminalSettings
from shared.terminal.texts import LANGUAGES, Texts
from shared.terminal.widgets.sheet import sheet_text

SEATS = 4
FAME_ROWS = 10
BOT_LEVELS = {"novice": table_pb2.BOT_LEVEL_NOVICE, "club": table_pb2.BOT_LEVEL_CLUB}


class Demonstration:
    """One match of bots, printed."""

    def __init__(self, club: Club, console: Console, texts: Texts, records: Path, view: GameView) -> None:
        """`club` is a connection with the key of a service; the record of the game goes into the folder `records`."""
        self._club = club
        self._console = console
        self._texts = texts
        self._records = records
        self._view = view

    async def run(self, seats: int, level: "table_pb2.BotLevel.ValueType", patience_seconds: float) -> bool:
        """Plays and prints a match; whether it came to its end.

        Raises:
            ClubError: The club refuses or cannot be reached.
            TimeoutError: It did not make a table within `patience_seconds`.
        """
        async with asyncio.timeout(patience_seconds):
            made = await self._make(seats, level)
            opening = await self._club.tables.GetTable(table_pb2.GetTableRequest(table_id=made.table_id))
        table = opening.update.table
        self._say(self._texts("demo.table", table=made.table_id))
        self._say(self._texts("demo.players", names=", ".join(seat.name for seat in table.seats)))
        told = TableView()
        # The bots have begun already: from the first revision on, so that nothing is missed.
        async for update in self._club.watch(made.table_id, after_revision=made.revision):
            told.apply(update)
            table = update.table if update.HasField("table") else table
            for event in update.events:
                self._print(self._view.told(table, event, self._texts))
            if told.over:
                break
        if table.status != table_pb2.TABLE_STATUS_FINISHED:
            self._say(self._texts("demo.unfinished"))
            return False
        self._show_result(table, told.score_sheet)
        await self._show_fame()
        await self._keep_record(made.table_id)
        return True

    async def _make(self, seats: int, level: "table_pb2.BotLevel.ValueType") -> table_pb2.CreateTableResponse:
        """Makes the table; with bots alone on it the match starts at once."""
        options = table_pb2.TableOptions(
            game=self._view.game_options({}),
            seats=seats,
            bot_talk=table_pb2.BOT_TALK_SILENT,
            bot_level=level,
            visibility=table_pb2.VISIBILITY_PUBLIC,
        )
        request = table_pb2.CreateTableRequest(request_id=new_request_id(), options=options)
        return await self._club.tables.CreateTable(request)

    def _show_result(self, table: table_pb2.Table, sheet: game_pb2.GameScoreSheet) -> None:
        rows = self._view.sheet(table, sheet, self._texts)
        names = [seat.name for seat in table.seats]
        self._print([Text(""), Text(self._texts("sheet.title"), "bold")])
        self._print(sheet_text(names, rows, min(self._console.width, 100)))
        self._print([Text(""), Text(self._texts("table.finished"), "bold")])
        for standing in table.standings:
            name = table.seats[standing.seat].name
            self._say(self._texts("table.standing", place=standing.place, name=name, points=standing.points))

    async def _show_fame(self) -> None:
        """The Hall of Fame, if anybody is in it; an exhibition enters nobody."""
        request = ledger_pb2.ListHallOfFameRequest(game=self._view.name, page_size=FAME_ROWS)
        answer = await self._club.ledger.ListHallOfFame(request)
        if not answer.entries:
            return
        self._print([Text(""), Text(self._texts("demo.fame"), "bold")])
        for entry in answer.entries:
            self._say(f"  {entry.rank:>3}. {entry.name:<24} {entry.points:>7}  ({entry.matches})")

    async def _keep_record(self, table_id: str) -> None:
        """Writes the record where it can be replayed from."""
        record = await self._club.tables.GetRecord(table_pb2.GetRecordRequest(table_id=table_id))
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


def service_key(path: Path) -> str | None:
    """The token of a service, as the club's operator has it; None where there is none."""
    try:
        return path.read_text().strip() or None
    except (OSError, UnicodeDecodeError):
        return None


async def demonstrate(
    settings: TerminalSettings,
    addresses: Addresses,
    console: Console,
    *,
    game: str = "arzoi",
    seats: int = SEATS,
    level: str = "club",
) -> int:
    """Runs the demonstration with the key that the club's folder holds; the exit status of the command."""
    texts = Texts(settings.spoken)

    def fail(words: str) -> int:
        console.print(Text(words, style="bold red"), soft_wrap=True)
        return 1

    token = service_key(settings.service_key_file)
    if token is None:
        return fail(texts("demo.no_key", path=settings.service_key_file))
    try:
        async with Club.connect(addresses, language=texts.language, token=token) as club:
            demonstration = Demonstration(club, console, texts, settings.folder / "records", VIEWS[game])
            whole = await demonstration.run(seats, BOT_LEVELS[level], settings.patience_seconds)
    except TimeoutError:
        return fail(texts("club.down"))
    except ClubError as error:
        if error.code is grpc.StatusCode.UNAUTHENTICATED:
            return fail(texts("demo.other_key", path=settings.service_key_file))
        down = error.code is grpc.StatusCode.UNAVAILABLE and not error.answered
        return fail(texts("club.down") if down else error.message)
    return 0 if whole else 1


def main() -> None:
    """Reads the settings and demonstrates."""
    settings = TerminalSettings()
    parser = argparse.ArgumentParser(prog="python -m shared.terminal.demo", description="Watch bots play a match.")
    parser.add_argument("--language", choices=LANGUAGES, default=settings.spoken, help="of what is printed")
    parser.add_argument("--game", choices=list(VIEWS), default="arzoi", help="what they play")
    parser.add_argument("--seats", type=int, default=SEATS, help="bots at the table")
    parser.add_argument("--level", choices=list(BOT_LEVELS), default="club", help="how well they play")
    arguments = parser.parse_args()
    sizes = VIEWS[arguments.game].sizes
    if arguments.seats not in sizes:
        parser.error(f"{arguments.game} is for {sizes.start} to {sizes.stop - 1} players")
    chosen = settings.model_copy(update={"language": arguments.language})
    run = demonstrate(
        chosen,
        Addresses.from_environment(),
        Console(),
        game=arguments.game,
        seats=arguments.seats,
        level=arguments.level,
    )
    try:
        sys.exit(asyncio.run(run))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
