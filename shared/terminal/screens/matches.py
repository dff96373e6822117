"""The player's matches, what each did to the player's rating, and the record of each."""

from typing import ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import DataTable, Static

from shared.gen.levata.ledger.v1 import ledger_pb2
from shared.terminal.games import VIEWS
from shared.terminal.screens.club_screen import ClubScreen
from shared.terminal.screens.dialogs import PageDialog
from shared.terminal.widgets.chips import Chip

PAGE = 50


class MatchesScreen(ClubScreen):
    """Newest first; Enter shows one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,Q,escape", "back", show=False),
        Binding("question_mark,f1", "help", show=False),
        Binding("m,M", "more", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._list: DataTable[str] = DataTable(id="list", cursor_type="row")
        self._next_page = ""
        self._matches: dict[str, ledger_pb2.Match] = {}

    def compose(self) -> ComposeResult:
        """A table of matches."""
        self._none = Static(self.texts("matches.none"), id="none", markup=False)
        yield self.title_bar(self.texts("matches.title"))
        with Vertical(classes="body"):
            yield self._none
            yield self._list
        yield self.key_bar([*self.back_and_help(), Chip("more", "m", self.texts("list.more"))])

    def on_mount(self) -> None:
        """Sets up the table."""
        table = self._list
        for column in ("ended", "game", "place", "points", "rating", "players"):
            table.add_column(self.texts(f"matches.column.{column}"), key=column)
        self._none.display = False
        table.focus()
        self.read("")

    @work(exclusive=True, group="matches")
    async def read(self, page_token: str) -> None:
        """Reads a page."""
        levata = self.levata
        request = ledger_pb2.ListMatchesRequest(page_size=PAGE, page_token=page_token)
        answer = await levata.ask(lambda: levata.club.ledger.ListMatches(request))
        if answer is None:
            return
        table = self._list
        for match in answer.matches:
            self._matches[match.match_id] = match
            own = next((seat for seat in match.seats if seat.player_id == levata.club.player_id), None)
            change = own_change(match, levata.club.player_id)
            view = VIEWS.get(match.game)
            table.add_row(
                f"{match.ended_at.ToDatetime():%Y-%m-%d %H:%M}",
                view.title(self.texts) if view is not None else match.game,
                self.texts("matches.stopped") if match.stopped else str(own.place) if own is not None else "",
                str(own.points) if own is not None else "",
                f"{change.change:+d}" if change is not None else "",
                ", ".join(seat.name for seat in match.seats),
                key=match.match_id,
            )
        self._next_page = answer.next_page_token
        self._none.display = table.row_count == 0

    def action_more(self) -> None:
        """Reads the next page."""
        if self._next_page:
            self.read(self._next_page)

    def on_data_table_row_selected(self, message: DataTable.RowSelected) -> None:
        """Enter or a click on a match."""
        message.stop()
        match = self._matches.get(str(message.row_key.value))
        if match is not None:
            self.show_match(match)

    @work(exclusive=True, group="record")
    async def show_match(self, match: ledger_pb2.Match) -> None:
        """Reads the record of a match and shows it under its result."""
        levata = self.levata
        request = ledger_pb2.GetMatchRecordRequest(match_id=match.match_id)
        answer = await levata.ask(lambda: levata.club.ledger.GetMatchRecord(request))
        if answer is None:
            return
        body = Text()
        if match.stopped:
            said = self.texts("record.stopped", finished=match.hands_finished, whole=match.hands)
            body.append(said, "bold").append("\n")
        for seat in sorted(match.seats, key=lambda each: (each.place, each.seat)):
            line = self.texts("record.standing", place=seat.place, name=seat.name, points=seat.points)
            body.append(line, "bold" if seat.player_id == levata.club.player_id else "")
            if seat.decisions_by_bot and seat.player_id:
                body.append(self.texts("record.bot_decisions", count=seat.decisions_by_bot), "dim")
            body.append("\n")
        body.append(self._rating_lines(match))
        body.append("\n").append(self.texts("record.text"), "bold").append("\n").append(answer.record)
        title = self.texts("record.title", match=match.match_id)
        self.app.push_screen(PageDialog(title, body, self.texts, wrap=False))

    def _rating_lines(self, match: ledger_pb2.Match) -> Text:
        """What the match did to ratings; nothing where it did not count for one."""
        lines = Text()
        if match.points_rating_changes:
            lines.append("\n").append(self.texts("record.ratings"), "bold").append("\n")
        for one in match.points_rating_changes:
            change = f"{one.change:+d}"
            line = self.texts("record.rating", name=one.name, change=change, rating=one.rating)
            own = one.player_id == self.levata.club.player_id
            lines.append(line, "bold" if own else "")
            if one.left:
                lines.append(self.texts("record.left"), "dim")
            lines.append("\n")
        return lines


def own_change(match: ledger_pb2.Match, player_id: str) -> ledger_pb2.PointsRatingChange | None:
    """What the match did to a player's rating; None where it did not count for it."""
    return next((one for one in match.points_rating_changes if one.player_id == player_id), None)
