"""The composition of the ledger service."""

import asyncio
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import structlog

from services.ledger.accounts import ForeignAccounts
from services.ledger.attempts import Attempts
from services.ledger.consumer import ResultsConsumer
from services.ledger.credentials import Entropy, Passwords
from services.ledger.database import Database
from services.ledger.errors import DatabaseDownError
from services.ledger.identity import Identity
from services.ledger.identity_servicer import PUBLIC_METHODS, IdentityServicer
from services.ledger.keys import AccessTokens, SigningKey, published_keys
from services.ledger.ledger_servicer import LedgerServicer
from services.ledger.measures import Measures
from services.ledger.outbox import Relay
from services.ledger.posting import Ledger
from services.ledger.refusals import REFUSALS
from services.ledger.schema import migrate, newest_revision, present_revision
from services.ledger.sessions import Sessions
from services.ledger.settings import LedgerSettings
from shared.gen.levata.ledger.v1 import identity_pb2, identity_pb2_grpc, ledger_pb2, ledger_pb2_grpc
from shared.harness import CannotStartError, Harness
from shared.streams import CONSUMERS

TIDY_SECONDS = 3600.0
JWKS_PATH = "/.well-known/jwks.json"
"""Where the public keys are had over HTTP, beside the metrics: for the edge."""

_log = structlog.get_logger(__name__)


class SchemaError(CannotStartError):
    """The database does not have the tables that this build wants."""


def utc_now() -> datetime:
    """The wall clock."""
    return datetime.now(UTC)


async def bind(
    harness: Harness,
    settings: LedgerSettings,
    now: Callable[[], datetime] = utc_now,
    entropy: Entropy = os.urandom,
) -> None:
    """Makes the parts of the service and hands them to the harness.

    Raises:
        SchemaError: The database has another revision, and is not to be migrated at start.
        CannotStartError: The database is away, or damaged.
        OSError: The signing key cannot be read.
    """
    signing = SigningKey.read(settings.signing_key_file, settings.jwks_file)
    database = Database(settings.database_url.get_secret_value(), settings.database_pool_size)
    harness.on_close(database.close)
    try:
        await _prepare(database, settings)
    except DatabaseDownError as error:
        raise CannotStartError(str(error)) from error
    harness.readiness("database", database.ping)

    measures = Measures(harness.metrics)
    foreign = ForeignAccounts(database, [one.subject_prefix for one in settings.foreign_issuers])
    passwords = Passwords(threads=settings.password_threads)
    sessions = Sessions(entropy, timedelta(seconds=settings.refresh_token_seconds))
    access = AccessTokens(signing, settings.issuer, settings.audience, timedelta(seconds=settings.access_token_seconds))
    attempts = Attempts(database, settings.attempt_limit)
    identity = Identity(database, passwords, sessions, access, attempts, foreign, now, entropy)
    relay = Relay(
        database, harness.bus, measures, now, settings.outbox_look_seconds, timedelta(days=settings.outbox_keep_days)
    )
    results = ResultsConsumer(Ledger(database, foreign, now), relay, measures)

    async def close_passwords() -> None:
        passwords.close()

    async def consume() -> None:
        await harness.bus.consume(CONSUMERS["ledger"], results.handle, settings.results_concurrency)

    async def tidy() -> None:
        while True:
            try:
                async with database.writing() as session:
                    await sessions.forget(session, now() - timedelta(days=1))
                    await attempts.forget(session, now())
                    await relay.forget(session)
            except DatabaseDownError as error:
                _log.warning("tidying up waits", error=str(error))
            await asyncio.sleep(TIDY_SECONDS)

    harness.on_close(close_passwords)
    harness.background("results", consume)
    harness.background("outbox", relay.run)
    harness.background("tidying", tidy)
    harness.add_errors(REFUSALS)
    harness.add_servicer(
        identity_pb2_grpc.add_IdentityServiceServicer_to_server,
        IdentityServicer(identity, measures, published_keys(settings.jwks_file, signing)),
        identity_pb2.DESCRIPTOR.services_by_name["IdentityService"].full_name,
        PUBLIC_METHODS,
    )
    harness.add_page(JWKS_PATH, lambda: published_keys(settings.jwks_file, signing))
    harness.add_servicer(
        ledger_pb2_grpc.add_LedgerServiceServicer_to_server,
        LedgerServicer(database),
        ledger_pb2.DESCRIPTOR.services_by_name["LedgerService"].full_name,
    )


async def _prepare(database: Database, settings: LedgerSettings) -> None:
    """Sees to it that the tables are there."""
    if settings.migrates_at_start:
        revision = await migrate(database)
        _log.info("the database is up to date", revision=revision)
        return
    present, newest = await present_revision(database), newest_revision()
    if present != newest:
        raise SchemaError(
            f"the database has revision {present or 'none'}, this build wants {newest}: "
            "run `python -m services.ledger migrate`"
        )
