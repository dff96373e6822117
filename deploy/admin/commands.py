"""Does what was asked on the command line."""

import argparse

from deploy.admin import acts, letters, servers, tables, totals
from deploy.admin.answer import Answer
from deploy.admin.desk import Desk, seated
from deploy.club_settings import ClubSettings


async def run(asked: argparse.Namespace, settings: ClubSettings) -> Answer:
    """The answer to what was asked.

    Raises:
        AdminError: It could not be done; the message is for the operator.
        shared.bus.BusUnavailable, BusRefused: NATS did not answer, or refused.
        services.ledger.errors.LedgerError: The database did not.
        services.table.live.ContendedError: Others write to the table's log all the time.
    """
    if (asked.command, getattr(asked, "kind", "")) == ("totals", "check"):
        return await totals.check(settings)
    async with seated(settings, asked.by or "somebody") as desk:
        return await _answer(desk, settings, asked)


async def _answer(desk: Desk, settings: ClubSettings, asked: argparse.Namespace) -> Answer:
    match asked.command:
        case "tables":
            return await tables.tables(desk, asked.status, asked.game)
        case "show":
            return await tables.show(desk, asked.table)
        case "log":
            return await tables.log(desk, asked.table, asked.last, asked.reveal, asked.reason or "")
        case "chain":
            return await tables.chain(desk, asked.tables)
        case "freeze":
            return await tables.freeze(desk, asked.table, asked.reason, asked.tell or "")
        case "resume":
            return await tables.resume(desk, asked.table, asked.reason)
        case "stop":
            return await tables.stop(desk, asked.table, asked.reason, asked.tell or "")
        case "servers":
            return await servers.listed(desk)
        case "drain":
            return await servers.drain(desk, asked.server, asked.reason, asked.wait, even_the_last=asked.even_the_last)
        case "dead":
            return await _of_letters(desk, asked)
        case "totals":
            return await totals.put_right(desk, settings, asked.reason)
        case _:
            return await acts.listed(desk, asked.last)


async def _of_letters(desk: Desk, asked: argparse.Namespace) -> Answer:
    match asked.kind:
        case "list":
            return await letters.listed(desk)
        case "show":
            return await letters.show(desk, asked.number, asked.reveal, asked.reason or "")
        case "again":
            return await letters.again(desk, asked.numbers, asked.reason)
        case _:
            return await letters.drop(desk, asked.numbers, asked.reason)
