"""Compiles the tree it is started in: `python -m deploy.compiled.extensions OPTIMISATION`.

A process of its own, started by `builder.py` in a copy of the engine's source: mypyc reads modules by their place under
the present directory, ends the process when a type is wrong, and changes setuptools while it is at it.
"""

import os
import shutil
import sys
from pathlib import Path

from mypyc.build import mypycify
from setuptools import setup

GROUP = "levata_engine"
"""The modules share one library, so that calls between them are calls of C; it lies above them."""


UNCOMPILED = "services/table/engine/native.py"
"""What stands in for mypyc's own types, which compiled modules need no definition of."""


def main(optimisation: str) -> None:
    """Compiles the modules of the engine into `built/`."""
    modules = sorted({path.as_posix() for path in Path("services/table/engine").rglob("*.py")} - {UNCOMPILED})
    extensions = mypycify(
        # Nobody's own configuration of mypy, and the whole output where something is wrong.
        ["--config-file=", "--no-color-output", *modules],
        opt_level=optimisation,
        debug_level="0",
        group_name=GROUP,
        target_dir="c",
    )
    setup(
        name="levata-engine",
        packages=[],
        ext_modules=extensions,
        script_args=[
            "--quiet",
            "build_ext",
            "--build-lib",
            "built",
            "--build-temp",
            "objects",
            "-j",
            str(os.cpu_count() or 1),
        ],
    )
    if Path(UNCOMPILED).exists():
        shutil.copyfile(UNCOMPILED, Path("built", UNCOMPILED))


if __name__ == "__main__":
    main(sys.argv[1])
