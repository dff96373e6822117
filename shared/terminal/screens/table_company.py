"""What a viewer does at a table besides playing: talks, asks for a seat, gets up; and what the host decides there."""

from collections.abc import Awaitable, Callable
from typing import Any, ClassVar

from textual import events, work
from textual.binding import Binding, BindingType
from textual.widgets import Input

from shared.client import ClubError, TableSession, new_request_id
from shared.gen.levata.table.v1 import table_pb2
from shared.terminal.screens.club_screen import ClubScreen
from shared.terminal.screens.dialogs import PickDialog
from shared.terminal.screens.host_menu import answer_call, host_choices, start_call

CHAT_LETTERS = 200
OVER = (table_pb2.TABLE_STATUS_FINISHED, table_pb2.TABLE_STATUS_STOPPED)


class TableCompany(ClubScreen):
    """One table among people."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c,C,t,T,slash", "chat", show=False),
        Binding("g,G", "host", show=False),
        Binding("x,X", "leave", show=False),
        Binding("escape", "cards", show=False),
    ]

    def __init__(self, table_id: str) -> None:
        super().__init__()
        self._table_id = table_id
        self._session: TableSession | None = None
        self._line = Input(max_length=CHAT_LETTERS, compact=True, id="say")

    def _refresh_controls(self) -> None:
        """Shows what can be done now."""

    def action_cards(self) -> None:
        """Back from the chat to the cards."""
        self.set_focus(None)
        self._line.can_focus = False
        self._fit_line()

    def action_chat(self) -> None:
        """To the line of the chat."""
        if self._seated() and not self._refused():
            self._line.can_focus = True
            self._fit_line()
            self._line.focus()

    def _fit_line(self) -> None:
        """Where what happens is told below the board, the line of the chat is seen only while it is used."""
        self._line.display = self._line.can_focus or not self.has_class("wide")

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

    def action_host(self) -> None:
        """Opens the host's menu."""
        if not self._is_host():
            self.notify(self.texts("host.only"))
        elif not self._refused():
            self.host_menu(None)

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
        elif not self._refused():
            self.leave(self._session)

    @work(exclusive=True, group="leave")
    async def leave(self, session: TableSession) -> None:
        """Gets up for good."""
        if await self._sure(self.texts("table.leave.ask")) and await self.levata.ask(session.leave) is not None:
            self.action_back()

    def action_back(self) -> None:
        """Back to the lobby; a seat stays the player's."""
        if self.app.screen is self:
            self.app.pop_screen()

    def _frozen(self) -> bool:
        """Whether an operator has frozen the table: nobody may do anything there but watch it or go to the club."""
        return self._session is not None and self._session.table.HasField("freeze")

    def _refused(self) -> bool:
        """Says that something cannot be done now, if the table is frozen; whether it did."""
        frozen = self._frozen()
        if frozen:
            self.notify(self.texts("table.frozen.refused"), severity="warning")
        return frozen

    def _seated(self) -> bool:
        return self._session is not None and self._session.private.HasField("seat")

    def _is_host(self) -> bool:
        host = self._session.table.host_player_id if self._session is not None else ""
        return host != "" and host == self.levata.club.player_id
