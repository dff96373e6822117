"""What the table shows of a match of Arzoi. It names and arranges; what is legal comes from the table."""

from collections.abc import Mapping, Sequence

from rich.text import Text

from shared.gen.levata.table.v1 import arzoi_pb2, game_pb2, table_pb2
from shared.terminal.games import tricks
from shared.terminal.games.arzoi import words
from shared.terminal.games.arzoi.sheet import sheet_rows
from shared.terminal.games.trick_game import TrickGame
from shared.terminal.games.tricks import BAD, seat_name
from shared.terminal.games.view import Choice, Middle, OptionSpec, SeatFacts, SheetRow
from shared.terminal.texts import Texts

TEAM_COLOURS = ("#8fd0ff", "#ffc07f", "#c8a0ff")
ASKING: Mapping[int, tuple[str, str]] = {
    arzoi_pb2.ARZOI_PHASE_CHOOSE: ("arzoi.prompt.choose", "arzoi.wait.choose"),
    arzoi_pb2.ARZOI_PHASE_BID: ("tricks.prompt.bid", "tricks.wait.bid"),
    arzoi_pb2.ARZOI_PHASE_PLAY: ("tricks.prompt.play", "tricks.wait.play"),
    arzoi_pb2.ARZOI_PHASE_CONTINUE: ("arzoi.prompt.continue", "arzoi.wait.continue"),
}
"""What the viewer is asked, and what is said of somebody else who is."""
OVERBID = {arzoi_pb2.ARZOI_BIDDING_OVERBID: True, arzoi_pb2.ARZOI_BIDDING_UNDERBID: False}


class ArzoiView(TrickGame):
    """Arzoi for `GameView`."""

    name = "arzoi"
    asking = ASKING
    sizes = range(3, 10)
    usual_seats = 4

    def title(self, texts: Texts) -> str:
        """The game's name."""
        return texts("arzoi.title")

    def options(self, texts: Texts) -> Sequence[OptionSpec]:
        """Whether the whist of 2 is left out (AZ-52)."""
        values = [("with", texts("arzoi.with_2")), ("without", texts("arzoi.without_2"))]
        return [OptionSpec("whist_of_2", texts("arzoi.no_whist_of_2"), values)]

    def game_options(self, values: Mapping[str, str]) -> game_pb2.GameOptions:
        """The options as a message."""
        return game_pb2.GameOptions(arzoi=arzoi_pb2.ArzoiOptions(no_whist_of_2=values.get("whist_of_2") == "without"))

    def clock(self) -> table_pb2.Clock:
        """Time enough to choose, to read a hand before bidding, and a minute in reserve."""
        return table_pb2.Clock(bid_seconds=20, bid_extra_seconds=2, play_seconds=15, choose_seconds=30, bank_seconds=60)

    def headline(self, table: table_pb2.Table, texts: Texts) -> str:
        """Orbit, what is played, round, multiplier."""
        game = table.game.arzoi
        if not game.orbit:
            return ""
        parts = [texts("arzoi.orbit", orbit=game.orbit)]
        if game.HasField("variant"):
            parts.append(words.part_name(game.part, game.variant, texts))
        if game.round:
            parts.append(texts("arzoi.round", round=game.round, rounds=game.rounds))
        if game.multiplier > 1:
            parts.append(f"×{game.multiplier}")
        return " · ".join(parts)

    def subline(self, table: table_pb2.Table, texts: Texts) -> str:
        """Variants left, the chooser, Totale to come."""
        game = table.game.arzoi
        parts = []
        if game.phase == arzoi_pb2.ARZOI_PHASE_OVER:
            return ""
        if game.totale_minus_left or game.totale_plus_left:
            parts.append(texts("arzoi.totale_left", minus=game.totale_minus_left, plus=game.totale_plus_left))
        if game.variants_left:
            marks = " ".join(words.variant_mark(variant, texts) for variant in game.variants_left)
            parts.append(texts("arzoi.left", variants=marks))
        key = "arzoi.chooser" if game.phase == arzoi_pb2.ARZOI_PHASE_CHOOSE else "arzoi.chose"
        parts.append(texts(key, name=seat_name(table, game.chooser)))
        return " · ".join(parts)

    def seat(self, table: table_pb2.Table, seat: int, texts: Texts) -> SeatFacts:
        """Score, bid and tricks or points, the card on the trick, and the marks of a seat."""
        game = table.game.arzoi
        if seat >= len(game.seats):
            return SeatFacts(0, Text(""))
        state = game.seats[seat]
        card, holds = tricks.on_trick(game, seat)
        in_round = game.part != arzoi_pb2.ARZOI_PART_UNSPECIFIED and game.round > 0
        detail, brief = self._detail(game, seat, texts)
        note = Text("")
        if state.burned and game.part == arzoi_pb2.ARZOI_PART_WHIST:
            note = Text("✗✗" if state.burned_always else "✗", BAD)
        return SeatFacts(
            score=state.score,
            detail=detail,
            brief=brief,
            note=note,
            card=card,
            holds=holds,
            dealer=in_round and game.dealer == seat,
            chooser=game.chooser == seat and game.phase != arzoi_pb2.ARZOI_PHASE_OVER,
            group=seat % game.teams if game.teams else None,
        )

    def _detail(self, game: arzoi_pb2.ArzoiTable, index: int, texts: Texts) -> tuple[Text, Text]:
        """Tricks and bid, points, or tricks; in words and in brief."""
        state = game.seats[index]
        if game.part == arzoi_pb2.ARZOI_PART_WHIST and state.HasField("bid"):
            return tricks.bid_detail(state.bid, state.tricks, texts)
        if game.part in (arzoi_pb2.ARZOI_PART_TOTALE_MINUS, arzoi_pb2.ARZOI_PART_TOTALE_PLUS):
            points = Text(texts("arzoi.detail.points", points=state.points))
            return points, points
        if game.part == arzoi_pb2.ARZOI_PART_SEPTICA:
            team = index % game.teams + 1 if game.teams else 1
            detail = Text(texts("arzoi.detail.team", team=team, tricks=state.tricks))
            return detail, Text(texts("arzoi.detail.tricks", tricks=state.tricks))
        return Text(""), Text("")

    def middle(self, table: table_pb2.Table, texts: Texts) -> Middle:
        """Trump and bids, or teams and stock; the trick; the last trick."""
        return tricks.middle(table, table.game.arzoi, self._head(table, texts), texts)

    def _head(self, table: table_pb2.Table, texts: Texts) -> Sequence[Text]:
        game = table.game.arzoi
        if game.phase == arzoi_pb2.ARZOI_PHASE_CHOOSE:
            name = seat_name(table, game.chooser)
            return [Text(""), Text(name, "bold"), Text(texts("arzoi.is_choosing"))]
        if game.part == arzoi_pb2.ARZOI_PART_WHIST:
            bids = tricks.bids_text(game.bid_sum, game.cards_each, OVERBID.get(game.bidding), texts)
            return [tricks.trump_text(game.trump_card, texts), bids]
        aside = texts("arzoi.aside", cards=game.set_aside) if game.set_aside else ""
        if game.part == arzoi_pb2.ARZOI_PART_SEPTICA:
            stock = [texts("arzoi.stock", stock=game.stock)] + ([aside] if aside else [])
            teams = Text()
            for team in range(game.teams):
                points = sum(seat.points for index, seat in enumerate(game.seats) if index % game.teams == team)
                label = texts("arzoi.team", team=team + 1, points=points)
                teams.append("  " if team else "").append(label, f"bold {TEAM_COLOURS[team]}")
            return [Text(" · ".join(stock)), teams]
        if game.part in (arzoi_pb2.ARZOI_PART_TOTALE_MINUS, arzoi_pb2.ARZOI_PART_TOTALE_PLUS):
            name = words.part_name(game.part, game.variant, texts)
            return [Text(name, "bold"), Text(" · ".join(filter(None, [texts("tricks.no_trump"), aside])))]
        return []

    def choices(self, private: table_pb2.Private, texts: Texts) -> Sequence[Choice]:
        """Bids, variants, or leaving the trick."""
        choices = tricks.bid_choices(private.legal_actions)
        for action in private.legal_actions:
            match action.arzoi.WhichOneof("action"):
                case "choose":
                    variant = action.arzoi.choose
                    septica = variant.WhichOneof("variant") == "septica"
                    key = "s" if septica else str(variant.whist)
                    choices.append(Choice(key, words.variant_name(variant, texts), action))
                case "leave":
                    choices.append(Choice("l", texts("arzoi.leave"), action))
                case _:
                    continue
        return choices

    def action_text(self, action: game_pb2.GameAction, texts: Texts) -> Text:
        """An action as its player would say it."""
        return words.action_words(action, texts)

    def action_sentence(self, name: str, action: game_pb2.GameAction, texts: Texts) -> Text:
        """That somebody did it."""
        return words.action_sentence(name, action, texts)

    def event_sentences(self, table: table_pb2.Table, event: game_pb2.GameEvent, texts: Texts) -> Sequence[Text]:
        """What followed by the rules."""
        return words.event_sentences(table, event.arzoi, texts)

    def trick_line(self, table: table_pb2.Table, taken: arzoi_pb2.ArzoiTrickTaken, texts: Texts) -> Text:
        """A trick that was taken, and what was in it."""
        return words.trick_line(table, taken, texts)

    def sheet(self, table: table_pb2.Table, sheet: game_pb2.GameScoreSheet, texts: Texts) -> Sequence[SheetRow]:
        """The score sheet, orbit by orbit."""
        return sheet_rows(table, sheet.arzoi, texts)

    def help(self, texts: Texts) -> str:
        """The rules in short."""
        return texts("arzoi.help")
