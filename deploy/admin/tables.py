"""Tables: the list, one of them, its log and chain; freeze, resume, stop."""

import re
from typing import Any, Final

from deploy.admin import records, seen
from deploy.admin.answer import Answer, ago, moment, table_of
from deploy.admin.desk import Desk
from deploy.admin.errors import AdminError
from services.table import commands as c
from services.table import errors, lobby
from services.table.inspection import Inspection
from services.table.lobby import Entry
from services.table.operating import DamagedLogError

WHOLE_ID: Final = re.compile(r"[a-z0-9]{16,32}")
"""What an id looks like; anything shorter is taken for its beginning."""


async def tables(desk: Desk, status: str | None, game: str | None) -> Answer:
    """All tables that the lobby lists, private ones too."""
    entries = [
        one for one in await lobby.listed(desk.bus) if game in (None, one.game) and status in (None, _status(one))
    ]
    now = desk.now()
    rows = [
        (one.table, _status(one), one.game, _people(one), "public" if one.public else "private", ago(one.created, now))
        for one in entries
    ]
    text = table_of(("TABLE", "STATUS", "GAME", "SEATS", "SEEN BY", "MADE"), rows) if rows else "no tables"
    return Answer(text, [_entry_data(one) for one in entries])


async def show(desk: Desk, name: str) -> Answer:
    """One table, without anybody's cards."""
    found = await _inspect(desk, name)
    now = desk.now()
    return Answer(seen.table_text(found, now), seen.table_data(found, now), good=found.damaged is None)


async def log(desk: Desk, name: str, last: int | None, reveal: bool, why: str) -> Answer:
    """The records of a table's log."""
    found = await _inspect(desk, name)
    if reveal:
        await desk.note("reveal log", found.table, why)
    lines = found.lines[-last:] if last else found.lines
    names = records.names_in(found.lines)
    text = "\n".join(records.line_text(line, names, reveal=reveal) for line in lines)
    data = [records.line_data(line, reveal=reveal) for line in lines]
    return Answer(text, data, good=found.damaged is None)


async def chain(desk: Desk, names: list[str]) -> Answer:
    """Whether numbers and hashes of logs hold; of all logs when none is named."""
    ids = [await _id(desk, name) for name in names] if names else await desk.log.tables()
    text: list[str] = []
    data: list[dict[str, Any]] = []
    good = True
    for table in ids:
        try:
            found = await desk.operator.inspect(table)
        except errors.TableNotFoundError:
            if not names:
                continue  # it was closed meanwhile
            raise _unknown(table) from None
        wrong = seen.damage(found)
        good = good and (wrong is None or (not names and found.written_off is not None))
        state = "given up" if found.written_off is not None else "damaged" if wrong else "whole"
        text.append(f"{table}  {state:<8}  {len(found.lines)} records" + (f"  {wrong}" if wrong else ""))
        data.append(
            {
                "table": table,
                "chain": state,
                "records": len(found.lines),
                "revision": found.state.revision,
                "last_hash": found.state.link,
                "damage": wrong,
            }
        )
    return Answer("\n".join(text) or "no tables", data, good=good)


async def freeze(desk: Desk, name: str, why: str, note: str) -> Answer:
    """Lets a table stand still."""
    table = await _id(desk, name)
    await desk.note("freeze", table, why)
    revision = await _intervene(desk, table, c.FreezeTable(desk.by, why, note))
    return Answer(
        f"{table} is frozen since revision {revision}. Its clocks stand still and nobody can act, until "
        f"`levata admin resume {table}`.",
        {"table": table, "revision": revision, "frozen": True},
    )


async def resume(desk: Desk, name: str, why: str) -> Answer:
    """Lets a frozen table go on."""
    table = await _id(desk, name)
    await desk.note("resume", table, why)
    revision = await _intervene(desk, table, c.ResumeTable(desk.by, why))
    return Answer(
        f"{table} goes on since revision {revision}. Everybody has the time that was left.",
        {"table": table, "revision": revision, "frozen": False},
    )


async def stop(desk: Desk, name: str, why: str, note: str) -> Answer:
    """Stops a table for good, whatever state it is in; one whose log is damaged is given up."""
    table = await _id(desk, name)
    await desk.note("stop", table, why)
    try:
        revision = await _intervene(desk, table, c.EndTable(desk.by, why, note))
    except DamagedLogError:
        found = await desk.operator.write_off(table, desk.by, why)
        return Answer(
            f"The log of {table} is damaged, so the table is given up: it leaves the lobby and is closed on every "
            "server, and no result comes of it. Its log stays as it is for thirty days.",
            {"table": table, "revision": found.state.revision, "given_up": True, "damage": seen.damage(found)},
        )
    return Answer(
        f"{table} is stopped at revision {revision}. Everybody there was told, and the ledger hears that the match "
        "did not come to its end.",
        {"table": table, "revision": revision, "given_up": False},
    )


async def _intervene(desk: Desk, table: str, command: c.FreezeTable | c.ResumeTable | c.EndTable) -> int:
    try:
        return await desk.operator.intervene(table, command)
    except errors.TableNotFoundError:
        raise _unknown(table) from None
    except errors.NotPlayingError:
        raise AdminError(f"{table} is over") from None
    except errors.FrozenByOperatorError:
        raise AdminError(f"{table} is frozen already") from None
    except errors.NotFrozenError:
        over = (await desk.operator.inspect(table)).state.over
        raise AdminError(f"{table} is over" if over else f"{table} is not frozen") from None
    except DamagedLogError as error:
        if isinstance(command, c.EndTable):
            raise
        raise AdminError(
            f"{table}: {error}. Nobody can play on over that, so it stays frozen. Keep the evidence (`levata admin log "
            f"{table} --reveal --json`), then give the table up: `levata admin stop {table}`"
        ) from error


async def _inspect(desk: Desk, name: str) -> Inspection:
    table = await _id(desk, name)
    try:
        return await desk.operator.inspect(table)
    except errors.TableNotFoundError:
        raise _unknown(table) from None


async def _id(desk: Desk, name: str) -> str:
    """The id of a table by its id or the beginning of it."""
    if WHOLE_ID.fullmatch(name):
        return name
    found = [one for one in await desk.log.tables() if one.startswith(name)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise _unknown(name)
    raise AdminError(f"{len(found)} tables begin with {name!r}: {', '.join(found[:5])}{', ...' if found[5:] else ''}")


def _unknown(name: str) -> AdminError:
    return AdminError(
        f"there is no table {name}: `levata admin tables` lists those that are; a table is closed an hour after its end"
    )


def _status(entry: Entry) -> str:
    return "frozen" if entry.frozen else entry.status


def _people(entry: Entry) -> str:
    count = {kind: entry.kinds.count(kind) for kind in ("human", "bot", "free")}
    words = {"human": ("person", "people"), "bot": ("bot", "bots"), "free": ("free", "free")}
    return ", ".join(f"{number} {words[kind][number > 1]}" for kind, number in count.items() if number) or "-"


def _entry_data(entry: Entry) -> dict[str, Any]:
    return {
        "table": entry.table,
        "status": entry.status,
        "frozen": entry.frozen,
        "game": entry.game,
        "visibility": "public" if entry.public else "private",
        "created": moment(entry.created),
        "host": entry.host,
        "players": list(entry.players),
        "seats": list(entry.kinds),
    }
