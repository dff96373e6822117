"""No byte on the wire depends on a card that the one who gets it may not know: real servers, the same match twice."""

import io
import json
import random
import re
import secrets
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc
import pytest

from services.table import facts as f
from services.table import service, shuffle
from services.table.engine.arzoi import Part, Phase, State
from services.table.engine.arzoi.actions import BIDS, PLAYS
from services.table.views import WIRES
from shared import logs
from shared.gen.levata.bot.v1 import bot_pb2
from shared.gen.levata.table.v1 import table_pb2 as pb
from shared.harness import Service
from tests.support.nats import nats_server
from tests.support.services import Club, club
from tests.support.table_service import TURN_KEY, WITHIN, start_table
from tests.support.tokens import bearer
from tests.support.twin_tables import Script, Viewer, any_script, hands_that_differ, twin
from tests.support.waiting import until

PEOPLE = ("Ana", "Bogdan")
"""They have seats 0 and 1; bots, whose part the test plays, have the others."""
ROOT = "/levata.table.v1.TableService/"
CLOCKS = re.compile(r"_seconds|^process_|^python_|in_flight|consumer_|_bytes|messages_sent|stream_messages|\$KV")
"""Metrics that tell the time, how busy the process is, or how far a stream had come when its reader left or looked."""


def middle(part: Part, phase: Phase, cards: int) -> Any:
    """Wants a position of a part in which so many cards lie on the table or have been taken."""

    def wanted(state: State) -> bool:
        play = state.play
        if play is None or state.part is not part or state.phase is not phase:
            return False
        return sum(state.hand_sizes()) <= state.seats * state.cards_each - cards

    return wanted


SCRIPTS: dict[str, tuple[int, str, Any]] = {
    "bids": (4, "whist 8", middle(Part.WHIST, Phase.BID, 0)),
    "whist": (4, "whist 8", middle(Part.WHIST, Phase.PLAY, 10)),
    "whist of five": (5, "whist 6", middle(Part.WHIST, Phase.PLAY, 7)),
    "totale minus": (3, "whist 2", middle(Part.TOTALE_MINUS, Phase.PLAY, 4)),
    "totale plus": (3, "whist 2", middle(Part.TOTALE_PLUS, Phase.PLAY, 4)),
    "septica": (4, "septica", middle(Part.SEPTICA, Phase.PLAY, 2)),
    "septica goes on": (4, "septica", middle(Part.SEPTICA, Phase.CONTINUE, 0)),
    "septica of nine": (9, "septica", middle(Part.SEPTICA, Phase.PLAY, 5)),
}


@dataclass
class Case:
    """A match for one viewer, in both worlds."""

    name: str
    viewer: Viewer
    worlds: tuple[Script, Script]


def cases() -> list[Case]:
    """Every part, for a spectator, a person and a bot."""
    found = []
    for name, (seats, variant, wanted) in SCRIPTS.items():
        script = any_script(seats, variant, wanted)
        for viewer in (None, 0, 2):
            other = twin(script, viewer, random.Random(f"{name} {viewer}"))
            assert hands_that_differ(script, other) >= 2, (name, viewer)
            found.append(Case(name, viewer, (script, other)))
    return found


@dataclass
class Told:
    """All that came out of one world.

    Attributes:
        viewers: Bytes sent to the viewer of each case, in order, with what they answer.
        lines: Log lines of requests and tables.
        metrics: Samples that do not tell the time.
        secrets: Seeds, turn tokens, access tokens: what must be in none of these.
        log: Everything that was logged, as text.
    """

    viewers: dict[tuple[str, Viewer], list[tuple[str, Any]]] = field(default_factory=dict)
    lines: Counter[str] = field(default_factory=Counter)
    metrics: dict[str, str] = field(default_factory=dict)
    secrets: set[str] = field(default_factory=set)
    log: str = ""


class Play:
    """Plays one script at a real table, and keeps what the viewer is sent."""

    def __init__(self, opened: Club, running: Service, channel: grpc.aio.Channel, case: Case, script: Script) -> None:
        self.told: list[tuple[str, Any]] = []
        self.secrets: set[str] = set()
        self._club = opened
        self._bus = running.harness.bus
        self._channel = channel
        self._case = case
        self._script = script
        self._key = f"{case.name} {case.viewer}".replace(" ", "-")
        self._count = 0
        self._table = ""
        self._turns: set[bytes] = set()
        self._latest = bot_pb2.BotTurn()

    def _metadata(self, who: str) -> tuple[tuple[str, str], ...]:
        self._count += 1
        if who == "bot":
            token = self._club.issuer.service_token("bot")
        else:
            token = self._club.issuer.token(f"p-{who.lower()}", who)
        self.secrets.add(token)
        return (*bearer(token, ("en", "ro")[self._count % 2]), ("x-request-id", f"{self._key}-{self._count}"))

    def _request_id(self) -> str:
        self._count += 1
        return f"{self._key}-{self._count:05d}"

    async def _call(self, rpc: str, message: Any, who: str) -> bytes:
        """A unary call; the bytes of its answer."""
        call: Any = self._channel.unary_unary(ROOT + rpc)
        data: bytes = await call(message.SerializeToString(), metadata=self._metadata(who), timeout=WITHIN)
        return data

    async def _note(self, what: str, rpc: str, message: Any, who: str) -> None:
        """A call of the viewer's: its answer or refusal is kept, trailers and all."""
        try:
            self.told.append((what, await self._call(rpc, message, who)))
        except grpc.aio.AioRpcError as error:
            trailing = tuple((key, value) for key, value in error.trailing_metadata() or ())
            self.told.append((what, (error.code(), error.details(), trailing)))

    @property
    def _viewer(self) -> str:
        """By what name the viewer calls."""
        if self._case.viewer is None:
            return "Dan"
        return PEOPLE[self._case.viewer] if self._case.viewer < len(PEOPLE) else "bot"

    async def run(self, packs: dict[str, Script]) -> None:
        """Plays it."""
        options = pb.TableOptions(seats=self._script.seats, absence_seconds=300)
        options.game.arzoi.SetInParent()
        create = pb.CreateTableRequest(request_id=self._request_id(), options=options)
        made = pb.CreateTableResponse.FromString(await self._call("CreateTable", create, "Ana"))
        self._table = made.table_id
        packs[self._table] = self._script
        join = pb.JoinTableRequest(request_id=self._request_id(), table_id=self._table)
        await self._call("JoinTable", join, "Bogdan")
        stream = await self._open()
        begin = pb.StartTableRequest(request_id=self._request_id(), table_id=self._table)
        started = pb.StartTableResponse.FromString(await self._call("StartTable", begin, "Ana"))
        await self._read_to(stream, started.revision)
        positions = self._script.positions()
        for number, (seat, action) in enumerate(self._script.actions):
            turn = await self._turn(positions[number]) if seat >= len(PEOPLE) else None
            if number > self._script.last and number % 3 == 0:
                await self._try_what_is_illegal(positions[number], 6)
            await self._act(stream, seat, action, turn)
        last = positions[-1]
        if self._decides_by_bot(last):
            await self._turn(last)
        await self._try_what_is_illegal(last, 56)
        if self._viewer != "bot":
            await self._look()
        stream.cancel()

    async def gone(self) -> bool:
        """The server has noticed that the viewer has left."""
        message = await self._bus.last("TABLES", f"tables.log.{self._table}")
        assert message is not None
        return any(isinstance(fact, f.Disconnected) for fact in f.decode(message[1]).facts)

    async def _open(self) -> Any:
        """The stream of updates: PlayTable for a person with a seat, a watch for others."""
        watch = pb.WatchTableRequest(table_id=self._table)
        if self._case.viewer == 0:
            playing: Any = self._channel.stream_stream(ROOT + "PlayTable")
            call = playing(metadata=self._metadata("Ana"))
            await call.write(pb.PlayTableRequest(watch=watch).SerializeToString())
        else:
            watching: Any = self._channel.unary_stream(ROOT + "WatchTable")
            call = watching(watch.SerializeToString(), metadata=self._metadata("Dan"))
        await self._read_to(call, 3 if self._case.viewer == 0 else 2)
        return call

    async def _read_to(self, stream: Any, revision: int) -> None:
        """Keeps what comes on the stream until the update of this revision, or the reply that tells it, has come."""
        while True:
            data = await stream.read()
            assert isinstance(data, bytes)
            message = pb.PlayTableResponse.FromString(data)
            self.told.append(("stream", data))
            if message.HasField("update") and message.update.revision >= revision:
                return

    def _decides_by_bot(self, state: State) -> bool:
        decision = state.decision()
        return decision is not None and decision.seat >= len(PEOPLE)

    async def _turn(self, state: State) -> bot_pb2.BotTurn:
        """The turn that was offered for the present decision; kept if it is the viewer's."""
        found: list[bytes] = []
        seat = state.decision().seat  # type: ignore[union-attr]

        async def offered() -> bool:
            message = await self._bus.last("BOT_TURNS", f"bot.turns.{self._table}")
            if message is None or message[1] in self._turns:
                return False
            found.append(message[1])
            return True

        await until(offered, what="the turn is offered")
        self._turns.add(found[0])
        turn = bot_pb2.BotTurn.FromString(found[0])
        assert turn.seat == seat
        self.secrets.add(turn.turn_token)
        if seat == self._case.viewer:
            self.told.append(("turn", found[0]))
        self._latest = turn
        return turn

    async def _act(self, stream: Any, seat: int, action: Any, turn: bot_pb2.BotTurn | None) -> None:
        message = pb.SubmitActionRequest(
            request_id=self._request_id(), table_id=self._table, action=WIRES["arzoi"].action_to_proto(action)
        )
        who = PEOPLE[seat] if seat < len(PEOPLE) else "bot"
        if turn is not None:
            message.turn_token = turn.turn_token
        if who == "Ana" and self._case.viewer == 0:
            await stream.write(pb.PlayTableRequest(submit_action=message).SerializeToString())
            seen = pb.PlayTableResponse()
            while not (seen.HasField("reply") and seen.reply.request_id == message.request_id):
                data = await stream.read()
                self.told.append(("stream", data))
                seen = pb.PlayTableResponse.FromString(data)
            assert seen.reply.WhichOneof("outcome") == "revision", seen
        else:
            data = await self._call("SubmitAction", message, who)
            await self._read_to(stream, pb.SubmitActionResponse.FromString(data).revision)

    async def _try_what_is_illegal(self, state: State, count: int) -> None:
        """Actions that the viewer may not do now: what is said to each."""
        decision = state.decision()
        mine = decision is not None and decision.seat == self._case.viewer
        if self._viewer == "bot" and not mine:
            return  # a bot is never asked then
        legal = set(state.legal_actions()) if mine else set()
        chance = random.Random(f"{self._key} {count}")
        for action in chance.sample([one for one in (*PLAYS, *BIDS) if one not in legal], min(count, 56)):
            message = pb.SubmitActionRequest(
                request_id=self._request_id(), table_id=self._table, action=WIRES["arzoi"].action_to_proto(action)
            )
            if self._viewer == "bot":
                message.turn_token = self._latest.turn_token
            await self._note(f"illegal {action}", "SubmitAction", message, self._viewer)

    async def _look(self) -> None:
        """Everything else that can be asked for."""
        table = self._table
        who = self._viewer
        await self._note("table", "GetTable", pb.GetTableRequest(table_id=table), who)
        await self._note("list", "ListTables", pb.ListTablesRequest(page_size=1), who)
        await self._note("own list", "ListMyTables", pb.ListMyTablesRequest(page_size=1), who)
        await self._note("record", "GetRecord", pb.GetRecordRequest(table_id=table), who)
        for after in (None, 4, 2**40):
            watching: Any = self._channel.unary_stream(ROOT + "WatchTable")
            message = pb.WatchTableRequest(table_id=table, after_revision=after)
            gap = watching(message.SerializeToString(), metadata=self._metadata(who))
            data = await gap.read()
            self.told.append((f"after {after}", data))
            gap.cancel()


async def play_all(world: int, every: list[Case], folder: Path, clock: int, monkeypatch: pytest.MonkeyPatch) -> Told:
    """Plays all cases in one of the two worlds, one after another, with the same clock and the same chance."""
    chance = random.Random("the same entropy in both worlds")
    packs: dict[str, Script] = {}
    monkeypatch.setattr(service, "now", lambda: clock)
    monkeypatch.setattr(service, "secrets", SimpleNamespace(token_bytes=chance.randbytes, token_hex=secrets.token_hex))
    monkeypatch.setattr(shuffle, "shuffled", lambda pack, seed, match, number, salts=(): packs[match].packs[number - 1])
    told = Told()
    written = io.StringIO()
    logs.configure("json", "debug", written)
    try:
        async with nats_server(folder / "nats", sync_interval="2m") as nats, club(nats, folder / "keys") as opened:
            running = await start_table(opened, folder, bot_milliseconds=3_600_000, tables_per_host=100)
            channel = await opened.channel(running)
            plays = [Play(opened, running, channel, case, case.worlds[world]) for case in every]
            for case, played in zip(every, plays, strict=True):
                await played.run(packs)
                told.viewers[case.name, case.viewer] = played.told
                told.secrets |= played.secrets
            for case, played in zip(every, plays, strict=True):
                if case.viewer == 0:
                    await until(played.gone, what="the server notices that the viewer has left")
            for table in packs:
                for _, data in await running.harness.bus.read_subject("TABLES", f"tables.log.{table}"):
                    for fact in f.decode(data).facts:
                        if isinstance(fact, f.MatchStarted):
                            told.secrets.add(fact.seed)
                        if isinstance(fact, f.TableCreated):
                            told.secrets.add(fact.code)
            told.metrics = samples(running.metrics.text().decode())
            assert (await running.harness.bus.js.stream_info("RESULTS")).state.messages == 0
    finally:
        logs.configure("console", "warning")
    told.log = written.getvalue()
    told.lines = lines_of(told.log)
    return told


def samples(text: str) -> dict[str, str]:
    """The samples of a metrics page that do not tell the time."""
    found = {}
    for line in text.splitlines():
        name, _, value = line.rpartition(" ")
        if not line.startswith("#") and not CLOCKS.search(name):
            found[name] = value
    return found


def lines_of(text: str) -> Counter[str]:
    """Log lines that belong to a request or a table, without the time."""
    found: Counter[str] = Counter()
    for line in text.splitlines():
        entry = json.loads(line)
        if "rpc" in entry or "table" in entry or "table_id" in entry:
            found[json.dumps({key: entry[key] for key in sorted(entry) if key not in ("timestamp", "seconds")})] += 1
    return found


@pytest.mark.rule("GAP-A26")
async def test_the_same_match_with_other_hidden_cards_gives_a_viewer_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = cases()
    clock = service.now()
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    one = await play_all(0, every, tmp_path / "one", clock, monkeypatch)
    two = await play_all(1, every, tmp_path / "two", clock, monkeypatch)
    for case in every:
        mine, theirs = one.viewers[case.name, case.viewer], two.viewers[case.name, case.viewer]
        assert [what for what, _ in mine] == [what for what, _ in theirs]
        for (what, first), (_, second) in zip(mine, theirs, strict=True):
            assert first == second, (case.name, case.viewer, what)
        kinds = Counter(what.split()[0] for what, _ in mine)
        assert kinds["illegal"] > 0 or case.viewer == 2
        assert kinds["stream"] >= 3
    assert any(what == "turn" for told in one.viewers.values() for what, _ in told)
    assert one.lines == two.lines
    assert one.metrics == two.metrics
    assert sum(one.lines.values()) > 500
    for told in (one, two):
        seen = b"".join(data for sent in told.viewers.values() for what, data in sent if isinstance(data, bytes))
        for secret in told.secrets | {TURN_KEY.decode()}:
            assert secret not in told.log
            assert secret not in repr(told.metrics)
        for case in every:
            if case.viewer != 2:
                data = b"".join(data for _, data in told.viewers[case.name, case.viewer] if isinstance(data, bytes))
                assert not [secret for secret in told.secrets if secret.encode() in data]
        assert TURN_KEY not in seen
