"""A club in which everything has happened once that is counted, as Prometheus sees it: every job and its page."""

import contextlib
from collections.abc import Mapping
from pathlib import Path

import grpc
import pytest

from shared.client import Addresses, ClubError, new_request_id
from shared.gen.levata.bot.v1 import bot_pb2
from shared.gen.levata.ledger.v1 import identity_pb2
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2
from shared.gen.levata.table.v1 import arzoi_pb2, game_pb2, table_pb2
from tests.support import nats_figures
from tests.support.edge import edge_before
from tests.support.full_club import full_club
from tests.support.guests import Guest, guest
from tests.support.nats import free_port
from tests.support.nats_figures import get
from tests.support.proofs import posted
from tests.support.waiting import until

SERVICES = ("table", "matchmaking", "bot", "ledger")


async def pages(folder: Path) -> Mapping[str, str]:
    """Starts a club with an edge before it, plays a match there, and says what each job tells Prometheus."""
    monitor = f"127.0.0.1:{free_port()}"
    async with (
        full_club(folder, matchmaking={"limit_seconds": 0.5}, nats_more=f'http: "{monitor}"') as club,
        edge_before(club, folder / "edge") as door,
        guest(Addresses(door.address, door.address, door.address, door.address), "Ana") as ana,
    ):
        await _play(ana)
        await until(lambda: club.service("table").metrics.value("levata_stream_copies", stream="TABLES") == 1)
        told = {name: await get(f"http://{club.service(name).metrics_address}/metrics") for name in SERVICES}
        told["nats"] = await nats_figures.page(monitor)
        await club.service("bot").stop()  # and so there is something that the edge cannot pass on
        with contextlib.suppress(ClubError, grpc.aio.AioRpcError):
            await ana.club.bots.ListPersonas(bot_pb2.ListPersonasRequest(), timeout=5)
        told["edge"] = await get(f"http://{door.metrics_address}/metrics")
    return told


async def _play(ana: Guest) -> None:
    """From a ticket to a result in the ledger, and what is refused."""
    request = matchmaking_pb2.CreateTicketRequest(request_id=new_request_id(), queue_id="arzoi-3")
    ticket = (await ana.club.matchmaking.CreateTicket(request)).ticket
    table_id = [seen async for seen in ana.club.watch_ticket(ticket.ticket_id)][-1].table_id
    table = await ana.play(table_id)
    await posted(ana, table.match_id)
    action = game_pb2.GameAction(arzoi=arzoi_pb2.ArzoiAction(play="AH"))
    with pytest.raises(ClubError, match="NOT_PLAYING"):
        await ana.club.tables.SubmitAction(
            table_pb2.SubmitActionRequest(request_id=new_request_id(), table_id=table_id, action=action)
        )
    with pytest.raises(ClubError, match="REFRESH_INVALID"):
        await ana.club.identity.RefreshTokens(
            identity_pb2.RefreshTokensRequest(request_id=new_request_id(), refresh_token="x" * 43)
        )
