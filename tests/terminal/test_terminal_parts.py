"""The parts of the terminal, one by one."""

from collections.abc import Callable

import pytest
from rich.text import Text

from services.table import requests
from services.table.engine.games import GAMES
from services.table.options import check_options
from shared.gen.levata.table.v1 import arzoi_pb2, game_pb2, table_pb2
from shared.terminal.games import VIEWS
from shared.terminal.games.arzoi import ArzoiView
from shared.terminal.games.view import Choice, HandCard
from shared.terminal.happenings import sentences
from shared.terminal.pacing import HURRY_FROM, Pacer, Step
from shared.terminal.picks import Picks
from shared.terminal.screens import new_table
from shared.terminal.texts import Texts
from shared.terminal.widgets.cards import card_name
from shared.terminal.widgets.clock import clock_words
from shared.terminal.widgets.sheet import sheet_text
from tests.support.arzoi_positions import BIG_SCORE, bid, choose, play, position, septica, whist

EN = Texts("en")
ARZOI = ArzoiView()


class Later:
    """Time that passes when the test says so."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.call: Callable[[], None] | None = None

    def __call__(self, seconds: float, call: Callable[[], None]) -> "Later":
        self.seconds.append(seconds)
        self.call = call
        return self

    def stop(self) -> None:
        self.call = None

    def passes(self) -> None:
        call, self.call = self.call, None
        assert call is not None
        call()


def step(name: str, beats: float) -> Step:
    return Step(table_pb2.Table(table_id=name), table_pb2.Private(), (), beats)


def shown_by(later: Later) -> tuple[Pacer, list[str]]:
    shown: list[str] = []
    return Pacer(lambda each: shown.append(each.table.table_id), later, 0.5), shown


def test_steps_are_shown_one_after_another_each_for_its_beats() -> None:
    later = Later()
    pacer, shown = shown_by(later)
    pacer.add([step("card", 1), step("trick", 3), step("next", 0)])
    assert shown == ["card"]
    later.passes()
    assert shown == ["card", "trick"]
    later.passes()
    assert shown == ["card", "trick", "next"]
    assert later.seconds == [0.5, 1.5]
    assert pacer.idle


def test_skipping_shows_everything_that_waits_in_order() -> None:
    later = Later()
    pacer, shown = shown_by(later)
    pacer.add([step("a", 1), step("b", 1), step("c", 1)])
    pacer.skip()
    assert shown == ["a", "b", "c"]
    assert pacer.idle
    assert later.call is None


def test_a_long_queue_is_shown_faster() -> None:
    later = Later()
    pacer, _ = shown_by(later)
    pacer.add([step(str(number), 1) for number in range(10 * HURRY_FROM)])
    assert later.seconds[0] < 0.06


def test_what_was_dropped_is_not_shown() -> None:
    later = Later()
    pacer, shown = shown_by(later)
    pacer.add([step("a", 1), step("b", 1)])
    pacer.drop()
    pacer.add([step("c", 1)])
    assert shown == ["a", "c"]


def test_a_taken_trick_is_a_frame_of_its_own_before_the_table_that_follows() -> None:
    before = position(3, "whist").table
    update = position(3, "whist")
    del update.table.game.arzoi.trick[:]
    cards = [arzoi_pb2.ArzoiPlayedCard(seat=seat, card=card) for seat, card in enumerate(("9S", "8S", "QS"))]
    taken = arzoi_pb2.ArzoiEvent(trick_taken=arzoi_pb2.ArzoiTrickTaken(seat=2, cards=cards))
    update.events.append(table_pb2.Event(game=game_pb2.GameEvent(arzoi=taken)))
    trick, after = ARZOI.frames(before, update)
    assert [each.card for each in trick.table.game.arzoi.trick] == ["9S", "8S", "QS"]
    assert trick.table.game.arzoi.holder == 2
    assert trick.beats > after.beats == 0
    assert after.table == update.table


def test_a_single_possibility_is_picked_by_itself_and_several_are_not() -> None:
    one = Picks([HandCard("AS", None), HandCard("KS", play("KS"))])
    assert one.picked is not None
    assert one.picked.action == play("KS")
    several = Picks([HandCard("AS", play("AS"))], [Choice("l", "leave", bid(0))])
    assert several.picked is None
    several.step(-1)
    assert several.picked is not None
    assert several.picked.choice == 0
    several.step(1)
    assert several.picked.card == 0
    assert not several.pick_key("7")
    assert not Picks().pick_card(0)


def test_unlit_cards_keep_their_number_and_cannot_be_picked() -> None:
    picks = Picks([HandCard("AS", None), HandCard("KS", play("KS")), HandCard("QS", play("QS"))])
    assert not picks.pick_key("1")
    assert picks.pick_key("3")
    assert picks.picked is not None
    assert picks.picked.action == play("QS")


@pytest.mark.parametrize(("card", "name"), [("TH", "10♥"), ("AS", "A♠"), ("1C", "1♣"), ("7D", "7♦")])
def test_cards_are_named_as_people_read_them(card: str, name: str) -> None:
    assert card_name(card) == name


def test_the_clock_counts_the_time_then_the_bank_and_is_silent_without_one() -> None:
    table = position(4, "bid").table
    assert clock_words(table, 0, 0, EN) == ""
    table.decision.deadline.FromSeconds(100)
    table.decision.bank_deadline.FromSeconds(160)
    table.seats[0].bank_milliseconds = 60_000
    assert clock_words(table, 90.5, 0, EN) == "⏲ 10s · bank 60s"
    assert clock_words(table, 90.5, 2, EN) == "⏲ 10s"
    assert clock_words(table, 120.0, 0, EN) == "⏲ bank 41s"
    assert clock_words(table, 170.0, 0, EN) == "⏲ bank 0s"


@pytest.mark.parametrize("game", VIEWS)
def test_the_clock_that_is_recommended_times_every_decision_of_the_game_and_no_other(game: str) -> None:
    view = VIEWS[game]
    chosen = requests.options_of(
        table_pb2.TableOptions(game=view.game_options({}), seats=view.usual_seats, clock=view.clock())
    )
    check_options(chosen)
    assert all(chosen.clock.seconds(kind, 8) for kind in GAMES[game].decisions)


def test_a_clock_is_told_by_the_times_that_it_has() -> None:
    arzoi = table_pb2.Clock(bid_seconds=20, bid_extra_seconds=2, play_seconds=15, choose_seconds=30, bank_seconds=60)
    assert new_table.clock_words(arzoi, EN) == "bid 20s +2s/card above 4, card 15s, choose 30s, bank 60s"
    assert new_table.clock_words(table_pb2.Clock(turn_seconds=60, bank_seconds=120), EN) == "turn 60s, bank 120s"
    assert new_table.clock_words(table_pb2.Clock(turn_seconds=60), Texts("ro")) == "tură 60s"


def test_the_sheet_has_a_heading_for_every_orbit_and_ends_with_the_totals() -> None:
    update = position(4, "whist")
    rows = ARZOI.sheet(update.table, update.score_sheet, EN)
    assert [row.kind for row in rows] == ["heading", *["row"] * 6, "total"]
    assert rows[0].label == "Orbit 1 · Whist of 3"
    assert [cell.plain for cell in rows[1].cells] == ["0/1 -1", "1/1 +6", "1/1 +6", "1/1 +6"]
    assert [cell.plain for cell in rows[-1].cells] == ["+37", "+16", "+15", "+14"]


@pytest.mark.parametrize("seats", range(3, 10))
def test_the_sheet_fits_80_columns_and_never_cuts_a_figure(seats: int) -> None:
    update = position(seats, "whist")
    header, body = sheet_text(["Ana"] * seats, ARZOI.sheet(update.table, update.score_sheet, EN), 76)
    assert header.cell_len <= 76
    assert max(map(len, body.plain.splitlines())) <= 76
    huge = position(seats, "whist", wide=True)
    _, body = sheet_text(["Ana"] * seats, ARZOI.sheet(huge.table, huge.score_sheet, EN), 76)
    assert body.plain.count(str(BIG_SCORE)) >= seats


def words(event: table_pb2.Event, table: table_pb2.Table | None = None) -> list[str]:
    shown = table if table is not None else position(4, "whist").table
    return [line.plain.strip() for line in sentences(shown, event, ARZOI, EN)]


def happened(**event: object) -> table_pb2.Event:
    return table_pb2.Event(game=game_pb2.GameEvent(arzoi=arzoi_pb2.ArzoiEvent(**event)))  # type: ignore[arg-type]


def taken(action: game_pb2.GameAction, by: "table_pb2.DecidedBy.ValueType") -> table_pb2.Event:
    return table_pb2.Event(action_taken=table_pb2.ActionTaken(seat=1, action=action, decided_by=by))


def row(**fields: object) -> arzoi_pb2.ArzoiScoreRow:
    part = arzoi_pb2.ARZOI_PART_WHIST
    return arzoi_pb2.ArzoiScoreRow(**{"part": part, "variant": whist(3), "round": 1, "attempt": 1, **fields})  # type: ignore[arg-type]


WHIST = arzoi_pb2.ARZOI_PART_WHIST
MINUS = [arzoi_pb2.ArzoiCell(change=-1, burned=True)] * 4
WORDS: list[tuple[table_pb2.Event, list[str]]] = [
    (taken(bid(3), table_pb2.DECIDED_BY_BOT), ["Bot1 bids 3."]),
    (taken(play("TH"), table_pb2.DECIDED_BY_BOT_FOR_ABSENT), ["Bot1: 10♥ (bot, absent)"]),
    (taken(choose(septica()), table_pb2.DECIDED_BY_BOT_FOR_TIMEOUT), ["Bot1 chooses Șeptica. (bot, time)"]),
    (table_pb2.Event(clock_expired=table_pb2.ClockExpired(seat=0)), ["Ana's time is out; a bot decides."]),
    (table_pb2.Event(chat_said=table_pb2.ChatSaid(name="Ana", text="hi [b]")), ["Ana: hi [b]"]),
    (
        table_pb2.Event(seat_left=table_pb2.SeatLeft(index=1, removed=True)),
        ["The host removes Bot1."],
    ),
    (
        table_pb2.Event(table_stopped=table_pb2.TableStopped(reason=table_pb2.STOP_REASON_HOST)),
        ["The host stopped the table."],
    ),
    (
        table_pb2.Event(table_stopped=table_pb2.TableStopped(reason=table_pb2.STOP_REASON_OPERATOR, note="Sorry.")),
        ["Those who run the club stopped the table. “Sorry.”"],
    ),
    (
        table_pb2.Event(table_frozen=table_pb2.TableFrozen(freeze=table_pb2.Freeze())),
        ["Those who run the club have suspended the table; the clocks stand still."],
    ),
    (
        table_pb2.Event(table_frozen=table_pb2.TableFrozen(freeze=table_pb2.Freeze(note="A moment."))),
        ["Those who run the club have suspended the table; the clocks stand still. “A moment.”"],
    ),
    (
        table_pb2.Event(table_resumed=table_pb2.TableResumed()),
        ["Play goes on; nobody has lost any time."],
    ),
    (
        happened(dealt=arzoi_pb2.ArzoiDealt(part=WHIST, round=2, attempt=1, dealer=0, cards_each=8, trump_card="TC")),
        ["Whist of 8, round 2: Ana deals 8 each. Trump: 10♣"],
    ),
    (
        happened(dealt=arzoi_pb2.ArzoiDealt(part=WHIST, round=2, attempt=3, dealer=0, cards_each=8)),
        ["Round 2 again, ×4: Ana deals 8 each. No trump."],
    ),
    (
        happened(scored=row(replayed=True, cells=MINUS)),
        ["All burned: the round is replayed, doubled.", "Score: Ana -1, Bot1 -1, Bot2 -1, Bot3 -1"],
    ),
    (
        happened(scored=row(part=arzoi_pb2.ARZOI_PART_SEPTICA, replayed=True, cells=[arzoi_pb2.ArzoiCell()] * 4)),
        ["A tie: the round is replayed, doubled."],
    ),
    (
        happened(
            orbit_ended=arzoi_pb2.ArzoiOrbitEnded(variant=whist(3), perfect=[0, 2], totale_minus=2, totale_plus=1)
        ),
        ["Whist of 3 is over.", "Never burned: Ana, Bot2.", "Totale− to follow: 2, Totale+: 1."],
    ),
    (
        happened(orbit_ended=arzoi_pb2.ArzoiOrbitEnded(variant=whist(3), early=True)),
        ["Whist of 3 ends early: everybody has burned."],
    ),
]


@pytest.mark.parametrize(("event", "expected"), WORDS, ids=[expected[0] for _, expected in WORDS])
def test_what_happens_is_told_in_plain_words(event: table_pb2.Event, expected: list[str]) -> None:
    assert words(event) == expected


def test_the_headline_tells_orbit_part_round_and_multiplier() -> None:
    table = position(4, "whist").table
    table.game.arzoi.multiplier = 4
    assert ARZOI.headline(table, EN) == "Orbit 3 · Whist of 8 · round 2/4 · ×4"
    table = position(4, "totale").table
    assert ARZOI.headline(table, EN).startswith("Orbit 3 · Totale−")


def test_a_trick_is_told_whole_to_whoever_reads_a_match() -> None:
    table = position(3, "whist").table
    cards = [arzoi_pb2.ArzoiPlayedCard(seat=seat, card=card) for seat, card in ((1, "9S"), (2, "TS"), (0, "QS"))]
    event = happened(trick_taken=arzoi_pb2.ArzoiTrickTaken(seat=0, cards=cards, points=2))
    assert [line.plain for line in ARZOI.told(table, event, EN)] == ["  Bot1: 9♠  10♠ Q♠  → Ana (2 pts)"]
    assert ARZOI.told(table, taken(play("9S"), table_pb2.DECIDED_BY_BOT), EN) == []
    assert [line.plain for line in ARZOI.told(table, taken(bid(2), table_pb2.DECIDED_BY_BOT), EN)] == ["Bot1 bids 2."]


def test_a_text_is_told_apart_from_markup() -> None:
    assert Text("[b]").plain == sentences(
        position(3, "whist").table, table_pb2.Event(chat_said=table_pb2.ChatSaid(name="", text="[b]")), None, EN
    )[0].plain.removeprefix(": ")
