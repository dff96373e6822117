"""The buckets: wallets and waves of tickets, and ratings; read from the stream's leader, and changed all or nothing."""

from dataclasses import dataclass
from typing import Generic, TypeVar

import msgspec

from services.matchmaking.errors import DamagedEntryError
from services.matchmaking.tickets import Rating, Wallet, player_key
from services.matchmaking.waves import Wave
from shared.bus import Bus

BUCKET = "TICKETS"
STREAM = f"KV_{BUCKET}"
RATINGS = "RATINGS"
WALLET = "player."
WAVE = "wave."

T = TypeVar("T")

_encode = msgspec.json.Encoder().encode
_decode_wallet = msgspec.json.Decoder(Wallet).decode
_decode_wave = msgspec.json.Decoder(Wave).decode
_decode_rating = msgspec.json.Decoder(Rating).decode


@dataclass(frozen=True, slots=True)
class Stored(Generic[T]):
    """A value, and the number that its next change has to name; 0 when it was never stored."""

    value: T
    sequence: int


class Store:
    """Reads and changes entries.

    Reads raise `BusUnavailable`, and `DamagedEntryError` if the entry cannot be read. Changes raise `SequenceConflict`
    if the entry has changed since it was read, and `BusUnavailable` if there was no answer: then the change may or may
    not have been made, and whoever wanted it has to read again.
    """

    def __init__(self, bus: Bus, keep_seconds: int) -> None:
        self._bus = bus
        self._keep_seconds = keep_seconds

    async def wallet(self, player: str) -> Stored[Wallet]:
        """A player's wallet; an empty one if nothing is kept."""
        found = await self._bus.last(STREAM, subject(WALLET + player_key(player)))
        if found is None or not found[1]:
            return Stored(Wallet(player=player), found[0] if found else 0)
        return Stored(read_wallet(found[1]), found[0])

    async def put_wallet(self, wallet: Wallet, after: int) -> Stored[Wallet]:
        """Changes a wallet. One without an open ticket is forgotten after a while."""
        headers = None if wallet.open_ticket else {"Nats-TTL": f"{self._keep_seconds}s"}
        key = subject(WALLET + player_key(wallet.player))
        return Stored(wallet, await self._bus.append(key, _encode(wallet), after, headers))

    async def wave(self, queue_id: str) -> Stored[Wave]:
        """A queue's wave; an empty one if there was none yet."""
        found = await self._bus.last(STREAM, subject(WAVE + queue_id))
        if found is None or not found[1]:
            return Stored(Wave(), found[0] if found else 0)
        return Stored(read_wave(found[1]), found[0])

    async def put_wave(self, queue_id: str, wave: Wave, after: int) -> Stored[Wave]:
        """Changes a wave."""
        return Stored(wave, await self._bus.append(subject(WAVE + queue_id), _encode(wave), after))

    async def rating(self, game: str, player: str) -> Stored[Rating]:
        """A player's rating in a game; that of a newcomer if none is kept."""
        found = await self._bus.last(f"KV_{RATINGS}", rating_subject(game, player))
        if found is None or not found[1]:
            return Stored(Rating(), found[0] if found else 0)
        try:
            return Stored(_decode_rating(found[1]), found[0])
        except msgspec.DecodeError as error:
            raise DamagedEntryError(f"a rating cannot be read: {error}") from error

    async def put_rating(self, game: str, player: str, rating: Rating, after: int) -> None:
        """Changes a rating."""
        await self._bus.append(rating_subject(game, player), _encode(rating), after)


def rating_subject(game: str, player: str) -> str:
    """The subject of a player's rating in a game."""
    return f"$KV.{RATINGS}.{game}.{player_key(player)}"


def subject(key: str) -> str:
    """The subject of a key in the bucket of tickets."""
    return f"$KV.{BUCKET}.{key}"


def read_wallet(data: bytes) -> Wallet:
    """A wallet as it is stored. Raises `DamagedEntryError`."""
    try:
        return _decode_wallet(data)
    except msgspec.DecodeError as error:
        raise DamagedEntryError(f"a wallet cannot be read: {error}") from error


def read_wave(data: bytes) -> Wave:
    """A wave as it is stored. Raises `DamagedEntryError`."""
    try:
        return _decode_wave(data)
    except msgspec.DecodeError as error:
        raise DamagedEntryError(f"a wave cannot be read: {error}") from error
