"""What views of games of tricks answer alike."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from shared.gen.levata.table.v1 import game_pb2, table_pb2
from shared.terminal.games import tricks
from shared.terminal.games.view import Choice, Frame, HandCard
from shared.terminal.texts import Texts


class TrickGame:
    """The part of `GameView` that is the same in every game of tricks; each game adds what is its own.

    Attributes:
        name: As on the wire, and as the game's field is called in every message.
        asking: For each phase what the viewer is asked, and what is said of somebody else who is.
    """

    name: str
    asking: Mapping[int, tuple[str, str]]

    def hand(self, private: table_pb2.Private) -> Sequence[HandCard]:
        """The cards in hand; those that may be played carry their action."""
        return tricks.cards_in_hand(getattr(private.hand, self.name).cards, private.legal_actions)

    def choices(self, private: table_pb2.Private, texts: Texts) -> Sequence[Choice]:
        """Bids."""
        return tricks.bid_choices(private.legal_actions)

    def prompt(self, table: table_pb2.Table, private: table_pb2.Private, texts: Texts) -> str:
        """What the viewer is asked for, or who is waited for."""
        asking = self.asking.get(getattr(table.game, self.name).phase)
        if asking is None:
            return ""
        if private.legal_actions:
            return texts(asking[0])
        return texts(asking[1], name=tricks.seat_name(table, table.decision.seat))

    def action_text(self, action: game_pb2.GameAction, texts: Texts) -> Text:
        """An action as its player would say it."""
        return tricks.action_words(action, texts)

    def action_words(self, action: game_pb2.GameAction, texts: Texts) -> str:
        """An action as one would say it."""
        return self.action_text(action, texts).plain.strip()

    def action_sentence(self, name: str, action: game_pb2.GameAction, texts: Texts) -> Text:
        """That somebody did it."""
        return tricks.action_sentence(name, action, texts)

    def event_sentences(self, table: table_pb2.Table, event: game_pb2.GameEvent, texts: Texts) -> Sequence[Text]:
        """What followed by the rules."""
        raise NotImplementedError

    def trick_line(self, table: table_pb2.Table, taken: Any, texts: Texts) -> Text:
        """A trick that was taken, in a line."""
        return tricks.trick_line(table, taken.cards, taken.seat)

    def told(self, table: table_pb2.Table, event: table_pb2.Event, texts: Texts) -> Sequence[Text]:
        """Choices, bids, whole tricks, and what followed from them."""
        if event.WhichOneof("event") == "action_taken":
            action = event.action_taken.action
            if tricks.own(action).WhichOneof("action") == "play":
                return []
            return [self.action_sentence(tricks.seat_name(table, event.action_taken.seat), action, texts)]
        if event.WhichOneof("event") == "game":
            happened = getattr(event.game, self.name)
            if happened.WhichOneof("event") == "trick_taken":
                return [self.trick_line(table, happened.trick_taken, texts)]
            return self.event_sentences(table, event.game, texts)
        return []

    def frames(self, before: table_pb2.Table | None, update: table_pb2.Update) -> Sequence[Frame]:
        """A trick that was taken is shown whole before the table that follows it."""
        return tricks.frames(self.name, before, update)
