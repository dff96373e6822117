"""Says what is installed: `levata version`."""

import argparse
import platform
import sys
from collections.abc import Sequence
from importlib.metadata import version

from services.table import engine


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the version of Levata, the build of its engine, and the Python that runs both."""
    argparse.ArgumentParser(prog="levata version", description=__doc__).parse_args(arguments)
    print(f"Levata {version('levata')}")
    print(f"engine: {engine.build()}")
    print(f"{platform.python_implementation()} {platform.python_version()} on {platform.platform()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
