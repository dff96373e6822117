"""Romanian whist in the terminal."""

from shared.terminal.games.whist.view import WhistView

__all__ = ["WhistView"]
