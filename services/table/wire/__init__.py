"""Between the engine's values and the messages of the contract: one module a game, no rules in any of them."""

from collections.abc import Mapping
from typing import Any, Protocol

from shared.gen.levata.table.v1 import game_pb2


class MalformedActionError(ValueError):
    """A message that cannot be an action of its game; `field` names the culprit."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


class GameWire(Protocol):
    """The wire form of one game. Only `hand` sees hidden cards, and only those of its seat."""

    def options_from_proto(self, message: game_pb2.GameOptions) -> Any:
        """The engine's options."""

    def options_to_proto(self, options: Any) -> game_pb2.GameOptions:
        """The message for the engine's options."""

    def action_from_proto(self, message: game_pb2.GameAction) -> Any:
        """The engine's action. Raises `MalformedActionError`."""

    def action_to_proto(self, action: Any) -> game_pb2.GameAction:
        """The message for an action of a player (never a deal)."""

    def table(self, state: Any) -> game_pb2.GameTable:
        """What everybody sees of a match."""

    def hand(self, state: Any, seat: int) -> game_pb2.GameHand:
        """What only the player of `seat` sees."""

    def event(self, event: Any) -> game_pb2.GameEvent:
        """The message for an event of the engine. The same for all viewers."""

    def history(self, state: Any) -> list[game_pb2.GameEvent]:
        """What has happened by the rules since the last deal, from the deal to the last trick; empty before a deal."""

    def score_sheet(self, state: Any) -> game_pb2.GameScoreSheet:
        """The whole score sheet so far."""


def wires() -> Mapping[str, GameWire]:
    """Every game's wire form, by the name of the game."""
    from services.table.wire.arzoi import ArzoiWire
    from services.table.wire.remi import RemiWire
    from services.table.wire.rentz import RentzWire
    from services.table.wire.whist import WhistWire

    return {"arzoi": ArzoiWire(), "whist": WhistWire(), "rentz": RentzWire(), "remi": RemiWire()}
