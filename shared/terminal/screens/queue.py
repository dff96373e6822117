"""Quick match: a queue, a place in it, a table."""

import time
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from shared.client import ClubError, new_request_id
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2
from shared.terminal.games import game_name, view_of
from shared.terminal.screens.club_screen import ClubScreen
from shared.terminal.widgets.chips import Chip


class QuickMatch(ClubScreen):
    """Takes a ticket and waits; going back gives it back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,Q,escape", "back", show=False),
        Binding("question_mark,f1", "help", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._queues = OptionList(id="queues")
        self._waiting = Static("", id="waiting", markup=False)
        self._ticket: matchmaking_pb2.Ticket | None = None

    def compose(self) -> ComposeResult:
        """The queues, then one's place."""
        yield self.title_bar(self.texts("queue.title"))
        with Vertical(classes="body"):
            yield self._queues
            yield self._waiting
        yield self.key_bar([Chip("back", "q", self.texts("queue.cancel")), Chip("help", "?", self.texts("key.help"))])

    def on_mount(self) -> None:
        """Reads the queues; a ticket that is open already is gone on with."""
        self.set_interval(1.0, self._show_place)
        self.look()

    @work(exclusive=True, group="queue")
    async def look(self) -> None:
        """Reads the queues."""
        levata = self.levata
        open_ticket = await self._open_ticket()
        if open_ticket is not None:
            self.wait_for(open_ticket)
            return
        answer = await levata.ask(lambda: levata.club.matchmaking.ListQueues(matchmaking_pb2.ListQueuesRequest()))
        if answer is None:
            return
        queues = self._queues
        usual = 0
        for index, queue in enumerate(answer.queues):
            view = view_of(queue.game)
            if view is not None and queue.seats == view.usual_seats:
                usual = usual or index
            line = self.texts(
                "queue.line",
                game=view.title(self.texts) if view is not None else game_name(queue.game),
                seats=queue.seats,
                waiting=queue.waiting,
                limit=queue.limit_seconds,
            )
            queues.add_option(Option(Content(line), id=queue.queue_id))
        if answer.queues:
            queues.highlighted = usual
            queues.focus()
        else:
            self._waiting.update(self.texts("queue.none"))

    async def _open_ticket(self) -> matchmaking_pb2.Ticket | None:
        levata = self.levata
        try:
            answer = await levata.attempt(lambda: levata.club.matchmaking.GetTicket(matchmaking_pb2.GetTicketRequest()))
        except ClubError:
            return None
        return answer.ticket if answer.ticket.status == matchmaking_pb2.TICKET_STATUS_WAITING else None

    def on_option_list_option_selected(self, message: OptionList.OptionSelected) -> None:
        """Takes a ticket in the queue."""
        message.stop()
        if self._ticket is None:
            self.take_ticket(message.option.id or "")

    @work(exclusive=True, group="queue")
    async def take_ticket(self, queue_id: str) -> None:
        """Takes a ticket."""
        levata = self.levata
        request = matchmaking_pb2.CreateTicketRequest(request_id=new_request_id(), queue_id=queue_id)
        answer = await levata.ask(lambda: levata.club.matchmaking.CreateTicket(request))
        if answer is not None:
            self.wait_for(answer.ticket)

    @work(exclusive=True, group="queue")
    async def wait_for(self, ticket: matchmaking_pb2.Ticket) -> None:
        """Follows a ticket to its end."""
        levata = self.levata
        self._ticket = ticket
        self._queues.display = False
        self._show_place()
        try:
            async for news in levata.club.watch_ticket(ticket.ticket_id):
                self._ticket = news
                self._show_place()
        except ClubError as error:
            levata.complain(error)
            self.app.pop_screen()
            return
        last = self._ticket
        self._ticket = None
        self.app.pop_screen()
        if last.status == matchmaking_pb2.TICKET_STATUS_MATCHED:
            levata.open_table(last.table_id)
        elif last.status == matchmaking_pb2.TICKET_STATUS_EXPIRED:
            levata.notify(self.texts("queue.expired"), severity="warning")

    def _show_place(self) -> None:
        ticket = self._ticket
        if ticket is None or ticket.status != matchmaking_pb2.TICKET_STATUS_WAITING:
            return
        seconds = max(0, round(ticket.expected_at.ToNanoseconds() / 1e9 - time.time()))
        words = self.texts("queue.waiting", place=ticket.place or 1, seconds=seconds)
        self._waiting.update(words)

    def action_back(self) -> None:
        """Gives the ticket back and goes to the lobby."""
        if self._ticket is None:
            self.app.pop_screen()
        else:
            self.cancel(self._ticket.ticket_id)

    @work(group="cancel")
    async def cancel(self, ticket_id: str) -> None:
        """Gives the ticket back; one that was matched meanwhile leads to its table instead."""
        levata = self.levata
        request = matchmaking_pb2.CancelTicketRequest(ticket_id=ticket_id)
        answer = await levata.ask(lambda: levata.club.matchmaking.CancelTicket(request))
        if answer is not None and self.app.screen is self and self._ticket is not None:
            self.workers.cancel_group(self, "queue")
            self._ticket = None
            levata.notify(self.texts("queue.cancelled"))
            self.app.pop_screen()
