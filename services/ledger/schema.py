"""Migrations of the database, run from the program itself."""

from pathlib import Path

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from services.ledger.database import Database
from services.ledger.models import METADATA

SCRIPTS = Path(__file__).parent / "migrations"


def alembic_config(connection: Connection | None = None) -> Config:
    """Alembic's configuration for a connection that is in a transaction."""
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    config.attributes["connection"] = connection
    return config


def newest_revision() -> str:
    """The revision that this build of the program wants."""
    head = ScriptDirectory.from_config(alembic_config()).get_current_head()
    assert head is not None, "there are migrations"
    return head


async def present_revision(database: Database) -> str | None:
    """The revision that the database has; None when it is empty."""
    async with database.connection() as connection:
        return await connection.run_sync(lambda sync: MigrationContext.configure(sync).get_current_revision())


async def migrate(database: Database) -> str:
    """Brings the database to the newest revision, all or nothing, and returns it.

    Two processes that do this at once wait for each other; the second finds nothing left to do.
    """
    async with database.connection() as connection:
        await database.lock(connection, "migrations")
        await connection.run_sync(lambda sync: command.upgrade(alembic_config(sync), "head"))
    return newest_revision()


async def draft_migration(database: Database, why: str) -> None:
    """Writes a new migration file from the difference between the models and a database that is up to date."""
    async with database.connection() as connection:
        await connection.run_sync(lambda sync: command.revision(alembic_config(sync), why, autogenerate=True))


async def differences(database: Database) -> list[object]:
    """What the models say and the database does not have, or the other way round; empty when they agree."""

    def compare(sync: Connection) -> list[object]:
        context = MigrationContext.configure(sync, opts={"compare_type": True, "target_metadata": METADATA})
        return list(compare_metadata(context, METADATA))

    async with database.connection() as connection:
        return await connection.run_sync(compare)
