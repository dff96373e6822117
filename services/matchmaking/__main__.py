"""Runs the matchmaking service: `python -m services.matchmaking`."""

from services.matchmaking.service import bind
from services.matchmaking.settings import MatchmakingSettings
from shared.process import main

if __name__ == "__main__":
    main("matchmaking", MatchmakingSettings, bind)
