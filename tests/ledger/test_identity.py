"""Accounts, sign-in, refresh tokens: the domain on both databases."""

import asyncio
from typing import ClassVar, Literal

import jwt
import pytest
from argon2 import PasswordHasher, extract_parameters
from argon2.exceptions import VerifyMismatchError
from sqlmodel import select

from services.ledger.credentials import Passwords
from services.ledger.errors import (
    BadCredentialsError,
    BadNameError,
    NameTakenError,
    PlayerNotFoundError,
    RefreshInvalidError,
    RefreshReusedError,
    RequestIdReusedError,
    TooManyAttemptsError,
)
from services.ledger.identity import SignedIn
from services.ledger.models import Account, RefreshToken, SignInAttempts, SignInFamily
from services.ledger.sessions import Sessions
from tests.support.ledger import World, secret_of

SECRET = b"sixteen bytes ok"
OTHER = b"sixteen bytes no"


async def test_a_guest_is_made_and_signed_in(world: World) -> None:
    made = await world.identity.create_guest("request-1", "Ana", SECRET)
    assert made.account.name == "Ana"
    assert made.account.password_hash is None
    claims = jwt.decode(
        made.tokens.access_token,
        world.signing.private.public_key(),
        algorithms=["EdDSA"],
        audience="levata",
        issuer="levata",
        options={"verify_exp": False, "verify_iat": False},
    )
    assert claims["sub"] == made.account.player_id
    assert (claims["name"], claims["roles"]) == ("Ana", [])
    assert claims["exp"] == int(made.tokens.access_expires_at.timestamp())
    assert jwt.get_unverified_header(made.tokens.access_token)["kid"] == world.signing.key_id
    assert "-" not in made.account.player_id  # so that no account of another issuer can have the same


async def test_secrets_and_refresh_tokens_are_kept_as_hashes_only(world: World) -> None:
    made = await world.identity.create_guest("request-1", "Ana", SECRET)
    await world.identity.set_password(made.account.player_id, "correct horse", "")
    async with world.database.reading() as session:
        account = (await session.scalars(select(Account))).one()
        tokens = (await session.scalars(select(RefreshToken))).all()
    assert account.device_hash is not None
    assert SECRET not in account.device_hash
    assert account.password_hash is not None
    assert account.password_hash.startswith("$argon2id$")
    assert made.tokens.refresh_token not in [token.token_hash for token in tokens]


async def test_a_repeated_request_gives_the_same_account_with_new_tokens(world: World) -> None:
    first = await world.identity.create_guest("request-1", "Ana", SECRET)
    second = await world.identity.create_guest("request-1", "Ana", SECRET)
    assert second.account.player_id == first.account.player_id
    assert second.tokens.refresh_token != first.tokens.refresh_token
    assert await world.identity.refresh("refresh-1", second.tokens.refresh_token)


async def test_a_repeat_still_finds_the_account_after_it_was_renamed(world: World) -> None:
    first = await world.identity.create_guest("request-1", "Ana", SECRET)
    await world.identity.rename(first.account.player_id, "Maria")
    second = await world.identity.create_guest("request-1", "Ana", SECRET)
    assert (second.account.player_id, second.account.name) == (first.account.player_id, "Maria")


@pytest.mark.parametrize(("name", "secret"), [("Maria", SECRET), ("Ana", OTHER)])
async def test_a_request_id_with_another_body_is_refused(world: World, name: str, secret: bytes) -> None:
    await world.identity.create_guest("request-1", "Ana", SECRET)
    with pytest.raises(RequestIdReusedError):
        await world.identity.create_guest("request-1", name, secret)


@pytest.mark.parametrize("name", ["Ana", "aNa", "  ANA "])
async def test_a_name_is_given_once_whatever_its_case(world: World, name: str) -> None:
    await world.identity.create_guest("request-1", "Ana", SECRET)
    with pytest.raises(NameTakenError):
        await world.identity.create_guest("request-2", name, OTHER)


async def test_of_many_who_want_a_name_at_once_one_gets_it(world: World) -> None:
    wanted = ["Ana", "ANA", "ana", "aNa", "AnA"]
    made = await asyncio.gather(
        *(world.identity.create_guest(f"request-{n}", name, SECRET) for n, name in enumerate(wanted)),
        return_exceptions=True,
    )
    assert sum(isinstance(one, SignedIn) for one in made) == 1
    assert sum(isinstance(one, NameTakenError) for one in made) == len(wanted) - 1
    async with world.database.reading() as session:
        assert len((await session.scalars(select(Account))).all()) == 1


async def test_one_request_sent_many_times_at_once_makes_one_account(world: World) -> None:
    made = await asyncio.gather(*(world.identity.create_guest("request-1", "Ana", SECRET) for _ in range(5)))
    assert len({one.account.player_id for one in made}) == 1


async def test_a_bad_name_is_refused(world: World) -> None:
    with pytest.raises(BadNameError):
        await world.identity.create_guest("request-1", "Аna", SECRET)


async def test_signing_in_wants_the_right_secret(world: World) -> None:
    player = await world.guest("Ana")
    found = await world.identity.sign_in_with_device("ANA", secret_of("Ana"))
    assert found.account.player_id == player
    for name, secret in (("Ana", OTHER), ("Nobody", secret_of("Ana")), ("\0", secret_of("Ana"))):
        with pytest.raises(BadCredentialsError):
            await world.identity.sign_in_with_device(name, secret)


async def test_a_guest_becomes_a_full_account_with_a_password(world: World) -> None:
    player = await world.guest("Ana")
    with pytest.raises(BadCredentialsError):
        await world.identity.sign_in_with_password("Ana", "correct horse")
    await world.identity.set_password(player, "correct horse", "")
    assert (await world.identity.sign_in_with_password("ana", "correct horse")).account.player_id == player
    assert (await world.identity.sign_in_with_device("Ana", secret_of("Ana"))).account.player_id == player
    for name, password in (("Ana", "wrong horse"), ("Nobody", "correct horse")):
        with pytest.raises(BadCredentialsError):
            await world.identity.sign_in_with_password(name, password)


async def test_a_password_is_changed_only_by_who_knows_the_present_one(world: World) -> None:
    player = await world.guest("Ana")
    await world.identity.set_password(player, "correct horse", "")
    with pytest.raises(BadCredentialsError):
        await world.identity.set_password(player, "new password", "wrong horse")
    await world.identity.set_password(player, "new password", "correct horse")
    assert await world.identity.sign_in_with_password("Ana", "new password")


async def test_setting_a_password_may_be_repeated(world: World) -> None:
    player = await world.guest("Ana")
    for _ in range(2):
        await world.identity.set_password(player, "correct horse", "")
    for _ in range(2):
        await world.identity.set_password(player, "new password", "correct horse")
    assert await world.identity.sign_in_with_password("Ana", "new password")


async def test_hashing_passwords_leaves_the_event_loop_free(world: World) -> None:
    player = await world.guest("Ana")
    turns = 0

    async def turn() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    turning = asyncio.create_task(turn())
    await asyncio.sleep(0)
    hashing = asyncio.create_task(world.passwords.hash("correct horse"))
    before = turns
    await hashing
    turning.cancel()
    assert turns > before
    assert await world.identity.account(player)


async def test_too_many_failures_have_to_wait_and_a_success_clears_them(world: World) -> None:
    await world.guest("Ana")
    for _ in range(world.attempts_allowed - 1):
        with pytest.raises(BadCredentialsError):
            await world.identity.sign_in_with_device("Ana", OTHER)
    await world.identity.sign_in_with_device("Ana", secret_of("Ana"))
    for _ in range(world.attempts_allowed):
        with pytest.raises(BadCredentialsError):
            await world.identity.sign_in_with_device("Ana", OTHER)
    with pytest.raises(TooManyAttemptsError) as refused:
        await world.identity.sign_in_with_device("ANA", secret_of("Ana"))
    assert refused.value.retry_after == 15 * 60
    world.clock.advance(minutes=15)
    assert await world.identity.sign_in_with_device("Ana", secret_of("Ana"))


async def test_many_guesses_at_once_get_no_more_tries_than_one_after_another(world: World) -> None:
    await world.guest("Ana")
    outcomes = await asyncio.gather(
        *(world.identity.sign_in_with_device("Ana", OTHER) for _ in range(10)), return_exceptions=True
    )
    assert sum(isinstance(one, BadCredentialsError) for one in outcomes) == world.attempts_allowed
    assert sum(isinstance(one, TooManyAttemptsError) for one in outcomes) == 10 - world.attempts_allowed


async def test_a_name_that_nobody_has_is_limited_like_any_other(world: World) -> None:
    for _ in range(world.attempts_allowed):
        with pytest.raises(BadCredentialsError):
            await world.identity.sign_in_with_password("Nobody", "guess")
    with pytest.raises(TooManyAttemptsError):
        await world.identity.sign_in_with_password("Nobody", "guess")


async def test_guessing_passwords_does_not_lock_out_the_device(world: World) -> None:
    player = await world.guest("Ana")
    await world.identity.set_password(player, "correct horse", "")
    for _ in range(world.attempts_allowed):
        with pytest.raises(BadCredentialsError):
            await world.identity.sign_in_with_password("Ana", "guess")
    with pytest.raises(TooManyAttemptsError):
        await world.identity.set_password(player, "new password", "correct horse")
    assert await world.identity.sign_in_with_device("Ana", secret_of("Ana"))


async def test_refusing_costs_the_same_work_whether_there_is_a_password_or_not() -> None:
    class Counting(PasswordHasher):
        verified: ClassVar[list[str]] = []

        def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:  # noqa: A002 - as overridden
            self.verified.append(str(hash))
            return super().verify(hash, password)

    passwords = Passwords(Counting(time_cost=1, memory_cost=8, parallelism=1))
    hashed = await passwords.hash("correct horse")
    assert not await passwords.verify("guess", hashed)
    assert not await passwords.verify("guess", None)
    assert not await passwords.verify("nobody has this password", None)
    assert len(Counting.verified) == 3
    costs = [extract_parameters(one) for one in Counting.verified]
    assert costs[0] == costs[1] == costs[2]
    with pytest.raises(VerifyMismatchError):  # hashed to the end, and not refused for its form
        PasswordHasher().verify(Counting.verified[1], "guess")
    passwords.close()


async def test_an_account_can_be_renamed_and_back(world: World) -> None:
    ana, ion = await world.guest("Ana"), await world.guest("Ion")
    assert (await world.identity.rename(ana, " Maria ")).name == "Maria"
    assert (await world.identity.rename(ana, "Maria")).name == "Maria"
    assert (await world.identity.rename(ana, "MARIA")).name == "MARIA"
    with pytest.raises(NameTakenError):
        await world.identity.rename(ion, "maria")
    assert (await world.identity.rename(ion, "Ana")).name == "Ana"
    assert (await world.identity.sign_in_with_device("Maria", secret_of("Ana"))).account.player_id == ana
    with pytest.raises(BadNameError):
        await world.identity.rename(ana, "!")
    with pytest.raises(PlayerNotFoundError):
        await world.identity.rename("nobody", "Radu")


async def test_two_accounts_that_want_one_name_at_once_do_not_both_get_it(world: World) -> None:
    players = [await world.guest(name) for name in ("Ana", "Ion", "Radu")]
    outcomes = await asyncio.gather(
        *(world.identity.rename(player, "Maria") for player in players), return_exceptions=True
    )
    assert sum(isinstance(one, NameTakenError) for one in outcomes) == 2


# Refresh tokens


async def test_a_refresh_token_gives_the_next_one(world: World) -> None:
    made = await world.identity.create_guest("request-1", "Ana", SECRET)
    token = made.tokens.refresh_token
    for step in range(5):
        world.clock.advance(minutes=20)
        tokens = await world.identity.refresh(f"refresh-{step}", token)
        assert tokens.refresh_token != token
        assert tokens.access_expires_at > world.clock()
        token = tokens.refresh_token


async def test_the_new_access_token_bears_the_present_name(world: World) -> None:
    made = await world.identity.create_guest("request-1", "Ana", SECRET)
    await world.identity.rename(made.account.player_id, "Maria")
    tokens = await world.identity.refresh("refresh-1", made.tokens.refresh_token)
    assert jwt.decode(tokens.access_token, options={"verify_signature": False})["name"] == "Maria"


async def test_reuse_of_a_refresh_token_revokes_the_whole_family(world: World) -> None:
    made = await world.identity.create_guest("request-1", "Ana", SECRET)
    other = await world.identity.sign_in_with_device("Ana", SECRET)
    next_one = await world.identity.refresh("refresh-1", made.tokens.refresh_token)
    with pytest.raises(RefreshReusedError):
        await world.identity.refresh("refresh-2", made.tokens.refresh_token)
    with pytest.raises(RefreshReusedError):
        await world.identity.refresh("refresh-3", next_one.refresh_token)
    assert await world.identity.refresh("refresh-4", other.tokens.refresh_token)  # another sign-in goes on


async def test_a_repeat_within_a_minute_gives_the_same_next_token(world: World) -> None:
    made = await world.identity.create_guest("request-1", "Ana", SECRET)
    first = await world.identity.refresh("refresh-1", made.tokens.refresh_token)
    world.clock.advance(seconds=59)
    again = await world.identity.refresh("refresh-1", made.tokens.refresh_token)
    assert again.refresh_token == first.refresh_token
    assert await world.identity.refresh("refresh-2", again.refresh_token)


async def test_a_repeat_after_more_than_a_minute_is_reuse(world: World) -> None:
    made = await world.identity.create_guest("request-1", "Ana", SECRET)
    await world.identity.refresh("refresh-1", made.tokens.refresh_token)
    world.clock.advance(seconds=61)
    with pytest.raises(RefreshReusedError):
        await world.identity.refresh("refresh-1", made.tokens.refresh_token)


async def test_a_repeat_after_the_next_token_was_used_is_reuse(world: World) -> None:
    made = await world.identity.create_guest("request-1", "Ana", SECRET)
    first = await world.identity.refresh("refresh-1", made.tokens.refresh_token)
    await world.identity.refresh("refresh-2", first.refresh_token)
    with pytest.raises(RefreshReusedError):
        await world.identity.refresh("refresh-1", made.tokens.refresh_token)


async def test_one_token_exchanged_twice_at_once_is_reuse(world: World) -> None:
    made = await world.identity.create_guest("request-1", "Ana", SECRET)
    outcomes = await asyncio.gather(
        *(world.identity.refresh(f"refresh-{n}", made.tokens.refresh_token) for n in range(4)), return_exceptions=True
    )
    given = [one for one in outcomes if not isinstance(one, BaseException)]
    assert len(given) <= 1
    assert sum(isinstance(one, RefreshReusedError) for one in outcomes) >= 3
    for tokens in given:
        with pytest.raises(RefreshReusedError):
            await world.identity.refresh("refresh-9", tokens.refresh_token)


async def test_one_request_sent_twice_at_once_is_no_reuse(world: World) -> None:
    made = await world.identity.create_guest("request-1", "Ana", SECRET)
    tokens = await asyncio.gather(*(world.identity.refresh("refresh-1", made.tokens.refresh_token) for _ in range(4)))
    assert len({one.refresh_token for one in tokens}) == 1


async def test_a_refresh_token_runs_out(world: World) -> None:
    made = await world.identity.create_guest("request-1", "Ana", SECRET)
    world.clock.moment = made.tokens.refresh_expires_at
    with pytest.raises(RefreshInvalidError):
        await world.identity.refresh("refresh-1", made.tokens.refresh_token)


async def test_signing_out_ends_the_family_and_may_be_repeated(world: World) -> None:
    made = await world.identity.create_guest("request-1", "Ana", SECRET)
    next_one = await world.identity.refresh("refresh-1", made.tokens.refresh_token)
    for _ in range(2):
        await world.identity.sign_out(made.tokens.refresh_token)
    await world.identity.sign_out("a token that nobody has")
    with pytest.raises(RefreshInvalidError):
        await world.identity.refresh("refresh-2", next_one.refresh_token)


async def test_tidying_deletes_what_has_ended_and_nothing_else(world: World) -> None:
    await world.identity.create_guest("request-1", "Ana", SECRET)
    with pytest.raises(BadCredentialsError):
        await world.identity.sign_in_with_device("Ana", OTHER)
    world.clock.advance(days=31)
    alive = await world.identity.sign_in_with_device("Ana", SECRET)
    sessions = Sessions(world.entropy, lifetime=world.clock() - world.clock())
    async with world.database.writing() as session:
        await sessions.forget(session, world.clock())
    async with world.database.reading() as session:
        assert len((await session.scalars(select(RefreshToken))).all()) == 1
        assert len((await session.scalars(select(SignInFamily))).all()) == 1
        assert len((await session.scalars(select(SignInAttempts))).all()) == 0
    assert await world.identity.refresh("refresh-1", alive.tokens.refresh_token)


# Accounts of other issuers


async def test_an_account_of_another_issuer_is_made_on_sight(world: World) -> None:
    account = await world.identity.account("elsewhere-42", "Radu")
    assert (account.name, account.external) == ("Radu", True)
    assert (await world.identity.account("elsewhere-42", "Another name now")).name == "Radu"
    with pytest.raises(BadCredentialsError):
        await world.identity.sign_in_with_device("Radu", bytes(16))
    with pytest.raises(BadCredentialsError):
        await world.identity.sign_in_with_password("Radu", "")


async def test_an_account_of_another_issuer_takes_nobodys_name(world: World) -> None:
    await world.guest("Radu")
    names = [(await world.identity.account(f"elsewhere-{n}", "RADU")).name for n in (42, 142, 1042)]
    assert len({name.casefold() for name in [*names, "Radu"]}) == 4


async def test_an_unknown_account_of_our_own_is_not_made_on_sight(world: World) -> None:
    for player_id in ("nobody", "service:bot", "elsewhereish"):
        with pytest.raises(PlayerNotFoundError):
            await world.identity.account(player_id, "Radu")
