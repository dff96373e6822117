"""The Hall of Fame of every game."""

from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import DataTable, Static

from shared.gen.levata.ledger.v1 import ledger_pb2
from shared.terminal.games import VIEWS
from shared.terminal.screens.club_screen import ClubScreen
from shared.terminal.widgets.chips import Chip

PAGE = 50


class HallOfFameScreen(ClubScreen):
    """Sums of final points, best first."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,Q,escape", "back", show=False),
        Binding("question_mark,f1", "help", show=False),
        Binding("m,M", "more", show=False),
        Binding("tab", "next_game", show=False, priority=True),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._list: DataTable[str] = DataTable(id="list", cursor_type="row")
        self._game = next(iter(VIEWS))
        self._next_page = ""

    def compose(self) -> ComposeResult:
        """A table of players."""
        self._none = Static(self.texts("fame.none"), id="none", markup=False)
        yield self.title_bar("")
        with Vertical(classes="body"):
            yield self._none
            yield self._list
        yield self.key_bar([*self.back_and_help(), Chip("more", "m", self.texts("list.more"))])

    def on_mount(self) -> None:
        """Sets up the table."""
        table = self._list
        for column in ("rank", "name", "points", "matches", "wins"):
            table.add_column(self.texts(f"fame.column.{column}"), key=column)
        table.focus()
        self._show_game()

    def _show_game(self) -> None:
        title = self.texts("fame.title", game=VIEWS[self._game].title(self.texts))
        self.query_one("#title", Static).update(f"{self.texts('club.title')} · {title}")
        self._none.display = False
        self._list.clear()
        self.read("")

    @work(exclusive=True, group="fame")
    async def read(self, page_token: str) -> None:
        """Reads a page."""
        levata = self.levata
        request = ledger_pb2.ListHallOfFameRequest(game=self._game, page_size=PAGE, page_token=page_token)
        answer = await levata.ask(lambda: levata.club.ledger.ListHallOfFame(request))
        if answer is None:
            return
        table = self._list
        for entry in answer.entries:
            mark = "▸ " if entry.player_id == levata.club.player_id else ""
            table.add_row(str(entry.rank), mark + entry.name, str(entry.points), str(entry.matches), str(entry.wins))
        self._next_page = answer.next_page_token
        self._none.display = table.row_count == 0

    def action_more(self) -> None:
        """Reads the next page."""
        if self._next_page:
            self.read(self._next_page)

    def action_next_game(self) -> None:
        """Shows the next game."""
        names = list(VIEWS)
        if len(names) > 1:
            self._game = names[(names.index(self._game) + 1) % len(names)]
            self._show_game()
