"""A service for tests of processes: it says what happens to it on standard output.

Run as `python -m tests.support.tiny_service MODE`, where the mode is `serve`, `fail` (a background task fails when the
file in LEVATA_TINY_TRIGGER appears), `broken` (it cannot be bound) or `waits` (for a stream that nobody makes).
"""

import sys
from pathlib import Path

from pydantic import Field, SecretStr

from shared import harness, process, stream_setup
from shared.bus import Message
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2 as pb
from shared.settings import ServiceSettings
from shared.streams import Durable
from tests.support.waiting import until
from tests.support.waiting_room import WaitingRoom


class TinySettings(ServiceSettings):
    """Settings of the tiny service."""

    tiny_trigger: Path = Field(Path("trigger"), description="The background task fails when this file appears.")
    tiny_secret: SecretStr = Field(SecretStr(""), description="Must not be seen.")


def tell(what: str) -> None:
    """Writes a line at once."""
    print(f"TINY {what}", flush=True)


async def bind(bound: harness.Harness, settings: TinySettings) -> None:
    """Binds a waiting room, a consumer and callbacks that tell."""
    mode = sys.argv[1] if len(sys.argv) > 1 else "serve"
    if mode == "broken":
        raise ValueError("cannot be bound")
    if mode == "waits":
        tell("waits")
        await stream_setup.wait_for(bound.bus, ["LEDGER"])
    room = WaitingRoom()

    async def queues(request: pb.ListQueuesRequest) -> pb.ListQueuesResponse:
        return pb.ListQueuesResponse()

    room.queues = queues
    await room.bind(bound, settings)
    await stream_setup.ensure(bound.bus, ["RESULTS"], settings.replicas)

    async def drain() -> None:
        tell("drained")

    async def close(name: str) -> None:
        tell(f"closed {name}")

    async def handle(message: Message) -> None:
        tell(f"handled {message.data.decode()}")

    async def wait_for_trigger() -> None:
        await until(settings.tiny_trigger.exists, seconds=60.0)
        raise RuntimeError("the trigger is there")

    bound.on_drain(drain)
    bound.on_close(lambda: close("first"))
    bound.on_close(lambda: close("second"))
    bound.background("results", lambda: bound.bus.consume(Durable("tiny", "RESULTS", "tests"), handle))
    if mode == "fail":
        bound.background("trigger", wait_for_trigger)


if __name__ == "__main__":
    process.main("tiny", TinySettings, bind)
