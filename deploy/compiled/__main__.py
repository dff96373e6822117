"""Compiles the engine: `python -m deploy.compiled`. `LEVATA_ENGINE=compiled` then makes any program use it.

python -m deploy.compiled              for use: minutes of optimising, once for each state of the source
python -m deploy.compiled --quickly    for tests
"""

import argparse
import os
import sys
import time
from collections.abc import Sequence

from deploy.compiled.builder import CannotCompileError, compile_engine
from services.table.engine_build import COMPILED, COMPILED_QUICKLY, VARIABLE


def main(arguments: Sequence[str] | None = None) -> int:
    """Reads the arguments and compiles; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m deploy.compiled", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quickly", action="store_true", help="hardly optimised, for tests")
    choice = COMPILED_QUICKLY if parser.parse_args(arguments).quickly else COMPILED
    began = time.monotonic()
    try:
        build = compile_engine(choice)
    except CannotCompileError as error:
        print(f"The engine cannot be compiled: {error}", file=sys.stderr)
        return 1
    seconds = time.monotonic() - began
    print(f"{build.relative_to(os.getcwd()) if build.is_relative_to(os.getcwd()) else build} ({seconds:.0f} s)")
    print(f"To use it: {VARIABLE}={choice} before a command, such as `{VARIABLE}={choice} make up`.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
