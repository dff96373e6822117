"""Tokens: who is believed, and what a caller is told who is not."""

import base64
import json
from pathlib import Path
from typing import Any

import grpc
import jwt
import pytest

from shared import auth
from shared.auth import Caller, Issuer, Verifier
from shared.errors import LevataError
from shared.settings import IssuerSettings, ServiceSettings
from tests.support.tokens import TokenIssuer


class Clock:
    """A clock that a test moves."""

    def __init__(self, moment: float) -> None:
        self.moment = moment

    def __call__(self) -> float:
        return self.moment


@pytest.fixture
def verifier(issuer: TokenIssuer) -> Verifier:
    return Verifier.of(ServiceSettings(jwks_file=issuer.jwks_file))


def reason(verifier: Verifier, token: str) -> str:
    """Why a token is refused."""
    with pytest.raises(LevataError) as caught:
        verifier.verify(token)
    assert caught.value.code is grpc.StatusCode.UNAUTHENTICATED
    return caught.value.reason


def test_a_good_token_tells_who_calls(issuer: TokenIssuer, verifier: Verifier) -> None:
    who = verifier.verify(issuer.token("p-ana", "Ana", roles=["operator"]))
    assert who == Caller("p-ana", "Ana", frozenset({"operator"}))
    assert not who.is_service
    assert verifier.verify(issuer.service_token("bot")) == Caller("service:bot", "bot", frozenset({"service"}))
    assert verifier.verify(issuer.service_token("bot")).is_service


def test_no_token_is_missing(verifier: Verifier) -> None:
    assert reason(verifier, "") == "TOKEN_MISSING"


def test_an_expired_token_is_said_to_be_so(issuer: TokenIssuer, verifier: Verifier) -> None:
    assert reason(verifier, issuer.token("p-ana", seconds=-60)) == "TOKEN_EXPIRED"


def test_a_remembered_token_expires_too(issuer: TokenIssuer) -> None:
    import time

    clock = Clock(time.time())
    verifier = Verifier([Issuer("levata", "levata", issuer.jwks_file)], now=clock)
    token = issuer.token("p-ana", seconds=60)
    assert verifier.verify(token) is verifier.verify(token)
    clock.moment += 60 + auth.LEEWAY_SECONDS + 1
    assert reason(verifier, token) == "TOKEN_EXPIRED"
    assert reason(verifier, token) == "TOKEN_EXPIRED"


def test_only_so_many_tokens_are_remembered(issuer: TokenIssuer) -> None:
    verifier = Verifier([Issuer("levata", "levata", issuer.jwks_file)], remember=3)
    tokens = [issuer.token(f"p-{number}") for number in range(10)]
    for token in tokens:
        verifier.verify(token)
    assert len(verifier._known) == 3
    assert verifier.verify(tokens[0]).player_id == "p-0"


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "somebody"},
        {"iss": None},
        {"aud": "another"},
        {"aud": None},
        {"sub": None},
        {"sub": ""},
        {"sub": "x" * 65},
        {"exp": None},
        {"exp": "tomorrow"},
        {"iat": None},
        {"nbf": 4_000_000_000},
        {"name": 7},
        {"roles": "service"},
    ],
)
def test_a_token_with_wrong_claims_is_invalid(issuer: TokenIssuer, verifier: Verifier, claims: dict[str, Any]) -> None:
    assert reason(verifier, issuer.token("p-ana", **claims)) == "TOKEN_INVALID"


def test_a_token_of_another_key_is_invalid(issuer: TokenIssuer, verifier: Verifier, tmp_path: Path) -> None:
    same_id = TokenIssuer(tmp_path / "forger")
    assert reason(verifier, same_id.token("p-ana")) == "TOKEN_INVALID"
    other_id = TokenIssuer(tmp_path / "forger", key_id="test-2")
    assert reason(verifier, other_id.token("p-ana")) == "TOKEN_INVALID"


def test_a_changed_token_is_invalid(issuer: TokenIssuer, verifier: Verifier) -> None:
    head, payload, signature = issuer.token("p-ana").split(".")
    claims = json.loads(base64.urlsafe_b64decode(payload + "=="))
    claims["sub"] = "p-host"
    forged = base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b"=").decode()
    assert reason(verifier, f"{head}.{forged}.{signature}") == "TOKEN_INVALID"


def test_other_algorithms_are_not_believed(issuer: TokenIssuer, verifier: Verifier) -> None:
    claims = jwt.decode(issuer.token("p-ana"), options={"verify_signature": False})
    public = json.loads(issuer.jwks_file.read_text())["keys"][0]["x"]
    headers = {"kid": issuer.key_id}
    # Not signed at all; and signed with the public key as if it were a secret.
    assert reason(verifier, jwt.encode(claims, "", algorithm="none", headers=headers)) == "TOKEN_INVALID"
    symmetric = jwt.encode(claims, base64.urlsafe_b64decode(public + "="), algorithm="HS256", headers=headers)
    assert reason(verifier, symmetric) == "TOKEN_INVALID"


@pytest.mark.parametrize("token", ["x", "a.b.c", "eyJ.eyJ.x", "\u0000", "ș.ț.ă", "x" * 5000, "." * 100])
def test_what_is_no_token_is_invalid(verifier: Verifier, token: str) -> None:
    assert reason(verifier, token) == "TOKEN_INVALID"


def test_a_new_key_is_read_when_its_first_token_comes_and_not_too_often(issuer: TokenIssuer) -> None:
    clock = Clock(100.0)
    verifier = Verifier([Issuer("levata", "levata", issuer.jwks_file)], clock=clock)
    verifier.verify(issuer.token("p-ana"))
    issuer.renew("test-2")
    # Read a moment ago: strangers must not make us read the file all the time.
    assert reason(verifier, issuer.token("p-ana")) == "TOKEN_INVALID"
    clock.moment += 1.0
    assert verifier.verify(issuer.token("p-ana")).player_id == "p-ana"


def test_unreadable_keys_do_not_take_away_those_that_are_known(issuer: TokenIssuer) -> None:
    clock = Clock(100.0)
    verifier = Verifier([Issuer("levata", "levata", issuer.jwks_file)], clock=clock)
    verifier.verify(issuer.token("p-ana"))
    issuer.jwks_file.write_text("{")
    clock.moment += 1.0
    good = issuer.token("p-bob")
    issuer.key_id = "unknown"
    assert reason(verifier, issuer.token("p-ana")) == "TOKEN_INVALID"
    assert verifier.verify(good).player_id == "p-bob"


def test_no_keys_at_all_means_that_nobody_is_believed(tmp_path: Path, issuer: TokenIssuer) -> None:
    verifier = Verifier.of(ServiceSettings(jwks_file=tmp_path / "missing.json"))
    assert reason(verifier, issuer.token("p-ana")) == "TOKEN_INVALID"


def test_a_foreign_issuers_players_are_its_own_and_never_services(issuer: TokenIssuer, tmp_path: Path) -> None:
    foreign = TokenIssuer(tmp_path / "foreign", issuer="https://id.example", audience="cards")
    settings = ServiceSettings(
        jwks_file=issuer.jwks_file,
        foreign_issuers=[
            IssuerSettings(
                issuer="https://id.example", jwks_file=foreign.jwks_file, audience="cards", subject_prefix="ex"
            )
        ],
    )
    verifier = Verifier.of(settings)
    who = verifier.verify(foreign.token("service:bot", "Ana", roles=["service"]))
    assert who == Caller("ex-service:bot", "Ana", frozenset())
    assert verifier.verify(issuer.token("p-ana")).player_id == "p-ana"
    # Each key speaks for its own issuer alone.
    assert reason(verifier, foreign.token("p-ana", iss="levata", aud="levata")) == "TOKEN_INVALID"
    assert reason(verifier, issuer.token("p-ana", iss="https://id.example", aud="cards")) == "TOKEN_INVALID"


def test_only_services_pass_where_services_are_wanted() -> None:
    with auth.acting_as(Caller("service:bot", "bot", frozenset({"service"}))):
        assert auth.require_service().player_id == "service:bot"
    with auth.acting_as(Caller("p-ana", "Ana")), pytest.raises(LevataError) as caught:
        auth.require_service()
    assert (caught.value.code, caught.value.reason) == (grpc.StatusCode.PERMISSION_DENIED, "SERVICE_ONLY")


def test_nobody_calls_outside_of_a_call() -> None:
    with pytest.raises(LevataError) as caught:
        auth.caller()
    assert caught.value.reason == "TOKEN_MISSING"
