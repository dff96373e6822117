"""The console script."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from shared.cli import COMMANDS, CUT_SHORT, is_here


def levata(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "shared.cli", *arguments], capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_there_and_explains_itself(name: str) -> None:
    assert is_here(COMMANDS[name].module)
    answer = levata(name, "--help")
    assert answer.returncode == 0, answer.stderr
    assert "usage:" in answer.stdout


def test_without_a_command_all_are_listed() -> None:
    answer = levata()
    assert answer.returncode == 2
    assert all(f"  {name} " in answer.stdout for name in COMMANDS)
    assert levata("--help").returncode == 0


def test_an_unknown_command_is_named() -> None:
    answer = levata("nope")
    assert answer.returncode == 1
    assert "there is no command 'nope'" in answer.stderr


def test_arguments_and_exit_codes_pass_through() -> None:
    answer = levata("down", "--no-such-option")
    assert answer.returncode == 2
    assert "--no-such-option" in answer.stderr


def test_a_command_whose_reader_has_had_enough_ends_without_a_word() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        answer = subprocess.run(
            [sys.executable, "-m", "shared.cli", "version"],
            stdout=writing,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
    finally:
        os.close(writing)
    assert (answer.returncode, answer.stderr) == (CUT_SHORT, b"")


def test_each_command_explains_itself_and_no_other() -> None:
    up, down = levata("up", "--help").stdout, levata("down", "--help").stdout
    assert up.startswith("usage: levata up ")
    assert down.startswith("usage: levata down ")
    assert "--tables" in up
    assert "--tables" not in down


def test_the_help_of_playing_shows_what_a_person_types() -> None:
    assert levata("play", "--help").stdout.startswith("usage: levata play ")


def test_a_setting_that_cannot_be_is_named_as_it_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = levata("up", "--tables", "0")
    assert answer.returncode == 1
    assert "--tables: " in answer.stderr
    assert "LEVATA_" not in answer.stderr
    monkeypatch.setenv("LEVATA_BOTS", "0")
    assert "LEVATA_BOTS: " in levata("up").stderr


def test_ctrl_c_while_a_command_is_still_being_imported_ends_it_quietly(tmp_path: Path) -> None:
    (tmp_path / "slow_to_import.py").write_text("import signal\nsignal.raise_signal(signal.SIGINT)\nprint('went on')\n")
    program = "import shared.cli as cli; cli.COMMANDS = {'slow': cli.Command('slow_to_import', '')}; cli.main(['slow'])"
    answer = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(Path.cwd())])},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (answer.returncode, answer.stdout, answer.stderr) == (130, "", "")
