"""What bots say: in both languages and manners, within limits, and never of what only they know."""

import random
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import pytest

from services.bot.chatter.arzoi import Standing, occasions
from services.bot.chatter.chatter import LINES, Chatter
from services.bot.chatter.occasions import EAGERNESS, Occasion
from services.bot.personas import PERSONAS, Language
from services.bot.players.arzoi.game import PLAYERS
from services.table.engine.arzoi.position import Phase
from shared.gen.levata.bot.v1 import bot_pb2
from shared.gen.levata.table.v1 import arzoi_pb2, game_pb2, table_pb2
from shared.personas import PERSONA_NAMES
from tests.support.arzoi_turns import decisions, turn_of

LANGUAGES: list[Language] = ["ro", "en"]
WHIST = arzoi_pb2.ARZOI_PART_WHIST
MINUS = arzoi_pb2.ARZOI_PART_TOTALE_MINUS
SEPTICA = arzoi_pb2.ARZOI_PART_SEPTICA


class Eager(random.Random):
    """Chance that always says yes."""

    def random(self) -> float:
        return 0.0


@cache
def played_turns(count: int, seats: int) -> list[tuple[bot_pb2.BotTurn, game_pb2.GameAction]]:
    """Turns of matches with actions that answer them; the seats bear the names of personas."""
    found: list[tuple[bot_pb2.BotTurn, game_pb2.GameAction]] = []
    rng = random.Random(count)
    while True:
        for revision, (state, _) in enumerate(decisions(seats, rng, PLAYERS["club"])):
            turn = turn_of(state, revision, company=True)
            for index, seat in enumerate(turn.table.seats):
                seat.name = PERSONA_NAMES[index]
            found.append((turn, rng.choice(turn.private.legal_actions)))
            if len(found) == count:
                return found


def turns(
    count: int, talk: table_pb2.BotTalk.ValueType, company: bool = True, seats: int = 4
) -> Iterator[tuple[bot_pb2.BotTurn, game_pb2.GameAction]]:
    """The first turns of matches at a table with this talk, each a copy."""
    for original, action in played_turns(1500, seats)[:count]:
        turn = bot_pb2.BotTurn()
        turn.CopyFrom(original)
        turn.table.options.bot_talk = talk
        turn.company = company
        yield turn, action


def free(language: Language = "ro") -> Chatter:
    """Chatter without limits."""
    return Chatter(language, 0.0, 0.0)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("mode", ["polite", "uncensored"])
def test_there_is_something_to_say_on_every_occasion(language: Language, mode: str) -> None:
    lines = LINES[language][mode]  # type: ignore[index]
    assert set(lines) == set(Occasion) == set(EAGERNESS)
    every = [line for several in lines.values() for line in several]
    assert len(every) >= 60
    assert len(set(every)) == len(every)
    assert all(len(several) >= 3 for several in lines.values())
    assert all(0 < len(line) <= 200 and line == line.strip() for line in every)


def test_romanian_lines_bear_their_diacritics_and_no_line_serves_two_manners() -> None:
    romanian = [line for mode in LINES["ro"].values() for several in mode.values() for line in several]
    assert sum(any(letter in line.lower() for letter in "ăâîșț") for line in romanian) > len(romanian) * 0.7
    assert not any(letter in line for line in romanian for letter in "şţŞŢ")
    every = [line for modes in LINES.values() for mode in modes.values() for lines in mode.values() for line in lines]
    assert len(set(every)) == len(every)


def test_every_persona_has_a_manner_in_both_languages() -> None:
    assert tuple(PERSONAS) == PERSONA_NAMES
    for persona in PERSONAS.values():
        assert all(persona.manner[language] for language in LANGUAGES)
        assert 0.0 < persona.talks <= 1.0


@pytest.mark.parametrize("talk", [table_pb2.BOT_TALK_UNSPECIFIED, table_pb2.BOT_TALK_SILENT])
def test_silent_bots_say_nothing(talk: table_pb2.BotTalk.ValueType) -> None:
    chatter = free()
    assert not any(chatter.line(turn, action, Eager(), 0.0) for turn, action in turns(1500, talk))


def test_bots_among_themselves_say_nothing() -> None:
    chatter = free()
    alone = turns(500, table_pb2.BOT_TALK_POLITE, company=False)
    assert not any(chatter.line(turn, action, Eager(), 0.0) for turn, action in alone)


@pytest.mark.parametrize("decided_by", [table_pb2.DECIDED_BY_BOT_FOR_ABSENT, table_pb2.DECIDED_BY_BOT_FOR_TIMEOUT])
def test_a_bot_puts_no_words_into_the_mouth_of_a_person(decided_by: table_pb2.DecidedBy.ValueType) -> None:
    chatter = free()
    for turn, action in turns(500, table_pb2.BOT_TALK_UNCENSORED):
        turn.decided_by = decided_by
        assert chatter.line(turn, action, Eager(), 0.0) == ""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("talk", "mode"), [(table_pb2.BOT_TALK_POLITE, "polite"), (table_pb2.BOT_TALK_UNCENSORED, "uncensored")]
)
def test_bots_talk_in_the_language_and_manner_of_the_table(
    language: Language, talk: table_pb2.BotTalk.ValueType, mode: str
) -> None:
    chatter = free(language)
    allowed = {line for lines in LINES[language][mode].values() for line in lines}  # type: ignore[index]
    said = [
        chatter.line(turn, action, random.Random(number), 0.0)
        for number, (turn, action) in enumerate(turns(1500, talk))
    ]
    spoken = [line for line in said if line]
    assert set(spoken) <= allowed
    assert 50 < len(spoken) < 750
    assert len(set(spoken)) > 30


def test_a_table_is_not_talked_over() -> None:
    chatter = Chatter("ro", 8.0, 25.0)
    last_table: float | None = None
    last_seat: dict[int, float] = {}
    lines = 0
    for number, (turn, action) in enumerate(turns(1500, table_pb2.BOT_TALK_POLITE)):
        now = number * 0.7
        if not chatter.line(turn, action, Eager(), now):
            continue
        assert last_table is None or now - last_table >= 8.0
        assert turn.seat not in last_seat or now - last_seat[turn.seat] >= 25.0
        last_table = last_seat[turn.seat] = now
        lines += 1
    assert lines > 40


def test_one_tables_talk_does_not_silence_another() -> None:
    chatter = Chatter("ro", 1e9, 1e9)
    turn, action = next(turns(1, table_pb2.BOT_TALK_POLITE))
    assert chatter.line(turn, action, Eager(), 0.0)
    assert not chatter.line(turn, action, Eager(), 1.0)
    turn.table_id = "ponmlkjihgfedcba"
    assert chatter.line(turn, action, Eager(), 1.0)


def test_a_bot_does_not_repeat_itself_at_once() -> None:
    chatter = free()
    said = [chatter.line(turn, action, Eager(), 0.0) for turn, action in turns(1000, table_pb2.BOT_TALK_POLITE)]
    spoken = [line for line in said if line]
    assert len(spoken) > 500
    assert all(one != two for one, two in pairwise(spoken))
    assert all(line not in spoken[max(0, index - 15) : index] for index, line in enumerate(spoken))


def test_memory_of_tables_is_bounded() -> None:
    chatter = Chatter("ro", 1e9, 1e9, tables_remembered=3)
    turn, action = next(turns(1, table_pb2.BOT_TALK_POLITE))
    for number in range(10):
        turn.table_id = f"table{number}"
        assert chatter.line(turn, action, Eager(), 0.0)
    turn.table_id = "table9"
    assert not chatter.line(turn, action, Eager(), 0.0)
    turn.table_id = "table0"
    assert chatter.line(turn, action, Eager(), 0.0)


def test_nothing_that_is_said_depends_on_the_hand() -> None:
    open_, closed = free(), free()
    said = 0
    for number, (turn, action) in enumerate(turns(1500, table_pb2.BOT_TALK_UNCENSORED)):
        blind = bot_pb2.BotTurn()
        blind.CopyFrom(turn)
        blind.ClearField("private")
        line = open_.line(turn, action, random.Random(number), 0.0)
        assert closed.line(blind, action, random.Random(number), 0.0) == line
        said += bool(line)
    assert said > 50


def table(
    part: arzoi_pb2.ArzoiPart.ValueType, phase: arzoi_pb2.ArzoiPhase.ValueType = arzoi_pb2.ARZOI_PHASE_PLAY
) -> arzoi_pb2.ArzoiTable:
    """A table of four in the third orbit, all with nothing."""
    return arzoi_pb2.ArzoiTable(
        part=part,
        phase=phase,
        orbit=3,
        round=2,
        rounds=4,
        attempt=1,
        multiplier=1,
        cards_each=5,
        teams=2 if part == SEPTICA else 0,
        seats=[arzoi_pb2.ArzoiSeat() for _ in range(4)],
    )


def played(*cards: str, leader: int = 1) -> list[arzoi_pb2.ArzoiPlayedCard]:
    return [arzoi_pb2.ArzoiPlayedCard(seat=(leader + index) % 4, card=card) for index, card in enumerate(cards)]


PLAY = arzoi_pb2.ArzoiAction(play="9C")


@pytest.mark.parametrize(
    ("change", "before", "occasion"),
    [
        (-2, Standing(WHIST, 3, 1, 1, 1, 10), Occasion.BURNED),
        (7, Standing(WHIST, 3, 1, 1, 1, 10), Occasion.MADE_IT),
        (18, Standing(WHIST, 3, 1, 1, 1, 10), Occasion.ALL_IN_MADE),
        (14, Standing(WHIST, 3, 1, 2, 2, 10), Occasion.MADE_IT),
        (38, Standing(WHIST, 3, 1, 2, 2, 10), Occasion.ALL_IN_MADE),
        (27, Standing(WHIST, 2, 4, 1, 1, 10), Occasion.PERFECT_ORBIT),
        (-1, Standing(WHIST, 2, 4, 1, 1, 10), Occasion.BURNED),
    ],
)
def test_the_round_before_is_spoken_of(change: int, before: Standing, occasion: Occasion) -> None:
    now = table(WHIST, arzoi_pb2.ARZOI_PHASE_BID)
    now.seats[0].score = before.score + change
    assert occasions(now, 0, arzoi_pb2.ArzoiAction(bid=1), before)[0] is occasion


def test_a_round_that_everybody_burned_is_spoken_of() -> None:
    now = table(WHIST, arzoi_pb2.ARZOI_PHASE_BID)
    now.attempt = 2
    before = Standing(WHIST, 3, 2, 1, 1, 0)
    assert occasions(now, 0, arzoi_pb2.ArzoiAction(bid=1), before)[0] is Occasion.ALL_BURNED


def test_a_round_that_was_missed_is_not_spoken_of() -> None:
    now = table(WHIST, arzoi_pb2.ARZOI_PHASE_BID)
    now.round = 4
    now.seats[0].score = -3
    found = occasions(now, 0, arzoi_pb2.ArzoiAction(bid=1), Standing(WHIST, 3, 2, 1, 1, 0))
    assert Occasion.BURNED not in found


@pytest.mark.parametrize(
    ("bid", "occasion"), [(0, Occasion.BID_NOTHING), (3, Occasion.BID_BIG), (5, Occasion.BID_EVERYTHING)]
)
def test_a_striking_bid_is_spoken_of(bid: int, occasion: Occasion) -> None:
    now = table(WHIST, arzoi_pb2.ARZOI_PHASE_BID)
    assert occasions(now, 0, arzoi_pb2.ArzoiAction(bid=bid), None)[0] is occasion


def test_whist_tricks_are_spoken_of() -> None:
    now = table(WHIST)
    now.bidding = arzoi_pb2.ARZOI_BIDDING_OVERBID
    assert occasions(now, 0, PLAY, None)[0] is Occasion.OVERBID
    now.bidding = arzoi_pb2.ARZOI_BIDDING_UNDERBID
    assert occasions(now, 0, PLAY, None)[0] is Occasion.UNDERBID
    now.last_trick.extend(played("AS", "KS", "QS", "JS"))
    now.last_taker = 0
    now.seats[0].bid, now.seats[0].tricks = 2, 1
    assert occasions(now, 0, PLAY, None)[0] is Occasion.TRICK_TAKEN
    now.seats[0].tricks = 3
    assert occasions(now, 0, PLAY, None)[0] is Occasion.TRICK_UNWANTED
    assert occasions(now, 1, PLAY, None)[0] is Occasion.WAITING


def test_the_king_of_hearts_is_spoken_of() -> None:
    now = table(MINUS)
    assert occasions(now, 0, PLAY, None)[0] is Occasion.TOTALE_MINUS
    now.last_trick.extend(played("AH", "KH", "QS", "JS"))
    now.last_taker = 0
    now.trick.extend(played("9S"))
    assert occasions(now, 0, PLAY, None)[0] is Occasion.KING_TAKEN
    assert occasions(now, 2, arzoi_pb2.ArzoiAction(play="KH"), None)[0] is Occasion.KING_GIVEN
    now.seats[1].points = 12
    assert occasions(now, 1, PLAY, None)[0] is Occasion.TAKING_ALL
    now.seats[2].points = 1
    assert Occasion.TAKING_ALL not in occasions(now, 1, PLAY, None)


def test_septica_is_spoken_of() -> None:
    now = table(SEPTICA)
    now.trick.extend(played("AS", leader=3))
    now.holder = 3
    assert occasions(now, 0, arzoi_pb2.ArzoiAction(play="7S"), None)[0] is Occasion.SEPTICA_CUT
    assert Occasion.SEPTICA_CUT not in occasions(now, 1, arzoi_pb2.ArzoiAction(play="7S"), None)
    now.last_trick.extend(played("AD", "TD", "9D", "8D"))
    now.last_taker = 2
    now.seats[2].tricks = 3
    found = occasions(now, 0, PLAY, None)
    assert found[:2] == [Occasion.SEPTICA_POINTS, Occasion.PIELE]
    now.phase = arzoi_pb2.ARZOI_PHASE_CONTINUE
    assert occasions(now, 0, PLAY, None)[0] is Occasion.SEPTICA_GO_ON
    assert occasions(now, 0, arzoi_pb2.ArzoiAction(leave=True), None)[0] is Occasion.SEPTICA_LEAVE


def test_leaders_and_stragglers_know_it() -> None:
    now = table(WHIST)
    now.seats[0].score, now.seats[1].score = 12, -12
    assert Occasion.WINNING in occasions(now, 0, PLAY, None)
    assert Occasion.LOSING in occasions(now, 1, PLAY, None)
    assert not {Occasion.WINNING, Occasion.LOSING} & set(occasions(now, 2, PLAY, None))


@pytest.mark.parametrize("seats", [4, 5, 9])
def test_every_decision_of_a_match_gives_something_to_say(seats: int) -> None:
    seen: set[Occasion] = set()
    for turn, action in turns(1500, table_pb2.BOT_TALK_POLITE, seats=seats):
        found = occasions(turn.table.game.arzoi, turn.seat, action.arzoi, None)
        assert found[-1] is Occasion.WAITING
        assert (Occasion.CHOOSING in found) == (turn.table.game.arzoi.phase == arzoi_pb2.ARZOI_PHASE_CHOOSE)
        seen.update(found)
    assert {Occasion.GREETING, Occasion.BID_LAST, Occasion.TRICK_TAKEN, Occasion.CHOOSING} <= seen


@pytest.mark.parametrize("seed", range(6))
def test_the_first_bid_or_card_of_a_match_is_a_greeting(seed: int) -> None:
    for state, _ in decisions(4, random.Random(seed)):
        if state.phase is not Phase.CHOOSE:
            turn = turn_of(state)
            action = turn.private.legal_actions[0].arzoi
            assert Occasion.GREETING in occasions(turn.table.game.arzoi, turn.seat, action, None)
            return
