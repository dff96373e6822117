"""What the table shows of a match of whist. It names and arranges; what is legal comes from the table."""

from collections.abc import Mapping, Sequence

from rich.text import Text

from shared.gen.levata.table.v1 import game_pb2, table_pb2, whist_pb2
from shared.terminal.games import tricks
from shared.terminal.games.trick_game import TrickGame
from shared.terminal.games.tricks import seat_name
from shared.terminal.games.view import Middle, OptionSpec, SeatFacts, SheetRow
from shared.terminal.games.whist.sheet import PREMIUM, sheet_rows, streak_text
from shared.terminal.texts import Texts

ASKING: Mapping[int, tuple[str, str]] = {
    whist_pb2.WHIST_PHASE_BID: ("tricks.prompt.bid", "tricks.wait.bid"),
    whist_pb2.WHIST_PHASE_PLAY: ("tricks.prompt.play", "tricks.wait.play"),
}
"""What the viewer is asked, and what is said of somebody else who is."""
OVERBID = {whist_pb2.WHIST_BIDDING_OVERBID: True, whist_pb2.WHIST_BIDDING_UNDERBID: False}
PATTERNS = {"1-8-1": whist_pb2.WHIST_PATTERN_1_8_1, "8-1-8": whist_pb2.WHIST_PATTERN_8_1_8}
PREMIUMS = {
    "ten": whist_pb2.WHIST_PREMIUM_TEN,
    "five": whist_pb2.WHIST_PREMIUM_FIVE,
    "none": whist_pb2.WHIST_PREMIUM_NONE,
}
HANDS_AHEAD = 12
"""So many of the hands to come are listed."""


class WhistView(TrickGame):
    """Whist for `GameView`."""

    name = "whist"
    asking = ASKING
    sizes = range(3, 7)
    usual_seats = 4

    def title(self, texts: Texts) -> str:
        """The game's name."""
        return texts("whist.title")

    def options(self, texts: Texts) -> Sequence[OptionSpec]:
        """How the cards go (RW-3), and what a premium is worth (GAP-W1)."""
        premiums = [
            ("ten", texts("whist.premium.ten")),
            ("five", texts("whist.premium.five")),
            ("none", texts("whist.premium.none")),
        ]
        return [
            OptionSpec("pattern", texts("whist.pattern"), [(pattern, pattern) for pattern in PATTERNS]),
            OptionSpec("premium", texts("whist.premium"), premiums),
        ]

    def game_options(self, values: Mapping[str, str]) -> game_pb2.GameOptions:
        """The options as a message."""
        pattern = PATTERNS[values.get("pattern", "1-8-1")]
        premium = PREMIUMS[values.get("premium", "ten")]
        return game_pb2.GameOptions(whist=whist_pb2.WhistOptions(pattern=pattern, premium=premium))

    def clock(self) -> table_pb2.Clock:
        """Time enough to read a hand before bidding, and a minute in reserve."""
        return table_pb2.Clock(bid_seconds=20, bid_extra_seconds=2, play_seconds=15, bank_seconds=60)

    def headline(self, table: table_pb2.Table, texts: Texts) -> str:
        """Which hand it is, and of how many cards."""
        game = table.game.whist
        if not game.number:
            return ""
        hand = texts("whist.hand", number=game.number, hands=len(game.deals))
        return f"{hand} · {_cards(game.cards_each, texts)}"

    def subline(self, table: table_pb2.Table, texts: Texts) -> str:
        """The hands to come, by their cards."""
        game = table.game.whist
        if not game.number or game.phase == whist_pb2.WHIST_PHASE_OVER:
            return ""
        ahead = [str(cards) for cards in game.deals[game.number :]]
        if not ahead:
            return texts("whist.last")
        more = " …" if len(ahead) > HANDS_AHEAD else ""
        return texts("whist.next", cards=" ".join(ahead[:HANDS_AHEAD]) + more)

    def seat(self, table: table_pb2.Table, seat: int, texts: Texts) -> SeatFacts:
        """Score, bid and tricks, the streak, the card on the trick, and the marks of a seat."""
        game = table.game.whist
        if seat >= len(game.seats):
            return SeatFacts(0, Text(""))
        state = game.seats[seat]
        card, holds = tricks.on_trick(game, seat)
        detail, brief = Text(""), Text("")
        if state.HasField("bid"):
            detail, brief = tricks.bid_detail(state.bid, state.tricks, texts)
        return SeatFacts(
            score=state.score,
            detail=detail,
            brief=brief,
            note=streak_text(state.streak),
            card=card,
            holds=holds,
            dealer=bool(game.drawn) and game.dealer == seat and game.phase != whist_pb2.WHIST_PHASE_OVER,
        )

    def middle(self, table: table_pb2.Table, texts: Texts) -> Middle:
        """Trump and bids; the trick; the last trick."""
        game = table.game.whist
        head: Sequence[Text] = []
        if game.phase in ASKING:
            bids = tricks.bids_text(game.bid_sum, game.cards_each, OVERBID.get(game.bidding), texts)
            head = [tricks.trump_text(game.trump_card, texts), bids]
        return tricks.middle(table, game, head, texts)

    def event_sentences(self, table: table_pb2.Table, event: game_pb2.GameEvent, texts: Texts) -> Sequence[Text]:
        """What followed by the rules."""
        happened = event.whist
        match happened.WhichOneof("event"):
            case "dealer_drawn":
                drawn = happened.dealer_drawn
                following = texts("whist.deals_first", name=seat_name(table, drawn.dealer))
                return [tricks.dealer_drawn(table, drawn.cards, following, texts)]
            case "dealt":
                return [_dealt(table, happened.dealt, texts)]
            case "bidding_ended":
                ended = happened.bidding_ended
                overbid = ended.bidding == whist_pb2.WHIST_BIDDING_OVERBID
                return [tricks.bidding_ended(ended.bid_sum, table.game.whist.cards_each, overbid, texts)]
            case "trick_taken":
                return [Text(texts("tricks.took", name=seat_name(table, happened.trick_taken.seat)), "bold")]
            case "scored":
                return _scored(table, happened.scored, texts)
            case _:
                return []

    def sheet(self, table: table_pb2.Table, sheet: game_pb2.GameScoreSheet, texts: Texts) -> Sequence[SheetRow]:
        """The score sheet, hand by hand."""
        return sheet_rows(table, sheet.whist, texts)

    def help(self, texts: Texts) -> str:
        """The rules in short."""
        return texts("whist.help")


def _cards(count: int, texts: Texts) -> str:
    return texts("whist.cards.one") if count == 1 else texts("whist.cards", cards=count)


def _dealt(table: table_pb2.Table, dealt: whist_pb2.WhistDealt, texts: Texts) -> Text:
    name = seat_name(table, dealt.dealer)
    words = texts("whist.dealt", number=dealt.number, name=name, cards=_cards(dealt.cards_each, texts))
    return Text(words, "italic").append_text(tricks.dealt_trump(dealt.trump_card, texts))


def _scored(table: table_pb2.Table, row: whist_pb2.WhistScoreRow, texts: Texts) -> Sequence[Text]:
    points = tricks.changes(table, ((seat, cell.points) for seat, cell in enumerate(row.cells)))
    lines = [Text(texts("tricks.scored", changes=points), "bold")]
    won = [(seat, cell.premium) for seat, cell in enumerate(row.cells) if cell.premium > 0]
    lost = [(seat, cell.premium) for seat, cell in enumerate(row.cells) if cell.premium < 0]
    if won:
        lines.append(Text(texts("whist.premium.won", changes=tricks.changes(table, won)), PREMIUM))
    if lost:
        lines.append(Text(texts("whist.premium.lost", changes=tricks.changes(table, lost)), tricks.BAD))
    return lines
