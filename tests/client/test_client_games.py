"""What the client library does for every game alike, without knowing any."""

import pytest

from shared.client.fold import TableView
from shared.client.session import wrapped
from shared.gen.levata.table.v1 import arzoi_pb2, game_pb2, table_pb2, whist_pb2

GAMES = [field.name for field in game_pb2.GameEvent.DESCRIPTOR.oneofs_by_name["game"].fields]


def happened(game: str, kind: str) -> table_pb2.Event:
    event = table_pb2.Event()
    getattr(getattr(event.game, game), kind).SetInParent()
    return event


@pytest.mark.parametrize("game", GAMES)
def test_a_row_joins_the_score_sheet_and_a_deal_begins_the_history_anew(game: str) -> None:
    view = TableView()
    view.apply(table_pb2.Update(revision=1, events=[happened(game, "dealt"), happened(game, "scored")]))
    assert len(getattr(view.score_sheet, game).rows) == 1
    assert len(view.history) == 2
    view.apply(table_pb2.Update(revision=2, events=[happened(game, "dealt")]))
    assert view.history == [happened(game, "dealt")]
    assert view.history_complete
    view.apply(table_pb2.Update(revision=3, events=[happened(game, "scored")]))
    assert len(getattr(view.score_sheet, game).rows) == 2


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_the_same_name_in_every_place_of_the_contract(game: str) -> None:
    for message in (
        game_pb2.GameOptions,
        game_pb2.GameAction,
        game_pb2.GameTable,
        game_pb2.GameHand,
        game_pb2.GameEvent,
        game_pb2.GameScoreSheet,
    ):
        assert [field.name for field in message.DESCRIPTOR.oneofs_by_name["game"].fields] == GAMES


def test_an_action_of_a_game_is_wrapped_and_a_wrapped_one_left_alone() -> None:
    whist = wrapped(whist_pb2.WhistAction(bid=3))
    assert whist == game_pb2.GameAction(whist=whist_pb2.WhistAction(bid=3))
    assert wrapped(arzoi_pb2.ArzoiAction(play="TH")).arzoi.play == "TH"
    assert wrapped(whist) is whist
    with pytest.raises(TypeError):
        wrapped(whist_pb2.WhistOptions())
