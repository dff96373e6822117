"""Cards as they are drawn: rank and suit in the suit's colour, small in a line or large in a hand."""

from dataclasses import dataclass

from rich.style import Style
from rich.text import Text

GLYPHS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
INK = {"S": "#101010", "H": "#c00020", "D": "#c05000", "C": "#006020"}
PAPER = "#f4f0e0"
PAPER_DIM = "#565c58"
PAPER_CHOSEN = "#ffd75f"
INK_DIM = "#a8aca8"
CHIP_WIDTH = 3


def card_name(card: str) -> str:
    """The card of the wire (`TH`) as people read it (`10♥`)."""
    rank, suit = card[0], card[1]
    return ("10" if rank == "T" else rank) + GLYPHS[suit]


def ink(card: str) -> str:
    """The colour of a card's suit on its paper."""
    return INK[card[1]]


def chip(card: str, *, strong: bool = False, dim: bool = False) -> Text:
    """A card in a line of text, in three cells; `strong` for one that holds the trick, `dim` for the past."""
    paper = PAPER_CHOSEN if strong else PAPER_DIM if dim else PAPER
    style = Style(color="#e0e0e0" if dim else ink(card), bgcolor=paper, bold=not dim, underline=strong)
    return Text(card_name(card).ljust(CHIP_WIDTH), style)


@dataclass(frozen=True, slots=True)
class CardFace:
    """How a card lies in a hand.

    Attributes:
        card: The card as on the wire.
        key: The key that picks it; empty when it cannot be played now.
        lit: It can be played now.
        chosen: It is picked and waits for Enter.
    """

    card: str
    key: str
    lit: bool
    chosen: bool


FACE_WIDTH = 5
FACE_HEIGHT = 3


def face(view: CardFace) -> list[Text]:
    """A card of a hand as three lines of five cells: its name, its suit, and on a lit card the key that picks it."""
    name = card_name(view.card)
    if view.chosen:
        style = Style(color=ink(view.card), bgcolor=PAPER_CHOSEN, bold=True)
    elif view.lit:
        style = Style(color=ink(view.card), bgcolor=PAPER, bold=True)
    else:
        style = Style(color=INK_DIM, bgcolor=PAPER_DIM)
    middle = GLYPHS[view.card[1]] if view.lit else "·"
    foot = f"▲{view.key}▲" if view.chosen else view.key
    return [
        Text(f" {name}".ljust(FACE_WIDTH), style),
        Text(middle.center(FACE_WIDTH), style),
        Text(foot.center(FACE_WIDTH), style),
    ]


def box(card: str, *, strong: bool = False) -> list[Text]:
    """A card on the table as three lines of five cells."""
    style = Style(color=ink(card), bgcolor=PAPER_CHOSEN if strong else PAPER, bold=True)
    name = card_name(card)
    return [
        Text(name.ljust(FACE_WIDTH), style),
        Text(GLYPHS[card[1]].center(FACE_WIDTH), style),
        Text(name.rjust(FACE_WIDTH), style),
    ]
