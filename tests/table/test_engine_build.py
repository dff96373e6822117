"""Which build of the engine runs, and that a build is never used with any source but its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from services.table.engine_build import (
    COMPILED,
    COMPILED_QUICKLY,
    SOURCE,
    EngineBuildError,
    build_of,
    search_path,
    source_key,
)

PLAIN = ["/somewhere/services/table"]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A small engine."""
    folder = tmp_path / "engine"
    (folder / "game").mkdir(parents=True)
    (folder / "__init__.py").write_text('"""An engine."""\n')
    (folder / "game" / "rules.py").write_text("TRICKS = 8\n")
    return folder


@pytest.fixture
def builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where its builds are; what using one puts on the path of this process is taken off again."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path / "builds"


@pytest.mark.parametrize("choice", ["", "plain"])
def test_the_plain_source_runs_unless_a_build_is_asked_for(choice: str, source: Path, builds: Path) -> None:
    build_of(COMPILED, source, builds).mkdir(parents=True)
    before = [*sys.path]
    assert search_path(PLAIN, choice, source, builds) == PLAIN
    assert sys.path == before


def test_a_build_of_the_source_as_it_is_comes_before_it(source: Path, builds: Path) -> None:
    build = build_of(COMPILED, source, builds)
    build.mkdir(parents=True)
    assert search_path(PLAIN, COMPILED, source, builds) == [str(build / "services" / "table"), *PLAIN]
    assert sys.path[-1] == str(build)


def test_a_build_that_was_never_made_is_refused_with_how_to_make_it(source: Path, builds: Path) -> None:
    build_of(COMPILED_QUICKLY, source, builds).mkdir(parents=True)
    with pytest.raises(EngineBuildError, match="has not been made; `make compile` makes it"):
        search_path(PLAIN, COMPILED, source, builds)


def edit(source: Path) -> None:
    (source / "game" / "rules.py").write_text("TRICKS = 7\n")


def add(source: Path) -> None:
    (source / "game" / "more.py").touch()


def remove(source: Path) -> None:
    (source / "game" / "rules.py").unlink()


def rename(source: Path) -> None:
    (source / "game" / "rules.py").rename(source / "game" / "laws.py")


def move_a_line(source: Path) -> None:
    """From one file to the next: all the files together have the same bytes as before."""
    (source / "__init__.py").write_text("")
    (source / "game" / "rules.py").write_text('"""An engine."""\nTRICKS = 8\n')


@pytest.mark.parametrize("change", [edit, add, remove, rename, move_a_line])
def test_a_build_of_what_the_source_was_before_is_refused(change: object, source: Path, builds: Path) -> None:
    build_of(COMPILED, source, builds).mkdir(parents=True)
    search_path(PLAIN, COMPILED, source, builds)
    assert callable(change)
    change(source)
    with pytest.raises(EngineBuildError, match="is of another source or another Python"):
        search_path(PLAIN, COMPILED, source, builds)


def test_files_that_are_not_source_do_not_matter(source: Path) -> None:
    before = source_key(source)
    (source / "RULES.md").write_text("statements")
    (source / "__pycache__").mkdir()
    (source / "__pycache__" / "rules.pyc").write_bytes(b"1")
    assert source_key(source) == before


def test_a_choice_that_there_is_not_is_refused(source: Path, builds: Path) -> None:
    with pytest.raises(EngineBuildError, match="LEVATA_ENGINE=fast: expected one of plain, compiled, quickly-compiled"):
        search_path(PLAIN, "fast", source, builds)


def levata_version(choice: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "shared.cli", "version"],
        env={**os.environ, "LEVATA_ENGINE": choice}, cwd=SOURCE.parents[2], capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_program_says_which_build_it_runs_and_does_not_start_with_another_than_it_was_asked_for() -> None:
    assert "\nengine: plain\n" in levata_version("plain").stdout
    refused = levata_version("fast")
    assert refused.returncode != 0
    assert "LEVATA_ENGINE=fast: expected one of" in refused.stderr
