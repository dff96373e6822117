"""All the games there are."""

from collections.abc import Mapping
from typing import Final

from services.table.engine.arzoi.game import Arzoi
from services.table.engine.game import Game
from services.table.engine.remi.game import Remi
from services.table.engine.rentz.game import Rentz
from services.table.engine.whist.game import Whist

GAMES: Final[Mapping[str, Game]] = {game.name: game for game in (Arzoi(), Whist(), Rentz(), Remi())}
"""The games by name, as in records and on the wire."""
