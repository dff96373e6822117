"""Channels that services call others with, and what is tried again on any channel."""

import json
from pathlib import Path

import pytest

from shared.rpc import policy
from shared.rpc.channel import TokenFile
from tests.support.contract import METHODS


def test_a_token_is_read_again_after_a_while_and_kept_when_the_file_is_gone(tmp_path: Path) -> None:
    moment = 1000.0
    path = tmp_path / "service.jwt"
    token = TokenFile(path, lambda: moment)
    with pytest.raises(FileNotFoundError):
        token()
    path.write_text("first\n")
    assert token() == "first"
    path.write_text("second\n")
    assert token() == "first"
    moment += 31.0
    assert token() == "second"
    path.unlink()
    moment += 31.0
    assert token() == "second"


def test_streams_are_tried_again_by_nobody_but_their_owners() -> None:
    streams = {tuple(method.path.strip("/").split("/")) for method in METHODS.values() if method.streams_out}
    assert set(policy.RESUMED) == streams
    every, none = json.loads(policy.service_config(attempts=5))["methodConfig"]
    assert every["name"] == [{}]
    assert every["retryPolicy"]["retryableStatusCodes"] == ["UNAVAILABLE", "CANCELLED"]
    assert {(name["service"], name["method"]) for name in none["name"]} == streams
    assert "retryPolicy" not in none


def test_grpc_repeats_nothing_where_somebody_else_does() -> None:
    assert "methodConfig" not in json.loads(policy.service_config())
