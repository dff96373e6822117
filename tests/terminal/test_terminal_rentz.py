"""Rentz in the terminal: what is shown, what fits, and a whole match by keyboard alone."""

import random
from pathlib import Path

import pytest

from services.table.engine.rentz import Event, Options
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2
from shared.gen.levata.table.v1 import game_pb2, rentz_pb2, table_pb2
from shared.terminal.games import VIEWS
from shared.terminal.games.rentz import RentzView
from shared.terminal.games.rentz.captured import captured_counts, captured_text
from shared.terminal.games.rentz.chosen import chosen_by, left_to
from shared.terminal.games.rentz.layout import LayoutSpread, place, spots
from shared.terminal.texts import Texts
from shared.terminal.widgets.canvas import Canvas
from shared.terminal.widgets.cards_in_hand import Hand
from shared.terminal.widgets.chips import Chips
from shared.terminal.widgets.sheet import sheet_text
from shared.terminal.widgets.trick import Felt
from tests.support.arzoi_positions import TABLE_ID
from tests.support.played_seat import PlayedSeat
from tests.support.rentz import RENTZ, do, new, playing, sensibly
from tests.support.rentz_positions import (
    DIAMONDS,
    PHASES,
    QUEENS,
    SUBGAMES,
    TEN,
    choose,
    happened,
    play,
    position,
    runs,
    taken,
)
from tests.support.rentz_tables import WIRE, told, update_of, waiting
from tests.support.terminal_club import TerminalClub, ticket
from tests.support.terminal_driver import Driver, terminal

VIEW = RentzView()
RO, EN = Texts("ro"), Texts("en")


async def enter(driver: Driver) -> None:
    """Comes in as Ana."""
    await driver.until(lambda: bool(driver.app.screen.query("#name")), "the door")
    await driver.until(lambda: driver.app.screen.query_one("#name").display, "the question")
    await driver.write("Ana")
    await driver.press("enter")
    await driver.until(lambda: bool(driver.app.screen.query("#choices")), "the lobby")


def sentences(*events: Event) -> list[str]:
    """Events in plain words, one after another."""
    table = position("layout").table
    lines = [line for message in told(events) for line in VIEW.event_sentences(table, message.game, EN)]
    return [line.plain for line in lines]


def drawn_layout(width: int, height: int, layout: list[rentz_pb2.RentzRun]) -> list[str]:
    canvas = Canvas(width, height)
    LayoutSpread(layout).draw(canvas, 0, 0, width, height)
    assert canvas.spilled == []
    return canvas.lines()


# What is shown.


def test_rentz_is_for_four_and_has_no_options_and_no_time_to_bid() -> None:
    assert list(VIEW.sizes) == list(RENTZ.sizes) == [4]
    assert VIEW.options(EN) == []
    assert WIRE.options_from_proto(VIEW.game_options({})) is not None
    assert VIEW.game_options({}).WhichOneof("game") == "rentz"
    clock = VIEW.clock()
    assert (clock.bid_seconds, clock.play_seconds, clock.choose_seconds, clock.bank_seconds) == (0, 15, 30, 60)


def test_only_subgames_still_open_can_be_chosen_each_with_what_it_scores() -> None:
    choices = VIEW.choices(position("choose").private, EN)
    assert [(choice.key, choice.label) for choice in choices] == [
        ("1", "King of hearts −200"),
        ("3", "Diamonds 8×−30"),
        ("4", "Tricks 8×−50"),
        ("5", "Totale −1000"),
        ("7", "Whist 8×+50"),
        ("8", "Rentz +400 +200 +100"),
    ]
    assert choices[1].action == choose(DIAMONDS)
    assert VIEW.choices(position("queens").private, EN) == []


def test_who_chose_what_counts_the_choice_of_this_hand() -> None:
    table = position("queens").table
    game = table.game.rentz
    game.seats[1].chosen[:] = [TEN]
    assert chosen_by(table, 0) == [QUEENS, TEN]
    assert chosen_by(table, 1) == [TEN, QUEENS]
    assert left_to(table, 1) == [subgame for subgame in SUBGAMES if subgame not in (TEN, QUEENS)]
    rows = VIEW.sheet(table, game_pb2.GameScoreSheet(), EN)
    queens = next(row for row in rows if row.label == "Queens")
    assert [cell.plain for cell in queens.cells] == ["1", "2", "1", "1"]
    assert VIEW.subline(table, EN) == "Round 2/8 · Bot1 chose · still to choose: K ♦ L T W R"


def test_the_head_says_which_hand_and_which_subgame() -> None:
    assert VIEW.headline(position("queens").table, RO) == "Mâna 6/32 · Dame"
    assert VIEW.headline(position("choose").table, EN) == "Hand 9/32"
    assert VIEW.subline(position("choose").table, EN) == "Round 3/8 · Ana chooses"
    assert VIEW.subline(position("over").table, EN) == ""
    undrawn = update_of(RENTZ.new(Options(), 4)).table
    assert VIEW.headline(undrawn, EN) == VIEW.subline(undrawn, EN) == ""
    assert not any(VIEW.seat(undrawn, seat, EN).chooser for seat in range(4))


def test_a_seat_shows_what_it_captured_and_what_that_is_worth() -> None:
    table = position("totale", wide=True).table
    facts = VIEW.seat(table, 2, EN)
    assert facts.detail.plain == "6 tr. (-980)"
    assert [words.plain for words in facts.taken] == ["K♥ Q♠♥♦♣ ♦AKJ10987", "K♥ Q4 ♦7"]
    assert (facts.card, VIEW.seat(table, 1, EN).holds) == ("7D", True)
    whist = VIEW.seat(position("whist").table, 0, EN)
    assert (whist.detail.plain, whist.brief.plain, list(whist.taken)) == ("1 tr. (+50)", "(+50)", [])


def test_a_seat_of_the_layout_shows_its_last_move_its_cards_and_its_place() -> None:
    table = position("layout", wide=True).table
    assert VIEW.seat(table, 1, EN).detail.plain == "place 1 (+400)"
    assert VIEW.seat(table, 1, EN).card == "TC"
    assert [words.plain for words in VIEW.seat(table, 2, EN).taken] == ["waits"]
    assert [words.plain for words in VIEW.seat(table, 3, EN).taken] == ["pass"]
    assert VIEW.seat(table, 3, EN).detail.plain == "3 c."
    assert VIEW.middle(table, EN).head[0].plain == "Ace, another move: " + table.seats[0].name
    table.game.rentz.again = False
    assert VIEW.middle(table, EN).head[0].plain == "places: +400, +200, +100, 0"


def test_captured_cards_are_named_in_few_cells() -> None:
    assert captured_text(["QD"]).plain == "Q♦"
    assert captured_text(["7D", "TD"]).plain == "♦107"
    assert captured_text(["QH", "QS"]).plain == "Q♠♥"
    assert captured_text(["TC"]).plain == "10♣"
    assert captured_counts(["QD", "QS", "7D", "KH"]).plain == "K♥ Q2 ♦1"
    assert captured_text([]).plain == ""


# The layout.


def test_jacks_fit_first_and_then_the_neighbours_of_what_lies() -> None:
    def fitting(run: rentz_pb2.RentzRun) -> list[str]:
        return [spot.card for spot in spots(run) if spot.fits]

    spades, hearts, diamonds, clubs = runs(S="TA", H="JJ", D="7J")
    assert fitting(spades) == ["9S"]
    assert fitting(hearts) == ["TH", "QH"]
    assert fitting(diamonds) == ["QD"]
    assert fitting(clubs) == ["JC"]
    assert [spot.card for spot in spots(diamonds) if spot.lies] == ["7D", "8D", "9D", "TD", "JD"]


def test_a_placed_card_lengthens_its_run() -> None:
    layout = runs(S="JJ")
    for card in ("TS", "QS", "JH"):
        place(layout, card)
    assert layout == runs(S="TQ", H="JJ")


@pytest.mark.parametrize("state", [{}, {"S": "TQ", "H": "JJ"}, dict.fromkeys("SHDC", "7A")])
@pytest.mark.parametrize("size", [(28, 7), (28, 4), (36, 9), (58, 12), (58, 20), (102, 30)])
def test_the_layout_has_the_jacks_in_one_column_at_every_size(size: tuple[int, int], state: dict[str, str]) -> None:
    lines = drawn_layout(*size, runs(**state))
    text = "\n".join(lines)
    jacks = {line.index(f"J{glyph}") for line in lines for glyph in "♠♥♦♣" if f"J{glyph}" in line}
    written = [f"J{glyph}" in text for glyph in "♠♥♦♣"]
    assert all(written)
    assert max(jacks) - min(jacks) <= 4
    assert (text.count("10") >= 4) == (len(state) == 4)


def test_the_last_card_of_a_layout_is_seen_before_the_next_hand() -> None:
    hands = ["JS QS KS AS JH QH KH AH", "JD QD KD AD JC QC KC AC", "TS 9S 8S 7S TH 9H 8H 7H"]
    state = playing("rentz", hands)
    last: tuple[Event, ...] = ()
    before = update_of(state).table
    while state.layout is not None:
        before = update_of(state).table
        last = sensibly(state, random.Random(1))
    frames = VIEW.frames(before, update_of(state, events=last))
    assert len(frames) == 2
    whole, after = frames[0].table.game.rentz, frames[1].table.game.rentz
    assert not whole.seats[1].cards or whole.seats[1].finished
    assert sorted(seat.points for seat in whole.seats) == [0, 100, 200, 400]
    assert sorted(seat.finished for seat in whole.seats) == [0, 1, 2, 3]
    laid = sum(len([spot for spot in spots(run) if spot.lies]) for run in whole.layout)
    assert laid + sum(seat.cards for seat in whole.seats) == 32
    assert frames[0].beats > frames[1].beats
    assert not after.layout
    assert after.number == 2


def test_what_follows_a_finished_layout_in_the_same_update_is_not_laid_to_it() -> None:
    before = position("layout").table
    after = position("layout", wide=True).table
    cards = {"9S": 1, "TH": 2, "QH": 3}
    events = [happened(placed=rentz_pb2.RentzPlaced(seat=seat, card=card)) for card, seat in cards.items()]
    events.append(happened(scored=rentz_pb2.RentzScoreRow(points=[0, 100, 200, 400])))
    events += [happened(placed=rentz_pb2.RentzPlaced(seat=1, card=card)) for card in ("JS", "QS", "KS", "AS")]
    whole, last = VIEW.frames(before, table_pb2.Update(table=after, events=events))
    assert [seat.cards for seat in whole.table.game.rentz.seats] == [8, 2, 2, 2]
    assert whole.table.game.rentz.layout[:2] == runs(S="9A", H="TQ")[:2]
    assert last.table == after


def test_a_card_of_the_layout_is_one_frame_with_what_passed_by_itself() -> None:
    state = playing("rentz", ["JS AS QS KS 7D 8D AD KD"])
    before = update_of(state).table
    events = do(state, "play JS")
    (frame,) = VIEW.frames(before, update_of(state, events=events))
    assert frame.table.game.rentz.layout[0].high == "JS"
    lines = [line.plain for message in told(events) for line in VIEW.told(before, message, EN)]
    assert lines[0] == "  Ana: J♠ "


def test_a_taken_trick_is_shown_whole_with_what_it_brought() -> None:
    state = playing("queens", ["AS", "QS", "7S", "8S"])
    do(state, "play AS", "play QS", "play 7S")
    before = update_of(state).table
    events = do(state, "play 8S")
    first, second = VIEW.frames(before, update_of(state, events=events))
    assert [card.card for card in first.table.game.rentz.trick] == ["AS", "QS", "7S", "8S"]
    assert not second.table.game.rentz.trick
    lines = [line.plain for message in told(events) for line in VIEW.told(before, message, EN)]
    assert lines == ["  Ana: A♠  Q♠  7♠  8♠  → Ana -40"]


# What is told.


def test_what_happens_at_rentz_is_told_in_plain_words() -> None:
    table = position("queens").table
    cards = [rentz_pb2.RentzPlayedCard(seat=seat, card=card) for seat, card in enumerate(("KS", "AS", "7D", "8D"))]
    said = {
        "Drawn for the first hand: Ana K♠  Bot1 A♠  Bot2 7♦  Bot3 8♦ — Bot1 chooses.": happened(
            dealer_drawn=rentz_pb2.RentzDealerDrawn(cards=cards, dealer=1)
        ),
        "Hand 6: Bot1 chooses.": happened(dealt=rentz_pb2.RentzDealt(number=6, dealer=1)),
        "each queen: −40": happened(chosen=rentz_pb2.RentzChosen(seat=1, subgame=rentz_pb2.RENTZ_SUBGAME_QUEENS)),
        "Bot1 takes the trick. -30": happened(trick_taken=rentz_pb2.RentzTrickTaken(seat=1, cards=cards, points=-30)),
        "Bot1 takes the trick.": happened(trick_taken=rentz_pb2.RentzTrickTaken(seat=1, cards=cards)),
        "Bot2 has no card that fits: pass.": happened(passed=rentz_pb2.RentzPassed(seat=2)),
        "Bot3 waits a turn because of a 7.": happened(waited=rentz_pb2.RentzWaited(seat=3)),
        "Ana placed an ace and moves again.": happened(moves_again=rentz_pb2.RentzMovesAgain(seat=0)),
        "Ana has no cards left: place 2.": happened(finished=rentz_pb2.RentzFinished(seat=0, place=2)),
        "Score: Ana -40, Bot1 0, Bot2 -120, Bot3 0": happened(scored=rentz_pb2.RentzScoreRow(points=[-40, 0, -120, 0])),
    }
    for words, event in said.items():
        assert [line.plain.rstrip() for line in VIEW.event_sentences(table, event.game, EN)] == [words]
    assert VIEW.action_sentence("Ana", choose(QUEENS), EN).plain == "Ana chooses Queens."
    assert VIEW.action_words(choose(QUEENS), RO) == "Dame"
    assert VIEW.action_words(play("TC"), RO) == "10♣"
    assert VIEW.told(table, taken(1, play("TC")), EN) == []
    assert [line.plain for line in VIEW.told(table, taken(1, choose(TEN)), EN)] == ["Bot1 chooses Ten of clubs."]


def test_an_ace_a_pass_and_a_wait_are_told_as_the_engine_made_them() -> None:
    state = playing("rentz", ["JS QS KS AS JH TH 9H 8H", "7H 7D 8D 9D AD AC 7C 8C"])
    words: list[str] = []
    while state.layout is not None and len(words) < 200:
        words += sentences(*sensibly(state, random.Random(3)))
    assert any("moves again" in line for line in words)
    assert any("has no card that fits: pass." in line for line in words)
    assert any("waits a turn because of a 7." in line for line in words)
    assert sum("has no cards left: place" in line for line in words) == 3


# The score sheet.


def test_the_sheet_has_rounds_totals_the_present_hand_and_the_grid() -> None:
    update = position("queens")
    rows = VIEW.sheet(update.table, update.score_sheet, EN)
    headings = [row.label for row in rows if row.kind == "heading"]
    assert headings == ["Round 1", "Round 2", "Hand 6, being played: Queens", "Who chose what, in which round"]
    assert [cell.plain for cell in rows[1].cells] == ["◆-980", "0", "-20", "0"]
    total = next(row for row in rows if row.kind == "total")
    assert [cell.plain for cell in total.cells] == ["-4900", "0", "-100", "0"]
    captured = next(row for row in rows if row.label == "Captured")
    assert [cell.plain for cell in captured.cells] == ["Q♣", "·", "·", "·"]
    assert len(rows) == 2 + 5 + 1 + 3 + 1 + 8


@pytest.mark.parametrize("texts", [RO, EN], ids=["ro", "en"])
@pytest.mark.parametrize("phase", ["over", "totale"])
def test_the_sheet_of_rentz_fits_80_columns(phase: str, texts: Texts) -> None:
    update = position(phase, wide=True)
    header, body = sheet_text(["Ana"] * 4, VIEW.sheet(update.table, update.score_sheet, texts), 74)
    assert max(line.cell_len for line in [header, *body.split("\n")]) <= 74


# What is drawn fits.


@pytest.mark.parametrize(
    ("language", "size"), [("ro", (80, 24)), ("en", (80, 24)), ("ro", (110, 32)), ("en", (160, 50))]
)
async def test_every_phase_of_rentz_fits_the_screen(
    club: TerminalClub, tmp_path: Path, language: str, size: tuple[int, int]
) -> None:
    async with terminal(club.addresses, tmp_path, language=language, size=size) as driver:
        await enter(driver)
        for wide in (False, True):
            for phase in PHASES:
                club.shown = position(phase, wide=wide)
                driver.app.open_table(TABLE_ID)
                await driver.until(lambda: bool(driver.app.screen.query("#felt")), "the table")
                await driver.sees(VIEW.headline(club.shown.table, Texts(language)))
                for selector, kind in (("#felt", Felt), ("#hand", Hand), ("#actions", Chips), ("#keys", Chips)):
                    assert driver.widget(selector, kind).canvas.spilled == [], (phase, selector, driver.screen)
                felt = "\n".join(driver.widget("#felt", Felt).canvas.lines())
                if phase == "choose":
                    assert driver.widget("#hand", Hand).display
                    assert len(driver.widget("#hand", Hand).cards) == 8
                    assert felt.count("·") >= 25
                if phase == "layout":
                    assert ("10♣" in felt) == wide
                    assert "9♠" in felt
                if phase == "totale" and wide:
                    assert felt.count("K♥ Q4 ♦7") >= 1
                driver.app.pop_screen()
                await driver.pilot.pause()


# Played by hand.


async def test_a_subgame_is_chosen_by_its_key_with_the_hand_in_sight(club: TerminalClub, tmp_path: Path) -> None:
    club.shown = position("choose")
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        driver.app.open_table(TABLE_ID)
        await driver.sees("Alegeți subjocul.", "Rege de cupă −200", "10♣")
        await driver.press("2", "enter")
        await driver.press("3")
        await driver.sees("▸3 Carouri 8×−30◂")
        await driver.press("enter")
        await driver.until(lambda: bool(club.requests("submit_action")), "the choice")
        assert [request.action for request in club.requests("submit_action")] == [choose(DIAMONDS)]


async def test_subgames_and_cards_are_picked_by_mouse(club: TerminalClub, tmp_path: Path) -> None:
    club.shown = position("choose")
    following = position("layout")
    following.snapshot = False
    club.on_action = lambda action: [following] if action.rentz.choose else []
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        driver.app.open_table(TABLE_ID)
        await driver.sees("Alegeți subjocul.")
        await driver.click_chip("#actions", "choice-5")
        await driver.sees("Jucați o carte.", "locuri: +400")
        await driver.click_card(0)
        await driver.click_card(3)
        await driver.until(lambda: len(club.requests("submit_action")) == 2, "both")
        sent = [request.action for request in club.requests("submit_action")]
        assert sent == [choose(SUBGAMES[-1]), play("TH")]


async def test_a_spectator_sees_the_choices_of_all_and_no_hand(club: TerminalClub, tmp_path: Path) -> None:
    club.shown = position("choose", own=None)
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        driver.app.open_table(TABLE_ID)
        await driver.sees("Priviți masa.", "K Q ♦ L T ♣ W R", "Alege Ana")
        assert driver.widget("#hand", Hand).cards == []
        await driver.press("f")
        await driver.sees("Cine ce a ales, în ce rundă", "10 de treflă")


async def test_a_table_of_rentz_is_made_for_four(club: TerminalClub, tmp_path: Path) -> None:
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        await driver.press("3")
        await driver.sees("Cât de bine joacă boții")
        names = list(VIEWS)
        await driver.press("up", *["right"] * names.index("rentz"))
        await driver.sees("◀ Rentz ▶", "◀ 4 ▶")
        await driver.press("down", "down", "down", "down", "right")
        await driver.sees("◀ carte 15s, ales 30s, rezervă 60s ▶")
        club.shown = waiting(4, Options())
        await driver.press("enter")
        await driver.sees("Masa așteaptă jucători.")
        made = club.requests("CreateTable")[0].options
        assert (made.seats, made.game.WhichOneof("game"), made.clock) == (4, "rentz", VIEW.clock())


async def test_the_queue_of_rentz_leads_to_its_table_and_a_bot_advises(club: TerminalClub, tmp_path: Path) -> None:
    club.queues = [matchmaking_pb2.Queue(queue_id="rentz-4", game=VIEW.game_options({}), seats=4, limit_seconds=15)]
    club.shown = position("choose")
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        await driver.press("2")
        await driver.sees("Rentz, 4 locuri")
        await driver.press("enter")
        await driver.sees("Sunteți pe locul 2 la coadă.")
        club.tickets.put_nowait(ticket("rentz-4", status=matchmaking_pb2.TICKET_STATUS_MATCHED, table_id=TABLE_ID))
        await driver.sees("Alegeți subjocul.")
        club.suggestion = choose(DIAMONDS)
        await driver.press("h")
        await driver.sees("Botul ar juca: Carouri", "▸3 Carouri 8×−30◂")


@pytest.mark.parametrize("first", [pytest.param(1, marks=pytest.mark.soak, id="whole"), pytest.param(27, id="end")])
async def test_a_match_of_rentz_is_played_to_its_end_by_keyboard(
    club: TerminalClub, tmp_path: Path, first: int
) -> None:
    """From hand `first` on Ana answers every turn with the keys; the others play by rule of thumb, on the engine."""
    state = new(dealer=2)
    chance = random.Random(5)
    while state.number < first:
        sensibly(state, chance, 0.8)
    PlayedSeat(WIRE, state, lambda state: sensibly(state, chance, 0.8)).open(club)
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        driver.app.open_table(TABLE_ID)
        await driver.sees(f"Mâna {first}/32")
        chosen = [int(subgame) for subgame in WIRE.table(state).rentz.seats[0].chosen]
        while not state.is_over():
            before = len(club.requests("submit_action"))
            wanted = WIRE.action_to_proto(RENTZ.rule_of_thumb(state)).rentz
            if wanted.WhichOneof("action") == "choose":
                chosen.append(wanted.choose)
                await driver.press(str(wanted.choose), "enter")
            else:
                cards = list(WIRE.hand(state, 0).rentz.cards)
                await driver.press(str(cards.index(wanted.play) + 1), "enter")
            await driver.until(lambda before=before: len(club.requests("submit_action")) > before, "answered")  # type: ignore[misc]
            assert club.requests("submit_action")[-1].action.rentz == wanted
        assert sorted(chosen) == list(SUBGAMES)
        assert sum(state.scores()) == -2800
        await driver.sees("Partida s-a încheiat.", f"1. {'Ana' if state.winners()[0] == 0 else 'Bot'}")
        await driver.press("f")
        await driver.sees("Total", "Cine ce a ales, în ce rundă")
        await driver.press("escape")
        await driver.press("question_mark")
        await driver.sees("Ajutor", "Taste", "patru jucători")
        await driver.press("end")
        await driver.sees("Un as dă încă o mutare", "subjocurile")
        assert "Șeptica" not in driver.screen
