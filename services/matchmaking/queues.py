"""The queues there are: one for each game and size. A new game adds its own here, and nowhere else."""

from collections.abc import Iterable
from dataclasses import dataclass

from shared.gen.levata.table.v1 import arzoi_pb2, game_pb2, remi_pb2, rentz_pb2, table_pb2, whist_pb2


@dataclass(frozen=True, slots=True)
class Queue:
    """People who want to play the same.

    Attributes:
        id: Such as `arzoi-4`.
        options: Of the tables that are made for it: game, seats, clock.
    """

    id: str
    options: table_pb2.TableOptions

    @property
    def seats(self) -> int:
        """Seats of a table."""
        return self.options.seats


CLOCK = table_pb2.Clock(bid_seconds=20, bid_extra_seconds=2, play_seconds=15, choose_seconds=30, bank_seconds=60)
"""Time to read a hand before bidding, the more the larger it is."""
WHIST_CLOCK = table_pb2.Clock(bid_seconds=20, bid_extra_seconds=2, play_seconds=15, bank_seconds=60)
"""The same, but for choosing: nobody does."""
RENTZ_CLOCK = table_pb2.Clock(play_seconds=15, choose_seconds=30, bank_seconds=60)
"""Time to read a hand before choosing; there is nothing to bid."""
REMI_CLOCK = table_pb2.Clock(turn_seconds=60, bank_seconds=120)
"""A minute for a whole turn, and two in reserve for those in which much is laid."""


def _queues(name: str, options: game_pb2.GameOptions, sizes: range, clock: table_pb2.Clock = CLOCK) -> Iterable[Queue]:
    """The queues of one game, one for each size."""
    for seats in sizes:
        yield Queue(
            f"{name}-{seats}",
            table_pb2.TableOptions(
                game=options,
                seats=seats,
                clock=clock,
                bot_level=table_pb2.BOT_LEVEL_CLUB,
                visibility=table_pb2.VISIBILITY_PUBLIC,
            ),
        )


QUEUES: tuple[Queue, ...] = (
    *_queues("arzoi", game_pb2.GameOptions(arzoi=arzoi_pb2.ArzoiOptions()), range(3, 10)),
    *_queues("whist", game_pb2.GameOptions(whist=whist_pb2.WhistOptions()), range(3, 7), WHIST_CLOCK),
    *_queues("rentz", game_pb2.GameOptions(rentz=rentz_pb2.RentzOptions()), range(4, 5), RENTZ_CLOCK),
    *_queues("remi", game_pb2.GameOptions(remi=remi_pb2.RemiOptions()), range(2, 5), REMI_CLOCK),
)
"""All of them, in the order in which they are listed."""
