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
from services.ledger.points_rating import RatedSeat, rated_match
from shared.gen.levata.ledger.v1 import ledger_pb2
from shared.gen.levata.table.v1 import game_pb2, table_pb2

MOST_POINTS: Final = 10**15
"""More, in either direction, cannot come of a match and could make a sum of 64 bits overflow."""
LONGEST_ID: Final = 64
MOST_HANDS: Final = 10_000
"""More hands no match has."""

_GAME = re.compile(r"[a-z]{3,16}")


@dataclass(frozen=True, slots=True)
class Starter:
    """The person who held a seat at the start.

    Attributes:
        player_id: Account.
        name: Name at that time.
        gone: The person was not there at the end (GAP-Z17): had left or been removed, or was away.
    """

    player_id: str
    name: str
    gone: bool


@dataclass(frozen=True, slots=True)
class SeatOutcome:
    """How a seat ended, and who began on it.

    Attributes:
        seat: The seat.
        player_id: The person who held it at the end (GAP-A24); None for a bot.
        name: Name at that time.
        points: Final points.
        place: Place, from 1; shared on equal points.
        decisions_by_bot: Decisions that a bot made for the person.
        starter: Who held it at the start; None if a bot did.
    """

    seat: int
    player_id: str | None
    name: str
    points: int
    place: int
    decisions_by_bot: int
    starter: Starter | None


@dataclass(frozen=True, slots=True)
class EndedMatch:
    """A match that was played to the end, or stopped.

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
        stopped: It was stopped before its end.
        hands_finished: Hands finished.
        hands: Hands of a whole match; as many as are finished unless it was stopped.
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
    stopped: bool
    hands_finished: int
    hands: int

    @property
    def people(self) -> tuple[SeatOutcome, ...]:
        """The seats that people held at the end."""
        return tuple(seat for seat in self.seats if seat.player_id is not None)

    def points_changes(self) -> dict[str, int] | None:
        """What it adds to points ratings, by person; None if it is not rated by points."""
        return rated_match(
            self.game,
            [seat.starter.player_id if seat.starter else None for seat in self.seats],
            [RatedSeat(seat.points, seat.starter is not None and seat.starter.gone) for seat in self.seats],
            self.hands_finished,
            self.hands,
        )


def read_result(data: bytes) -> EndedMatch:
    """The match that a message tells of. Raises `MalformedResultError`."""
    try:
        message = ledger_pb2.MatchResult.FromString(data)
    except DecodeError as error:
        raise MalformedResultError(f"not a MatchResult: {error}") from error
    return ended_match(message)


def ended_match(message: ledger_pb2.MatchResult) -> EndedMatch:
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
    if not 1 <= message.hands <= MOST_HANDS or message.hands_finished > message.hands:
        raise MalformedResultError(f"{message.hands_finished} of {message.hands} hands are finished")
    if message.stopped != (message.hands_finished < message.hands):
        how = "stopped" if message.stopped else "finished"
        raise MalformedResultError(f"it was {how} with {message.hands_finished} of {message.hands} hands")
    return EndedMatch(
        match_id=match_id,
        table_id=_id("table_id", message.table_id),
        game=message.game,
        options=json_format.MessageToJson(message.options, preserving_proto_field_name=True, indent=None),
        seats=_seats(message),
        started_at=started_at,
        ended_at=ended_at,
        record=message.record,
        private=message.visibility == table_pb2.VISIBILITY_PRIVATE,
        stopped=message.stopped,
        hands_finished=message.hands_finished,
        hands=message.hands,
    )


def options_message(options: str) -> game_pb2.GameOptions:
    """The message that `EndedMatch.options` was written from; what a newer build wrote in it is left out."""
    return json_format.Parse(options, game_pb2.GameOptions(), ignore_unknown_fields=True)


def _seats(message: ledger_pb2.MatchResult) -> tuple[SeatOutcome, ...]:
    seats = sorted(message.seats, key=lambda seat: seat.seat)
    if len(seats) < 2 or [seat.seat for seat in seats] != list(range(len(seats))):
        raise MalformedResultError(f"seats are {[seat.seat for seat in message.seats]}")
    for people in ([seat.player_id for seat in seats], [seat.starter_player_id for seat in seats]):
        twice = [player for player, times in Counter(people).items() if player and times > 1]
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
        starter=_starter(seat),
    )


def _starter(seat: ledger_pb2.SeatResult) -> Starter | None:
    if len(seat.starter_name) > LONGEST_ID or "\0" in seat.starter_name:
        raise MalformedResultError(f"seat {seat.seat} began with a name that cannot be one")
    if not seat.starter_player_id:
        if seat.starter_left:
            raise MalformedResultError(f"nobody began on seat {seat.seat}, and left")
        return None
    if not seat.starter_left and seat.player_id != seat.starter_player_id:
        raise MalformedResultError(f"seat {seat.seat} changed hands although nobody left")
    return Starter(
        player_id=_id(f"starter_player_id of seat {seat.seat}", seat.starter_player_id),
        name=seat.starter_name,
        gone=seat.starter_left,
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
