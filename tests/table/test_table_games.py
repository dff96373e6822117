"""Every game that there is, played to the end at a table, and its record."""

import pytest

from services.table import commands as c
from services.table import facts as f
from services.table.engine.games import GAMES
from services.table.results import match_record
from services.table.verify import verify
from tests.support.tables import PaperTable


@pytest.mark.parametrize("game", GAMES)
def test_a_table_plays_every_game_to_the_end_and_its_record_verifies(game: str) -> None:
    seats = min(GAMES[game].sizes)
    paper = PaperTable()
    paper.do(c.CreateTable("t" * 24, f.Options(game=game, seats=seats), maker="service:x"))
    paper.play_on()
    assert paper.state.status == "finished"
    verified = verify(match_record(paper.state, list(enumerate(paper.log, 1))))
    assert verified.record.game == game
    assert verified.record.result == paper.state.position().scores()
    assert verified.deals == sum(isinstance(fact, f.Dealt) for data in paper.log for fact in f.decode(data).facts)
