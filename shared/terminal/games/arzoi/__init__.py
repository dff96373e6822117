"""Arzoi in the terminal."""

from shared.terminal.games.arzoi.view import ArzoiView

__all__ = ["ArzoiView"]
