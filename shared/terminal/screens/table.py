"""The table: one's hand, everybody around, the trick, what happened, what was said."""

from collections.abc import Awaitable, Callable
from typing import Any, ClassVar

from rich.text import Text
from textual import events, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from shared.client import ClubError, ConnectionState, Phase, TableSession, new_request_id
from shared.gen.levata.bot.v1 import bot_pb2
from shared.gen.levata.table.v1 import table_pb2
from shared.terminal.games import game_name, view_of
from shared.terminal.narrator import Narrator
from shared.terminal.pacing import Pacer, Step
from shared.terminal.picks import Picks
from shared.terminal.screens.club_screen import ClubScreen
from shared.terminal.screens.dialogs import PageDialog, PickDialog
from shared.terminal.screens.host_menu import answer_call, host_choices, start_call
from shared.terminal.screens.table_words import bar_chips, key_chips, notes, prompt
from shared.terminal.widgets.cards_in_hand import Hand
from shared.terminal.widgets.chat import Feed
from shared.terminal.widgets.chips import Chip, Chips
from shared.terminal.widgets.clock import ClockFace
from shared.terminal.widgets.sheet import sheet_text
from shared.terminal.widgets.trick import Felt

ROOMY_WIDTH = 110
ROOMY_HEIGHT = 32
CHAT_LETTERS = 200
HISTORY_KEPT = 1000
OVER = (table_pb2.TABLE_STATUS_FINISHED, table_pb2.TABLE_STATUS_STOPPED)


class TableScreen(ClubScreen):
    """One table, played at or watched."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1)", show=False),
        Binding("right", "step(1)", show=False),
        Binding("enter", "play", show=False),
        Binding("space", "skip", show=False),
        Binding("h,H", "hint", show=False),
        Binding("f,F", "sheet", show=False),
        Binding("c,C,t,T,slash", "chat", show=False),
        Binding("g,G", "host", show=False),
        Binding("x,X", "leave", show=False),
        Binding("q,Q", "back", show=False),
        Binding("question_mark,f1", "help", show=False),
        Binding("escape", "cards", show=False),
    ]

    def __init__(self, table_id: str) -> None:
        super().__init__()
        self._table_id = table_id
        self._session: TableSession | None = None
        self._latest: table_pb2.Table | None = None
        self._shown: Step | None = None
        self._picks = Picks()
        self._busy = False
        self._ended = False
        self._advice = ""
        self._place = Static("", id="place", markup=False)
        self._link = Static("", id="link", markup=False)
        self._subline = Static("", id="subline", markup=False)
        self._prompt = Static("", id="prompt", markup=False)
        self._hand = Hand(id="hand")
        self._actions = Chips(id="actions")
        self._feed = Feed(id="feed")

    def compose(self) -> ComposeResult:
        """The lines above, the felt and the hand on the left, the feed and the chat on the right."""
        texts = self.texts
        self._felt = Felt(texts, id="felt")
        self._narrator = Narrator(texts)
        self._clock = ClockFace(texts, self._server_now, id="clock")
        self._line = Input(placeholder=texts("table.chat"), max_length=CHAT_LETTERS, compact=True, id="say")
        with Horizontal(id="headline"):
            yield self._place
            yield self._link
        yield self._subline
        with Horizontal(id="main"):
            with Vertical(id="board"):
                yield self._felt
                with Horizontal(id="asking"):
                    yield self._prompt
                    yield self._clock
                yield self._hand
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
        self.set_class(width >= ROOMY_WIDTH and height >= ROOMY_HEIGHT, "roomy")

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
                    self._take(session, update)
        except ClubError as error:
            self._pacer.skip()
            self._prompt.update(levata.words_for(error))
            levata.complain(error)
        finally:
            stop()
        self._ended = True
        self._refresh_controls()

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
        own = private.seat if private.HasField("seat") else None
        headline = game_name(table.options.game)
        subline = ""
        if view is not None:
            headline = view.title(texts)
            if table.HasField("game"):
                headline = " · ".join(filter(None, [headline, view.headline(table, texts)]))
                subline = view.subline(table, texts)
        self._place.update(headline)
        self._subline.update(subline)
        self._felt.show(table, view, own, notes(table, private, view, texts))
        self._feed.write(*step.lines)
        self._refresh_controls()

    def _offer(self, session: TableSession) -> None:
        """Lets the player pick from what the newest update allows, whatever is still being shown."""
        view = view_of(session.table.options.game)
        private = session.private
        fresh = Picks(view.hand(private), view.choices(private, self.texts)) if view is not None else Picks()
        if not fresh.same(self._picks):
            self._picks, self._advice = fresh, ""
        self._refresh_controls()

    def _refresh_controls(self) -> None:
        """Prompt, clock, hand and buttons: of the newest state when it is the player's turn, else of what is shown."""
        session = self._session
        if session is None or self._shown is None or not self.is_mounted:
            return
        turn = bool(session.private.legal_actions)
        table = session.table if turn else self._shown.table
        private = session.private if turn else self._shown.private
        view = view_of(table.options.game)
        own = private.seat if private.HasField("seat") else None
        picked = self._picks.picked
        words = prompt(table, private, view, self.texts)
        if self._busy:
            words = self.texts("table.sent")
        elif turn and self._advice:
            words = self._advice
        self._prompt.update(words)
        self._clock.show(session.table, own)
        if view is not None:
            cards = view.hand(private)
            self._hand.display = bool(cards) or not view.choices(private, self.texts)
            self._hand.show(cards, picked.card if turn and picked is not None else None)
        newest, player = (session.table, session.private), self.levata.club.player_id
        removed = self._table_id in self.levata.removed_from
        chips = bar_chips(*newest, view, player, self._ended, self.texts, removed=removed)
        self._keys.show(key_chips(*newest, player, self._ended, self.texts))
        at = picked.choice if turn and picked is not None else None
        self._actions.show(chips, at)
        self._line.placeholder = self.texts("table.chat" if own is not None else "table.chat.spectator")

    # What the player does.

    async def on_key(self, event: events.Key) -> None:
        """Digits and letters that pick, and the letters of the buttons."""
        if isinstance(self.focused, Input) or event.character is None:
            return
        key = event.character.lower()
        if self._picks.pick_key(key):
            event.stop()
            event.prevent_default()
            self._refresh_controls()
            return
        for chip in self._actions.chips:
            if chip.key == key and chip.name.startswith("bar_"):
                event.stop()
                event.prevent_default()
                await self.run_action(chip.name)
                return

    async def press_chip(self, name: str) -> None:
        """A click on a bid or a variant plays it; on a button or a key does what it is named after."""
        if name.startswith("choice-"):
            if self._picks.pick_choice(int(name.removeprefix("choice-"))):
                self.action_play()
        else:
            await super().press_chip(name)

    def on_hand_card_clicked(self, message: Hand.CardClicked) -> None:
        """A click on a card plays it."""
        message.stop()
        if self._picks.pick_card(message.index):
            self.action_play()

    def on_felt_seat_clicked(self, message: Felt.SeatClicked) -> None:
        """A click on a player: what the host may do with that player."""
        message.stop()
        if self._is_host():
            self.host_menu(message.seat)

    def action_step(self, by: int) -> None:
        """Goes to the next possibility."""
        self._picks.step(by)
        self._refresh_controls()

    def action_play(self) -> None:
        """Plays what is picked."""
        picked = self._picks.picked
        session = self._session
        if picked is None or session is None or self._busy or not session.private.legal_actions:
            return
        self._busy = True
        self._pacer.skip()
        self.act(session, picked.action)

    @work(group="act")
    async def act(self, session: TableSession, action: Any) -> None:
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

    def action_cards(self) -> None:
        """Back from the chat to the cards."""
        self.set_focus(None)
        self._line.can_focus = False

    def action_chat(self) -> None:
        """To the line of the chat."""
        if self._seated():
            self._line.can_focus = True
            self._line.focus()

    def on_click(self, event: events.Click) -> None:
        """A click on the line of the chat."""
        if isinstance(event.widget, Input):
            self.action_chat()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Says it."""
        message.stop()
        text = message.value.strip()
        message.input.clear()
        self.action_cards()
        if text and self._session is not None and self._seated():
            self.say(self._session, text)

    @work(group="say")
    async def say(self, session: TableSession, text: str) -> None:
        """Says something at the table."""
        try:
            await session.say(text)
        except ClubError as error:
            self.levata.complain(error)

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
        view = view_of(session.table.options.game)
        if answer is None or view is None:
            return
        if self._picks.pick_action(answer.action):
            self._advice = self.texts("table.hint", action=view.action_words(answer.action, self.texts))
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

    def action_host(self) -> None:
        """Opens the host's menu."""
        if self._is_host():
            self.host_menu(None)
        else:
            self.notify(self.texts("host.only"))

    @work(exclusive=True, group="host")
    async def host_menu(self, seat: int | None) -> None:
        """Lets the host pick, asks once more where it cannot be undone, and does it."""
        levata, session = self.levata, self._session
        if session is None:
            return
        choices = {choice.name: choice for choice in host_choices(levata.club, session.table, seat, self.texts)}
        if not choices:
            return
        options = [(choice.name, choice.label) for choice in choices.values()]
        name = await self.app.push_screen_wait(PickDialog(self.texts("host.title"), options, self.texts))
        choice = choices.get(name or "")
        if choice is None or (choice.ask and not await self._sure(choice.ask)):
            return
        await levata.ask(choice.call)

    async def _sure(self, question: str) -> bool:
        options = [("no", self.texts("answer.no")), ("yes", self.texts("answer.yes"))]
        return await self.app.push_screen_wait(PickDialog(question, options, self.texts)) == "yes"

    @work(group="request")
    async def request(self, call: Callable[[], Awaitable[Any]], done: str = "") -> None:
        """Asks the club for something, and says so when it is done."""
        try:
            await self.levata.attempt(call)
        except ClubError as error:
            if error.reason == "REMOVED":
                self.levata.removed_from.add(self._table_id)
                self._refresh_controls()
            self.levata.complain(error)
            return
        if done:
            self.notify(done)

    def action_bar_start(self) -> None:
        """Starts the match."""
        if self._session is not None:
            self.request(start_call(self.levata.club, self._session.table))

    def action_bar_join(self) -> None:
        """Sits down at a table that waits."""
        tables = self.levata.club.tables
        request = table_pb2.JoinTableRequest(request_id=new_request_id(), table_id=self._table_id)
        self.request(lambda: tables.JoinTable(request))

    def action_bar_request(self) -> None:
        """Asks for a seat."""
        tables = self.levata.club.tables
        request = table_pb2.RequestSeatRequest(request_id=new_request_id(), table_id=self._table_id)
        self.request(lambda: tables.RequestSeat(request), self.texts("table.requested"))

    def action_bar_admit(self) -> None:
        """Admits whoever asked first."""
        self._answer(True)

    def action_bar_decline(self) -> None:
        """Declines whoever asked first."""
        self._answer(False)

    def _answer(self, admit: bool) -> None:
        if self._session is not None and self._session.table.seat_requests:
            first = self._session.table.seat_requests[0]
            self.request(answer_call(self.levata.club, self._session.table, first.player_id, admit))

    def action_bar_lobby(self) -> None:
        """Back to the lobby."""
        self.action_back()

    def action_leave(self) -> None:
        """Leaves for good, after a question; whoever only watches just goes."""
        if self._session is None or not self._seated() or self._session.table.status in OVER:
            self.action_back()
        else:
            self.leave(self._session)

    @work(exclusive=True, group="leave")
    async def leave(self, session: TableSession) -> None:
        """Gets up for good."""
        if await self._sure(self.texts("table.leave.ask")):
            levata = self.levata
            if await levata.ask(session.leave) is not None:
                self.action_back()

    def action_back(self) -> None:
        """Back to the lobby; a seat stays the player's."""
        self._pacer.drop()
        if self.app.screen is self:
            self.app.pop_screen()

    def _seated(self) -> bool:
        return self._session is not None and self._session.private.HasField("seat")

    def _is_host(self) -> bool:
        host = self._session.table.host_player_id if self._session is not None else ""
        return host != "" and host == self.levata.club.player_id
