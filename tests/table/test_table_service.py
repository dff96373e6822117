"""The table service over gRPC, with a real NATS: watching, resuming, repeating, racing, draining, recovering."""

import asyncio
import contextlib
import hashlib
from pathlib import Path
from typing import Any

import grpc
import pytest

from services.table import facts as f
from services.table import replay, tables, verify, watchers
from services.table.log import TableLog
from services.table.results import Results
from services.table.state import TableState
from shared.bus import BusUnavailable
from shared.gen.levata.bot.v1 import bot_pb2
from shared.gen.levata.ledger.v1 import ledger_pb2
from shared.gen.levata.table.v1 import table_pb2 as pb
from shared.harness import Service
from tests.support.services import Club
from tests.support.table_service import WITHIN, Person, Watch, fresh, my_turn, reason_of, start_table, table_request
from tests.support.tokens import bearer
from tests.support.waiting import until


@pytest.fixture
async def server(levata: Club, tmp_path: Path) -> Service:
    return await start_table(levata, tmp_path)


@pytest.fixture
async def ana(levata: Club, server: Service) -> Person:
    return Person(levata, await levata.channel(server), "Ana")


@pytest.fixture
async def bogdan(levata: Club, server: Service) -> Person:
    return Person(levata, await levata.channel(server), "Bogdan")


async def play_to_the_end(person: Person, table: str, watch: Watch) -> pb.Update:
    """Plays the first legal action whenever it is this person's turn."""
    played = 0
    while True:
        update = await watch.update()
        if update.table.status == pb.TABLE_STATUS_FINISHED:
            return update
        if my_turn(update) and update.revision >= played:
            try:
                played = await person.act(table, update)
            except grpc.aio.AioRpcError as error:
                assert reason_of(error)[1] in ("STALE_REVISION", "BOT_DECIDES", "NOT_YOUR_TURN")  # noqa: PT017


async def test_a_match_is_played_to_the_end_posted_once_and_replays_to_the_same_points(
    levata: Club, tmp_path: Path
) -> None:
    server = await start_table(levata, tmp_path, bot_milliseconds=1)
    ana = Person(levata, await levata.channel(server), "Ana")
    bus = server.harness.bus
    table = await ana.create(seats=3)
    await ana.start(table)
    last = await play_to_the_end(ana, table, ana.watch(table))
    answer = await ana.call("GetRecord", pb.GetRecordRequest(table_id=table))
    await until(lambda: bus.last("RESULTS", "results.arzoi"))
    ((_, data),) = await bus.read_subject("RESULTS", "results.arzoi")
    result = ledger_pb2.MatchResult.FromString(data)
    points = {standing.seat: standing.points for standing in last.table.standings}
    assert result.match_id == answer.match_id == last.table.match_id
    assert {seat.seat: seat.points for seat in result.seats} == points
    assert [seat.player_id for seat in result.seats] == [ana.id, "", ""]
    assert result.record == answer.record
    path = tmp_path / "match.txt"
    path.write_text(answer.record)
    assert replay.main([str(path)]) == 0
    assert verify.main([str(path)]) == 0
    assert last.table.shuffle_commitment in answer.record


async def test_a_stopped_match_is_told_to_the_ledger_even_by_another_server_than_the_one_that_died(
    levata: Club, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server dies after the stop is in the log, and before the result is on its way."""
    stopped = asyncio.Event()

    async def hang(self: Results, state: TableState) -> None:
        stopped.set()
        await asyncio.Event().wait()

    server = await start_table(levata, tmp_path, post_seconds=1)
    ana = Person(levata, await levata.channel(server), "Ana")
    table = await ana.create(seats=3)
    await ana.start(table)
    with monkeypatch.context() as patch:
        patch.setattr(Results, "publish", hang)
        await ana.call("StopTable", pb.StopTableRequest(request_id=fresh(), table_id=table))
        async with asyncio.timeout(WITHIN):
            await stopped.wait()
        await server.crash()
    other = await start_table(levata, tmp_path, "other", post_seconds=1)
    bus = other.harness.bus

    async def told() -> bool:
        facts = [fact for _, data in await TableLog(bus).read(table) for fact in f.decode(data).facts]
        return any(isinstance(fact, f.ResultPosted) for fact in facts)

    await until(told)
    ((_, data),) = await bus.read_subject("RESULTS", "results.arzoi")
    result = ledger_pb2.MatchResult.FromString(data)
    assert (result.match_id, result.stopped, result.hands_finished, result.hands) == (table, True, 0, 7)
    assert [(seat.starter_player_id, seat.starter_left) for seat in result.seats] == [
        (ana.id, False),
        ("", False),
        ("", False),
    ]
    there = Person(levata, await levata.channel(other), "Ana")
    assert result.record == (await there.call("GetRecord", pb.GetRecordRequest(table_id=table))).record


async def test_the_record_of_a_match_that_is_on_is_kept_back(ana: Person) -> None:
    table = await ana.create()
    await ana.start(table)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await ana.call("GetRecord", pb.GetRecordRequest(table_id=table))
    assert reason_of(caught.value) == ("FAILED_PRECONDITION", "MATCH_NOT_OVER")


async def test_the_commitment_is_known_before_the_first_card_and_the_seed_fits_it(ana: Person) -> None:
    table = await ana.create()
    watch = ana.watch(table)
    await watch.update()
    await ana.start(table)
    started = await watch.until(lambda update: update.table.match_id)
    (event,) = [event.match_started for event in started.events if event.HasField("match_started")]
    assert event.shuffle_commitment == started.table.shuffle_commitment
    assert len(bytes.fromhex(event.shuffle_commitment)) == hashlib.sha256().digest_size
    assert not started.private.hand.arzoi.cards


async def test_a_repeat_gets_the_first_answer_and_another_body_is_refused(ana: Person, bogdan: Person) -> None:
    message = table_request()
    first = await ana.call("CreateTable", message)
    assert await ana.call("CreateTable", message) == first
    message.options.seats = 5
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await ana.call("CreateTable", message)
    assert reason_of(caught.value) == ("ALREADY_EXISTS", "REQUEST_ID_REUSED")
    join = pb.JoinTableRequest(request_id=fresh(), table_id=first.table_id)
    answer = await bogdan.call("JoinTable", join)
    assert await bogdan.call("JoinTable", join) == answer
    start = pb.StartTableRequest(request_id=fresh(), table_id=first.table_id)
    begun = await ana.call("StartTable", start)
    assert await ana.call("StartTable", start) == begun


async def test_the_same_request_id_of_two_players_are_two_requests(ana: Person, bogdan: Person) -> None:
    message = table_request()
    assert (await ana.call("CreateTable", message)).table_id != (await bogdan.call("CreateTable", message)).table_id


async def test_a_repeat_is_recognised_by_another_server_and_after_a_restart(
    levata: Club, server: Service, ana: Person, tmp_path: Path
) -> None:
    table = await ana.create()
    await ana.start(table)
    update = await ana.table(table)
    message = pb.SubmitActionRequest(
        request_id=fresh(), table_id=table, action=update.private.legal_actions[0], revision=update.revision
    )
    first = await ana.call("SubmitAction", message)
    other = await start_table(levata, tmp_path, "other")
    there = Person(levata, await levata.channel(other), "Ana")
    assert await there.call("SubmitAction", message) == first
    await server.crash()
    assert await there.call("SubmitAction", message) == first
    message.action.arzoi.choose.whist = 3
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await there.call("SubmitAction", message)
    assert reason_of(caught.value) == ("ALREADY_EXISTS", "REQUEST_ID_REUSED")


async def test_a_watch_that_drops_a_thousand_times_sees_what_one_sees_that_never_did(
    levata: Club, tmp_path: Path
) -> None:
    server = await start_table(levata, tmp_path, bot_milliseconds=10)
    channel = await levata.channel(server)
    ana, bogdan = Person(levata, channel, "Ana"), Person(levata, channel, "Bogdan")
    made = await ana.stub.CreateTable(table_request(seats=9), metadata=bearer(levata.issuer.service_token("bot")))
    table = made.table_id
    steady = bogdan.watch(table)
    whole = [await steady.update()]
    watch = ana.watch(table)
    dropping = [await watch.update()]
    drops = 0
    while drops < 1000 or len(dropping) < 60:  # so many, however slow the match is
        drops += 1
        watch.close()
        watch = ana.watch(table, dropping[-1].revision)
        message = await watch.next()
        if message.HasField("update"):
            dropping.append(message.update)
    last = dropping[-1].revision
    while whole[-1].revision < last:
        whole.append(await steady.update())
    first = max(dropping[0].revision, whole[0].revision)
    seen = [(update.revision, list(update.events)) for update in dropping if update.revision > first]
    there = [(update.revision, list(update.events)) for update in whole if first < update.revision <= last]
    assert [revision for revision, _ in seen] == list(range(first + 1, last + 1))
    assert len(seen) > 50
    assert seen == there


async def test_a_viewer_who_missed_too_much_gets_a_snapshot_in_band(ana: Person) -> None:
    table = await ana.create()
    await ana.start(table)
    for after in (10_000, 2**60):
        update = await ana.watch(table, after).update()
        assert update.snapshot
        assert update.HasField("score_sheet")


async def test_a_viewer_who_missed_nothing_is_told_so_at_once(ana: Person) -> None:
    table = await ana.create(seats=3)
    seen = (await ana.table(table)).revision
    watch = ana.watch(table, seen)
    message = await watch.next()
    while message.HasField("update"):  # its own presence
        seen = message.update.revision
        watch.close()
        watch = ana.watch(table, seen)
        message = await watch.next()
    assert message.heartbeat.revision == seen


async def test_the_gap_is_filled_in_order_and_its_last_update_has_the_table(ana: Person, bogdan: Person) -> None:
    table = await ana.create()
    first = await ana.watch(table).update()
    for text in ("unu", "doi", "trei"):
        await ana.call("SendChat", pb.SendChatRequest(request_id=fresh(), table_id=table, text=text))
    watch = bogdan.watch(table, first.revision)
    updates = [await watch.update()]
    while not updates[-1].HasField("table"):
        updates.append(await watch.update())
    said = [event.chat_said.text for update in updates for event in update.events if event.HasField("chat_said")]
    assert said == ["unu", "doi", "trei"]
    assert [update.HasField("table") for update in updates] == [False] * (len(updates) - 1) + [True]


async def test_a_slow_watcher_is_cut_off_and_can_resume_without_slowing_the_table(
    levata: Club, server: Service, ana: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watchers, "MESSAGES_KEPT", 4)
    table = await ana.create()
    # A viewer that reads nothing, over a connection that holds little on the way.
    options = [("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 1024)]
    narrow = grpc.aio.insecure_channel(server.address, options=options)
    idle = Person(levata, narrow, "Idle")
    watch = idle.watch(table)
    seen = (await watch.update()).revision
    for number in range(1500):
        if server.metrics.value("levata_table_watches_cut_off_total"):
            break
        await ana.call(
            "UpdateTable",
            pb.UpdateTableRequest(
                request_id=fresh(), table_id=table, bot_talk=pb.BOT_TALK_POLITE if number % 2 else pb.BOT_TALK_SILENT
            ),
        )
    assert server.metrics.value("levata_table_watches_cut_off_total") == 1
    updates, error = await watch.to_its_end()
    assert reason_of(error) == ("RESOURCE_EXHAUSTED", "SLOW_CONSUMER")
    seen = max([seen, *(update.revision for update in updates)])
    resumed = await idle.watch(table, seen).update()
    assert resumed.snapshot or resumed.revision == seen + 1
    await narrow.close()


async def test_play_table_answers_each_request_and_sends_the_same_updates(ana: Person, bogdan: Person) -> None:
    table = await ana.create(seats=3)
    await bogdan.call("JoinTable", pb.JoinTableRequest(request_id=fresh(), table_id=table))
    await ana.start(table)
    call = ana.play()
    await call.write(pb.PlayTableRequest(watch=pb.WatchTableRequest(table_id=table)))
    snapshot = (await call.read()).update
    assert snapshot.snapshot
    good, bad, chat = fresh("good"), fresh("bad"), fresh("chat")
    submit = pb.SubmitActionRequest(request_id=good, table_id=table, action=snapshot.private.legal_actions[0])
    await call.write(pb.PlayTableRequest(submit_action=submit))
    wrong = pb.SubmitActionRequest(request_id=bad, table_id=table)
    wrong.action.arzoi.bid = 1
    await call.write(pb.PlayTableRequest(submit_action=wrong))
    await call.write(pb.PlayTableRequest(send_chat=pb.SendChatRequest(request_id=chat, table_id=table, text="hai")))
    replies: dict[str, pb.Reply] = {}
    updates: list[pb.Update] = []
    async with asyncio.timeout(20):
        while len(replies) < 3:
            message = await call.read()
            if message.HasField("reply"):
                replies[message.reply.request_id] = message.reply
            elif message.HasField("update"):
                updates.append(message.update)
    assert replies[good].revision in {update.revision for update in updates}
    assert replies[chat].revision > replies[good].revision
    failure = replies[bad].failure
    assert (failure.code, failure.reason) == (grpc.StatusCode.FAILED_PRECONDITION.value[0], "NOT_YOUR_TURN")
    call.cancel()


async def test_play_table_wants_a_watch_first_and_refuses_a_second_in_band(ana: Person) -> None:
    table = await ana.create()
    call = ana.play()
    await call.write(pb.PlayTableRequest(send_chat=pb.SendChatRequest(request_id=fresh(), table_id=table, text="hai")))
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call.read()
    assert reason_of(caught.value) == ("INVALID_ARGUMENT", "BAD_REQUEST")
    call = ana.play()
    watch = pb.PlayTableRequest(watch=pb.WatchTableRequest(table_id=table))
    await call.write(watch)
    await call.write(watch)
    async with asyncio.timeout(20):
        while True:
            message = await call.read()
            if message.HasField("reply"):
                break
    assert message.reply.failure.reason == "BAD_REQUEST"
    (violation,) = message.reply.failure.violations
    assert (violation.field, violation.description) == ("watch", "comes first, and once")
    call.cancel()


async def test_two_servers_serve_one_table_and_every_viewer_sees_one_history(
    levata: Club, server: Service, ana: Person, tmp_path: Path
) -> None:
    other = await start_table(levata, tmp_path, "other", bot_milliseconds=5)
    bogdan = Person(levata, await levata.channel(other), "Bogdan")
    table = await ana.create(seats=3)
    await bogdan.call("JoinTable", pb.JoinTableRequest(request_id=fresh(), table_id=table))
    here, there = ana.watch(table), bogdan.watch(table)
    await ana.start(table)

    async def follow(person: Person, watch: Watch) -> list[pb.Update]:
        updates: list[pb.Update] = []
        played = 0
        while not updates or updates[-1].table.status != pb.TABLE_STATUS_FINISHED:
            updates.append(await watch.update())
            if my_turn(updates[-1]) and updates[-1].revision >= played:
                try:
                    played = await person.act(table, updates[-1])
                except grpc.aio.AioRpcError as error:
                    assert reason_of(error)[1] in ("STALE_REVISION", "NOT_YOUR_TURN")  # noqa: PT017
        return updates

    one, two = await asyncio.gather(follow(ana, here), follow(bogdan, there))
    first = max(one[0].revision, two[0].revision)
    assert [(u.revision, list(u.events)) for u in one if u.revision > first] == [
        (u.revision, list(u.events)) for u in two if u.revision > first
    ]
    assert one[-1].table == two[-1].table


async def test_many_racers_for_one_seat_have_one_winner(
    levata: Club, server: Service, ana: Person, tmp_path: Path
) -> None:
    other = await start_table(levata, tmp_path, "other")
    channels = [await levata.channel(server), await levata.channel(other)]
    racers = [Person(levata, channels[number % 2], f"R{number}") for number in range(20)]
    table = await ana.create()

    async def race(racer: Person) -> bool:
        try:
            await racer.call("JoinTable", pb.JoinTableRequest(request_id=fresh(), table_id=table, seat=2))
        except grpc.aio.AioRpcError as error:
            assert reason_of(error) == ("FAILED_PRECONDITION", "SEAT_TAKEN")  # noqa: PT017
            return False
        return True

    won = [racer for racer, outcome in zip(racers, await asyncio.gather(*map(race, racers)), strict=True) if outcome]
    assert len(won) == 1
    assert (await ana.table(table)).table.seats[2].player_id == won[0].id


async def test_a_server_that_drains_sends_viewers_away_and_their_clocks_stand_still(
    levata: Club, server: Service, ana: Person, tmp_path: Path
) -> None:
    table = await ana.create(clock=pb.Clock(bid_seconds=20, play_seconds=20, choose_seconds=30))
    await ana.start(table)
    watch = ana.watch(table)
    await watch.until(lambda update: update.table.seats[0].present)
    other = await start_table(levata, tmp_path, "other")
    await server.stop()
    _, error = await watch.to_its_end()
    assert reason_of(error) == ("UNAVAILABLE", "DRAINING")
    there = Person(levata, await levata.channel(other), "Ana")
    away = await there.table(table)
    assert not away.table.seats[0].present
    assert not away.table.decision.HasField("deadline")
    back = await there.watch(table).until(lambda update: update.table.seats[0].present)
    assert back.table.decision.HasField("deadline")


async def test_a_server_that_dies_leaves_nobody_present_and_the_match_goes_on(
    levata: Club, server: Service, ana: Person, tmp_path: Path
) -> None:
    table = await ana.create(seats=3, absence_seconds=5)
    await ana.start(table)
    await ana.watch(table).until(lambda update: update.table.seats[0].present)
    other = await start_table(levata, tmp_path, "other")
    viewer = Person(levata, await levata.channel(other), "Viewer")
    watch = viewer.watch(table)
    await server.crash()
    gone = await watch.until(lambda update: not update.table.seats[0].present)
    assert gone.table.status == pb.TABLE_STATUS_PLAYING
    away = await watch.until(lambda update: update.table.seats[0].away)
    assert away.table.decision.by_bot
    await watch.until(lambda update: any(event.HasField("action_taken") for event in update.events))


async def test_a_durable_timer_wakes_a_table_that_no_server_has_in_memory(
    levata: Club, server: Service, ana: Person, tmp_path: Path
) -> None:
    table = await ana.create(seats=3, absence_seconds=5)
    await ana.start(table)  # never watched: absent from the start
    await server.crash()
    other = await start_table(levata, tmp_path, "other", bot_milliseconds=100)
    log = TableLog(other.harness.bus)
    async with asyncio.timeout(30):
        while True:
            facts = [fact for _, data in await log.read(table) for fact in f.decode(data).facts]
            if any(isinstance(fact, f.ActionTaken) and fact.by == "absent" for fact in facts):
                break
            await asyncio.sleep(0.2)
    assert f.WentAway(0) in facts


async def test_a_closed_table_is_gone_and_its_watches_end(levata: Club, tmp_path: Path) -> None:
    server = await start_table(levata, tmp_path, keep_seconds=1)
    ana = Person(levata, await levata.channel(server), "Ana")
    table = await ana.create()
    watch = ana.watch(table)
    await watch.update()
    await ana.call("StopTable", pb.StopTableRequest(request_id=fresh(), table_id=table))
    await watch.rest()
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await ana.table(table)
    assert reason_of(caught.value) == ("NOT_FOUND", "TABLE_NOT_FOUND")
    assert await TableLog(server.harness.bus).read(table) == []


async def test_callers_who_leave_in_the_middle_neither_lose_nor_double_nor_stop_anything(
    levata: Club, tmp_path: Path
) -> None:
    server = await start_table(levata, tmp_path, bot_milliseconds=5)
    ana = Person(levata, await levata.channel(server), "Ana")
    table = await ana.create(seats=3)
    await ana.start(table)
    watch = ana.watch(table)
    asked: list[str] = []
    for turn in range(40):
        update = await watch.until(my_turn)
        message = pb.SubmitActionRequest(
            request_id=fresh(), table_id=table, action=update.private.legal_actions[0], revision=update.revision
        )
        asked.append(message.request_id)
        for patience in range(turn % 8):
            call = ana.stub.SubmitAction(message, metadata=ana.metadata)
            await asyncio.sleep(patience / 2000)
            call.cancel()
        with contextlib.suppress(grpc.aio.AioRpcError):  # stale, when the bots were quicker than our snapshot
            await ana.call("SubmitAction", message)
        if (await ana.table(table)).table.status != pb.TABLE_STATUS_PLAYING:
            break
    records = [f.decode(data) for _, data in await TableLog(server.harness.bus).read(table)]
    assert [record.n for record in records] == list(range(1, len(records) + 1))
    answered = [record.request.id for record in records if record.request is not None and record.request.id in asked]
    assert len(answered) == len(set(answered))
    assert len(answered) > 20


@pytest.mark.parametrize("damage", ["gap", "hash", "fact", "seat", "text"])
async def test_a_damaged_log_freezes_the_table_and_nobody_plays_on(
    levata: Club, server: Service, ana: Person, tmp_path: Path, damage: str
) -> None:
    table = await ana.create()
    log = TableLog(server.harness.bus)
    stored = await log.read(table)
    last = f.decode(stored[-1][1])
    good = f.Record(last.n + 1, f.link(stored[-1][1]), last.at, (f.HostChanged("p-x"),))
    bad = {
        "gap": f.encode(f.Record(last.n + 2, good.prev, last.at, good.facts)),
        "hash": f.encode(f.Record(good.n, "0" * 64, last.at, good.facts)),
        "fact": f.encode(f.Record(good.n, good.prev, last.at, (f.ActionTaken(0, "bid 3"),))),
        "seat": f.encode(f.Record(good.n, good.prev, last.at, (f.WentAway(9),))),
        "text": b"{]",
    }[damage]
    await log.append(table, bad, stored[-1][0])
    other = await start_table(levata, tmp_path, "other")
    there = Person(levata, await levata.channel(other), "Ana")
    for person, metrics in ((there, other.metrics), (ana, server.metrics)):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await person.call("StartTable", pb.StartTableRequest(request_id=fresh(), table_id=table))
        assert reason_of(caught.value) == ("DATA_LOSS", "TABLE_FROZEN")
        assert metrics.value("levata_tables_frozen_total") == 1
        assert metrics.value("levata_tables_alive_frozen") == 1
    await other.stop()
    assert other.metrics.value("levata_tables_alive_frozen") == 0
    assert (await log.read(table))[-1][1] == bad


async def test_nats_killed_in_the_middle_loses_no_accepted_action(levata: Club, server: Service, ana: Person) -> None:
    table = await ana.create(seats=3)
    await ana.start(table)
    accepted: list[int] = []
    for kill in range(3):
        for _ in range(10):
            update = await ana.table(table)
            if update.table.status != pb.TABLE_STATUS_PLAYING:
                break
            if my_turn(update):
                try:
                    accepted.append(await ana.act(table, update))
                except grpc.aio.AioRpcError as error:
                    assert reason_of(error)[1] in ("STALE_REVISION", "NOT_YOUR_TURN", "DEPENDENCY_DOWN")  # noqa: PT017
            await asyncio.sleep(0.02)
        if kill < 2:
            await levata.nats.restart()
    assert accepted
    stored = await TableLog(server.harness.bus).read(table)
    records = [f.decode(data) for _, data in stored]
    assert [record.n for record in records] == list(range(1, len(records) + 1))
    by_player = {r.n for r in records for fact in r.facts if isinstance(fact, f.ActionTaken) and fact.by == "player"}
    assert set(accepted) <= by_player


async def test_a_bots_turn_carries_its_seats_view_and_only_its_token_answers_it(levata: Club, tmp_path: Path) -> None:
    server = await start_table(levata, tmp_path, bot_milliseconds=60_000)
    ana = Person(levata, await levata.channel(server), "Ana")
    table = await ana.create(seats=3)
    await ana.start(table)
    await ana.act(table, await ana.table(table))
    async with asyncio.timeout(20):
        while (stored := await server.harness.bus.last("BOT_TURNS", f"bot.turns.{table}")) is None:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    turn = bot_pb2.BotTurn.FromString(stored[1])
    assert turn.private.seat == turn.seat == turn.table.decision.seat
    assert len(turn.private.hand.arzoi.cards) == turn.table.game.arzoi.cards_each
    service = bearer(levata.issuer.service_token("bot"))
    message = pb.SubmitActionRequest(
        request_id=fresh(), table_id=table, action=turn.private.legal_actions[0], revision=turn.revision
    )
    for token, metadata, wanted in (
        (turn.turn_token, ana.metadata, "SERVICE_ONLY"),
        (turn.turn_token[:-1] + "x", service, "TURN_TOKEN_INVALID"),
        (turn.turn_token.replace(".", ".0", 1), service, "TURN_TOKEN_INVALID"),
        ("", service, "NOT_SEATED"),
    ):
        message.turn_token = token
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await ana.stub.SubmitAction(message, metadata=metadata)
        assert reason_of(caught.value) == ("PERMISSION_DENIED", wanted)
    message.turn_token = turn.turn_token
    first = await ana.stub.SubmitAction(message, metadata=service)
    assert await ana.stub.SubmitAction(message, metadata=service) == first
    message.request_id = fresh()
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await ana.stub.SubmitAction(message, metadata=service)
    assert reason_of(caught.value)[1] == "STALE_REVISION"


async def test_private_tables_are_nobodys_business(ana: Person, bogdan: Person) -> None:
    message = table_request(visibility=pb.VISIBILITY_PRIVATE)
    made = await ana.call("CreateTable", message)
    table = made.table_id
    assert (await ana.table(table)).private.invitation_code == made.invitation_code
    listed = await bogdan.call("ListTables", pb.ListTablesRequest())
    assert table not in {one.table_id for one in listed.tables}
    for rpc, request in (
        ("GetTable", pb.GetTableRequest(table_id=table)),
        ("JoinTable", pb.JoinTableRequest(request_id=fresh(), table_id=table)),
        ("SendChat", pb.SendChatRequest(request_id=fresh(), table_id=table, text="hai")),
        ("StopTable", pb.StopTableRequest(request_id=fresh(), table_id=table)),
        ("GetRecord", pb.GetRecordRequest(table_id=table)),
    ):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await bogdan.call(rpc, request)
        assert reason_of(caught.value) == ("NOT_FOUND", "TABLE_NOT_FOUND")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await bogdan.watch(table).update()
    assert reason_of(caught.value) == ("NOT_FOUND", "TABLE_NOT_FOUND")
    found = await bogdan.call("FindTable", pb.FindTableRequest(invitation_code=made.invitation_code.lower()))
    assert found.table.table_id == table
    join = pb.JoinTableRequest(request_id=fresh(), table_id=table, invitation_code=made.invitation_code)
    assert (await bogdan.call("JoinTable", join)).seat == 1


async def test_codes_cannot_be_guessed_at_leisure(bogdan: Person) -> None:
    reasons = []
    for number in range(12):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await bogdan.call("FindTable", pb.FindTableRequest(invitation_code=f"GUESS{number:03d}"))
        reasons.append(reason_of(caught.value)[1])
    assert reasons == ["TABLE_NOT_FOUND"] * 10 + ["TOO_FAST"] * 2


@pytest.mark.rule("GAP-A26")
async def test_spectators_are_cut_off_when_a_table_becomes_private(ana: Person, bogdan: Person) -> None:
    table = await ana.create()
    watch = bogdan.watch(table)
    await watch.update()
    await ana.call(
        "UpdateTable",
        pb.UpdateTableRequest(request_id=fresh(), table_id=table, visibility=pb.VISIBILITY_PRIVATE),
    )
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await watch.rest()
    assert reason_of(caught.value) == ("PERMISSION_DENIED", "NOT_WATCHABLE")


@pytest.mark.rule("AZ-51")
async def test_a_spectator_who_is_admitted_is_present_and_sees_the_hand_on_the_open_watch(
    ana: Person, bogdan: Person
) -> None:
    table = await ana.create(seats=3)
    await ana.start(table)
    watch = bogdan.watch(table)
    before = await watch.update()
    assert not before.private.HasField("seat")
    await bogdan.call("RequestSeat", pb.RequestSeatRequest(request_id=fresh(), table_id=table))
    await ana.call(
        "AnswerSeatRequest",
        pb.AnswerSeatRequestRequest(request_id=fresh(), table_id=table, player_id=bogdan.id, admit=True, seat=2),
    )
    seated = await watch.until(lambda update: update.private.HasField("seat") and update.table.seats[2].present)
    assert seated.private.seat == 2
    await ana.act(table, await ana.table(table))
    dealt = await watch.until(lambda update: update.private.hand.arzoi.cards)
    assert len(dealt.private.hand.arzoi.cards) == dealt.table.game.arzoi.cards_each


async def test_lists_are_paged_newest_first_without_gap_or_repeat(ana: Person, bogdan: Person) -> None:
    made = [await (ana, bogdan)[number % 2].create(seats=3) for number in range(7)]
    seen: list[str] = []
    token = ""
    while True:
        answer = await ana.call("ListTables", pb.ListTablesRequest(page_size=3, page_token=token))
        assert len(answer.tables) <= 3
        seen += [table.table_id for table in answer.tables]
        token = answer.next_page_token
        if not token:
            break
    assert sorted(seen) == sorted(made)
    assert [made.index(table) for table in seen] == sorted((made.index(table) for table in seen), reverse=True)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await ana.call("ListTables", pb.ListTablesRequest(page_token="nonsense"))
    assert reason_of(caught.value) == ("INVALID_ARGUMENT", "BAD_PAGE_TOKEN")


async def test_another_server_lists_the_table_too(levata: Club, server: Service, ana: Person, tmp_path: Path) -> None:
    other = await start_table(levata, tmp_path, "other")
    viewer = Person(levata, await levata.channel(other), "Viewer")
    table = await ana.create()
    async with asyncio.timeout(10):
        while True:
            listed = await viewer.call("ListTables", pb.ListTablesRequest())
            if table in {one.table_id for one in listed.tables}:
                break
            await asyncio.sleep(0.02)


def ids(answer: Any) -> list[str]:
    """The tables of a list."""
    return [table.table_id for table in answer.tables]


async def own_tables(person: Person, **more: Any) -> list[str]:
    """The tables at which a person has a seat, as the server lists them."""
    return ids(await person.call("ListMyTables", pb.ListMyTablesRequest(**more)))


async def test_a_player_finds_the_tables_with_a_seat_of_theirs_private_ones_too_newest_first(
    ana: Person, bogdan: Person
) -> None:
    made = await ana.call("CreateTable", table_request(visibility=pb.VISIBILITY_PRIVATE))
    public = await ana.create()
    foreign = await bogdan.create()
    assert await own_tables(ana) == [public, made.table_id]
    assert await own_tables(bogdan) == [foreign]
    (summary, _) = (await ana.call("ListMyTables", pb.ListMyTablesRequest())).tables
    assert [seat.player_id for seat in summary.seats] == [ana.id, "", "", ""]
    await bogdan.call(
        "JoinTable",
        pb.JoinTableRequest(request_id=fresh(), table_id=made.table_id, invitation_code=made.invitation_code),
    )
    assert await own_tables(bogdan) == [foreign, made.table_id]
    assert made.table_id not in ids(await bogdan.call("ListTables", pb.ListTablesRequest()))
    await bogdan.call("LeaveTable", pb.LeaveTableRequest(request_id=fresh(), table_id=made.table_id))
    assert await own_tables(bogdan) == [foreign]


async def test_own_tables_are_listed_by_status_and_those_that_are_over_only_when_asked_for(
    ana: Person, bogdan: Person
) -> None:
    waiting, playing, stopped = [await ana.create() for _ in range(3)]
    await ana.start(playing)
    await ana.call("StopTable", pb.StopTableRequest(request_id=fresh(), table_id=stopped))
    assert await own_tables(ana) == [playing, waiting]
    assert await own_tables(ana, status=pb.TABLE_STATUS_WAITING) == [waiting]
    assert await own_tables(ana, status=pb.TABLE_STATUS_PLAYING) == [playing]
    assert await own_tables(ana, status=pb.TABLE_STATUS_STOPPED) == [stopped]
    assert await own_tables(ana, status=pb.TABLE_STATUS_FINISHED) == []
    assert await own_tables(bogdan) == []


async def test_own_tables_are_paged_without_gap_or_repeat(ana: Person, bogdan: Person) -> None:
    made = [await (ana, bogdan)[number % 2].create(seats=3) for number in range(8)]
    seen: list[str] = []
    token = ""
    while True:
        answer = await ana.call("ListMyTables", pb.ListMyTablesRequest(page_size=3, page_token=token))
        seen += ids(answer)
        token = answer.next_page_token
        if not token:
            break
        assert len(answer.tables) == 3
    assert seen == made[-2::-2]
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await own_tables(ana, page_token="nonsense")
    assert reason_of(caught.value) == ("INVALID_ARGUMENT", "BAD_PAGE_TOKEN")


async def test_a_removed_player_and_one_who_was_admitted_find_what_is_theirs(ana: Person, bogdan: Person) -> None:
    table = await ana.create(seats=3)
    await ana.start(table)
    await bogdan.call("RequestSeat", pb.RequestSeatRequest(request_id=fresh(), table_id=table))
    assert await own_tables(bogdan) == []
    await ana.call(
        "AnswerSeatRequest",
        pb.AnswerSeatRequestRequest(request_id=fresh(), table_id=table, player_id=bogdan.id, admit=True, seat=2),
    )
    assert await own_tables(bogdan) == [table]
    await ana.call("RemovePlayer", pb.RemovePlayerRequest(request_id=fresh(), table_id=table, seat=2))
    assert await own_tables(bogdan) == []


async def test_a_server_that_has_just_started_lists_a_players_tables_at_once(
    levata: Club, server: Service, ana: Person, tmp_path: Path
) -> None:
    tables = [await ana.create() for _ in range(5)]
    await server.stop()
    other = await start_table(levata, tmp_path, "other")
    there = Person(levata, await levata.channel(other), "Ana")
    assert await own_tables(there) == tables[::-1]


async def test_another_server_tells_a_player_of_a_seat_too(
    levata: Club, server: Service, ana: Person, tmp_path: Path
) -> None:
    other = await start_table(levata, tmp_path, "other")
    second_device = Person(levata, await levata.channel(other), "Ana")
    assert await own_tables(second_device) == []
    table = await ana.create()

    async def told() -> bool:
        return await own_tables(second_device) == [table]

    await until(told)
    await ana.call("LeaveTable", pb.LeaveTableRequest(request_id=fresh(), table_id=table))

    async def told_otherwise() -> bool:
        return await own_tables(second_device) == []

    await until(told_otherwise)


async def test_a_host_of_too_many_open_tables_makes_no_more_but_repeats_are_answered(
    levata: Club, tmp_path: Path
) -> None:
    server = await start_table(levata, tmp_path, tables_per_host=2)
    ana = Person(levata, await levata.channel(server), "Ana")
    message = table_request()
    first = await ana.call("CreateTable", message)
    await ana.create()
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await ana.create()
    assert reason_of(caught.value) == ("RESOURCE_EXHAUSTED", "TOO_MANY_TABLES")
    assert await ana.call("CreateTable", message) == first


async def test_a_table_that_another_server_closed_is_let_go_here_and_its_watches_end(
    levata: Club, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "SWEEP_SECONDS", 0.1)
    servers = [await start_table(levata, tmp_path, name, keep_seconds=1) for name in ("one", "two")]
    ana, bogdan = [
        Person(levata, await levata.channel(server), name)
        for server, name in zip(servers, ("Ana", "Bogdan"), strict=True)
    ]
    table = await ana.create()
    watches = [ana.watch(table), bogdan.watch(table)]
    for watch in watches:
        await watch.update()
    await ana.call("StopTable", pb.StopTableRequest(request_id=fresh(), table_id=table))
    for watch in watches:
        await watch.rest()
    for server in servers:
        await until(lambda server=server: server.metrics.value("levata_tables_alive") == 0)  # type: ignore[misc]


async def test_replies_of_play_table_come_in_the_order_in_which_was_asked(ana: Person) -> None:
    table = await ana.create(seats=3)
    call = ana.play()
    await call.write(pb.PlayTableRequest(watch=pb.WatchTableRequest(table_id=table)))
    asked = [fresh() for _ in range(10)]
    for number, request_id in enumerate(asked):
        text = (
            "" if number % 2 else "noroc"
        )  # what is refused at the door is not answered before what waits for the log
        chat = pb.SendChatRequest(request_id=request_id, table_id=table, text=text)
        await call.write(pb.PlayTableRequest(send_chat=chat))
    answered: list[str] = []
    async with asyncio.timeout(20):
        while len(answered) < len(asked):
            message = await call.read()
            if message.HasField("reply"):
                answered.append(message.reply.request_id)
    assert answered == asked
    call.cancel()


async def presence_facts(server: Service, table: str) -> list[f.Connected | f.Disconnected]:
    """What the log tells of connections."""
    stored = await TableLog(server.harness.bus).read(table)
    facts = [fact for _, data in stored for fact in f.decode(data).facts]
    return [fact for fact in facts if isinstance(fact, f.Connected | f.Disconnected)]


async def test_a_server_that_was_taken_for_dead_has_its_people_and_its_notes_again(
    levata: Club, server: Service, ana: Person
) -> None:
    table = await ana.create()
    watch = ana.watch(table)
    await watch.until(lambda update: update.table.seats[0].present)
    bus = server.harness.bus
    (connected,) = await presence_facts(server, table)
    note = f"$KV.PRESENCE.{connected.at}.{table}"
    assert await bus.last("KV_PRESENCE", note) is not None
    # What another server does that hears nothing of this one.
    await bus.js.purge_stream("KV_PRESENCE", subject=note)
    stored = await TableLog(bus).read(table)
    last = f.decode(stored[-1][1])
    gone = f.Disconnected(0, connected.at, last.at, by_server=True)
    record = f.encode(f.Record(last.n + 1, f.link(stored[-1][1]), last.at, (gone,), wake=last.wake))
    await TableLog(bus).append(table, record, stored[-1][0])
    await watch.until(lambda update: not update.table.seats[0].present)
    await watch.until(lambda update: update.table.seats[0].present)
    assert await bus.last("KV_PRESENCE", note) is not None


async def test_a_watch_that_ends_while_nats_is_down_is_told_of_when_it_is_back(levata: Club, tmp_path: Path) -> None:
    server = await start_table(levata, tmp_path, publish_seconds=0.2)
    ana = Person(levata, await levata.channel(server), "Ana")
    table = await ana.create()
    watch = ana.watch(table)
    await watch.until(lambda update: update.table.seats[0].present)
    await levata.nats.kill()
    watch.close()
    await until(lambda: server.metrics.value("levata_table_watches") == 0)
    refused = server.metrics.value
    before = refused("levata_bus_publishes_total", subject="tables.log", outcome="unavailable")
    await until(lambda: refused("levata_bus_publishes_total", subject="tables.log", outcome="unavailable") > before)
    await levata.nats.start()

    async def told() -> bool:
        try:
            return any(isinstance(fact, f.Disconnected) for fact in await presence_facts(server, table))
        except BusUnavailable:
            return False  # not connected again yet

    await until(told)


async def test_a_table_whose_maker_died_before_it_was_listed_is_listed_when_somebody_reads_it(
    levata: Club, server: Service, ana: Person, tmp_path: Path
) -> None:
    made = await ana.call("CreateTable", table_request(visibility=pb.VISIBILITY_PRIVATE))
    bus = server.harness.bus

    async def listed() -> bool:
        return await bus.last("KV_LOBBY", f"$KV.LOBBY.{made.table_id}") is not None

    await until(listed)
    await server.crash()
    other = await start_table(levata, tmp_path, "other")
    bus = other.harness.bus
    await bus.js.purge_stream("KV_LOBBY", subject=f"$KV.LOBBY.{made.table_id}")
    third = await start_table(levata, tmp_path, "third")
    there = Person(levata, await levata.channel(third), "Ana")
    find = pb.FindTableRequest(invitation_code=made.invitation_code)
    with pytest.raises(grpc.aio.AioRpcError):
        await there.call("FindTable", find)
    await there.table(made.table_id)
    assert (await there.call("FindTable", find)).table.table_id == made.table_id


async def test_the_record_of_a_table_that_the_last_person_left_can_be_read(ana: Person, bogdan: Person) -> None:
    table = await ana.create(seats=3)
    await ana.start(table)
    await ana.act(table, await ana.table(table))
    await ana.call("LeaveTable", pb.LeaveTableRequest(request_id=fresh(), table_id=table))
    record = (await bogdan.call("GetRecord", pb.GetRecordRequest(table_id=table))).record
    assert "shuffle" in record


async def test_viewers_are_sent_away_although_the_logs_are_out_of_reach(levata: Club, tmp_path: Path) -> None:
    server = await start_table(levata, tmp_path, drain_seconds=6.0, publish_seconds=30.0)
    ana = Person(levata, await levata.channel(server), "Ana")
    watch = ana.watch(await ana.create())
    await watch.until(lambda update: update.table.seats[0].present)
    await levata.nats.kill()
    stopping = asyncio.ensure_future(server.stop())
    _, error = await watch.to_its_end()
    assert reason_of(error) == ("UNAVAILABLE", "DRAINING")
    await levata.nats.start()
    await stopping
