"""Channels that services call others with."""

from pathlib import Path

import pytest

from shared.rpc.channel import TokenFile


def test_a_token_is_read_again_after_a_while_and_kept_when_the_file_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moment = 1000.0
    monkeypatch.setattr("shared.rpc.channel.time.monotonic", lambda: moment)
    path = tmp_path / "service.jwt"
    token = TokenFile(path)
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
