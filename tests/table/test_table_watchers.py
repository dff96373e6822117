"""The buffer of one watch: in order, bounded, and ended only when it is empty."""

import asyncio

from services.table.watchers import MESSAGES_KEPT, Ended, Watcher

LONG = 60.0
SHORT = 0.02


async def test_messages_come_in_order_whether_they_wait_or_are_waited_for() -> None:
    watcher = Watcher("p")
    watcher.put(b"1")
    watcher.put(b"2")
    assert [await watcher.take(LONG), await watcher.take(LONG)] == [b"1", b"2"]
    waiting = asyncio.ensure_future(watcher.take(LONG))
    await asyncio.sleep(0)
    watcher.put(b"3")
    watcher.put(b"4")
    assert [await waiting, await watcher.take(LONG)] == [b"3", b"4"]
    watcher.end(Ended.DISCONNECTED)


async def test_a_wait_without_a_message_ends_by_itself_again_and_again() -> None:
    watcher = Watcher("p")
    for _ in range(3):
        assert await watcher.take(SHORT) is None
        assert watcher.ended is None
    watcher.put(b"late")
    assert await watcher.take(SHORT) == b"late"
    assert await watcher.take(SHORT) is None


async def test_a_wait_is_counted_from_the_message_before() -> None:
    """The timer set for the first wait may not cut short those that follow."""
    watcher = Watcher("p")
    loop = asyncio.get_running_loop()
    begin = loop.time()
    while loop.time() < begin + 5 * SHORT:
        waiting = asyncio.ensure_future(watcher.take(SHORT))
        await asyncio.sleep(SHORT / 4)
        watcher.put(b"m")
        waited_since = loop.time()
        if await waiting is None:  # the machine was busy for longer than the wait
            assert await watcher.take(SHORT) == b"m"
    assert await watcher.take(SHORT) is None
    assert loop.time() >= waited_since + SHORT * 0.9


async def test_a_watcher_that_is_too_far_behind_is_cut_off_and_its_queue_dropped() -> None:
    watcher = Watcher("p")
    for number in range(MESSAGES_KEPT):
        watcher.put(b"%d" % number)
    assert watcher.ended is None
    watcher.put(b"one more")
    assert watcher.ended is Ended.SLOW
    assert await watcher.take(LONG) is None


async def test_what_is_queued_is_taken_before_the_end() -> None:
    watcher = Watcher("p")
    watcher.put(b"1")
    watcher.end(Ended.DRAINING)
    watcher.end(Ended.CLOSED)
    watcher.put(b"too late")
    assert await watcher.take(LONG) == b"1"
    assert await watcher.take(LONG) is None
    assert watcher.ended is Ended.DRAINING


async def test_the_end_wakes_who_waits() -> None:
    watcher = Watcher("p")
    waiting = asyncio.ensure_future(watcher.take(LONG))
    await asyncio.sleep(0)
    watcher.end(Ended.CLOSED)
    assert await waiting is None


async def test_a_wait_that_is_cancelled_loses_no_message() -> None:
    watcher = Watcher("p")
    waiting = asyncio.ensure_future(watcher.take(LONG))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    watcher.put(b"kept")
    assert await watcher.take(LONG) == b"kept"
    watcher.end(Ended.DISCONNECTED)
