"""Tiles of Remi as they are drawn: letter and number in the tile's colour, small on the table or large in the hand.

Every tile has its own paper and ink, so that a dark terminal and a light one show it alike; the letter and the marks
beside it say the same without colours.
"""

from enum import Enum

from rich.style import Style
from rich.text import Text

from shared.terminal.texts import Texts

JOKER = "*"
COLOURS = "RYBK"
"""Red, yellow, blue, black, as on the wire."""
INK = {"R": "#c00020", "Y": "#8a6000", "B": "#0038c0", "K": "#101010", JOKER: "#8000a0"}
INK_DIM = {"R": "#f0a0a8", "Y": "#e8cc80", "B": "#a8c0ff", "K": "#c8ccc8", JOKER: "#e0a8f0"}
WIDTH = 3
"""Cells of a tile in a line of text."""


class Look(Enum):
    """How a tile lies: on its paper, in the shade, picked, or laid in the draft of a turn."""

    PLAIN = "#f4f0e0"
    DIM = "#3c4844"
    PICKED = "#ffd75f"
    DRAFT = "#c8f0a8"


def colour_of(tile: str) -> str:
    """The colour's letter on the wire; empty for a Joker."""
    return "" if tile == JOKER else tile[0]


def number_of(tile: str) -> int:
    """The number, 1 to 13; 0 for a Joker."""
    return 0 if tile == JOKER else int(tile[1:])


def letter(colour: str, texts: Texts) -> str:
    """A colour's letter as the language has it: `K` is N, for negru, in Romanian."""
    return texts("remi.letters")[COLOURS.index(colour)]


def tile_name(tile: str, texts: Texts) -> str:
    """A tile in two or three letters: `R7`, `K13`; a Joker is `J`."""
    return texts("remi.joker.letter") if tile == JOKER else letter(tile[0], texts) + tile[1:]


def paint(tile: str, look: Look) -> Style:
    """Paper and ink of a tile."""
    ink = INK_DIM if look is Look.DIM else INK
    return Style(color=ink[colour_of(tile) or JOKER], bgcolor=look.value, bold=look is not Look.DIM)


def chip(tile: str, texts: Texts) -> Text:
    """A tile in a sentence."""
    return Text(tile_name(tile, texts), paint(tile, Look.PLAIN))


def cell(tile: str, texts: Texts, look: Look = Look.PLAIN, stands_for: str = "") -> Text:
    """A tile on the table, in three cells.

    Args:
        tile: The tile as on the wire.
        texts: The language.
        look: How it lies.
        stands_for: Of a Joker in a run the tile whose place it has: its number is shown.
    """
    words = tile_name(tile, texts) + (str(number_of(stands_for)) if tile == JOKER and stands_for else "")
    return Text(words.ljust(WIDTH), paint(tile, look))


def chips(tiles: list[str] | tuple[str, ...], texts: Texts) -> Text:
    """Tiles in a sentence, a blank between them."""
    return Text(" ").join(chip(tile, texts) for tile in tiles)


def face(tile: str, texts: Texts, look: Look, stands_for: str = "") -> list[Text]:
    """A tile as two lines of three cells: its number, and under it the letter of its colour; see `cell`."""
    style = paint(tile, look)
    if tile == JOKER:
        head = f"☺{number_of(stands_for)}".ljust(WIDTH) if stands_for else "╭☺╮"
        return [Text(head, style), Text(tile_name(tile, texts).center(WIDTH), style)]
    return [Text(tile[1:].center(WIDTH), style), Text(letter(tile[0], texts).center(WIDTH), style)]
