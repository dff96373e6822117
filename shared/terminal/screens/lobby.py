"""The lobby: what one can do, the tables that one sits at, and the public ones."""

from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import DataTable, OptionList, Static
from textual.widgets.option_list import Option

from shared.client import ClubError, new_request_id
from shared.gen.levata.table.v1 import table_pb2
from shared.terminal.games import game_name, view_of
from shared.terminal.screens.club_screen import ClubScreen
from shared.terminal.screens.dialogs import LineDialog, PickDialog
from shared.terminal.screens.hall_of_fame import HallOfFameScreen
from shared.terminal.screens.matches import MatchesScreen
from shared.terminal.screens.new_table import NewTableScreen
from shared.terminal.screens.queue import QuickMatch
from shared.terminal.widgets.canvas import fitted
from shared.terminal.widgets.chips import Chip

MENU = ("return", "quick", "new", "code", "refresh", "fame", "matches")
REFRESH_SECONDS = 10.0
STATUS_KEYS = {
    table_pb2.TABLE_STATUS_WAITING: "status.waiting",
    table_pb2.TABLE_STATUS_PLAYING: "status.playing",
    table_pb2.TABLE_STATUS_FINISHED: "status.finished",
    table_pb2.TABLE_STATUS_STOPPED: "status.stopped",
}
CODE_LENGTHS = range(6, 13)


class LobbyScreen(ClubScreen):
    """Where one comes in and comes back to."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(str(number), f"choose('{name}')", show=False) for number, name in enumerate(MENU, start=1)),
        Binding("q,Q,escape", "app.quit", show=False),
        Binding("question_mark,f1", "help", show=False),
        Binding("left", "menu", show=False),
        Binding("right", "tables", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._list: DataTable[str] = DataTable(id="list", cursor_type="row")
        self._own: list[table_pb2.TableSummary] = []
        self._offered = False
        self._ready = False
        self._tables: dict[str, table_pb2.TableSummary] = {}

    def compose(self) -> ComposeResult:
        """The menu on the left, the tables on the right."""
        self._none = Static(self.texts("lobby.tables.none"), id="none", markup=False)
        self._choices = OptionList(*self._options(), id="choices")
        credentials = self.levata.club.credentials
        name = credentials.name if credentials is not None else ""
        yield self.title_bar(self.texts("lobby.hello", name=name))
        with Horizontal(id="lobby"):
            with Vertical(id="menu"):
                yield self._choices
            with Vertical(id="tables"):
                yield Static(f"{self.texts('lobby.tables')} · {self.texts('lobby.tables.own')}", markup=False)
                yield self._none
                yield self._list
        yield self.key_bar(
            [
                Chip("help", "?", self.texts("key.help")),
                Chip("menu", "←", ""),
                Chip("tables", "→", self.texts("lobby.tables")),
                Chip("app.quit", "q", self.texts("key.quit")),
            ]
        )

    def _options(self) -> list[Option]:
        return [Option(self._label(name), id=name) for name in MENU]

    def _label(self, name: str) -> Content:
        """A line of the menu; the way back is faint while there is no table to go back to."""
        label = f"{MENU.index(name) + 1} {self.texts(f'lobby.{name}')}"
        return Content.styled(label, "dim") if name == "return" and not self._own else Content(label)

    def on_mount(self) -> None:
        """Sets up the list."""
        table = self._list
        for column in ("host", "game", "seats", "people", "status", "clock"):
            table.add_column(self.texts(f"lobby.column.{column}"), key=column)
        self._none.display = False
        choices = self._choices
        choices.highlighted = MENU.index("quick")
        choices.focus()
        self.set_interval(REFRESH_SECONDS, self._refresh_quietly)
        self._ready = True
        self.look()

    def on_screen_resume(self) -> None:
        """Looks around, whenever the player is back."""
        if self._ready:
            self.look()

    def _refresh_quietly(self) -> None:
        if self.app.screen is self:
            self.look(quietly=True)

    @work(exclusive=True, group="look")
    async def look(self, *, quietly: bool = False) -> None:
        """Reads the tables at which the player has a seat, and the public ones."""
        levata = self.levata
        try:
            own = await levata.attempt(self._ask_for_own)
            request = table_pb2.ListTablesRequest(page_size=100)
            answer = await levata.attempt(lambda: levata.club.tables.ListTables(request))
        except ClubError as error:
            if not quietly:
                levata.complain(error)
            return
        sits_at = {table.table_id for table in own}
        self._show_tables([*own, *(table for table in answer.tables if table.table_id not in sits_at)])
        self._show_own(own)

    async def _ask_for_own(self) -> list[table_pb2.TableSummary]:
        """The tables at which the player has a seat, wherever the player sat down."""
        request = table_pb2.ListMyTablesRequest(page_size=100)
        return list((await self.levata.club.tables.ListMyTables(request)).tables)

    def _sits_at(self, table: table_pb2.TableSummary) -> bool:
        return any(seat.player_id == self.levata.club.player_id for seat in table.seats if seat.player_id)

    def _show_tables(self, tables: list[table_pb2.TableSummary]) -> None:
        shown = self._list
        cursor = shown.cursor_row
        self._tables = {table.table_id: table for table in tables}
        shown.clear()
        for table in tables:
            view = view_of(table.options.game)
            people = sum(seat.kind == table_pb2.SEAT_KIND_HUMAN for seat in table.seats)
            shown.add_row(
                ("▸ " if self._sits_at(table) else "") + fitted(host_name(table), 12).rstrip(),
                view.title(self.texts) if view is not None else game_name(table.options.game),
                str(table.options.seats),
                str(people),
                self.texts("status.frozen" if table.frozen else STATUS_KEYS.get(table.status, "status.playing")),
                self.texts("answer.yes" if has_clock(table.options) else "answer.no"),
                key=table.table_id,
            )
        if tables:
            shown.move_cursor(row=min(cursor, len(tables) - 1))
        self._none.display = not tables

    def _show_own(self, own: list[table_pb2.TableSummary]) -> None:
        """Lights the way back if there is one, and offers it once."""
        was_known = bool(self._own)
        self._own = own
        choices = self._choices
        choices.replace_option_prompt("return", self._label("return"))
        if own:
            if not was_known:
                choices.highlighted = MENU.index("return")
            if not self._offered and self.app.screen is self:
                self._offered = True
                self._offer(own)

    def _offer(self, own: list[table_pb2.TableSummary]) -> None:
        """Asks which table to go back to, or whether, if there is only one."""
        if len(own) == 1:
            question = self.texts("lobby.resume", table=self._words_for(own[0]))
            options = [(own[0].table_id, self.texts("answer.yes")), ("", self.texts("answer.no"))]
        else:
            question = self.texts("lobby.resume.which", count=len(own))
            options = [(table.table_id, self._words_for(table)) for table in own]

        def answered(answer: str | None) -> None:
            if answer:
                self.levata.open_table(answer)

        self.app.push_screen(PickDialog(question, options, self.texts), answered)

    def _words_for(self, table: table_pb2.TableSummary) -> str:
        view = view_of(table.options.game)
        game = view.title(self.texts) if view is not None else game_name(table.options.game)
        return self.texts("lobby.table", game=game, seats=table.options.seats, host=host_name(table))

    def on_option_list_option_selected(self, message: OptionList.OptionSelected) -> None:
        """Enter or a click in the menu."""
        message.stop()
        self.action_choose(message.option.id or "")

    def on_data_table_row_selected(self, message: DataTable.RowSelected) -> None:
        """Enter or a click on a table."""
        message.stop()
        summary = self._tables.get(str(message.row_key.value))
        if summary is not None:
            self.approach(summary, "")

    def action_menu(self) -> None:
        """The menu gets the keys."""
        self._choices.focus()

    def action_tables(self) -> None:
        """The list of tables gets the keys."""
        self._list.focus()

    def action_choose(self, name: str) -> None:
        """Does what a line of the menu says."""
        match name:
            case "return":
                self._return()
            case "quick":
                self.app.push_screen(QuickMatch())
            case "new":
                self.app.push_screen(NewTableScreen())
            case "code":
                self.by_code()
            case "refresh":
                self.look()
            case "fame":
                self.app.push_screen(HallOfFameScreen())
            case "matches":
                self.app.push_screen(MatchesScreen())
            case _:
                return

    @work(group="approach")
    async def _return(self) -> None:
        """Goes to the table at which the player has a seat; asks which if there are several, says if there is none."""
        own = await self.levata.ask(self._ask_for_own)
        if own is None:
            return
        if not own:
            self.notify(self.texts("lobby.return.none"))
        elif len(own) == 1:
            self.levata.open_table(own[0].table_id)
        else:
            self._offer(own)

    @work(group="approach")
    async def by_code(self) -> None:
        """Asks for an invitation code and goes to its table."""
        levata = self.levata
        dialog = LineDialog(self.texts("code.ask"), self.texts("code.enter"), self.texts, max_length=CODE_LENGTHS[-1])
        code = await self.app.push_screen_wait(dialog)
        if code is None:
            return
        if len(code) not in CODE_LENGTHS or not (code.isascii() and code.isalnum()):
            self.notify(self.texts("code.short"), severity="warning")
            return
        request = table_pb2.FindTableRequest(invitation_code=code)
        answer = await levata.ask(lambda: levata.club.tables.FindTable(request))
        if answer is not None:
            self.approach(answer.table, code)

    @work(group="approach")
    async def approach(self, summary: table_pb2.TableSummary, code: str) -> None:
        """Sits down at a table that waits, or watches one."""
        levata = self.levata
        seated = self._sits_at(summary)
        free = any(seat.kind == table_pb2.SEAT_KIND_FREE for seat in summary.seats)
        if seated or summary.status != table_pb2.TABLE_STATUS_WAITING or not free:
            levata.open_table(summary.table_id)
            return
        choice: str | None = "sit"
        if not code:
            options = [("sit", self.texts("join.sit")), ("watch", self.texts("join.watch"))]
            title = self.texts("join.title", host=host_name(summary))
            choice = await self.app.push_screen_wait(PickDialog(title, options, self.texts))
        if choice == "sit":
            request = table_pb2.JoinTableRequest(
                request_id=new_request_id(), table_id=summary.table_id, invitation_code=code
            )
            if await levata.ask(lambda: levata.club.tables.JoinTable(request)) is None:
                return
        if choice is not None:
            levata.open_table(summary.table_id)


def has_clock(options: table_pb2.TableOptions) -> bool:
    """Whether anybody is hurried at a table."""
    clock = options.clock
    return any((clock.bid_seconds, clock.play_seconds, clock.choose_seconds, clock.turn_seconds))


def host_name(summary: table_pb2.TableSummary) -> str:
    """The name of a table's host."""
    return next((seat.name for seat in summary.seats if seat.player_id == summary.host_player_id != ""), "")
