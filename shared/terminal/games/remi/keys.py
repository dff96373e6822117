"""What each key does in a turn of Remi."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

from shared.gen.levata.table.v1 import remi_pb2
from shared.terminal.games.remi.composer import Composer, Remark, Zone
from shared.terminal.games.remi.melds import LEAST
from shared.terminal.games.remi.tiles import JOKER, number_of

T = TypeVar("T")

DRAW, TAKE, LAY, ADD, SWAP, GROUP = "p", "i", "e", "l", "j", "u"
BACK, ANNOUNCE, RETURN, PROPOSE, SORT, ATU = "z", "n", "r", "o", "s", "w"
LEAST_OF_TENS = 10


class Meaning(Enum):
    """What Enter would do."""

    PICK = "pick"
    TAKE = "take"
    LAY = "lay"
    ADD = "add"
    DISCARD = "discard"
    SEND = "send"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Pressed:
    """What came of a key.

    Attributes:
        taken: The key was for the game.
        action: What goes to the table; None when nothing does.
    """

    taken: bool = True
    action: remi_pb2.RemiAction | None = None


NOT_TAKEN = Pressed(taken=False)


def meaning_of_enter(composer: Composer) -> Meaning:
    """What Enter would do now."""
    if composer.question is not None:
        return Meaning.PICK
    if composer.zone is Zone.ROW:
        return Meaning.TAKE
    pointed = bool(composer.rack.marks) or composer.cursor is not None
    if composer.zone is Zone.MELDS and pointed:
        return Meaning.ADD
    if composer.zone is Zone.MELDS or not composer.offers.turn:
        return Meaning.NOTHING
    if composer.rack.marks:
        return Meaning.LAY if len(composer.rack.marks) >= LEAST else Meaning.ADD
    if composer.cursor is not None:
        return Meaning.DISCARD
    return Meaning.SEND if composer.draft else Meaning.NOTHING


def press(composer: Composer, key: str, character: str | None) -> Pressed:
    """A key, as the terminal calls it and as it is written."""
    if key in MOVES and (composer.seat is not None or key in ("up", "down", "left", "right")):
        MOVES[key](composer)
        return Pressed()
    if key == "escape":
        return Pressed() if composer.clear() else NOT_TAKEN
    if composer.seat is None:
        return NOT_TAKEN
    if key == "enter":
        return Pressed(action=_enter(composer))
    if key == "space":
        composer.mark()
        return Pressed(taken=composer.cursor is not None)
    letter = (character or "").lower()
    if letter == JOKER or letter.isdecimal():
        return _digit(composer, letter)
    command = COMMANDS.get(letter)
    return command(composer) if command is not None else NOT_TAKEN


# Moving.


def _sideways(by: int) -> Callable[[Composer], None]:
    def move(composer: Composer) -> None:
        composer.remark = None
        if composer.question is not None:
            options = range(len(composer.question.options))
            composer.ask_about(_next(options, composer.question.at, by))
        elif composer.zone is Zone.ROW:
            composer.place_at = _next(composer.offers.takes, composer.place_at, by)
        elif composer.zone is Zone.MELDS:
            composer.meld_at = _next([each.meld for each in composer.lying()], composer.meld_at, by)
        else:
            composer.cursor = _along(composer, by)

    return move


def _along(composer: Composer, by: int) -> int | None:
    """The next tile on the rack; at first, to the right, the one that came last."""
    numbers = composer.in_order()
    if composer.cursor is None and by > 0:
        fresh = [number for number in numbers if number in composer.rack.fresh]
        return next(iter(fresh or numbers), None)
    return _next(numbers, composer.cursor, by) if numbers else None


def _next(items: Sequence[T], at: T | None, by: int) -> T:
    if at not in items:
        return items[0] if by > 0 else items[-1]
    return items[(items.index(at) + by) % len(items)]


def _upwards(composer: Composer) -> None:
    """From the hand to the combinations, from there to the row."""
    composer.remark = composer.question = None
    melds = [each.meld for each in composer.lying()]
    if composer.zone is Zone.HAND and melds:
        composer.zone = Zone.MELDS
        composer.meld_at = composer.meld_at if composer.meld_at in melds else melds[0]
    elif composer.zone is not Zone.ROW and composer.offers.takes:
        _to_row(composer)


def _downwards(composer: Composer) -> None:
    composer.remark = composer.question = None
    composer.zone = Zone.MELDS if composer.zone is Zone.ROW and composer.table.melds else Zone.HAND


def _to_end(last: bool) -> Callable[[Composer], None]:
    def move(composer: Composer) -> None:
        numbers = composer.in_order()
        if composer.zone is Zone.HAND and numbers:
            composer.cursor, composer.remark = numbers[-1 if last else 0], None

    return move


def _to_row(composer: Composer) -> None:
    composer.zone, composer.place_at = Zone.ROW, composer.offers.takes[-1]
    composer.remark = composer.question = None


MOVES: dict[str, Callable[[Composer], None]] = {
    "left": _sideways(-1),
    "right": _sideways(1),
    "up": _upwards,
    "down": _downwards,
    "home": _to_end(False),
    "end": _to_end(True),
}


def _digit(composer: Composer, digit: str) -> Pressed:
    """Picks one of several ways, or goes to the next tile of that number; 0 stands for 10 to 13."""
    if composer.question is not None and digit != JOKER:
        composer.pick(int(digit) - 1)
        return Pressed()
    wanted = [number for number in composer.in_order() if _has_digit(composer.shown_rack.tile(number), digit)]
    if wanted:
        numbers = composer.in_order()
        after = numbers.index(composer.cursor) if composer.cursor in numbers else -1
        composer.cursor = next((number for number in wanted if numbers.index(number) > after), wanted[0])
        composer.zone, composer.remark = Zone.HAND, None
    return Pressed()


def _has_digit(tile: str, digit: str) -> bool:
    if digit == JOKER or tile == JOKER:
        return tile == digit
    return number_of(tile) == int(digit) or (digit == "0" and number_of(tile) >= LEAST_OF_TENS)


# Doing.


def _enter(composer: Composer) -> remi_pb2.RemiAction | None:
    match meaning_of_enter(composer):
        case Meaning.PICK if composer.question is not None:
            composer.pick(composer.question.at)
        case Meaning.TAKE:
            return remi_pb2.RemiAction(take=composer.place_at)
        case Meaning.LAY:
            composer.lay()
        case Meaning.ADD if composer.zone is Zone.MELDS:
            _onto(composer, composer.meld_at)
        case Meaning.ADD:
            composer.lay_off()
        case Meaning.DISCARD if composer.cursor is not None:
            return composer.discard(composer.cursor)
        case Meaning.SEND:
            return composer.send()
    return None


def _onto(composer: Composer, meld: int) -> None:
    """Adds to this combination what fits; else takes its Joker, if the tile has its place."""
    composer.lay_off(meld)
    remark = composer.remark
    if remark is not None and not composer.question:
        composer.swap(meld)
        if composer.remark is not None:
            composer.remark = remark


def _draw(composer: Composer) -> Pressed:
    return Pressed(action=remi_pb2.RemiAction(draw=remi_pb2.RemiDraw())) if composer.offers.draw else NOT_TAKEN


def _return(composer: Composer) -> Pressed:
    if not composer.offers.undo:
        return NOT_TAKEN
    return Pressed(action=remi_pb2.RemiAction(undo_take=remi_pb2.RemiUndoTake()))


def _take(composer: Composer) -> Pressed:
    if composer.offers.takes:
        _to_row(composer)
    else:
        composer.remark = Remark("remi.no_take" if composer.offers.draw else "remi.wait_draw")
    return Pressed()


def _announce(composer: Composer) -> Pressed:
    return Pressed(action=composer.announce())


def _atu(composer: Composer) -> Pressed:
    """Proposes to close with the Atu; once more lets the player do it by hand."""
    if composer.draft.atu is not None:
        composer.take_atu()
        return Pressed()
    closing = next((each for each in composer.offers.proposals if each.HasField("close_with_atu")), None)
    if closing is None or not composer.load(closing):
        composer.remark = Remark("remi.no_atu")
    return Pressed()


def _done(do: Callable[[Composer], None]) -> Callable[[Composer], Pressed]:
    def command(composer: Composer) -> Pressed:
        do(composer)
        return Pressed()

    return command


COMMANDS: dict[str, Callable[[Composer], Pressed]] = {
    DRAW: _draw,
    TAKE: _take,
    LAY: _done(Composer.lay),
    ADD: _done(Composer.lay_off),
    SWAP: _done(Composer.swap),
    GROUP: _done(Composer.group),
    BACK: _done(Composer.take_back),
    ANNOUNCE: _announce,
    RETURN: _return,
    PROPOSE: _done(Composer.propose),
    SORT: _done(Composer.sort),
    ATU: _atu,
}
