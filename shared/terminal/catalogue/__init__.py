"""The words of the games, one module a game, and those that several games share. A new game is one more entry here."""

from collections.abc import Mapping
from typing import Final

from shared.terminal.catalogue import arzoi, remi, rentz, tricks, whist

GAME_TEXTS: Final[Mapping[str, tuple[str, str]]] = {
    **tricks.TEXTS,
    **arzoi.TEXTS,
    **whist.TEXTS,
    **rentz.TEXTS,
    **remi.TEXTS,
}
"""Every text of the games by its key: Romanian, English."""
