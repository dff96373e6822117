"""Results as they arrive: the message on the stream RESULTS, checked before anything is made of it."""

import re
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from google.protobuf import json_format
from google.protobuf.message import DecodeError
from google.protobuf.timestamp_pb2 import Timestamp

from services.ledger.errors import MalformedResultError
from shared.gen.levata.ledger.v1 import ledger_pb2
from shared.gen.levata.table.v1 import game_pb2, table_pb2

MOST_POINTS: Final = 10**15
"""More, in either direction, cannot come of a match and could make a sum of 64 bits overflow."""
LONGEST_ID: Final = 64

_GAME = re.compile(r"[a-z]{3,16}")


@dataclass(frozen=True, slots=True)
class SeatOutcome:
    """How a seat ended.

    Attributes:
        seat: The seat.
        player_id: The person who held it at the end (GAP-A24); None for a bot.
        name: Name at that time.
        points: Final points.
        place: Place, from 1; shared on equal points.
        decisions_by_bot: Decisions that a bot made for the person.
    """

    seat: int
    player_id: str | None
    name: str
    points: int
    place: int
    decisions_by_bot: int


@dataclass(frozen=True, slots=True)
class FinishedMatch:
    """A match that was played to the end. Stopped ones are never told (GAP-A24).

    Attributes:
        match_id: Id.
        table_id: Where.
        game: Name of the game.
        options: Options of the game, as the JSON form of the message.
        seats: One for each seat, in order.
        started_at: When it started.
        ended_at: When it ended.
        record: The record in text.
        private: The table was private at the end.
        all_human: Every seat was a person at the start.
    """

    match_id: str
    table_id: str
    game: str
    options: str
    seats: tuple[SeatOutcome, ...]
    started_at: datetime
    ended_at: datetime
    record: str
    private: bool
    all_human: bool

    @property
    def people(self) -> tuple[SeatOutcome, ...]:
        """The seats that people held at the end."""
        return tuple(seat for seat in self.seats if seat.player_id is not None)


def read_result(data: bytes) -> FinishedMatch:
    """The match that a message tells of. Raises `MalformedResultError`."""
    try:
        message = ledger_pb2.MatchResult.FromString(data)
    except DecodeError as error:
        raise MalformedResultError(f"not a MatchResult: {error}") from error
    return finished_match(message)


def finished_match(message: ledger_pb2.MatchResult) -> FinishedMatch:
    """The match that a message tells of. Raises `MalformedResultError`."""
    match_id = _id("match_id", message.match_id)
    if not _GAME.fullmatch(message.game):
        raise MalformedResultError(f"game is {message.game!r}")
    if message.options.WhichOneof("game") != message.game:
        raise MalformedResultError(f"options are not those of {message.game}")
    started_at, ended_at = (
        _moment("started_at", message, message.started_at),
        _moment("ended_at", message, message.ended_at),
    )
    if ended_at < started_at:
        raise MalformedResultError("it ended before it started")
    if "\0" in message.record:
        raise MalformedResultError("the record is not text")
    return FinishedMatch(
        match_id=match_id,
        table_id=_id("table_id", message.table_id),
        game=message.game,
        options=json_format.MessageToJson(message.options, preserving_proto_field_name=True, indent=None),
        seats=_seats(message),
        started_at=started_at,
        ended_at=ended_at,
        record=message.record,
        private=message.visibility == table_pb2.VISIBILITY_PRIVATE,
        all_human=message.all_human,
    )


def options_message(options: str) -> game_pb2.GameOptions:
    """The message that `FinishedMatch.options` was written from; what a newer build wrote in it is left out."""
    return json_format.Parse(options, game_pb2.GameOptions(), ignore_unknown_fields=True)


def _seats(message: ledger_pb2.MatchResult) -> tuple[SeatOutcome, ...]:
    seats = sorted(message.seats, key=lambda seat: seat.seat)
    if len(seats) < 2 or [seat.seat for seat in seats] != list(range(len(seats))):
        raise MalformedResultError(f"seats are {[seat.seat for seat in message.seats]}")
    twice = [player for player, times in Counter(seat.player_id for seat in seats).items() if player and times > 1]
    if twice:
        raise MalformedResultError(f"{twice[0]!r} has two seats")
    if all(seat.place != 1 for seat in seats):
        raise MalformedResultError("nobody has the first place")
    return tuple(_seat(seat) for seat in seats)


def _seat(seat: ledger_pb2.SeatResult) -> SeatOutcome:
    if not 1 <= seat.place <= 1000:
        raise MalformedResultError(f"seat {seat.seat} has place {seat.place}")
    if abs(seat.points) > MOST_POINTS:
        raise MalformedResultError(f"seat {seat.seat} has {seat.points} points")
    if len(seat.name) > LONGEST_ID or "\0" in seat.name:
        raise MalformedResultError(f"seat {seat.seat} has a name that cannot be one")
    return SeatOutcome(
        seat=seat.seat,
        player_id=_id(f"player_id of seat {seat.seat}", seat.player_id) if seat.player_id else None,
        name=seat.name,
        points=seat.points,
        place=seat.place,
        decisions_by_bot=seat.decisions_by_bot,
    )


def _id(what: str, value: str) -> str:
    if not 1 <= len(value) <= LONGEST_ID or "\0" in value:
        raise MalformedResultError(f"{what} is {value[:100]!r}")
    return value


def _moment(what: str, message: ledger_pb2.MatchResult, value: Timestamp) -> datetime:
    if not message.HasField("started_at" if what == "started_at" else "ended_at"):
        raise MalformedResultError(f"{what} is missing")
    try:
        return value.ToDatetime(tzinfo=UTC)
    except (ValueError, OverflowError) as error:
        raise MalformedResultError(f"{what} is no moment: {error}") from error
