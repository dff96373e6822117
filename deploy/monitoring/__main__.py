"""Makes what is made for whoever watches the club.

`python -m deploy.monitoring` writes the dashboards from their description, `--check` only says whether they are as they
would be written. `... prometheus FOLDER` writes what Prometheus and promtool read: prometheus.yaml for a local club,
the rules, and their tests.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import yaml

from deploy.local.settings import LocalSettings
from deploy.monitoring import local
from deploy.monitoring.expressions import DASHBOARDS
from deploy.monitoring.rules import promtool_tests, spec


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes, or with --check says what is not as it would be written; returns 1 if anything is not."""
    parser = argparse.ArgumentParser(
        prog="python -m deploy.monitoring", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a dashboard is not up to date")
    commands = parser.add_subparsers(dest="command")
    watching = commands.add_parser("prometheus", help="write what Prometheus and promtool read")
    watching.add_argument("folder", type=Path)
    given = parser.parse_args(arguments)
    if given.command == "prometheus":
        prometheus(given.folder)
        return 0
    return dashboards(DASHBOARDS, given.check)


def prometheus(folder: Path) -> None:
    """Writes prometheus.yaml for the local club that the environment describes, rules.yaml and rules.test.yaml."""
    folder.mkdir(parents=True, exist_ok=True)
    file = local.write(folder, spec(), local.targets(LocalSettings()))
    (folder / "rules.test.yaml").write_text(yaml.safe_dump(promtool_tests("rules.yaml"), sort_keys=False))
    print(f"prometheus --config.file={file} --storage.tsdb.path={folder / 'data'} --web.listen-address=127.0.0.1:9090")


def dashboards(folder: Path, check: bool) -> int:
    """Writes the dashboards into a folder, and takes away those that are there no more; or only looks."""
    # Only here: the library that knows Grafana's format is for developers.
    from deploy.monitoring.boards import BOARDS
    from deploy.monitoring.panels import to_json

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
