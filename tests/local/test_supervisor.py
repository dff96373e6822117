"""A whole club under its supervisor, with real processes."""

import asyncio
import os
import re
import shlex
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from shared.client import Addresses, Club, ClubError, MemoryStore, new_request_id
from shared.gen.levata.table.v1 import arzoi_pb2, game_pb2, table_pb2
from tests.support.local_club import port_variables
from tests.support.supervisor import SupervisorProcess, supervising, wait_until

SERVICES = ("table", "matchmaking", "bot", "ledger")
EVERYTHING = {"nats", *SERVICES}

pytestmark = pytest.mark.timeout(300)


def is_healthy(port: str) -> bool:
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        try:
            answer = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=2)
        except grpc.RpcError:
            return False
    return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


@pytest.fixture(scope="module")
def ports() -> dict[str, str]:
    return port_variables()


@pytest.fixture(scope="module")
def club(ports: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[SupervisorProcess]:
    # Blanks and quotes in a path are usual where people keep their things.
    with supervising(tmp_path_factory.mktemp("club") / 'my "state" here', ports) as supervisor:
        supervisor.wait_to_say("The club is up")
        yield supervisor


def test_every_service_serves_once_the_club_is_said_to_be_up(club: SupervisorProcess, ports: dict[str, str]) -> None:
    assert set(club.children()) == EVERYTHING
    for service in SERVICES:
        assert is_healthy(ports[f"LEVATA_{service.upper()}_PORT"]), service


def test_addresses_and_what_to_do_next_are_printed(club: SupervisorProcess, ports: dict[str, str]) -> None:
    for variable, port in ports.items():
        if "MONITOR" not in variable:
            assert f"127.0.0.1:{port}" in club.said(), variable
    here = f"LEVATA_STATE={shlex.quote(str(club.state))}"
    assert f"{here} make play" in club.said()
    assert f"{here} make demo" in club.said()


def test_clients_on_this_machine_find_the_addresses(club: SupervisorProcess, ports: dict[str, str]) -> None:
    script = (
        f"set -a; . {shlex.quote(str(club.state))}/run/addresses; echo $LEVATA_TABLE_ADDRESS $LEVATA_LEDGER_ADDRESS"
    )
    told = subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert told == [f"127.0.0.1:{ports['LEVATA_TABLE_PORT']}", f"127.0.0.1:{ports['LEVATA_LEDGER_PORT']}"]


def test_nobody_else_can_read_the_secrets(club: SupervisorProcess) -> None:
    keys = club.state / "keys"
    assert stat.S_IMODE(keys.stat().st_mode) == 0o700
    secret = {path.name: stat.S_IMODE(path.stat().st_mode) for path in keys.iterdir() if path.name != "jwks.json"}
    assert {"signing-key.pem", "turn.key", "nats-passwords.json", "service-table.jwt"} <= set(secret)
    assert set(secret.values()) == {0o600}


def test_no_secret_is_in_the_logs(club: SupervisorProcess) -> None:
    logs = b"".join(path.read_bytes() for path in (club.state / "logs").iterdir())
    assert b"serving" in logs
    for path in (club.state / "keys").glob("service-*.jwt"):
        assert path.read_bytes().strip() not in logs


def test_the_client_in_the_readme_plays(club: SupervisorProcess, ports: dict[str, str], tmp_path: Path) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    (tmp_path / "client.py").write_text(readme.partition("```python\n")[2].partition("```")[0])
    addresses = {
        f"LEVATA_{service.upper()}_ADDRESS": f"127.0.0.1:{ports[f'LEVATA_{service.upper()}_PORT']}"
        for service in SERVICES
    }
    played = subprocess.run(
        [sys.executable, str(tmp_path / "client.py")],
        env={**os.environ, **addresses},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert played.returncode == 0, played.stderr
    assert "action_taken" in played.stdout


@pytest.mark.parametrize("name", sorted(EVERYTHING))
def test_a_process_that_is_killed_is_started_again(name: str, club: SupervisorProcess, ports: dict[str, str]) -> None:
    before = club.children()[name]
    os.kill(before.pid, signal.SIGKILL)
    club.wait_to_say(f"{name} was killed by SIGKILL; starting it again")
    club.wait_to_say(f"{name} is back")
    assert club.children()[name].pid != before.pid
    wait_until(
        lambda: all(is_healthy(ports[f"LEVATA_{service.upper()}_PORT"]) for service in SERVICES), "all are healthy"
    )
    assert set(club.children()) == EVERYTHING


def test_a_second_supervisor_on_the_same_state_is_refused_and_told_why(
    club: SupervisorProcess, ports: dict[str, str]
) -> None:
    with supervising(club.state, ports) as second:
        assert second.ends() == 1
        assert f"already up from {club.state} (process {club.process.pid})" in second.said()
        assert "make down" in second.said()
    assert set(club.children()) == EVERYTHING


def test_a_second_club_on_the_same_ports_is_refused_and_told_how_to_choose_others(
    club: SupervisorProcess, ports: dict[str, str], tmp_path: Path
) -> None:
    with supervising(tmp_path / "other", ports) as second:
        assert second.ends() == 1
        for port in ports.values():
            assert f"Port {port}, for " in second.said()
        choice = second.said().splitlines()[-1]
        assert re.fullmatch(r"Choose others: (LEVATA_[A-Z_]+_PORT=\d+ )+make up", choice)
        assert {word.split("=")[0] for word in choice.split() if "=" in word} == set(ports)
        assert second.children() == {}
    assert set(club.children()) == EVERYTHING


async def begin(addresses: Addresses, store: MemoryStore) -> tuple[str, int]:
    """Makes a table against bots and decides once; returns the table and the revision."""
    async with Club.connect(addresses, store=store) as club:
        await club.sign_in_guest("Ana")
        game = game_pb2.GameOptions(arzoi=arzoi_pb2.ArzoiOptions())
        options = table_pb2.TableOptions(game=game, seats=3)
        made = await club.tables.CreateTable(table_pb2.CreateTableRequest(request_id=new_request_id(), options=options))
        await club.tables.StartTable(table_pb2.StartTableRequest(request_id=new_request_id(), table_id=made.table_id))
        return made.table_id, await decide(club, made.table_id)


async def go_on(addresses: Addresses, store: MemoryStore, table_id: str) -> int:
    """Comes back to the table and decides once; returns the revision."""
    async with Club.connect(addresses, store=store) as club:
        await club.sign_in_again()
        return await decide(club, table_id)


async def decide(club: Club, table_id: str) -> int:
    """Waits for the player's turn, plays a legal action, and returns the revision that it made."""
    async with asyncio.timeout(120), club.play(table_id) as session:
        async for _ in session:
            if session.view.my_turn:
                try:
                    return await session.act(session.private.legal_actions[0])
                except ClubError as error:  # a bot had still the seat, and was faster
                    if error.reason not in ("STALE_REVISION", "BOT_DECIDES", "NOT_YOUR_TURN"):
                        raise
    raise AssertionError("the table was closed")


def test_a_game_goes_on_however_the_club_is_stopped_and_nothing_is_left_running(tmp_path: Path) -> None:
    own = port_variables(copies=2)
    state, store = tmp_path / "state", MemoryStore()
    addresses = Addresses.from_environment(
        {f"LEVATA_{name.upper()}_ADDRESS": f"127.0.0.1:{own[f'LEVATA_{name.upper()}_PORT']}" for name in SERVICES}
    )

    with supervising(state, own) as supervisor:
        supervisor.wait_to_say("The club is up")
        table_id, first = asyncio.run(begin(addresses, store))
        started = supervisor.children()
        supervisor.interrupt()
        assert supervisor.ends() == 0
        assert supervisor.said().endswith("Stopped.\n")
        assert not any(process.is_alive() for process in started.values())
        assert not (state / "run" / "addresses").exists()

    with supervising(state, own) as supervisor:
        supervisor.wait_to_say("The club is up")
        second = asyncio.run(go_on(addresses, store, table_id))
        assert second > first
        started = supervisor.children()
        supervisor.process.kill()
        supervisor.ends()
        if sys.platform == "linux":  # elsewhere the next supervisor ends them
            wait_until(lambda: not any(process.is_alive() for process in started.values()), "the orphans end", 20)

    with supervising(state, own, "up", "--detach", "--tables", "2", "--bots", "2") as starting:
        assert starting.ends() == 0, starting.said()
        assert "The club is up" in starting.said()
        assert set(starting.children()) == EVERYTHING | {"table-2", "bot-2"}
        for service in ("TABLE", "BOT"):
            another = int(own[f"LEVATA_{service}_PORT"]) + 10
            assert is_healthy(str(another))
            assert f"127.0.0.1:{another}" in starting.said()
        assert asyncio.run(go_on(addresses, store, table_id)) > second
        started = starting.children()
        with supervising(state, own, "down") as stopping:
            assert stopping.ends() == 0, stopping.said()
            assert stopping.said() == "Stopped.\n"
        assert not any(process.is_alive() for process in started.values())

    with supervising(state, own, "down") as stopping:
        assert stopping.ends() == 0
        assert stopping.said() == "The club is not up.\n"


def test_a_port_that_is_taken_is_named_before_anything_starts(tmp_path: Path) -> None:
    own = port_variables()
    with socket.create_server(("127.0.0.1", int(own["LEVATA_BOT_PORT"]))), supervising(tmp_path / "s", own) as refused:
        assert refused.ends() == 1
        assert f"Port {own['LEVATA_BOT_PORT']}, for the bot service, is taken" in refused.said()
        assert "LEVATA_BOT_PORT=" in refused.said()
        assert not (tmp_path / "s" / "keys").exists()


@pytest.mark.parametrize(
    ("variable", "value", "complaint"),
    [
        ("LEVATA_TABLE_PORT", "70000", "LEVATA_TABLE_PORT: "),
        ("LEVATA_TABLE_PORT", "seven", "LEVATA_TABLE_PORT: "),
        ("LEVATA_NATS_SERVER", "no-such-server", "There is no no-such-server"),
        ("LEVATA_HOST", "192.0.2.1", "Nothing can listen on LEVATA_HOST=192.0.2.1"),
        ("LEVATA_LOG_LEVEL", "loud", "log_level: Input should be 'debug', 'info', 'warning' or 'error'"),
        ("LEVATA_DATABASE_URL", "nonsense", "this is no URL of a database"),
    ],
)
def test_a_setting_that_cannot_be_is_named(variable: str, value: str, complaint: str, tmp_path: Path) -> None:
    with supervising(tmp_path / "s", {**port_variables(), variable: value}) as refused:
        assert refused.ends() == 1
        assert complaint in refused.said()
        assert "Traceback" not in refused.said()


def test_a_state_directory_that_cannot_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")
    with supervising(tmp_path / "file", port_variables()) as refused:
        assert refused.ends() == 1
        assert f"The state directory {tmp_path}/file cannot be used" in refused.said()
