"""The flows that are allowed, held against those of a real run: nothing is missing, and nothing is spare.

The whole club runs: NATS with its users and accounts, the four services, an edge, a database, and people who do all
that people do; servers are killed, and come back. What each user of NATS publishes and hears is read in the trace of
the server; which process is connected to which other's port is read in the kernel.
"""

import asyncio
import contextlib
import dataclasses
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec
import pytest
import pytest_asyncio

from deploy.kubernetes import builds
from deploy.kubernetes.builds import Build
from deploy.kubernetes.flows import ANYONE, Flow, allowed
from deploy.kubernetes.workloads import selects, workloads
from deploy.local.readiness import answers_http
from deploy.nats.provision import provision
from shared import roll_call, streams
from shared.bus import Bus
from shared.client import Addresses, new_request_id
from shared.gen.levata.bot.v1 import bot_pb2
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2
from shared.gen.levata.table.v1 import table_pb2
from shared.metrics import Metrics
from shared.settings import ServiceSettings
from tests.support.chaos_club import ChaosClub, chaos_club
from tests.support.connections import Watch
from tests.support.guests import Guest, guest
from tests.support.local_club import free_ports
from tests.support.nats_grants import grants, lacking, spare
from tests.support.nats_trace import Done, read_trace, traced_server
from tests.support.postgres import postgres_server
from tests.support.proofs import posted
from tests.support.waiting import until

pytestmark = [pytest.mark.soak, pytest.mark.timeout(600)]
in_the_loop_of_the_run = pytest.mark.asyncio(loop_scope="module")

SERVICES = ("table", "matchmaking", "bot", "ledger")
COMMANDS = {"operator", "backup", "restore"}
"""Users of commands that somebody gives, whose own tests show that they may do what they do."""
UNUSED = {
    # Of the notes there only the headers are read, so that even 2,500 of them are no reason to ask whether the reader
    # keeps up. Without an answer, reading would end for ever at as many as are.
    ("table", "$JS.FC.KV_PRESENCE.>"),
}
"""What is granted and cannot be made use of here, by user."""

UNSEEN: Mapping[str, frozenset[Flow]] = {
    "the operator of PostgreSQL does not run, and there is one server of it": frozenset(
        [
            *(Flow(source, "postgres", port) for source in ("postgres", "postgres operator") for port in (5432, 8000)),
            *(Flow("postgres", ANYONE, port) for port in (443, 6443)),
            Flow("prometheus", "postgres", 9187),
        ]
    ),
    "there is one server of NATS; three are in test_nats_cluster.py": frozenset([Flow("nats", "nats", 6222)]),
    "nothing is restored into a club that runs": frozenset([Flow("restore", "postgres", 5432)]),
}
"""Flows that are allowed and of which nothing is to be seen here, by the reason. Names are looked up nowhere here."""

TEST = "test"
"""This process: it stands for people, who come to the edge, and for Prometheus."""
SCRAPED = ("metrics", "figures", "exporter")


@dataclass
class Run:
    """What was seen.

    Attributes:
        done: What each user of NATS did.
        connections: Who was connected to which port here.
        ports: The workload and the name of its port that a port here stands for.
    """

    done: Mapping[str, Done]
    connections: frozenset[tuple[str, int]]
    ports: Mapping[int, tuple[str, str]]

    def flows(self, build: Build) -> frozenset[Flow]:
        """The connections, between the workloads of a build and at their ports."""
        numbers = {
            (one.name, port["name"]): port["containerPort"]
            for one in workloads(build)
            for container in one.containers
            for port in container.get("ports", ())
        }
        # PostgreSQL is the operator's; beside a server of NATS an exporter asks it, and is asked.
        numbers |= {("postgres", "sql"): 5432, ("nats", "exporter"): 7777}
        found = set()
        for source, port in self.connections:
            if port not in self.ports:
                continue
            target, name = self.ports[port]
            if source == TEST:
                source = ANYONE if target == "edge" and name == "club" else "prometheus"
                if source == "prometheus" and name not in SCRAPED:
                    continue  # it looks after the run
            found.add(Flow(source, target, numbers[target, name]))
        return frozenset(found)


class Director:
    """Lets everything happen that happens in a club."""

    def __init__(self, club: ChaosClub, door: str, stack: contextlib.AsyncExitStack) -> None:
        self.club = club
        self._door = door
        self._stack = stack

    async def person(self, name: str) -> Guest:
        """Somebody who comes in by the edge."""
        return await self._stack.enter_async_context(
            guest(Addresses(self._door, self._door, self._door, self._door), name)
        )

    async def bus(self, user: str) -> Bus:
        """A connection of the test's own as a user of NATS; the services are called otherwise."""
        made = await Bus.connect(self.settings(user), Metrics(TEST), TEST)
        self._stack.push_async_callback(made.close)
        return made

    def settings(self, user: str) -> ServiceSettings:
        """Those of a user of NATS."""
        password = msgspec.json.decode((self.club.state / "keys" / "nats-passwords.json").read_bytes())[user]
        url = f"nats://127.0.0.1:{self.club.ports['LEVATA_NATS_PORT']}"
        return ServiceSettings.model_validate({"nats_url": url, "nats_user": user, "nats_password": password})

    def environment(self, user: str) -> dict[str, str]:
        """What a process is told that is to be a user of NATS."""
        settings = self.settings(user)
        assert settings.nats_password is not None
        return {
            "LEVATA_NATS_URL": settings.nats_url,
            "LEVATA_NATS_USER": user,
            "LEVATA_NATS_PASSWORD": settings.nats_password.get_secret_value(),
        }

    async def direct(self) -> None:
        """All of it."""
        ana, ion, maria = [await self.person(name) for name in ("Ana", "Ion", "Maria")]
        await self.rated_match(ana, ion, maria)
        await self.what_cannot_be_handled()
        await self.roll_call()
        await self.changes()
        await self.crashes()
        await self.clocks(maria)

    async def rated_match(self, ana: Guest, ion: Guest, maria: Guest) -> None:
        """Two people find each other, talk and play to the end; somebody watches; both are rated."""
        tickets = [await self._ticket(one) for one in (ana, ion)]
        tables = {[seen async for seen in one.club.watch_ticket(ticket)][-1].table_id for one, ticket in tickets}
        (table,) = tables
        watching = asyncio.create_task(self._watch(maria, table))
        await ana.club.bots.ListPersonas(bot_pb2.ListPersonasRequest())
        async with ana.club.play(table) as session:
            await session.say("Noroc!")
            at_end, _ = await asyncio.gather(ana.play_on(session), ion.play(table))
        await posted(ana, at_end.match_id)
        await watching
        bus = await self.bus("operator")

        async def rated() -> bool:
            return (await bus.js.stream_info("LEDGER")).state.messages > 0

        await until(rated, what="the ratings are told")

    async def _ticket(self, one: Guest) -> tuple[Guest, str]:
        request = matchmaking_pb2.CreateTicketRequest(request_id=new_request_id(), queue_id="remi-2")
        return one, (await one.club.matchmaking.CreateTicket(request)).ticket.ticket_id

    async def _watch(self, one: Guest, table: str) -> None:
        async for update in one.club.watch(table):
            if update.table.status == table_pb2.TABLE_STATUS_FINISHED:
                return

    async def what_cannot_be_handled(self) -> None:
        """Every consumer is given what it has to put aside."""
        table, ledger, operator = [await self.bus(user) for user in ("table", "ledger", "operator")]
        await table.publish("bot.turns.nobody", b"\xff")
        await table.publish("results.arzoi", b"\xff")
        await ledger.publish("ledger.ratings.arzoi", b"\xff")
        past = {"Nats-Schedule": "@at 2020-01-01T00:00:00Z", "Nats-Schedule-Target": "tables.due.nobody"}
        await table.publish("tables.timer.nobody", b"no time", headers=past)
        for one in streams.CONSUMERS.values():
            letter = f"dead.{one.stream}.{one.name}"

            async def put_aside(letter: str = letter) -> bool:
                return await operator.last("DEAD", letter) is not None

            await until(put_aside, seconds=60, what=letter)

    async def roll_call(self) -> None:
        """An operator hails the servers."""
        operator = await self.bus("operator")
        heard: set[str] = set()

        async def hear(message: object) -> None:
            heard.add(str(getattr(message, "subject", "")))

        await operator.nc.subscribe(f"{roll_call.HERE}.*", cb=hear)
        await operator.nc.flush()
        await operator.nc.publish(roll_call.HAIL, b"")
        await until(lambda: heard == {f"{roll_call.HERE}.{kind}" for kind in SERVICES}, what="all answer")

    async def changes(self) -> None:
        """A new version brings other limits, and the next takes them back."""
        settings = self.settings("provisioner")
        dead, bots = streams.STREAMS["DEAD"], streams.CONSUMERS["bots"]
        with pytest.MonkeyPatch.context() as patched:
            changed = dataclasses.replace(dead, max_age=streams.DAY)
            slower = dataclasses.replace(bots, ack_wait=5.0)
            patched.setattr(streams, "STREAMS", {**streams.STREAMS, "DEAD": changed})
            patched.setattr(streams, "CONSUMERS", {**streams.CONSUMERS, "bots": slower})
            await provision(settings)
        await provision(settings)

    async def crashes(self) -> None:
        """So much is in the lobby that who reads it is asked to say that it keeps up; all servers are killed."""
        table = await self.bus("table")
        large = [f"$KV.LOBBY.large{number}" for number in range(4)]
        for subject in large:
            await table.publish(subject, b"." * 400_000)
        await self.club.kill(SERVICES)
        for subject in large:
            await table.publish(subject, b"", headers=streams.REMOVED)
        await self.club.kill(["nats"])

    async def clocks(self, maria: Guest) -> None:
        """Somebody opens a table and never moves: the clock runs out, and when all have left the table goes."""
        table = await maria.open_table(3, clock=table_pb2.Clock(choose_seconds=1))
        async with maria.club.play(table) as session:
            await maria.start(table)
            async for update in session:
                if any(event.HasField("clock_expired") for event in update.events):
                    break
            request = table_pb2.StopTableRequest(request_id=new_request_id(), table_id=table)
            await maria.club.tables.StopTable(request)
            async for _ in session:
                pass  # until it is closed


@contextlib.contextmanager
def stopped(process: int) -> Iterator[None]:
    """A server stands still until the end of the block: who connects to it waits, and can be seen."""
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


def scraped(build: Build) -> Iterable[tuple[str, str]]:
    """The workloads that Prometheus is told to ask, and the names of their ports."""
    for monitor in build.of("PodMonitor"):
        for one in workloads(build):
            if selects(monitor["spec"]["selector"], one.labels):
                yield from ((one.name, endpoint["port"]) for endpoint in monitor["spec"]["podMetricsEndpoints"])


@contextlib.asynccontextmanager
async def asked_for_figures(ports: Iterable[int]) -> AsyncIterator[None]:
    """Connects to servers as Prometheus does, and at the end of the block asks for their figures."""
    async with contextlib.AsyncExitStack() as stack:
        opened = [await asyncio.open_connection("127.0.0.1", port) for port in ports]
        for _, writer in opened:
            stack.callback(writer.close)
        yield
        for reader, writer in opened:
            writer.write(b"GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n")
            assert (await asyncio.wait_for(reader.readline(), 10)).startswith(b"HTTP/1.1 ")


@pytest.fixture(scope="module")
def overlays(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Build]:
    """The overlays as they are built."""
    root = builds.copy(builds.DEPLOY, tmp_path_factory.mktemp("manifests") / "deploy")
    return {build.name: build for build in builds.combinations(root, ["local", "production"])}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def run(tmp_path_factory: pytest.TempPathFactory, overlays: dict[str, Build]) -> Run:
    folder = tmp_path_factory.mktemp("run")
    door, figures = free_ports(2)
    names = {os.getpid(): TEST}
    clubs: list[ChaosClub] = []

    def processes() -> dict[int, str]:
        return {**names, **{one.pid: name for club in clubs for name, one in club.supervisor.children().items()}}

    async def job(name: str, command: Sequence[str], environment: Mapping[str, str], code: int = 0) -> None:
        """Runs a job of the cluster to its end."""
        done = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", *command),
            env={**os.environ, **environment, "LEVATA_LOG_LEVEL": "warning"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        names[done.pid] = name
        said, _ = await asyncio.wait_for(done.communicate(), 60)
        assert done.returncode == code, said.decode()

    watch = Watch(processes)
    async with postgres_server() as postgres, contextlib.AsyncExitStack() as stack:
        watching = asyncio.create_task(watch.run())
        stack.callback(watching.cancel)
        url = await postgres.create_database("ledger")
        await job("migrate", ["services.ledger", "migrate"], {"LEVATA_DATABASE_URL": url})
        variables = {
            "LEVATA_NATS_SERVER": str(traced_server(folder)),
            "LEVATA_DATABASE_URL": url,
            "LEVATA_EDGE": "true",
            "LEVATA_EDGE_PORT": str(door),
            "LEVATA_EDGE_METRICS_PORT": str(figures),
            "LEVATA_KEEP_SECONDS": "1",
            "LEVATA_NATS_SYNC_INTERVAL": "2m",
        }
        club = await stack.enter_async_context(chaos_club(folder / "state", 1, **variables))
        clubs.append(club)
        nats = int(club.ports["LEVATA_NATS_PORT"])
        ports = {
            door: ("edge", "club"),
            figures: ("edge", "figures"),
            postgres.port: ("postgres", "sql"),
            nats: ("nats", "client"),
            int(club.ports["LEVATA_NATS_MONITOR_PORT"]): ("nats", "exporter"),
            **{int(club.address(name).rpartition(":")[2]): (name, "grpc") for name in SERVICES},
            **{int(club.metrics_address(name).rpartition(":")[2]): (name, "metrics") for name in SERVICES},
        }
        director = Director(club, f"127.0.0.1:{door}", stack)
        await director.direct()
        servers = {"nats": nats, "postgres": postgres.port}

        async def job_at(
            server: str, name: str, command: Sequence[str], environment: Mapping[str, str], code: int = 0
        ) -> None:
            """Runs a job while the server that it connects to stands still, until the connection has been seen."""
            process = postgres.pid if server == "postgres" else club.supervisor.children()[server].pid
            with stopped(process):
                running = asyncio.create_task(job(name, command, environment, code))
                await until(lambda: (name, servers[server]) in watch.seen, seconds=60, what=f"{name} at {server}")
            await running

        await job_at("nats", "provision", ["deploy.nats"], director.environment("provisioner"))
        console = {**director.environment("operator"), "LEVATA_DATABASE_URL": url}
        await job_at("nats", "console", ["deploy.admin", "audit"], console)
        await job_at("postgres", "console", ["deploy.admin", "totals", "check"], console)
        backup = {**director.environment("backup"), "LEVATA_DATABASE_URL": url}
        for server in servers:
            await job_at(server, "backup", ["deploy.backup", "backup", str(folder / f"backup {server}")], backup)
        restore = {**director.environment("restore"), "LEVATA_DATABASE_URL": url}
        await job_at("nats", "restore", ["deploy.backup", "restore", str(folder / "backup nats")], restore, code=1)
        keys = int(club.metrics_address("ledger").rpartition(":")[2])
        with stopped(club.supervisor.children()["ledger"].pid):
            os.kill(club.supervisor.children()["edge"].pid, signal.SIGKILL)
            await until(lambda: ("edge", keys) in watch.seen, seconds=60, what="the edge asks for the keys")
        await until(lambda: answers_http(f"127.0.0.1:{figures}"), seconds=60, what="the edge is back")
        wanted = set(scraped(overlays["production"]))
        async with asked_for_figures(port for port, place in ports.items() if place in wanted):
            watch.look()
        assert not watching.done()
    return Run(read_trace(folder / "trace.log", (*SERVICES, "provisioner")), frozenset(watch.seen), ports)


@in_the_loop_of_the_run
async def test_nothing_is_refused_to_anybody(run: Run) -> None:
    assert set(run.done) == {*SERVICES, "provisioner"}
    assert {user: done.refused for user, done in run.done.items() if done.refused} == {}


@in_the_loop_of_the_run
@pytest.mark.parametrize("user", [user for user in grants() if user not in COMMANDS])
async def test_every_subject_is_granted_and_every_grant_is_used(run: Run, user: str) -> None:
    granted, done = grants()[user], run.done[user]
    assert names(lacking(granted.publish | granted.own, done.published)) == "", "published, and not granted"
    assert names(lacking(granted.subscribe | granted.own, done.subscribed)) == "", "subscribed to, and not granted"
    needed_at_times = {subject for one, subject in UNUSED if one == user}
    assert names(spare(granted.publish, done.published)) == names(needed_at_times), "granted, and never published"
    assert names(spare(granted.subscribe, done.subscribed)) == "", "granted, and never subscribed to"


@in_the_loop_of_the_run
@pytest.mark.parametrize("overlay", ["local", "production"])
async def test_every_connection_is_let_through_and_every_policy_lets_one_through(
    run: Run, overlays: dict[str, Build], overlay: str
) -> None:
    let = {flow for flow in allowed(overlays[overlay]) if flow.target != "dns"}
    seen = run.flows(overlays[overlay])
    unseen = frozenset[Flow]().union(*UNSEEN.values())
    assert names(seen - let) == "", "connections that no policy lets through"
    assert names(let - seen - unseen) == "", "policies that let through what nobody does"
    assert names(unseen & seen) == names(unseen - let) == "", "exceptions that are none"


def names(found: Iterable[object]) -> str:
    """All of them, for a message that leaves nothing out."""
    return ", ".join(sorted(map(str, found)))
