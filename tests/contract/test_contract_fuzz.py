"""Whatever bytes come, no RPC fails by our fault, no error is logged, and nothing changes by accident."""

import logging
import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message
from structlog.testing import capture_logs

from services.table import facts as f
from shared.gen.levata.bot.v1 import bot_pb2
from shared.gen.levata.table.v1 import table_pb2 as pb
from tests.support.any_game import EVERY_SIZE, random_match, seen_by_decider
from tests.support.arzoi_positions import position
from tests.support.contract import METHODS, Method, named
from tests.support.good_requests import Place, good
from tests.support.refusals import guest
from tests.support.scramble import mangled, scrambled
from tests.support.table_service import WITHIN
from tests.support.whole_club import Metadata, WholeClub

pytestmark = pytest.mark.asyncio(loop_scope="session")
Code = grpc.StatusCode
OUR_FAULT = {Code.INTERNAL, Code.UNKNOWN, Code.DATA_LOSS, Code.UNIMPLEMENTED, Code.UNAVAILABLE, Code.DEADLINE_EXCEEDED}
UNARY = [method for method in METHODS.values() if not method.streams_in]
COUNTS = {"SetPassword": 10, "SignIn": 20, "SuggestMove": 400}
"""How many wild requests, where not the usual number: passwords are hashed at leisure, and hints have much to read."""


@pytest.fixture
def no_error_is_logged(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fails when a service, or gRPC below it, logs an error or a traceback."""
    with capture_logs() as lines:
        yield
    wrong = [line for line in lines if line["log_level"] in ("error", "critical") or line.get("exc_info")]
    assert not wrong, wrong[:3]
    raised = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    assert not raised, raised[:3]


def requests(method: Method, place: Place, chance: random.Random, texts: list[str], count: int) -> Iterator[Any]:
    """Wild messages and mangled bytes; most of them wild in what the door lets through."""
    for number in range(count):
        base: Any = views(chance) if method.name == "SuggestMove" else good(method, place)
        if number % 5 == 4:
            yield mangled(base.SerializeToString(), chance)
            continue
        wild: Any = scrambled(base, chance, texts, times=chance.choice((0, 1, 1, 1, 2, 4)))
        if method.name == "SuggestMove" and chance.random() < 0.9:
            wild.CopyFrom(base)
            wild.table.CopyFrom(scrambled(base.table, chance, texts, times=chance.choice((0, 1))))
            wild.private.CopyFrom(scrambled(base.private, chance, texts, times=chance.choice((0, 0, 1))))
            wild.level = chance.choice((0, 1, 2))
        for name in ("request_id", "table_id"):
            if method.asks_for(name) and chance.random() < 0.8:
                setattr(wild, name, getattr(base, name))
        yield wild


def views(chance: random.Random) -> Message:
    """A seat's view of a table of any game, or of one of Arzoi in any phase, for a hint."""
    if chance.random() < 0.5:
        match = random_match(*chance.choice(EVERY_SIZE), seed=chance.randrange(1000))
        paper = next(islice(match, chance.randrange(40), None), None)
        if paper is not None:
            update = seen_by_decider(paper)
            return bot_pb2.SuggestMoveRequest(table=update.table, private=update.private, level=pb.BOT_LEVEL_NOVICE)
    phase = chance.choice(("choose", "bid", "whist", "totale", "septica", "continue", "over"))
    update = position(chance.choice((4, 6, 8, 9)), phase, wide=chance.random() < 0.2)
    return bot_pb2.SuggestMoveRequest(table=update.table, private=update.private, level=pb.BOT_LEVEL_NOVICE)


async def log_of(house: WholeClub, table: str, match: bool = False) -> Any:
    """Where a table's log ends; if a match was on and is over, when what follows from that by itself has happened."""
    last = await house.bus.last("TABLES", f"tables.log.{table}")
    if match and last is not None and any(isinstance(fact, f.TableStopped) for fact in f.decode(last[1]).facts):
        await house.told(table)
        return await house.bus.last("TABLES", f"tables.log.{table}")
    return last


@pytest.mark.usefixtures("no_error_is_logged")
@pytest.mark.parametrize("method", UNARY, ids=lambda method: method.name)
async def test_wild_requests_are_served_or_refused_but_never_fail(house: WholeClub, method: Method) -> None:
    chance = random.Random(f"wild {method.name}")
    table = await house.table("Ana", "Bogdan", seats=4)
    private = await house.table("Ana", "Bogdan", start=False, visibility=pb.VISIBILITY_PRIVATE)
    made, account = await guest(house)
    texts = [table, private, made.account.player_id, made.account.name, made.tokens.refresh_token, "p-dan"]
    callers: list[Metadata] = [house.me("Ana"), house.me("Bogdan"), house.me("Dan"), account, house.service("bot")]
    count = COUNTS.get(method.name, 80)
    codes: dict[grpc.StatusCode, int] = {}
    for request in requests(method, Place(chance.choice((table, private))), chance, texts, count):
        before = await log_of(house, table, match=True), await log_of(house, private)
        code = Code.OK
        try:
            await house.call(method, request, metadata=chance.choice(callers))
        except grpc.aio.AioRpcError as error:
            code = error.code()
            assert code not in OUR_FAULT, f"{request!r}: {error.details()}"  # noqa: PT017
        codes[code] = codes.get(code, 0) + 1
        if code is not Code.OK:
            assert (await log_of(house, table, match=True), await log_of(house, private)) == before, request
    assert sum(codes.values()) == count


@pytest.mark.usefixtures("no_error_is_logged")
async def test_wild_messages_on_a_stream_are_answered_one_by_one(house: WholeClub) -> None:
    chance = random.Random("wild stream")
    table = await house.table("Ana", "Bogdan", "Carmen")
    watch = pb.PlayTableRequest(watch=pb.WatchTableRequest(table_id=table))
    act = pb.PlayTableRequest()
    act.submit_action.CopyFrom(good(named("SubmitAction"), Place(table)))  # type: ignore[arg-type]
    say = pb.PlayTableRequest()
    say.send_chat.CopyFrom(good(named("SendChat"), Place(table)))  # type: ignore[arg-type]
    channel = await house.channel("table")
    opened: Any = channel.stream_stream(
        named("PlayTable").path,
        lambda message: message if isinstance(message, bytes) else message.SerializeToString(),
        pb.PlayTableResponse.FromString,
    )
    call = opened(metadata=house.me("Ana"), timeout=WITHIN)
    await call.write(watch)
    for _ in range(300):
        base = chance.choice((act, say, watch))
        wild: Any = scrambled(base, chance, [table])
        if chance.random() < 0.3:
            wild = mangled(base.SerializeToString(), chance)
        await call.write(wild)
        while True:
            answer = await call.read()
            assert answer is not grpc.aio.EOF, f"{await call.code()} {await call.details()}"
            if answer.HasField("reply"):
                break
        assert answer.reply.failure.code not in {code.value[0] for code in OUR_FAULT}, wild
    call.cancel()


@pytest.mark.usefixtures("no_error_is_logged")
async def test_wild_first_messages_of_a_stream_are_served_or_refused(house: WholeClub) -> None:
    chance = random.Random("wild openings")
    table = await house.table("Ana", "Bogdan", "Carmen")
    watch = pb.PlayTableRequest(watch=pb.WatchTableRequest(table_id=table))
    for _ in range(100):
        first: Any = scrambled(watch, chance, [table])
        if chance.random() < 0.5:
            first = mangled(watch.SerializeToString(), chance)
        try:
            await house.call("PlayTable", first, metadata=house.me("Dan"))
        except grpc.aio.AioRpcError as error:
            assert error.code() not in OUR_FAULT, f"{first!r}: {error.details()}"  # noqa: PT017


async def test_the_club_still_serves_after_all_this(house: WholeClub) -> None:
    for service in house.services.values():
        assert service.failure is None
        assert await service.check_readiness()
    assert (await house.bus.js.stream_info("DEAD")).state.messages == 0
