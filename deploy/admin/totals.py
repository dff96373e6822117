"""The ledger's totals: whether they agree with the entries, and made anew where they do not."""

import contextlib
from collections.abc import AsyncIterator

from deploy.admin.answer import Answer
from deploy.admin.desk import Desk
from deploy.admin.errors import AdminError
from deploy.club_settings import ClubSettings
from services.ledger.database import Database
from services.ledger.totals import Audit, recompute


async def check(settings: ClubSettings) -> Answer:
    """Compares totals with entries, and changes nothing; NATS need not answer for it."""
    async with _database(settings) as database:
        return _answer(await recompute(database), fixed=False)


async def put_right(desk: Desk, settings: ClubSettings, why: str) -> Answer:
    """Makes totals anew that do not agree with the entries."""
    async with _database(settings) as database:
        await desk.note("recompute totals", "ledger", why)
        return _answer(await recompute(database, fix=True), fixed=True)


@contextlib.asynccontextmanager
async def _database(settings: ClubSettings) -> AsyncIterator[Database]:
    url = settings.database_url.get_secret_value()
    if not url:
        raise AdminError("nothing says where the ledger's database is: LEVATA_DATABASE_URL")
    database = Database(url)
    try:
        yield database
    finally:
        await database.close()


def _answer(audit: Audit, *, fixed: bool) -> Answer:
    mended = sum(one.fixable for one in audit.disagreements) if fixed else 0
    lines = [str(one) for one in audit.disagreements]
    games = ", ".join(audit.games) or "none"
    lines.append(
        f"games: {games}; entries: {audit.entries}; disagreements: {len(audit.disagreements)}; put right: {mended}"
    )
    data = {
        "games": list(audit.games),
        "entries": audit.entries,
        "put_right": mended,
        "disagreements": [
            {
                "game": one.game,
                "player": one.player_id,
                "what": one.what,
                "kept": str(one.kept),
                "right": str(one.right),
                "fixable": one.fixable,
            }
            for one in audit.disagreements
        ],
    }
    return Answer("\n".join(lines), data, good=len(audit.disagreements) == mended)
