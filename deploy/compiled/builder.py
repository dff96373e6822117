"""Makes a compiled build of the engine: in its own directory, whole or not at all, and only when there is none yet."""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from services.table.engine_build import BUILDS, COMPILED, COMPILED_QUICKLY, SOURCE, build_of

OPTIMISATION: Final = {COMPILED: "3", COMPILED_QUICKLY: "0"}
"""The C compiler's level for each kind of build."""
RECIPE: Final = "recipe.txt"
"""Says what a build was made with; one that was made with something else is made anew."""


class CannotCompileError(Exception):
    """What compiling takes is not here, or the compiler refused; the message says what and why."""


def missing() -> str:
    """What compiling takes and is not here; empty when everything is."""
    for package in ("mypy", "setuptools"):
        try:
            version(package)
        except PackageNotFoundError:
            return f"the package {package} is not installed (the extra `compile`)"
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
    if os.name == "posix" and shutil.which(compiler) is None:
        return f"there is no C compiler ({compiler})"
    if not (Path(sysconfig.get_path("include")) / "Python.h").is_file():
        return "the headers of Python are not installed (Python.h)"
    return ""


def compile_engine(choice: str, source: Path = SOURCE, builds: Path = BUILDS) -> Path:
    """The build of the source as it is now, made unless it is there. Builds of what the source was before are removed.

    Args:
        choice: `COMPILED` or `COMPILED_QUICKLY`.
        source: The engine's source.
        builds: Where builds are kept.

    Raises:
        CannotCompileError: If something is missing or does not compile.
    """
    if reason := missing():
        raise CannotCompileError(reason)
    build = build_of(choice, source, builds)
    recipe = f"mypy {version('mypy')}, setuptools {version('setuptools')}, -O{OPTIMISATION[choice]}\n"
    if not _made_by(build, recipe):
        builds.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".making-", dir=builds) as folder:
            copy, made = _compile(Path(folder), source, OPTIMISATION[choice])
            build = build_of(choice, copy, builds)  # also if the source was edited meanwhile
            (made / RECIPE).write_text(recipe)
            shutil.rmtree(build, ignore_errors=True)
            try:
                made.rename(build)
            except OSError:
                if not _made_by(build, recipe):  # nobody else was quicker
                    raise
    for old in builds.glob(f"{build.name.rpartition('-')[0]}-*"):
        if old != build:
            shutil.rmtree(old, ignore_errors=True)
    return build


def _made_by(build: Path, recipe: str) -> bool:
    file = build / RECIPE
    return file.is_file() and file.read_text() == recipe


def _compile(folder: Path, source: Path, optimisation: str) -> tuple[Path, Path]:
    """Compiles a copy of the source in `folder`; returns the copy, and what came of it: the same tree, compiled."""
    copy = folder / "services/table/engine"
    for file in source.rglob("*.py"):
        place = copy / file.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)
    for package in ("services", "services/table"):
        (folder / package / "__init__.py").touch()
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("extensions.py")), optimisation],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise CannotCompileError(f"mypyc or the C compiler refused:\n{done.stdout}")
    return copy, folder / "built"
