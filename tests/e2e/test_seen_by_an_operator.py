"""A match as an operator sees it: the metrics of each service, and the lines of their logs."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import pytest_asyncio
from prometheus_client.parser import text_string_to_metric_families

from services.table import facts as f
from shared.client import ClubError, TableSession, new_request_id
from shared.gen.levata.table.v1 import arzoi_pb2, game_pb2, table_pb2
from tests.support.chaos_club import ChaosClub, chaos_club
from tests.support.guests import Guest
from tests.support.nats_grants import grants, lacking
from tests.support.nats_trace import read_trace, traced_server
from tests.support.proofs import Log, posted, read_log
from tests.support.waiting import until

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(240)]

SERVICES = ("table", "bot", "ledger", "matchmaking")
TABLES = "/levata.table.v1.TableService"
CARD = re.compile(r"\b[AKQJT1-9][SHDC]\b")
ALL_CARDS = frozenset(rank + suit for rank in "AKQJT987654321" for suit in "SHDC")
TRICKS = 25
"""At so many of a player's turns to play a card, cards are tried that may not be played: the player's own ..."""
FOREIGN_CARDS = 4
"""... and so many others."""
CHAT = "cine a dat cartea asta"


class Scrape:
    """The samples of one `/metrics` page."""

    def __init__(self, page: str) -> None:
        self.page = page
        self._samples: dict[tuple[str, frozenset[tuple[str, str]]], float] = {}
        for family in text_string_to_metric_families(page):
            for sample in family.samples:
                self._samples[sample.name, frozenset(sample.labels.items())] = sample.value

    def value(self, name: str, **labels: str) -> float:
        """One sample; it has to be there."""
        return self._samples[name, frozenset(labels.items())]

    def by(self, name: str, label: str) -> dict[str, float]:
        """All samples of a name that are not 0, by one of their labels."""
        return {
            dict(labels)[label]: value
            for (sample, labels), value in self._samples.items()
            if sample == name and value and label in dict(labels)
        }

    def labels(self) -> Iterator[tuple[str, str]]:
        """Every label of every sample."""
        for _, labels in self._samples:
            yield from labels


async def get(address: str, path: str = "/metrics") -> tuple[int, str]:
    """Status and body of a page."""
    host, _, port = address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    head, _, body = (await reader.read()).decode().partition("\r\n\r\n")
    writer.close()
    return int(head.split()[1]), body


@dataclass
class Seen:
    """One match and all that is to be seen of it.

    Attributes:
        club: The club, which still runs.
        ana: Who played.
        table: The table at its end.
        log: The table's log.
        refusals: Reasons of all refused actions.
        scraped: The metrics of each service after the match.
    """

    club: ChaosClub
    ana: Guest
    table: table_pb2.Table
    log: Log
    refusals: Counter[str]
    scraped: dict[str, Scrape]

    def lines(self, service: str) -> list[dict[str, Any]]:
        """The log of a service, line by line."""
        return [json.loads(line) for line in self.club.log_lines(service)]

    def secrets(self) -> Iterator[str]:
        """Everything that nobody may read in a log."""
        for path in (self.club.state / "keys").glob("service-*.jwt"):
            yield path.read_text().strip()
        passwords = json.loads((self.club.state / "keys" / "nats-passwords.json").read_text())
        yield from passwords.values()
        credentials = self.ana.club.credentials
        assert credentials is not None
        yield credentials.access_token
        yield credentials.refresh_token
        (started,) = self.log.facts(f.MatchStarted)
        assert isinstance(started, f.MatchStarted)
        yield started.seed
        (made,) = self.log.facts(f.TableCreated)
        assert isinstance(made, f.TableCreated)
        yield made.code


async def play_with_trouble(ana: Guest, table: str) -> Counter[str]:
    """Plays a match with what may go wrong: the time of the first decision runs out, and cards are played that may not
    be, on the stream and by single calls; the reasons of all refusals.
    """
    refusals: Counter[str] = Counter()
    async with ana.club.play(table) as session:
        await ana.start(table)
        async for update in session:
            if any(event.HasField("clock_expired") for event in update.events):
                break
        await session.say(CHAT)

        def to_play(now: TableSession) -> bool:
            own = now.view.my_turn and not now.table.decision.by_bot
            return own and now.table.game.arzoi.phase == arzoi_pb2.ARZOI_PHASE_PLAY

        for _ in range(TRICKS):
            await ana.play_on(session, until=to_play)
            legal = {action.arzoi.play for action in session.private.legal_actions}
            own = set(session.private.hand.arzoi.cards)
            foreign = ana.chance.sample(sorted(ALL_CARDS - own), FOREIGN_CARDS)
            for number, card in enumerate([*sorted(own - legal), *foreign]):
                action = game_pb2.GameAction(arzoi=arzoi_pb2.ArzoiAction(play=card))
                try:
                    if number % 2:
                        await session.act(action)
                    else:
                        await ana.club.tables.SubmitAction(
                            table_pb2.SubmitActionRequest(request_id=new_request_id(), table_id=table, action=action)
                        )
                except ClubError as error:
                    refusals[error.reason] += 1
                else:
                    raise AssertionError(f"{card} was accepted, legal are {legal}")
            await ana.act(session, session.private.legal_actions[0])
        await ana.play_on(session)
    return refusals


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def seen(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Seen]:
    folder = tmp_path_factory.mktemp("club")
    more = {"LEVATA_LOG_FORMAT": "json", "LEVATA_LOG_LEVEL": "debug", "LEVATA_NATS_SERVER": str(traced_server(folder))}
    async with (
        chaos_club(folder / "state", 1, **more) as club,
        club.guest("Ana", seed=5) as ana,
    ):
        clock = table_pb2.Clock(choose_seconds=1)
        table_id = await ana.open_table(3, clock=clock, visibility=table_pb2.VISIBILITY_PRIVATE)
        async with asyncio.timeout(120):
            refusals = await play_with_trouble(ana, table_id)
        request = table_pb2.GetTableRequest(table_id=table_id)
        table = (await ana.club.tables.GetTable(request)).update.table
        await posted(ana, table.match_id)
        async with club.bus() as bus:
            log = await read_log(bus, table_id)

        async def all_told() -> bool:
            pages = {name: Scrape((await get(club.metrics_address(name)))[1]) for name in SERVICES}
            scraped.update(pages)
            return (
                pages["table"].value("levata_table_watches") == 0
                and pages["table"].by("levata_results_published_total", "game") == {"arzoi": 1}
                and pages["ledger"].value("levata_ledger_outbox_unsent") == 0
                and sum(pages["bot"].by("levata_bot_turns_total", "outcome").values())
                == pages["table"].value("levata_bot_turns_published_total")
            )

        scraped: dict[str, Scrape] = {}
        await until(all_told, what="all services have counted the match")
        yield Seen(club, ana, table, log, refusals, scraped)


async def test_the_table_service_counts_who_played_and_how_the_match_ended(seen: Seen) -> None:
    table = seen.scraped["table"]
    by = {who: float(len(seen.log.actions(who))) for who in ("player", "bot", "timeout")}
    assert table.by("levata_table_actions_total", "by") == by
    assert by["player"] == len(seen.ana.accepted[seen.table.table_id])
    assert by["timeout"] >= 1
    assert table.value("levata_table_timeouts_total", kind="turn") == by["timeout"]
    assert table.value("levata_matches_started_total", game="arzoi") == 1
    assert table.value("levata_matches_finished_total", game="arzoi") == 1
    assert table.value("levata_results_published_total", game="arzoi") == 1
    assert table.value("levata_table_records_total") == len(seen.log.records)
    assert table.value("levata_tables_alive") == 1
    assert table.value("levata_tables_frozen_total") == 0
    assert table.value("levata_table_rule_of_thumb_total") == 0
    assert table.value("levata_table_conflicts_total") == 0


async def test_the_bots_answered_all_that_was_asked_of_them(seen: Seen) -> None:
    bot, table = seen.scraped["bot"], seen.scraped["table"]
    asked = float(len(seen.log.actions("bot")) + len(seen.log.actions("timeout")))
    assert table.value("levata_bot_turns_published_total") == asked
    assert bot.by("levata_bot_turns_total", "outcome") == {"answered": asked}
    assert bot.value("levata_bot_answer_seconds_count") == asked
    assert bot.value("levata_bot_turn_lag_seconds_count") == asked
    assert sum(bot.by("levata_bot_think_seconds_count", "level").values()) > 0
    assert bot.by("levata_bot_fallbacks_total", "level") == {}
    assert bot.value("levata_consumer_handled_total", stream="BOT_TURNS", consumer="bots", outcome="done") == asked


async def test_calls_are_counted_by_method_and_code_and_refusals_by_reason(seen: Seen) -> None:
    table = seen.scraped["table"]
    calls = {
        (method, "OK"): table.value("levata_rpc_handled_total", method=f"{TABLES}/{method}", code="OK")
        for method in ("CreateTable", "StartTable", "SubmitAction")
    }
    assert calls == {
        ("CreateTable", "OK"): 1,
        ("StartTable", "OK"): 1,
        ("SubmitAction", "OK"): seen.scraped["bot"].value("levata_bot_answer_seconds_count"),
    }
    assert table.value("levata_rpc_started_total", method=f"{TABLES}/PlayTable") == 1
    assert table.value("levata_rpc_in_flight", method=f"{TABLES}/PlayTable") == 0
    assert table.value("levata_rpc_messages_sent_total", method=f"{TABLES}/PlayTable") > len(seen.log.records) / 2
    assert seen.refusals["CARD_NOT_IN_HAND"] >= TRICKS
    assert table.by("levata_table_actions_refused_total", "reason") == seen.refusals
    assert (
        table.value("levata_rpc_handled_total", method=f"{TABLES}/SubmitAction", code="FAILED_PRECONDITION") >= TRICKS
    )


async def test_the_ledger_counts_the_result_once_and_matchmaking_and_all_are_well(seen: Seen) -> None:
    ledger = seen.scraped["ledger"]
    assert ledger.by("levata_ledger_results_total", "outcome") == {"posted": 1}
    assert ledger.value("levata_ledger_sign_ins_total", kind="guest", outcome="ok") == 1
    assert ledger.value("levata_ledger_outbox_lag_seconds") == 0
    for name, page in seen.scraped.items():
        assert page.value("levata_ready") == 1, name
        assert page.value("levata_bus_connected") == 1, name
        assert page.value("process_resident_memory_bytes") > 0, name
        assert set(page.by("levata_readiness_check_ok", "check").values()) == {1}, name
        for probe, status in (("/livez", 200), ("/readyz", 200), ("/nonsense", 404)):
            assert (await get(seen.club.metrics_address(name), probe))[0] == status
    assert set(seen.scraped["matchmaking"].by("levata_matchmaking_leading", "queue")) >= {"arzoi-3", "arzoi-9"}


async def test_nobody_does_at_nats_what_is_not_granted(seen: Seen) -> None:
    done = read_trace(seen.club.state.parent / "trace.log", (*SERVICES, "provisioner"))
    assert set(done) == {*SERVICES, "provisioner"}
    for user, granted in grants().items():
        if user in done:
            assert done[user].refused == set(), user
            assert lacking(granted.publish | granted.own, done[user].published) == set(), user
            assert lacking(granted.subscribe | granted.own, done[user].subscribed) == set(), user


async def test_no_label_names_a_person_or_a_table_or_a_card(seen: Seen) -> None:
    for name, page in seen.scraped.items():
        for key, value in page.labels():
            assert value not in (seen.table.table_id, seen.ana.id, "Ana"), (name, key)
            assert not CARD.search(value), (name, key)
        assert not [secret for secret in seen.secrets() if secret in page.page], name


async def test_every_line_of_a_log_is_json_with_time_and_level(seen: Seen) -> None:
    for service in SERVICES:
        lines = seen.lines(service)
        assert lines
        for line in lines:
            assert {"event", "level", "timestamp"} <= set(line), (service, line)
            assert line["level"] in ("debug", "info"), (service, line)


async def test_a_line_of_a_request_says_which_and_whose_and_at_which_table(seen: Seen) -> None:
    lines = [line for line in seen.lines("table") if line.get("rpc", "").startswith(TABLES)]
    served = Counter(line["rpc"].rpartition("/")[2] for line in lines if line["event"] == "served")
    by_single_calls = seen.scraped["bot"].value("levata_bot_answer_seconds_count") + sum(seen.refusals.values()) // 2
    assert served["SubmitAction"] >= by_single_calls
    assert served["CreateTable"] == served["StartTable"] == served["PlayTable"] == 1
    for line in lines:
        assert line["request_id"], line
        assert line["player_id"] in (seen.ana.id, "service:bot"), line
        if not line["rpc"].endswith("/CreateTable"):
            assert line["table_id"] == seen.table.table_id, line
    (played,) = [line for line in lines if line["event"] == "served" and line["rpc"].endswith("/PlayTable")]
    assert played["player_id"] == seen.ana.id
    (told,) = [line for line in seen.lines("ledger") if line["event"] == "result posted"]
    assert (told["match_id"], told["table_id"]) == (seen.table.match_id, seen.table.table_id)


async def test_no_log_tells_a_secret_or_what_was_said(seen: Seen) -> None:
    for path in (seen.club.state / "logs").iterdir():
        text = path.read_text(errors="replace")
        assert [secret for secret in seen.secrets() if secret in text] == [], path.name
        assert "eyJ" not in text, path.name
        assert CHAT not in text, path.name


async def test_no_log_tells_a_card_or_a_deal(seen: Seen) -> None:
    deals = [step[1] for step in seen.log.steps if step[0] == "-"]
    assert deals
    hidden = {card for deal in deals for card in CARD.findall(deal)}
    assert len(hidden) >= 20
    for path in (seen.club.state / "logs").iterdir():
        for line in path.read_text(errors="replace").splitlines():
            assert not hidden & set(CARD.findall(line)), (path.name, line)
            assert not [deal for deal in deals if deal in line]
