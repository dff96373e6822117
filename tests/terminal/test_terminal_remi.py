"""Remi in the terminal: what is shown and told."""

import re
from dataclasses import replace

import pytest
from textual.geometry import Size

from services.table.engine.remi import Options
from shared.gen.levata.table.v1 import game_pb2, remi_pb2, table_pb2
from shared.terminal.games.remi import RemiView
from shared.terminal.games.remi.board import Board, draw
from shared.terminal.games.remi.composer import Composer
from shared.terminal.games.remi.rack import Rack
from shared.terminal.games.remi.rack_view import spots_of
from shared.terminal.texts import Texts
from shared.terminal.widgets.sheet import sheet_text
from tests.support.remi import REMI
from tests.support.remi_screens import (
    ATU,
    DRAW,
    OVER,
    TWO_TILES,
    Scene,
    add,
    announce,
    close_with_atu,
    discard,
    discards,
    from_pile,
    lay,
    meld,
    sent,
    swap,
    take,
    turn,
    undo_take,
)
from tests.support.remi_tables import WIRE, done

VIEW = RemiView()
RO, EN = Texts("ro"), Texts("en")
HAND = "R4 R5 R6 Y10 B10 K10 B1 B2 K12 K13 R7 *"
LYING = (
    meld("R8 R9 R10", 1, (1, 1, 2)),
    meld("Y7 B7 K7", 2),
    meld("K2 * K4", 3, stands_for="K3"),
    meld("B10 K10 *", 1, stands_for="R10 Y10"),
)


def test_the_options_are_rounds() -> None:
    (rounds,) = VIEW.options(EN)
    assert [name for _, name in rounds.values] == ["one round", "3 rounds", "5 rounds", "10 rounds"]
    assert WIRE.options_from_proto(VIEW.game_options({})) == Options()
    assert WIRE.options_from_proto(VIEW.game_options({"rounds": "5"})) == Options(5)
    assert list(VIEW.sizes) == list(REMI.sizes)
    assert VIEW.clock().turn_seconds > 0


def test_the_head_says_which_round_it_is_what_the_atu_is_and_what_is_left() -> None:
    table = Scene(number=2, turned="B1", atu="B1", pile=34).update().table
    assert VIEW.headline(table, EN) == "Round 2/3 · Ana began · doubled ×2"
    assert str(VIEW.subline(table, EN)) == "Atu B1 · pile 34"
    table = Scene(turned="K5", atu="", pile=0, duty="Y9", idle_turns=4).update().table
    assert (
        str(VIEW.subline(table, EN))
        == "Atu taken (K5) · pile empty: last turn · to be used now Y9 · 4 turns without a move"
    )
    table = Scene(turned="*", atu="").update().table
    assert str(VIEW.subline(table, RO)) == "Atu a fost Joker · teanc 34"
    assert VIEW.subline(Scene(phase=OVER).update().table, EN) == ""
    assert VIEW.headline(Scene(number=0, turned="").update().table, EN) == ""


def event(**happened: object) -> table_pb2.Event:
    return table_pb2.Event(game=game_pb2.GameEvent(remi=remi_pb2.RemiEvent(**happened)))  # type: ignore[arg-type]


def by_bot(action: remi_pb2.RemiAction) -> table_pb2.Event:
    return done(1, sent(action))


CELLS = [remi_pb2.RemiCell(points=points) for points in (245, -15, -90, 0)]
TOLD: list[tuple[table_pb2.Event, list[str]]] = [
    (by_bot(from_pile()), []),
    (by_bot(take(3)), []),
    (event(taken=remi_pb2.RemiTaken(seat=1, tiles=["Y9", "*"])), ["Bot1 takes from the row Y9 J"]),
    (event(take_undone=remi_pb2.RemiTakeUndone(seat=1)), ["Bot1 gives it back and draws from the pile."]),
    (by_bot(lay("R4 R5 R6", "K1 B1 *")), ["Bot1 lays R4 R5 R6, K1 B1 J"]),
    (by_bot(add(0, "K13")), ["Bot1 adds K13"]),
    (by_bot(turn(add(0, "K13"), add(0, "K1"))), ["Bot1 adds K13 K1"]),
    (by_bot(swap(2, 1, "K3", "K9 K10 *")), ["Bot1 takes the Joker with K3 and lays K9 K10 J"]),
    (by_bot(discard("B7")), ["Bot1 discards B7"]),
    (by_bot(announce(ATU)), ["Bot1 announces the Atu"]),
    (
        by_bot(turn(add(0, "K13"), announce(TWO_TILES), discard("B7"))),
        ["Bot1 adds K13; announces: two tiles!; discards B7"],
    ),
    (
        by_bot(close_with_atu("R4 R5 R6", additions=[add(0, "R7")], left="K2")),
        ["Bot1 takes the Atu and closes: R4 R5 R6; adds R7; discards K2"],
    ),
    (event(dealt=remi_pb2.RemiDealt(number=2, first=1, turned="K1")), ["Round 2: Bot1 begins. Atu: K1 Doubled!"]),
    (
        event(dealt=remi_pb2.RemiDealt(number=1, first=0, turned="*")),
        ["Round 1: the Atu is a Joker and goes to Ana, who begins."],
    ),
    (event(opened=remi_pb2.RemiOpened(seat=1, points=52)), ["Bot1 has opened with 52 points."]),
    (event(few_tiles=remi_pb2.RemiFewTiles(seat=1, tiles=3)), ["Bot1 has 3 tiles left!"]),
    (event(few_tiles=remi_pb2.RemiFewTiles(seat=1, tiles=1)), ["Bot1 has one tile left!"]),
    (event(few_tiles=remi_pb2.RemiFewTiles(seat=1)), ["Bot1 has no tile left."]),
    (event(two_tiles_missed=remi_pb2.RemiTwoTilesMissed(seat=1)), ["Bot1 did not announce two tiles: −500."]),
    (event(pile_exhausted=remi_pb2.RemiPileExhausted()), ["The pile is exhausted: this is the last turn."]),
    (
        event(scored=remi_pb2.RemiScoreRow(ending=remi_pb2.REMI_ENDING_CLOSED_WITH_JOKER, closer=0, cells=CELLS)),
        ["Ana closes with a Joker: doubled!", "Score: Ana +245, Bot1 -15, Bot2 -90, Bot3 0"],
    ),
    (
        event(scored=remi_pb2.RemiScoreRow(ending=remi_pb2.REMI_ENDING_NOTHING_MOVED, cells=CELLS[2:])),
        ["Nothing moves any more: nobody closes.", "Score: Ana -90, Bot1 0"],
    ),
    (event(laid=remi_pb2.RemiLaid(seat=1)), []),
]


@pytest.mark.parametrize(("happened", "lines"), TOLD, ids=[" ".join(lines)[:40] or "nothing" for _, lines in TOLD])
def test_a_match_is_told_in_plain_words(happened: table_pb2.Event, lines: list[str]) -> None:
    table = Scene().update().table
    assert [line.plain for line in VIEW.told(table, happened, EN)] == lines


def test_romanian_names_the_colours_in_romanian() -> None:
    table = Scene().update().table
    (line,) = VIEW.told(table, by_bot(lay("R4 Y4 B4 K4")), RO)
    assert line.plain == "Bot1 etalează R4 G4 A4 N4"


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (from_pile(), "draw from the pile"),
        (take(2), "take from the row"),
        (undo_take(), "give back and draw from the pile"),
        (discard("K13"), "discard K13"),
        (lay("R4 R5 R6", "K1 B1 *"), "lay R4 R5 R6, K1 B1 J"),
        (swap(0, 1, "K3", "K9 K10 *"), "take the Joker with K3"),
        (turn(add(0, "R7"), discard("B2")), "add R7, discard B2"),
        (announce(TWO_TILES), "announce two tiles"),
        (close_with_atu("R4 R5 R6"), "close with the Atu"),
    ],
)
def test_an_action_is_said_as_one_would_say_it(action: remi_pb2.RemiAction, words: str) -> None:
    assert VIEW.action_words(sent(action), EN) == words


def score_row(number: int, closer: int | None, cells: list[remi_pb2.RemiCell]) -> remi_pb2.RemiScoreRow:
    ending = remi_pb2.REMI_ENDING_CLOSED if closer is not None else remi_pb2.REMI_ENDING_PILE_EXHAUSTED
    return remi_pb2.RemiScoreRow(number=number, turned="B9", ending=ending, closer=closer, cells=cells)


def test_the_sheet_tells_what_made_up_the_points_of_every_round() -> None:
    cells = [
        remi_pb2.RemiCell(laid=70, atu=50, two_tiles=25, closing=100, factor=2, points=490, melded=True),
        remi_pb2.RemiCell(laid=55, hand=70, factor=1, penalty=500, points=-515, melded=True),
        remi_pb2.RemiCell(hand=90, factor=1, points=-90),
    ]
    rows = [score_row(1, 0, cells), score_row(2, None, cells[2:] * 3)]
    update = Scene(seats=3, rows=rows).update()
    shown = VIEW.sheet(update.table, update.score_sheet, EN)
    assert [row.label for row in shown if row.kind == "heading"] == [
        "Round 1 · Atu B9 · Ana closed",
        "Round 2 · Atu B9 · pile exhausted",
    ]
    lines = {row.label.strip(): [cell.plain for cell in row.cells] for row in shown[:9]}
    assert lines["laid"] == ["70", "55", "0"]
    assert lines["in hand"] == ["", "−70", "−90"]
    assert lines["closing"] == ["+100", "", ""]
    assert lines["Atu"] == ["+50", "", ""]
    assert lines["two tiles"] == ["+25", "", ""]
    assert lines["multiplied"] == ["×2", "", ""]
    assert lines["not announced"] == ["", "−500", ""]
    assert lines[""] == ["", "", "not laid"]
    assert [cell.plain for cell in shown[-1].cells] == ["+400", "-605", "-180"]
    header, body = sheet_text(["Ana"] * 4, shown, 76)
    assert max(line.cell_len for line in [header, *body.split("\n")]) <= 76
    assert VIEW.sheet(update.table, game_pb2.GameScoreSheet(), EN) == []


def test_the_end_of_a_round_is_shown_before_the_next() -> None:
    before = Scene(lying=LYING, tiles=(9, 9, 9, 9)).update().table
    after = Scene(number=2, lying=(), row="", scores=(245, -15, 0, 0)).update(
        events=[
            by_bot(turn(lay("R4 R5 R6"), add(0, "R7"), add(1, "R7"), swap(2, 1, "K3", "B1 B2 *"), discard("K2"))),
            event(laid=remi_pb2.RemiLaid(seat=1, melds=[meld("R4 R5 R6")])),
            event(added=remi_pb2.RemiAdded(seat=1, meld=0, tile="R7")),
            event(added=remi_pb2.RemiAdded(seat=1, meld=1, tile="R7")),
            event(swapped=remi_pb2.RemiSwapped(seat=1, meld=2, tile="K3", new_meld=meld("B1 B2 *"))),
            event(discarded=remi_pb2.RemiDiscarded(seat=1, tile="K2")),
            event(atu_taken=remi_pb2.RemiAtuTaken(seat=1, tile="R9")),
            event(scored=remi_pb2.RemiScoreRow(closer=1, cells=CELLS)),
        ]
    )
    ended, following = VIEW.frames(before, after)
    game = ended.table.game.remi
    assert [" ".join(tile.tile for tile in each.tiles) for each in game.melds] == [
        "R7 R8 R9 R10",
        "Y7 B7 K7 R7",
        "K2 K3 K4",
        "B10 K10 *",
        "R4 R5 R6",
        "B1 B2 *",
    ]
    assert game.row[-1] == "K2"
    assert game.atu == ""
    assert [seat.tiles for seat in game.seats] == [9, 0, 9, 9]
    assert game.seats[0].score == 245
    assert not ended.table.HasField("decision")
    assert ended.beats > 5
    assert following.table == after.table


def test_a_turn_stays_to_be_seen_the_longer_the_more_was_done() -> None:
    def beats(action: remi_pb2.RemiAction) -> float:
        (frame,) = VIEW.frames(None, Scene().update(events=[by_bot(action)]))
        return frame.beats

    assert 0 < beats(from_pile()) < beats(discard("K2")) < beats(take(2)) < beats(turn(lay("R4 R5 R6"), discard("K2")))
    assert VIEW.frames(None, table_pb2.Update()) == []


LONG_HAND = " ".join(f"{colour}{number}" for number in range(2, 9) for colour in "RYBK")
LONG_ROW = " ".join(f"{colour}{number}" for number in range(1, 14) for colour in "RYBK")
MANY = tuple(
    meld(text, index % 4)
    for index, text in enumerate(
        ["R1 R2 R3", "R4 R5 R6 R7", "Y1 Y2 Y3 Y4 Y5", "B9 B10 B11", "K11 K12 K13 K1", "R8 Y8 B8 K8", "Y11 Y12 *"] * 3
        + ["B1 B2 B3 B4 B5 B6 B7 B8 B9 B10 B11 B12 B13 B1"]
    )
)
SCENES = {
    "draw": Scene(phase=DRAW, legal=[announce(ATU), from_pile(), take(4)]),
    "meld": Scene(legal=[announce(TWO_TILES), undo_take(), *discards(HAND)], hand=HAND, lying=LYING, duty="B2"),
    "full": Scene(
        hand=LONG_HAND,
        legal=discards(LONG_HAND),
        lying=MANY,
        row=LONG_ROW,
        melded=(0, 1, 2, 3),
        scores=(-12345, 12345, -9999, 55),
        tiles=(28, 3, 2, 1),
        few={"atu": (0, 1), "two": (2, 3), "missed": (3,)},
    ),
    "watched": Scene(own=None, lying=MANY, row=LONG_ROW),
    "over": Scene(phase=OVER, status=table_pb2.TABLE_STATUS_FINISHED, hand="", lying=LYING),
}


def with_seats(scene: Scene, seats: int) -> Scene:
    """The same with fewer players."""
    lying = [each for each in scene.lying if max(tile.seat for tile in each.tiles) < seats]
    return replace(scene, seats=seats, lying=lying)


@pytest.mark.parametrize("size", [Size(80, 12), Size(80, 9), Size(80, 6), Size(72, 22), Size(160, 40)])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_felt_holds_everything_at_every_size(seats: int, size: Size) -> None:
    for texts in (RO, EN):
        for scene in SCENES.values():
            composer = looking_at(with_seats(scene, seats))
            for place in (None, 0, 20):
                board = Board(
                    table=with_seats(scene, seats).update().table,
                    own=scene.own,
                    lying=composer.lying(),
                    meld=len(composer.lying()) // 2,
                    place=place,
                    takes=[20],
                )
                canvas, spots = draw(board, texts, size)
                assert canvas.spilled == [], "\n".join(canvas.lines())
                assert {spot.index for spot in spots if spot.part == "seat"} == set(range(seats))
                if place is not None and len(scene.row.split()) > place:
                    assert any((spot.part, spot.index) == ("row", place) for spot in spots)
                if composer.lying() and size.height > 9:
                    assert any((spot.part, spot.index) == ("meld", board.meld) for spot in spots)


@pytest.mark.parametrize("width", [56, 80, 120])
@pytest.mark.parametrize("hand", [HAND, LONG_HAND, LONG_ROW])
def test_the_rack_holds_every_tile_at_every_width(width: int, hand: str) -> None:
    rack = Rack().holding(hand.split(), anew=True)
    for number in range(0, len(hand.split()) - 3, 4):
        rack = rack.marked(number).marked(number + 1).marked(number + 2).grouped(None)
    spots = spots_of(rack, rack.layout(), width)
    assert sorted(spot.number for spot in spots) == list(range(len(hand.split())))
    assert all(spot.x >= 0 and spot.x + 3 <= width for spot in spots)
    cells = [(x, spot.row) for spot in spots for x in range(spot.x, spot.x + 3)]
    assert len(set(cells)) == len(cells)


def test_the_seats_tell_tiles_points_and_announcements() -> None:
    scene = Scene(
        tiles=(14, 3, 1, 9), melded=(1, 2), scores=(5, -20, 0, 130), few={"atu": (1,), "two": (2,), "missed": (3,)}
    )
    canvas, _ = draw(Board(scene.update().table, 0), RO, Size(80, 12))
    names, points, held = canvas.lines()[:3]
    assert re.match(r"▶¹Ana \(dvs.\) +★  ²Bot1 +bot  ³Bot2 +bot  ⁴Bot3 +bot", names)
    assert points.split() == ["5p", "neetalat", "-20p", "etalat", "60", "0p", "etalat", "60", "130p", "neetalat"]
    assert held.split() == ["14", "piese", "3", "piese!", "Atu", "o", "piesă!", "2!", "9", "piese", "−500"]


def test_the_table_tells_whose_the_tiles_are_and_what_a_joker_stands_for() -> None:
    board = Board(Scene().update().table, 0, looking_at(Scene(lying=LYING)).lying())
    small, _ = draw(board, RO, Size(80, 6))
    assert small.lines()[2].rstrip() == "Rând ×N3  R5  G9  N11 A2"
    assert small.lines()[3].rstrip() == " R8 ²R9 ²R10³   G7 ³A7 ³N7 ³   N2 ⁴J3 ⁴N4 ⁴   A10²N10²J  ²"
    assert re.split(r"  +", small.lines()[4].strip()) == ["20p Bot1", "15p Bot2", "15p Bot3", "30p Bot1"]
    large, _ = draw(board, RO, Size(80, 12))
    assert large.lines()[4].rstrip() == "  8 ² 9 ² 10³    7 ³ 7 ³ 7 ³    2 ⁴☺3 ⁴ 4 ⁴    10² 10²╭☺╮²"
    assert large.lines()[5].split() == [*"RRR", *"GAN", *"NJN", *"ANJ"]
    assert large.lines()[6] == small.lines()[4]


def looking_at(scene: Scene) -> Composer:
    """What is on the screen of whoever sees the scene."""
    composer = Composer()
    private = scene.update().private
    composer.offer(scene.table(), private.hand.remi, scene.own, [action.remi for action in private.legal_actions])
    return composer
