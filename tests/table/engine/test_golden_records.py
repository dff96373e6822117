"""Whole matches that were written down: they replay, to the same result and the same text, for ever.

A file that fails here is never to be rewritten: somewhere people keep records like it.
"""

from pathlib import Path

import pytest

from services.table.engine.games import GAMES
from services.table.engine.record import MatchRecord
from services.table.engine.remi import JOKER
from services.table.engine.remi.scoring import is_doubled
from services.table.verify import verify

FILES = sorted(Path(__file__).with_name("golden").glob("*.txt"))


def test_there_are_golden_records_of_several_sizes() -> None:
    records = [MatchRecord.parse(file.read_text(encoding="utf-8")) for file in FILES]
    sizes = {game: {len(record.seats) for record in records if record.game == game} for game in GAMES}
    assert {3, 4, 5, 6, 7, 9} <= sizes["arzoi"]
    assert {2, 3, 4} <= sizes["remi"]
    assert {3, 4, 5, 6} <= sizes["whist"]
    assert sizes["rentz"] == {4}
    assert all(sizes.values())


def test_the_deals_of_whist_and_the_draw_before_them_follow_from_the_seed() -> None:
    for file in FILES:
        if file.stem.startswith("whist"):
            verified = verify(file.read_text(encoding="utf-8"))
            assert verified.deals == 3 * len(verified.record.seats) + 12 + 1


@pytest.mark.rule("GAP-R6", "RM-12", "GAP-R27")
def test_the_rounds_of_remi_follow_from_the_seed_and_have_a_joker_and_an_ace_turned_up_among_them() -> None:
    for file in FILES:
        if file.stem.startswith("remi"):
            verified = verify(file.read_text(encoding="utf-8"))
            turned = [row.turned for row in verified.record.replay().rows]  # type: ignore[attr-defined]
            assert verified.deals == len(turned) > 1
            assert JOKER in turned
            assert any(is_doubled(tile) for tile in turned)


def test_the_deals_of_rentz_and_the_draw_before_them_follow_from_the_seed() -> None:
    file = next(file for file in FILES if file.stem == "rentz_four_players")
    assert verify(file.read_text(encoding="utf-8")).deals == 32 + 1


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_golden_record_replays_to_its_result_and_is_written_the_same(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    record = MatchRecord.parse(text)
    state = record.replay()
    assert record.to_text() == text
    if record.result is None:
        assert not state.is_over()
    else:
        assert record.result == state.scores()
    sheet = GAMES[record.game].score_sheet(state, [seat.name for seat in record.seats])
    expected = file.with_suffix(".sheet").read_text(encoding="utf-8")
    assert sheet == expected
