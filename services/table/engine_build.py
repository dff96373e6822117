"""Which build of the engine runs: its plain source, or the same source compiled.

The plain source is the reference, and what runs unless the environment says `LEVATA_ENGINE=compiled`. A compiled build
(`make compile`) stands in a directory of its own, named by the source it was made of and the Python it was made for,
and is put before the plain source on the path of this package. So a build can be used with exactly its own source:
after any edit it is not found any more, which is an error to whoever asks for it, and nobody else ever meets it.
"""

import hashlib
import os
import sys
from collections.abc import Iterable
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Final

VARIABLE: Final = "LEVATA_ENGINE"
"""The variable of the environment that chooses."""
PLAIN: Final = "plain"
COMPILED: Final = "compiled"
"""Compiled for use, by an optimising compiler."""
COMPILED_QUICKLY: Final = "quickly-compiled"
"""Compiled for tests: the same modules in a fraction of the time, hardly optimised."""
CHOICES: Final = (PLAIN, COMPILED, COMPILED_QUICKLY)

SOURCE: Final = Path(__file__).with_name("engine")
"""The plain source."""
BUILDS: Final = Path(__file__).with_name("compiled")
"""Where the builds are: directories in which the engine has the place that it has here, with its library above."""


class EngineBuildError(ImportError):
    """The build of the engine that was asked for is not there."""


def source_key(source: Path = SOURCE) -> str:
    """What the engine's source is, every file and every byte of it, in 16 hexadecimal digits."""
    digest = hashlib.sha256()
    for file in sorted(source.rglob("*.py")):
        content = file.read_bytes()
        digest.update(f"{file.relative_to(source).as_posix()} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def build_of(choice: str, source: Path = SOURCE, builds: Path = BUILDS) -> Path:
    """Where the build of just this source for just this Python is, or would be.

    Args:
        choice: `COMPILED` or `COMPILED_QUICKLY`.
        source: The plain source.
        builds: Where builds are.
    """
    abi = EXTENSION_SUFFIXES[0].strip(".").removesuffix(".so").removesuffix(".pyd")
    return builds / f"{choice}-{abi}-{source_key(source)}"


def search_path(plain: Iterable[str], choice: str, source: Path = SOURCE, builds: Path = BUILDS) -> list[str]:
    """The path on which the package `services.table` finds the engine.

    Args:
        plain: The path on which it finds the plain source.
        choice: What the environment says; empty for the plain source.
        source: The plain source.
        builds: Where builds are.

    Raises:
        EngineBuildError: If there is no such build of the source as it is now, or no such choice.
    """
    if choice in ("", PLAIN):
        return list(plain)
    if choice not in CHOICES:
        raise EngineBuildError(f"{VARIABLE}={choice}: expected one of {', '.join(CHOICES)}")
    build = build_of(choice, source, builds)
    if not build.is_dir():
        others = any(builds.glob(f"{choice}-*"))
        why = "is of another source or another Python" if others else "has not been made"
        raise EngineBuildError(f"{VARIABLE}={choice}: the compiled engine {why}; `make compile` makes it")
    sys.path.append(str(build))  # the library, which the modules import by its own name
    return [str(build.joinpath(*__name__.split(".")[:-1])), *plain]


def chosen_path(plain: Iterable[str]) -> list[str]:
    """`search_path` by the environment. Raises `EngineBuildError`."""
    return search_path(plain, os.environ.get(VARIABLE, ""))
