"""Every RPC of the running service: what it answers, and the right code and reason for every bad request."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import grpc
import jwt
import pytest

from services.ledger.keys import JWKS_FILE, SIGNING_FILE, AccessTokens, SigningKey, write_keys
from services.ledger.service import SchemaError, bind
from services.ledger.settings import LedgerSettings
from shared.auth import Verifier
from shared.gen.levata.ledger.v1 import identity_pb2, identity_pb2_grpc, ledger_pb2, ledger_pb2_grpc
from shared.harness import CannotStartError, Service
from shared.process import running
from tests.support.ledger import EVENING, Clock, Entropy, World, finished, rentz, secret_of
from tests.support.nats import NatsServer
from tests.support.statuses import Told
from tests.support.statuses import refused as refusal
from tests.support.tokens import TokenIssuer, bearer

SECRET = b"sixteen bytes ok"
Code = grpc.StatusCode


@dataclass
class Running:
    """A running ledger, stubs for it, and the domain on the same database."""

    service: Service
    settings: LedgerSettings
    identity: "identity_pb2_grpc.IdentityServiceAsyncStub"
    ledger: "ledger_pb2_grpc.LedgerServiceAsyncStub"
    world: World
    signing: SigningKey
    foreign: TokenIssuer

    async def guest(self, name: str) -> tuple[str, tuple[tuple[str, str], ...]]:
        """A new account: its id, and the metadata of its calls."""
        made = await self.identity.CreateGuest(
            identity_pb2.CreateGuestRequest(
                request_id=f"request-{name}".replace(" ", "_"), name=name, device_secret=secret_of(name)
            )
        )
        return made.account.player_id, bearer(made.tokens.access_token)


@pytest.fixture
async def club(nats: NatsServer, world: World, address: str, tmp_path: Path) -> AsyncIterator[Running]:
    """A ledger that serves."""
    keys = tmp_path / "own-keys"
    write_keys(keys, EVENING, Entropy(), "levata", "levata")
    foreign = TokenIssuer(tmp_path / "foreign-keys", issuer="https://elsewhere.example", audience="club", key_id="f-1")
    settings = LedgerSettings.model_validate(
        {
            "listen": "127.0.0.1:0",
            "metrics_listen": "127.0.0.1:0",
            "nats_url": nats.url,
            "jwks_file": keys / JWKS_FILE,
            "signing_key_file": keys / SIGNING_FILE,
            "database_url": address,
            "sign_in_attempts": 3,
            "drain_seconds": 1.0,
            "foreign_issuers": [
                {
                    "issuer": foreign.issuer,
                    "jwks_file": foreign.jwks_file,
                    "audience": foreign.audience,
                    "subject_prefix": "elsewhere",
                }
            ],
        }
    )
    async with (
        running("ledger", settings, bind) as service,
        grpc.aio.insecure_channel(service.address) as channel,
    ):
        yield Running(
            service,
            settings,
            identity_pb2_grpc.IdentityServiceStub(channel),
            ledger_pb2_grpc.LedgerServiceStub(channel),
            world,
            SigningKey.read(keys / SIGNING_FILE),
            foreign,
        )


async def refused(call: Awaitable[Any]) -> tuple[grpc.StatusCode, str]:
    """Code and reason of a call that fails."""
    told = await refusal(call)
    assert told.domain == "levata"
    return told.code, told.reason


# Accounts


async def test_a_guest_signs_in_and_is_known_to_every_service(club: Running) -> None:
    made = await club.identity.CreateGuest(
        identity_pb2.CreateGuestRequest(request_id="request-1", name=" Ana  Maria ", device_secret=SECRET)
    )
    assert (made.account.name, made.account.guest) == ("Ana Maria", True)
    who = Verifier.of(club.settings).verify(made.tokens.access_token)
    assert (who.player_id, who.name, who.is_service) == (made.account.player_id, "Ana Maria", False)
    account = await club.identity.GetAccount(
        identity_pb2.GetAccountRequest(), metadata=bearer(made.tokens.access_token)
    )
    assert account.account == made.account


async def test_the_jwks_document_verifies_the_tokens(club: Running) -> None:
    made = await club.identity.CreateGuest(
        identity_pb2.CreateGuestRequest(request_id="request-1", name="Ana", device_secret=SECRET)
    )
    document = json.loads((await club.identity.GetJwks(identity_pb2.GetJwksRequest())).jwks)
    key_id = jwt.get_unverified_header(made.tokens.access_token)["kid"]
    key = next(key for key in jwt.PyJWKSet.from_dict(document).keys if key.key_id == key_id)
    claims = jwt.decode(made.tokens.access_token, key, algorithms=["EdDSA"], audience="levata", issuer="levata")
    assert claims["sub"] == made.account.player_id


async def test_sign_in_refresh_sign_out(club: Running) -> None:
    player, me = await club.guest("Ana")
    by_device = await club.identity.SignIn(identity_pb2.SignInRequest(name="ANA", device_secret=secret_of("Ana")))
    assert by_device.account.player_id == player
    changed = await club.identity.SetPassword(identity_pb2.SetPasswordRequest(password="correct horse"), metadata=me)
    assert not changed.account.guest
    by_password = await club.identity.SignIn(identity_pb2.SignInRequest(name="Ana", password="correct horse"))
    tokens = by_password.tokens
    for step in range(3):
        tokens = (
            await club.identity.RefreshTokens(
                identity_pb2.RefreshTokensRequest(request_id=f"refresh-{step}", refresh_token=tokens.refresh_token)
            )
        ).tokens
    for _ in range(2):
        await club.identity.SignOut(identity_pb2.SignOutRequest(refresh_token=tokens.refresh_token))
    call = club.identity.RefreshTokens(
        identity_pb2.RefreshTokensRequest(request_id="refresh-9", refresh_token=tokens.refresh_token)
    )
    assert await refused(call) == (Code.UNAUTHENTICATED, "REFRESH_INVALID")
    value = club.service.metrics.value
    for kind, outcome, count in (
        ("guest", "ok", 1),
        ("device", "ok", 1),
        ("password", "ok", 1),
        ("refresh", "ok", 3),
        ("refresh", "REFRESH_INVALID", 1),
    ):
        assert value("levata_ledger_sign_ins_total", kind=kind, outcome=outcome) == count


async def test_reuse_of_a_refresh_token_is_told_and_closes_the_session(club: Running) -> None:
    made = await club.identity.CreateGuest(
        identity_pb2.CreateGuestRequest(request_id="request-1", name="Ana", device_secret=SECRET)
    )
    first = identity_pb2.RefreshTokensRequest(request_id="refresh-1", refresh_token=made.tokens.refresh_token)
    given = await club.identity.RefreshTokens(first)
    assert (await club.identity.RefreshTokens(first)).tokens.refresh_token == given.tokens.refresh_token
    for request_id, token in (("refresh-2", made.tokens.refresh_token), ("refresh-3", given.tokens.refresh_token)):
        call = club.identity.RefreshTokens(
            identity_pb2.RefreshTokensRequest(request_id=request_id, refresh_token=token)
        )
        assert await refused(call) == (Code.UNAUTHENTICATED, "REFRESH_REUSED")


async def test_a_person_renames(club: Running) -> None:
    _, me = await club.guest("Ana")
    await club.guest("Ion")
    renamed = await club.identity.RenameAccount(identity_pb2.RenameAccountRequest(name="Maria"), metadata=me)
    assert renamed.account.name == "Maria"
    call = club.identity.RenameAccount(identity_pb2.RenameAccountRequest(name="ION"), metadata=me)
    assert await refused(call) == (Code.ALREADY_EXISTS, "NAME_TAKEN")


async def test_a_repeated_or_reused_request_id(club: Running) -> None:
    request = identity_pb2.CreateGuestRequest(request_id="request-1", name="Ana", device_secret=SECRET)
    first = await club.identity.CreateGuest(request)
    assert (await club.identity.CreateGuest(request)).account == first.account
    request.name = "Maria"
    assert await refused(club.identity.CreateGuest(request)) == (Code.ALREADY_EXISTS, "REQUEST_ID_REUSED")


async def test_a_taken_or_bad_name_is_refused_in_the_callers_language(club: Running) -> None:
    await club.guest("Ana")
    taken = identity_pb2.CreateGuestRequest(request_id="request-2", name="aNa", device_secret=SECRET)
    for language, text in (("ro", "Numele este deja luat."), ("en", "The name is taken.")):
        told = await refusal(club.identity.CreateGuest(taken, metadata=(("accept-language", language),)))
        assert (told.code, told.reason) == (Code.ALREADY_EXISTS, "NAME_TAKEN")
        assert (told.locale, told.text) == (language, text)
    bad = identity_pb2.CreateGuestRequest(request_id="request-2", name="Аna", device_secret=SECRET)
    told = await refusal(club.identity.CreateGuest(bad))
    assert (told.code, told.reason, set(told.violations)) == (Code.INVALID_ARGUMENT, "BAD_NAME", {"name"})


async def test_too_many_failures_to_sign_in_have_to_wait(club: Running) -> None:
    await club.guest("Ana")
    wrong = identity_pb2.SignInRequest(name="Ana", password="guess")
    for _ in range(3):
        assert await refused(club.identity.SignIn(wrong)) == (Code.UNAUTHENTICATED, "BAD_CREDENTIALS")
    told = await refusal(club.identity.SignIn(wrong))
    assert (told.code, told.reason) == (Code.RESOURCE_EXHAUSTED, "TOO_FAST")
    assert told.retry_seconds is not None
    assert 0 < told.retry_seconds <= 900
    value = club.service.metrics.value
    assert value("levata_ledger_sign_ins_total", kind="password", outcome="BAD_CREDENTIALS") == 3
    assert value("levata_ledger_sign_ins_total", kind="password", outcome="TOO_FAST") == 1


async def test_a_wrong_present_password_is_refused(club: Running) -> None:
    _, me = await club.guest("Ana")
    await club.identity.SetPassword(identity_pb2.SetPasswordRequest(password="correct horse"), metadata=me)
    call = club.identity.SetPassword(
        identity_pb2.SetPasswordRequest(password="new password", present_password="wrong"), metadata=me
    )
    assert await refused(call) == (Code.UNAUTHENTICATED, "BAD_CREDENTIALS")


async def test_a_player_of_another_issuer_has_an_account_at_first_sight(club: Running) -> None:
    me = bearer(club.foreign.token("42", "Radu", roles=["service"]))
    account = (await club.identity.GetAccount(identity_pb2.GetAccountRequest(), metadata=me)).account
    assert (account.player_id, account.name, account.guest) == ("elsewhere-42", "Radu", False)
    renamed = await club.identity.RenameAccount(identity_pb2.RenameAccountRequest(name="Radu II"), metadata=me)
    assert renamed.account.name == "Radu II"
    profile = await club.ledger.GetProfile(ledger_pb2.GetProfileRequest(), metadata=me)
    assert (profile.name, len(profile.standings)) == ("Radu II", 0)


LONG = "x" * 65


MALFORMED: list[tuple[str, Any, str]] = [
    ("CreateGuest", identity_pb2.CreateGuestRequest(name="Ana", device_secret=SECRET), "request_id"),
    ("CreateGuest", identity_pb2.CreateGuestRequest(request_id="short", name="Ana"), "request_id"),
    ("CreateGuest", identity_pb2.CreateGuestRequest(request_id="x" * 65, name="Ana"), "request_id"),
    ("CreateGuest", identity_pb2.CreateGuestRequest(request_id="bad id!!"), "request_id"),
    ("CreateGuest", identity_pb2.CreateGuestRequest(request_id="request-1", name="A" * 49), "name"),
    ("CreateGuest", identity_pb2.CreateGuestRequest(request_id="request-1", device_secret=SECRET), "name"),
    ("CreateGuest", identity_pb2.CreateGuestRequest(request_id="request-1", name="Ana"), "device_secret"),
    (
        "CreateGuest",
        identity_pb2.CreateGuestRequest(request_id="request-1", name="Ana", device_secret=bytes(15)),
        "device_secret",
    ),
    (
        "CreateGuest",
        identity_pb2.CreateGuestRequest(request_id="request-1", name="Ana", device_secret=bytes(65)),
        "device_secret",
    ),
    ("SignIn", identity_pb2.SignInRequest(), "name"),
    ("SignIn", identity_pb2.SignInRequest(name="Ana"), "credential"),
    ("SignIn", identity_pb2.SignInRequest(name="Ana", device_secret=b"x"), "device_secret"),
    ("SignIn", identity_pb2.SignInRequest(name="Ana", password="x" * 257), "password"),
    ("SignIn", identity_pb2.SignInRequest(name="Ana", password=""), "password"),
    ("RefreshTokens", identity_pb2.RefreshTokensRequest(refresh_token="x" * 43), "request_id"),
    ("RefreshTokens", identity_pb2.RefreshTokensRequest(request_id="request-1"), "refresh_token"),
    (
        "RefreshTokens",
        identity_pb2.RefreshTokensRequest(request_id="request-1", refresh_token="x" * 513),
        "refresh_token",
    ),
    ("SignOut", identity_pb2.SignOutRequest(), "refresh_token"),
    ("SetPassword", identity_pb2.SetPasswordRequest(password="short"), "password"),
    ("SetPassword", identity_pb2.SetPasswordRequest(password="x" * 257), "password"),
    (
        "SetPassword",
        identity_pb2.SetPasswordRequest(password="long enough", present_password="x" * 257),
        "present_password",
    ),
    ("RenameAccount", identity_pb2.RenameAccountRequest(), "name"),
    ("GetProfile", ledger_pb2.GetProfileRequest(player_id=LONG), "player_id"),
    ("ListHallOfFame", ledger_pb2.ListHallOfFameRequest(), "game"),
    ("ListHallOfFame", ledger_pb2.ListHallOfFameRequest(game="Arzoi"), "game"),
    ("ListHallOfFame", ledger_pb2.ListHallOfFameRequest(game="arzoi", page_size=101), "page_size"),
    ("ListHallOfFame", ledger_pb2.ListHallOfFameRequest(game="arzoi", page_token="x" * 257), "page_token"),
    ("ListLeaderboard", ledger_pb2.ListLeaderboardRequest(), "game"),
    ("ListLeaderboard", ledger_pb2.ListLeaderboardRequest(game="arzoi", page_size=2**32 - 1), "page_size"),
    ("ListLeaderboard", ledger_pb2.ListLeaderboardRequest.FromString(b"\x0a\x05rentz\x20\x09"), "order"),
    ("ListMatches", ledger_pb2.ListMatchesRequest(player_id=LONG), "player_id"),
    ("ListMatches", ledger_pb2.ListMatchesRequest(game="x" * 17), "game"),
    ("ListMatches", ledger_pb2.ListMatchesRequest(page_size=101), "page_size"),
    ("GetMatch", ledger_pb2.GetMatchRequest(), "match_id"),
    ("GetMatch", ledger_pb2.GetMatchRequest(match_id=LONG), "match_id"),
    ("GetMatchRecord", ledger_pb2.GetMatchRecordRequest(), "match_id"),
    ("GetMatchRecord", ledger_pb2.GetMatchRecordRequest(match_id=LONG), "match_id"),
]


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
async def test_a_malformed_request_is_refused_with_the_field_that_is_wrong(club: Running) -> None:
    _, me = await club.guest("Ana")
    for method, message, field in MALFORMED:
        stub = club.identity if hasattr(club.identity, method) else club.ledger
        told = await refusal(getattr(stub, method)(message, metadata=me))
        assert (method, field, told.code, told.reason) == (method, field, Code.INVALID_ARGUMENT, "BAD_REQUEST")
        assert field in told.violations, (method, field)


PRIVATE_RPCS = [
    ("SetPassword", identity_pb2.SetPasswordRequest(password="long enough")),
    ("RenameAccount", identity_pb2.RenameAccountRequest(name="Ana")),
    ("GetAccount", identity_pb2.GetAccountRequest()),
    ("GetProfile", ledger_pb2.GetProfileRequest()),
    ("ListHallOfFame", ledger_pb2.ListHallOfFameRequest(game="arzoi")),
    ("ListLeaderboard", ledger_pb2.ListLeaderboardRequest(game="arzoi")),
    ("ListMatches", ledger_pb2.ListMatchesRequest()),
    ("GetMatch", ledger_pb2.GetMatchRequest(match_id="m1")),
    ("GetMatchRecord", ledger_pb2.GetMatchRecordRequest(match_id="m1")),
]


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
async def test_a_missing_expired_or_foreign_token_is_refused_everywhere(club: Running, tmp_path: Path) -> None:
    player, _ = await club.guest("Ana")
    access = AccessTokens(club.signing, "levata", "levata", timedelta(minutes=15))
    expired, _ends = access.for_player(player, "Ana", EVENING - timedelta(days=1))
    stranger = TokenIssuer(tmp_path / "stranger").token(player, "Ana")
    for method, message in PRIVATE_RPCS:
        stub = club.identity if hasattr(club.identity, method) else club.ledger
        for metadata, reason in (
            ((), "TOKEN_MISSING"),
            (bearer(expired), "TOKEN_EXPIRED"),
            (bearer(stranger), "TOKEN_INVALID"),
            (bearer("nonsense"), "TOKEN_INVALID"),
        ):
            call = getattr(stub, method)(message, metadata=metadata)
            assert (method, await refused(call)) == (method, (Code.UNAUTHENTICATED, reason))


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
async def test_a_services_token_is_of_no_account(club: Running) -> None:
    me = bearer((club.settings.signing_key_file.parent / "service-bot.jwt").read_text())
    for method, message in PRIVATE_RPCS[:4]:
        stub = club.identity if hasattr(club.identity, method) else club.ledger
        assert await refused(getattr(stub, method)(message, metadata=me)) == (Code.NOT_FOUND, "PLAYER_NOT_FOUND")


# Results


async def test_a_persons_results_are_shown(club: Running) -> None:
    ana, me = await club.guest("Ana")
    ion, _ = await club.guest("Ion")
    for n, points in enumerate((10, -3, 25)):
        club.world.clock.advance(minutes=1)
        await club.world.ledger.post(finished(f"m{n}", [(ana, points), (ion, 5), (None, 0)]))
    profile = await club.ledger.GetProfile(ledger_pb2.GetProfileRequest(), metadata=me)
    assert (profile.player_id, profile.name) == (ana, "Ana")
    [standing] = profile.standings
    assert (standing.game, standing.hall_of_fame.points, standing.hall_of_fame.rank) == ("arzoi", 32, 1)
    assert (standing.hall_of_fame.matches, standing.hall_of_fame.wins, standing.rating.matches) == (3, 2, 3)

    hall = await club.ledger.ListHallOfFame(ledger_pb2.ListHallOfFameRequest(game="arzoi"), metadata=me)
    assert [(entry.rank, entry.name, entry.points) for entry in hall.entries] == [(1, "Ana", 32), (2, "Ion", 15)]
    assert hall.next_page_token == ""
    board = await club.ledger.ListLeaderboard(ledger_pb2.ListLeaderboardRequest(game="arzoi"), metadata=me)
    assert [entry.rating.player_id for entry in board.entries] == [ana, ion]
    assert board.entries[0].rating == standing.rating

    match = (await club.ledger.GetMatch(ledger_pb2.GetMatchRequest(match_id="m2"), metadata=me)).match
    seats = [(seat.player_id, seat.points, seat.place) for seat in match.seats]
    assert seats == [(ana, 25, 1), (ion, 5, 2), ("", 0, 3)]
    assert match.options.WhichOneof("game") == "arzoi"
    assert not match.reversed
    record = await club.ledger.GetMatchRecord(ledger_pb2.GetMatchRecordRequest(match_id="m2"), metadata=me)
    assert record.record == "record of m2\n"


async def test_matches_are_listed_newest_first_page_by_page(club: Running) -> None:
    ana, me = await club.guest("Ana")
    ion, _ = await club.guest("Ion")
    for n in range(5):
        await club.world.ledger.post(finished(f"m{n}", [(ana, n), (None, 0)]))
        await club.world.ledger.post(finished(f"of-ion-{n}", [(ion, n), (None, 0)]))
    found, token, sizes = [], "", []
    while True:
        page = await club.ledger.ListMatches(
            ledger_pb2.ListMatchesRequest(page_size=2, page_token=token, game="arzoi"), metadata=me
        )
        found += [match.match_id for match in page.matches]
        sizes.append(len(page.matches))
        token = page.next_page_token
        if not token:
            break
    assert found == ["m4", "m3", "m2", "m1", "m0"]
    assert sizes == [2, 2, 1]
    others = await club.ledger.ListMatches(ledger_pb2.ListMatchesRequest(player_id=ion, page_size=1), metadata=me)
    assert [match.match_id for match in others.matches] == ["of-ion-4"]
    none = await club.ledger.ListMatches(ledger_pb2.ListMatchesRequest(game="remi"), metadata=me)
    assert (len(none.matches), none.next_page_token) == (0, "")
    for request in (
        ledger_pb2.ListMatchesRequest(page_token=others.next_page_token),  # of another list
        ledger_pb2.ListMatchesRequest(page_token="nonsense"),
    ):
        assert await refused(club.ledger.ListMatches(request, metadata=me)) == (
            Code.INVALID_ARGUMENT,
            "BAD_PAGE_TOKEN",
        )
    for call in (
        club.ledger.ListHallOfFame(
            ledger_pb2.ListHallOfFameRequest(game="arzoi", page_token=others.next_page_token), metadata=me
        ),
        club.ledger.ListLeaderboard(ledger_pb2.ListLeaderboardRequest(game="arzoi", page_token="AAAA"), metadata=me),
    ):
        assert await refused(call) == (Code.INVALID_ARGUMENT, "BAD_PAGE_TOKEN")


async def rentz_players(club: Running) -> tuple[list[str], list[tuple[tuple[str, str], ...]]]:
    """Four accounts, and the metadata of their calls."""
    made = [await club.guest(name) for name in ("Ana", "Ion", "Radu", "Maria")]
    return [player for player, _ in made], [metadata for _, metadata in made]


def placed(ids: list[str]) -> list[tuple[str | None, int]]:
    """Seats that these people hold at the end, with points that give +20, +3, -7 and -20."""
    return list(zip(ids, (200, -500, -1000, -1500), strict=True))


@pytest.mark.rule("RZ-20", "RZ-21")
async def test_points_ratings_are_shown_where_a_game_has_one(club: Running) -> None:
    ids, [me, *_] = await rentz_players(club)
    await club.world.ledger.post(finished("a1", [(ids[0], 10), (ids[1], 5)]))
    await club.world.ledger.post(rentz("m1", placed(ids)))
    await club.world.ledger.post(rentz("m2", placed(ids), finished=20, away=[0]))

    profile = await club.ledger.GetProfile(ledger_pb2.GetProfileRequest(), metadata=me)
    arzoi, of_rentz = profile.standings
    assert (arzoi.game, arzoi.HasField("points_rating")) == ("arzoi", False)
    assert not arzoi.hall_of_fame.HasField("points_rating")
    assert of_rentz.points_rating == ledger_pb2.PointsRating(player_id=ids[0], game="rentz", rating=1000, matches=2)
    assert (of_rentz.hall_of_fame.points, of_rentz.hall_of_fame.points_rating, of_rentz.rating.matches) == (
        200,
        1000,
        1,
    )

    hall = await club.ledger.ListHallOfFame(ledger_pb2.ListHallOfFameRequest(game="rentz"), metadata=me)
    # In the second match the best of those who stayed gets 13, and the last -10: 20 of 32 hands.
    assert [(entry.name, entry.points_rating) for entry in hall.entries] == [
        ("Ana", 1000),
        ("Ion", 1003 + 13),
        ("Radu", 993 - 4),
        ("Maria", 980 - 10),
    ]

    matches = await club.ledger.ListMatches(ledger_pb2.ListMatchesRequest(), metadata=me)
    stopped, whole, other = matches.matches
    assert (stopped.match_id, stopped.stopped, stopped.hands_finished, stopped.hands) == ("m2", True, 20, 32)
    assert [(one.name, one.change, one.rating, one.left) for one in stopped.points_rating_changes] == [
        (f"name of {ids[0]}", -20, 1000, True),
        (f"name of {ids[1]}", 13, 1016, False),
        (f"name of {ids[2]}", -4, 989, False),
        (f"name of {ids[3]}", -10, 970, False),
    ]
    assert (whole.match_id, whole.stopped, whole.hands_finished) == ("m1", False, 32)
    assert [(one.seat, one.player_id, one.change) for one in whole.points_rating_changes] == [
        (0, ids[0], 20),
        (1, ids[1], 3),
        (2, ids[2], -7),
        (3, ids[3], -20),
    ]
    assert (other.match_id, len(other.points_rating_changes)) == ("a1", 0)
    assert (await club.ledger.GetMatch(ledger_pb2.GetMatchRequest(match_id="m2"), metadata=me)).match == stopped


async def test_a_leaderboard_is_sorted_as_asked_and_says_how(club: Running) -> None:
    ids, [me, *_] = await rentz_players(club)
    await club.world.ledger.post(rentz("m1", placed(ids)))
    await club.world.ledger.post(finished("a1", [(ids[0], 10), (ids[1], 5)]))
    usual = ledger_pb2.LEADERBOARD_ORDER_UNSPECIFIED
    skill, points = ledger_pb2.LEADERBOARD_ORDER_SKILL, ledger_pb2.LEADERBOARD_ORDER_POINTS_RATING
    for game, asked, used, size in (
        ("rentz", usual, points, 4),
        ("rentz", points, points, 4),
        ("rentz", skill, skill, 4),
        ("arzoi", usual, skill, 2),
        ("arzoi", skill, skill, 2),
        ("arzoi", points, points, 0),
    ):
        board = await club.ledger.ListLeaderboard(
            ledger_pb2.ListLeaderboardRequest(game=game, order=asked), metadata=me
        )
        assert (game, asked, board.order, len(board.entries)) == (game, asked, used, size)
        assert [entry.player_id for entry in board.entries] == ids[:size]
        assert all(entry.HasField("points_rating") == (game == "rentz") for entry in board.entries)
    first = await club.ledger.ListLeaderboard(ledger_pb2.ListLeaderboardRequest(game="rentz", page_size=3), metadata=me)
    request = ledger_pb2.ListLeaderboardRequest(game="rentz", page_token=first.next_page_token)
    second = await club.ledger.ListLeaderboard(request, metadata=me)
    assert [entry.points_rating.rating for entry in [*first.entries, *second.entries]] == [1020, 1003, 993, 980]
    request.order = skill
    assert await refused(club.ledger.ListLeaderboard(request, metadata=me)) == (
        Code.INVALID_ARGUMENT,
        "BAD_PAGE_TOKEN",
    )


async def test_who_left_sees_the_match_that_took_the_points_and_its_record(club: Running) -> None:
    ids, callers = await rentz_players(club)
    _, as_dan = await club.guest("Dan")
    seats: list[tuple[str | None, int]] = [(None, 200), *placed(ids)[1:]]
    await club.world.ledger.post(rentz("m1", seats, starters=ids, private=True))
    for me, seen in ((callers[0], ["m1"]), (callers[1], ["m1"]), (as_dan, [])):
        page = await club.ledger.ListMatches(ledger_pb2.ListMatchesRequest(player_id=ids[0]), metadata=me)
        assert [match.match_id for match in page.matches] == seen
    record = await club.ledger.GetMatchRecord(ledger_pb2.GetMatchRecordRequest(match_id="m1"), metadata=callers[0])
    assert record.record == "record of m1\n"
    assert await refused(club.ledger.GetMatch(ledger_pb2.GetMatchRequest(match_id="m1"), metadata=as_dan)) == (
        Code.NOT_FOUND,
        "MATCH_NOT_FOUND",
    )
    found = await club.ledger.GetMatch(ledger_pb2.GetMatchRequest(match_id="m1"), metadata=callers[0])
    [seat, *_] = found.match.seats
    assert (seat.player_id, seat.starter_player_id, seat.starter_left) == ("", ids[0], True)
    profile = await club.ledger.GetProfile(ledger_pb2.GetProfileRequest(), metadata=callers[0])
    [standing] = profile.standings
    assert (standing.game, standing.points_rating.rating) == ("rentz", 980)
    assert not standing.HasField("hall_of_fame")
    assert not standing.HasField("rating")


async def test_a_page_of_matches_mixes_those_held_and_those_left_newest_first(club: Running) -> None:
    ids, [me, *_] = await rentz_players(club)
    for n in range(3):
        await club.world.ledger.post(rentz(f"held-{n}", placed(ids)))
        await club.world.ledger.post(rentz(f"left-{n}", [(None, 200), *placed(ids)[1:]], starters=ids))
        await club.world.ledger.post(finished(f"arzoi-{n}", [(ids[0], n), (None, 0)]))
    for game, expected in (
        ("", [f"{kind}-{n}" for n in (2, 1, 0) for kind in ("arzoi", "left", "held")]),
        ("rentz", [f"{kind}-{n}" for n in (2, 1, 0) for kind in ("left", "held")]),
    ):
        found, token = [], ""
        while True:
            request = ledger_pb2.ListMatchesRequest(page_size=2, page_token=token, game=game)
            page = await club.ledger.ListMatches(request, metadata=me)
            found += [match.match_id for match in page.matches]
            token = page.next_page_token
            if not token:
                break
        assert found == expected


@pytest.mark.rule("GAP-A26")
async def test_a_private_match_and_its_record_are_hidden_from_all_who_did_not_play(club: Running) -> None:
    ana, me = await club.guest("Ana")
    ion, partner = await club.guest("Ion")
    _, stranger = await club.guest("Radu")
    service = bearer((club.settings.signing_key_file.parent / "service-table.jwt").read_text())
    await club.world.ledger.post(finished("open", [(ana, 1), (ion, 2)]))
    await club.world.ledger.post(finished("closed", [(ana, 1), (ion, 2), (None, 3)], private=True))

    def calls(match_id: str, metadata: tuple[tuple[str, str], ...]) -> list[Awaitable[Any]]:
        return [
            club.ledger.GetMatch(ledger_pb2.GetMatchRequest(match_id=match_id), metadata=metadata),
            club.ledger.GetMatchRecord(ledger_pb2.GetMatchRecordRequest(match_id=match_id), metadata=metadata),
        ]

    for metadata, seen in ((me, ["closed", "open"]), (partner, ["closed", "open"]), (stranger, ["open"])):
        page = await club.ledger.ListMatches(ledger_pb2.ListMatchesRequest(player_id=ana), metadata=metadata)
        assert [match.match_id for match in page.matches] == seen
    for metadata in (me, partner):
        assert all(await asyncio.gather(*calls("closed", metadata)))
    for metadata in (stranger, service):
        for hidden, unknown in zip(calls("closed", metadata), calls("nothing", metadata), strict=True):
            of_hidden, of_unknown = await refusal(hidden), await refusal(unknown)
            assert (of_hidden.code, of_hidden.reason) == (Code.NOT_FOUND, "MATCH_NOT_FOUND")
            assert without_ids(of_hidden) == without_ids(of_unknown)


def without_ids(told: Told) -> Told:
    """What is told, but for what the caller said himself."""
    return replace(told, metadata={}, request_id="")


async def test_unknown_players_and_matches_are_not_found(club: Running) -> None:
    _, me = await club.guest("Ana")
    for player_id in ("nobody", "nul\0", "' OR 1=1 --"):
        assert await refused(
            club.ledger.GetProfile(ledger_pb2.GetProfileRequest(player_id=player_id), metadata=me)
        ) == (Code.NOT_FOUND, "PLAYER_NOT_FOUND")
        assert await refused(
            club.ledger.ListMatches(ledger_pb2.ListMatchesRequest(player_id=player_id), metadata=me)
        ) == (Code.NOT_FOUND, "PLAYER_NOT_FOUND")
        assert await refused(club.ledger.GetMatch(ledger_pb2.GetMatchRequest(match_id=player_id), metadata=me)) == (
            Code.NOT_FOUND,
            "MATCH_NOT_FOUND",
        )
    page = await club.ledger.ListMatches(ledger_pb2.ListMatchesRequest(game="nul\0"), metadata=me)
    assert len(page.matches) == 0


async def test_many_guests_at_once(club: Running) -> None:
    made = await asyncio.gather(*(club.guest(f"Player {n}") for n in range(30)))
    assert len({player for player, _ in made}) == 30


async def test_no_token_or_secret_is_logged(club: Running, capfd: pytest.CaptureFixture[str]) -> None:
    made = await club.identity.CreateGuest(
        identity_pb2.CreateGuestRequest(request_id="request-1", name="Ana", device_secret=b"device secret 16")
    )
    wrong = identity_pb2.SignInRequest(name="Ana", password="wrong password")
    await refused(club.identity.SignIn(wrong))
    written = "".join(capfd.readouterr())
    for secret in (made.tokens.access_token, made.tokens.refresh_token, "device secret 16", "wrong password"):
        assert secret not in written


# The service as a whole


async def test_the_service_is_ready_only_while_its_database_answers(
    club: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await club.service.check_readiness()

    async def away() -> bool:
        return False

    monkeypatch.setitem(club.service.harness.checks, "database", away)
    assert not await club.service.check_readiness()


async def test_a_service_that_must_not_migrate_says_so_when_the_tables_are_missing(
    nats: NatsServer, tmp_path: Path, issuer: TokenIssuer
) -> None:
    settings = LedgerSettings.model_validate(
        {
            "listen": "127.0.0.1:0",
            "metrics_listen": "127.0.0.1:0",
            "nats_url": nats.url,
            "jwks_file": issuer.jwks_file,
            "signing_key_file": issuer.key_file,
            "database_url": f"sqlite:///{tmp_path / 'new' / 'ledger.db'}",
            "migrate_at_start": False,
        }
    )
    with pytest.raises(SchemaError, match="migrate"):
        async with running("ledger", settings, bind):
            pass
    async with running("ledger", settings.model_copy(update={"migrate_at_start": None}), bind) as service:
        assert service.ready


async def test_a_service_on_a_damaged_database_says_which_file(
    nats: NatsServer, issuer: TokenIssuer, tmp_path: Path
) -> None:
    damaged = tmp_path / "ledger.db"
    damaged.write_bytes(b"garbage " * 1000)
    settings = LedgerSettings.model_validate(
        {
            "listen": "127.0.0.1:0",
            "metrics_listen": "127.0.0.1:0",
            "nats_url": nats.url,
            "jwks_file": issuer.jwks_file,
            "signing_key_file": issuer.key_file,
            "database_url": f"sqlite:///{damaged}",
        }
    )
    with pytest.raises(CannotStartError, match=re.escape(f"{damaged} is damaged")):
        async with running("ledger", settings, bind):
            pass


def test_only_sqlite_is_migrated_at_start_unless_told() -> None:
    def migrates(**values: Any) -> bool:
        return LedgerSettings.model_validate(values).migrates_at_start

    assert migrates(database_url="sqlite:////tmp/x.db")
    assert not migrates(database_url="postgresql://levata@host/levata")
    assert migrates(database_url="postgresql://levata@host/levata", migrate_at_start=True)
    assert not migrates(database_url="sqlite:////tmp/x.db", migrate_at_start=False)


async def test_the_times_of_tokens_follow_the_services_clock(
    nats: NatsServer, tmp_path: Path, issuer: TokenIssuer
) -> None:
    clock = Clock()
    settings = LedgerSettings.model_validate(
        {
            "listen": "127.0.0.1:0",
            "metrics_listen": "127.0.0.1:0",
            "nats_url": nats.url,
            "jwks_file": issuer.jwks_file,
            "signing_key_file": issuer.key_file,
            "database_url": f"sqlite:///{tmp_path / 'ledger.db'}",
            "access_token_seconds": 60,
        }
    )

    async def bind_at_evening(harness: Any, own: LedgerSettings) -> None:
        await bind(harness, own, clock, Entropy())

    async with (
        running("ledger", settings, bind_at_evening) as service,
        grpc.aio.insecure_channel(service.address) as channel,
    ):
        made = await identity_pb2_grpc.IdentityServiceStub(channel).CreateGuest(
            identity_pb2.CreateGuestRequest(request_id="request-1", name="Ana", device_secret=SECRET)
        )
    ends = made.tokens.access_expires_at.ToDatetime(tzinfo=EVENING.tzinfo)
    assert ends == EVENING + timedelta(seconds=60)
    assert made.account.created_at.ToDatetime(tzinfo=EVENING.tzinfo) == EVENING
