"""What operators read."""

import asyncio

import pytest
from prometheus_client import REGISTRY
from prometheus_client.parser import text_string_to_metric_families

from shared.metrics import Exposition, Metrics
from tests.support.waiting import until


async def fetch(address: str, request: bytes) -> tuple[str, bytes]:
    """The status line and the body that a raw HTTP request gets."""
    host, _, port = address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(request)
    async with asyncio.timeout(10):
        answer = await reader.read()
    writer.close()
    head, _, body = answer.partition(b"\r\n\r\n")
    return head.split(b"\r\n")[0].decode(), body


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: levata\r\n\r\n".encode()


@pytest.fixture
async def exposed(metrics: Metrics) -> Exposition:
    exposition = Exposition(metrics, lambda: metrics.value("levata_ready") == 1)
    await exposition.start("127.0.0.1:0")
    return exposition


async def test_metrics_are_told_in_prometheus_text(metrics: Metrics, exposed: Exposition) -> None:
    moves = metrics.counter("table_moves_total", "Moves.", ("game",))
    moves.labels("arzoi").inc(3)
    status, body = await fetch(exposed.address, get("/metrics"))
    assert status == "HTTP/1.1 200 OK"
    samples = {
        (sample.name, sample.labels.get("game")): sample.value
        for family in text_string_to_metric_families(body.decode())
        for sample in family.samples
    }
    assert samples["levata_table_moves_total", "arzoi"] == 3
    assert ("process_resident_memory_bytes", None) in samples
    await exposed.close()


async def test_probes_tell_life_and_readiness_apart(metrics: Metrics, exposed: Exposition) -> None:
    assert (await fetch(exposed.address, get("/livez")))[0] == "HTTP/1.1 200 OK"
    assert (await fetch(exposed.address, get("/readyz")))[0] == "HTTP/1.1 503 Service Unavailable"
    metrics.ready.set(1)
    assert (await fetch(exposed.address, get("/readyz?full"))) == ("HTTP/1.1 200 OK", b"ready\n")
    await exposed.close()


async def test_nonsense_is_answered_or_ended_and_harms_nobody(exposed: Exposition) -> None:
    assert (await fetch(exposed.address, get("/secrets")))[0] == "HTTP/1.1 404 Not Found"
    post = b"POST /metrics HTTP/1.1\r\n\r\n"
    assert (await fetch(exposed.address, post))[0] == "HTTP/1.1 405 Method Not Allowed"
    assert await fetch(exposed.address, b"\x00\r\n\r\n") == ("", b"")
    assert await fetch(exposed.address, b"x" * 100_000) == ("", b"")
    status, body = await fetch(exposed.address, b"HEAD /livez HTTP/1.1\r\n\r\n")
    assert (status, body) == ("HTTP/1.1 200 OK", b"")
    await exposed.close()


async def test_closing_ends_also_those_who_say_nothing(exposed: Exposition) -> None:
    host, _, port = exposed.address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    await until(lambda: len(exposed._open) == 1)
    async with asyncio.timeout(5):
        await exposed.close()
        assert await reader.read() == b""
    with pytest.raises(OSError, match="Connect call failed"):
        await asyncio.open_connection(host, int(port))
    writer.close()


async def test_a_port_that_is_taken_is_said(metrics: Metrics, exposed: Exposition) -> None:
    with pytest.raises(OSError, match="in use"):
        await Exposition(metrics, lambda: True).start(exposed.address)
    await exposed.close()


def test_services_in_one_process_have_registries_of_their_own() -> None:
    one, other = Metrics("one"), Metrics("other")
    one.rpc_started.labels("/x").inc()
    assert one.value("levata_rpc_started_total", method="/x") == 1
    assert other.value("levata_rpc_started_total", method="/x") == 0
    assert REGISTRY.get_sample_value("levata_rpc_started_total", {"method": "/x"}) is None


async def test_a_blocked_loop_is_seen(metrics: Metrics) -> None:
    import time

    watch = asyncio.create_task(metrics.watch_loop(0.01))
    await asyncio.sleep(0.02)
    time.sleep(0.2)  # noqa: ASYNC251 - to block the loop is the point
    await until(lambda: metrics.value("levata_loop_lag_seconds_sum") > 0.1)
    watch.cancel()
