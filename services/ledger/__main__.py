"""The ledger service: `python -m services.ledger [serve]`, and the commands of those who run it.

Each imports only what it takes: keys are looked for whenever a club starts, and need no database and no server.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from services.ledger.settings import LedgerSettings
from shared.settings import settings_from_environment


def parser() -> argparse.ArgumentParser:
    """The command line."""
    described = "Accounts, results and ratings. Settings are read from the environment (LEVATA_...)."
    top = argparse.ArgumentParser(prog="python -m services.ledger", description=described)
    commands = top.add_subparsers(dest="command", metavar="command")
    commands.add_parser("serve", help="run the service (also without any command)")
    keys = commands.add_parser("keys", help="make the signing key, the JWKS document and the services' tokens")
    keys.add_argument("--out", type=Path, required=True, metavar="DIR", help="where; what is there already stays")
    keys.add_argument("--rotate", action="store_true", help="make a new signing key; the old public one stays known")
    migration = commands.add_parser("migrate", help="bring the database to the newest revision")
    migration.add_argument("--draft", metavar="WHY", help="write a new migration from the changed models instead")
    totals = commands.add_parser("recompute", help="prove that totals and ratings agree with the entries")
    totals.add_argument("--fix", action="store_true", help="put right those that do not")
    correction = commands.add_parser("reverse", help="take a match back by reversing entries")
    correction.add_argument("match_id")
    correction.add_argument("--reason", required=True, help="why; stays on record")
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; its exit code."""
    asked = parser().parse_args(arguments)
    if asked.command in (None, "serve"):
        from services.ledger.service import bind
        from shared.process import main as serve

        serve("ledger", LedgerSettings, bind)
        return 0
    if asked.command == "keys":
        return _keys(asked.out, asked.rotate)
    from services.ledger.database_commands import run

    return run(asked)


def _keys(out: Path, rotate: bool) -> int:
    from services.ledger.keys import write_keys

    settings = settings_from_environment("ledger", LedgerSettings)
    try:
        write_keys(out, datetime.now(UTC), os.urandom, settings.issuer, settings.audience, rotate)
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"keys are in {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
