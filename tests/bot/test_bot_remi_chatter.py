"""What bots find to talk about at Remi."""

import random

import pytest

from services.bot.chatter.chatter import LINES, TALKS, Chatter
from services.bot.chatter.occasions import Occasion
from services.bot.chatter.remi import Standing, occasions, standing
from shared.gen.levata.bot.v1 import bot_pb2
from shared.gen.levata.table.v1 import remi_pb2, table_pb2
from shared.personas import PERSONA_NAMES
from tests.support.remi import REMI, lively
from tests.support.remi_screens import (
    ATU,
    TWO_TILES,
    Scene,
    add,
    announce,
    close_with_atu,
    discard,
    from_pile,
    lay,
    meld,
    sent,
    swap,
    take,
    turn,
)
from tests.support.remi_tables import WIRE, update_of
from tests.support.steps import random_deal

MELDED = (0, 1, 2, 3)
LAID = (meld("R8 R9 R10"),)


@pytest.mark.parametrize(
    ("scene", "action", "occasion"),
    [
        (Scene(number=2), lay("R4 R5 R6"), Occasion.OPENS),
        (Scene(number=2), turn(lay("R4 R5 R6"), discard("K2")), Occasion.OPENS),
        (Scene(number=2, melded=MELDED), add(0, "R7"), Occasion.LAYS_OFF),
        (Scene(number=2, melded=MELDED), swap(0, 1, "R7", "K1 K2 *"), Occasion.SWAPS_JOKER),
        (Scene(number=2, melded=MELDED), take(2), Occasion.BREAKS_ROW),
        (Scene(number=2), announce(ATU), Occasion.ANNOUNCES_ATU),
        (Scene(number=2, melded=MELDED), turn(announce(TWO_TILES), discard("K2")), Occasion.ANNOUNCES_TWO_TILES),
        (Scene(number=2, melded=MELDED), close_with_atu("R4 R5 R6"), Occasion.CLOSES),
        (Scene(number=2, melded=MELDED, tiles=(1, 9, 9, 9)), discard("K2"), Occasion.CLOSES),
        (Scene(number=2, melded=MELDED, tiles=(1, 9, 9, 9)), discard("*"), Occasion.CLOSES_WITH_JOKER),
        (
            Scene(number=2, melded=MELDED, tiles=(4, 9, 9, 9)),
            turn(lay("R4 R5 R6"), add(0, "*")),
            Occasion.CLOSES_WITH_JOKER,
        ),
        (Scene(number=2, melded=MELDED, tiles=(3, 9, 9, 9)), lay("R4 R5 *"), Occasion.CLOSES),
        (Scene(number=2, melded=MELDED, tiles=(2, 9, 9, 9)), turn(take(4), lay("R4 R5 R6")), Occasion.CLOSES),
        (Scene(row=""), discard("K2"), Occasion.REMI_GREETING),
        (Scene(number=2, melded=MELDED, tiles=(9, 3, 9, 9)), discard("K2"), Occasion.FEW_TILES_THERE),
        (Scene(number=2, pile=9), discard("K2"), Occasion.STUCK),
        (Scene(number=2, melded=MELDED, scores=(100, 20, -5, 0)), discard("K2"), Occasion.REMI_WINNING),
        (Scene(number=2, melded=MELDED, scores=(-100, 20, -5, 0)), discard("K2"), Occasion.REMI_LOSING),
        (Scene(number=2, melded=MELDED), from_pile(), Occasion.REMI_WAITING),
    ],
    ids=lambda value: value.value if isinstance(value, Occasion) else "",
)
def test_what_strikes_most_comes_first(scene: Scene, action: remi_pb2.RemiAction, occasion: Occasion) -> None:
    scene.lying = LAID if scene.melded else ()
    found = occasions(scene.table(), 0, action, None)
    assert found[0] is occasion
    assert found[-1] is Occasion.REMI_WAITING


@pytest.mark.parametrize(("score", "occasion"), [(250, Occasion.ROUND_WON), (-90, Occasion.CAUGHT)])
def test_the_round_before_is_spoken_of(score: int, occasion: Occasion) -> None:
    table = Scene(number=2, scores=(score, 0, 0, 0)).table()
    assert occasions(table, 0, from_pile(), Standing(1, 0))[0] is occasion
    assert occasion not in occasions(table, 0, from_pile(), Standing(2, 0))
    assert occasion not in occasions(table, 0, from_pile(), None)
    assert standing(table, 0) == Standing(2, score)


def played(seats: int, seed: int) -> list[tuple[bot_pb2.BotTurn, remi_pb2.RemiAction]]:
    """Turns of a lively match, with what was done."""
    chance = random.Random(seed)
    state = REMI.new(REMI.parse_options("rounds 3"), seats)
    found: list[tuple[bot_pb2.BotTurn, remi_pb2.RemiAction]] = []
    while not state.is_over() and len(found) < 250:
        if state.needs_deal():
            state.apply(None, random_deal(state, chance))
            continue
        seat, action = state.decider(), lively(state, chance)
        update = update_of(state, own=seat)
        turn_ = bot_pb2.BotTurn(
            table_id="abcdefghijklmnop",
            seat=seat,
            table=update.table,
            private=update.private,
            company=True,
            decided_by=table_pb2.DECIDED_BY_BOT,
        )
        for index, each in enumerate(turn_.table.seats):
            each.name = PERSONA_NAMES[index]
        found.append((turn_, WIRE.action_to_proto(action).remi))
        state.apply(seat, action)
    return found


def test_bots_talk_at_remi_of_what_everybody_sees() -> None:
    assert "remi" in TALKS
    seen, blind = Chatter("ro", 0.0, 0.0), Chatter("ro", 0.0, 0.0)
    own = {line for lines in LINES["ro"]["polite"].values() for line in lines}
    said = []
    for number, (turn_, action) in enumerate(played(3, 4)):
        line = seen.line(turn_, sent(action), random.Random(number), 0.0)
        turn_.ClearField("private")
        assert blind.line(turn_, sent(action), random.Random(number), 0.0) == line
        said.append(line)
    spoken = [line for line in said if line]
    assert set(spoken) <= own
    assert 5 < len(spoken) < len(said) / 2
