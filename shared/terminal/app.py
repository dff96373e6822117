"""The application: one club, one player, one screen at a time."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import ClassVar, TypeVar

import grpc
from textual import events
from textual.app import App
from textual.binding import Binding, BindingType
from textual.widgets import Input

from shared.client import Addresses, Club, ClubError, FileStore
from shared.terminal import hangup
from shared.terminal.games import VIEWS
from shared.terminal.games.view import GameView
from shared.terminal.screens.dialogs import PageDialog
from shared.terminal.screens.lobby import LobbyScreen
from shared.terminal.screens.sign_in import SignInScreen
from shared.terminal.screens.sized_screen import KEYS_AWAY, SizedScreen
from shared.terminal.screens.table import TableScreen
from shared.terminal.settings import TerminalSettings
from shared.terminal.texts import Texts

T = TypeVar("T")


class LevataApp(App[None]):
    """The club in a terminal.

    Attributes:
        settings: What it was told.
        texts: The language.
        removed_from: Tables from which a host removed the player, as far as the club has told.
        club: The connection to the club, once the application runs.
    """

    CSS_PATH = "levata.tcss"
    TITLE = "Levata"
    ENABLE_COMMAND_PALETTE = False
    NOTIFICATION_TIMEOUT = 4
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c,ctrl+q", "quit", show=False, priority=True)]

    club: Club

    def __init__(self, settings: TerminalSettings, addresses: Addresses) -> None:
        super().__init__()
        self.settings = settings
        self.texts = Texts(settings.spoken)
        self.removed_from: set[str] = set()
        self._addresses = addresses

    async def on_mount(self) -> None:
        """Opens the club's door."""
        terminal = None if self.is_headless else hangup.watched_terminal()
        if terminal is not None:
            self.set_interval(hangup.WATCH_SECONDS, lambda: self.exit() if hangup.is_gone(terminal) else None)
        store = FileStore(self.settings.player_file)
        self.club = Club.connect(self._addresses, language=self.texts.language, store=store)
        await self.club.__aenter__()
        self.push_screen(SignInScreen())

    async def on_event(self, event: events.Event) -> None:
        """Takes what is typed to whatever has the keys; of what is typed blindly, only what goes away."""
        typed = isinstance(event, events.Key | events.Paste)
        if typed and isinstance(self.screen, SizedScreen) and self.screen.covered:
            writing = isinstance(self.focused, Input)
            if not isinstance(event, events.Key) or event.key not in KEYS_AWAY or (writing and event.is_printable):
                return
        await super().on_event(event)

    async def on_unmount(self) -> None:
        """Closes it; the seat stays the player's."""
        await self.club.close()

    async def ask(self, call: Callable[[], Awaitable[T]]) -> T | None:
        """Asks the club, and tells the player if it refuses or does not answer; then the answer is None."""
        try:
            return await self.attempt(call)
        except ClubError as error:
            self.complain(error)
            return None

    async def attempt(self, call: Callable[[], Awaitable[T]]) -> T:
        """Asks the club, for so long as the player's patience lasts.

        Raises:
            ClubError: It refuses, or (UNAVAILABLE) does not answer.
        """
        try:
            async with asyncio.timeout(self.settings.patience_seconds):
                return await call()
        except TimeoutError:
            raise ClubError(
                grpc.StatusCode.UNAVAILABLE, "UNAVAILABLE", self.texts("club.down"), answered=False
            ) from None

    def words_for(self, error: ClubError) -> str:
        """Why something did not work, for people."""
        if error.code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED) and not error.answered:
            return self.texts("club.down")
        return error.message or self.texts("club.refused", reason=error.reason)

    def complain(self, error: ClubError) -> None:
        """Shows why something did not work; a player whom the club does not know any more goes back to the door."""
        self.notify(self.words_for(error), severity="error", markup=False)
        if error.code is grpc.StatusCode.UNAUTHENTICATED and not isinstance(self.screen, SignInScreen):
            self.start_again()

    def start_again(self) -> None:
        """Goes back to the door: the club does not know the player any more."""
        while len(self.screen_stack) > 2:
            self.pop_screen()
        self.switch_screen(SignInScreen())

    def entered(self) -> None:
        """The player is signed in."""
        self.switch_screen(LobbyScreen())

    def open_table(self, table_id: str) -> None:
        """Goes to a table."""
        self.push_screen(TableScreen(table_id))

    def show_help(self, game: GameView | None = None) -> None:
        """Shows the page of help: keys, then the game that is played; every game where none is."""
        views = [game] if game is not None else list(VIEWS.values())
        pages = [self.texts("help.keys"), *(view.help(self.texts) for view in views)]
        self.push_screen(PageDialog(self.texts("help.title"), "\n\n".join(pages), self.texts, wrap=True))
