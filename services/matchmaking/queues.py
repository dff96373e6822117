"""The queues there are: one for each game and size. A new game adds its own here, and nowhere else."""

from dataclasses import dataclass

from shared.gen.levata.table.v1 import arzoi_pb2, game_pb2, table_pb2


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


ARZOI_SIZES = range(3, 10)
"""Arzoi is played by 3 to 9."""

ARZOI_CLOCK = table_pb2.Clock(bid_seconds=20, bid_extra_seconds=2, play_seconds=15, choose_seconds=30, bank_seconds=60)
"""Time to read a hand before bidding, the more the larger it is."""


def _arzoi(seats: int) -> Queue:
    return Queue(
        f"arzoi-{seats}",
        table_pb2.TableOptions(
            game=game_pb2.GameOptions(arzoi=arzoi_pb2.ArzoiOptions()),
            seats=seats,
            clock=ARZOI_CLOCK,
            bot_level=table_pb2.BOT_LEVEL_CLUB,
            visibility=table_pb2.VISIBILITY_PUBLIC,
        ),
    )


QUEUES: tuple[Queue, ...] = tuple(_arzoi(seats) for seats in ARZOI_SIZES)
"""All of them, in the order in which they are listed."""
