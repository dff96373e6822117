"""A turn of Remi put together on the screen: combinations, the rack, the draft, and what is sent of it."""

import random
from itertools import permutations

import pytest

from services.table.engine.game import IllegalAction
from services.table.engine.remi.melds import meld_of
from services.table.engine.remi.tiles import TEXT, parse_tiles
from shared.gen.levata.table.v1 import remi_pb2
from shared.terminal.games.remi import keys
from shared.terminal.games.remi.composer import Composer, Zone
from shared.terminal.games.remi.melds import Combination, arrangements
from shared.terminal.games.remi.offers import combination_of
from shared.terminal.games.remi.rack import Rack
from tests.support.remi_screens import (
    ATU,
    DRAW,
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
    swap,
    take,
    tiles_of,
    turn,
    undo_take,
)

LOW, HIGH = remi_pb2.REMI_END_LOW, remi_pb2.REMI_END_HIGH


def shown(found: list[Combination]) -> list[str]:
    return [" ".join(each.tiles) for each in found]


@pytest.mark.parametrize(
    ("tiles", "ways", "points"),
    [
        ("R6 R4 R5", ["R4 R5 R6"], 15),
        ("R10 B10 K10", ["R10 B10 K10"], 30),
        ("B1 B12 B13", ["B12 B13 B1"], 30),
        ("B3 B1 B2", ["B1 B2 B3"], 15),
        ("Y11 * Y13", ["Y11 * Y13"], 30),
        ("Y8 * Y7", ["* Y7 Y8", "Y7 Y8 *"], 15),
        ("Y9 * Y8", ["Y8 Y9 *", "* Y8 Y9"], 20),
        ("R1 * R2", ["R1 R2 *"], 15),
        ("R1 * R13", ["* R13 R1"], 30),
        ("R12 * R13", ["* R12 R13", "R12 R13 *"], 30),
        ("K1 B1 *", ["B1 K1 *"], 30),
        ("R7 Y7 B7 K7", ["R7 Y7 B7 K7"], 20),
        ("R5 R7 R8 * * R10", ["R5 * R7 R8 * R10"], 35),
        ("R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R1", ["R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R1"], 95),
    ],
)
def test_tiles_are_put_in_the_order_of_their_combination(tiles: str, ways: list[str], points: int) -> None:
    found = arrangements(tiles_of(tiles))
    assert shown(found) == ways
    assert found[0].points() == points


@pytest.mark.parametrize(
    "tiles",
    [
        "R4 R5",
        "R13 R1 R2",
        "R7 R7 B7",
        "R4 R5 B6",
        "R4 * *",
        "R4 R5 * *",
        "R4 R5 R5 R6",
        "R4 Y4 B4 K4 *",
        "* *",
        "R4 R6 R8",
    ],
)
def test_tiles_that_are_no_combination_have_no_order(tiles: str) -> None:
    assert arrangements(tiles_of(tiles)) == []


def test_orders_points_places_and_ends_are_those_of_the_rules() -> None:
    """The engine reads every order of random tiles; the screen has to find exactly those that it accepts."""
    chance = random.Random(7)
    combinations = 0
    for _ in range(2500):
        size, low, colour = chance.choice([3, 3, 4, 5]), chance.randint(1, 13), chance.choice("RYBK")
        near = [f"{colour}{(place - 1) % 13 + 1}" for place in range(low - 2, low + 5)]
        alike = [f"{each}{low}" for each in "RYBK"]
        tiles = [chance.choice([*chance.choice([near, near, alike]), "*"]) for _ in range(size)]
        accepted = set()
        for order in set(permutations(tiles)):
            try:
                read = meld_of(parse_tiles(" ".join(order)))
            except IllegalAction:
                continue
            accepted.add(order if read.run else tuple(sorted(order)))
        found = arrangements(tiles)
        assert {each.tiles if each.run else tuple(sorted(each.tiles)) for each in found} == accepted, tiles
        for each in found:
            combinations += 1
            read = meld_of(parse_tiles(" ".join(each.tiles)))
            assert (each.run, each.points()) == (read.run, read.points())
            assert combination_of(each.tiles) == each
            for index in range(len(each.tiles)):
                assert each.stands_for(index) == tuple(TEXT[tile] for tile in read.stands_for(index))
            for kind, tile in enumerate(TEXT):
                assert each.ends_for(tile) == read.ends_for(kind), (each, tile)
    assert combinations > 300


def rack_of(text: str) -> Rack:
    return Rack().holding(tiles_of(text), anew=True)


def seen(rack: Rack) -> list[str]:
    return [" ".join(rack.tile(number) for number in group) for group in rack.layout()]


def marking(rack: Rack, text: str) -> Rack:
    """Marks the first tile of each kind that is not marked yet."""
    for tile in tiles_of(text):
        rack = rack.marked(next(n for n, held in rack.tiles if held == tile and n not in rack.marks))
    return rack


def test_the_rack_is_sorted_by_colour_or_by_number_with_jokers_last() -> None:
    rack = rack_of("* K2 R13 Y2 R1 B7 R1")
    assert seen(rack) == ["R1 R1 R13 Y2 B7 K2 *"]
    assert seen(rack.sorted_anew()) == ["R1 R1 Y2 K2 B7 R13 *"]
    assert seen(rack.sorted_anew().sorted_anew()) == seen(rack)


def test_marked_tiles_are_grouped_in_the_order_of_their_combination_and_stay_so() -> None:
    rack = marking(rack_of("R4 R6 R5 K9 * K10"), "R6 R4 R5").grouped(None)
    assert seen(rack) == ["R4 R5 R6", "K9 K10 *"]
    assert rack.marks == frozenset()
    rack = marking(rack, "K9 K10").grouped(None)
    assert seen(rack) == ["R4 R5 R6", "K9 K10", "*"]
    rack = rack.holding(tiles_of("R4 R6 R5 K9 * K10 B3"))
    assert seen(rack) == ["R4 R5 R6", "K9 K10", "B3 *"]
    assert [rack.tile(number) for number in rack.fresh] == ["B3"]
    rack = rack.holding(tiles_of("R4 R6 K9 * K10 B3"))
    assert seen(rack) == ["R4 R6", "K9 K10", "B3 *"]


def test_tiles_join_the_group_under_the_cursor_and_a_group_is_parted_without_marks() -> None:
    rack = marking(rack_of("R4 R5 R6 B1"), "R4 R5").grouped(None)
    four = rack.layout()[0][0]
    rack = marking(rack, "R6").grouped(four)
    assert seen(rack) == ["R4 R5 R6", "B1"]
    assert seen(rack.grouped(four)) == ["R4 R5 R6 B1"]
    moved = marking(rack, "R6 B1").grouped(None)
    assert seen(moved) == ["R4 R5", "R6 B1"]


def test_of_twins_the_one_that_was_given_away_leaves_its_group() -> None:
    rack = marking(rack_of("R5 R5 R6 R7"), "R5 R6 R7").grouped(None)
    group = rack.layout()[0]
    assert seen(rack.holding(tiles_of("R5"), gone=group)) == ["R5"]
    loose = rack.layout()[1]
    assert seen(rack.holding(tiles_of("R5 R6 R7"), gone=loose)) == ["R5 R6 R7"]


def test_a_new_deal_begins_with_a_new_rack() -> None:
    rack = marking(rack_of("R4 R5 R6 B1"), "R4 R5 R6").grouped(None)
    assert seen(rack.holding(tiles_of("R4 R5 R6 B2"), anew=True)) == ["R4 R5 R6 B2"]


class Player:
    """Somebody who plays a scene with keys, and what went to the table."""

    def __init__(self, scene: Scene) -> None:
        self.composer = Composer()
        self.sent: list[remi_pb2.RemiAction] = []
        self.see(scene)

    def see(self, scene: Scene) -> None:
        private = scene.update().private
        self.composer.offer(
            scene.table(), private.hand.remi, scene.own, [action.remi for action in private.legal_actions]
        )

    def press(self, *pressed: str) -> "Player":
        for key in pressed:
            result = keys.press(self.composer, key, key if len(key) == 1 else None)
            if result.action is not None:
                self.sent.append(result.action)
        return self

    def point(self, tile: str) -> "Player":
        """Goes to a tile with the arrows."""
        for _ in range(40):
            number = self.composer.cursor
            here = number is not None and self.composer.shown_rack.tile(number) == tile
            if here and number not in self.composer.rack.marks:
                return self
            self.press("right")
        raise AssertionError(f"no {tile}")

    def mark(self, text: str) -> "Player":
        for tile in tiles_of(text):
            self.point(tile).press("space")
        return self

    @property
    def remark(self) -> str:
        return self.composer.remark.key if self.composer.remark is not None else ""

    @property
    def rack(self) -> str:
        return " ".join(self.composer.shown_rack.tile(number) for number in self.composer.in_order())


HAND = "R4 R5 R6 Y10 B10 K10 B1 B2 K12 K13 *"
LYING = (
    meld("R8 R9 R10"),
    meld("Y7 B7 K7", 2),
    meld("K2 * K4", 3, stands_for="K3"),
    meld("B5 B6 *", 1, stands_for="B7"),
)


def melding(hand: str = HAND, **scene: object) -> Scene:
    return Scene(hand=hand, legal=discards(hand), **scene)  # type: ignore[arg-type]


def test_one_key_draws_and_nothing_can_be_laid_before() -> None:
    player = Player(Scene(hand=HAND, phase=DRAW, legal=[from_pile()]))
    player.mark("R4 R5 R6").press("e")
    assert player.remark == "remi.draw_first"
    player.press("p")
    assert player.sent == [from_pile()]


def test_a_tile_is_discarded_by_pointing_and_enter() -> None:
    player = Player(melding()).point("K12").press("enter")
    assert player.sent == [discard("K12")]


def test_a_digit_goes_to_the_next_tile_of_that_number_and_nought_to_the_tens() -> None:
    player = Player(melding())
    pointed = []
    for key in ("6", "0", "0", "0", "0", "*", "1", "2"):
        player.press(key)
        assert player.composer.cursor is not None
        pointed.append(player.composer.shown_rack.tile(player.composer.cursor))
    assert pointed == ["R6", "Y10", "B10", "K10", "K12", "*", "B1", "B2"]


def test_the_tile_that_was_drawn_is_pointed_at_first() -> None:
    player = Player(Scene(hand="R4 K2", phase=DRAW, legal=[from_pile()]))
    player.see(melding("R4 B8 K2"))
    player.press("right", "enter")
    assert player.sent == [discard("B8")]


def test_a_first_meld_is_collected_and_sent_as_one_action() -> None:
    player = Player(melding()).mark("R6 R4 R5").press("enter")
    assert (player.composer.draft.laid_points, player.composer.draft.has_run) == (15, True)
    assert player.rack == "Y10 B1 B2 B10 K10 K12 K13 *"
    player.mark("Y10 B10 K10").press("e")
    assert player.composer.draft.laid_points == 45
    assert player.sent == []
    player.press("enter")
    assert player.sent == [lay("R4 R5 R6", "Y10 B10 K10")]


def test_a_first_meld_and_the_discard_are_one_turn() -> None:
    player = Player(melding()).mark("R4 R5 R6").press("e").mark("Y10 B10 K10").press("e").point("B2").press("enter")
    assert player.sent == [turn(lay("R4 R5 R6", "Y10 B10 K10"), discard("B2"))]


def test_all_groups_that_are_combinations_are_laid_at_once() -> None:
    player = Player(melding()).mark("R4 R5 R6").press("u").mark("Y10 B10 K10").press("u").mark("B1 B2").press("u")
    player.press("escape", "e")
    assert [step.combination.tiles for step in player.composer.draft.steps] == [  # type: ignore[union-attr]
        ("R4", "R5", "R6"),
        ("Y10", "B10", "K10"),
    ]
    assert player.rack == "B1 B2 K12 K13 *"


def test_only_the_group_under_the_cursor_is_laid() -> None:
    player = Player(melding()).mark("R4 R5 R6").press("u").mark("Y10 B10 K10").press("u").point("B10").press("e")
    assert player.rack == "R4 R5 R6 B1 B2 K12 K13 *"


def test_where_a_joker_has_two_places_the_player_is_asked() -> None:
    player = Player(melding()).mark("K12 K13 *").press("e")
    question = player.composer.question
    assert question is not None
    assert shown([way.combination for way in question.options]) == ["* K12 K13", "K12 K13 *"]
    assert not player.composer.draft
    player.press("right", "enter", "enter")
    assert player.sent == [lay("K12 K13 *")]


def test_a_question_is_answered_by_its_digit_or_left() -> None:
    player = Player(melding()).mark("K12 K13 *").press("e", "escape")
    assert player.composer.question is None
    assert len(player.composer.rack.marks) == 3
    player.press("e", "1", "enter")
    assert player.sent == [lay("* K12 K13")]


def test_tiles_that_make_no_combination_stay_marked_and_it_is_said() -> None:
    player = Player(melding()).mark("R4 R5 B1").press("e")
    assert player.remark == "remi.no_combination"
    assert len(player.composer.rack.marks) == 3
    assert not player.composer.draft


def test_every_step_is_taken_back_in_turn() -> None:
    player = Player(melding()).mark("R4 R5 R6").press("e").mark("Y10 B10 K10").press("e")
    player.press("z")
    assert player.rack == "Y10 B1 B2 B10 K10 K12 K13 *"
    assert len(player.composer.rack.marks) == 3
    player.press("z")
    assert player.rack == "R4 R5 R6 Y10 B1 B2 B10 K10 K12 K13 *"
    assert not player.composer.draft
    player.press("z")
    assert player.remark == "remi.nothing_to_undo"


def test_grouping_is_taken_back_too() -> None:
    player = Player(melding()).mark("K12 K13").press("u")
    assert player.rack.startswith("K12 K13")
    player.press("z")
    assert not player.rack.startswith("K12 K13")


def test_a_tile_goes_where_it_fits() -> None:
    player = Player(melding("R7 R11 K1 Y7 R7", lying=LYING, melded=(0,))).point("R11").press("l", "enter")
    assert player.sent == [add(0, "R11", HIGH)]


def test_where_a_tile_fits_at_several_places_the_player_is_asked() -> None:
    player = Player(melding("R7 R11 K1 Y7", lying=LYING, melded=(0,))).point("R7").press("l")
    question = player.composer.question
    assert question is not None
    assert shown([way.combination for way in question.options]) == ["R7 R8 R9 R10", "Y7 B7 K7 R7"]
    assert [way.meld for way in question.options] == [0, 1]
    player.press("2", "enter")
    assert player.sent == [add(1, "R7")]


def test_several_tiles_are_added_to_one_combination_in_the_order_that_fits() -> None:
    player = Player(melding("R12 R11 K1 Y3", lying=LYING, melded=(0,))).mark("R12 R11").press("enter", "enter")
    assert player.sent == [turn(add(0, "R11", HIGH), add(0, "R12", HIGH))]


def test_a_joker_may_go_to_either_end_and_the_end_is_named() -> None:
    player = Player(melding("* K1 Y3", lying=LYING[:1], melded=(0,))).point("*").press("l")
    question = player.composer.question
    assert question is not None
    assert shown([way.combination for way in question.options]) == ["* R8 R9 R10", "R8 R9 R10 *"]
    player.press("1", "enter")
    assert player.sent == [add(0, "*", LOW)]


def test_a_tile_can_be_carried_to_a_combination_with_the_arrows() -> None:
    player = Player(melding("R7 R11 K1 Y7", lying=LYING, melded=(0,))).point("R7").press("up", "right")
    assert (player.composer.zone, player.composer.meld_at) == (Zone.MELDS, 1)
    player.press("enter", "enter")
    assert player.sent == [add(1, "R7")]


def test_a_tile_that_fits_nowhere_stays() -> None:
    player = Player(melding("R2 K9", lying=LYING, melded=(0,))).point("R2").press("l")
    assert player.remark == "remi.no_place"
    assert player.rack == "R2 K9"


def test_a_tile_is_added_to_a_combination_that_is_only_drafted() -> None:
    player = Player(melding("R4 R5 R6 R7 Y2", lying=LYING[1:], melded=(0,))).mark("R4 R5 R6").press("e")
    player.point("R7").press("l")
    question = player.composer.question
    assert question is not None
    player.press("2", "enter")
    assert player.sent == [turn(lay("R4 R5 R6"), add(3, "R7", HIGH))]


def test_a_joker_is_taken_with_its_tile_and_laid_in_a_new_combination() -> None:
    player = Player(melding("K3 Y9 Y8 B2", lying=LYING, melded=(0,))).point("K3").press("j")
    assert player.rack == "Y8 Y9 B2 *"
    player.press("enter")
    assert player.sent == []
    player.press("enter")
    assert player.remark == "remi.joker.pending"
    player.mark("Y8 Y9 *").press("e", "1", "enter")
    assert player.sent == [swap(2, 1, "K3", "Y8 Y9 *")]


def test_which_joker_is_asked_when_a_tile_could_take_several() -> None:
    lying = (meld("K2 * K4", 3, stands_for="K3"), meld("R3 B3 *", 2, stands_for="Y3 K3"))
    player = Player(melding("K3 Y9 Y10 Y11 B2", lying=lying, melded=(0,))).point("K3").press("j")
    question = player.composer.question
    assert question is not None
    player.press("2").mark("Y9 Y10 *").press("e", "1", "enter")
    assert player.sent == [swap(1, 2, "K3", "Y9 Y10 *")]


def test_ones_own_joker_may_be_laid_for_the_one_that_was_taken() -> None:
    player = Player(melding("K3 Y9 * Y11 B2", lying=LYING, melded=(0,))).point("K3").press("j")
    player.mark("Y9 * Y11").press("e")
    assert player.composer.draft.pending is None
    assert player.rack == "B2 *"
    player.point("B2").press("enter")
    assert player.sent == [turn(swap(2, 1, "K3", "Y9 * Y11"), discard("B2"))]


def test_enter_on_a_combination_takes_its_joker_when_the_tile_has_its_place() -> None:
    player = Player(melding("K3 Y9 Y8 B2", lying=LYING, melded=(0,))).point("K3").press("up", "right", "right", "enter")
    assert player.composer.draft.pending is not None


def test_in_the_turn_of_the_first_meld_all_its_combinations_are_one_step() -> None:
    player = Player(melding("R4 R5 R6 R7 Y10 B10 K10 B1", lying=LYING[1:2])).mark("R4 R5 R6").press("e")
    player.point("R7").press("l").mark("Y10 B10 K10").press("e").point("B1").press("enter")
    assert player.sent == [turn(lay("R4 R5 R6", "Y10 B10 K10"), add(1, "R7", HIGH), discard("B1"))]


@pytest.mark.parametrize("opened", [False, True])
def test_in_the_turn_of_the_first_meld_only_ones_own_combinations_are_open(opened: bool) -> None:
    own = meld("R4 R5 R6", 0)
    lying = (*LYING, own) if opened else LYING
    hand = "R7 K3 Y2" if opened else "R4 R5 R6 R7 K3 Y2"
    scene = melding(hand, lying=lying, melded=(0,) if opened else (), opening=opened)
    player = Player(scene)
    if not opened:
        player.mark("R4 R5 R6").press("e")
    player.point("R7").press("l")
    assert player.composer.question is None
    player.point("K3").press("j")
    assert player.remark == "remi.only_own"
    player.press("up", "enter")
    assert player.remark == "remi.only_own"
    player.press("down").point("Y2").press("enter")
    added = add(4, "R7", HIGH)
    assert player.sent == [turn(*([] if opened else [lay("R4 R5 R6")]), added, discard("Y2"))]


def test_from_the_row_is_taken_with_the_tiles_above() -> None:
    player = Player(Scene(phase=DRAW, legal=[from_pile(), take(4), take(3), take(2)], melded=(0,)))
    player.press("i", "left", "left")
    assert (player.composer.zone, player.composer.place_at) == (Zone.ROW, 2)
    player.press("enter")
    assert player.sent == [take(2)]


def test_the_arrows_go_to_the_row_only_while_something_may_be_taken() -> None:
    drawing = Scene(phase=DRAW, legal=[from_pile(), take(4)])
    assert Player(drawing).press("up").composer.zone is Zone.ROW
    assert Player(drawing).press("up", "down").composer.zone is Zone.HAND
    player = Player(melding()).press("up")
    assert player.composer.zone is Zone.HAND
    player.press("i")
    assert player.remark == "remi.wait_draw"


def test_what_was_taken_can_be_given_back() -> None:
    player = Player(Scene(legal=[undo_take(), *discards(HAND)], hand=HAND, duty="Y9")).press("r")
    assert player.sent == [undo_take()]
    assert Player(melding()).press("r").sent == []


def test_a_tile_that_has_to_be_used_or_may_not_be_discarded_is_named() -> None:
    player = Player(Scene(hand=HAND, legal=[undo_take()], duty="Y10")).point("K12").press("enter")
    assert (player.sent, player.remark) == ([], "remi.duty")
    player = Player(Scene(hand=HAND, legal=discards(HAND, "K12"), barred="K12")).point("K12").press("enter")
    assert (player.sent, player.remark) == ([], "remi.barred")
    player.press("escape", "escape").mark("R4 R5 R6").press("e").point("K12").press("enter")
    assert (player.sent, player.remark) == ([], "remi.barred")


def test_the_atu_and_two_tiles_are_announced_at_one_key() -> None:
    assert Player(Scene(phase=DRAW, legal=[announce(ATU), from_pile()])).press("n").sent == [announce(ATU)]
    two = Player(Scene(hand="R2 K4", legal=[announce(TWO_TILES), *discards("R2 K4")]))
    assert two.press("n").sent == [announce(TWO_TILES)]
    assert Player(melding()).press("n").remark == "remi.nothing_to_announce"


def test_two_tiles_are_announced_within_the_turn_that_comes_down_to_them() -> None:
    player = Player(melding("R4 R5 R6 Y2 K9", melded=(0,)))
    assert player.composer.may_announce() is None
    player.mark("R4 R5 R6").press("e")
    assert player.composer.may_announce() == TWO_TILES
    player.press("n")
    assert player.composer.may_announce() is None
    player.point("K9").press("enter")
    assert player.sent == [turn(lay("R4 R5 R6"), announce(TWO_TILES), discard("K9"))]


def test_what_is_announced_once_is_not_offered_again() -> None:
    player = Player(melding("R4 R5 R6 Y2 K9", melded=(0,), few={"two": (0,)})).mark("R4 R5 R6").press("e")
    assert player.composer.may_announce() is None


def test_proposals_are_put_into_the_draft_one_after_another() -> None:
    proposals = [turn(lay("R4 R5 R6"), add(0, "R11")), lay("Y10 B10 K10"), swap(2, 1, "K3", "K12 K13 *")]
    hand = "R4 R5 R6 R11 Y10 B10 K10 K3 K12 K13"
    player = Player(Scene(hand=hand, legal=[*proposals, *discards(hand)], lying=LYING, melded=(0,)))
    player.press("o", "enter", "o", "enter", "o", "enter", "o", "enter")
    assert player.sent == [turn(lay("R4 R5 R6"), add(0, "R11", HIGH)), *proposals[1:], player.sent[0]]


def test_a_proposal_can_be_changed_and_taken_back() -> None:
    hand = "R4 R5 R6 Y10 B10 K10 B2"
    player = Player(Scene(hand=hand, legal=[lay("R4 R5 R6", "Y10 B10 K10"), *discards(hand)]))
    player.press("o").point("B2").press("enter")
    assert player.sent == [turn(lay("R4 R5 R6", "Y10 B10 K10"), discard("B2"))]
    player.press("escape", "z")
    assert player.rack == "R4 R5 R6 Y10 B2 B10 K10"


def test_a_closing_turn_may_end_with_another_discard() -> None:
    hand = "R4 R5 R6 Y10"
    player = Player(Scene(hand=hand, legal=[turn(lay("R4 R5 R6"), discard("Y10")), *discards(hand)], melded=(0,)))
    player.press("o")
    assert player.rack == ""
    player.press("enter")
    assert player.sent == [turn(lay("R4 R5 R6"), discard("Y10"))]


def test_without_a_proposal_it_is_said_why() -> None:
    assert Player(melding()).press("o").remark == "remi.no_proposal"
    assert Player(Scene(legal=[], acting=2)).press("o").remark == "remi.wait"
    assert Player(Scene(phase=DRAW, legal=[from_pile(), take(4)])).press("o").remark == "remi.take_opens"


def test_the_round_is_closed_with_the_atu_as_it_is_proposed() -> None:
    closing = close_with_atu("R8 R9 R10", additions=[add(1, "R7")], left="K2")
    scene = Scene(hand="R8 R10 R7 K2", phase=DRAW, legal=[from_pile(), closing], lying=LYING[:2], melded=(0,))
    player = Player(scene).press("w")
    assert player.rack == ""
    player.press("enter")
    assert player.sent == [closing]
    assert Player(Scene(phase=DRAW, legal=[from_pile()])).press("w").remark == "remi.no_atu"


def test_closing_with_the_atu_can_be_put_together_otherwise() -> None:
    closing = close_with_atu("R8 R9 R10", additions=[add(1, "R7")], left="K2")
    scene = Scene(hand="R8 R10 R7 K2", phase=DRAW, legal=[from_pile(), closing], lying=LYING[:2], melded=(0,))
    player = Player(scene).press("w", "z")
    assert player.rack == "R7 R8 R10 K2"
    player.press("w", "w")
    assert player.rack == "R7 R8 R9 R10 K2"
    player.mark("R8 R9 R10").press("e").point("R7").press("enter")
    assert (player.sent, player.remark) == ([], "remi.atu.left")
    player.press("escape").point("R7").press("l", "2").point("K2").press("enter")
    assert player.sent == [closing]


def test_with_the_atu_everything_may_be_laid_without_a_discard() -> None:
    closing = close_with_atu("R8 R9 R10", additions=[add(1, "R7")])
    scene = Scene(hand="R8 R10 R7", phase=DRAW, legal=[from_pile(), closing], lying=LYING[:2], melded=(0,))
    player = Player(scene).press("w", "w").mark("R8 R9 R10").press("e").point("R7").press("l", "2", "enter")
    assert player.sent == [closing]


def test_the_draft_outlives_a_refusal_and_whatever_does_not_touch_it() -> None:
    scene = melding(lying=LYING, melded=(0,))
    player = Player(scene).mark("R4 R5 R6").press("e").mark("Y10 B10").press("up")
    player.see(scene)
    assert player.rack == "Y10 B1 B2 B10 K10 K12 K13 *"
    assert len(player.composer.rack.marks) == 2
    assert player.composer.zone is Zone.MELDS


def test_the_draft_ends_when_the_table_has_it_or_has_moved_on() -> None:
    player = Player(melding(lying=LYING, melded=(0,))).mark("R4 R5 R6").press("e")
    rest = "Y10 B10 K10 B1 B2 K12 K13 *"
    player.see(melding(rest, lying=(*LYING, meld("R4 R5 R6", 0)), melded=(0,)))
    assert not player.composer.draft
    assert player.rack == "Y10 B1 B2 B10 K10 K12 K13 *"
    assert not player.composer.can_take_back


def test_groups_are_made_while_others_play_and_stay() -> None:
    scene = Scene(hand=HAND, legal=[], acting=2, lying=LYING[:1])
    player = Player(scene).mark("R4 R5 R6").press("u")
    player.see(Scene(hand=HAND, legal=[], acting=3, lying=LYING[:2], phase=DRAW))
    player.see(Scene(hand=HAND + " K1", legal=discards(HAND), lying=LYING[:2]))
    assert player.rack.startswith("R4 R5 R6 Y10")
    player.press("e", "enter")
    assert player.sent == [lay("R4 R5 R6")]


def test_waiting_players_look_at_the_table_undisturbed() -> None:
    player = Player(Scene(legal=[], acting=2, lying=LYING[:3])).press("up", "right")
    player.see(Scene(legal=[], acting=2, lying=LYING, phase=DRAW))
    assert (player.composer.zone, player.composer.meld_at) == (Zone.MELDS, 1)


def test_spectators_point_at_combinations_and_nothing_else() -> None:
    player = Player(Scene(own=None, lying=LYING)).press("up", "right", "e", "p", "enter", "space")
    assert (player.composer.zone, player.composer.meld_at) == (Zone.MELDS, 1)
    assert player.sent == []
