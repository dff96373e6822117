"""A new table: every option in a row, the usual values set."""

from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from shared.client import new_request_id
from shared.gen.levata.table.v1 import table_pb2
from shared.terminal.games import VIEWS
from shared.terminal.games.view import GameView
from shared.terminal.screens.club_screen import ClubScreen
from shared.terminal.texts import Texts
from shared.terminal.widgets.chips import Chip, Chips
from shared.terminal.widgets.form import ValueRow

LEVELS = {"club": table_pb2.BOT_LEVEL_CLUB, "novice": table_pb2.BOT_LEVEL_NOVICE}
TALKS = {
    "silent": table_pb2.BOT_TALK_SILENT,
    "polite": table_pb2.BOT_TALK_POLITE,
    "uncensored": table_pb2.BOT_TALK_UNCENSORED,
}
VISIBILITIES = {"public": table_pb2.VISIBILITY_PUBLIC, "private": table_pb2.VISIBILITY_PRIVATE}
CLOCK_CHOICES = ("none", "recommended")
BID_TIMES = ("bid_seconds", "bid_extra_seconds")
OTHER_TIMES = ("play_seconds", "choose_seconds", "turn_seconds", "bank_seconds")


def clock_words(clock: table_pb2.Clock, texts: Texts) -> str:
    """A clock in words: the times that it has, those to bid together."""
    bid = " ".join(texts(f"clock.{name}", seconds=getattr(clock, name)) for name in BID_TIMES if getattr(clock, name))
    others = (texts(f"clock.{name}", seconds=getattr(clock, name)) for name in OTHER_TIMES if getattr(clock, name))
    return ", ".join(filter(None, (bid, *others)))


class NewTableScreen(ClubScreen):
    """Makes a table and goes to it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "app.focus_previous", show=False),
        Binding("down", "app.focus_next", show=False),
        Binding("enter", "create", show=False),
        Binding("q,Q,escape", "back", show=False),
        Binding("question_mark,f1", "help", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._game = next(iter(VIEWS))

    @property
    def view(self) -> GameView:
        """The game that is chosen."""
        return VIEWS[self._game]

    def compose(self) -> ComposeResult:
        """A row for each option."""
        texts, view = self.texts, self.view
        yield self.title_bar(texts("new.title"))
        with Vertical(classes="body"):
            yield ValueRow(
                texts("new.game"), [(name, each.title(texts)) for name, each in VIEWS.items()], self._game, id="game"
            )
            seats = [(str(size), str(size)) for size in view.sizes]
            yield ValueRow(texts("new.seats"), seats, str(view.usual_seats), id="seats")
            yield ValueRow(texts("new.level"), [(name, texts(f"level.{name}")) for name in LEVELS], "club", id="level")
            yield ValueRow(texts("new.talk"), [(name, texts(f"talk.{name}")) for name in TALKS], "polite", id="talk")
            yield ValueRow(texts("new.clock"), self._clocks(), "none", id="clock")
            visibilities = [(name, texts(f"visibility.{name}")) for name in VISIBILITIES]
            yield ValueRow(texts("new.visibility"), visibilities, "public", id="visibility")
            yield Vertical(id="game-options")
            yield Chips([Chip("create", "enter", texts("new.create"), loud=True)], id="make")
            yield Static("")
            yield Static(texts("new.hint"), markup=False)
        yield self.key_bar(self.back_and_help())

    async def on_mount(self) -> None:
        """The game's own options."""
        self.query_one("#make").styles.height = 1
        self.query_one("#game-options").styles.height = "auto"
        await self._show_game_options()
        self.query_one("#seats").focus()

    def _clocks(self) -> list[tuple[str, str]]:
        return [("none", self.texts("clock.none")), ("recommended", clock_words(self.view.clock(), self.texts))]

    async def _show_game_options(self) -> None:
        place = self.query_one("#game-options", Vertical)
        await place.remove_children()
        await place.mount_all(
            ValueRow(spec.label, spec.values, spec.values[0][0], id=f"option-{spec.name}")
            for spec in self.view.options(self.texts)
        )

    async def on_value_row_changed(self, message: ValueRow.Changed) -> None:
        """Another game has other sizes and options."""
        if message.row.id == "game" and message.row.value != self._game:
            self._game = message.row.value
            seats = [(str(size), str(size)) for size in self.view.sizes]
            self.query_one("#seats", ValueRow).offer(seats, str(self.view.usual_seats))
            self.query_one("#clock", ValueRow).offer(self._clocks(), "none")
            await self._show_game_options()

    def table_options(self) -> table_pb2.TableOptions:
        """The options as they are set."""

        def value(name: str) -> str:
            return self.query_one(f"#{name}", ValueRow).value

        own = {spec.name: value(f"option-{spec.name}") for spec in self.view.options(self.texts)}
        return table_pb2.TableOptions(
            game=self.view.game_options(own),
            seats=int(value("seats")),
            clock=self.view.clock() if value("clock") == "recommended" else None,
            bot_talk=TALKS[value("talk")],
            bot_level=LEVELS[value("level")],
            visibility=VISIBILITIES[value("visibility")],
        )

    def action_create(self) -> None:
        """Makes the table."""
        self.create(table_pb2.CreateTableRequest(request_id=new_request_id(), options=self.table_options()))

    @work(exclusive=True, group="create")
    async def create(self, request: table_pb2.CreateTableRequest) -> None:
        """Asks the club for the table and goes to it."""
        levata = self.levata
        answer = await levata.ask(lambda: levata.club.tables.CreateTable(request))
        if answer is not None:
            self.app.pop_screen()
            levata.open_table(answer.table_id)
