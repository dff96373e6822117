"""The commands of those who run the ledger that work on its database: migrate, recompute, reverse."""

import argparse
import asyncio
import sys
from datetime import UTC, datetime
from functools import partial

from services.ledger.corrections import reverse
from services.ledger.database import Database
from services.ledger.errors import LedgerError
from services.ledger.schema import draft_migration, migrate
from services.ledger.settings import LedgerSettings
from services.ledger.totals import recompute
from shared.settings import settings_from_environment


def run(asked: argparse.Namespace) -> int:
    """Runs a command as it was asked for; its exit code."""
    settings = settings_from_environment("ledger", LedgerSettings)
    try:
        return asyncio.run(_run(asked, settings))
    except LedgerError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


async def _run(asked: argparse.Namespace, settings: LedgerSettings) -> int:
    database = Database(settings.database_url.get_secret_value(), settings.database_pool_size)
    try:
        if asked.command == "migrate":
            return await _migrate(database, asked.draft)
        if asked.command == "recompute":
            return await _recompute(database, asked.fix)
        taken = await reverse(database, asked.match_id, asked.reason, partial(datetime.now, UTC))
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
