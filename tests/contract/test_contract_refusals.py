"""Every reason that the contract names for an RPC is told as it says, in both languages, and has changed nothing."""

from pathlib import Path
from typing import Any, TypeGuard

import grpc
import pytest

from services.table import facts as f
from services.table.commands import FreezeTable
from services.table.log import TableLog
from services.table.operating import Operator
from services.table.service import now
from services.table.timers import Timers
from shared.gen.levata.table.v1 import game_pb2
from shared.gen.levata.table.v1 import table_pb2 as pb
from shared.messages import TEXTS, text
from shared.streams import STREAMS
from tests.support.contract import METHODS, PROTOS, Method, named, promises, shouted
from tests.support.good_requests import CHOICE, UNKNOWN_TABLE, Place, good
from tests.support.refusals import CASES, Make, do
from tests.support.statuses import told
from tests.support.table_service import Watch, fresh, table_request
from tests.support.whole_club import Metadata, WholeClub

pytestmark = pytest.mark.asyncio(loop_scope="session")
Code = grpc.StatusCode
ROOT = Path(__file__).parents[2]

ELSEWHERE: dict[tuple[str, str], str] = {
    ("WatchTable", "SLOW_CONSUMER"): (
        "tests/table/test_table_service.py::test_a_slow_watcher_is_cut_off_and_can_resume_without_slowing_the_table"
    ),
    ("WatchTable", "DRAINING"): (
        "tests/table/test_table_service.py::test_a_server_that_drains_sends_viewers_away_and_their_clocks_stand_still"
    ),
    ("WatchTable", "NOT_WATCHABLE"): (
        "tests/contract/test_contract_refusals.py::test_a_spectator_of_a_table_made_private_is_told_so_in_both_languages"
    ),
    ("WatchTicket", "DRAINING"): "tests/matchmaking/test_matchmaking_service.py::DRAINING",
    ("CancelTicket", "TICKET_MATCHED"): "tests/matchmaking/test_matchmaking_service.py::TICKET_MATCHED",
    ("CancelTicket", "TABLE_BEING_MADE"): "tests/matchmaking/test_matchmaking_matcher.py::TableBeingMadeError",
}
"""What takes more than one request to bring about, and the test that does."""

EVERYWHERE: dict[str, str] = {
    "TOKEN_MISSING": "tests/contract/test_contract_door.py::test_without_a_good_token_nothing_is_done",
    "TOKEN_INVALID": "tests/contract/test_contract_door.py::test_without_a_good_token_nothing_is_done",
    "TOKEN_EXPIRED": "tests/contract/test_contract_door.py::test_without_a_good_token_nothing_is_done",
    "BAD_REQUEST": "tests/contract/test_contract_door.py::test_every_broken_rule_is_refused_by_the_name_of_its_field",
    "DRAINING": "tests/contract/test_contract_door.py::test_while_a_server_goes_down_every_rpc_says_when_to_come_back",
    "DEPENDENCY_DOWN": "tests/contract/test_contract_outage.py::test_without_nats_changes_are_refused_for_now",
    "TABLE_NOT_FOUND": "tests/contract/test_contract_refusals.py::test_a_table_that_is_not_yours_to_know_is_not_there",
    "FROZEN_BY_OPERATOR": (
        "tests/contract/test_contract_refusals.py::test_while_an_operator_has_a_table_frozen_no_rpc_changes_it"
    ),
    "TABLE_FROZEN": "tests/contract/test_contract_refusals.py::test_a_table_with_a_damaged_log_is_frozen_for_every_rpc",
    "REQUEST_ID_REUSED": (
        "tests/contract/test_contract_refusals.py::test_a_request_id_that_was_used_otherwise_is_refused"
    ),
}
"""What the comments of files and services name for many RPCs, and the test that goes through them."""

BY_TABLE = [method for method in METHODS.values() if method.asks_for("table_id")]
PROMISED = [(method, reason) for method in METHODS.values() for reason in method.promised]


# The promises themselves


async def test_every_reason_that_an_rpc_names_is_brought_about_by_a_test() -> None:
    promised = {(method.name, reason) for method, reason in PROMISED}
    assert promised == CASES.keys() | ELSEWHERE.keys()


async def test_what_is_tested_elsewhere_is_tested_there() -> None:
    for (_, reason), place in [*ELSEWHERE.items(), *((("", reason), place) for reason, place in EVERYWHERE.items())]:
        file, _, name = place.partition("::")
        source = (ROOT / file).read_text()
        assert f"async def {name}(" in source or name in (reason, error_class(reason)), place
        assert reason in source or error_class(reason) in source, place


def error_class(reason: str) -> str:
    """The name of the exception behind a reason."""
    return reason.title().replace("_", "") + "Error"


async def test_reasons_of_files_and_services_are_brought_about_everywhere() -> None:
    named_anywhere: dict[str, str] = {}
    for path in sorted(PROTOS.glob("levata/*/v1/*.proto")):
        comments = " ".join(line.lstrip("/ ") for line in path.read_text().splitlines() if line.startswith("//"))
        named_anywhere |= promises(comments)
        unknown = shouted(comments) - TEXTS.keys() - STREAMS.keys()
        assert not unknown, f"{path}: reasons without a text: {unknown}"
    assert named_anywhere.keys() == EVERYWHERE.keys()
    assert all(named_anywhere.values())


async def test_every_reason_in_the_contract_has_a_code_and_a_text() -> None:
    for method, reason in PROMISED:
        assert method.promised[reason], f"{method.name}: {reason} stands behind no code"
    for method in METHODS.values():
        unknown = shouted(method.comment) - TEXTS.keys()
        assert not unknown, f"{method.name}: reasons without a text: {unknown}"


# One case for each


def in_language(metadata: Metadata, language: str) -> Metadata:
    """The same call in another language."""
    return (*((key, value) for key, value in metadata if key != "accept-language"), ("accept-language", language))


@pytest.mark.parametrize(
    ("key", "make"), CASES.items(), ids=lambda value: "-".join(value) if isinstance(value, tuple) else ""
)
async def test_a_refusal_is_as_the_contract_says_and_changes_nothing(
    house: WholeClub, key: tuple[str, str], make: Make
) -> None:
    rpc, reason = key
    method = named(rpc)
    refused = await make(house)
    before = await house.everything()
    for language in ("en", "ro"):
        found = await house.refused(method, refused.message, metadata=in_language(refused.metadata, language))
        assert (found.code.name, found.reason, found.domain) == (method.promised[reason], reason, "levata")
        assert (found.locale, found.text) == (language, text(reason, language, found.metadata))
        assert "{" not in found.text
        assert "  " not in found.text
        for name, value in (refused.told or {}).items():
            assert found.metadata.get(name) == value or (value is None and found.metadata.get(name))
        assert set(refused.fields) <= set(found.violations)
        assert (found.retry_seconds is not None and found.retry_seconds > 0) == refused.retry
    assert await house.everything() == before


# Tables that are not there


@pytest.mark.parametrize("method", BY_TABLE, ids=lambda method: method.name)
async def test_a_table_that_is_not_yours_to_know_is_not_there(house: WholeClub, method: Method) -> None:
    private = await house.table("Ana", "Bogdan", "Carmen", visibility=pb.VISIBILITY_PRIVATE)
    waiting = await house.table("Ana", start=False, visibility=pb.VISIBILITY_PRIVATE)
    before = await house.everything()
    told_of: list[object] = []
    for table in (private, waiting, UNKNOWN_TABLE):
        for language in ("en", "ro"):
            stranger = house.me(fresh("Stranger"), language)
            found = await house.refused(method, good(method, Place(table)), metadata=stranger)
            assert (found.code, found.reason, found.domain) == (Code.NOT_FOUND, "TABLE_NOT_FOUND", "levata")
            assert (found.locale, found.text) == (language, text("TABLE_NOT_FOUND", language))
            told_of.append((found.message, found.metadata, found.violations, found.retry_seconds))
    assert told_of[1:] == told_of[:-1], "what is private can be told from what is unknown"
    assert await house.everything() == before


async def test_a_watch_within_play_table_is_refused_like_any_other(house: WholeClub) -> None:
    private = await house.table("Ana", visibility=pb.VISIBILITY_PRIVATE)
    for table in (private, UNKNOWN_TABLE):
        found = await house.refused("PlayTable", good(named("PlayTable"), Place(table)), metadata=house.me("Dan"))
        assert (found.code, found.reason) == (Code.NOT_FOUND, "TABLE_NOT_FOUND")


async def test_a_table_with_a_damaged_log_is_frozen_for_every_rpc(house: WholeClub) -> None:
    table = await house.table("Ana", "Bogdan", "Carmen")
    state = await house.bus.last("TABLES", f"tables.log.{table}")
    assert state is not None
    await house.bus.append(f"tables.log.{table}", b'{"n":1,"prev":"","at":1,"facts":[]}', state[0])
    for method in [*BY_TABLE, named("PlayTable")]:
        while True:  # the damage is heard of, not asked for
            try:
                await house.call(method, good(method, Place(table)), metadata=house.me("Ana"))
            except grpc.aio.AioRpcError as error:
                found = told(error)
                break
        assert (method.name, found.code, found.reason) == (method.name, Code.DATA_LOSS, "TABLE_FROZEN")
        assert found.text == TEXTS["TABLE_FROZEN"].en


# Repeats


async def changes(house: WholeClub) -> list[tuple[str, object, Metadata]]:
    """For every RPC that takes a request id: a request that makes a change, and whoever may send it."""
    found: list[tuple[str, object, Metadata]] = []

    def add(rpc: str, who: str, table: str, **values: object) -> None:
        message = good(named(rpc), Place(table))
        for name, value in values.items():
            setattr(message, name, value)
        found.append((rpc, message, house.me(who)))

    full = ("Ana", "Bogdan", "Carmen")
    playing = await house.table(*full)
    found.append(("CreateTable", table_request(3, absence_seconds=300), house.me("Ana")))
    add("JoinTable", "Bogdan", await house.table("Ana", start=False))
    add("LeaveTable", "Bogdan", await house.table("Ana", "Bogdan", start=False))
    add("StartTable", "Ana", await house.table(*full, start=False))
    add("StopTable", "Ana", await house.table(*full))
    add("UpdateTable", "Ana", playing)
    add("SubmitAction", "Ana", playing)
    add("SendChat", "Bogdan", playing)
    add("MutePlayer", "Ana", playing)
    asking = await house.table("Ana", "Bogdan")
    add("RequestSeat", "Dan", asking)
    other = await house.table("Ana", "Bogdan")
    await do(house, "Dan", "RequestSeat", other)
    add("AnswerSeatRequest", "Ana", other)
    add("RemovePlayer", "Ana", await house.table(*full))
    found.append(("CreateTicket", good(named("CreateTicket")), house.me(fresh("Waiter"))))
    found.append(("CreateGuest", good(named("CreateGuest")), ()))
    guest = await house.call("CreateGuest", good(named("CreateGuest")))
    refresh = good(named("RefreshTokens"))
    refresh.refresh_token = guest.tokens.refresh_token  # type: ignore[attr-defined]
    found.append(("RefreshTokens", refresh, ()))
    return found


async def test_a_repeat_gets_the_first_answer_and_changes_nothing(house: WholeClub) -> None:
    requests = await changes(house)
    assert {rpc for rpc, _, _ in requests} == {
        method.name for method in METHODS.values() if method.asks_for("request_id")
    }
    for rpc, message, metadata in requests:
        start = await house.everything()
        first = await house.call(rpc, message, metadata=metadata)  # type: ignore[arg-type]
        if isinstance(message, pb.StopTableRequest):
            await house.told(message.table_id)
        before = await house.everything()
        assert before != start, f"{rpc} changed nothing"
        again = await house.call(rpc, message, metadata=metadata)  # type: ignore[arg-type]
        if rpc == "CreateGuest":  # the same account, signed in once more
            assert again.account == first.account
            assert again.tokens.access_token
        elif rpc == "RefreshTokens":
            assert again.tokens.refresh_token == first.tokens.refresh_token
        else:
            assert again == first, rpc
            assert await house.everything() == before, rpc


async def test_while_an_operator_has_a_table_frozen_no_rpc_changes_it(house: WholeClub) -> None:
    operator = Operator(TableLog(house.bus), Timers(house.bus), now)
    frozen: set[str] = set()
    for rpc, message, metadata in await changes(house):
        table = getattr(message, "table_id", "")
        if not table:
            continue
        if table not in frozen:
            frozen.add(table)
            await operator.intervene(table, FreezeTable("mihai", "why", "A note."))
        for language in ("en", "ro"):
            found = await house.refused(rpc, message, metadata=in_language(metadata, language))  # type: ignore[arg-type]
            assert (rpc, found.code, found.reason) == (rpc, Code.FAILED_PRECONDITION, "FROZEN_BY_OPERATOR")
            assert (found.locale, found.text) == (language, text("FROZEN_BY_OPERATOR", language))
    assert len(frozen) > 5
    for table in frozen:
        seen = await operator.inspect(table)
        assert seen.damaged is None
        assert seen.state.revision == next(line.record.n for line in seen.lines if _freezes(line.record))


def _freezes(record: f.Record | None) -> TypeGuard[f.Record]:
    return record is not None and isinstance(record.facts[0], f.TableFrozen)


SAME_OTHERWISE: dict[str, dict[str, object]] = {
    "CreateTable": {"options": table_request(4, absence_seconds=300).options},
    "JoinTable": {"seat": 2},
    "UpdateTable": {"bot_talk": pb.BOT_TALK_UNCENSORED},
    "SubmitAction": {"revision": 1},
    "SendChat": {"text": "alte vorbe"},
    "MutePlayer": {"seat": 2},
    "AnswerSeatRequest": {"admit": False},
    "RemovePlayer": {"seat": 2},
    "CreateTicket": {"queue_id": "arzoi-8"},
    "CreateGuest": {"name": "Other Name"},
}
"""Another body for the same request id. (With another refresh token it is another session, and another request.)"""

NOTHING_ELSE = ("LeaveTable", "StartTable", "StopTable", "RequestSeat")
"""They say nothing but the table: with the same id they look alike, and are four requests all the same."""


async def test_a_request_id_that_was_used_otherwise_is_refused(house: WholeClub) -> None:
    for rpc, message, metadata in await changes(house):
        if rpc == "RefreshTokens":
            continue
        await house.call(rpc, message, metadata=metadata)  # type: ignore[arg-type]
        if isinstance(message, pb.StopTableRequest):
            await house.told(message.table_id)
        before = await house.everything()
        others: list[tuple[str, object]] = []
        if rpc in SAME_OTHERWISE:
            other = type(message)()
            other.CopyFrom(message)  # type: ignore[attr-defined]
            for name, value in SAME_OTHERWISE[rpc].items():
                if isinstance(value, pb.TableOptions):
                    getattr(other, name).CopyFrom(value)
                else:
                    setattr(other, name, value)
            others.append((rpc, other))
        else:
            assert rpc in NOTHING_ELSE
            for another in NOTHING_ELSE:
                if another != rpc:
                    data = message.SerializeToString()  # type: ignore[attr-defined]
                    others.append((another, named(another).request.FromString(data)))
        for name, other in others:
            for language in ("en", "ro"):
                call = in_language(metadata, language)
                found = await house.refused(name, other, metadata=call)  # type: ignore[arg-type]
                said = (rpc, name, found.code, found.reason)
                assert said == (rpc, name, Code.ALREADY_EXISTS, "REQUEST_ID_REUSED")
                assert (found.locale, found.text) == (language, text("REQUEST_ID_REUSED", language))
        assert await house.everything() == before


# Streams that end with an error


async def test_a_spectator_of_a_table_made_private_is_told_so_in_both_languages(house: WholeClub) -> None:
    for language in ("en", "ro"):
        table = await house.table("Ana", "Bogdan", "Carmen")
        channel = await house.channel("table")
        method = named("WatchTable")
        opened: Any = channel.unary_stream(
            method.path, pb.WatchTableRequest.SerializeToString, method.response.FromString
        )
        watch = Watch(opened(pb.WatchTableRequest(table_id=table), metadata=house.me("Dan", language)))
        await watch.update()
        await do(house, "Ana", "UpdateTable", table, visibility=pb.VISIBILITY_PRIVATE)
        _, error = await watch.to_its_end()
        found = told(error)
        assert (found.code, found.reason, found.domain) == (Code.PERMISSION_DENIED, "NOT_WATCHABLE", "levata")
        assert (found.locale, found.text) == (language, text("NOT_WATCHABLE", language))


# Malformed in a way that no rule of a field can say


@pytest.mark.parametrize(
    ("rpc", "values", "field"),
    [
        ("CreateTable", {"options": table_request(2).options}, "options.seats"),
        ("SendChat", {"text": "\u202e\x07"}, "text"),
        ("SubmitAction", {"action": game_pb2.GameAction.FromString(b"\x0a\x02\x20\x00")}, "action.arzoi.leave"),
    ],
)
async def test_what_only_the_table_can_tell_is_malformed_all_the_same(
    house: WholeClub, rpc: str, values: dict[str, object], field: str
) -> None:
    table = await house.table("Ana", "Bogdan", "Carmen")
    message = good(named(rpc), Place(table))
    for name, value in values.items():
        if isinstance(value, str):
            setattr(message, name, value)
        else:
            getattr(message, name).CopyFrom(value)
    before = await house.everything()
    found = await house.refused(rpc, message, metadata=house.me("Ana"))
    assert (found.code, found.reason) == (Code.INVALID_ARGUMENT, "BAD_REQUEST")
    assert field in found.violations
    assert await house.everything() == before


async def test_a_service_that_makes_a_table_is_held_to_its_seats(house: WholeClub) -> None:
    before = await house.everything()
    for players in (["a", "b", "c", "d"], ["a", "a"]):
        message = table_request(3)
        for player in players:
            message.players.add(player_id=player, name=player)
        found = await house.refused("CreateTable", message, metadata=house.service())
        assert (found.code, found.reason, set(found.violations)) == (Code.INVALID_ARGUMENT, "BAD_REQUEST", {"players"})
    assert await house.everything() == before


async def test_an_action_of_a_bot_is_refused_without_its_token_or_for_another_table(house: WholeClub) -> None:
    table = await house.table("Ana", "Bogdan", "Carmen")
    before = await house.everything()
    message = pb.SubmitActionRequest(request_id=fresh(), table_id=table, action=CHOICE)
    found = await house.refused("SubmitAction", message, metadata=house.service("bot"))
    assert (found.code, found.reason) == (Code.PERMISSION_DENIED, "NOT_SEATED")
    message.chat = "psst"
    found = await house.refused("SubmitAction", message, metadata=house.me("Ana"))
    assert (found.code, found.reason) == (Code.PERMISSION_DENIED, "SERVICE_ONLY")
    assert await house.everything() == before
