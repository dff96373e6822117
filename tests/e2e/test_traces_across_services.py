"""What a player does, and what follows from it in other services, is one trace."""

import asyncio
import itertools
import re
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from shared.client import TableSession, new_request_id
from shared.gen.levata.table.v1 import table_pb2, table_pb2_grpc
from tests.support.collector import Collector, Seen, collector
from tests.support.full_club import FullClub, full_club
from tests.support.guests import Guest
from tests.support.proofs import posted
from tests.support.tokens import bearer

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(120)]

CARD = re.compile(r"\b[AKQJT1-9][SHDC]\b")
SUBMIT = "levata.table.v1.TableService/SubmitAction"
PLAY = "levata.table.v1.TableService/PlayTable"
APP_TRACE, APP_SPAN = "4bf92f3577b34da6", "00f067aa0ba902b7"
"""How the traces begin with which an app traces its own calls, and its span in each."""


@dataclass
class Told:
    """What the collector was sent of a club in which matches were played.

    Attributes:
        spans: All spans.
        table: The table at which Ana played.
        alone: The table at which only bots played.
        tokens: Tokens that were used.
    """

    spans: Sequence[Seen]
    table: str
    alone: str
    tokens: Sequence[str]

    def of(self, trace: str) -> list[Seen]:
        """All spans of a trace."""
        return [span for span in self.spans if span.trace == trace]

    def child(self, parent: Seen, service: str, name: str, kind: str) -> Seen | None:
        """The span of this kind that is a part of another."""
        found = [
            span
            for span in self.of(parent.trace)
            if (span.parent, span.service, span.name, span.kind) == (parent.id, service, name, kind)
        ]
        assert len(found) <= 1
        return found[0] if found else None


async def play(club: FullClub, ana: Guest, bogdan: Guest) -> str:
    """Two people and a bot play a match; Ana acts by single calls of an app that traces each of them itself."""
    table = await ana.open_table(3)
    await bogdan.join(table, 2)
    await ana.start(table)
    stub = table_pb2_grpc.TableServiceStub(await club.services.channel("table"))
    credentials = ana.club.credentials
    assert credentials is not None
    token = bearer(credentials.access_token)

    def due(now: TableSession) -> bool:
        return now.view.my_turn and not now.table.decision.by_bot

    async def through_the_app() -> table_pb2.Table:
        async with ana.club.play(table) as session:
            for number in itertools.count(1):
                await ana.play_on(session, until=due)
                if session.view.over:
                    break
                request = table_pb2.SubmitActionRequest(
                    request_id=new_request_id(), table_id=table, action=ana.pick(session)
                )
                traceparent = f"00-{APP_TRACE}{number:016x}-{APP_SPAN}-01"
                accepted = await stub.SubmitAction(request, metadata=(*token, ("traceparent", traceparent)))
                await session.reached(accepted.revision)
            return session.table

    over, _ = await asyncio.gather(through_the_app(), bogdan.play(table))
    await posted(ana, over.match_id)
    return table


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def told(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Told]:
    folder: Path = tmp_path_factory.mktemp("traced")
    with pytest.MonkeyPatch.context() as patch:
        async with collector() as collected:
            patch.setenv("LEVATA_OTLP_ENDPOINT", collected.endpoint)
            async with full_club(folder) as club, club.guest("Ana") as ana, club.guest("Bogdan") as bogdan:
                table = await play(club, ana, bogdan)
                alone = await club.exhibition(3)
                spans = await everything(club, collected, ana, alone)
                credentials = ana.club.credentials
                assert credentials is not None
                tokens = [credentials.access_token, credentials.refresh_token]
                yield Told(spans, table, alone, tokens)


async def everything(club: FullClub, collected: Collector, ana: Guest, alone: str) -> list[Seen]:
    """All spans, after the match of bots alone was posted too."""
    table = (await ana.club.tables.GetTable(table_pb2.GetTableRequest(table_id=alone))).update.table
    await posted(ana, table.match_id)
    return await collected.of(*club.services.services.values())


async def test_an_action_a_bots_turn_and_its_answer_are_one_trace(told: Told) -> None:
    actions = [span for span in told.spans if span.name == f"{PLAY} submit_action"]
    assert len(actions) > 20
    whole = 0
    for action in actions:
        assert (action.service, action.kind, action.parent) == ("table", "SERVER", "")
        offered = told.child(action, "table", "publish bot.turns", "PRODUCER")
        if offered is None:
            continue  # the next decision was a person's
        taken = told.child(offered, "bot", "process bot.turns", "CONSUMER")
        assert taken is not None
        asked = told.child(taken, "bot", SUBMIT, "CLIENT")
        assert asked is not None
        assert told.child(asked, "table", SUBMIT, "SERVER") is not None
        whole += 1
    assert whole > 10


async def test_what_a_player_does_with_an_app_that_traces_goes_on_in_the_trace_of_the_app(told: Told) -> None:
    actions = [span for span in told.spans if span.parent == APP_SPAN]
    assert len(actions) > 20
    reached: Counter[frozenset[str]] = Counter()
    for action in actions:
        assert action.trace.startswith(APP_TRACE)
        assert (action.service, action.name, action.kind) == ("table", SUBMIT, "SERVER")
        assert action.attributes["rpc.system.name"] == "grpc"
        assert action.attributes["rpc.method"] == SUBMIT
        assert action.attributes["rpc.response.status_code"] == "OK"
        assert action.attributes["levata.table_id"] == told.table
        offered = told.child(action, "table", "publish bot.turns", "PRODUCER")
        if offered is not None:
            assert offered.attributes["messaging.system"] == "nats"
            assert offered.attributes["messaging.destination.name"] == f"bot.turns.{told.table}"
            assert offered.attributes["messaging.destination.template"] == "bot.turns.*"
            assert offered.attributes["messaging.operation.type"] == "send"
        reached[frozenset(span.service for span in told.of(action.trace))] += 1
    # The app itself is the third that such a trace goes through.
    assert reached[frozenset({"table", "bot"})] > 10


async def test_a_bots_answer_that_ends_a_match_its_result_and_the_ratings_are_one_trace(told: Told) -> None:
    (result,) = [
        span
        for span in told.spans
        if span.name == "publish results.arzoi" and span.parent and is_about(told, span, told.alone)
    ]
    assert {span.service for span in told.of(result.trace)} == {"table", "bot", "ledger"}
    posting = told.child(result, "ledger", "process results.arzoi", "CONSUMER")
    assert posting is not None
    assert posting.attributes["messaging.consumer.group.name"] == "ledger"
    assert posting.attributes["levata.outcome"] == "done"


async def test_ratings_are_told_in_the_trace_of_the_action_that_ended_the_match(told: Told) -> None:
    (told_of,) = [span for span in told.spans if span.name == "publish ledger.ratings"]
    (posting,) = [span for span in told.of(told_of.trace) if span.id == told_of.parent]
    assert (posting.service, posting.name) == ("ledger", "process results.arzoi")


def is_about(told: Told, span: Seen, table: str) -> bool:
    return any(one.attributes.get("levata.table_id") == table for one in told.of(span.trace))


async def test_what_follows_from_a_bots_answer_is_a_trace_of_its_own_that_says_where_it_came_from(told: Told) -> None:
    answers = {span.id: span for span in told.spans if span.name == SUBMIT and span.kind == "SERVER"}
    turns = [span for span in told.spans if span.name == "publish bot.turns" and is_about(told, span, told.alone)]
    linked = [span for span in turns if span.links]
    assert len(linked) > 50
    for turn in linked:
        assert turn.parent == ""
        (before,) = turn.links
        assert answers[before].trace != turn.trace
    longest = max(len(told.of(trace)) for trace in {span.trace for span in told.spans})
    assert longest < 20


async def test_a_stream_is_a_span_and_so_is_each_of_its_messages(told: Told) -> None:
    streams = {span.id: span for span in told.spans if span.name == PLAY}
    assert len(streams) == 2
    for stream in streams.values():
        assert told.of(stream.trace) == [stream]
    for message in [span for span in told.spans if span.name.startswith(f"{PLAY} ")]:
        assert set(message.links) < set(streams)
        assert message.attributes["levata.table_id"] == told.table


async def test_no_span_tells_a_card_a_token_or_who_played(told: Told) -> None:
    assert told.spans
    for span in told.spans:
        for value in (span.name, *span.attributes.values()):
            assert not CARD.search(value), span
            assert "Ana" not in value, span
            assert "Bogdan" not in value, span
            assert "eyJ" not in value, span
            assert not [token for token in told.tokens if token in value], span
