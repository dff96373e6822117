"""What operators did: a line for each act in the stream AUDIT, where it stays for a year and nobody can remove it.

The line is written before the act, so that nothing is done without one; an act that then failed has one all the same.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import msgspec

from shared.browsing import browse
from shared.bus import Bus

STREAM: Final = "AUDIT"
SUBJECT: Final = "operator.acts"


class Act(msgspec.Struct, frozen=True, omit_defaults=True):
    """What somebody set about to do.

    Attributes:
        by: Who.
        did: What, in a word or two, such as `freeze`.
        to: To what: a table, a server, a dead letter; empty for none.
        why: The reason that was given.
    """

    by: str
    did: str
    to: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class AuditLine:
    """An act, and when it was set about."""

    at: datetime
    act: Act


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Act).decode


async def note(bus: Bus, act: Act) -> None:
    """Writes a line. Raises `shared.bus.BusUnavailable`, `BusRefused`: then the act must not be done."""
    await bus.publish(SUBJECT, _encode(act))


async def lines(bus: Bus) -> AsyncIterator[AuditLine]:
    """All lines, the oldest first. Raises `shared.bus.BusUnavailable`."""
    async for message in browse(bus, STREAM, SUBJECT):
        yield AuditLine(message.stored_at, _decode(message.data))
