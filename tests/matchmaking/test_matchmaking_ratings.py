"""Ratings as the ledger tells them: kept, put on the tickets that wait, and what they do to who plays with whom."""

import asyncio
import random
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from services.ledger.skill import UNKNOWN
from services.matchmaking.lease import Lease
from services.matchmaking.queues import QUEUES
from services.matchmaking.service import bind
from services.matchmaking.settings import MatchmakingSettings
from services.matchmaking.store import Store
from services.matchmaking.tickets import NEWCOMER_MEAN, Rating, Ticket
from services.matchmaking.waves import RATING_POINTS, Waiting, choose
from shared.bus import Bus
from shared.client import Addresses, Club, new_request_id
from shared.gen.levata.ledger.v1 import ledger_pb2
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2 as pb
from shared.harness import Service
from shared.metrics import Metrics
from shared.settings import ServiceSettings
from tests.support import services
from tests.support.nats import NatsServer
from tests.support.recorded_tables import RecordedTables
from tests.support.waiting import until

QUEUE = "arzoi-3"


class Hall:
    """A matchmaking service, and a ledger that tells ratings.

    Attributes:
        service: The service.
        bus: A connection that may do everything.
        store: What the service keeps.
    """

    def __init__(self, club: services.Club, service: Service, bus: Bus) -> None:
        self.service = service
        self.bus = bus
        self.store = Store(bus, 3600)
        self._club = club

    async def tell(self, number: int, means: dict[str, float], game: str = "arzoi") -> None:
        """Tells ratings as the ledger does, under the number that they have in the game."""
        ratings = [ledger_pb2.Rating(player_id=who, game=game, mean=mean) for who, mean in means.items()]
        message = ledger_pb2.RatingsChanged(match_id=f"m-{number}", game=game, ratings=ratings, number=number)
        await self.bus.publish(f"ledger.ratings.{game}", message.SerializeToString())

    async def take(self, player: str, queue: str = QUEUE) -> None:
        """Takes a ticket."""
        token = self._club.issuer.token(player, player.title())
        async with Club.connect(Addresses(matchmaking=self.service.address), token=token) as client:
            request = pb.CreateTicketRequest(request_id=new_request_id(), queue_id=queue)
            await client.matchmaking.CreateTicket(request)

    async def ticket(self, player: str) -> Ticket:
        """A player's last ticket."""
        return (await self.store.wallet(player)).value.tickets[-1]

    async def has(self, player: str, mean: float, number: int) -> None:
        """Waits until a player's last ticket has this rating."""

        async def rated() -> bool:
            return (await self.ticket(player)).rating == Rating(mean=mean, number=number)

        await until(rated, what=f"{player} is rated {mean} by message {number}")

    async def all_read(self) -> None:
        """Waits until the service has done with everything that was told."""

        async def read() -> bool:
            info = await self.bus.js.consumer_info("LEDGER", "matchmaking")
            return (info.num_pending, info.num_ack_pending) == (0, 0)

        await until(read)

    def count(self, name: str, **labels: str) -> float:
        """What the service has counted."""
        return self.service.harness.metrics.value(f"levata_matchmaking_{name}", **labels)


@pytest.fixture
async def hall(nats: NatsServer, tables: RecordedTables, clock: Any, tmp_path: Path) -> AsyncIterator[Hall]:
    """One whose clock stands still: nobody gets a table but by being one of a full group."""

    async def bound(harness: Any, settings: MatchmakingSettings) -> None:
        await bind(harness, settings, clock)

    async with services.club(nats, tmp_path / "keys") as club:
        bus = await Bus.connect(ServiceSettings(nats_url=nats.url), Metrics("test"), "test")
        service = await club.start(
            "matchmaking",
            MatchmakingSettings,
            bound,
            table_address=tables.address,
            wave_seconds=0.05,
            lease_seconds=1.0,
        )
        await until(service.check_readiness)
        yield Hall(club, service, bus)
        await bus.close()


def test_a_newcomer_is_rated_as_the_ledger_rates_one() -> None:
    assert Rating().mean == NEWCOMER_MEAN == UNKNOWN.mean


async def test_a_ticket_bears_the_rating_that_was_told_last_before_it_was_taken(hall: Hall) -> None:
    await hall.tell(1, {"ana": 31.0, "ion": 19.0})
    await hall.tell(2, {"ana": 32.0})
    await hall.all_read()
    for player in ("ana", "ion"):
        await hall.take(player)
    assert (await hall.ticket("ana")).rating == Rating(mean=32.0, number=2)
    assert (await hall.ticket("ion")).rating == Rating(mean=19.0, number=1)
    await hall.take("maria", "arzoi-4")
    assert (await hall.ticket("maria")).rating == Rating()


async def test_the_rating_of_a_ticket_that_waits_follows_what_is_told(hall: Hall) -> None:
    await hall.take("ana")
    for number, mean in ((1, 27.5), (2, 29.25)):
        await hall.tell(number, {"ana": mean, "somebody without a ticket": 20.0})
        await hall.has("ana", mean, number)
    assert hall.count("tickets_rerated_total", queue=QUEUE) == 2
    assert (await hall.ticket("ana")).status == "waiting"


async def test_what_is_older_or_comes_again_or_is_of_another_game_changes_nothing(hall: Hall) -> None:
    await hall.take("ana")
    await hall.tell(5, {"ana": 30.0})
    await hall.has("ana", 30.0, 5)
    before = await hall.store.wallet("ana")
    await hall.tell(4, {"ana": 20.0})
    await hall.tell(5, {"ana": 30.0})
    await hall.tell(9, {"ana": 10.0}, game="rentz")
    await hall.all_read()
    assert await hall.store.wallet("ana") == before
    assert hall.count("ratings_total", outcome="old") == 2
    assert hall.count("ratings_total", outcome="newer") == 2
    assert (await hall.store.rating("rentz", "ana")).value == Rating(mean=10.0, number=9)


async def test_a_rating_that_was_kept_by_a_process_which_then_died_still_comes_to_the_ticket(hall: Hall) -> None:
    await hall.take("ana")
    await hall.store.put_rating("arzoi", "ana", Rating(mean=33.0, number=7), 0)
    await hall.tell(7, {"ana": 33.0})  # delivered again, to who lives
    await hall.has("ana", 33.0, 7)


@pytest.mark.parametrize("seed", range(3))
async def test_whichever_comes_first_a_ticket_and_a_rating_find_each_other(hall: Hall, seed: int) -> None:
    """Tickets are taken while ratings of the same people are told out of order, some of them twice."""
    chance = random.Random(seed)
    people = [f"player-{number}" for number in range(12)]
    numbers = [*range(1, 9), 3, 8]
    chance.shuffle(numbers)
    taking = asyncio.gather(*(hall.take(player, "arzoi-9") for player in people[:8]))
    for number in numbers:
        await hall.tell(number, dict.fromkeys(people, 20.0 + number))
    await taking
    await hall.all_read()
    for player in people[:8]:
        assert (await hall.ticket(player)).rating == Rating(mean=28.0, number=8)


async def test_who_plays_alike_by_the_newest_ratings_is_seated_together(hall: Hall, tables: RecordedTables) -> None:
    """The queue is not matched while another holds its lease; what is told meanwhile decides who plays with whom."""
    await hall.tell(1, dict.fromkeys(("ana", "bogdan", "corina"), 35.0))
    await hall.all_read()

    async def leading() -> bool:
        return hall.count("leading", queue=QUEUE) == 1

    await until(leading)
    other = Lease(hall.bus, f"matchmaking.{QUEUE}", "another", 10.0)
    await hall.bus.js.purge_stream("KV_LEASES", subject=f"$KV.LEASES.matchmaking.{QUEUE}")
    await other.acquire()

    async def replaced() -> bool:
        return hall.count("leading", queue=QUEUE) == 0

    await until(replaced)
    for player in ("ana", "dan", "bogdan", "elena", "corina", "florin"):
        await hall.take(player)
    # By what was known when they took their tickets, these three would sit together: they played alike.
    await hall.tell(2, {"ana": 20.0, "dan": 20.5, "florin": 19.0, "bogdan": 34.0, "elena": 33.0, "corina": 35.0})
    await hall.has("corina", 35.0, 2)
    await hall.has("florin", 19.0, 2)
    await other.release()

    async def seated() -> bool:
        return len(tables.tables_of()) == 6

    await until(seated)
    together = {frozenset(player.player_id for player in request.players) for request in tables.requests}
    assert together == {frozenset({"ana", "dan", "florin"}), frozenset({"bogdan", "elena", "corina"})}


async def test_what_is_no_rating_becomes_a_dead_letter_and_holds_up_nobody(hall: Hall) -> None:
    await hall.take("ana")
    await hall.bus.publish("ledger.ratings.arzoi", b"\xff\xff")
    await hall.bus.publish("ledger.ratings.arzoi", ledger_pb2.RatingsChanged(game="arzoi").SerializeToString())
    await hall.tell(1, {"ana": 28.0})
    await hall.has("ana", 28.0, 1)
    letters = await hall.bus.read_subject("DEAD", "dead.LEDGER.matchmaking")
    assert len(letters) == 2


def waiting(name: str, created: int, mean: float) -> Waiting:
    rating = Rating(mean=mean)
    ticket = Ticket(id=name, request_id=name, queue_id=QUEUE, created=created, rating=rating)
    return Waiting(name, name, ticket)


@pytest.mark.parametrize(("seconds", "beside"), [(9, "near"), (11, "far")])
def test_a_second_of_waiting_makes_good_what_a_distance_takes(seconds: int, beside: str) -> None:
    seed = waiting("seed", 0, 25.0)
    near = waiting("near", 20_000, 25.0)
    far = waiting("far", 20_000 - seconds * 1000, 25.0 + 10 / RATING_POINTS)
    (group, *_) = choose([seed, near, far], 2, 60_000, 25_000, 10)
    assert [one.player for one in group] == ["seed", beside]


def test_every_queue_is_of_a_game_that_the_ledger_may_rate() -> None:
    assert {queue.options.game.WhichOneof("game") for queue in QUEUES} == {"arzoi", "whist", "rentz", "remi"}
