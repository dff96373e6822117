"""Makes what is made: `python -m deploy.monitoring [--check]` the dashboards, `... rules FOLDER` files for promtool."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import yaml

from deploy.monitoring.boards import BOARDS
from deploy.monitoring.expressions import DASHBOARDS
from deploy.monitoring.panels import to_json
from deploy.monitoring.rules import promtool_tests, spec


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes, or with --check says what is not as it would be written; returns 1 if anything is not."""
    parser = argparse.ArgumentParser(prog="python -m deploy.monitoring", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a dashboard is not up to date")
    commands = parser.add_subparsers(dest="command")
    writing = commands.add_parser(
        "rules", help="write rules.yaml and rules.test.yaml as Prometheus and promtool want them"
    )
    writing.add_argument("folder", type=Path)
    given = parser.parse_args(arguments)
    if given.command == "rules":
        (given.folder / "rules.yaml").write_text(yaml.safe_dump(spec(), sort_keys=False))
        (given.folder / "rules.test.yaml").write_text(yaml.safe_dump(promtool_tests("rules.yaml"), sort_keys=False))
        return 0
    return dashboards(DASHBOARDS, given.check)


def dashboards(folder: Path, check: bool) -> int:
    """Writes the dashboards into a folder, and takes away those that are there no more; or only looks."""
    wanted = {f"{board.name}.json": to_json(board) for board in BOARDS}
    stale = [
        name for name, text in wanted.items() if not (folder / name).exists() or (folder / name).read_text() != text
    ]
    left = [path for path in folder.glob("*.json") if path.name not in wanted]
    if check:
        for name in (*stale, *(path.name for path in left)):
            print(f"{folder / name} is not up to date: python -m deploy.monitoring", file=sys.stderr)
        return int(bool(stale or left))
    folder.mkdir(exist_ok=True)
    for name in stale:
        (folder / name).write_text(wanted[name])
    for path in left:
        path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
