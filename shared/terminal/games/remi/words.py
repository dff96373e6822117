"""What happens at Remi in plain words: what a player does, and what follows by the rules."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from rich.text import Text

from shared.gen.levata.table.v1 import remi_pb2, table_pb2
from shared.terminal.games.remi.offers import Proposal
from shared.terminal.games.remi.tiles import chip, chips
from shared.terminal.games.tricks import BAD, changes, seat_name
from shared.terminal.texts import Texts

ENDINGS = {
    remi_pb2.REMI_ENDING_CLOSED: "remi.closed",
    remi_pb2.REMI_ENDING_CLOSED_WITH_JOKER: "remi.closed.joker",
    remi_pb2.REMI_ENDING_PILE_EXHAUSTED: "remi.ended.pile",
    remi_pb2.REMI_ENDING_NOTHING_MOVED: "remi.ended.idle",
}
TOLD_BY_EVENT = ("take", "undo_take")
"""What is told by what follows, for only that names the tiles."""


def kind_of(action: Proposal) -> str:
    """Which action it is, as the contract calls it; empty for none."""
    if isinstance(action, remi_pb2.RemiStep):
        return action.WhichOneof("step") or ""
    return action.WhichOneof("action") or ""


def action_words(action: remi_pb2.RemiAction, texts: Texts) -> Text:
    """An action as its player would say it."""
    match kind_of(action):
        case "draw":
            return Text(texts("remi.say.draw"))
        case "undo_take":
            return Text(texts("remi.say.undo"))
        case "turn":
            return Text(", ").join(_said(step, texts) for step in action.turn.steps)
        case _:
            return _said(action, texts)


def action_sentence(name: str, action: remi_pb2.RemiAction, texts: Texts) -> Text:
    """That somebody did it, in a line; empty when what follows tells it."""
    kind = kind_of(action)
    if kind == "draw":
        return Text(texts("remi.did.draw", name=name), "dim")
    if kind in TOLD_BY_EVENT:
        return Text()
    steps: Iterable[Proposal] = action.turn.steps if kind == "turn" else [action]
    told = [step for step in steps if kind_of(step) not in TOLD_BY_EVENT]
    done = [_all_done(kind, list(alike), texts) for kind, alike in groupby(told, kind_of)]
    return Text(f"{name} ", "bold").append_text(Text("; ", "not bold").join(done)) if done else Text()


def event_sentences(table: table_pb2.Table, event: remi_pb2.RemiEvent, texts: Texts) -> Sequence[Text]:
    """What followed by the rules; nothing for what the sentence of the action has told."""
    match event.WhichOneof("event"):
        case "dealt":
            return [_dealt(table, event.dealt, texts)]
        case "taken":
            line = Text(texts("remi.did.taken", name=seat_name(table, event.taken.seat)), "bold")
            return [line.append_text(chips(tuple(event.taken.tiles), texts))]
        case "take_undone":
            return [Text(texts("remi.did.undo", name=seat_name(table, event.take_undone.seat)))]
        case "opened":
            name = seat_name(table, event.opened.seat)
            return [Text(texts("remi.opened", name=name, points=event.opened.points), "bold #b8f0a0")]
        case "few_tiles":
            return [_few(seat_name(table, event.few_tiles.seat), event.few_tiles.tiles, texts)]
        case "two_tiles_missed":
            name = seat_name(table, event.two_tiles_missed.seat)
            return [Text(texts("remi.missed", name=name), f"bold {BAD}")]
        case "pile_exhausted":
            return [Text(texts("remi.exhausted"), "bold #ffc07f")]
        case "scored":
            return scored(table, event.scored, texts)
        case _:
            return []


def scored(table: table_pb2.Table, row: remi_pb2.RemiScoreRow, texts: Texts) -> Sequence[Text]:
    """How a round ended, and what it brought."""
    points = changes(table, ((seat, cell.points) for seat, cell in enumerate(row.cells)))
    lines = [Text(texts("remi.scored", changes=points), "bold")]
    key = ENDINGS.get(row.ending)
    if key is not None:
        name = seat_name(table, row.closer) if row.HasField("closer") else ""
        words = texts(key, name=name) if row.HasField("closer") else texts(key)
        lines.insert(0, Text(words, "bold #ffd75f"))
    return lines


def _said(action: Proposal, texts: Texts) -> Text:
    """A step in the first person."""
    match kind_of(action):
        case "take":
            return Text(texts("remi.say.take"))
        case "lay":
            return _with(texts("remi.say.lay"), _melds(action.lay.melds, texts))
        case "add":
            return _with(texts("remi.say.add"), chip(action.add.tile, texts))
        case "swap_joker":
            return _with(texts("remi.say.swap"), chip(action.swap_joker.tile, texts))
        case "announce":
            atu = action.announce == remi_pb2.REMI_ANNOUNCEMENT_ATU
            return Text(texts("remi.say.announce.atu" if atu else "remi.say.announce.two"))
        case "discard":
            return _with(texts("remi.say.discard"), chip(action.discard, texts))
        case "close_with_atu":
            return Text(texts("remi.say.atu"))
        case _:
            return Text()


def _all_done(kind: str, steps: Sequence[Proposal], texts: Texts) -> Text:
    """Steps of one kind that follow one another; what was added is told together."""
    if kind == "add":
        return Text(texts("remi.did.add")).append_text(chips(tuple(step.add.tile for step in steps), texts))
    return Text("; ").join(_done(step, texts) for step in steps)


def _done(action: Proposal, texts: Texts) -> Text:
    """A step in the third person, without the name."""
    match kind_of(action):
        case "lay":
            return Text(texts("remi.did.lay")).append_text(_melds(action.lay.melds, texts))
        case "swap_joker":
            swap = action.swap_joker
            line = Text(texts("remi.did.swap")).append_text(chip(swap.tile, texts))
            return line.append(texts("remi.did.swap.new")).append_text(_melds([swap.new_meld], texts))
        case "announce":
            atu = action.announce == remi_pb2.REMI_ANNOUNCEMENT_ATU
            return Text(texts("remi.did.announce.atu" if atu else "remi.did.announce.two"), "bold #ffd75f")
        case "discard":
            return Text(texts("remi.did.discard")).append_text(chip(action.discard, texts))
        case "close_with_atu":
            return _closed(action.close_with_atu, texts)
        case _:
            return Text()


def _closed(closing: remi_pb2.RemiCloseWithAtu, texts: Texts) -> Text:
    line = Text(texts("remi.did.atu")).append_text(_melds(closing.melds, texts))
    for addition in closing.additions:
        line.append(f"; {texts('remi.did.add')}").append_text(chip(addition.tile, texts))
    if closing.discard:
        line.append(f"; {texts('remi.did.discard')}").append_text(chip(closing.discard, texts))
    return line


def _melds(melds: Iterable[remi_pb2.RemiTiles], texts: Texts) -> Text:
    return Text(", ").join(chips(tuple(each.tiles), texts) for each in melds)


def _with(template: str, tiles: Text) -> Text:
    before, _, after = template.partition("{tiles}")
    return Text(before).append_text(tiles).append(after)


def _few(name: str, tiles: int, texts: Texts) -> Text:
    key = {0: "remi.few.none", 1: "remi.few.one"}.get(tiles)
    words = texts(key, name=name) if key is not None else texts("remi.few", name=name, tiles=tiles)
    return Text(words, "bold #ff9f5f")


def _dealt(table: table_pb2.Table, dealt: remi_pb2.RemiDealt, texts: Texts) -> Text:
    name = seat_name(table, dealt.first)
    if dealt.turned == "*":
        return Text(texts("remi.dealt.joker", number=dealt.number, name=name), "italic")
    line = Text(texts("remi.dealt", number=dealt.number, name=name), "italic")
    line.append_text(chip(dealt.turned, texts))
    return line.append(texts("remi.dealt.doubled"), "bold") if dealt.turned[1:] == "1" else line
