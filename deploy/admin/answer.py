"""What a command answers with: text for people, the same as data for programs, and whether all is as it should be."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

_UNSEEN: Final = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Categories of characters that do something to a terminal, or to what stands beside them."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a command.

    Attributes:
        text: For people.
        data: For programs: what becomes JSON.
        good: False when what was looked at is not in order; the exit code is 1 then.
    """

    text: str
    data: Any
    good: bool = True


def printable(text: str) -> str:
    """Text whose every character is only shown: what would move the cursor, colour the screen, or turn the direction of
    writing is escaped as in JSON. Lines stay lines.
    """
    return "".join(_escaped(one) if one != "\n" and unicodedata.category(one) in _UNSEEN else one for one in text)


def on_one_line(text: str) -> str:
    """The same of what people have written, which has no lines."""
    return printable(text).replace("\n", "\\n")


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def table_of(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Rows in aligned columns under a head."""
    cells = [list(head), *([on_one_line(str(cell)) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells
    )


def moment(milliseconds: int) -> str:
    """A time in ms since the epoch as people and programs read it, in UTC."""
    return f"{datetime.fromtimestamp(milliseconds / 1000, UTC):%Y-%m-%dT%H:%M:%S.}{milliseconds % 1000:03d}Z"


def moment_of(at: datetime) -> str:
    """A time as people and programs read it, in UTC."""
    return moment(round(at.timestamp() * 1000))


def span(milliseconds: float) -> str:
    """How long something is, to the precision that matters: `12 s`, `3 min`, `5 h`, `2 days`."""
    seconds = round(abs(milliseconds) / 1000)
    for unit, size, up_to in (("s", 1, 120), ("min", 60, 120 * 60), ("h", 3600, 48 * 3600)):
        if seconds < up_to:
            return f"{seconds // size} {unit}"
    return f"{seconds // 86_400} days"


def ago(at: int, now: int) -> str:
    """How long ago something was, or how soon it is."""
    return f"{span(now - at)} ago" if at <= now else f"in {span(at - now)}"
