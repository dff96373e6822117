"""Rentz in the terminal."""

from shared.terminal.games.rentz.view import RentzView

__all__ = ["RentzView"]
