"""An operator hails servers and lets one of them go."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from shared.bus import Bus
from shared.harness import Service
from shared.metrics import Metrics
from shared.roll_call import DRAIN, Here, RollCall
from shared.settings import ServiceSettings
from tests.support.services import Club
from tests.support.waiting import until
from tests.support.waiting_room import WaitingRoom


@pytest.fixture
async def operator(levata: Club) -> AsyncIterator[RollCall]:
    bus = await Bus.connect(levata.settings(ServiceSettings, "operator"), Metrics("operator"), "operator")
    yield RollCall(bus)
    await bus.close()


async def start(levata: Club, instance: str) -> Service:
    return await levata.start("matchmaking", ServiceSettings, WaitingRoom().bind, instance=instance)


async def servers(operator: RollCall, wanted: int) -> list[Here]:
    """The servers that answer, as soon as there are so many."""
    found: list[Here] = []

    async def hailed() -> bool:
        found[:] = await operator.servers(0.2)
        return len(found) == wanted

    await until(hailed)
    return found


async def test_every_server_answers_and_says_where_and_how_it_is(levata: Club, operator: RollCall) -> None:
    first, second = await start(levata, "one"), await start(levata, "two")
    one, two = await servers(operator, 2)
    assert [(here.kind, here.instance) for here in (one, two)] == [("matchmaking", "one"), ("matchmaking", "two")]
    assert [here.address for here in (one, two)] == [first.address, second.address]
    assert one.ready
    assert not one.draining
    assert 0 < one.started <= two.started


async def test_the_server_that_is_told_to_go_drains_and_the_other_stays(levata: Club, operator: RollCall) -> None:
    first, second = await start(levata, "one"), await start(levata, "two")
    drained = asyncio.Event()

    async def drain() -> None:
        drained.set()

    first.harness.on_drain(drain)
    one, _ = await servers(operator, 2)
    await operator.drain(one, "mihai", "its machine is replaced")
    await asyncio.wait_for(drained.wait(), 20)
    (left,) = await servers(operator, 1)
    assert left.instance == "two"
    assert first.failure is None
    assert second.ready


async def test_what_cannot_be_read_or_names_another_lets_no_server_go(levata: Club, operator: RollCall) -> None:
    service = await start(levata, "one")
    bus = service.harness.bus
    await operator.drain(Here("matchmaking", "another", "", 0, ready=True, draining=False), "mihai", "a mistake")
    await bus.nc.publish(f"{DRAIN}.matchmaking", b"{]")
    await bus.nc.publish(f"{DRAIN}.table", b'{"instance":"one","by":"mihai","why":"a mistake"}')
    (here,) = await servers(operator, 1)
    assert here.ready
    assert not service.stopping.is_set()
