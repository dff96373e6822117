"""Compiling an engine: what is made, when it is made anew, and what is said when it cannot be."""

from pathlib import Path

import pytest

from deploy.compiled import builder
from deploy.compiled.builder import CannotCompileError, compile_engine
from services.table.engine_build import COMPILED_QUICKLY, build_of

compiles = pytest.mark.skipif(bool(builder.missing()), reason=f"cannot compile: {builder.missing()}")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A small engine."""
    folder = tmp_path / "engine"
    (folder / "game").mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "game" / "__init__.py").touch()
    (folder / "game" / "rules.py").write_text("def tricks(cards: int) -> int:\n    return cards\n")
    return folder


@compiles
def test_an_engine_is_compiled_once_and_again_when_it_was_edited_or_made_in_another_way(
    source: Path, tmp_path: Path
) -> None:
    builds = tmp_path / "builds"
    build = build_of(COMPILED_QUICKLY, source, builds)
    build.mkdir(parents=True)
    (build / "recipe.txt").write_text("by hand\n")
    (build / "left.txt").touch()

    assert compile_engine(COMPILED_QUICKLY, source, builds) == build
    assert "mypy" in (build / "recipe.txt").read_text()
    assert not (build / "left.txt").exists()
    made = {path.relative_to(build).as_posix().split(".")[0] for path in build.rglob("*.*") if path.suffix != ".txt"}
    engine = "services/table/engine"
    assert made == {
        "levata_engine__mypyc",
        *(f"{engine}/{name}" for name in ("__init__", "game/__init__", "game/rules")),
    }
    when = (build / "recipe.txt").stat().st_mtime_ns
    assert compile_engine(COMPILED_QUICKLY, source, builds) == build
    assert (build / "recipe.txt").stat().st_mtime_ns == when

    (source / "game" / "rules.py").write_text("def tricks(cards: int) -> int:\n    return cards + 1\n")
    again = compile_engine(COMPILED_QUICKLY, source, builds)
    assert again != build
    assert [path.name for path in builds.iterdir()] == [again.name]


@compiles
def test_what_does_not_compile_is_told_and_leaves_nothing_behind(source: Path, tmp_path: Path) -> None:
    (source / "game" / "rules.py").write_text('def tricks(cards: int) -> int:\n    return "eight"\n')
    with pytest.raises(CannotCompileError, match=r'rules.py:2: error: Incompatible return value type \(got "str"'):
        compile_engine(COMPILED_QUICKLY, source, tmp_path / "builds")
    assert list((tmp_path / "builds").iterdir()) == []


def test_a_compiler_that_is_not_there_is_named(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler -pipe")
    with pytest.raises(CannotCompileError, match=r"there is no C compiler \(no-such-compiler\)"):
        compile_engine(COMPILED_QUICKLY, source, tmp_path / "builds")
