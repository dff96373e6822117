"""The seam of the desks: how a game is laid out on the table screen, and how it is played there by keys and clicks."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual.widget import Widget

from shared.gen.levata.table.v1 import game_pb2, table_pb2
from shared.terminal.texts import Texts
from shared.terminal.widgets.chips import Chip

Play = Callable[[game_pb2.GameAction], None]
"""Sends an action of the player to the table; ignored while it is not the player's turn."""


class Desk(ABC):
    """What stands above and below the prompt of a table, and what the player can do with it.

    The screen tells it what is seen (`show`, at the speed of eyes), what is so now (`offer`), and when to draw
    (`refresh`); it hands every key and click on first.

    Attributes:
        wide: Needs the whole width of a small terminal: what happens is told below it, and not beside it.
        felt: What everybody sees; the screen puts it above the prompt. Its id is `felt`.
        hand: What the viewer holds; the screen puts it below. Its id is `hand`.
    """

    wide: ClassVar[bool] = False
    felt: Widget
    hand: Widget

    def __init__(self, texts: Texts, play: Play) -> None:
        self.texts = texts
        self.play = play

    @abstractmethod
    def show(self, table: table_pb2.Table, private: table_pb2.Private, notes: Sequence[Text]) -> None:
        """Shows a table; `notes` stand in the middle when no match is on."""

    @abstractmethod
    def offer(self, table: table_pb2.Table, private: table_pb2.Private) -> None:
        """Takes note of the newest state: what the player may do now."""

    @abstractmethod
    def refresh(self, private: table_pb2.Private, turn: bool) -> None:
        """Draws what can be picked and what is; `private` as it is to be seen, `turn` when the player is at turn."""

    @abstractmethod
    def chips(self) -> tuple[Sequence[Chip], int | None]:
        """The game's buttons, and which of them Enter would press."""

    @abstractmethod
    def press(self, key: str, character: str | None) -> bool:
        """A key, as the terminal calls it and as it is written; False when it is none of the desk's."""

    @abstractmethod
    def press_chip(self, name: str) -> bool:
        """A click on a button; False when it is none of the desk's."""

    @abstractmethod
    def touch(self, part: str, index: int) -> None:
        """A click on something that the desk shows."""

    @abstractmethod
    def suggest(self, action: game_pb2.GameAction) -> str:
        """Picks what a bot would do and says so; empty when it cannot be picked."""

    def prompt(self) -> str | Text:
        """Words in place of the usual prompt; empty for the usual ones."""
        return ""
