"""What the table lets the player do now, read from its legal actions, and how such an action becomes a draft."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from shared.gen.levata.table.v1 import remi_pb2
from shared.terminal.games.remi.draft import (
    Add,
    Announce,
    Discard,
    Draft,
    Lay,
    Step,
    Swap,
    TakeAtu,
)
from shared.terminal.games.remi.melds import Combination, End
from shared.terminal.games.remi.rack import Rack
from shared.terminal.games.remi.tiles import JOKER, colour_of

PROPOSED = ("close_with_atu", "turn", "lay", "swap_joker", "add")
"""The kinds of action that are proposed, the weightiest first."""
ENDS: dict[int, End] = {remi_pb2.REMI_END_LOW: "low", remi_pb2.REMI_END_HIGH: "high"}

Proposal = remi_pb2.RemiAction | remi_pb2.RemiStep


@dataclass(frozen=True, slots=True)
class Offers:
    """The legal actions, sorted.

    Attributes:
        turn: The player is at turn.
        draw: A tile may be drawn from the pile.
        undo: What was taken from the row may be given back.
        takes: Places of the row from which may be taken, ascending.
        discards: The tiles that may be discarded.
        announcements: What may be announced.
        proposals: The best that can be done otherwise, as far as it is listed.
    """

    turn: bool = False
    draw: bool = False
    undo: bool = False
    takes: tuple[int, ...] = ()
    discards: frozenset[str] = field(default_factory=frozenset)
    announcements: tuple[remi_pb2.RemiAnnouncement.ValueType, ...] = ()
    proposals: tuple[remi_pb2.RemiAction, ...] = ()


def offers_of(legal: Iterable[remi_pb2.RemiAction]) -> Offers:
    """Sorts the legal actions."""
    actions = list(legal)
    kinds = [action.WhichOneof("action") for action in actions]

    def those(kind: str) -> list[remi_pb2.RemiAction]:
        return [action for action, each in zip(actions, kinds, strict=True) if each == kind]

    return Offers(
        turn=bool(actions),
        draw="draw" in kinds,
        undo="undo_take" in kinds,
        takes=tuple(sorted(action.take for action in those("take"))),
        discards=frozenset(action.discard for action in those("discard")),
        announcements=tuple(action.announce for action in those("announce")),
        proposals=tuple(action for kind in PROPOSED for action in those(kind)),
    )


def combination_of(tiles: Sequence[str]) -> Combination:
    """Tiles that the table calls a combination: a run if all but the Jokers have one colour."""
    return Combination(tuple(tiles), len({colour_of(tile) for tile in tiles if tile != JOKER}) == 1)


def draft_of(proposal: Proposal, rack: Rack, table: remi_pb2.RemiTable, seat: int) -> Draft:
    """A listed action as a draft that can be looked at, changed and sent.

    Args:
        proposal: The action.
        rack: The tiles that the player has.
        table: What everybody sees.
        seat: The player's seat.

    Raises:
        KeyError: A tile of it is not on the rack; nothing that the table lists does that.
    """
    return _Drafting(rack, table, seat).of(proposal)


def _kind(proposal: Proposal) -> str | None:
    if isinstance(proposal, remi_pb2.RemiStep):
        return proposal.WhichOneof("step")
    return proposal.WhichOneof("action")


class _Drafting:
    """Finds a tile of the rack for every tile of an action."""

    def __init__(self, rack: Rack, table: remi_pb2.RemiTable, seat: int) -> None:
        self._free = [*rack.tiles]
        self._table = table
        self._seat = seat
        self._numbers = list(range(len(table.melds)))
        self._draft = Draft()

    def of(self, proposal: Proposal) -> Draft:
        """The draft."""
        self._do(proposal)
        return self._draft

    def _do(self, proposal: Proposal) -> None:
        if isinstance(proposal, remi_pb2.RemiAction) and proposal.HasField("turn"):
            for step in proposal.turn.steps:
                self._do(step)
            return
        match _kind(proposal):
            case "lay":
                self._lay(proposal.lay.melds)
            case "add":
                self._add(proposal.add)
            case "swap_joker":
                self._swap(proposal.swap_joker)
            case "announce":
                self._then(Announce(proposal.announce))
            case "discard":
                self._then(Discard(proposal.discard, self._take([proposal.discard])))
            case "close_with_atu":
                self._close(proposal.close_with_atu)

    def _close(self, closing: remi_pb2.RemiCloseWithAtu) -> None:
        loan = self._draft.next_loan
        self._then(TakeAtu(self._table.atu, loan))
        self._free.insert(0, (loan, self._table.atu))
        self._lay(closing.melds)
        for addition in closing.additions:
            self._add(addition)
        if closing.discard:
            self._then(Discard(closing.discard, self._take([closing.discard])))

    def _lay(self, melds: Iterable[remi_pb2.RemiTiles]) -> None:
        for each in melds:
            combination = combination_of(each.tiles)
            self._then(Lay(self._new(), combination, self._take(combination.tiles)))

    def _add(self, addition: remi_pb2.RemiAdd) -> None:
        meld = self._numbers[addition.meld]
        self._then(Add(meld, addition.tile, self._end(meld, addition), self._take([addition.tile])))

    def _end(self, meld: int, addition: remi_pb2.RemiAdd) -> End:
        """The end that is named, or the only one where the tile fits."""
        lying = next(each for each in self._draft.lying(self._table.melds, self._seat) if each.meld == meld)
        named = ENDS.get(addition.end)
        return named if named is not None else next(iter(lying.combination.ends_for(addition.tile)), "")

    def _swap(self, swap: remi_pb2.RemiSwapJoker) -> None:
        joker = self._draft.next_loan
        used = self._take([swap.tile])
        self._then(Swap(self._numbers[swap.meld], swap.place, swap.tile, used, joker))
        self._free.insert(0, (joker, JOKER))
        combination = combination_of(swap.new_meld.tiles)
        self._then(Lay(self._new(), combination, self._take(combination.tiles)))

    def _new(self) -> int:
        number = self._draft.next_meld
        self._numbers.append(number)
        return number

    def _take(self, tiles: Sequence[str]) -> tuple[int, ...]:
        taken = []
        for tile in tiles:
            found = next((held for held in self._free if held[1] == tile), None)
            if found is None:
                raise KeyError(tile)
            self._free.remove(found)
            taken.append(found[0])
        return tuple(taken)

    def _then(self, step: Step) -> None:
        self._draft = self._draft.then(step)
