"""Which options a table can have: a game that there is, a size that it is played at, a clock that it has a use for."""

from collections.abc import Mapping
from typing import Final

from services.table import errors
from services.table import facts as f
from services.table.engine.game import AnyGame, DecisionKind, NotationError
from services.table.engine.games import GAMES

_TIMES: Final[Mapping[DecisionKind, tuple[str, ...]]] = {
    "bid": ("bid", "bid_extra"),
    "play": ("play",),
    "choose": ("choose",),
    "turn": ("turn",),
}
"""For each kind of decision the times of a clock that are for it, by their names in `facts.Clock`."""


def check_options(options: f.Options) -> None:
    """Raises `BadOptionsError` when no table can have these."""
    game = GAMES.get(options.game)
    if game is None:
        raise errors.BadOptionsError(field="options.game", problem=f"no such game; there are: {', '.join(GAMES)}")
    if options.seats not in game.sizes:
        raise errors.BadOptionsError(
            field="options.seats", problem=f"{game.name} is played by {game.sizes.start} to {game.sizes.stop - 1}"
        )
    try:
        game.new(game.parse_options(options.rules), options.seats)
    except (NotationError, ValueError) as error:
        raise errors.BadOptionsError(field="options.game", problem=str(error)) from error
    _check_clock(options.clock, game)


def _check_clock(clock: f.Clock, game: AnyGame) -> None:
    """Raises `BadOptionsError` for a time that would never run at this game."""
    fitting = [time for kind in game.decisions for time in _TIMES[kind]]
    for time in (time for times in _TIMES.values() for time in times):
        if getattr(clock, time) and time not in fitting:
            names = ", ".join(map(_field, [*fitting, "bank"]))
            raise _unfit(time, f"is for nothing in {game.name}, whose clock has {names}")
    if clock.bid_extra and not clock.bid:
        raise _unfit("bid_extra", "adds to bid_seconds, which is 0")
    if clock.bank and not any(getattr(clock, time) for time in fitting):
        raise _unfit("bank", "is a reserve for decisions, and none of them is timed")


def _field(time: str) -> str:
    return f"{time}_seconds"


def _unfit(time: str, problem: str) -> errors.BadOptionsError:
    return errors.BadOptionsError(field=f"options.clock.{_field(time)}", problem=problem)
