"""The ledger service: `python -m services.ledger [serve]`, and the commands of those who run it."""

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from services.ledger.corrections import reverse
from services.ledger.database import Database
from services.ledger.errors import LedgerError
from services.ledger.keys import write_keys
from services.ledger.schema import draft_migration, migrate
from services.ledger.service import bind, utc_now
from services.ledger.settings import LedgerSettings
from services.ledger.totals import recompute
from shared.harness import main as serve
from shared.harness import settings_from_environment


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
        serve("ledger", LedgerSettings, bind)
        return 0
    settings = settings_from_environment("ledger", LedgerSettings)
    if asked.command == "keys":
        try:
            write_keys(asked.out, utc_now(), os.urandom, settings.issuer, settings.audience, asked.rotate)
        except (ValueError, OSError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
        print(f"keys are in {asked.out}")
        return 0
    try:
        return asyncio.run(_with_database(asked, settings))
    except LedgerError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


async def _with_database(asked: argparse.Namespace, settings: LedgerSettings) -> int:
    database = Database(settings.database_url.get_secret_value(), settings.database_pool_size)
    try:
        if asked.command == "migrate":
            return await _migrate(database, asked.draft)
        if asked.command == "recompute":
            return await _recompute(database, asked.fix)
        taken = await reverse(database, asked.match_id, asked.reason, utc_now)
        print(
            f"{taken.game}: totals of {taken.people}, estimates of {taken.estimates} and points ratings of "
            f"{taken.points_ratings} people changed"
        )
        return 0
    finally:
        await database.close()


async def _migrate(database: Database, draft: str | None) -> int:
    if draft:
        await draft_migration(database, draft)
        return 0
    print(f"the database has revision {await migrate(database)}")
    return 0


async def _recompute(database: Database, fix: bool) -> int:
    audit = await recompute(database, fix)
    for disagreement in audit.disagreements:
        print(disagreement)
    fixed = sum(disagreement.fixable for disagreement in audit.disagreements) if fix else 0
    games = ", ".join(audit.games) or "none"
    print(f"games: {games}; entries: {audit.entries}; disagreements: {len(audit.disagreements)}; put right: {fixed}")
    return 1 if len(audit.disagreements) > fixed else 0


if __name__ == "__main__":
    sys.exit(main())
