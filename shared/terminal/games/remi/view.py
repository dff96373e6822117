"""What the terminal says of Remi: its options, where a match stands, what happens, the score sheet."""

from collections.abc import Mapping, Sequence

from rich.text import Text

from shared.gen.levata.table.v1 import game_pb2, remi_pb2, table_pb2
from shared.terminal.games.remi import frames, words
from shared.terminal.games.remi.sheet import sheet_rows
from shared.terminal.games.remi.tiles import JOKER, chip, tile_name
from shared.terminal.games.tricks import seat_name
from shared.terminal.games.view import Frame, OptionSpec, SheetRow
from shared.terminal.texts import Texts

ROUNDS = (1, 3, 5, 10)
IDLE_SHOWN = 3
"""After so many turns in which nothing moved it is said how many there were."""


class RemiView:
    """Remi for `GameView`."""

    name = "remi"
    sizes = range(2, 5)
    usual_seats = 4

    def title(self, texts: Texts) -> str:
        """The game's name."""
        return texts("remi.title")

    def options(self, texts: Texts) -> Sequence[OptionSpec]:
        """The rounds of a match (GAP-R27)."""
        names = [
            texts("remi.rounds.one") if rounds == 1 else texts("remi.rounds.many", rounds=rounds) for rounds in ROUNDS
        ]
        values = [(str(rounds), name) for rounds, name in zip(ROUNDS, names, strict=True)]
        return [OptionSpec("rounds", texts("remi.rounds"), values)]

    def game_options(self, values: Mapping[str, str]) -> game_pb2.GameOptions:
        """The options as a message."""
        return game_pb2.GameOptions(remi=remi_pb2.RemiOptions(rounds=int(values.get("rounds", "1"))))

    def clock(self) -> table_pb2.Clock:
        """A minute for a whole turn, and two in reserve."""
        return table_pb2.Clock(turn_seconds=60, bank_seconds=120)

    def headline(self, table: table_pb2.Table, texts: Texts) -> str:
        """Which round it is, who began it, whether it is doubled."""
        game = table.game.remi
        if not game.number:
            return ""
        parts = [texts("remi.round", number=game.number, rounds=game.rounds)]
        if game.turned:
            parts.append(texts("remi.first", name=seat_name(table, game.first)))
        if game.doubled:
            parts.append(texts("remi.doubled"))
        return " · ".join(parts)

    def subline(self, table: table_pb2.Table, texts: Texts) -> str | Text:
        """The Atu, the pile, what has to be used, turns without a move."""
        game = table.game.remi
        if not game.turned or game.phase == remi_pb2.REMI_PHASE_OVER:
            return ""
        line = Text()
        if game.atu:
            line.append(texts("remi.atu"), "bold").append_text(chip(game.atu, texts))
        elif game.turned == JOKER:
            line.append(texts("remi.atu.joker"))
        else:
            line.append(texts("remi.atu.taken", tile=tile_name(game.turned, texts)))
        line.append(" · ")
        line.append(texts("remi.pile", tiles=game.pile) if game.pile else texts("remi.pile.last"), "bold")
        if game.duty:
            line.append(" · ").append(texts("remi.must_use"), "bold #ffd75f").append_text(chip(game.duty, texts))
        if game.idle_turns >= IDLE_SHOWN:
            line.append(f" · {texts('remi.idle', turns=game.idle_turns)}", "#ffc07f")
        return line

    def prompt(self, table: table_pb2.Table, private: table_pb2.Private, texts: Texts) -> str:
        """What the viewer is asked for, or who is waited for."""
        game = table.game.remi
        drawing = game.phase == remi_pb2.REMI_PHASE_DRAW
        if not private.legal_actions:
            return texts("remi.wait.draw" if drawing else "remi.wait.meld", name=seat_name(table, table.decision.seat))
        if drawing:
            takes = any(action.remi.HasField("take") for action in private.legal_actions)
            return texts("remi.prompt.draw", row=texts("remi.prompt.draw.row") if takes else "")
        opening = not game.row and not game.melds
        return texts("remi.prompt.opening" if opening else "remi.prompt.meld")

    def action_words(self, action: game_pb2.GameAction, texts: Texts) -> str:
        """An action as one would say it."""
        return " ".join(words.action_words(action.remi, texts).plain.split())

    def action_sentence(self, name: str, action: game_pb2.GameAction, texts: Texts) -> Text:
        """That somebody did it."""
        return words.action_sentence(name, action.remi, texts)

    def event_sentences(self, table: table_pb2.Table, event: game_pb2.GameEvent, texts: Texts) -> Sequence[Text]:
        """What followed by the rules."""
        return words.event_sentences(table, event.remi, texts)

    def told(self, table: table_pb2.Table, event: table_pb2.Event, texts: Texts) -> Sequence[Text]:
        """Turns and what followed from them, without every tile that was drawn."""
        if event.WhichOneof("event") == "action_taken":
            action = event.action_taken.action
            if action.remi.HasField("draw"):
                return []
            line = self.action_sentence(seat_name(table, event.action_taken.seat), action, texts)
            return [line] if line else []
        return self.event_sentences(table, event.game, texts) if event.WhichOneof("event") == "game" else []

    def frames(self, before: table_pb2.Table | None, update: table_pb2.Update) -> Sequence[Frame]:
        """A turn that stays to be seen, and the end of a round."""
        return frames.frames(before, update)

    def sheet(self, table: table_pb2.Table, sheet: game_pb2.GameScoreSheet, texts: Texts) -> Sequence[SheetRow]:
        """The score sheet, round by round."""
        return sheet_rows(table, sheet.remi, texts)

    def help(self, texts: Texts) -> str:
        """The rules and the keys in short."""
        return texts("remi.help")
