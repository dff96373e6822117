"""What the screen says while a turn is put together: the line above the hand, and the buttons under it."""

import string
from collections.abc import Sequence

from rich.text import Text

from shared.gen.levata.table.v1 import remi_pb2
from shared.terminal.games.remi import keys
from shared.terminal.games.remi.composer import Composer, Zone
from shared.terminal.games.remi.draft import Add, Announce, Discard, Draft, Lay, Lying, Swap, TakeAtu
from shared.terminal.games.remi.keys import Meaning, meaning_of_enter
from shared.terminal.games.remi.melds import Combination, arrangements
from shared.terminal.games.remi.tiles import JOKER, Look, chip, chips, tile_name
from shared.terminal.texts import Texts
from shared.terminal.widgets.chips import Chip

FIRST_MELD = 45
"""Points of a first meld, at least (RM-14)."""
NAME = "remi-"
TILES_NAMED = 8
"""Of more tiles than this it is only said how many they are."""


def worded(template: str, **parts: Text | str | int) -> Text:
    """A text with tiles in it: `parts` in the places of its placeholders."""
    line = Text()
    for words, name, _, _ in string.Formatter().parse(template):
        line.append(words)
        if name is not None:
            part = parts[name]
            line.append_text(part if isinstance(part, Text) else Text(str(part)))
    return line


def prompt(composer: Composer, names: Sequence[str], texts: Texts) -> Text:
    """The line above the hand; empty when there is nothing to say beyond the usual.

    Args:
        composer: The player's side of the table.
        names: The players in seat order.
        texts: The language.
    """
    question = composer.question
    if question is not None:
        way = question.options[question.at]
        line = Text(texts(question.key)).append_text(
            worded(
                texts("remi.enter.pick"),
                number=question.at + 1,
                of=len(question.options),
                tiles=chips(way.combination.tiles, texts),
            )
        )
        return line.append_text(_jokers(way.combination, texts))
    remark = composer.remark
    if remark is not None:
        return worded(texts(remark.key), tiles=chips(remark.tiles, texts), number=remark.number, of=remark.of)
    return _doing(composer, names, texts)


def _doing(composer: Composer, names: Sequence[str], texts: Texts) -> Text:
    """What Enter would do, or what the draft comes to."""
    meaning = meaning_of_enter(composer)
    rack = composer.shown_rack
    if meaning is Meaning.TAKE:
        return _taking(composer, texts)
    if composer.zone is Zone.MELDS:
        lying = next((each for each in composer.lying() if each.meld == composer.meld_at), None)
        return _meld(lying, names, texts) if lying is not None else Text()
    if meaning is Meaning.LAY:
        return _so_far(composer, texts).append_text(_marked(composer, texts))
    if meaning is Meaning.ADD:
        marked = [rack.tile(number) for number in composer.in_order() if number in composer.rack.marks]
        return _so_far(composer, texts).append_text(worded(texts("remi.enter.add"), tiles=chips(marked, texts)))
    if meaning is Meaning.DISCARD and composer.cursor is not None and composer.melding:
        line = worded(texts("remi.enter.discard"), tile=chip(rack.tile(composer.cursor), texts))
        return _so_far(composer, texts).append_text(line)
    if composer.draft:
        return _first_meld(composer.draft, texts) if _opens(composer) else _summary(composer, texts, send=True)
    return Text()


def _marked(composer: Composer, texts: Texts) -> Text:
    """What the marked tiles make."""
    marked = [composer.shown_rack.tile(number) for number in composer.in_order() if number in composer.rack.marks]
    found = arrangements(marked)
    if not found:
        return worded(texts("remi.enter.lay.not"), tiles=chips(marked, texts))
    return worded(texts("remi.enter.lay"), tiles=chips(found[0].tiles, texts), number=found[0].points())


def _so_far(composer: Composer, texts: Texts) -> Text:
    """What is drafted already, before what would come now."""
    if _opens(composer):
        return Text(texts("remi.draft.first", points=composer.draft.laid_points)).append("; ")
    return _summary(composer, texts).append(" ") if composer.draft else Text()


def _opens(composer: Composer) -> bool:
    return not composer.melded and composer.draft.atu is None and composer.draft.laid_points > 0


def _first_meld(draft: Draft, texts: Texts) -> Text:
    """How far the first meld has come (RM-14)."""
    line = Text(texts("remi.draft.first", points=draft.laid_points))
    if not draft.has_run:
        line.append(texts("remi.draft.no_run"))
    ready = draft.has_run and draft.laid_points >= FIRST_MELD
    return line.append(texts("remi.draft.ready" if ready else "remi.draft.more"))


def _summary(composer: Composer, texts: Texts, *, send: bool = False) -> Text:
    """What the draft comes to, in a line."""
    if composer.draft.pending is not None:
        return Text(texts("remi.joker.pending"))
    parts: list[Text] = []
    points = composer.draft.laid_points
    for step in composer.draft.steps:
        match step:
            case Lay() if points:
                parts.append(Text(texts("remi.draft.laid", points=points)))
                points = 0
            case Add(_, tile):
                parts.append(worded(texts("remi.draft.added"), tiles=chip(tile, texts)))
            case Swap(_, _, tile):
                parts.append(worded(texts("remi.draft.swapped"), tiles=chip(tile, texts)))
            case TakeAtu(tile):
                parts.append(worded(texts("remi.draft.atu"), tiles=chip(tile, texts)))
            case Announce():
                parts.append(Text(texts("remi.draft.announced")))
            case Discard(tile):
                parts.append(worded(texts("remi.draft.discarded"), tiles=chip(tile, texts)))
    line = Text(", ").join(parts)
    return line.append(texts("remi.draft.send")) if send else line.append(";")


def _taking(composer: Composer, texts: Texts) -> Text:
    """Which tiles would be taken, and which of them has to be used (RM-18, RM-21)."""
    row = composer.table.row
    tiles = list(row[composer.place_at :])
    named = chips(tiles, texts)
    if len(tiles) > TILES_NAMED:
        named = worded(texts("remi.enter.take.many"), number=len(tiles), tile=chip(tiles[-1], texts))
    line = worded(texts("remi.enter.take"), tiles=named)
    if tiles and (len(tiles) > 1 or not composer.melded):
        line.append_text(worded(texts("remi.enter.take.duty"), tile=chip(tiles[0], texts)))
    return line


def _meld(lying: Lying, names: Sequence[str], texts: Texts) -> Text:
    """A combination, what it is worth, who placed its tiles, what its Jokers stand for."""
    owners = " ".join(names[seat] for seat in dict.fromkeys(lying.seats) if seat < len(names))
    combination = lying.combination
    line = worded(texts("remi.meld"), tiles=chips(combination.tiles, texts), points=combination.points(), name=owners)
    return line.append_text(_jokers(combination, texts))


def _jokers(combination: Combination, texts: Texts) -> Text:
    line = Text()
    for index, tile in enumerate(combination.tiles):
        if tile == JOKER:
            either = Text(texts("remi.or")).join(chip(each, texts) for each in combination.stands_for(index))
            line.append_text(worded(texts("remi.joker.is"), tiles=either))
    return line


def buttons(composer: Composer, texts: Texts) -> tuple[list[Chip], int | None]:
    """The buttons of the moment, and which of them Enter would press."""
    if composer.seat is None:
        return [], None
    if composer.question is not None:
        return _ways(composer, texts), composer.question.at
    chips_ = [*_announcing(composer, texts)]
    chosen = None
    enter = _enter(composer, texts)
    if enter is not None:
        chosen = len(chips_)
        chips_.append(enter)
    offers = composer.offers
    possible = [
        (keys.DRAW, "remi.key.draw", offers.draw and not composer.draft),
        (keys.TAKE, "remi.key.take", bool(offers.takes) and not composer.draft),
        (keys.RETURN, "remi.key.return", offers.undo),
        (keys.LAY, "remi.key.lay", composer.melding and bool(composer.rack.marks or composer.rack.groups)),
        (keys.ADD, "remi.key.add", composer.melding and _points(composer) and bool(composer.lying())),
        (keys.SWAP, "remi.key.swap", composer.melding and _points(composer) and _jokers_lie(composer)),
        (keys.GROUP, "remi.key.group", bool(composer.rack.marks)),
        (keys.BACK, "remi.key.back", composer.can_take_back),
        (keys.PROPOSE, "remi.key.propose", composer.offers.turn),
    ]
    chips_ += [Chip(NAME + key, key, texts(words)) for key, words, can in possible if can]
    sort = "remi.key.sort.colour" if composer.rack.by_number else "remi.key.sort.number"
    return [*chips_, Chip(NAME + keys.SORT, keys.SORT, texts(sort))], chosen


def _announcing(composer: Composer, texts: Texts) -> list[Chip]:
    """What draws the eye: announcements, and closing with the Atu."""
    found = []
    what = composer.may_announce()
    if what is not None:
        atu = what == remi_pb2.REMI_ANNOUNCEMENT_ATU
        words = texts("remi.key.announce.atu" if atu else "remi.key.announce.two")
        found.append(Chip(NAME + keys.ANNOUNCE, keys.ANNOUNCE, words, loud=True))
    if not composer.draft and any(each.HasField("close_with_atu") for each in composer.offers.proposals):
        found.append(Chip(NAME + keys.ATU, keys.ATU, texts("remi.key.atu"), loud=True))
    return found


def _enter(composer: Composer, texts: Texts) -> Chip | None:
    """What Enter does, to be clicked."""
    match meaning_of_enter(composer):
        case Meaning.DISCARD if composer.cursor is not None and composer.melding:
            tile = tile_name(composer.shown_rack.tile(composer.cursor), texts)
            return Chip(f"{NAME}enter", "⏎", texts("remi.key.discard", tile=tile))
        case Meaning.SEND | Meaning.TAKE:
            return Chip(f"{NAME}enter", "⏎", texts("remi.key.play"))
        case _:
            return None


def _ways(composer: Composer, texts: Texts) -> list[Chip]:
    """The ways that are asked about."""
    assert composer.question is not None
    return [
        Chip(f"{NAME}{index + 1}", str(index + 1), " ".join(tile_name(tile, texts) for tile in way.combination.tiles))
        for index, way in enumerate(composer.question.options[:9])
    ]


def _points(composer: Composer) -> bool:
    """Whether a tile is pointed at."""
    return bool(composer.rack.marks) or composer.cursor is not None


def _jokers_lie(composer: Composer) -> bool:
    return any(JOKER in each.combination.tiles for each in composer.lying())


def look_of(composer: Composer, number: int) -> Look:
    """How a tile of the rack lies."""
    if number in composer.rack.marks:
        return Look.PICKED
    return Look.DRAFT if number < 0 else Look.PLAIN
