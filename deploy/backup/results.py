"""Results that tables tell while a backup is being taken.

The stream RESULTS is taken first, with the ledger's place in it, so that everything that the ledger is done with by
then is in the database, which is taken next. The tables are taken last. What was told in between is kept beside,
message by message, and told again by a restore; the ledger posts a match once, however often it is told.
"""

import asyncio
from pathlib import Path
from typing import Final

import msgspec
from nats.js.errors import APIError, NotFoundError

from deploy.backup.errors import BackupError, DamagedBackupError
from shared.bus import Bus, BusUnavailable
from shared.gen.levata.ledger.v1 import ledger_pb2

STREAM: Final = "RESULTS"
FILE: Final = "RESULTS.later"


class LateResult(msgspec.Struct, frozen=True):
    """A message of the stream: its subject, and the serialised `MatchResult`."""

    subject: str
    data: bytes

    @property
    def match_id(self) -> str:
        """The match that it is the result of."""
        return ledger_pb2.MatchResult.FromString(self.data).match_id


async def take_later(bus: Bus, after: int, folder: Path) -> int:
    """Keeps the results stored after a sequence, and returns how many there are.

    Raises:
        BackupError: They could not be read.
    """
    try:
        last = (await bus.js.stream_info(STREAM)).state.last_seq
        found = []
        for sequence in range(after + 1, last + 1):
            try:
                message = await bus.js.get_msg(STREAM, sequence)
            except NotFoundError:
                continue  # an operator has removed it
            found.append(LateResult(message.subject or "", message.data or b""))
    except (APIError, TimeoutError, BusUnavailable) as error:
        raise BackupError(f"the latest results could not be read: {error!r}") from error
    path = folder / FILE
    await asyncio.to_thread(path.write_bytes, msgspec.msgpack.encode(found))
    return len(found)


def read_later(folder: Path) -> list[LateResult]:
    """What `take_later` kept. Raises `DamagedBackupError`."""
    try:
        return msgspec.msgpack.decode((folder / FILE).read_bytes(), type=list[LateResult])
    except (OSError, msgspec.DecodeError) as error:
        raise DamagedBackupError(f"{folder / FILE} cannot be read: {error}") from error


async def tell_later(bus: Bus, results: list[LateResult], running: set[str]) -> int:
    """Tells results again, but for matches that the log has not seen the end of: they will end anew.

    Args:
        bus: Where to.
        results: What was kept.
        running: Matches that go on.

    Raises:
        BusUnavailable, BusRefused: It could not be told.
    """
    told = 0
    for result in results:
        if result.match_id not in running:
            await bus.publish(result.subject, result.data, msg_id=result.match_id)
            told += 1
    return told
