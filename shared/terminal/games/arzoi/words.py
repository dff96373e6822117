"""Arzoi in words: variants, parts, actions and what follows from them."""

from collections.abc import Sequence

from rich.text import Text

from shared.gen.levata.table.v1 import arzoi_pb2, game_pb2, table_pb2
from shared.terminal.games import tricks
from shared.terminal.games.tricks import BAD, GOOD, changes, seat_name
from shared.terminal.texts import Texts


def variant_name(variant: arzoi_pb2.ArzoiVariant, texts: Texts) -> str:
    """A variant as people call it."""
    if variant.WhichOneof("variant") == "septica":
        return texts("arzoi.septica")
    return texts("arzoi.whist", cards=variant.whist)


def variant_mark(variant: arzoi_pb2.ArzoiVariant, texts: Texts) -> str:
    """A variant in as few letters as possible."""
    if variant.WhichOneof("variant") == "septica":
        return texts("arzoi.septica.short")
    return str(variant.whist)


def part_name(part: arzoi_pb2.ArzoiPart.ValueType, variant: arzoi_pb2.ArzoiVariant, texts: Texts) -> str:
    """What is being played: the variant itself, or a Totale that follows it."""
    if part == arzoi_pb2.ARZOI_PART_TOTALE_MINUS:
        return texts("arzoi.totale_minus")
    if part == arzoi_pb2.ARZOI_PART_TOTALE_PLUS:
        return texts("arzoi.totale_plus")
    return variant_name(variant, texts)


def action_words(action: game_pb2.GameAction, texts: Texts) -> Text:
    """An action as its player would say it."""
    match action.arzoi.WhichOneof("action"):
        case "choose":
            return Text(texts("arzoi.say.choose", variant=variant_name(action.arzoi.choose, texts)))
        case "leave":
            return Text(texts("arzoi.say.leave"))
        case _:
            return tricks.action_words(action, texts)


def action_sentence(name: str, action: game_pb2.GameAction, texts: Texts) -> Text:
    """That somebody did something."""
    match action.arzoi.WhichOneof("action"):
        case "choose":
            return Text(texts("tricks.did.choose", name=name, what=variant_name(action.arzoi.choose, texts)))
        case "leave":
            return Text(texts("arzoi.did.leave", name=name))
        case _:
            return tricks.action_sentence(name, action, texts)


def event_sentences(table: table_pb2.Table, event: arzoi_pb2.ArzoiEvent, texts: Texts) -> Sequence[Text]:
    """Something that happened by the rules, in plain words."""
    match event.WhichOneof("event"):
        case "dealt":
            return [_dealt(table, event.dealt, texts)]
        case "bidding_ended":
            ended = event.bidding_ended
            overbid = ended.bidding == arzoi_pb2.ARZOI_BIDDING_OVERBID
            return [tricks.bidding_ended(ended.bid_sum, table.game.arzoi.cards_each, overbid, texts)]
        case "trick_taken":
            taken = event.trick_taken
            name = seat_name(table, taken.seat)
            if taken.points:
                return [Text(texts("arzoi.took.points", name=name, points=taken.points), "bold")]
            return [Text(texts("tricks.took", name=name), "bold")]
        case "scored":
            return _scored(table, event.scored, texts)
        case "orbit_ended":
            return _orbit_ended(table, event.orbit_ended, texts)
        case _:
            return []


def trick_line(table: table_pb2.Table, taken: arzoi_pb2.ArzoiTrickTaken, texts: Texts) -> Text:
    """A whole trick in a line: who led, the cards in the order played, who took it and what was in it."""
    line = tricks.trick_line(table, taken.cards, taken.seat)
    if taken.points:
        line.append(f" ({texts('arzoi.detail.points', points=taken.points)})")
    return line


def _dealt(table: table_pb2.Table, dealt: arzoi_pb2.ArzoiDealt, texts: Texts) -> Text:
    name = seat_name(table, dealt.dealer)
    if dealt.attempt > 1:
        multiplier = 1 << (dealt.attempt - 1)
        words = texts("arzoi.dealt.again", round=dealt.round, multiplier=multiplier, name=name, cards=dealt.cards_each)
    else:
        part = part_name(dealt.part, table.game.arzoi.variant, texts)
        words = texts("arzoi.dealt", part=part, round=dealt.round, name=name, cards=dealt.cards_each)
    line = Text(words, "italic")
    if dealt.part == arzoi_pb2.ARZOI_PART_WHIST:
        line.append_text(tricks.dealt_trump(dealt.trump_card, texts))
    return line


def _scored(table: table_pb2.Table, row: arzoi_pb2.ArzoiScoreRow, texts: Texts) -> Sequence[Text]:
    if row.round == 0:
        bonus = [(seat, cell.change) for seat, cell in enumerate(row.cells) if cell.change]
        return [Text(texts("arzoi.bonus", changes=changes(table, bonus)), GOOD)]
    lines = []
    if row.replayed:
        key = "arzoi.tie" if row.part == arzoi_pb2.ARZOI_PART_SEPTICA else "arzoi.all_burned"
        lines.append(Text(texts(key), BAD))
    if any(cell.change for cell in row.cells) or not row.replayed:
        scored = changes(table, ((seat, cell.change) for seat, cell in enumerate(row.cells)))
        lines.append(Text(texts("tricks.scored", changes=scored), "bold"))
    return lines


def _orbit_ended(table: table_pb2.Table, ended: arzoi_pb2.ArzoiOrbitEnded, texts: Texts) -> Sequence[Text]:
    key = "arzoi.orbit_early" if ended.early else "arzoi.orbit_over"
    lines = [Text(texts(key, variant=variant_name(ended.variant, texts)), "bold")]
    if ended.perfect:
        names = ", ".join(seat_name(table, seat) for seat in ended.perfect)
        lines.append(Text(texts("arzoi.perfect", names=names), GOOD))
    if ended.totale_minus or ended.totale_plus:
        lines.append(Text(texts("arzoi.totale_follow", minus=ended.totale_minus, plus=ended.totale_plus)))
    return lines
