"""`python -m services.table.replay`."""

import io
import subprocess
import sys
from pathlib import Path

import pytest

from services.table.replay import main

GOLDEN = Path(__file__).with_name("golden")
FOUR = GOLDEN / "four_players.txt"


def test_it_prints_the_score_sheet_orbit_by_orbit(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(FOUR)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "Players in playing order: Ana, Bogdan (bot), Călin, Dana (bot)" in out
    for orbit in range(1, 9):
        assert f"\nOrbit {orbit}: " in out
    for words in ("perfect", "Totale- 1", "Totale+ 1", " x2", " again", "total", "Won by Dana with 142 points."):
        assert words in out
    assert out.endswith("all are legal, and the result agrees.\n")
    assert FOUR.with_suffix(".sheet").read_text(encoding="utf-8") in out


def test_it_runs_as_a_module_and_reads_standard_input() -> None:
    finished = subprocess.run(
        [sys.executable, "-m", "services.table.replay", "-"],
        input=FOUR.read_bytes(),
        capture_output=True,
        check=False,
        env={"PYTHONPATH": str(Path(__file__).parents[3]), "PYTHONIOENCODING": "utf-8"},
        cwd=Path(__file__).parents[3],
    )
    assert finished.returncode == 0, finished.stderr.decode()
    assert "Won by Dana with 142 points." in finished.stdout.decode()


def test_a_stopped_match_is_shown_as_far_as_it_went(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(GOLDEN / "five_players_stopped.txt")]) == 0
    out = capsys.readouterr().out
    assert "The match is not over." in out
    assert out.endswith("Replayed 700 actions; all are legal.\n")


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("result 35 85", "result 36 85", 862, "but the play comes to 35 85 47 142"),
        ("\n1 bid ", "\n1 bid 9", 16, "expected a number from 0 to 8"),
        ("\n1 bid ", "\n2 bid ", 16, "NOT_YOUR_TURN (AZ-11)"),
    ],
)
def test_a_broken_record_fails_with_its_line_and_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, line: int, message: str
) -> None:
    text = FOUR.read_text(encoding="utf-8")
    assert old in text
    file = tmp_path / "broken.txt"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert main([str(file)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"{file}:{line}: ")
    assert message in err
    assert "get it again from where it was kept" in err


def test_a_file_that_cannot_be_read_fails_clearly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "none.txt")]) == 2
    assert "none.txt: cannot be read: No such file" in capsys.readouterr().err
    (tmp_path / "picture.txt").write_bytes(b"\xff\xd8\xff")
    assert main([str(tmp_path / "picture.txt")]) == 2
    assert "is not UTF-8 text" in capsys.readouterr().err


def test_a_broken_standard_input_is_named_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"hello\n")))
    assert main(["-"]) == 1
    err = capsys.readouterr().err
    assert err.startswith("standard input:1: this is no record")
    assert "changed or cut" not in err
