"""The games that bots play. A new game is one more entry here."""

from collections.abc import Mapping

from services.bot.players.arzoi.game import ArzoiBots
from services.bot.players.game import BotGame
from services.bot.players.remi.game import RemiBots
from services.bot.players.rentz.game import RentzBots
from services.bot.players.whist.game import WhistBots

GAMES: Mapping[str, BotGame] = {game.name: game for game in (ArzoiBots(), WhistBots(), RentzBots(), RemiBots())}
"""Every game by name."""
