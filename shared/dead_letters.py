"""Dead letters, as somebody who runs the club deals with them: looks at them, sends them again, or drops them.

A letter lies in the stream DEAD under the number that it has there, with what `shared.consumer` noted when it gave the
message up. Sent again, it goes to where it came from, and to everybody who consumes that: all of them take a message
twice without harm. It is removed only when the other stream has it.
"""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import nats.errors
from nats.js.errors import APIError

from shared.browsing import StoredMessage, browse, first_from
from shared.bus import ASK_SECONDS, Bus, BusUnavailable
from shared.consumer import DEAD_SUBJECT

STREAM: Final = "DEAD"
SENT_AGAIN: Final = "Levata-Sent-Again"
"""Header of a message that was a dead letter: the number that it had."""


class NoSuchLetterError(Exception):
    """There is no dead letter of this number."""


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A message that was given up.

    Attributes:
        number: Its sequence in DEAD.
        stream: The stream that it came from.
        consumer: The consumer that gave it up.
        subject: What it was published on; empty when that is not known.
        reason: Why it was given up.
        delivered: How many times it had been delivered.
        buried_at: When it was given up.
        data: The message.
    """

    number: int
    stream: str
    consumer: str
    subject: str
    reason: str
    delivered: int
    buried_at: datetime
    data: bytes


class DeadLetters:
    """The stream DEAD, on one connection."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    async def __aiter__(self) -> AsyncIterator[DeadLetter]:
        """All of them, the oldest first. Raises `shared.bus.BusUnavailable`."""
        async for message in browse(self._bus, STREAM, f"{DEAD_SUBJECT}.>"):
            yield _letter(message)

    async def get(self, number: int) -> DeadLetter:
        """The letter of a number. Raises `NoSuchLetterError`, `shared.bus.BusUnavailable`."""
        message = await first_from(self._bus, STREAM, f"{DEAD_SUBJECT}.>", number)
        if message is None or message.sequence != number:
            raise NoSuchLetterError(f"there is no dead letter {number}")
        return _letter(message)

    async def send_again(self, letter: DeadLetter) -> int:
        """Publishes a letter where it came from, then removes it; its new sequence there.

        A repeat, because it could not be removed, is stored once where the stream still remembers the first.

        Raises:
            NoSuchLetterError: It is not known where it came from.
            shared.bus.BusUnavailable, BusRefused: It was not stored there, or not removed here; it still lies here.
        """
        if not letter.subject:
            raise NoSuchLetterError(f"dead letter {letter.number} does not say where it came from")
        sequence = await self._bus.publish(
            letter.subject,
            letter.data,
            msg_id=f"{STREAM}-{letter.number}-{letter.buried_at.timestamp():.6f}",
            headers={SENT_AGAIN: str(letter.number)},
        )
        with contextlib.suppress(NoSuchLetterError):  # somebody else has removed it
            await self.drop(letter.number)
        return sequence

    async def drop(self, number: int) -> None:
        """Removes a letter for good. Raises `NoSuchLetterError`, `shared.bus.BusUnavailable`."""
        try:
            await self._bus.nc.jetstream(timeout=ASK_SECONDS).delete_msg(STREAM, number)
        except (APIError, nats.errors.Error, TimeoutError) as error:
            await self.get(number)  # the server has one code for all failures, a letter that is not there included
            raise BusUnavailable(f"dead letter {number} could not be removed: {error!r}") from error


def _letter(message: StoredMessage) -> DeadLetter:
    stream, _, consumer = message.subject.removeprefix(f"{DEAD_SUBJECT}.").partition(".")
    headers = message.headers
    delivered = headers.get("Levata-Delivered", "")
    return DeadLetter(
        number=message.sequence,
        stream=stream,
        consumer=consumer,
        subject=headers.get("Levata-Subject", ""),
        reason=headers.get("Levata-Reason", ""),
        delivered=int(delivered) if delivered.isdecimal() else 0,
        buried_at=message.stored_at,
        data=message.data,
    )
