"""`levata admin` on a NATS with the real permissions: two table servers, dead letters of a real consumer, totals."""

import asyncio
import dataclasses
import json
import re
import shlex
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import text

from deploy.admin import arguments, place
from deploy.admin.__main__ import main
from deploy.admin.answer import Answer, table_of
from deploy.admin.errors import AdminError
from deploy.club_settings import ClubSettings
from deploy.local.instance import Instance, OperatorAccess
from services.ledger.database import Database
from services.ledger.schema import migrate
from services.table import facts as f
from services.table.log import TableLog
from services.table.presence import instance_and_start, presence_name
from shared.bus import Bus, BusUnavailable, Message, Reject
from shared.client import Addresses, ClubError, TableSession
from shared.client import Club as Client
from shared.gen.levata.table.v1 import table_pb2 as pb
from shared.streams import CONSUMERS
from tests.support.ledger import Clock, Entropy, World, finished
from tests.support.operated_club import WHO, OperatedClub, operated_club
from tests.support.table_service import Person
from tests.support.waiting import until

NOBODY = "t" * 24
ROOT = Path(__file__).parents[2]
CHANGING = ("freeze", "resume", "stop", "drain")


@pytest.fixture
async def club(tmp_path: Path) -> AsyncIterator[OperatedClub]:
    async with operated_club(tmp_path) as opened:
        yield opened


@pytest.fixture
async def ana(club: OperatedClub) -> Person:
    server = await club.table_server("table-one")
    return Person(club, await club.channel(server), "Ana")


async def started(person: Person, **options: Any) -> str:
    """A table with a match in which it is the person's turn."""
    table = await person.create(seats=3, **options)
    await person.start(table)
    return table


# Looking


async def test_tables_are_listed_and_shown_by_as_much_of_their_id_as_no_other_has(
    club: OperatedClub, ana: Person
) -> None:
    playing = await started(ana)
    private = await ana.create(seats=4, game="rentz", visibility=pb.VISIBILITY_PRIVATE)

    async def both_listed() -> bool:
        return len((await club.admin("tables")).data) == 2

    await until(both_listed)
    listed = {one["table"]: one for one in (await club.admin("tables")).data}
    assert [(listed[one]["status"], listed[one]["visibility"]) for one in (playing, private)] == [
        ("playing", "public"),
        ("waiting", "private"),
    ]
    assert listed[playing]["seats"] == ["human", "bot", "bot"]
    (line,) = [line for line in (await club.admin("tables")).text.splitlines() if playing in line]
    assert "1 person, 2 bots" in line
    assert [one["table"] for one in (await club.admin("tables", "--game", "rentz")).data] == [private]
    assert (await club.admin("tables", "--status", "finished")).data == []

    shown = await club.admin("show", playing[:10])
    assert shown.data["table"] == playing
    assert (shown.data["decision"]["seat"], shown.data["decision"]["by"]) == (0, "player")
    assert shown.data["seats"][0]["name"] == "Ana"
    assert "Ana (p-ana), host" in shown.text
    with pytest.raises(AdminError, match="2 tables begin with ''"):
        await club.admin("show", "")
    for unknown in (NOBODY, "zz"):
        with pytest.raises(AdminError, match=f"there is no table {unknown}"):
            await club.admin("show", unknown)


async def test_nothing_that_an_operator_looks_at_shows_what_is_hidden_unless_asked_and_noted(
    club: OperatedClub, ana: Person
) -> None:
    table = await started(ana)
    await ana.act(table, await ana.table(table))

    async def dealt() -> bool:
        return any(fact["fact"] == "dealt" for one in await records() for fact in one["record"]["facts"])

    async def records(*more: str) -> list[Any]:
        return list((await club.admin("log", table, *more)).data)

    await until(dealt)
    stored = [f.decode(data) for _, data in await TableLog(await club.bus("operator")).read(table)]
    facts = [fact for record in stored for fact in record.facts]
    secrets = {fact.action for fact in facts if isinstance(fact, f.Dealt)}
    secrets |= {fact.seed for fact in facts if isinstance(fact, f.MatchStarted)}
    secrets |= {fact.code for fact in facts if isinstance(fact, f.TableCreated)}
    assert len(secrets) >= 3
    for words in (("log", table), ("show", table), ("chain", table), ("tables",)):
        answer = await club.admin(*words)
        assert not any(secret in answer.text + json.dumps(answer.data) for secret in secrets), words
    assert (await club.admin("audit")).data == []

    revealed = await club.admin("log", table, "--reveal", *WHO)
    assert all(secret in revealed.text and secret in json.dumps(revealed.data) for secret in secrets)
    assert [msgspec.convert(one["record"], f.Record) for one in revealed.data][: len(stored)] == stored
    (act,) = (await club.admin("audit")).data
    assert (act["by"], act["did"], act["to"], act["why"]) == ("mihai", "reveal log", table, "a test")
    assert len((await club.admin("log", table, "--last", "2")).text.splitlines()) == 2


async def test_a_chain_is_verified_and_told_where_it_breaks(club: OperatedClub, ana: Person) -> None:
    sound, damaged = await started(ana), await ana.create(seats=3)
    assert (await club.admin("chain")).good
    log = TableLog(await club.bus("table"))
    stored = await log.read(damaged)
    bad = await log.append(damaged, b'{"n":9,"prev":"","at":1,"facts":[]}', stored[-1][0])
    answer = await club.admin("chain")
    assert not answer.good
    assert {one["table"]: one["chain"] for one in answer.data} == {sound: "whole", damaged: "damaged"}
    assert f"DAMAGED at sequence {bad}, after revision {len(stored)}: record 9 follows" in answer.text
    assert (await club.admin("chain", sound)).good
    for words in (("chain", damaged), ("show", damaged), ("log", damaged)):
        answer = await club.admin(*words)
        assert not answer.good
        assert f"DAMAGED at sequence {bad}" in answer.text


# Changing tables


async def played_on(session: TableSession, decisions: int) -> None:
    """Plays the first legal action until so many were accepted, or the match is over."""
    played = 0
    async for update in session:
        if session.view.over:
            return
        if session.view.my_turn and update.revision == session.revision:
            try:
                await session.act(session.private.legal_actions[0])
            except ClubError as error:
                assert error.reason in ("STALE_REVISION", "NOT_YOUR_TURN", "BOT_DECIDES")  # noqa: PT017
            else:
                played += 1
        if played == decisions:
            return


def addresses(*servers: Any) -> Addresses:
    return Addresses(table="ipv4:" + ",".join(server.address for server in servers))


async def test_a_table_is_frozen_in_the_middle_of_a_match_goes_on_and_is_stopped(
    club: OperatedClub, ana: Person
) -> None:
    other = await club.table_server("table-two")
    token = club.issuer.token("p-ana", "Ana")
    async with Client.connect(addresses(other), token=token, language="ro") as client, asyncio.timeout(60):
        table = await started(ana)
        async with client.play(table) as session:
            await played_on(session, 5)
            frozen = await club.admin("freeze", table[:8], "--tell", "O clipă, vă rugăm.", *WHO)
            assert frozen.data["frozen"]
            async for _ in session:
                if session.table.HasField("freeze"):
                    break
            assert session.table.freeze.note == "O clipă, vă rugăm."
            assert not session.view.my_turn
            with pytest.raises(ClubError, match="suspendată") as refused:
                await client.tables.StopTable(pb.StopTableRequest(request_id="request-1", table_id=table))
            assert refused.value.reason == "FROZEN_BY_OPERATOR"
            shown = await club.admin("show", table)
            assert (shown.data["status"], shown.data["freeze"]["by"]) == ("frozen", "mihai")
            assert shown.data["deadlines"] == []
            assert "by mihai: a test; people are told: O clipă, vă rugăm." in shown.text

            async def listed_frozen() -> bool:
                return [one["table"] for one in (await club.admin("tables", "--status", "frozen")).data] == [table]

            await until(listed_frozen)
            with pytest.raises(AdminError, match="is frozen already"):
                await club.admin("freeze", table.upper(), *WHO)
            await club.admin("resume", table, *WHO)
            with pytest.raises(AdminError, match="is not frozen"):
                await club.admin("resume", table, *WHO)
            await played_on(session, 5)
            await club.admin("stop", table, "--tell", "Ajunge.", *WHO)
            async for _ in session:
                if session.view.over:
                    break
    shown = await club.admin("show", table)
    assert shown.data["stopped"] == {"reason": "operator", "by": "mihai", "why": "a test", "note": "Ajunge."}
    for command in ("stop", "resume"):
        with pytest.raises(AdminError, match="is over"):
            await club.admin(command, table, *WHO)
    acts = [(one["did"], one["to"]) for one in (await club.admin("audit")).data]
    assert acts[:2] == [("freeze", table), ("freeze", table)]
    assert {did for did, _ in acts} == {"freeze", "resume", "stop"}
    assert (await club.admin("chain", table)).good
    log = (await club.admin("log", table)).data
    assert [one["author"] for one in log if one["author"].startswith("operator")] == ["operator mihai"] * 3


async def test_a_damaged_table_is_not_resumed_but_stopped_and_leaves_the_lobby(club: OperatedClub, ana: Person) -> None:
    table = await started(ana)
    log = TableLog(await club.bus("table"))
    while True:  # bots play on
        try:
            await log.append(table, b"{]", (await log.read(table))[-1][0])
            break
        except Exception as error:
            assert "expected" in str(error) or type(error).__name__ == "SequenceConflict"  # noqa: PT017
    for command in ("freeze", "resume"):
        with pytest.raises(AdminError, match=f"give the table up: `levata admin stop {table}`"):
            await club.admin(command, table, *WHO)
    assert (await club.admin("show", table)).data["status"] == "damaged"
    stopped = await club.admin("stop", table, *WHO)
    assert stopped.data["given_up"]

    async def unlisted() -> bool:
        return not (await club.admin("tables")).data

    await until(unlisted)
    shown = await club.admin("show", table)
    assert shown.data["status"] == "given up"
    assert "given up by mihai: a test" in shown.text
    assert (await club.admin("chain")).good
    assert not (await club.admin("chain", table)).good
    assert (await club.admin("stop", table, *WHO)).data["given_up"]


# Servers


async def test_one_of_two_servers_is_let_go_while_a_match_runs_and_the_match_goes_on_at_the_other(
    club: OperatedClub, ana: Person
) -> None:
    one, two = club.services["table-one"], await club.table_server("table-two")
    listed = await club.admin("servers")
    assert [(each["kind"], each["name"], each["state"]) for each in listed.data] == [
        ("table", "table-one", "ready"),
        ("table", "table-two", "ready"),
    ]
    token = club.issuer.token("p-ana", "Ana")
    async with Client.connect(addresses(one, two), token=token) as client, asyncio.timeout(90):
        table = await started(ana)
        async with client.play(table) as session:
            await played_on(session, 3)
            seat = (await club.admin("show", table)).data["seats"][0]
            assert {each["name"] for each in seat["servers"]} <= {"table-one", "table-two"}
            assert seat["servers"]
            (present,) = re.findall(r"present at ([^,\n]+)", (await club.admin("show", table)).text)
            assert re.fullmatch(r"table-(one|two) \([0-9a-f]{8}\)", present)
            draining = asyncio.create_task(club.admin("drain", "table-one", *WHO))
            await played_on(session, 10)
            answer = await draining
            assert answer.data["gone"]
            assert answer.data["ready"] == ["table-two"]
            with pytest.raises(AdminError, match="no server 'table-one' answers; there are: table-two"):
                await club.admin("drain", "table-one", *WHO)
            await played_on(session, 5)
            with pytest.raises(
                AdminError, match=r"table-two is the only server of table that is ready: .*--even-the-last"
            ):
                await club.admin("drain", "table-two", *WHO)
    assert one.failure is None
    assert [each["name"] for each in (await club.admin("servers")).data] == ["table-two"]
    assert (await club.admin("chain", table)).good
    assert ("drain", "table table-one") in [(act["did"], act["to"]) for act in (await club.admin("audit")).data]


def test_a_start_of_a_server_is_told_from_all_others_and_the_server_is_known_by_its_name() -> None:
    for instance in ("table", "table-2", "table-7d9c5b-x2x4q", "host.example-4711"):
        first, second = (instance_and_start(presence_name(instance)) for _ in range(2))
        assert first[0] == second[0] == instance
        assert first[1] != second[1]


async def test_a_server_that_stays_is_told_so(club: OperatedClub, ana: Person) -> None:
    held = asyncio.Event()

    async def hold() -> None:
        await held.wait()

    club.services["table-one"].harness.on_drain(hold)
    answer = await club.admin("drain", "table-one", "--even-the-last", "--wait", "1", *WHO)
    assert not answer.good
    assert "is still there after 1 s" in answer.text
    (server,) = (await club.admin("servers")).data
    assert server["state"] == "draining"
    held.set()


async def test_a_club_without_servers_is_not_in_order(club: OperatedClub) -> None:
    answer = await club.admin("servers")
    assert (answer.good, answer.data) == (False, [])


# Dead letters


class Mendable:
    """A consumer of results that can handle none, until it is mended."""

    def __init__(self) -> None:
        self.mended = False
        self.handled: list[bytes] = []

    async def handle(self, message: Message) -> None:
        if not self.mended:
            raise Reject(f"cannot read {message.data.decode()}")
        self.handled.append(message.data)


async def buried(club: OperatedClub, consumer: Mendable, results: Sequence[bytes]) -> Bus:
    """Results that became dead letters; the connection of their consumer."""
    bus = await club.bus("ledger")
    asyncio.create_task(bus.consume(dataclasses.replace(CONSUMERS["ledger"]), consumer.handle))  # noqa: RUF006
    table = await club.bus("table")
    for number, data in enumerate(results):
        await table.publish("results.arzoi", data, msg_id=f"match-{number}")

    async def all_dead() -> bool:
        return len((await club.admin("dead", "list")).data) == len(results)

    await until(all_dead)
    return bus


async def test_dead_letters_are_listed_shown_sent_again_and_dropped(club: OperatedClub) -> None:
    consumer = Mendable()
    await buried(club, consumer, [b"one", b"two", b"three"])
    answer = await club.admin("dead", "list")
    first, second, third = (letter["number"] for letter in answer.data)
    assert "cannot read one" in answer.text
    assert answer.text.endswith("3 dead letters")
    assert {(letter["stream"], letter["consumer"], letter["subject"]) for letter in answer.data} == {
        ("RESULTS", "ledger", "results.arzoi")
    }
    shown = await club.admin("dead", "show", str(first))
    assert "message_base64" not in shown.data
    shown = await club.admin("dead", "show", str(first), "--reveal", *WHO)
    assert (shown.data["message_base64"], shown.text.splitlines()[-1]) == ("b25l", "one")

    await club.admin("dead", "drop", str(second), *WHO)
    with pytest.raises(AdminError, match=f"there is no dead letter {second}"):
        await club.admin("dead", "drop", str(second), *WHO)
    consumer.mended = True
    sent = await club.admin("dead", "again", str(first), *WHO)
    assert sent.text == f"{first}  sent again on results.arzoi"
    await until(lambda: consumer.handled == [b"one"])
    assert [letter["number"] for letter in (await club.admin("dead", "list")).data] == [third]
    assert (await club.admin("dead", "again", "all", *WHO)).good
    await until(lambda: consumer.handled == [b"one", b"three"])
    assert (await club.admin("dead", "list")).text == "no dead letters"
    assert (await club.admin("dead", "again", "all", *WHO)).text == "no dead letters"
    acts = [(act["did"], act["to"].split()[0]) for act in (await club.admin("audit")).data]
    assert acts == [
        ("reveal dead letter", str(first)),
        ("drop dead letter", str(second)),
        ("send dead letter again", str(first)),
        ("send dead letter again", str(third)),
    ]


async def test_a_letter_that_cannot_be_sent_again_stays_and_the_others_go(club: OperatedClub) -> None:
    consumer = Mendable()
    await buried(club, consumer, [b"good"])
    headers = {"Levata-Subject": "tables.due.x", "Levata-Reason": "from where an operator may not publish"}
    await (await club.bus("table")).publish("dead.TIMERS.tables", b"bad", headers=headers)
    good, bad = (letter["number"] for letter in (await club.admin("dead", "list")).data)
    consumer.mended = True
    answer = await club.admin("dead", "again", "all", *WHO)
    assert not answer.good
    assert [(one["number"], one["done"]) for one in answer.data] == [(good, True), (bad, False)]
    assert f"{bad}  still here" in answer.text
    assert [letter["number"] for letter in (await club.admin("dead", "list")).data] == [bad]


# Totals


async def test_totals_are_checked_and_made_anew_from_the_entries(club: OperatedClub) -> None:
    database = Database(f"sqlite:///{club.database}")
    try:
        await migrate(database)
        world = World(database, Clock(), Entropy(), None)  # type: ignore[arg-type]  # nobody signs in
        await world.ledger.post(finished("m1", [("p-ana", 10), ("p-ion", -3)]))
        assert (await club.admin("totals", "check")).good
        async with database.connection() as connection:
            await connection.execute(text("UPDATE standings SET points = 11 WHERE points = 10"))
        answer = await club.admin("totals", "check")
        assert not answer.good
        (wrong,) = answer.data["disagreements"]
        assert (wrong["game"], wrong["player"], wrong["what"], wrong["fixable"]) == ("arzoi", "p-ana", "standing", True)
        assert (await club.admin("audit")).data == []
        answer = await club.admin("totals", "recompute", *WHO)
        assert (answer.good, answer.data["put_right"]) == (True, 1)
        assert (await club.admin("totals", "check")).data["disagreements"] == []
        assert [act["did"] for act in (await club.admin("audit")).data] == ["recompute totals"]
    finally:
        await database.close()


# The command


async def test_the_command_prints_text_or_json_and_says_by_its_code_how_it_went(
    club: OperatedClub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    user = club.user("operator")
    monkeypatch.setenv("LEVATA_NATS_URL", user["nats_url"])
    monkeypatch.setenv("LEVATA_NATS_USER", "operator")
    monkeypatch.setenv("LEVATA_NATS_PASSWORD", user["nats_password"].get_secret_value())
    monkeypatch.setenv("LEVATA_PUBLISH_SECONDS", "2")
    # Once as a person starts it, then in this process.
    command = [sys.executable, "-m", "shared.cli", "admin", "tables", "--json"]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, json.loads(done.stdout), done.stderr) == (0, [], "")

    async def run(*words: str) -> tuple[int, str, str]:
        code = await asyncio.to_thread(main, words)
        told = capsys.readouterr()
        return code, told.out, told.err

    assert await run("tables") == (0, "no tables\n", "")
    code, out, err = await run("freeze", NOBODY, *WHO)
    assert (code, out) == (1, "")
    assert err.startswith(f"levata admin: there is no table {NOBODY}")
    assert (await run("servers"))[0] == 1
    monkeypatch.setenv("LEVATA_NATS_PASSWORD", "guess")
    code, _, err = await run("tables")
    assert code == 1
    assert f"no club seems to be up at {user['nats_url']}: NATS there does not answer, or not to this user" in err
    monkeypatch.delenv("LEVATA_NATS_USER")
    monkeypatch.setenv("LEVATA_STATE", str(tmp_path / "none"))
    code, _, err = await run("tables", "--json")
    assert code == 1
    assert "no club is up from" in json.loads(err)["error"]


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("melt",),
        ("freeze", NOBODY),
        ("freeze", NOBODY, "--reason", " "),
        ("log", NOBODY, "--reveal"),
        ("dead", "again", *WHO),
        ("dead", "again", "all", "3", *WHO),
        ("dead", "drop", "0", *WHO),
        ("dead", "show", "x"),
        ("drain", "table", "--wait", "-1", *WHO),
        ("freeze", NOBODY[:5], *WHO),
        ("resume", NOBODY[:5], *WHO),
        ("stop", NOBODY[:5], *WHO),
        ("freeze", NOBODY, "--tell", "a\x1b[31mb", *WHO),
    ],
)
def test_what_makes_no_sense_ends_with_2_before_anything_is_done(words: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as ended:
        arguments.parse(words)
    assert ended.value.code == 2


def test_what_people_have_written_only_shows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = "a\x1b[2J\x9b1m\u202eb\U000e0041\x7fc, vă rugăm \N{WAVING HAND SIGN}"
    shown = "a\\u001b[2J\\u009b1m\\u202eb\\udb40\\udc41\\u007fc, vă rugăm \N{WAVING HAND SIGN}"

    async def written(*_: object) -> Answer:
        return Answer(f"one\n{evil}", {"note": evil})

    monkeypatch.setattr("deploy.admin.__main__.run", written)
    monkeypatch.setattr(place, "settings", lambda _: None)
    assert main(["tables"]) == 0
    assert capsys.readouterr().out == f"one\n{shown}\n"
    assert main(["tables", "--json"]) == 0
    out = capsys.readouterr().out
    assert json.loads(out) == {"note": evil}
    assert shown in out
    assert table_of(("WHO",), [("x\ny",)]) == "WHO\nx\\ny"


def test_only_of_a_change_it_is_said_to_look_whether_it_was_done(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def silent(*_: object) -> Answer:
        raise BusUnavailable("silence")

    monkeypatch.setattr("deploy.admin.__main__.run", silent)
    monkeypatch.setattr(place, "settings", lambda _: None)
    told = {}
    for words in (
        ("show", NOBODY),
        ("log", NOBODY, "--reveal", *WHO),
        ("freeze", NOBODY, *WHO),
        ("dead", "drop", "1", *WHO),
    ):
        assert main(words) == 1
        told[words[0]] = "Look whether it was done" in capsys.readouterr().err
    assert told == {"show": False, "log": False, "freeze": True, "dead": True}


QUOTED = [
    (path, command)
    for path in (
        "deploy/monitoring/runbook.md",
        "deploy/README.md",
        "deploy/admin/README.md",
        "services/table/README.md",
    )
    for command in re.findall(r"levata admin ([^`\n]+)", (ROOT / path).read_text())
]
PLACEHOLDERS = {"TABLE": NOBODY, "NAME": "table-0", "NUMBER": "1", "TEXT": "'a note'", "WHY": "'a reason'"}


def test_every_command_that_the_runbook_and_the_guides_name_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    assert len(QUOTED) > 20
    for path, command in QUOTED:
        words = [PLACEHOLDERS.get(word, word) for word in command.split(" #")[0].split()]
        if words[0] in CHANGING and len(words) == 1:
            words.append(NOBODY)  # named in passing
        if words[0] in CHANGING and "--reason" not in words:
            words.append(shlex.join(WHO))
        try:
            arguments.parse(shlex.split(" ".join(words)))
        except SystemExit as error:
            raise AssertionError(f"{path}: levata admin {command}") from error


def test_in_a_pod_whoever_does_something_has_to_say_who_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    assert arguments.parse(["freeze", NOBODY, "--reason", "a test"]).by == place.login_name() != ""
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    for words in (["freeze", NOBODY, "--reason", "a test"], ["log", NOBODY, "--reveal", "--reason", "a test"]):
        with pytest.raises(SystemExit) as ended:
            arguments.parse(words)
        assert ended.value.code == 2
        assert arguments.parse([*words, "--as", "mihai"]).by == "mihai"
    assert arguments.parse(["show", NOBODY]).command == "show"


def test_the_club_that_is_up_on_this_machine_is_found_by_its_state_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LEVATA_NATS_USER", "LEVATA_NATS_URL", "LEVATA_DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with Instance(tmp_path) as instance:
        instance.admit_operator(OperatorAccess("nats://127.0.0.1:4711", "secret", "sqlite:////tmp/x.db"))
        assert (tmp_path / "run" / "operator.json").stat().st_mode & 0o777 == 0o600
        for found in (place.settings(tmp_path), _by_environment(tmp_path, monkeypatch)):
            assert (found.nats_url, found.nats_user) == ("nats://127.0.0.1:4711", "operator")
            assert found.database_url.get_secret_value() == "sqlite:////tmp/x.db"
    with pytest.raises(AdminError, match="no club is up from"):
        place.settings(tmp_path)


def _by_environment(state: Path, monkeypatch: pytest.MonkeyPatch) -> ClubSettings:
    monkeypatch.setenv("LEVATA_STATE", str(state))
    return place.settings(None)
