"""Remi in the terminal."""

from shared.terminal.games.remi.view import RemiView

__all__ = ["RemiView"]
