"""What callers are told while something that the services need does not answer."""

from pathlib import Path

import grpc

from shared.messages import TEXTS
from tests.support.contract import METHODS, named
from tests.support.good_requests import Place, good
from tests.support.nats import NatsServer
from tests.support.statuses import Told
from tests.support.table_service import fresh
from tests.support.whole_club import WholeClub, whole_club

CHANGES = [
    ("JoinTable", "Dan"),
    ("StartTable", "Ana"),
    ("StopTable", "Ana"),
    ("UpdateTable", "Ana"),
    ("SendChat", "Ana"),
    ("MutePlayer", "Ana"),
    ("RemovePlayer", "Ana"),
    ("LeaveTable", "Bogdan"),
]
"""Of a table that waits: who makes each."""


def check(told: Told) -> None:
    """It is not the caller's fault, and will pass."""
    assert (told.code, told.reason, told.domain) == (grpc.StatusCode.UNAVAILABLE, "DEPENDENCY_DOWN", "levata")
    assert told.text == TEXTS["DEPENDENCY_DOWN"].en
    assert told.retry_seconds is not None
    assert told.retry_seconds > 0


async def test_without_nats_changes_are_refused_for_now(nats: NatsServer, tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'ledger.db'}"
    async with whole_club(nats, tmp_path, database, publish_seconds=0.5) as house:
        table = await house.table("Ana", "Bogdan", seats=4, start=False)
        playing = await house.table("Ana", "Bogdan", "Carmen")
        seen = await house.see(table, "Ana")
        await nats.kill()
        for rpc, who in CHANGES:
            check(await house.refused(rpc, good(named(rpc), Place(table)), metadata=house.me(who)))
        submit = good(named("SubmitAction"), Place(playing))
        check(await house.refused("SubmitAction", submit, metadata=house.me("Ana")))
        check(await house.refused("CreateTable", good(named("CreateTable")), metadata=house.me("Ana")))
        check(await house.refused("CreateTicket", good(named("CreateTicket")), metadata=house.me("Ana")))
        await the_ledger_answers(house)
        await nats.start()
        after = None
        while after is None:
            try:
                after = await house.see(table, "Ana")
            except grpc.aio.AioRpcError as error:
                assert error.code() is grpc.StatusCode.UNAVAILABLE  # noqa: PT017 - until it is there again
        assert (after.revision, after.table) == (seen.revision, seen.table)


async def the_ledger_answers(house: WholeClub) -> None:
    """It needs NATS for none of its RPCs."""
    for method in METHODS.values():
        if method.home != "ledger":
            continue
        try:
            await house.call(method, good(method), metadata=house.me(fresh("Someone")))
        except grpc.aio.AioRpcError as error:
            assert error.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL)  # noqa: PT017
