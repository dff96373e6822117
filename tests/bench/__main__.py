"""Measures Levata beside floors that are measured in the same run, and prints the ratios.

    python -m tests.bench                          everything
    python -m tests.bench engine load --quick      some sections, in short turns
    python -m tests.bench load --profile sample    the same, and where the table service's time goes

`README.md` beside this module says how to read the figures.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.bench import engine, load, memory, recover
from tests.bench.report import Section
from tests.support.nats import nats_server

SECTIONS = ("engine", "load", "recover", "memory")


async def run(arguments: argparse.Namespace, folder: Path) -> list[Section]:
    """Runs the sections asked for, one after another, each printed as soon as it is known."""
    sections: list[Section] = []

    def tell(section: Section) -> None:
        sections.append(section)
        print(section.text(), end="\n\n", flush=True)

    quick: bool = arguments.quick
    wanted = arguments.sections or SECTIONS
    if "engine" in wanted:
        for section in await engine.measure(folder, *((3, 0.2) if quick else (7, 1.0))):
            tell(section)
    async with nats_server(folder / "nats") as nats:
        if "load" in wanted:
            levels = [level for level in load.LEVELS if not arguments.tables or level.tables in arguments.tables]
            turns, seconds = (1, arguments.seconds or 2.0) if quick else (3, arguments.seconds or 5.0)
            await load.measure(
                folder, nats, levels, turns, seconds, arguments.clients, arguments.pods, arguments.profile, tell
            )
        if "recover" in wanted:
            tell(await recover.measure(folder, nats, turns=3 if quick else 7))
        if "memory" in wanted:
            tell(await memory.measure(folder, nats, tables=200 if quick else 500))
    return sections


def main(arguments: Sequence[str] | None = None) -> int:
    """Reads the arguments and runs; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"any of {', '.join(SECTIONS)}; none: all")
    parser.add_argument("--quick", action="store_true", help="short turns: figures for orientation")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    parser.add_argument("--tables", type=int, action="append", help="only the levels of load with so many live tables")
    parser.add_argument("--clients", type=int, default=2, help="client processes for each side (2)")
    parser.add_argument("--seconds", type=float, help="length of a turn under load (5, quick 2)")
    parser.add_argument("--pods", type=int, default=1, help="processes of the table service (1)")
    parser.add_argument("--profile", choices=("sample", "calls"), help="profile the table service under load")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep logs, tape and profiles in this new folder")
    parsed = parser.parse_args(arguments)
    if unknown := [name for name in parsed.sections if name not in SECTIONS]:
        parser.error(f"no section {unknown[0]!r}; there are {', '.join(SECTIONS)}")
    if parsed.profile and not parsed.keep:
        parser.error("--profile needs --keep FOLDER to write the profile to")
    with tempfile.TemporaryDirectory(prefix="levata-bench-") as temporary:
        folder: Path = parsed.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        sections = asyncio.run(run(parsed, folder))
    if parsed.json:
        parsed.json.write_text(json.dumps([section.json() for section in sections], indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
