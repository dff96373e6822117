"""The table: one's hand, everybody around, what lies between, what happened, what was said."""

from typing import ClassVar

from rich.text import Text
from textual import events, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from shared.client import ClubError, ConnectionState, Phase, TableSession
from shared.gen.levata.bot.v1 import bot_pb2
from shared.gen.levata.table.v1 import game_pb2, table_pb2
from shared.terminal.desks.desk import Desk
from shared.terminal.desks.registry import desk_for
from shared.terminal.games import game_name, view_of
from shared.terminal.narrator import Narrator
from shared.terminal.pacing import Pacer, Step
from shared.terminal.screens.dialogs import PageDialog
from shared.terminal.screens.table_company import OVER, TableCompany
from shared.terminal.screens.table_words import bar_chips, key_chips, notes, prompt
from shared.terminal.widgets.chat import Feed
from shared.terminal.widgets.chips import Chip, Chips
from shared.terminal.widgets.clock import ClockFace
from shared.terminal.widgets.sheet import sheet_text
from shared.terminal.widgets.touched import Touched
from shared.terminal.widgets.trick import Felt

ROOMY_WIDTH = 110
ROOMY_HEIGHT = 32
HISTORY_KEPT = 1000


class TableScreen(TableCompany):
    """One table, played at or watched. What a game looks like there, and how it is played, its desk knows."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "skip", show=False),
        Binding("h,H", "hint", show=False),
        Binding("f,F", "sheet", show=False),
        Binding("q,Q", "back", show=False),
        Binding("question_mark,f1", "help", show=False),
    ]

    def __init__(self, table_id: str) -> None:
        super().__init__(table_id)
        self._latest: table_pb2.Table | None = None
        self._shown: Step | None = None
        self._desk: Desk | None = None
        self._busy = False
        self._ended = False
        self._place = Static("", id="place", markup=False)
        self._link = Static("", id="link", markup=False)
        self._subline = Static("", id="subline", markup=False)
        self._prompt = Static("", id="prompt", markup=False)
        self._actions = Chips(id="actions")
        self._feed = Feed(id="feed")

    def compose(self) -> ComposeResult:
        """The lines above, the board on the left, the feed and the chat on the right; the desk comes with the game."""
        texts = self.texts
        self._narrator = Narrator(texts)
        self._clock = ClockFace(texts, self._server_now, id="clock")
        self._line.placeholder = texts("table.chat")
        with Horizontal(id="headline"):
            yield self._place
            yield self._link
        yield self._subline
        with Horizontal(id="main"):
            with Vertical(id="board"):
                with Horizontal(id="asking"):
                    yield self._prompt
                    yield self._clock
                yield self._actions
            with Vertical(id="side"):
                yield self._feed
                yield self._line
        self._keys = self.key_bar([Chip("help", "?", ""), Chip("back", "q", texts("keys.lobby"))])
        yield self._keys

    def on_mount(self) -> None:
        """Sits down to watch."""
        self._pacer = Pacer(self._show, self.set_timer, self.levata.settings.show_milliseconds / 1000)
        self._line.can_focus = False
        self._fit(self.size.width, self.size.height)
        self.follow()

    def on_unmount(self) -> None:
        """Nothing more is to be shown."""
        self._pacer.drop()

    def on_resize(self, event: events.Resize) -> None:
        """Uses the room there is."""
        self._fit(event.size.width, event.size.height)

    def _fit(self, width: int, height: int) -> None:
        roomy = width >= ROOMY_WIDTH and height >= ROOMY_HEIGHT
        self.set_class(roomy, "roomy")
        self.set_class(not roomy and self._desk is not None and self._desk.wide, "wide")
        self._fit_line()

    def _server_now(self) -> float:
        return self._session.server_now() if self._session is not None else 0.0

    # What comes from the club.

    @work(exclusive=True, group="follow")
    async def follow(self) -> None:
        """Follows the table until it is closed, through lost connections."""
        levata = self.levata
        self._session = session = levata.club.play(self._table_id)
        stop = session.state.follow(self._show_connection)
        self._show_connection(session.state.value)
        try:
            async with session:
                async for update in session:
                    await self._furnish(session.table)
                    self._take(session, update)
        except ClubError as error:
            self._pacer.skip()
            self._prompt.update(levata.words_for(error))
            levata.complain(error)
        finally:
            stop()
        self._ended = True
        self._refresh_controls()

    async def _furnish(self, table: table_pb2.Table) -> None:
        """Puts the desk of the game on the board, once it is known which."""
        if self._desk is None:
            self._desk = desk = desk_for(view_of(table.options.game), self.texts, self.play)
            board = self.query_one("#board", Vertical)
            await board.mount(desk.felt, before="#asking")
            await board.mount(desk.hand, after="#asking")
            self._fit(self.size.width, self.size.height)

    def _show_connection(self, state: ConnectionState) -> None:
        match state.phase:
            case Phase.CONNECTED:
                self._link.update(Text(f"● {self.texts('connection.live')}", "#8fd77f"))
            case Phase.CLOSED:
                self._link.update(Text(f"○ {self.texts('connection.closed')}", "#ffc07f"))
            case _:
                key = "club.connecting" if state.phase is Phase.CONNECTING else "connection.lost"
                self._link.update(Text(f"○ {self.texts(key)}", "bold #ff7f7f"))

    def _take(self, session: TableSession, update: table_pb2.Update) -> None:
        """Queues what is to be seen of an update; what the player may do changes at once."""
        before, table = self._latest, update.table if update.HasField("table") else session.table
        private = update.private if update.HasField("table") else session.private
        own = private.seat if private.HasField("seat") else None
        view = view_of(table.options.game)
        was_seated = self._shown is not None and self._shown.private.HasField("seat")
        lines = self._narrator.tell(update, table, own, view)
        self._note_removal(update)
        if update.HasField("table"):
            self._latest = update.table
            if update.private.HasField("seat") and self._shown is not None and not was_seated:
                self.notify(self.texts("event.admitted"))
        if update.snapshot:
            self._pacer.drop()
            self._show(Step(update.table, update.private, lines))
        elif update.HasField("table"):
            frames = view.frames(before, update) if view is not None else []
            steps = [Step(frame.table, update.private, (), frame.beats) for frame in frames]
            if not steps:
                steps = [Step(update.table, update.private)]
            steps[0] = Step(steps[0].table, steps[0].private, lines, steps[0].beats)
            self._pacer.add(steps)
        elif lines:
            self._feed.write(*lines)
        self._offer(session)

    def _note_removal(self, update: table_pb2.Update) -> None:
        """Tells the player that the host has removed them; no seat is offered them here any more."""
        for event in update.events:
            left = event.seat_left
            if left.removed and left.player_id == self.levata.club.player_id:
                self.levata.removed_from.add(self._table_id)
                self.notify(self.texts("table.removed"), severity="warning")

    # What is on the screen.

    def _show(self, step: Step) -> None:
        self._shown = step
        table, private, texts = step.table, step.private, self.texts
        view = view_of(table.options.game)
        headline = game_name(table.options.game)
        subline: str | Text = ""
        if view is not None:
            headline = view.title(texts)
            if table.HasField("game"):
                headline = " · ".join(filter(None, [headline, view.headline(table, texts)]))
                subline = view.subline(table, texts)
        self._place.update(headline)
        self._subline.update(subline)
        if self._desk is not None:
            self._desk.show(table, private, notes(table, private, view, texts))
        self._feed.write(*step.lines)
        self._refresh_controls()

    def _offer(self, session: TableSession) -> None:
        """Lets the player pick from what the newest update allows, whatever is still being shown."""
        if self._desk is not None:
            self._desk.offer(session.table, session.private)
        self._refresh_controls()

    def _refresh_controls(self) -> None:
        """Prompt, clock, hand and buttons: of the newest state when it is the player's turn, else of what is shown."""
        session, desk = self._session, self._desk
        if session is None or desk is None or self._shown is None or not self.is_mounted:
            return
        turn = bool(session.private.legal_actions)
        table = session.table if turn else self._shown.table
        private = session.private if turn else self._shown.private
        view = view_of(table.options.game)
        own = private.seat if private.HasField("seat") else None
        desk.refresh(private, turn)
        words = desk.prompt() or prompt(table, private, view, self.texts)
        self._prompt.update(self.texts("table.sent") if self._busy else words)
        self._clock.show(session.table, own)
        newest, player = (session.table, session.private), self.levata.club.player_id
        removed = self._table_id in self.levata.removed_from
        chips, chosen = ([], None) if self._over() else desk.chips()
        chips = [*chips, *bar_chips(*newest, player, self._ended, self.texts, removed=removed)]
        self._keys.show(key_chips(*newest, player, self._ended, self.texts))
        self._actions.show(chips, chosen)
        frozen = self._frozen()
        self.set_class(frozen, "frozen")
        if frozen and self._line.can_focus:
            self.action_cards()
        spoken = "table.chat" if own is not None else "table.chat.spectator"
        self._line.placeholder = self.texts("table.chat.frozen" if frozen else spoken)

    def _over(self) -> bool:
        return self._ended or (self._session is not None and self._session.table.status in OVER)

    # What the player does.

    async def on_key(self, event: events.Key) -> None:
        """Keys that pick and play, and the letters of the buttons."""
        if isinstance(self.focused, Input) or self.has_class("small"):
            return
        if event.key == "space":
            self._pacer.skip()
        if self._desk is not None and self._desk.press(event.key, event.character):
            event.stop()
            event.prevent_default()
            self._refresh_controls()
            return
        for chip in self._actions.chips:
            if event.character is not None and chip.key == event.character.lower() and chip.name.startswith("bar_"):
                event.stop()
                event.prevent_default()
                await self.run_action(chip.name)
                return

    async def press_chip(self, name: str) -> None:
        """A click on a button of the game; on another button or a key does what it is named after."""
        if self._desk is not None and self._desk.press_chip(name):
            self._refresh_controls()
        else:
            await super().press_chip(name)

    def on_touched(self, message: Touched) -> None:
        """A click on something that the desk shows."""
        message.stop()
        if self._desk is not None:
            self._desk.touch(message.part, message.index)
            self._refresh_controls()

    def on_felt_seat_clicked(self, message: Felt.SeatClicked) -> None:
        """A click on a player: what the host may do with that player."""
        message.stop()
        if self._is_host() and not self._refused():
            self.host_menu(message.seat)

    def play(self, action: game_pb2.GameAction) -> None:
        """Plays an action, if the player is at turn and none is on its way."""
        session = self._session
        if session is None or self._busy or not session.private.legal_actions:
            return
        self._busy = True
        self._pacer.skip()
        self.act(session, action)

    @work(group="act")
    async def act(self, session: TableSession, action: game_pb2.GameAction) -> None:
        """Sends an action; a refusal is told and the decision is open again."""
        try:
            await session.act(action)
        except ClubError as error:
            self.levata.complain(error)
        finally:
            self._busy = False
            self._refresh_controls()

    def action_skip(self) -> None:
        """Shows at once all that waits to be shown."""
        self._pacer.skip()

    def action_hint(self) -> None:
        """Asks a bot what it would do."""
        session = self._session
        if session is None or not session.private.legal_actions:
            self.notify(self.texts("table.no_hint"))
            return
        self.hint(session)

    @work(exclusive=True, group="hint")
    async def hint(self, session: TableSession) -> None:
        """Shows what a bot would do, and picks it."""
        levata = self.levata
        request = bot_pb2.SuggestMoveRequest(
            table=session.table,
            private=session.private,
            level=session.table.options.bot_level,
            history=session.history[-HISTORY_KEPT:],
        )
        answer = await levata.ask(lambda: levata.club.bots.SuggestMove(request))
        if answer is not None and self._desk is not None and self._desk.suggest(answer.action):
            self._refresh_controls()

    def action_help(self) -> None:
        """Shows the keys and the rules of this table's game."""
        session = self._session
        self.levata.show_help(view_of(session.table.options.game) if session is not None else None)

    def action_sheet(self) -> None:
        """Shows the score sheet."""
        session = self._session
        view = view_of(session.table.options.game) if session is not None else None
        if session is None or view is None:
            return
        rows = view.sheet(session.table, session.score_sheet, self.texts)
        names = [seat.name for seat in session.table.seats]
        width = self.size.width - 6
        header, body = sheet_text(names, rows, width) if rows else (Text(""), Text(self.texts("sheet.empty")))
        if header.cell_len > width:
            header, body = Text(""), Text("\n").join([header, body])
        title = self.texts("sheet.title")
        self.app.push_screen(PageDialog(title, body, self.texts, wrap=False, at_end=True, header=header))

    def action_back(self) -> None:
        """Back to the lobby; a seat stays the player's, and nothing more is to be seen."""
        self._pacer.drop()
        super().action_back()
