"""Runs the bot service: `python -m services.bot`."""

from services.bot.service import bind
from services.bot.settings import BotSettings
from shared.process import main

if __name__ == "__main__":
    main("bot", BotSettings, bind)
