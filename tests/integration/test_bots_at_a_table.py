"""A person and three bots at a real table: the person takes every hint, the bots answer every turn themselves."""

from pathlib import Path
from typing import Any

import pytest

from services.bot.service import bind
from services.bot.settings import BotSettings
from services.table.engine.record import MatchRecord
from services.table.views import WIRES
from shared.gen.levata.bot.v1 import bot_pb2, bot_pb2_grpc
from shared.gen.levata.table.v1 import game_pb2, remi_pb2
from shared.gen.levata.table.v1 import table_pb2 as pb
from shared.personas import PERSONA_NAMES
from tests.support.any_game import SMALLEST
from tests.support.services import Club
from tests.support.table_service import Person, fresh, my_turn, start_table
from tests.support.waiting import until

LONG = {"remi": game_pb2.GameOptions(remi=remi_pb2.RemiOptions(rounds=8))}
"""Games of which a usual match may be over in a few turns, with options by which it is not."""


@pytest.mark.parametrize(("game", "seats"), SMALLEST)
async def test_a_match_is_played_to_its_end_by_hints_and_bots(
    levata: Club, tmp_path: Path, game: str, seats: int
) -> None:
    table_service = await start_table(levata, tmp_path, bot_milliseconds=30_000)
    bots = await levata.start(
        "bot",
        BotSettings,
        bind,
        table_address=table_service.address,
        pace_milliseconds=0,
        talk_table_gap_seconds=0.0,
        talk_seat_gap_seconds=0.0,
    )
    ana = Person(levata, await levata.channel(table_service), "Ana")
    hints = bot_pb2_grpc.BotServiceStub(await levata.channel(bots))
    table = await ana.create(
        seats, game, rules=LONG.get(game), bot_talk=pb.BOT_TALK_POLITE, bot_level=pb.BOT_LEVEL_CLUB
    )
    watch = ana.watch(table)
    await watch.update()
    await ana.start(table)
    asked_at = 0
    hints_taken = 0
    by_bots = 0
    rows = 0
    said: list[pb.ChatSaid] = []
    while True:
        update = await watch.update()
        by_bots += sum(event.action_taken.decided_by == pb.DECIDED_BY_BOT for event in update.events)
        said += [event.chat_said for event in update.events if event.HasField("chat_said")]
        rows += sum(getattr(event.game, game).HasField("scored") for event in update.events if event.HasField("game"))
        if update.table.status == pb.TABLE_STATUS_FINISHED:
            break
        if my_turn(update) and update.revision > asked_at:
            asked_at = update.revision
            request = bot_pb2.SuggestMoveRequest(table=update.table, private=update.private, level=pb.BOT_LEVEL_CLUB)
            hint = (await hints.SuggestMove(request, metadata=ana.metadata)).action
            assert hint in update.private.legal_actions or hint.remi.HasField("turn")
            await ana.call(
                "SubmitAction",
                pb.SubmitActionRequest(request_id=fresh(), table_id=table, action=hint, revision=update.revision),
            )
            hints_taken += 1
    assert {seat.name for seat in update.table.seats[1:]} <= set(PERSONA_NAMES)
    assert hints_taken > 20
    assert by_bots > 20 * (seats - 1)
    await until(lambda: bots.metrics.value("levata_bot_turns_total", outcome="answered") == by_bots)
    assert bots.metrics.value("levata_bot_turns_total", outcome="refused") == 0
    for level in ("club", "none"):
        assert bots.metrics.value("levata_bot_fallbacks_total", level=level) == 0
    assert said
    assert all(line.bot and line.seat != 0 for line in said)
    record = MatchRecord.parse((await ana.call("GetRecord", pb.GetRecordRequest(table_id=table))).record)
    assert record.game == game
    state = record.replay()
    assert {one.seat: one.points for one in update.table.standings} == dict(enumerate(state.scores()))
    sheet: Any = getattr((await ana.table(table)).score_sheet, game)
    assert len(sheet.rows) == rows
    assert sheet == getattr(WIRES[game].score_sheet(state), game)
