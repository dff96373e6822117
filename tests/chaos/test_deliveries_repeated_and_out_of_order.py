"""Turns, timers, results and records are delivered again, late and out of order: it makes no difference."""

import asyncio
from pathlib import Path

import pytest

from shared.gen.levata.ledger.v1 import ledger_pb2
from shared.gen.levata.table.v1 import table_pb2
from tests.support.full_club import full_club
from tests.support.gremlin import Gremlin
from tests.support.proofs import (
    check_accepted,
    check_hall_of_fame,
    check_match,
    check_record,
    hall_of_fame,
    posted,
    read_log,
    record_of,
)
from tests.support.table_service import start_table
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(300)

GAME = "whist"
"""A short one."""
SIZES = (3, 4, 5)
MATCH_SECONDS = 200.0


async def test_what_is_delivered_twice_or_late_happens_once_and_in_order(tmp_path: Path) -> None:
    async with full_club(tmp_path / "club", bots=False) as club:
        other = await start_table(club.services, club.folder, "other", bot_milliseconds=30_000)
        both = f"ipv4:{club.service('table').address},{other.address}"
        await club.start_bots(table_address=both)
        await club.start_bots("bot-2", table_address=both)
        gremlin = Gremlin(club.bus, seed=7)
        await gremlin.begin()
        async with asyncio.timeout(MATCH_SECONDS), club.guest("Ana") as ana:

            async def match(seats: int) -> table_pb2.Table:
                table = await ana.open_table(seats, GAME)
                await ana.start(table)
                return await ana.play(table)

            tables = await asyncio.gather(*(match(seats) for seats in SIZES))
            matches: list[ledger_pb2.Match] = [await posted(ana, table.match_id) for table in tables]
            await gremlin.end()
            for table, match_posted in zip(tables, matches, strict=True):
                log = await read_log(club.bus, table.table_id)
                check_accepted(log, [ana], table.table_id)
                check_match(match_posted, table, log)
                check_record(await record_of(ana, table.match_id), log, table.shuffle_commitment, tmp_path)
            ledger = club.service("ledger").metrics

            def handled() -> bool:
                done = ledger.value("levata_ledger_results_total", game=GAME, outcome="duplicate")
                return done + len(SIZES) == stored

            stored = (await club.bus.js.stream_info("RESULTS")).state.messages
            await until(handled, what="the ledger has seen every result")
            assert stored >= 3 * len(SIZES)
            assert ledger.value("levata_ledger_results_total", game=GAME, outcome="posted") == len(SIZES)
            assert ledger.value("levata_ledger_results_total", game=GAME, outcome="contradiction") == 0
            check_hall_of_fame(await hall_of_fame(ana, GAME), matches, [ana.id])
        assert min(gremlin.sent[kind] for kind in ("turn", "timer", "result", "record")) >= len(SIZES)
        bots = [club.service(name).metrics for name in ("bot", "bot-2")]
        passed = sum(one.value("levata_bot_turns_total", outcome="moved_on") for one in bots)
        answered = sum(one.value("levata_bot_turns_total", outcome="answered") for one in bots)
        assert passed + answered > gremlin.sent["turn"]
        for one in (*bots, club.service("table").metrics, other.metrics, ledger):
            assert one.value("levata_consumer_handled_total", outcome="dead", stream="BOT_TURNS", consumer="bots") == 0
            assert one.value("levata_tables_frozen_total") == 0
            assert one.value("levata_table_rule_of_thumb_total") == 0
        assert (await club.bus.js.stream_info("DEAD")).state.messages == 0
