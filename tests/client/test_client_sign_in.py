"""Signing in, tokens and repeated calls, against services that fail as told."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc
import pytest

from shared.client.credentials import AnotherPlayerKeptError, Credentials, FileStore, MemoryStore
from shared.client.errors import ClubError, connection_lost
from shared.client.tokens import TokenKeeper
from shared.gen.levata.ledger.v1 import identity_pb2
from shared.gen.levata.table.v1 import table_pb2
from tests.support.scripted_club import DRAINING, TABLE_ID, Refused, ScriptedClub

GET = table_pb2.GetTableRequest(table_id=TABLE_ID)


async def test_a_new_guest_is_made_and_kept_on_the_device(scripted: ScriptedClub, enter: Any, tmp_path: Path) -> None:
    store = FileStore(tmp_path / "me.json")
    async with enter(token=None, store=store) as club:
        signed_in = await club.sign_in_guest("Ana")
        await club.tables.GetTable(GET)
        assert club.player_id == "id-ana"
    assert store.load() == signed_in
    assert scripted.tables.tokens == ["Ana-1"]
    assert scripted.tables.languages == ["en"]
    assert scripted.identity.accounts["ana"][1] == signed_in.device_secret


async def test_the_same_device_comes_back_as_the_same_guest_without_a_call(scripted: ScriptedClub, enter: Any) -> None:
    store = MemoryStore()
    async with enter(token=None, store=store) as club:
        await club.sign_in_guest("Ana")
    async with enter(token=None, store=store) as club:
        await club.sign_in_guest("ANA")
        await club.tables.GetTable(GET)
    assert scripted.identity.calls == ["CreateGuest"]
    assert scripted.tables.tokens == ["Ana-1"]


async def test_a_device_with_old_tokens_refreshes_them(scripted: ScriptedClub, enter: Any) -> None:
    store = MemoryStore()
    async with enter(token=None, store=store) as club:
        await club.sign_in_guest("Ana")
    scripted.identity.clock += 86400
    async with enter(token=None, store=store) as club:
        assert (await club.sign_in_again()).player_id == "id-ana"
    assert scripted.identity.calls == ["CreateGuest", "RefreshTokens"]


async def test_a_device_whose_tokens_have_all_ended_signs_in_by_its_secret(scripted: ScriptedClub, enter: Any) -> None:
    store = MemoryStore()
    async with enter(token=None, store=store) as club:
        await club.sign_in_guest("Ana")
    scripted.identity.clock += 40 * 86400
    async with enter(token=None, store=store) as club:
        await club.sign_in_guest("Ana")
    assert scripted.identity.calls == ["CreateGuest", "SignIn"]


async def test_a_refresh_token_that_is_refused_is_replaced_by_signing_in(scripted: ScriptedClub, enter: Any) -> None:
    store = MemoryStore()
    async with enter(token=None, store=store) as club:
        await club.sign_in_guest("Ana")
        scripted.identity.refresh.clear()
        scripted.identity.clock += 880
        await club.tables.GetTable(GET)
    assert scripted.identity.calls == ["CreateGuest", "RefreshTokens", "SignIn"]
    assert scripted.tables.tokens == ["Ana-2"]


async def test_a_club_that_was_set_up_anew_gets_the_guest_again(scripted: ScriptedClub, enter: Any) -> None:
    store = MemoryStore()
    async with enter(token=None, store=store) as club:
        first = await club.sign_in_guest("Ana")
    scripted.identity.accounts.clear()
    scripted.identity.refresh.clear()
    scripted.identity.clock += 86400
    async with enter(token=None, store=store) as club:
        again = await club.sign_in_guest("Ana")
    assert again.device_secret == first.device_secret
    assert scripted.identity.calls == ["CreateGuest", "RefreshTokens", "SignIn", "CreateGuest"]


async def test_a_name_that_somebody_else_has_is_refused_and_nothing_is_kept(scripted: ScriptedClub, enter: Any) -> None:
    scripted.identity.accounts["ana"] = ("other", b"another secret!!")
    store = MemoryStore()
    async with enter(token=None, store=store) as club:
        with pytest.raises(ClubError) as raised:
            await club.sign_in_guest("Ana")
    assert (raised.value.code, raised.value.reason) == (grpc.StatusCode.ALREADY_EXISTS, "NAME_TAKEN")
    assert store.load() is None


async def test_a_refused_name_does_not_cost_the_account_that_was_kept(scripted: ScriptedClub, enter: Any) -> None:
    scripted.identity.accounts["ion"] = ("other", b"another secret!!")
    store = MemoryStore()
    async with enter(token=None, store=store) as club:
        kept = await club.sign_in_guest("Ana")
        with pytest.raises(ClubError, match="NAME_TAKEN"):
            await club.sign_in_guest("Ion")
    assert store.load() == kept


async def test_two_processes_that_know_nobody_do_not_write_each_others_player_over(
    scripted: ScriptedClub, enter: Any, tmp_path: Path
) -> None:
    path = tmp_path / "me.json"
    async with enter(token=None, store=FileStore(path)) as one, enter(token=None, store=FileStore(path)) as other:
        assert await other.sign_in_again() is None
        ion = await one.sign_in_guest("Ion")
        with pytest.raises(AnotherPlayerKeptError, match="Ion"):
            await other.sign_in_guest("Ana")
        assert FileStore(path).load() == ion
        assert await other.sign_in_again() == ion
    assert scripted.identity.calls == ["CreateGuest"]


async def test_a_name_that_got_no_answer_can_be_given_up_for_another_by_whoever_gave_it() -> None:
    asked: list[str] = []

    async def create(request: identity_pb2.CreateGuestRequest) -> identity_pb2.CreateGuestResponse:
        asked.append(request.name)
        if len(asked) == 1:
            raise connection_lost("no answer")
        return identity_pb2.CreateGuestResponse(account=identity_pb2.Account(player_id="id", name=request.name))

    ledger: Any = SimpleNamespace(CreateGuest=create)
    store = MemoryStore()
    keeper, stranger = TokenKeeper(ledger, store), TokenKeeper(ledger, store)
    with pytest.raises(ClubError):
        await keeper.create("Ion", b"i" * 32)
    with pytest.raises(AnotherPlayerKeptError, match="Ion"):
        await stranger.create("Ana", b"a" * 32)
    assert (await keeper.create("Ioan", b"j" * 32)).name == "Ioan"
    assert asked == ["Ion", "Ioan"]


async def test_a_device_that_lost_the_answer_to_its_first_call_gets_its_account_all_the_same(
    scripted: ScriptedClub, enter: Any
) -> None:
    store = MemoryStore()
    secret = b"s" * 32
    store.save(Credentials(name="Ana", device_secret=secret))
    scripted.identity.accounts["ana"] = ("id-ana", secret)
    async with enter(token=None, store=store) as club:
        assert (await club.sign_in_guest("Ana")).player_id == "id-ana"
    assert scripted.identity.calls == ["SignIn"]


async def test_a_secret_kept_elsewhere_opens_its_account_or_makes_it(scripted: ScriptedClub, enter: Any) -> None:
    secret = b"k" * 32
    for expected in (["SignIn", "CreateGuest"], ["SignIn", "CreateGuest", "SignIn"]):
        async with enter(token=None) as club:
            assert (await club.sign_in_guest("Ana", secret)).player_id == "id-ana"
        assert scripted.identity.calls == expected


async def test_a_token_is_renewed_before_it_ends(scripted: ScriptedClub, enter: Any) -> None:
    async with enter(token=None) as club:
        await club.sign_in_guest("Ana")
        for _ in range(3):
            await club.tables.GetTable(GET)
            scripted.identity.clock += 850
    assert scripted.tables.tokens == ["Ana-1", "Ana-2", "Ana-3"]


async def test_a_token_that_is_refused_is_replaced_once(scripted: ScriptedClub, enter: Any) -> None:
    async with enter(token=None) as club:
        await club.sign_in_guest("Ana")
        scripted.tables.bad_tokens = {"Ana-1"}
        await club.tables.GetTable(GET)
        scripted.tables.bad_tokens |= {"Ana-2", "Ana-3"}
        with pytest.raises(ClubError) as raised:
            await club.tables.GetTable(GET)
    assert raised.value.reason == "TOKEN_EXPIRED"
    assert scripted.tables.tokens == ["Ana-1", "Ana-2", "Ana-2", "Ana-3"]


async def test_a_stream_whose_token_is_refused_gets_another(scripted: ScriptedClub, enter: Any) -> None:
    await scripted.tables.say("x")
    async with enter(token=None) as club:
        await club.sign_in_guest("Ana")
        scripted.tables.bad_tokens = {"Ana-1"}
        async for update in club.watch(TABLE_ID):
            assert update.snapshot
            break
        scripted.tables.bad_tokens = {"Ana-1", "Ana-2"}
        async with club.play(TABLE_ID) as session:
            assert session.revision == 1
    assert scripted.tables.tokens == ["Ana-1", "Ana-2", "Ana-2", "Ana-3"]


async def test_a_stream_without_a_token_that_helps_ends(scripted: ScriptedClub, enter: Any) -> None:
    await scripted.tables.say("x")
    scripted.tables.bad_tokens = {"fixed"}
    async with enter(token="fixed") as club:
        with pytest.raises(ClubError, match="TOKEN_EXPIRED"):
            async with club.play(TABLE_ID):
                pass
    assert scripted.tables.tokens == ["fixed"]


async def test_a_refresh_whose_answer_was_lost_is_repeated_with_the_same_id(
    scripted: ScriptedClub, enter: Any, sleeps: Any
) -> None:
    async with enter(token=None) as club:
        await club.sign_in_guest("Ana")
        scripted.identity.clock += 880
        scripted.identity.lose_answers = 6
        await club.tables.GetTable(GET)
    assert scripted.identity.issued == 2
    assert scripted.tables.tokens == ["Ana-2"]


async def test_while_the_ledger_is_away_a_token_that_still_holds_is_used(scripted: ScriptedClub, enter: Any) -> None:
    async with enter(token=None) as club:
        await club.sign_in_guest("Ana")
        scripted.identity.clock += 880
        club._keeper._identity = type("Away", (), {"RefreshTokens": staticmethod(_away)})()
        await club.tables.GetTable(GET)
        scripted.identity.clock += 880
        with pytest.raises(ClubError) as raised:
            await club.tables.GetTable(GET, timeout=1.0)
    assert raised.value.code is grpc.StatusCode.UNAVAILABLE
    assert scripted.tables.tokens == ["Ana-1"]


async def test_calls_that_servers_broke_off_when_they_stopped_are_made_again(
    scripted: ScriptedClub, enter: Any
) -> None:
    """More of them than gRPC itself tries again."""
    scripted.tables.get_refusals += [Refused(grpc.StatusCode.CANCELLED)] * 6
    async with enter(token="fixed") as club:
        await club.tables.GetTable(GET)
    assert not scripted.tables.get_refusals


async def _away(_: Any) -> Any:
    raise ClubError(grpc.StatusCode.UNAVAILABLE, "UNAVAILABLE", "away", answered=False)


@pytest.mark.parametrize("code", [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED])
async def test_a_call_waits_for_a_ledger_that_is_away_when_its_token_has_ended(
    scripted: ScriptedClub, enter: Any, code: grpc.StatusCode
) -> None:
    async with enter(token=None) as club:
        await club.sign_in_guest("Ana")
        scripted.identity.clock += 1000
        there = club._keeper._identity
        attempts: list[Any] = []

        async def back_at_the_third(request: Any) -> Any:
            attempts.append(request)
            if len(attempts) < 3:
                raise ClubError(code, code.name, "away", answered=False)
            return await there.RefreshTokens(request)

        club._keeper._identity = type("Away", (), {"RefreshTokens": staticmethod(back_at_the_third)})()
        await club.tables.GetTable(GET)
    assert len(attempts) == 3
    assert scripted.tables.tokens == ["Ana-2"]


async def test_two_processes_share_the_tokens_of_one_device(scripted: ScriptedClub, enter: Any, tmp_path: Path) -> None:
    path = tmp_path / "me.json"
    async with enter(token=None, store=FileStore(path)) as one, enter(token=None, store=FileStore(path)) as other:
        await one.sign_in_guest("Ana")
        await other.sign_in_again()
        scripted.identity.clock += 880
        await one.tables.GetTable(GET)
        await other.tables.GetTable(GET)
    assert scripted.identity.calls == ["CreateGuest", "RefreshTokens"]
    assert scripted.tables.tokens == ["Ana-2", "Ana-2"]


async def test_signing_out_revokes_and_keeps_the_secret(scripted: ScriptedClub, enter: Any) -> None:
    store = MemoryStore()
    async with enter(token=None, store=store) as club:
        signed_in = await club.sign_in_guest("Ana")
        await club.sign_out()
        await club.tables.GetTable(GET)
        assert scripted.tables.tokens == [""]
        kept = store.load()
        assert kept is not None
        assert (kept.device_secret, kept.access_token) == (signed_in.device_secret, "")
        await club.sign_in_guest("Ana")
        assert scripted.identity.calls == ["CreateGuest", "SignOut", "SignIn"]


async def test_a_renamed_player_signs_in_by_the_new_name(scripted: ScriptedClub, enter: Any) -> None:
    store = MemoryStore()
    async with enter(token=None, store=store) as club:
        await club.sign_in_guest("Ana")
        assert (await club.rename("Anca")).name == "Anca"
        scripted.identity.accounts["ion"] = ("other", b"another secret!!")
        with pytest.raises(ClubError, match="NAME_TAKEN"):
            await club.rename("Ion")
    scripted.identity.clock += 40 * 86400
    async with enter(token=None, store=store) as club:
        again = await club.sign_in_again()
    assert (again.name, again.player_id) == ("Anca", "id-ana")


async def test_a_call_waits_as_long_as_it_is_told_and_is_repeated(
    scripted: ScriptedClub, enter: Any, sleeps: Any
) -> None:
    scripted.tables.get_refusals += [DRAINING] * 2
    async with enter() as club:
        await club.tables.GetTable(GET)
    assert sleeps.seconds == pytest.approx([2.1, 2.2])


async def test_a_call_is_not_repeated_beyond_its_deadline(scripted: ScriptedClub, enter: Any, sleeps: Any) -> None:
    scripted.tables.get_refusals.append(DRAINING)
    async with enter() as club:
        with pytest.raises(ClubError) as raised:
            await club.tables.GetTable(GET, timeout=2.0)
    assert (raised.value.reason, raised.value.retry_after) == ("DRAINING", 2.0)
    assert sleeps.seconds == []


async def test_other_refusals_are_raised_at_once_with_their_details(scripted: ScriptedClub, enter: Any) -> None:
    scripted.tables.get_refusals += [
        Refused(grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_FAST", retry_seconds=1.5, metadata={"a": "b"}, message="slow"),
        Refused(grpc.StatusCode.NOT_FOUND),
    ]
    async with enter() as club:
        with pytest.raises(ClubError) as raised:
            await club.tables.GetTable(GET)
        error = raised.value
        assert (error.reason, error.retry_after, error.metadata, error.message, error.answered) == (
            "TOO_FAST",
            1.5,
            {"a": "b"},
            "slow",
            True,
        )
        with pytest.raises(ClubError) as bare:
            await club.tables.GetTable(GET)
        assert (bare.value.reason, bare.value.answered) == ("NOT_FOUND", False)


async def test_nobody_signs_in_on_a_club_with_a_token_of_somebody_else(enter: Any) -> None:
    async with enter(token="fixed") as club:
        assert club.player_id == ""
        with pytest.raises(RuntimeError):
            await club.sign_in_guest("Ana")
