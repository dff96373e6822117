"""The right to a state directory, and what an earlier supervisor has left."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.local.errors import LocalError
from deploy.local.instance import Instance, identity
from deploy.local.processes import ProcessIdentity, start_time

SLEEPER = "print('up', flush=True); import time; time.sleep(600)"
DEAF = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + SLEEPER


@contextmanager
def sleeping(program: str = SLEEPER) -> Iterator[ProcessIdentity]:
    """A process in a session of its own that would outlive a supervisor."""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        try:
            yield identity("sleeper", process.pid)
        finally:
            process.kill()


def test_one_supervisor_at_a_time_has_a_state_directory(tmp_path: Path) -> None:
    told = rf"already up from .* \(process {os.getpid()}\)"
    with Instance(tmp_path), pytest.raises(LocalError, match=told), Instance(tmp_path):
        pass
    with Instance(tmp_path):
        pass


def test_the_holder_is_known_only_while_it_lives(tmp_path: Path) -> None:
    assert Instance(tmp_path).holder() is None
    with Instance(tmp_path) as instance:
        holder = instance.holder()
        assert holder is not None
        assert holder.pid == os.getpid()
    assert Instance(tmp_path).holder() is None


def test_what_an_earlier_supervisor_left_is_ended(tmp_path: Path) -> None:
    with sleeping() as leftover, Instance(tmp_path) as instance:
        instance.remember([leftover])
        assert instance.end_leftovers() == ["sleeper"]
        assert not leftover.is_alive()
        assert instance.remembered() == []


def test_what_does_not_end_by_itself_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deploy.local.instance.PATIENCE_SECONDS", 0.3)
    with sleeping(DEAF) as leftover, Instance(tmp_path) as instance:
        instance.remember([leftover])
        assert instance.end_leftovers() == ["sleeper"]
        assert not leftover.is_alive()


def test_a_stranger_who_got_the_number_of_a_leftover_is_left_alone(tmp_path: Path) -> None:
    with sleeping() as stranger, Instance(tmp_path) as instance:
        instance.remember([replace(stranger, started=stranger.started + "0"), replace(stranger, started="")])
        assert instance.end_leftovers() == []
        assert stranger.is_alive()


@pytest.mark.parametrize("content", [b"", b"{", b'[{"name": 1}]'])
def test_a_damaged_list_of_processes_is_no_obstacle(content: bytes, tmp_path: Path) -> None:
    with Instance(tmp_path) as instance:
        (tmp_path / "run" / "processes.json").write_bytes(content)
        assert instance.end_leftovers() == []


def test_processes_are_told_apart_by_when_they_started() -> None:
    with sleeping() as one, sleeping() as other:
        assert one.started
        assert start_time(one.pid) == one.started
        assert one.is_alive()
    assert not one.is_alive()
    assert start_time(other.pid) == ""
