"""The draft of a turn: what the player has laid, added, swapped and announced on the screen only, step by step.

Nothing of it is known to the table before it is sent, in one action; until then every step can be taken back. It is
only checked whether tiles fit together: what the rules allow, the table says.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from shared.gen.levata.table.v1 import remi_pb2
from shared.terminal.games.remi.melds import Combination, End
from shared.terminal.games.remi.tiles import JOKER

T = TypeVar("T")
NEW_MELDS = 1000
"""Combinations of a draft are numbered from here; those on the table by their places."""
LOANS = -1
"""Tiles that are lent to the rack are numbered downwards from here."""
END_MESSAGES = {"": remi_pb2.REMI_END_UNSPECIFIED, "low": remi_pb2.REMI_END_LOW, "high": remi_pb2.REMI_END_HIGH}


class UnfinishedError(Exception):
    """A draft that cannot be sent as it is; `key` names the words for it."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


@dataclass(frozen=True, slots=True)
class Lying:
    """A combination on the table, or in the draft.

    Attributes:
        meld: Its number.
        combination: Its tiles.
        owner: The seat that laid it.
        seats: For each tile the seat that placed it.
        drafted: For each tile whether it is only there in the draft.
    """

    meld: int
    combination: Combination
    owner: int
    seats: tuple[int, ...]
    drafted: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Lay:
    """A new combination, numbered `meld` from `NEW_MELDS` on; `used` are the numbers of its tiles on the rack."""

    meld: int
    combination: Combination
    used: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Add:
    """A tile is added to combination `meld`."""

    meld: int
    tile: str
    end: End
    used: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Swap:
    """A tile takes the place of a Joker, which is lent to the rack under the number `joker` and must be laid anew."""

    meld: int
    place: int
    tile: str
    used: tuple[int, ...]
    joker: int


@dataclass(frozen=True, slots=True)
class TakeAtu:
    """The Atu is taken to close with it; it is lent to the rack under the number `loan`."""

    tile: str
    loan: int
    used: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Announce:
    """Something is announced."""

    what: remi_pb2.RemiAnnouncement.ValueType
    used: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Discard:
    """A tile is discarded, which ends the turn."""

    tile: str
    used: tuple[int, ...]


Step = Lay | Add | Swap | TakeAtu | Announce | Discard


@dataclass(frozen=True, slots=True)
class Draft:
    """The steps of a turn, in the order in which the player made them."""

    steps: tuple[Step, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.steps)

    def then(self, step: Step) -> "Draft":
        """With one more step."""
        return replace(self, steps=(*self.steps, step))

    def undiscarded(self) -> "Draft":
        """Without a discard."""
        return replace(self, steps=tuple(step for step in self.steps if not isinstance(step, Discard)))

    @property
    def used(self) -> frozenset[int]:
        """The numbers of the tiles that have left the rack."""
        return frozenset(number for step in self.steps for number in step.used)

    @property
    def loans(self) -> list[tuple[int, str]]:
        """The tiles that are lent to the rack, used since or not."""
        swaps = [(step.joker, JOKER) for step in self.steps if isinstance(step, Swap)]
        return [*swaps, *((step.loan, step.tile) for step in self.steps if isinstance(step, TakeAtu))]

    @property
    def next_loan(self) -> int:
        """The number for the next tile that is lent."""
        return LOANS - len(self.loans)

    @property
    def next_meld(self) -> int:
        """The number for the next new combination."""
        return NEW_MELDS + sum(isinstance(step, Lay) for step in self.steps)

    @property
    def pending(self) -> Swap | None:
        """The swap whose Joker has not been laid yet; None when there is none."""
        return next((step for step in self.steps if isinstance(step, Swap) and step.joker not in self.used), None)

    @property
    def atu(self) -> TakeAtu | None:
        """That the Atu was taken; None when it was not."""
        return next((step for step in self.steps if isinstance(step, TakeAtu)), None)

    @property
    def laid_points(self) -> int:
        """What the new combinations are worth (RM-14, RM-15)."""
        return sum(step.combination.points() for step in self.steps if isinstance(step, Lay))

    @property
    def has_run(self) -> bool:
        """Whether there is a run among the new combinations (RM-14)."""
        return any(step.combination.run for step in self.steps if isinstance(step, Lay))

    def announces(self, what: remi_pb2.RemiAnnouncement.ValueType) -> bool:
        """Whether that is announced in it."""
        return any(isinstance(step, Announce) and step.what == what for step in self.steps)

    def lying(self, melds: Sequence[remi_pb2.RemiMeld], seat: int) -> list[Lying]:
        """The combinations as they would lie after the draft of `seat`: those on the table, then the new ones."""
        lying = {index: _lying(index, meld) for index, meld in enumerate(melds)}
        for step in self.steps:
            match step:
                case Lay(meld, combination):
                    length = len(combination.tiles)
                    lying[meld] = Lying(meld, combination, seat, (seat,) * length, (True,) * length)
                case Add(meld, tile, end) if meld in lying:
                    before = lying[meld]
                    lying[meld] = replace(
                        before,
                        combination=before.combination.added(tile, end),
                        seats=_joined(before.seats, seat, end),
                        drafted=_joined(before.drafted, True, end),
                    )
                case Swap(meld, place, tile) if meld in lying:
                    before = lying[meld]
                    lying[meld] = replace(
                        before,
                        combination=before.combination.swapped(place, tile),
                        seats=(*before.seats[:place], seat, *before.seats[place + 1 :]),
                        drafted=(*before.drafted[:place], True, *before.drafted[place + 1 :]),
                    )
        return list(lying.values())

    def action(self, melds: int, *, melded: bool) -> remi_pb2.RemiAction:
        """The draft as one action.

        Args:
            melds: How many combinations lie on the table.
            melded: The player has laid the first meld: else all new combinations make it up, as one step (GAP-R33).

        Raises:
            UnfinishedError: A Joker that was taken is not laid yet, or the draft cannot be sent in one action.
        """
        if self.pending is not None:
            raise UnfinishedError("remi.joker.pending")
        numbers = _Numbers(melds)
        if self.atu is not None:
            return remi_pb2.RemiAction(close_with_atu=self._closing(numbers))
        steps = _messages(_first_meld_together(self.steps) if not melded else self.steps, numbers)
        return _alone(steps[0]) if len(steps) == 1 else remi_pb2.RemiAction(turn=remi_pb2.RemiTurn(steps=steps))

    def _closing(self, numbers: "_Numbers") -> remi_pb2.RemiCloseWithAtu:
        """Combinations first, then additions in their order, then the tile that is left (GAP-R36)."""
        if any(isinstance(step, Swap) for step in self.steps):
            raise UnfinishedError("remi.atu.no_swap")
        closing = remi_pb2.RemiCloseWithAtu()
        for step in self.steps:
            if isinstance(step, Lay):
                closing.melds.append(_tiles(step.combination))
                numbers.lay(step.meld)
        for step in self.steps:
            if isinstance(step, Add):
                closing.additions.append(_addition(step, numbers))
            elif isinstance(step, Discard):
                closing.discard = step.tile
        return closing


class _Numbers:
    """Which place each combination of a draft gets on the table."""

    def __init__(self, melds: int) -> None:
        self._melds = melds
        self._places: dict[int, int] = {}

    def lay(self, meld: int) -> None:
        """The next combination that is laid is the one with that number in the draft."""
        self._places[meld] = self._melds + len(self._places)

    def place(self, meld: int) -> int:
        """The place on the table."""
        return self._places.get(meld, meld)


def _first_meld_together(steps: Sequence[Step]) -> Sequence[Step]:
    """The steps with all new combinations, save those of swaps, where the first of them is."""
    jokers = {step.joker for step in steps if isinstance(step, Swap)}
    laid = [step for step in steps if isinstance(step, Lay) and not jokers & {*step.used}]
    if not laid:
        return steps
    at = steps.index(laid[0])
    before = [step for step in steps[:at] if step not in laid]
    return [*before, *laid, *(step for step in steps[at:] if step not in laid)]


def _messages(steps: Sequence[Step], numbers: _Numbers) -> list[remi_pb2.RemiStep]:
    """The steps as the contract has them: neighbouring combinations in one, a swap and its new one in one."""
    messages: list[remi_pb2.RemiStep] = []
    swaps = {step.joker: step for step in steps if isinstance(step, Swap)}
    for step in steps:
        match step:
            case Lay(meld, combination, used):
                swap = next((swaps[number] for number in used if number in swaps), None)
                if swap is not None:
                    swapped = remi_pb2.RemiSwapJoker(
                        meld=numbers.place(swap.meld),
                        place=swap.place,
                        tile=swap.tile,
                        new_meld=_tiles(combination),
                    )
                    messages.append(remi_pb2.RemiStep(swap_joker=swapped))
                elif messages and messages[-1].HasField("lay"):
                    messages[-1].lay.melds.append(_tiles(combination))
                else:
                    messages.append(remi_pb2.RemiStep(lay=remi_pb2.RemiLay(melds=[_tiles(combination)])))
                numbers.lay(meld)
            case Add():
                messages.append(remi_pb2.RemiStep(add=_addition(step, numbers)))
            case Announce(what):
                messages.append(remi_pb2.RemiStep(announce=what))
            case Discard(tile):
                messages.append(remi_pb2.RemiStep(discard=tile))
    return messages


def _alone(step: remi_pb2.RemiStep) -> remi_pb2.RemiAction:
    """A step that is the only one is an action of its own."""
    action = remi_pb2.RemiAction()
    match step.WhichOneof("step"):
        case "lay":
            action.lay.CopyFrom(step.lay)
        case "add":
            action.add.CopyFrom(step.add)
        case "swap_joker":
            action.swap_joker.CopyFrom(step.swap_joker)
        case "announce":
            action.announce = step.announce
        case "discard":
            action.discard = step.discard
    return action


def _lying(meld: int, message: remi_pb2.RemiMeld) -> Lying:
    combination = Combination(tuple(tile.tile for tile in message.tiles), message.run)
    seats = tuple(tile.seat for tile in message.tiles)
    return Lying(meld, combination, message.seat, seats, (False,) * len(seats))


def _joined(values: tuple[T, ...], value: T, end: End) -> tuple[T, ...]:
    return (value, *values) if end == "low" else (*values, value)


def _tiles(combination: Combination) -> remi_pb2.RemiTiles:
    return remi_pb2.RemiTiles(tiles=combination.tiles)


def _addition(step: Add, numbers: _Numbers) -> remi_pb2.RemiAdd:
    return remi_pb2.RemiAdd(meld=numbers.place(step.meld), tile=step.tile, end=END_MESSAGES[step.end])
