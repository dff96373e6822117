"""The layout: four suits in rows, the jacks in the middle column, runs that grow to both sides (RZ-15)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.text import Text

from shared.gen.levata.table.v1 import rentz_pb2
from shared.terminal.widgets.canvas import Canvas
from shared.terminal.widgets.cards import CHIP_WIDTH, FACE_HEIGHT, FACE_WIDTH, box, card_name, chip

RANKS: Final = "789TJQKA"
JACK: Final = RANKS.index("J")
FITS: Final = "bold #b8e8c8"
EMPTY: Final = "#5f9a80"


@dataclass(frozen=True, slots=True)
class Spot:
    """The place of one card in the layout: the card lies there, or would fit there now, or neither."""

    card: str
    lies: bool
    fits: bool


def spots(run: rentz_pb2.RentzRun) -> Sequence[Spot]:
    """The places of one suit, lowest first: the neighbours of a run fit, or the jack where none lies."""
    low, high = (RANKS.index(run.low[0]), RANKS.index(run.high[0])) if run.low else (JACK + 1, JACK - 1)
    fitting = (low - 1, high + 1) if run.low else (JACK,)
    return [Spot(rank + run.suit, low <= at <= high, at in fitting) for at, rank in enumerate(RANKS)]


def place(layout: Sequence[rentz_pb2.RentzRun], card: str) -> None:
    """Lays a card to the run of its suit."""
    for run in layout:
        if run.suit == card[1]:
            run.low = min(run.low or card, card, key=_rank)
            run.high = max(run.high or card, card, key=_rank)


def _rank(card: str) -> int:
    return RANKS.index(card[0])


@dataclass(frozen=True, slots=True)
class LayoutSpread:
    """The layout on the table, as large as there is room."""

    layout: Sequence[rentz_pb2.RentzRun]

    def draw(self, canvas: Canvas, x: int, y: int, width: int, height: int) -> None:
        """Draws the rows: as cards with a line between them, as cards, as chips with a line between them, as chips."""
        rows = len(self.layout)
        large = width >= len(RANKS) * (FACE_WIDTH + 1) - 1 and height >= rows * FACE_HEIGHT
        cell, tall = (FACE_WIDTH, FACE_HEIGHT) if large else (CHIP_WIDTH, 1)
        gap = int(width >= len(RANKS) * (cell + 1) - 1)
        line = tall + int(height >= rows * (tall + 1) - 1)
        left = x + (width - len(RANKS) * (cell + gap) + gap) // 2
        top = y + max(0, height - rows * line + line - tall) // 2
        for row, run in enumerate(self.layout):
            for column, spot in enumerate(spots(run)):
                for below, text in enumerate(_large(spot) if large else [_small(spot)]):
                    if row * line + below < height:
                        canvas.put(left + column * (cell + gap), top + row * line + below, text)


def _large(spot: Spot) -> Sequence[Text]:
    if spot.lies:
        return box(spot.card)
    blank = Text(" " * FACE_WIDTH)
    if spot.fits:
        return [blank, Text(card_name(spot.card).center(FACE_WIDTH), FITS), blank]
    return [blank, Text("·".center(FACE_WIDTH), EMPTY), blank]


def _small(spot: Spot) -> Text:
    if spot.lies:
        return chip(spot.card)
    if spot.fits:
        return Text(card_name(spot.card).ljust(CHIP_WIDTH), FITS)
    return Text("·".ljust(CHIP_WIDTH), EMPTY)
