"""At the door: who are you? A player whom the device knows is let in without a question."""

import secrets
from typing import ClassVar

import grpc
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from shared.client import AnotherPlayerKeptError, ClubError, CredentialsDamagedError
from shared.gen.levata.ledger.v1 import identity_pb2
from shared.terminal.screens.club_screen import ClubScreen
from shared.terminal.widgets.chips import Chip, Chips

MOST_LETTERS = 24
FEWEST_LETTERS = 2


def another_name(name: str) -> str:
    """A name like one that is taken, with a number behind it."""
    number = f" {secrets.randbelow(90) + 10}"
    return name[: MOST_LETTERS - len(number)].rstrip() + number


class SignInScreen(ClubScreen):
    """Signs the player in, or asks for a name once."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "app.quit", show=False),
        Binding("enter", "enter", show=False),
        Binding("f2", "suggest", show=False),
    ]

    def compose(self) -> ComposeResult:
        """A card in the middle."""
        texts = self.texts
        self._message = Static(texts("club.connecting"), id="message", markup=False)
        self._name_line = Input(placeholder=texts("signin.name"), max_length=MOST_LETTERS, id="name")
        self._kept = Static(texts("signin.kept", path=self.levata.settings.player_file), id="kept", markup=False)
        self._door = Chips([], id="door")
        yield self.title_bar(self.texts("signin.welcome"))
        with Vertical(id="welcome"), Vertical(id="card"):
            yield self._message
            yield self._name_line
            yield self._kept
            yield self._door
        yield self.key_bar([Chip("app.quit", "esc", self.texts("key.quit"))])

    def on_mount(self) -> None:
        """Knocks."""
        self._say(self.texts("club.connecting"))
        self.knock()

    def _say(
        self, message: str, *, ask_name: bool = False, retry: bool = False, suggested: str = "", known: str = ""
    ) -> None:
        """Shows a message and what can be done: give a name, take the suggested one, knock again (as a known one)."""
        self._message.update(message)
        self._suggested = suggested
        name = self._name_line
        name.display = self._kept.display = ask_name
        chips = []
        if ask_name:
            chips.append(Chip("enter", "", self.texts("signin.enter"), loud=True))
            if suggested:
                chips.append(Chip("suggest", "f2", self.texts("signin.suggest", name=suggested)))
            name.focus()
        elif retry:
            again = self.texts("signin.suggest", name=known) if known else self.texts("club.retry")
            chips.append(Chip("enter", "enter", again, loud=True))
            self.set_focus(None)
        self._door.show(chips)

    @work(exclusive=True, group="door")
    async def knock(self) -> None:
        """Signs in as the player whom the device knows; asks for a name when it knows none."""
        levata = self.levata
        try:
            if await levata.attempt(levata.club.sign_in_again) is not None:
                await self._ask_account()
                levata.entered()
                return
        except CredentialsDamagedError as damaged:
            self._say(str(damaged))
            return
        except ClubError as error:
            if error.code is not grpc.StatusCode.UNAUTHENTICATED:
                self._say(levata.words_for(error), retry=True)
                return
            await self._renew()
            return
        self._say(self.texts("signin.ask"), ask_name=True)

    async def _ask_account(self) -> None:
        """Asks the club who the player is: a token that looks good here may not be good there."""
        identity = self.levata.club.identity
        await self.levata.attempt(lambda: identity.GetAccount(identity_pb2.GetAccountRequest()))

    async def _renew(self) -> None:
        """Comes in under the known name with the device's secret: a club that was set up anew knows no tokens."""
        levata = self.levata
        known = levata.club.credentials
        if known is None:
            self._say(self.texts("signin.ask"), ask_name=True)
            return
        try:
            await levata.attempt(levata.club.sign_out)
        except ClubError as error:
            self._say(levata.words_for(error), retry=True)
            return
        await self._enter_as(known.name)

    @work(exclusive=True, group="door")
    async def come_in(self, name: str) -> None:
        """Comes in under a name."""
        await self._enter_as(name)

    async def _enter_as(self, name: str) -> None:
        levata = self.levata
        try:
            await levata.attempt(lambda: levata.club.sign_in_guest(name))
            await self._ask_account()
        except ClubError as error:
            if error.reason == "NAME_TAKEN":
                self._name_line.value = name
                self._say(self.texts("signin.taken", name=name), ask_name=True, suggested=another_name(name))
                return
            down = error.code is grpc.StatusCode.UNAVAILABLE
            if not down:
                levata.complain(error)
            self._say(levata.words_for(error) if down else self.texts("signin.ask"), ask_name=not down, retry=down)
            return
        except AnotherPlayerKeptError as another:
            path = levata.settings.player_file
            self._say(self.texts("signin.another", name=another.name, path=path), retry=True, known=another.name)
            return
        except CredentialsDamagedError as damaged:
            self._say(str(damaged))
            return
        levata.entered()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Enter in the line of the name."""
        message.stop()
        self.action_enter()

    def action_enter(self) -> None:
        """Comes in, or knocks again."""
        field = self._name_line
        if not field.display:
            self.action_retry()
            return
        name = " ".join(field.value.split())
        if len(name) < FEWEST_LETTERS:
            self.notify(self.texts("signin.short"), severity="warning")
            return
        self.come_in(name)

    def action_suggest(self) -> None:
        """Comes in under the name that is offered in place of one that is taken."""
        if self._suggested:
            self._name_line.value = self._suggested
            self.action_enter()

    def action_retry(self) -> None:
        """Knocks again."""
        if any(chip.name == "enter" for chip in self._door.chips):
            self._say(self.texts("club.connecting"))
            self.knock()
