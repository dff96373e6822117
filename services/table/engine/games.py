"""All the games there are."""

from collections.abc import Mapping
from typing import Final

from services.table.engine.arzoi.game import ARZOI
from services.table.engine.game import AnyGame
from services.table.engine.remi.game import REMI
from services.table.engine.rentz.game import RENTZ
from services.table.engine.whist.game import WHIST

GAMES: Final[Mapping[str, AnyGame]] = {game.name: game for game in (ARZOI, WHIST, RENTZ, REMI)}
"""The games by name, as in records and on the wire."""
