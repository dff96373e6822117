"""The tiles of the hand as the player has put them: in groups, and the rest sorted by colour or by number.

Twins look alike, so a tile on the rack is known by a number of its own that it keeps as long as it is held. A rack does
not change; every move makes a new one, so that it can be taken back.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from shared.terminal.games.remi.melds import arrangements
from shared.terminal.games.remi.tiles import COLOURS, JOKER, colour_of, number_of

Group = tuple[int, ...]
JOKERS_LAST = 99


@dataclass(frozen=True, slots=True)
class Rack:
    """A player's tiles in the player's order.

    Attributes:
        tiles: Every tile by its number, as it came.
        groups: What the player has put together, each group in order.
        marks: The tiles that are marked.
        fresh: The tiles that have come last.
        by_number: The loose tiles are sorted by number first, and not by colour.
    """

    tiles: tuple[tuple[int, str], ...] = ()
    groups: tuple[Group, ...] = ()
    marks: frozenset[int] = field(default_factory=frozenset)
    fresh: frozenset[int] = field(default_factory=frozenset)
    by_number: bool = False

    def tile(self, number: int) -> str:
        """The tile with a number. Raises `KeyError` when it is not here."""
        for each, tile in self.tiles:
            if each == number:
                return tile
        raise KeyError(number)

    def holding(self, hand: Sequence[str], *, gone: Collection[int] = (), anew: bool = False) -> "Rack":
        """The rack when the hand has become `hand`: what is gone is gone from its group, what is new lies loose.

        Args:
            hand: The tiles in hand, in any order.
            gone: Tiles that the player gave away, so that of twins the right one stays.
            anew: A new deal: nothing of the old order stays.
        """
        wanted = list(hand)
        kept: list[tuple[int, str]] = []
        for number, tile in () if anew else sorted(self.tiles, key=lambda held: held[0] in gone):
            if tile in wanted:
                wanted.remove(tile)
                kept.append((number, tile))
        following = max((number for number, _ in self.tiles), default=-1) + 1
        came = [(following + index, tile) for index, tile in enumerate(wanted)]
        numbers = {number for number, _ in kept}
        groups = tuple(group for group in (_without(group, numbers) for group in self.groups) if group)
        fresh = self.fresh & numbers if not came else frozenset(number for number, _ in came)
        if anew or len(came) > len(kept):
            fresh = frozenset()
        return replace(self, tiles=(*kept, *came), groups=groups, marks=self.marks & numbers, fresh=fresh)

    def with_loans(self, loans: Iterable[tuple[int, str]]) -> "Rack":
        """The rack with tiles that are only lent: a Joker taken from the table, the Atu."""
        return replace(self, tiles=(*self.tiles, *loans))

    def layout(self, hidden: Collection[int] = ()) -> list[Group]:
        """What is to be seen, without the tiles `hidden`: the groups, then the loose tiles, sorted."""
        seen = {number for number, _ in self.tiles if number not in hidden}
        grouped = {number for group in self.groups for number in group}
        groups = [group for group in (_without(group, seen) for group in self.groups) if group]
        loose = sorted((number for number in seen if number not in grouped), key=self._place)
        return [*groups, tuple(loose)] if loose else groups

    def is_group(self, group: Group) -> bool:
        """Whether this part of the layout is a group, not the loose tiles."""
        return bool(group) and any(group[0] in each for each in self.groups)

    def marked(self, number: int) -> "Rack":
        """Marks a tile, or takes the mark away."""
        return replace(self, marks=self.marks ^ {number})

    def unmarked(self) -> "Rack":
        """No tile is marked."""
        return replace(self, marks=frozenset())

    def sorted_anew(self) -> "Rack":
        """Sorted the other way."""
        return replace(self, by_number=not self.by_number)

    def grouped(self, cursor: int | None) -> "Rack":
        """Puts the marked tiles together; if the cursor is on a tile of a group that has none of them, into that group.

        With nothing marked the group under the cursor is taken apart.
        """
        under = next((group for group in self.groups if cursor in group), ())
        if not self.marks:
            return replace(self, groups=tuple(group for group in self.groups if group != under))
        joined = [*under, *self.marks] if not self.marks & {*under} else list(self.marks)
        rest = [_without(group, {number for number, _ in self.tiles} - {*joined}) for group in self.groups]
        groups = [group for group in rest if group]
        return replace(self, groups=(*groups, self._in_order(joined)), marks=frozenset())

    def _in_order(self, numbers: Sequence[int]) -> Group:
        """The order in which tiles of a group lie: that of their combination if they make one, else sorted."""
        found = arrangements([self.tile(number) for number in numbers])
        left = sorted(numbers, key=self._place)
        if not found:
            return tuple(left)
        ordered = []
        for tile in found[0].tiles:
            number = next(number for number in left if self.tile(number) == tile)
            left.remove(number)
            ordered.append(number)
        return tuple(ordered)

    def _place(self, number: int) -> tuple[int, int, int]:
        tile = self.tile(number)
        if tile == JOKER:
            return JOKERS_LAST, 0, number
        colour, value = COLOURS.index(colour_of(tile)), number_of(tile)
        return (value, colour, number) if self.by_number else (colour, value, number)


def _without(group: Group, kept: Collection[int]) -> Group:
    return tuple(number for number in group if number in kept)
