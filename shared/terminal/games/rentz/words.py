"""Rentz in words: what somebody chose, and what followed by the rules."""

from collections.abc import Sequence

from rich.text import Text

from shared.gen.levata.table.v1 import game_pb2, rentz_pb2, table_pb2
from shared.terminal.games import tricks
from shared.terminal.games.rentz.subgames import subgame_name, subgame_rule
from shared.terminal.games.tricks import GOOD, change_text, changes, seat_name
from shared.terminal.texts import Texts


def action_text(action: game_pb2.GameAction, texts: Texts) -> Text:
    """A choice or a card as its player would say it."""
    if action.rentz.WhichOneof("action") == "choose":
        return Text(subgame_name(action.rentz.choose, texts))
    return tricks.action_words(action, texts)


def action_sentence(name: str, action: game_pb2.GameAction, texts: Texts) -> Text:
    """That somebody chose a subgame or played a card."""
    if action.rentz.WhichOneof("action") == "choose":
        return Text(texts("tricks.did.choose", name=name, what=subgame_name(action.rentz.choose, texts)), "bold")
    return tricks.action_sentence(name, action, texts)


def trick_line(table: table_pb2.Table, taken: rentz_pb2.RentzTrickTaken, texts: Texts) -> Text:
    """A whole trick in a line: who led, the cards, who took it and what it brought."""
    line = tricks.trick_line(table, taken.cards, taken.seat)
    return line.append(" ").append_text(change_text(taken.points)) if taken.points else line


def event_sentences(table: table_pb2.Table, event: rentz_pb2.RentzEvent, texts: Texts) -> Sequence[Text]:
    """Something that happened by the rules, in plain words."""
    match event.WhichOneof("event"):
        case "dealer_drawn":
            following = texts("rentz.chooses_first", name=seat_name(table, event.dealer_drawn.dealer))
            return [tricks.dealer_drawn(table, event.dealer_drawn.cards, following, texts)]
        case "dealt":
            name = seat_name(table, event.dealt.dealer)
            return [Text(texts("rentz.dealt", number=event.dealt.number, name=name), "italic")]
        case "chosen":
            return [subgame_rule(event.chosen.subgame, texts)]
        case "trick_taken":
            return [_taken(table, event.trick_taken, texts)]
        case "passed":
            return [Text(texts("rentz.passed", name=seat_name(table, event.passed.seat)), "dim")]
        case "waited":
            return [Text(texts("rentz.waited", name=seat_name(table, event.waited.seat)), "#ffc07f")]
        case "moves_again":
            return [Text(texts("rentz.moves_again", name=seat_name(table, event.moves_again.seat)), "#8fd0ff")]
        case "finished":
            finished = event.finished
            return [Text(texts("rentz.finished", name=seat_name(table, finished.seat), place=finished.place), GOOD)]
        case "scored":
            return [Text(texts("tricks.scored", changes=changes(table, enumerate(event.scored.points))), "bold")]
        case _:
            return []


def _taken(table: table_pb2.Table, taken: rentz_pb2.RentzTrickTaken, texts: Texts) -> Text:
    line = Text(texts("tricks.took", name=seat_name(table, taken.seat)), "bold")
    return line.append(" ").append_text(change_text(taken.points)) if taken.points else line
