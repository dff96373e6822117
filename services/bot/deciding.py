"""From what a seat was sent to its action."""

import random
import traceback
from collections.abc import Iterable
from dataclasses import dataclass

from services.bot.errors import UnreadableViewError
from services.bot.players.games import GAMES
from services.bot.players.levels import name_of
from shared.gen.levata.table.v1 import game_pb2, table_pb2


@dataclass(frozen=True, slots=True)
class Choice:
    """What was decided.

    Attributes:
        action: One of the legal actions, as it was sent, or one of the player's own making where not all are sent.
        kind: Which kind of action of its game it is, such as bid.
        level: The player that was asked.
        failed: Why the player did not answer and a rule of thumb did; empty when all went well. It names places in
            the code and nothing of the view, for what a seat sees does not belong in logs.
        own: The action is of the player's own making.
    """

    action: game_pb2.GameAction
    kind: str
    level: str
    failed: str = ""
    own: bool = False


def decide(
    table: table_pb2.Table,
    private: table_pb2.Private,
    history: Iterable[table_pb2.Event],
    level: int,
    rng: random.Random,
    out_of_time: bool = False,
) -> Choice:
    """Asks the player of a level; if it fails, falls back on a rule of thumb.

    Args:
        table: The table as everybody sees it.
        private: What only the seat sees, with at least one legal action.
        history: What happened since the last deal, oldest first.
        level: A `BotLevel`.
        rng: Where chance comes from.
        out_of_time: It is decided for a person whose time is out.

    Raises:
        UnreadableViewError: The messages contradict each other.
    """
    name = name_of(level)
    legal = list(private.legal_actions)
    game = GAMES.get(table.game.WhichOneof("game") or "")
    if game is None:
        raise UnreadableViewError("table.game", "not a game that bots play")
    if any(action.WhichOneof("game") != game.name for action in legal):
        raise UnreadableViewError("private.legal_actions", f"not actions of {game.name}")
    ruled = game.out_of_time(table.game, legal) if out_of_time else None
    if ruled is not None:
        return Choice(ruled, kind_of(ruled), name)
    view = game.read(table.game, private, legal, history)
    try:
        answer = game.players[name].decide(view, rng)
        own = answer not in view.legal
        chosen = game.write(answer) if own else legal[view.legal.index(answer)]
    except Exception as error:
        return Choice(rule_of_thumb(table, legal), kind_of(legal[0]), name, place_of(error))
    return Choice(chosen, kind_of(chosen), name, own=own)


def rule_of_thumb(table: table_pb2.Table, legal: list[game_pb2.GameAction]) -> game_pb2.GameAction:
    """A sensible one of the legal actions that needs no understanding of the view."""
    game = GAMES.get(legal[0].WhichOneof("game") or "")
    return legal[0] if game is None or len(legal) == 1 else game.rule_of_thumb(table.game, legal)


def kind_of(action: game_pb2.GameAction) -> str:
    """Which kind of action of its game it is, such as `bid`."""
    game = action.WhichOneof("game")
    return "unknown" if game is None else getattr(action, game).WhichOneof("action") or "unknown"


def place_of(error: Exception) -> str:
    """Where an exception was raised, without its message: that could name a card."""
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    return f"{type(error).__name__} at " + " < ".join(
        f"{frame.name}:{frame.lineno} of {frame.filename.rpartition('/')[2]}" for frame in reversed(frames)
    )
