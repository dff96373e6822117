"""The Hall of Fame of every game, and its ranking."""

from collections.abc import Sequence
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
    """Sums of final points, best first; or the players by rating, where the game has one, else by estimated skill."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,Q,escape", "back", show=False),
        Binding("question_mark,f1", "help", show=False),
        Binding("m,M", "more", show=False),
        Binding("r,R", "ranking", show=False),
        Binding("tab", "next_game", show=False, priority=True),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._list: DataTable[str] = DataTable(id="list", cursor_type="row")
        self._game = next(iter(VIEWS))
        self._ranking = False
        self._next_page = ""

    def compose(self) -> ComposeResult:
        """A table of players."""
        self._none = Static("", id="none", markup=False)
        yield self.title_bar("")
        with Vertical(classes="body"):
            yield self._none
            yield self._list
        chips = [Chip("ranking", "r", self.texts("fame.ranking")), Chip("more", "m", self.texts("list.more"))]
        yield self.key_bar([*self.back_and_help(), *chips])

    def on_mount(self) -> None:
        """Sets up the table."""
        self._list.focus()
        self._show_game()

    def _show_game(self) -> None:
        game = VIEWS[self._game].title(self.texts)
        title = self.texts("ranking.title", game=game) if self._ranking else self.texts("fame.title", game=game)
        self.query_one("#title", Static).update(f"{self.texts('club.title')} · {title}")
        self._none.update(self.texts("ranking.none") if self._ranking else self.texts("fame.none"))
        self._none.display = False
        self._list.clear(columns=True)
        if self._ranking:
            self.read_ranking("")
        else:
            self.read("")

    @work(exclusive=True, group="fame")
    async def read(self, page_token: str) -> None:
        """Reads a page of the Hall of Fame."""
        levata = self.levata
        request = ledger_pb2.ListHallOfFameRequest(game=self._game, page_size=PAGE, page_token=page_token)
        answer = await levata.ask(lambda: levata.club.ledger.ListHallOfFame(request))
        if answer is None:
            return
        rated = any(entry.HasField("points_rating") for entry in answer.entries)
        columns = ("rank", "name", "points", "matches", "wins")
        self._add_columns((*columns, "rating") if rated else columns)
        for entry in answer.entries:
            numbers = [entry.points, entry.matches, entry.wins, *([entry.points_rating] if rated else [])]
            self._add_row(entry.rank, entry.player_id, entry.name, [str(number) for number in numbers])
        self._page_read(answer.next_page_token)

    @work(exclusive=True, group="fame")
    async def read_ranking(self, page_token: str) -> None:
        """Reads a page of the ranking."""
        levata = self.levata
        request = ledger_pb2.ListLeaderboardRequest(game=self._game, page_size=PAGE, page_token=page_token)
        answer = await levata.ask(lambda: levata.club.ledger.ListLeaderboard(request))
        if answer is None:
            return
        by_points = answer.order == ledger_pb2.LEADERBOARD_ORDER_POINTS_RATING
        self._add_columns(("rank", "name", "rating" if by_points else "skill", "matches"))
        for entry in answer.entries:
            if by_points:
                words = [str(entry.points_rating.rating), str(entry.points_rating.matches)]
            else:
                words = [f"{entry.rating.ordinal:.1f}", str(entry.rating.matches)]
            self._add_row(entry.rank, entry.player_id, entry.name, words)
        self._page_read(answer.next_page_token)

    def _add_columns(self, columns: Sequence[str]) -> None:
        """Heads the table, before its first page."""
        if not self._list.columns:
            for column in columns:
                self._list.add_column(self.texts(f"fame.column.{column}"), key=column)

    def _add_row(self, rank: int, player_id: str, name: str, words: Sequence[str]) -> None:
        mark = "▸ " if player_id == self.levata.club.player_id else ""
        self._list.add_row(str(rank), mark + name, *words)

    def _page_read(self, next_page: str) -> None:
        self._next_page = next_page
        self._none.display = self._list.row_count == 0

    def action_more(self) -> None:
        """Reads the next page."""
        if self._next_page:
            if self._ranking:
                self.read_ranking(self._next_page)
            else:
                self.read(self._next_page)

    def action_ranking(self) -> None:
        """Shows the ranking instead of the Hall of Fame, or the other way round."""
        self._ranking = not self._ranking
        self._show_game()

    def action_next_game(self) -> None:
        """Shows the next game."""
        names = list(VIEWS)
        if len(names) > 1:
            self._game = names[(names.index(self._game) + 1) % len(names)]
            self._show_game()
