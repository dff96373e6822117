"""Every game there is, by the registries alone: what holds for a table holds for it, whatever is played there."""

import random
from collections.abc import Iterator

from services.table import commands as c
from services.table import facts as f
from services.table import views
from services.table.engine.games import GAMES
from shared.gen.levata.table.v1 import table_pb2 as pb
from tests.support.tables import ANA, PaperTable, table

EVERY_GAME = tuple(GAMES)
"""The names of the games."""

EVERY_SIZE = tuple((name, seats) for name, game in GAMES.items() for seats in game.sizes)
"""Every game at every size at which it can be played."""

SMALLEST = tuple((name, game.sizes.start) for name, game in GAMES.items())
"""Every game at its smallest size."""


def random_match(game: str, seats: int, seed: int = 1) -> Iterator[PaperTable]:
    """A table at which Ana and bots play a match of legal actions at random, after each action."""
    chance = random.Random(f"{game} {seats} {seed}")
    paper = table(ANA, seats=seats, seed=seed, game=game)
    while not paper.state.over:
        yield paper
        decision = paper.state.decision
        assert decision is not None
        action = chance.choice(paper.legal())
        if paper.state.decided_by == "player":
            paper.do(c.SubmitAction(ANA.player, action))
        else:
            paper.do(c.AnswerTurn(decision.seat, paper.state.game_revision, action))


def seen_by_decider(paper: PaperTable) -> pb.Update:
    """The table as the seat to decide sees it."""
    state = paper.state
    assert state.decision is not None
    table_bytes = views.TableEncoder().table(state)
    return pb.Update(
        revision=state.revision,
        table=pb.Table.FromString(table_bytes),
        private=views.private_message(state, state.decision.seat),
    )


def usual_options(game: str, seats: int) -> pb.TableOptions:
    """The options of a table at which a game is played as it usually is."""
    rules = GAMES[game]
    return views.options_message(f.Options(game, seats, rules=rules.options_text(rules.parse_options(""))))
