"""Who may import whom, beyond what the import linter can be told."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENGINE = "services.table.engine"
TYPES_ONLY = {"native.py": {"mypy_extensions"}}
"""What a module of the engine imports for the type checker and never when it runs."""


def imports(path: Path) -> Iterator[str]:
    """The modules that a file names in its imports, wherever they stand."""
    package = ".".join(path.relative_to(ROOT).parent.parts)
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=module, level=0) if module:
                yield module
            case ast.ImportFrom(module=module, level=level):
                parents = package.split(".")[: len(package.split(".")) - level + 1]
                yield ".".join([*parents, *([module] if module else [])])


@pytest.mark.parametrize(
    "path", sorted((ROOT / ENGINE.replace(".", "/")).rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT))
)
def test_the_engine_imports_nothing_but_the_standard_library_and_itself(path: Path) -> None:
    foreign = [
        name
        for name in imports(path)
        if name.split(".")[0] not in sys.stdlib_module_names | TYPES_ONLY.get(path.name, set())
        and name != ENGINE
        and not name.startswith(f"{ENGINE}.")
    ]
    assert foreign == []


def test_the_engine_runs_without_what_it_imports_for_the_type_checker() -> None:
    names = set().union(*TYPES_ONLY.values())
    program = f"import sys, {ENGINE}.games, {ENGINE}.playouts; sys.exit(bool({names} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0


@pytest.mark.parametrize("forbidden", ["random", "secrets", "time", "socket", "asyncio", "os", "threading"])
def test_the_engine_has_no_clock_no_chance_and_no_input_or_output_of_its_own(forbidden: str) -> None:
    users = [
        str(path)
        for path in (ROOT / ENGINE.replace(".", "/")).rglob("*.py")
        if forbidden in {name.split(".")[0] for name in imports(path)}
    ]
    assert users == []


def test_imports_are_found_wherever_they_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    (folder / "c.py").write_text("import x.y\ndef f():\n    from z import w\nfrom . import d\nfrom ..e import g\n")
    assert sorted(imports(folder / "c.py")) == ["a.b", "a.e", "x.y", "z"]
