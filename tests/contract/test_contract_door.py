"""What every RPC refuses before it looks at anything: bad tokens, broken messages, bytes that are none, late calls."""

import base64
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import grpc
import jwt
import pytest
from google.protobuf.message import Message

from shared.errors import LevataError
from shared.gen.levata.table.v1 import table_pb2 as pb
from shared.messages import TEXTS
from shared.rpc.validation import EXPLAINED_BYTES, MAX_VIOLATIONS, validate
from tests.support.contract import METHODS, Method, breaches, messages_within, named
from tests.support.good_requests import CHOICE, GOOD, Place, good
from tests.support.statuses import Told
from tests.support.table_service import WITHIN, fresh
from tests.support.tokens import TokenIssuer, bearer
from tests.support.whole_club import Metadata, WholeClub

pytestmark = pytest.mark.asyncio(loop_scope="session")
Code = grpc.StatusCode
EVERY = list(METHODS.values())
CLOSED = [method for method in EVERY if not method.public]
GARBAGE = (b"\xff", b"\x0a\xff\xff\xff\xff\x0f", b"\x0a\x02\xc3\x28", b"\x0b\x0a", bytes(range(256)))
"""No messages: a tag cut off, a length beyond the end, text that is no UTF-8, a group that never ends."""


def check(told: Told, code: grpc.StatusCode, reason: str, language: str = "en") -> None:
    """The status is complete: code, reason, domain, and a text in the caller's language."""
    assert (told.code, told.reason, told.domain) == (code, reason, "levata")
    text = TEXTS[reason].ro if language == "ro" else TEXTS[reason].en
    assert (told.locale, told.text) == (language, text)
    assert told.message.startswith(f"{reason}: {TEXTS[reason].en}")
    assert told.request_id


async def test_there_is_a_good_request_for_every_rpc(house: WholeClub) -> None:
    assert set(GOOD) == {method.name for method in EVERY}
    assert {method.path.split("/")[1] for method in EVERY} == {
        service for running in house.services.values() for service in running.harness.services
    }


# Tokens


def bad_tokens(issuer: TokenIssuer, folder: Path) -> Iterator[tuple[str, Metadata, str]]:
    """What is wrong with a token, the metadata that brings it, and the reason to be told."""
    stranger = TokenIssuer(folder / "stranger", key_id=issuer.key_id)
    elsewhere = TokenIssuer(folder / "elsewhere", issuer="https://elsewhere.example")
    now = int(time.time())
    claims = {"iss": "levata", "aud": "levata", "sub": "p-ana", "name": "Ana", "iat": now, "exp": now + 600}
    public = json.loads(issuer.jwks_file.read_text())["keys"][0]["x"]
    shared = base64.urlsafe_b64decode(public + "=")
    header = {"kid": issuer.key_id}
    good_token = issuer.token("p-ana", "Ana")
    head, body, signature = good_token.split(".")
    swapped = base64.urlsafe_b64encode(json.dumps({**claims, "sub": "p-bogdan"}).encode()).rstrip(b"=").decode()
    yield "none", (("accept-language", "en"),), "TOKEN_MISSING"
    yield "an empty one", bearer(""), "TOKEN_MISSING"
    yield "expired", bearer(issuer.token("p-ana", "Ana", seconds=-60)), "TOKEN_EXPIRED"
    for what, token in (
        ("another issuer", elsewhere.token("p-ana", "Ana")),
        ("another key under our name", stranger.token("p-ana", "Ana")),
        ("signed with the public key as a secret", jwt.encode(claims, shared, algorithm="HS256", headers=header)),
        ("not signed at all", jwt.encode(claims, "", algorithm="none", headers=header)),
        ("another body under the signature", f"{head}.{swapped}.{signature}"),
        ("without a signature", f"{head}.{body}."),
        ("an unknown key", jwt.encode(claims, stranger._key, algorithm="EdDSA", headers={"kid": "unknown"})),
        ("for another audience", issuer.token("p-ana", "Ana", aud="others")),
        ("of nobody", issuer.token("", "Ana")),
        ("without an end", issuer.token("p-ana", "Ana", exp=None)),
        ("not yet valid", issuer.token("p-ana", "Ana", nbf=now + 600)),
        ("no token", "nonsense"),
        ("far too long", good_token + "A" * 4096),
    ):
        yield what, bearer(token), "TOKEN_INVALID"
    yield "another scheme", (("authorization", "Basic YW5hOmFuYQ=="), ("accept-language", "en")), "TOKEN_INVALID"


@pytest.mark.parametrize("method", CLOSED, ids=lambda method: method.name)
async def test_without_a_good_token_nothing_is_done(house: WholeClub, tmp_path: Path, method: Method) -> None:
    before = await house.everything()
    for what, metadata, reason in bad_tokens(house.club.issuer, tmp_path):
        told = await house.refused(method, good(method), metadata=metadata)
        assert (what, told.code, told.reason) == (what, Code.UNAUTHENTICATED, reason)
        check(told, Code.UNAUTHENTICATED, reason)
    for language in ("ro", "en"):
        check(
            await house.refused(method, good(method), metadata=(("accept-language", language),)),
            Code.UNAUTHENTICATED,
            "TOKEN_MISSING",
            language,
        )
    assert await house.everything() == before


@pytest.mark.parametrize("method", [method for method in EVERY if method.public], ids=lambda method: method.name)
async def test_what_wants_no_token_looks_at_none(house: WholeClub, tmp_path: Path, method: Method) -> None:
    for _, metadata, _ in bad_tokens(house.club.issuer, tmp_path):
        try:
            await house.call(method, good(method), metadata=metadata)
        except grpc.aio.AioRpcError as error:
            reason = str(error.details()).partition(":")[0]
            assert reason in method.promised


# Broken messages


def broken_messages(method: Method, place: Place) -> list[Any]:
    """Breaches that can come first on the wire: on a stream that begins with a watch, those of the watch."""
    found = breaches(good(method, place))
    if method.name != "PlayTable":
        return found
    return [one for one in found if one.field.startswith("watch.")]


@pytest.mark.parametrize("method", EVERY, ids=lambda method: method.name)
async def test_every_broken_rule_is_refused_by_the_name_of_its_field(house: WholeClub, method: Method) -> None:
    table = await house.table("Ana", "Bogdan", "Carmen")
    before = await house.everything()
    for number, breach in enumerate(broken_messages(method, Place(table))):
        language = ("ro", "en")[number % 2]
        told = await house.refused(method, breach.message, metadata=house.me("Ana", language))
        what = f"{breach.field} {breach.how}"
        assert (what, told.code, told.reason) == (what, Code.INVALID_ARGUMENT, "BAD_REQUEST")
        check(told, Code.INVALID_ARGUMENT, "BAD_REQUEST", language)
        assert breach.field in told.violations, f"{what}: {told.violations}"
        assert all(told.violations.values())
    assert await house.everything() == before


async def test_fields_with_rules_are_found_in_the_descriptors() -> None:
    fields = {breach.field for breach in breaches(good(named("CreateTable")))}
    assert {
        "request_id",
        "options",
        "options.game",
        "options.game.game",
        "options.seats",
        "options.clock.bid_seconds",
        "options.clock.bank_seconds",
        "options.absence_seconds",
        "options.bot_level",
        "options.visibility",
        "players",
        "players[0].player_id",
        "players[0].name",
    } <= fields
    deep = {breach.field for breach in breaches(good(named("SuggestMove")))}
    assert {"history", "history[0].action_taken.action.arzoi.play", "private.legal_actions[0].arzoi.bid"} <= deep
    with_rules = [method for method in EVERY if breaches(good(method))]
    assert len(with_rules) > 25


@pytest.mark.parametrize("method", EVERY, ids=lambda method: method.name)
async def test_no_message_can_hold_itself_so_that_none_is_deep(method: Method) -> None:
    for kind in (method.request.DESCRIPTOR, method.response.DESCRIPTOR):
        held = messages_within(kind)
        assert [name for name, inner in held.items() if name in messages_within(inner)] == []


@pytest.mark.parametrize("method", EVERY, ids=lambda method: method.name)
async def test_an_empty_message_is_refused_or_means_the_defaults(house: WholeClub, method: Method) -> None:
    needed = {breach.field for breach in breaches(method.request())} & wanted(method.request())
    before = await house.everything()
    if not needed:
        try:
            await house.call(method, b"", metadata=house.me("Nobody"))
        except grpc.aio.AioRpcError as error:
            assert error.code() is Code.NOT_FOUND  # noqa: PT017 - the caller's own, of which there is none
    else:
        told = await house.refused(method, b"", metadata=house.me("Ana"))
        check(told, Code.INVALID_ARGUMENT, "BAD_REQUEST")
        assert needed <= set(told.violations)
    assert await house.everything() == before


def wanted(empty: Message) -> set[str]:
    """Fields that an empty message lacks: every rule of theirs is broken by the default."""
    try:
        validate(empty)
    except LevataError as error:
        return {field for field, _ in error.violations}
    return set()


@pytest.mark.parametrize("method", EVERY, ids=lambda method: method.name)
async def test_bytes_that_are_no_message_are_the_callers_mistake(house: WholeClub, method: Method) -> None:
    before = await house.everything()
    for garbage in GARBAGE:
        try:
            method.request.FromString(garbage)
        except Exception:
            told = await house.refused(method, garbage, metadata=house.me("Ana"))
            check(told, Code.INVALID_ARGUMENT, "BAD_REQUEST")
    assert await house.everything() == before


def within(number: int, inside: bytes) -> bytes:
    """A field that holds these bytes."""
    size, length = len(inside), bytearray()
    while size > 0x7F:
        length.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes((number << 3 | 2, *length, size)) + inside


@pytest.mark.parametrize("depth", [1, 20, 90, 10_000])
async def test_a_turn_in_a_turn_is_refused_however_deep_it_goes(house: WholeClub, depth: int) -> None:
    table = await house.table("Ana", "Bogdan", "Carmen")
    before = await house.everything()
    action = within(8, b"R7")
    for _ in range(depth):
        action = within(10, within(1, action))  # RemiAction.turn, RemiTurn.steps
    message = good(named("SubmitAction"), Place(table))
    message.ClearField("action")
    nested = message.SerializeToString() + within(3, within(4, within(10, within(1, action))))
    told = await house.refused("SubmitAction", nested, metadata=house.me("Ana"))
    check(told, Code.INVALID_ARGUMENT, "BAD_REQUEST")
    assert "action.remi.turn.steps[0].step" in told.violations
    assert await house.everything() == before


async def test_of_many_mistakes_in_deep_places_so_many_are_told_as_a_status_can_hold(house: WholeClub) -> None:
    message: Any = good(named("SuggestMove"))
    message.table.Clear()
    message.private.Clear()
    turn = message.private.legal_actions.add().remi.turn
    for _ in range(100):
        turn.steps.add().close_with_atu.melds.add(tiles=["R7", "R8", "no tile"])
    assert message.ByteSize() <= EXPLAINED_BYTES
    told = await house.refused("SuggestMove", message, metadata=house.me("Ana", "ro"))
    check(told, Code.INVALID_ARGUMENT, "BAD_REQUEST", "ro")
    assert 10 < len(told.violations) <= MAX_VIOLATIONS


async def test_a_megabyte_of_mistakes_is_refused_at_the_first_of_them(house: WholeClub) -> None:
    table = await house.table("Ana", "Bogdan", "Carmen")
    message = good(named("SubmitAction"), Place(table))
    message.ClearField("action")
    tiles = within(1, b"XX") * 200_000
    wide = message.SerializeToString() + within(3, within(4, within(4, within(1, tiles))))
    told = await house.refused("SubmitAction", wide, metadata=house.me("Ana"))
    check(told, Code.INVALID_ARGUMENT, "BAD_REQUEST")
    assert list(told.violations) == ["action.remi.lay.melds[0].tiles"]


@pytest.mark.parametrize("method", EVERY, ids=lambda method: method.name)
async def test_a_message_of_two_mebibytes_is_not_taken(house: WholeClub, method: Method) -> None:
    before = await house.everything()
    padding = b"\xfa\xff\xff\xff\x0f"  # the longest number a field can have, unknown to every message
    size = 2 * 1024 * 1024
    big = good(method).SerializeToString() + padding[:5] + b"\x80\x80\x80\x01" + bytes(size)
    told = await house.refused(method, big, metadata=house.me("Ana"))
    assert told.code is Code.RESOURCE_EXHAUSTED
    assert await house.everything() == before


@pytest.mark.parametrize("method", EVERY, ids=lambda method: method.name)
async def test_a_call_whose_deadline_has_passed_does_nothing(house: WholeClub, method: Method) -> None:
    before = await house.everything()
    for seconds in (-1.0, -1e-3):
        told = await house.refused(method, good(method), metadata=house.me("Ana"), seconds=seconds)
        assert told.code is Code.DEADLINE_EXCEEDED
    assert await house.everything() == before


async def test_a_path_that_no_service_has_is_unimplemented(house: WholeClub) -> None:
    for home in house.services:
        channel = await house.channel(home)
        for path in ("/levata.table.v1.TableService/Cheat", "/levata.none.v1.NoneService/GetTable", "/x"):
            call: Any = channel.unary_unary(path)
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await call(b"", metadata=house.me("Ana"), timeout=WITHIN)
            assert caught.value.code() is Code.UNIMPLEMENTED


# Streams


async def replies(house: WholeClub, messages: Sequence[Message | bytes], wanted: int) -> list[pb.Reply]:
    """Sends messages on one PlayTable stream of Ana's; so many replies."""
    channel = await house.channel("table")
    method = named("PlayTable")
    call: Any = channel.stream_stream(
        method.path,
        lambda message: message if isinstance(message, bytes) else message.SerializeToString(),
        pb.PlayTableResponse.FromString,
    )(metadata=house.me("Ana"), timeout=WITHIN)
    for message in messages:
        await call.write(message)
    found: list[pb.Reply] = []
    while len(found) < wanted:
        answer = await call.read()
        assert answer is not grpc.aio.EOF, f"{await call.code()} {await call.details()}"
        if answer.HasField("reply"):
            found.append(answer.reply)
    call.cancel()
    return found


async def test_a_stream_goes_on_after_a_broken_message_and_answers_in_band(house: WholeClub) -> None:
    table = await house.table("Ana", "Bogdan", "Carmen")
    play = pb.PlayTableRequest(submit_action=good(named("SubmitAction"), Place(table)))  # type: ignore[arg-type]
    say = pb.PlayTableRequest(send_chat=good(named("SendChat"), Place(table)))  # type: ignore[arg-type]
    broken = [*breaches(play), *breaches(say)]
    broken = [one for one in broken if one.field != "message" and not one.field.startswith("watch.")]
    opening = pb.PlayTableRequest(watch=pb.WatchTableRequest(table_id=table))
    first = await replies(house, [opening, say], 1)  # presence and chat have happened
    assert first[0].WhichOneof("outcome") == "revision"
    kept = await house.see(table, "Ana")
    answers = await replies(house, [opening, *(one.message for one in broken)], len(broken))
    assert {answer.failure.reason for answer in answers} == {"BAD_REQUEST"}
    assert {answer.failure.code for answer in answers} == {Code.INVALID_ARGUMENT.value[0]}
    assert {answer.failure.message for answer in answers} == {TEXTS["BAD_REQUEST"].en}
    named_fields = [[violation.field for violation in answer.failure.violations] for answer in answers]
    for one, fields in zip(broken, named_fields, strict=True):
        assert any(field.startswith(one.field) for field in fields), (one.field, fields)
    assert all(violation.description for answer in answers for violation in answer.failure.violations)
    assert (await house.see(table, "Ana")).table.game == kept.table.game
    last = pb.PlayTableRequest(
        submit_action=pb.SubmitActionRequest(request_id=fresh("last"), table_id=table, action=CHOICE)
    )
    mixed: list[Message | bytes] = [opening, broken[0].message, GARBAGE[0], pb.PlayTableRequest(), opening, last]
    found = {answer.request_id: answer for answer in await replies(house, mixed, 5)}
    assert found[last.submit_action.request_id].WhichOneof("outcome") == "revision"
    assert found[""].failure.reason == "BAD_REQUEST"


async def test_a_stream_that_begins_with_no_watch_is_refused(house: WholeClub) -> None:
    table = await house.table("Ana", "Bogdan", "Carmen")
    before = await house.everything()
    say = pb.PlayTableRequest(send_chat=good(named("SendChat"), Place(table)))  # type: ignore[arg-type]
    for first in (say, pb.PlayTableRequest()):
        told = await house.refused("PlayTable", first, metadata=house.me("Ana"))
        check(told, Code.INVALID_ARGUMENT, "BAD_REQUEST")
        assert set(told.violations) & {"watch", "message"}
    assert await house.everything() == before


async def test_while_a_server_goes_down_every_rpc_says_when_to_come_back(house: WholeClub) -> None:
    interceptors = [running._interceptor for running in house.services.values()]
    for _ in range(4):
        # Tables of earlier tests may yet write something by themselves; what these calls changed would be there always.
        before = await house.everything()
        try:
            for interceptor in interceptors:
                assert interceptor is not None
                interceptor.draining = True
            for method in EVERY:
                told = await house.refused(method, good(method), metadata=house.me("Ana"))
                check(told, Code.UNAVAILABLE, "DRAINING")
                assert told.retry_seconds == 0.5
                assert told.pushback_milliseconds == 500
        finally:
            for interceptor in interceptors:
                assert interceptor is not None
                interceptor.draining = False
        if await house.everything() == before:
            return
    pytest.fail("calls that were refused changed something")
