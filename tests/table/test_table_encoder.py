"""What is encoded once and sent again is exactly what would be encoded afresh."""

import random

import pytest

from services.table import commands as c
from services.table import facts as f
from services.table import views
from shared.gen.levata.table.v1 import table_pb2 as pb
from tests.support.tables import ANA, BOGDAN, CARMEN, DAN, PaperTable


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_what_a_viewer_is_sent_equals_a_fresh_encoding_after_every_action(visibility: f.Visibility) -> None:
    table = PaperTable()
    options = f.Options("arzoi", 4, visibility=visibility)
    table.do(c.CreateTable("t" * 20, options, players=(ANA, BOGDAN, CARMEN, DAN), maker="service:matchmaking"))
    kept = views.TableEncoder()
    rng = random.Random(3)
    sent: set[bytes] = set()
    while not table.state.over:
        state = table.state
        for viewer in (None, 0, 1, 2, 3):
            part = kept.private(state, viewer)
            assert part == views.private_part(state, viewer)
            sent.add(part)
        assert kept.table(state) == views.TableEncoder().table(state)
        decision = state.decision
        assert decision is not None
        table.now += 100
        table.do(c.SubmitAction(state.seats[decision.seat].player, rng.choice(table.legal()), state.revision))
    for viewer in (None, 0, 1, 2, 3):
        assert kept.private(table.state, viewer) == views.private_part(table.state, viewer)
    assert len(sent) > 500


def test_parts_of_an_update_join_to_one_message() -> None:
    table = PaperTable()
    table.do(c.CreateTable("t" * 20, f.Options("arzoi", 4), players=(ANA, BOGDAN), maker="service:matchmaking"))
    encoder = views.TableEncoder()
    state = table.state
    common = views.common_part(state.revision, state.at, b"", encoder.table(state))
    data = views.update_message(common + encoder.private(state, 0))
    update = pb.PlayTableResponse.FromString(data).update
    assert update == pb.WatchTableResponse.FromString(data).update
    assert (update.revision, update.table.table_id, update.private.seat) == (1, "t" * 20, 0)
    assert update.private == views.private_message(state, 0)
