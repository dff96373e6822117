"""What the table shows of a match of Rentz. It names and arranges; what is legal comes from the table."""

from collections.abc import Mapping, Sequence

from rich.text import Text

from shared.gen.levata.table.v1 import game_pb2, rentz_pb2, table_pb2
from shared.terminal.games import tricks
from shared.terminal.games.rentz import words
from shared.terminal.games.rentz.captured import captured_counts, captured_text
from shared.terminal.games.rentz.chosen import ChosenSpread, left_to
from shared.terminal.games.rentz.frames import layout_frames
from shared.terminal.games.rentz.layout import LayoutSpread
from shared.terminal.games.rentz.sheet import sheet_rows
from shared.terminal.games.rentz.subgames import subgame_figures, subgame_mark, subgame_name, subgame_rule
from shared.terminal.games.trick_game import TrickGame
from shared.terminal.games.tricks import GOOD, change_text, seat_name
from shared.terminal.games.view import Choice, Frame, Middle, OptionSpec, SeatFacts, SheetRow
from shared.terminal.texts import Texts
from shared.terminal.widgets.cards import chip

ASKING: Mapping[int, tuple[str, str]] = {
    rentz_pb2.RENTZ_PHASE_CHOOSE: ("rentz.prompt.choose", "rentz.wait.choose"),
    rentz_pb2.RENTZ_PHASE_PLAY: ("tricks.prompt.play", "tricks.wait.play"),
}
"""What the viewer is asked, and what is said of somebody else who is."""
LAYOUT = rentz_pb2.RENTZ_SUBGAME_RENTZ
BY_TRICKS = (rentz_pb2.RENTZ_SUBGAME_TRICKS, rentz_pb2.RENTZ_SUBGAME_WHIST)
"""Subgames in which the tricks themselves count, and nothing in them."""


class RentzView(TrickGame):
    """Rentz for `GameView`."""

    name = "rentz"
    asking = ASKING
    sizes = range(4, 5)
    usual_seats = 4

    def title(self, texts: Texts) -> str:
        """The game's name."""
        return texts("rentz.title")

    def options(self, texts: Texts) -> Sequence[OptionSpec]:
        """There is nothing to choose."""
        return []

    def game_options(self, values: Mapping[str, str]) -> game_pb2.GameOptions:
        """The options as a message."""
        return game_pb2.GameOptions(rentz=rentz_pb2.RentzOptions())

    def clock(self) -> table_pb2.Clock:
        """Time enough to read a hand before choosing, and a minute in reserve."""
        return table_pb2.Clock(play_seconds=15, choose_seconds=30, bank_seconds=60)

    def headline(self, table: table_pb2.Table, texts: Texts) -> str:
        """Which hand it is, and what is played."""
        game = table.game.rentz
        if not game.drawn:
            return ""
        hand = texts("rentz.hand", number=game.number, hands=game.hands)
        return " · ".join(filter(None, [hand, subgame_name(game.subgame, texts)]))

    def subline(self, table: table_pb2.Table, texts: Texts) -> str:
        """The round, who chooses or chose, and what that player has left to choose."""
        game = table.game.rentz
        if not game.drawn or game.phase == rentz_pb2.RENTZ_PHASE_OVER:
            return ""
        seats = max(1, len(game.seats))
        parts = [texts("rentz.round", round=(game.number - 1) // seats + 1, rounds=game.hands // seats)]
        key = "rentz.chose" if game.subgame else "rentz.chooser"
        parts.append(texts(key, name=seat_name(table, game.dealer)))
        left = left_to(table, game.dealer)
        if game.subgame and left:
            parts.append(texts("rentz.left", marks=" ".join(subgame_mark(subgame, texts) for subgame in left)))
        return " · ".join(parts)

    def seat(self, table: table_pb2.Table, seat: int, texts: Texts) -> SeatFacts:
        """Score, what the hand has brought, the card played last, what was captured, and the marks of a seat."""
        game = table.game.rentz
        if seat >= len(game.seats):
            return SeatFacts(0, Text(""))
        state = game.seats[seat]
        detail, brief = self._detail(game, state, texts)
        card, holds = tricks.on_trick(game, seat)
        if game.subgame == LAYOUT:
            card = state.placed
        taken: Sequence[Text] = ()
        if game.subgame not in BY_TRICKS and state.captured:
            taken = captured_text(state.captured), captured_counts(state.captured)
        elif state.passed or state.waited:
            taken = [Text(texts("rentz.seat.passed" if state.passed else "rentz.seat.waited"), "#ffc07f")]
        return SeatFacts(
            score=state.score,
            detail=detail,
            brief=brief,
            taken=taken,
            card=card,
            holds=holds,
            chooser=bool(game.drawn) and game.dealer == seat and game.phase != rentz_pb2.RENTZ_PHASE_OVER,
        )

    def _detail(self, game: rentz_pb2.RentzTable, state: rentz_pb2.RentzSeat, texts: Texts) -> tuple[Text, Text]:
        """The place or the cards left, tricks and points, or points; in words and in brief."""
        points = Text.assemble("(", change_text(state.points), ")") if state.points else Text("")
        if not game.subgame:
            return Text(""), Text("")
        if game.subgame == LAYOUT and state.HasField("finished"):
            place = Text(texts("rentz.seat.place", place=state.finished), GOOD)
            return Text(" ").join([place, points]), place
        if game.subgame == LAYOUT:
            cards = Text(texts("rentz.seat.cards", cards=state.cards))
            return cards, cards
        if not state.tricks:
            return Text(""), Text("")
        taken = Text(texts("rentz.seat.tricks", tricks=state.tricks))
        return Text(" ").join([part for part in (taken, points) if part]), points

    def middle(self, table: table_pb2.Table, texts: Texts) -> Middle:
        """Who chose what while somebody chooses; then what is played, and the trick or the layout."""
        game = table.game.rentz
        if game.phase == rentz_pb2.RENTZ_PHASE_CHOOSE:
            choosing = Text(texts("rentz.choosing", name=seat_name(table, game.dealer)), "bold")
            return Middle([choosing], spread=ChosenSpread(table, texts))
        if not game.subgame:
            return Middle([])
        rule = subgame_rule(game.subgame, texts)
        if game.subgame == LAYOUT:
            again = Text(texts("rentz.again", name=seat_name(table, table.decision.seat)), "bold #8fd0ff")
            return Middle([again if game.again else rule], spread=LayoutSpread(game.layout))
        return tricks.middle(table, game, [Text(subgame_name(game.subgame, texts), "bold"), rule], texts)

    def choices(self, private: table_pb2.Private, texts: Texts) -> Sequence[Choice]:
        """The subgames that are still open, each with what it scores."""
        result = []
        for action in private.legal_actions:
            if action.rentz.WhichOneof("action") == "choose":
                subgame = action.rentz.choose
                label = f"{subgame_name(subgame, texts)} {subgame_figures(subgame, texts)}"
                result.append(Choice(str(subgame), label, action))
        return result

    def action_text(self, action: game_pb2.GameAction, texts: Texts) -> Text:
        """An action as its player would say it."""
        return words.action_text(action, texts)

    def action_sentence(self, name: str, action: game_pb2.GameAction, texts: Texts) -> Text:
        """That somebody did it."""
        return words.action_sentence(name, action, texts)

    def event_sentences(self, table: table_pb2.Table, event: game_pb2.GameEvent, texts: Texts) -> Sequence[Text]:
        """What followed by the rules."""
        return words.event_sentences(table, event.rentz, texts)

    def trick_line(self, table: table_pb2.Table, taken: rentz_pb2.RentzTrickTaken, texts: Texts) -> Text:
        """A trick that was taken, and what it brought."""
        return words.trick_line(table, taken, texts)

    def told(self, table: table_pb2.Table, event: table_pb2.Event, texts: Texts) -> Sequence[Text]:
        """What all games of tricks tell, and every card of the layout."""
        placed = event.game.rentz.placed
        if placed.card:
            return [
                Text.assemble("  ", texts("tricks.did.play", name=seat_name(table, placed.seat)), chip(placed.card))
            ]
        return super().told(table, event, texts)

    def frames(self, before: table_pb2.Table | None, update: table_pb2.Update) -> Sequence[Frame]:
        """A trick that was taken, or a layout that is finished, is shown whole before the table that follows it."""
        if before is not None and before.game.rentz.subgame == LAYOUT and update.HasField("table"):
            return layout_frames(before, update)
        return super().frames(before, update)

    def sheet(self, table: table_pb2.Table, sheet: game_pb2.GameScoreSheet, texts: Texts) -> Sequence[SheetRow]:
        """The score sheet, hand by hand, and who chose what."""
        return sheet_rows(table, sheet.rentz, texts)

    def help(self, texts: Texts) -> str:
        """The rules in short."""
        return texts("rentz.help")
