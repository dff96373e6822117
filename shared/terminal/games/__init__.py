"""The games that the terminal can show, one view each. A new game is one more entry here."""

from collections.abc import Mapping

from shared.gen.levata.table.v1 import game_pb2
from shared.terminal.games.arzoi import ArzoiView
from shared.terminal.games.remi import RemiView
from shared.terminal.games.rentz import RentzView
from shared.terminal.games.view import GameView
from shared.terminal.games.whist import WhistView

VIEWS: Mapping[str, GameView] = {view.name: view for view in (ArzoiView(), WhistView(), RentzView(), RemiView())}


def game_name(options: game_pb2.GameOptions) -> str:
    """The name of the game that options are for; empty when none is set."""
    return options.WhichOneof("game") or ""


def view_of(options: game_pb2.GameOptions) -> GameView | None:
    """The view of the game that options are for; None for a game this terminal does not know."""
    return VIEWS.get(game_name(options))
