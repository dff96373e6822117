"""Which desk a game has. One that is no game of cards brings its own: an entry here."""

from collections.abc import Callable, Mapping

from shared.terminal.desks.cards import CardDesk
from shared.terminal.desks.desk import Desk, Play
from shared.terminal.games.remi.desk import RemiDesk
from shared.terminal.games.view import CardGameView, GameView
from shared.terminal.texts import Texts

OWN_DESKS: Mapping[str, Callable[[Texts, Play], Desk]] = {"remi": RemiDesk}
"""Desks of games that have one of their own, by the game's name."""


def desk_for(view: GameView | None, texts: Texts, play: Play) -> Desk:
    """The desk for a game, or for one that this terminal does not know; `play` sends an action."""
    if view is not None and view.name in OWN_DESKS:
        return OWN_DESKS[view.name](texts, play)
    return CardDesk(view if isinstance(view, CardGameView) else None, texts, play)
