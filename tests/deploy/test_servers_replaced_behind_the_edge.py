"""Table servers are replaced behind the edge: neither an app nor a page notices, though a page tries nothing again."""

import asyncio
import contextlib
import json
import logging
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import grpc
import pytest

from shared.client import Addresses, ClubError, TableView, new_request_id
from shared.client.sequence import RevisionSequence
from shared.gen.levata.ledger.v1 import identity_pb2
from shared.gen.levata.table.v1 import table_pb2
from tests.support.deployments import DeployedClub, Manners, deployed_club
from tests.support.edge import Edge, edge
from tests.support.grpc_web import WebClient
from tests.support.guests import Accepted, Guest, guest, notation, options
from tests.support.proofs import check_accepted, read_log
from tests.support.waiting import until

TABLES = "levata.table.v1.TableService"
PAUSE_SECONDS = 0.2
"""Between two actions of a person while servers are being replaced."""
BACK_SECONDS = 0.2
"""A page opens its watch again after this."""


@dataclass
class Page:
    """Somebody who plays in a browser, by a watch that is opened again and calls that are not made again.

    Attributes:
        web: The connection.
        over: Nothing is replaced any more.
        accepted: What was accepted.
        breaks: How often the watch ended before the table did.
    """

    web: WebClient
    over: asyncio.Event
    accepted: list[Accepted] = field(default_factory=list)
    breaks: int = 0

    async def sign_in(self, name: str) -> None:
        """Makes an account."""
        request = identity_pb2.CreateGuestRequest(
            request_id=new_request_id(), name=name, device_secret=random.Random(name).randbytes(32)
        )
        answer = await self.web.call(
            "levata.ledger.v1.IdentityService/CreateGuest", request, identity_pb2.CreateGuestResponse
        )
        self.web.token = answer.tokens.access_token

    async def play(self, seats: int) -> table_pb2.Table:
        """Plays a match with bots."""
        create = table_pb2.CreateTableRequest(request_id=new_request_id(), options=options(seats))
        table = (await self.web.call(f"{TABLES}/CreateTable", create, table_pb2.CreateTableResponse)).table_id
        start = table_pb2.StartTableRequest(request_id=new_request_id(), table_id=table)
        await self.web.call(f"{TABLES}/StartTable", start, table_pb2.StartTableResponse)
        view, chance = TableView(), random.Random(3)
        async for update in self._watch(table):
            view.apply(update)
            if view.over:
                return view.table
            if not update.HasField("table") or (self.accepted and view.revision < self.accepted[-1].revision):
                continue
            if view.my_turn and not view.table.decision.by_bot:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self.over.wait(), PAUSE_SECONDS)
                action = chance.choice(list(view.private.legal_actions))
                submit = table_pb2.SubmitActionRequest(
                    request_id=new_request_id(), table_id=table, action=action, revision=view.revision
                )
                done = await self.web.call(f"{TABLES}/SubmitAction", submit, table_pb2.SubmitActionResponse)
                assert view.seat is not None
                self.accepted.append(Accepted(done.revision, view.seat, notation(action)))
        raise AssertionError("the table was closed before the match was over")

    async def _watch(self, table: str) -> AsyncIterator[table_pb2.Update]:
        """Every update once, over all breaks; none is missing, and none comes twice."""
        sequence = RevisionSequence()
        while True:
            request = table_pb2.WatchTableRequest(table_id=table, after_revision=sequence.last)
            try:
                async for message in self.web.stream(f"{TABLES}/WatchTable", request, table_pb2.WatchTableResponse):
                    if message.HasField("update"):
                        assert sequence.take(message.update)
                        yield message.update
                return
            except ClubError as error:
                if error.code is not grpc.StatusCode.UNAVAILABLE:
                    raise
                self.breaks += 1
            await asyncio.sleep(BACK_SECONDS)


@pytest.fixture
async def club(tmp_path: Path) -> AsyncIterator[DeployedClub]:
    manners = Manners(settle_seconds=2.5, leave_seconds=0.2, drain_seconds=20.0, linger_seconds=0.5)
    async with deployed_club(tmp_path, f"sqlite:///{tmp_path / 'ledger.db'}", {"table": 2}, manners) as running:
        yield running


@pytest.fixture
async def door(club: DeployedClub, tmp_path: Path) -> AsyncIterator[Edge]:
    (ledger,) = club.pods["ledger"]
    async with edge(tmp_path / "edge", club.upstreams(), ledger.metrics_address, resolvers=club.resolvers()) as running:
        await until(lambda: finds(running, "table", 2), 30, "the edge has found the table servers")
        await until(lambda: finds(running, "ledger", 1), 30, "the edge has found the ledger")
        yield running


async def finds(door: Edge, service: str, servers: int) -> bool:
    return await door.figure("envoy_cluster_membership_healthy", envoy_cluster_name=service) == servers


async def app_plays(app: Guest, over: asyncio.Event) -> table_pb2.Table:
    """Somebody plays with bots by our client library."""

    async def pause() -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(over.wait(), PAUSE_SECONDS)

    table = await app.open_table(3)
    await app.start(table)
    async with app.club.play(table) as session:
        return await app.play_on(session, before=pause)


@pytest.mark.timeout(200)
async def test_neither_app_nor_page_notices(club: DeployedClub, door: Edge, caplog: pytest.LogCaptureFixture) -> None:
    over = asyncio.Event()
    page = Page(WebClient(door.address), over)
    await page.sign_in("Ana")
    with caplog.at_level(logging.WARNING, "shared.client"):
        async with guest(Addresses.behind(door.address, tls=False), "Bogdan") as app, asyncio.TaskGroup() as tasks:
            plays = [tasks.create_task(page.play(3)), tasks.create_task(app_plays(app, over))]
            await until(lambda: bool(page.accepted and app.accepted), 60, "both play")
            await club.replace("table")
            # And one is gone without a word.
            pod = club.pods["table"][0]
            pod.process.kill()
            await until(lambda: len(page.accepted) > 3 and page.breaks >= 1, 60, "the page goes on")
            over.set()
    assert [record.getMessage() for record in caplog.records if record.name.startswith("shared.client")] == []
    ends = [play.result() for play in plays]
    assert [end.status for end in ends] == [table_pb2.TABLE_STATUS_FINISHED] * 2
    async with club.bus() as bus:
        log = await read_log(bus, ends[0].table_id)
        assert log.actions("player") == page.accepted
        log = await read_log(bus, ends[1].table_id)
        check_accepted(log, [app], ends[1].table_id)
    assert app.passed_by == 0
    # The page was refused nothing, and what went well for it was not logged as if it had not.
    logged = [json.loads(line) for line in door.log.read_text().splitlines() if line.startswith("{")]
    assert [line for line in logged if (line["origin"] and line["flags"] in ("-", "DC")) or line["code"] != 200] == []
