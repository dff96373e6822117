"""Reads a stream message by message, headers and all: for people who look at one, where there are few messages."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import nats.errors
from nats.js.errors import APIError, NotFoundError

from shared.bus import ASK_SECONDS, NO_MESSAGE, Bus, BusUnavailable

_EPOCH: Final = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message as it lies in a stream.

    Attributes:
        sequence: Its sequence there.
        subject: What it was published on.
        data: What was published.
        headers: Its headers.
        stored_at: When it was stored.
    """

    sequence: int
    subject: str
    data: bytes
    headers: Mapping[str, str]
    stored_at: datetime


async def browse(bus: Bus, stream: str, subject: str) -> AsyncIterator[StoredMessage]:
    """All messages of a subject, which may have wildcards, in order. Raises `shared.bus.BusUnavailable`."""
    sequence = 1
    while (found := await first_from(bus, stream, subject, sequence)) is not None:
        yield found
        sequence = found.sequence + 1


async def first_from(bus: Bus, stream: str, subject: str, sequence: int) -> StoredMessage | None:
    """The first message of a subject from a sequence on; None when there is none.

    Raises:
        shared.bus.BusUnavailable: The stream does not answer.
    """
    try:
        found = await bus.nc.jetstream(timeout=ASK_SECONDS).get_msg(
            stream, seq=sequence, subject=subject, direct=False, next=True
        )
    except NotFoundError as error:
        if error.err_code == NO_MESSAGE:
            return None
        raise BusUnavailable(f"{stream}: {error.description}") from error
    except (APIError, nats.errors.Error, TimeoutError) as error:
        raise BusUnavailable(f"{stream} cannot be read: {error!r}") from error
    return StoredMessage(
        found.seq or 0, found.subject or "", found.data or b"", found.headers or {}, found.time or _EPOCH
    )
