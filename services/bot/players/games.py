"""The games that bots play. A new game is one more entry here."""

from collections.abc import Mapping

from services.bot.players.arzoi.game import ArzoiBots
from services.bot.players.game import BotGame

GAMES: Mapping[str, BotGame] = {game.name: game for game in (ArzoiBots(),)}
"""Every game by name."""
