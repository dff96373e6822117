"""One leader at a time."""

import asyncio
from typing import Any

import pytest

from services.matchmaking.lease import Lease, LeaseLostError


async def test_a_lease_that_is_held_is_not_given_to_another(connect: Any) -> None:
    bus = await connect()
    one, other = Lease(bus, "matchmaking.q", "one", 6), Lease(bus, "matchmaking.q", "other", 6)
    assert await one.try_acquire() is not None
    assert one.held
    assert await other.try_acquire() is None
    assert not other.held
    assert await Lease(bus, "matchmaking.other", "other", 6).try_acquire() is not None


async def test_of_many_who_want_it_one_gets_it(connect: Any) -> None:
    bus = await connect()
    leases = [Lease(bus, "matchmaking.q", f"p{number}", 6) for number in range(20)]
    won = await asyncio.gather(*(lease.try_acquire() for lease in leases))
    assert sum(number is not None for number in won) == 1
    assert sum(lease.held for lease in leases) == 1


async def test_a_lease_given_back_is_free_at_once_and_its_number_is_higher(connect: Any) -> None:
    bus = await connect()
    one, other = Lease(bus, "matchmaking.q", "one", 6), Lease(bus, "matchmaking.q", "other", 6)
    first = await one.try_acquire()
    await one.release()
    second = await other.try_acquire()
    assert first is not None
    assert second is not None
    assert second > first
    await one.release()
    assert other.held
    await other.renew()


async def test_a_lease_that_is_not_renewed_falls_to_whoever_waits(connect: Any) -> None:
    bus = await connect()
    one, other = Lease(bus, "matchmaking.q", "one", 1), Lease(bus, "matchmaking.q", "other", 1)
    assert await one.try_acquire() is not None
    assert await asyncio.wait_for(other.acquire(), 20) > 0
    assert not one.held
    with pytest.raises(LeaseLostError):
        await one.renew()


async def test_a_lease_that_is_kept_stays(connect: Any) -> None:
    bus = await connect()
    one, other = Lease(bus, "matchmaking.q", "one", 1), Lease(bus, "matchmaking.q", "other", 1)
    await one.acquire()
    keeping = asyncio.create_task(one.keep())
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(other.acquire(), 2.5)
    assert one.held
    keeping.cancel()


async def test_a_renewal_whose_answer_was_lost_is_not_taken_for_anothers(connect: Any) -> None:
    bus = await connect()
    lease = Lease(bus, "matchmaking.q", "one", 6)
    await lease.acquire()
    before = lease._sequence
    await lease.renew()
    lease._sequence = before
    await lease.renew()
    assert lease.held
    await lease.renew()


async def test_a_holder_whose_time_is_out_knows_it_without_asking(connect: Any) -> None:
    moment = 100.0
    lease = Lease(await connect(), "matchmaking.q", "one", 6, clock=lambda: moment)
    await lease.acquire()
    moment = 105.9
    assert lease.held
    moment = 106.0
    assert not lease.held
