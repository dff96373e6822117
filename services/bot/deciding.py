"""From what a seat was sent to one of its legal actions."""

import random
import traceback
from collections.abc import Iterable
from dataclasses import dataclass

from services.bot.errors import UnreadableViewError
from services.bot.players.arzoi import reading
from services.bot.players.levels import PLAYERS, name_of
from shared.gen.levata.table.v1 import arzoi_pb2, game_pb2, table_pb2

_RANKS_LOW_FIRST = "123456789TJQKA"


@dataclass(frozen=True, slots=True)
class Choice:
    """What was decided.

    Attributes:
        action: One of the legal actions, as it was sent.
        kind: Which kind of decision it was: choose, bid, play or leave.
        level: The player that was asked.
        failed: Why the player did not answer and a rule of thumb did; empty when all went well. It names places in
            the code and nothing of the view, for what a seat sees does not belong in logs.
    """

    action: game_pb2.GameAction
    kind: str
    level: str
    failed: str = ""


def decide(
    table: table_pb2.Table,
    private: table_pb2.Private,
    history: Iterable[table_pb2.Event],
    level: int,
    rng: random.Random,
) -> Choice:
    """Asks the player of a level; if it fails, falls back on a rule of thumb.

    Args:
        table: The table as everybody sees it.
        private: What only the seat sees, with at least one legal action.
        history: What happened since the last deal, oldest first.
        level: A `BotLevel`.
        rng: Where chance comes from.

    Raises:
        UnreadableViewError: The messages contradict each other.
    """
    name = name_of(level)
    legal = list(private.legal_actions)
    if any(action.WhichOneof("game") != "arzoi" for action in legal):
        raise UnreadableViewError("private.legal_actions", "not actions of Arzoi")
    view = reading.view_of(
        table.game.arzoi, private.seat, private.hand.arzoi, [action.arzoi for action in legal], history
    )
    try:
        chosen = legal[view.legal.index(PLAYERS[name].decide(view, rng))]
    except Exception as error:
        return Choice(rule_of_thumb(table, legal), _kind(legal[0]), name, place_of(error))
    return Choice(chosen, _kind(chosen), name)


def rule_of_thumb(table: table_pb2.Table, legal: list[game_pb2.GameAction]) -> game_pb2.GameAction:
    """A sensible one of the legal actions that needs no understanding of the view.

    The first variant; the bid nearest to a fair share of the tricks; the lowest card; leaving a trick.
    """
    if len(legal) == 1:
        return legal[0]
    actions = [action.arzoi for action in legal]
    kinds = [action.WhichOneof("action") for action in actions]
    if all(kind == "bid" for kind in kinds):
        seats = max(len(table.game.arzoi.seats), 1)
        share = table.game.arzoi.cards_each / seats
        return min(legal, key=lambda action: abs(action.arzoi.bid - share))
    if "leave" in kinds:
        return legal[kinds.index("leave")]
    if all(kind == "play" for kind in kinds):
        return min(legal, key=lambda action: _rank(action.arzoi))
    return legal[0]


def _rank(action: arzoi_pb2.ArzoiAction) -> int:
    return _RANKS_LOW_FIRST.find(action.play[:1])


def _kind(action: game_pb2.GameAction) -> str:
    return action.arzoi.WhichOneof("action") or "unknown"


def place_of(error: Exception) -> str:
    """Where an exception was raised, without its message: that could name a card."""
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    return f"{type(error).__name__} at " + " < ".join(
        f"{frame.name}:{frame.lineno} of {frame.filename.rpartition('/')[2]}" for frame in reversed(frames)
    )
