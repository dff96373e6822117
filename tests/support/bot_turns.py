"""Decisions of matches of any game, and the turns that a table sends its bots of them."""

import random
from collections.abc import Iterator
from typing import Any

from services.bot.players.game import BotGame, Player
from services.table.wire import GameWire
from shared.gen.levata.bot.v1 import bot_pb2
from shared.gen.levata.table.v1 import table_pb2
from shared.personas import PERSONA_NAMES
from tests.support.steps import random_deal


def turn_of(wire: GameWire, state: Any, revision: int = 7) -> bot_pb2.BotTurn:
    """The turn that the table service sends for the decision of `state`."""
    decision = state.decision()
    assert decision is not None
    return bot_pb2.BotTurn(
        table_id="abcdefghijklmnop",
        revision=revision,
        seat=decision.seat,
        table=table_pb2.Table(
            options=table_pb2.TableOptions(game=wire.options_to_proto(state.options), seats=state.seats),
            seats=[table_pb2.Seat(kind=table_pb2.SEAT_KIND_BOT, name=PERSONA_NAMES[n]) for n in range(state.seats)],
            game=wire.table(state),
        ),
        private=table_pb2.Private(
            seat=decision.seat,
            hand=wire.hand(state, decision.seat),
            legal_actions=[wire.action_to_proto(action) for action in state.legal_actions()],
        ),
        history=[table_pb2.Event(game=event) for event in wire.history(state)],
        decided_by=table_pb2.DECIDED_BY_BOT,
        company=True,
    )


def decisions(game: BotGame, state: Any, rng: random.Random, player: Player | None = None) -> Iterator[Any]:
    """`state` at every decision of its match: `player` plays the even seats, the others play at random."""
    while not state.is_over():
        decision = state.decision()
        if decision is None:
            state.apply(None, random_deal(state, rng))
            continue
        yield state
        action = rng.choice(state.legal_actions())
        if player is not None and decision.seat % 2 == 0:
            action = player.decide(game.observe(state), rng)
        state.apply(decision.seat, action)
