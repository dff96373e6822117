"""Remi in text: options and actions as they stand in records, logs and bug reports.

| text | meaning |
|---|---|
| `draw` | draw from the pile |
| `take 4` | take the tile at place 4 of the row and all above it |
| `undo_take` | give it back and draw from the pile |
| `lay R5 R6 R7 / K10 Y10 B10` | lay two combinations |
| `add 2 R8` | add a tile to combination 2 |
| `add 2 * low` | the same at an end, which is `low` or `high` |
| `swap_joker 2 1 R6 for * R9 R10` | R6 for the Joker at place 1 of combination 2, and that Joker in a new one |
| `announce atu`, `announce two_tiles` | announce |
| `discard K1` | discard |
| `close_with_atu B9 B10 B11 / R1 Y1 K1, add 0 R8, discard K1` | close with the Atu; additions and the discard if any |
| `turn take 4; lay R5 R6 R7; discard K1` | several of these at once |
| `deal R1 * K3 ...` | the whole shuffled pack, in deal order |

Options: `rounds 5`, or nothing for one round.
"""

from typing import Final

from services.table.engine.game import Deal, NotationError
from services.table.engine.remi.actions import (
    ANNOUNCE_ATU,
    ANNOUNCE_TWO_TILES,
    DRAW,
    UNDO_TAKE,
    Action,
    Add,
    Announce,
    CloseWithAtu,
    Discard,
    Draw,
    End,
    Lay,
    Step,
    SwapJoker,
    Take,
    Tiles,
    Turn,
    UndoTake,
)
from services.table.engine.remi.options import MOST_ROUNDS, Options
from services.table.engine.remi.tiles import TEXT, parse_tile, parse_tiles, tiles_text

_ENDS: Final[dict[str, End]] = {"low": "low", "high": "high"}


def options_text(options: Options) -> str:
    """Options in text; empty for the defaults."""
    return "" if options == Options() else f"rounds {options.rounds}"


def parse_options(text: str) -> Options:
    """The options that `options_text` wrote. Raises `NotationError`."""
    words = text.split()
    if not words:
        return Options()
    rounds = _number(words[1]) if len(words) == 2 and words[0] == "rounds" else 0
    if not 2 <= rounds <= MOST_ROUNDS:
        raise NotationError(f"{text!r} are no options of Remi; expected nothing, or rounds and 2 to {MOST_ROUNDS}")
    return Options(rounds)


def action_text(action: Action | Deal) -> str:
    """An action in text."""
    if isinstance(action, Turn):
        return "turn " + "; ".join([_step_text(step) for step in action.steps])
    if isinstance(action, Draw):
        return "draw"
    if isinstance(action, UndoTake):
        return "undo_take"
    if isinstance(action, Deal):
        return f"deal {tiles_text(action.pack)}"
    return _step_text(action)


def parse_action(text: str) -> Action | Deal:
    """The action that `action_text` wrote. Raises `NotationError`."""
    verb, _, rest = text.partition(" ")
    if text == "draw":
        return DRAW
    if text == "undo_take":
        return UNDO_TAKE
    if verb == "turn":
        return Turn(tuple([_parse_step(step.strip()) for step in rest.split(";")]))
    if verb == "deal" and rest:
        return Deal(parse_tiles(rest))
    return _parse_step(text)


def _step_text(step: Step) -> str:
    if isinstance(step, Discard):
        return f"discard {TEXT[step.tile]}"
    if isinstance(step, Lay):
        return f"lay {_melds_text(step.melds)}"
    if isinstance(step, Add):
        return f"add {step.meld} {TEXT[step.tile]} {step.end}".rstrip()
    if isinstance(step, Take):
        return f"take {step.place}"
    if isinstance(step, SwapJoker):
        return f"swap_joker {step.meld} {step.place} {TEXT[step.tile]} for {tiles_text(step.new_meld)}"
    if isinstance(step, Announce):
        return f"announce {step.what}"
    parts = [f"close_with_atu {_melds_text(step.melds)}", *[_step_text(addition) for addition in step.additions]]
    if step.discard is not None:
        parts.append(f"discard {TEXT[step.discard]}")
    return ", ".join(parts)


def _melds_text(melds: tuple[Tiles, ...]) -> str:
    return " / ".join([tiles_text(tiles) for tiles in melds])


def _parse_step(text: str) -> Step:
    verb, _, rest = text.partition(" ")
    words = rest.split()
    if verb == "discard" and len(words) == 1:
        return Discard(parse_tile(words[0]))
    if verb == "lay" and words:
        return Lay(_parse_melds(rest))
    if verb == "add":
        return _parse_add(text)
    if verb == "take" and len(words) == 1:
        return Take(_place(words[0]))
    if verb == "swap_joker" and len(words) > 4 and words[3] == "for":
        tiles = tuple([parse_tile(word) for word in words[4:]])
        return SwapJoker(_place(words[0]), _place(words[1]), parse_tile(words[2]), tiles)
    if rest == "atu" and verb == "announce":
        return ANNOUNCE_ATU
    if rest == "two_tiles" and verb == "announce":
        return ANNOUNCE_TWO_TILES
    if verb == "close_with_atu" and words:
        return _parse_close(rest)
    raise NotationError(
        f"{text!r} is no action of Remi; expected draw, take PLACE, undo_take, lay TILES / TILES ..., add MELD TILE, "
        "swap_joker MELD PLACE TILE for TILES, announce atu, announce two_tiles, discard TILE, close_with_atu TILES "
        "..., turn STEP; STEP ..., or deal TILE TILE ..."
    )


def _parse_add(text: str) -> Add:
    words = text.split()
    if words[:1] == ["add"] and (len(words) == 3 or (len(words) == 4 and words[3] in _ENDS)):
        return Add(_place(words[1]), parse_tile(words[2]), _ENDS[words[3]] if len(words) == 4 else "")
    raise NotationError(f"{text!r} is no addition; expected add MELD TILE, and low or high if it fits both ends")


def _parse_close(text: str) -> CloseWithAtu:
    parts = [part.strip() for part in text.split(",")]
    last = parts[-1].split()
    discard = None
    if len(parts) > 1 and len(last) == 2 and last[0] == "discard":
        discard = parse_tile(last[1])
        parts.pop()
    return CloseWithAtu(_parse_melds(parts[0]), tuple([_parse_add(part) for part in parts[1:]]), discard)


def _parse_melds(text: str) -> tuple[Tiles, ...]:
    melds = tuple([parse_tiles(part) for part in text.split("/")])
    if not all(melds):
        raise NotationError(f"{text!r} has a combination without tiles")
    return melds


def _place(word: str) -> int:
    place = _number(word)
    if place < 0:
        raise NotationError(f"{word!r} is no place; expected a number from 0")
    return place


def _number(word: str) -> int:
    """A number of up to three digits; -1 if the word is none."""
    return int(word) if word.isascii() and word.isdigit() and len(word) <= 3 else -1
