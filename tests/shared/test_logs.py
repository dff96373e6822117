"""Log lines carry the ids of their request, and no secret ever."""

import asyncio
import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import grpc
import pytest
import structlog

from shared import logs
from shared.errors import LevataError
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2 as pb
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2_grpc as rpc
from shared.settings import ServiceSettings
from tests.support.services import Club
from tests.support.tokens import TokenIssuer
from tests.support.waiting_room import WaitingRoom


class Written:
    """What was logged."""

    def __init__(self, log_format: Literal["console", "json"], level: str) -> None:
        self.stream = io.StringIO()
        logs.configure(log_format, level, self.stream)

    @property
    def text(self) -> str:
        return self.stream.getvalue()

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text.splitlines()]


@pytest.fixture(autouse=True)
def _restore() -> Iterator[None]:
    structlog.contextvars.clear_contextvars()
    yield
    structlog.contextvars.clear_contextvars()
    logs.configure("console", "warning")


def test_a_line_is_json_with_level_time_and_ids() -> None:
    written = Written("json", "info")
    logs.bind(request_id="r-1", table_id="t-1", player_id="p-1")
    structlog.get_logger("levata").info("seat taken", seat=2)
    (line,) = written.lines
    assert line["event"] == "seat taken"
    assert (line["request_id"], line["table_id"], line["player_id"], line["seat"]) == ("r-1", "t-1", "p-1", 2)
    assert line["level"] == "info"
    assert line["timestamp"].endswith("Z")


def test_lower_levels_are_not_written() -> None:
    written = Written("json", "warning")
    structlog.get_logger().info("chatter")
    assert written.text == ""


@pytest.mark.parametrize(
    "key",
    [
        "token",
        "access_token",
        "refreshToken",
        "turn-token",
        "device_secret",
        "password",
        "nats_password",
        "hand",
        "hands",
        "pack",
        "seed",
        "shuffle_seed",
        "salt",
        "cards",
        "Authorization",
        "private",
    ],
)
def test_values_under_secret_keys_are_masked(key: str) -> None:
    written = Written("json", "info")
    structlog.get_logger().info("event", **{key: "s3cret", "inner": [{key: b"s3cret"}, {"more": {key: ["s3cret"]}}]})
    assert "s3cret" not in written.text
    assert written.lines[0][key] == "***"


@pytest.mark.parametrize("key", ["handler", "handled", "package", "tokens_count", "jwks_file", "seat", "discards"])
def test_harmless_keys_are_not(key: str) -> None:
    written = Written("json", "info")
    structlog.get_logger().info("event", **{key: "visible"})
    assert written.lines[0][key] == "visible"


@pytest.mark.parametrize("log_format", ["json", "console"])
def test_tokens_and_passwords_are_masked_wherever_they_stand(
    issuer: TokenIssuer, log_format: Literal["json", "console"]
) -> None:
    token = issuer.token("p-ana")
    written = Written(log_format, "info")
    log = structlog.get_logger()
    log.info(f"got {token}", note=f"Bearer {token}", opaque="bearer abc.def", url="nats://bot:s3cret@host:4222")
    try:
        raise ValueError(f"cannot use {token}")
    except ValueError:
        log.exception("failed")
    logging.getLogger("library").warning("connecting to postgresql://levata:s3cret@db/x with %s", token)
    assert token.split(".")[1] not in written.text
    assert "s3cret" not in written.text
    assert "abc.def" not in written.text
    assert "nats://bot:***@host:4222" in written.text


@pytest.mark.parametrize("log_format", ["json", "console"])
def test_tracebacks_do_not_show_local_variables(log_format: Literal["json", "console"]) -> None:
    written = Written(log_format, "info")

    def deal(hand: str) -> None:
        raise ValueError("no such card")

    try:
        deal("queen-of-spades"[::-1])
    except ValueError:
        structlog.get_logger().exception("failed")
    assert "no such card" in written.text
    assert "Traceback" in written.text
    assert "sedaps" not in written.text


def test_bytes_are_measured_and_not_shown() -> None:
    written = Written("json", "info")
    structlog.get_logger().info("event", payload=b"abc")
    assert written.lines[0]["payload"] == "<3 bytes>"


def test_libraries_log_in_the_same_form() -> None:
    written = Written("json", "info")
    logging.getLogger("nats.aio.client").error("trouble")
    (line,) = written.lines
    assert (line["event"], line["level"], line["logger"]) == ("trouble", "error", "nats.aio.client")


async def test_ids_are_bound_to_their_own_task() -> None:
    written = Written("json", "info")

    async def request(number: int) -> None:
        logs.bind(request_id=f"r-{number}")
        await asyncio.sleep(0)
        structlog.get_logger().info("served", number=number)

    await asyncio.gather(*(asyncio.create_task(request(number)) for number in range(5)))
    assert {(line["number"], line["request_id"]) for line in written.lines} == {(n, f"r-{n}") for n in range(5)}


def test_settings_are_printable_without_their_secrets(tmp_path: Path) -> None:
    written = Written("json", "info")
    settings = ServiceSettings(nats_user="bot", nats_password="s3cret", service_token_file=tmp_path / "t.jwt")
    structlog.get_logger().info("settings", **settings.printable())
    (line,) = written.lines
    assert "s3cret" not in written.text
    assert line["nats_user"] == "bot"
    assert line["service_token_file"] == str(tmp_path / "t.jwt")


async def test_every_line_of_a_request_names_it_and_none_tells_the_token(levata: Club) -> None:
    servicer = WaitingRoom()
    service = await levata.start("matchmaking", ServiceSettings, servicer.bind)
    stub: Any = rpc.MatchmakingServiceStub(await levata.channel(service))

    async def get(request: pb.GetTicketRequest) -> pb.GetTicketResponse:
        structlog.get_logger().info("looking")
        if request.ticket_id == "gone":
            raise LevataError(grpc.StatusCode.PERMISSION_DENIED, "NOT_HOST")
        raise RuntimeError("an accident")

    servicer.get = get
    written = Written("json", "debug")
    token = levata.issuer.token("p-ana", "Ana")
    metadata = (("authorization", f"Bearer {token}"), ("x-request-id", "req-7"))
    for ticket_id in ("gone", "other"):
        with pytest.raises(grpc.aio.AioRpcError):
            await stub.GetTicket(pb.GetTicketRequest(ticket_id=ticket_id), metadata=metadata)
    ours = [line for line in written.lines if "rpc" in line]
    assert {line["event"] for line in ours} == {"looking", "refused", "served", "unexpected error"}
    assert {(line["request_id"], line["player_id"]) for line in ours} == {("req-7", "p-ana")}
    assert token not in written.text
    assert "an accident" in written.text
