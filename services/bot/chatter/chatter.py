"""Chooses what a bot says, and keeps bots from saying too much.

The memory in here is for manners only: what was said lately, and what came of the decision before. Losing it, or having
half of it because another process answers the other half of the turns, only makes bots a little quieter.
"""

import random
from collections import OrderedDict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from services.bot.chatter import arzoi, lines_en, lines_ro, remi, remi_lines, rentz, whist
from services.bot.chatter.occasions import EAGERNESS, Occasion
from services.bot.personas import Language, talkativeness
from shared.gen.levata.bot.v1 import bot_pb2
from shared.gen.levata.table.v1 import game_pb2, table_pb2

Mode = Literal["polite", "uncensored"]

LINES: Mapping[Language, Mapping[Mode, Mapping[Occasion, tuple[str, ...]]]] = {
    "ro": {
        "polite": {**lines_ro.POLITE, **remi_lines.POLITE_RO},
        "uncensored": {**lines_ro.UNCENSORED, **remi_lines.UNCENSORED_RO},
    },
    "en": {
        "polite": {**lines_en.POLITE, **remi_lines.POLITE_EN},
        "uncensored": {**lines_en.UNCENSORED, **remi_lines.UNCENSORED_EN},
    },
}
"""Everything that bots can say."""


class Talk(Protocol):
    """What there is to talk about in one game, from what everybody sees; `table` and `action` are the game's own."""

    def standing(self, table: Any, seat: int) -> Any:
        """What `seat` will remember of this moment."""

    def occasions(self, table: Any, seat: int, action: Any, before: Any) -> Sequence[Occasion]:
        """What `seat` could talk about as it does `action`, the most striking first."""


TALKS: Mapping[str, Talk] = {"arzoi": arzoi, "whist": whist, "rentz": rentz, "remi": remi}
"""The talk of every game; at a table of a game that has none, bots are silent."""

_MODES: Mapping[int, Mode] = {
    table_pb2.BOT_TALK_POLITE: "polite",
    table_pb2.BOT_TALK_UNCENSORED: "uncensored",
}
_LINES_REMEMBERED = 16


@dataclass(slots=True)
class _TableMemory:
    """Manners at one table; times in seconds of a steady clock."""

    last_said: float | None = None
    said_by_seat: dict[int, float] = field(default_factory=dict)
    recent: deque[str] = field(default_factory=lambda: deque(maxlen=_LINES_REMEMBERED))
    standings: dict[int, Any] = field(default_factory=dict)


class Chatter:
    """Says something now and then, as the table's host allows (AZ-49).

    Args:
        language: In which language bots talk.
        table_gap_seconds: Least time between two lines of bots at one table.
        seat_gap_seconds: Least time between two lines of one bot.
        tables_remembered: At how many tables to remember what was said; the longest unused is forgotten first.
    """

    def __init__(
        self,
        language: Language,
        table_gap_seconds: float,
        seat_gap_seconds: float,
        tables_remembered: int = 4096,
    ) -> None:
        self._lines = LINES[language]
        self._table_gap = table_gap_seconds
        self._seat_gap = seat_gap_seconds
        self._tables_remembered = tables_remembered
        self._memories: OrderedDict[str, _TableMemory] = OrderedDict()

    def line(self, turn: bot_pb2.BotTurn, action: game_pb2.GameAction, rng: random.Random, now: float) -> str:
        """What the bot says as it does `action`; empty when it says nothing.

        A bot talks only where a person listens, only in its own name (not for somebody absent), and as the host set it.

        Args:
            turn: The turn that is answered.
            action: The answer.
            rng: Where chance comes from.
            now: Seconds of a steady clock.
        """
        mode = _MODES.get(turn.table.options.bot_talk)
        if mode is None or not turn.company or turn.decided_by != table_pb2.DECIDED_BY_BOT:
            return ""
        game = action.WhichOneof("game") or ""
        talk = TALKS.get(game)
        table: Any = getattr(turn.table.game, game, None)
        if talk is None or turn.seat >= len(table.seats):
            return ""
        memory = self._memory(turn.table_id)
        occasions = talk.occasions(table, turn.seat, getattr(action, game), memory.standings.get(turn.seat))
        memory.standings[turn.seat] = talk.standing(table, turn.seat)
        if not self._may_talk(memory, turn.seat, now):
            return ""
        talks = talkativeness(turn.table.seats[turn.seat].name) if turn.seat < len(turn.table.seats) else 0.0
        for occasion in occasions:
            if rng.random() >= EAGERNESS[occasion] * talks:
                continue
            fresh = [line for line in self._lines[mode][occasion] if line not in memory.recent]
            if not fresh:
                continue
            said = rng.choice(fresh)
            memory.recent.append(said)
            memory.last_said = now
            memory.said_by_seat[turn.seat] = now
            return said
        return ""

    def _memory(self, table_id: str) -> _TableMemory:
        memory = self._memories.setdefault(table_id, _TableMemory())
        self._memories.move_to_end(table_id)
        if len(self._memories) > self._tables_remembered:
            self._memories.popitem(last=False)
        return memory

    def _may_talk(self, memory: _TableMemory, seat: int, now: float) -> bool:
        if memory.last_said is not None and now - memory.last_said < self._table_gap:
            return False
        own = memory.said_by_seat.get(seat)
        return own is None or now - own >= self._seat_gap
