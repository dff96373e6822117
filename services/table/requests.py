"""From the messages of the contract to options and commands, and the table of refusals."""

import hashlib
from typing import Any

import grpc

from services.table import errors, views
from services.table import facts as f
from services.table import wire as wires
from services.table.engine.game import IllegalAction
from services.table.engine.games import GAMES
from services.table.live import ContendedError
from shared.auth import Caller
from shared.errors import ErrorSpec
from shared.gen.levata.table.v1 import game_pb2
from shared.gen.levata.table.v1 import table_pb2 as pb

USUAL_ABSENCE = 20
DIGEST_DIGITS = 32
"""So much of the digest of a request's body is kept, to tell a repeat from another request."""
DETAIL_CHARACTERS = 1000
"""So much of what was wrong with an action is told: clients take 8 KiB of a status, and a turn of Remi can be long."""

TALK: dict[int, f.BotTalk] = {
    pb.BOT_TALK_UNSPECIFIED: "silent",
    pb.BOT_TALK_SILENT: "silent",
    pb.BOT_TALK_POLITE: "polite",
    pb.BOT_TALK_UNCENSORED: "uncensored",
}
LEVEL: dict[int, f.BotLevel] = {
    pb.BOT_LEVEL_UNSPECIFIED: "club",
    pb.BOT_LEVEL_NOVICE: "novice",
    pb.BOT_LEVEL_CLUB: "club",
}
VISIBILITY: dict[int, f.Visibility] = {
    pb.VISIBILITY_UNSPECIFIED: "public",
    pb.VISIBILITY_PUBLIC: "public",
    pb.VISIBILITY_PRIVATE: "private",
}


def person_of(caller: Caller) -> f.Person:
    """The caller as a person at a table."""
    return f.Person(caller.player_id, caller.name)


def request_of(caller: Caller, message: Any) -> f.Request:
    """The request behind a message, to tell a repeat by: its kind counts, for getting up and stopping the table look
    the same on the wire.
    """
    body = message.DESCRIPTOR.full_name.encode() + b"\0" + message.SerializeToString(deterministic=True)
    return f.Request(caller.player_id, message.request_id, hashlib.sha256(body).hexdigest()[:DIGEST_DIGITS])


def options_of(message: pb.TableOptions) -> f.Options:
    """The options of a new table."""
    game, rules = rules_of(message.game, "options.game")
    clock = message.clock
    return f.Options(
        game=game,
        seats=message.seats,
        rules=rules,
        clock=f.Clock(
            bid=clock.bid_seconds,
            bid_extra=clock.bid_extra_seconds,
            play=clock.play_seconds,
            choose=clock.choose_seconds,
            bank=clock.bank_seconds,
            turn=clock.turn_seconds,
        ),
        absence=message.absence_seconds or USUAL_ABSENCE,
        bot_talk=TALK[message.bot_talk],
        bot_level=LEVEL[message.bot_level],
        visibility=VISIBILITY[message.visibility],
    )


def rules_of(message: game_pb2.GameOptions, field: str = "game") -> tuple[str, str]:
    """The name of a game, and its own options in text.

    Args:
        message: Names the game.
        field: The path of `message` in what the caller sent.

    Raises:
        BadOptionsError: No game is named, or one that this server does not have.
    """
    name = message.WhichOneof("game")
    if name is None:
        raise errors.BadOptionsError(field=field, problem="names no game")
    if name not in GAMES:
        raise errors.BadOptionsError(field=field, problem=f"{name} is not played here; there are: {', '.join(GAMES)}")
    return name, GAMES[name].options_text(views.WIRES[name].options_from_proto(message))


def action_of(message: game_pb2.GameAction, game: str) -> Any:
    """The action of a table's game that a message means. Raises `MalformedActionError`."""
    name = message.WhichOneof("game")
    if name != game:
        raise errors.MalformedActionError(field="action", problem=f"is none of {game}, which is played here")
    try:
        return views.WIRES[game].action_from_proto(message)
    except wires.MalformedActionError as error:
        raise errors.MalformedActionError(field=f"action.{error.field}", problem=error.message) from error


def _said(error: errors.TableError) -> dict[str, str]:
    return dict(error.metadata)


def _spec(code: grpc.StatusCode, reason: str) -> ErrorSpec:
    return ErrorSpec(code, reason, metadata=_said)


def _malformed(reason: str) -> ErrorSpec:
    return ErrorSpec(
        grpc.StatusCode.INVALID_ARGUMENT,
        reason,
        violations=lambda error: [(error.metadata["field"], error.metadata["problem"])],
    )


_PRECONDITION = grpc.StatusCode.FAILED_PRECONDITION
_DENIED = grpc.StatusCode.PERMISSION_DENIED
_EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED

ERRORS: dict[type[Exception], ErrorSpec] = {
    IllegalAction: ErrorSpec(
        _PRECONDITION,
        lambda error: error.reason,
        metadata=lambda error: {"rule": error.rule, "detail": error.message[:DETAIL_CHARACTERS]},
    ),
    ContendedError: ErrorSpec(grpc.StatusCode.UNAVAILABLE, "DEPENDENCY_DOWN", retry_after=0.1),
    errors.DrainingError: ErrorSpec(grpc.StatusCode.UNAVAILABLE, "DRAINING", retry_after=0.5),
    errors.TableNotFoundError: _spec(grpc.StatusCode.NOT_FOUND, "TABLE_NOT_FOUND"),
    errors.TableFrozenError: _spec(grpc.StatusCode.DATA_LOSS, "TABLE_FROZEN"),
    errors.FrozenByOperatorError: _spec(_PRECONDITION, "FROZEN_BY_OPERATOR"),
    errors.RequestIdReusedError: _spec(grpc.StatusCode.ALREADY_EXISTS, "REQUEST_ID_REUSED"),
    errors.StaleRevisionError: _spec(grpc.StatusCode.ABORTED, "STALE_REVISION"),
    errors.NotSeatedError: _spec(_DENIED, "NOT_SEATED"),
    errors.NotHostError: _spec(_DENIED, "NOT_HOST"),
    errors.RemovedError: _spec(_DENIED, "REMOVED"),
    errors.MutedError: _spec(_DENIED, "MUTED"),
    errors.NotWatchableError: _spec(_DENIED, "NOT_WATCHABLE"),
    errors.ServiceOnlyError: _spec(_DENIED, "SERVICE_ONLY"),
    errors.TurnTokenInvalidError: _spec(_DENIED, "TURN_TOKEN_INVALID"),
    errors.AlreadyStartedError: _spec(_PRECONDITION, "ALREADY_STARTED"),
    errors.NotPlayingError: _spec(_PRECONDITION, "NOT_PLAYING"),
    errors.MatchNotOverError: _spec(_PRECONDITION, "MATCH_NOT_OVER"),
    errors.NotYourTurnError: _spec(_PRECONDITION, "NOT_YOUR_TURN"),
    errors.BotDecidesError: _spec(_PRECONDITION, "BOT_DECIDES"),
    errors.AlreadySeatedError: _spec(_PRECONDITION, "ALREADY_SEATED"),
    errors.TableFullError: _spec(_PRECONDITION, "TABLE_FULL"),
    errors.SeatTakenError: _spec(_PRECONDITION, "SEAT_TAKEN"),
    errors.NoBotSeatError: _spec(_PRECONDITION, "NO_BOT_SEAT"),
    errors.SeatNotBotError: _spec(_PRECONDITION, "SEAT_NOT_BOT"),
    errors.SeatNotHumanError: _spec(_PRECONDITION, "SEAT_NOT_HUMAN"),
    errors.CannotRemoveSelfError: _spec(_PRECONDITION, "CANNOT_REMOVE_SELF"),
    errors.CannotMuteSelfError: _spec(_PRECONDITION, "CANNOT_MUTE_SELF"),
    errors.NotRequestedError: _spec(_PRECONDITION, "NOT_REQUESTED"),
    errors.TooManyTablesError: _spec(_EXHAUSTED, "TOO_MANY_TABLES"),
    errors.TooFastError: ErrorSpec(_EXHAUSTED, "TOO_FAST", retry_after=lambda error: error.retry_after),
    errors.SlowConsumerError: ErrorSpec(_EXHAUSTED, "SLOW_CONSUMER", metadata=_said, retry_after=0.1),
    errors.BadOptionsError: _malformed("BAD_REQUEST"),
    errors.MalformedActionError: _malformed("BAD_REQUEST"),
    errors.UnknownRevisionError: _malformed("BAD_REQUEST"),
    errors.BadPageTokenError: ErrorSpec(
        grpc.StatusCode.INVALID_ARGUMENT,
        "BAD_PAGE_TOKEN",
        violations=lambda error: [("page_token", "is none of this list; list from the start")],
    ),
}
"""What each refusal is to a caller."""
