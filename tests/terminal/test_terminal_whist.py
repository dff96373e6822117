"""Whist in the terminal: what is shown, and a whole match by keyboard alone."""

import random
from pathlib import Path

import pytest

from services.table.engine.game import Deal
from services.table.engine.whist import Event, Options, State
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2
from shared.gen.levata.table.v1 import whist_pb2
from shared.terminal.games.whist import WhistView
from shared.terminal.texts import Texts
from shared.terminal.widgets.sheet import sheet_text
from tests.support.arzoi_positions import TABLE_ID
from tests.support.played_seat import PlayedSeat
from tests.support.terminal_club import TerminalClub, ticket
from tests.support.terminal_driver import Driver, terminal
from tests.support.whist import WHIST, at_hand, chosen_deal, do, new, play_hand, sensibly
from tests.support.whist_tables import WIRE, bid, told, update_of, waiting

VIEW = WhistView()
RO, EN = Texts("ro"), Texts("en")


async def enter(driver: Driver) -> None:
    """Comes in as Ana."""
    await driver.sees("Cum vă spune lumea")
    await driver.write("Ana")
    await driver.press("enter")
    await driver.sees("Bun venit, Ana")


def sentences(event: Event, state: State) -> list[str]:
    table = update_of(state).table
    (message,) = told([event])
    return [line.plain for line in VIEW.event_sentences(table, message.game, EN)]


def finished(seats: int, seed: int = 1) -> State:
    state = new(seats, dealer=0)
    chance = random.Random(seed)
    while not state.is_over():
        sensibly(state, chance)
    return state


def test_the_options_are_those_of_the_rules() -> None:
    pattern, premium = VIEW.options(EN)
    assert [value for value, _ in pattern.values] == ["1-8-1", "8-1-8"]
    assert [name for _, name in premium.values] == ["10 points", "5 points", "none"]
    assert WIRE.options_from_proto(VIEW.game_options({})) == Options()
    values = {"pattern": "8-1-8", "premium": "none"}
    assert WIRE.options_from_proto(VIEW.game_options(values)) == Options("8-1-8", 0)
    assert list(VIEW.sizes) == list(WHIST.sizes)


def test_what_happens_at_whist_is_told_in_plain_words() -> None:
    state = new(3)
    pack = state.pack()
    (drawn,) = state.apply(None, Deal((pack[1], pack[0], *pack[2:])))
    assert sentences(drawn, state) == ["Drawn for the first hand: Ana K♠  Bot1 A♠  Bot2 Q♠ — Bot1 deals."]
    (dealt,) = state.apply(None, chosen_deal(state, ["AH", "KH", "QH"], "9C"))
    assert sentences(dealt, state) == ["Hand 1: Bot1 deals one card. Trump: 9♣ "]
    events = do(state, "bid 0", "bid 1", "bid 1", "play QH", "play AH", "play KH")
    assert sentences(events[0], state) == ["Overbid: 2 of 1."]
    assert sentences(events[1], state) == ["Ana takes the trick."]
    assert sentences(events[2], state) == ["Score: Ana +6, Bot1 -1, Bot2 +5"]


def test_premiums_are_told_and_stand_on_the_sheet() -> None:
    state = at_hand(3, 4)
    for _ in range(5):
        events = play_hand(state, (True, False, False))
    words = sentences(events[-1], state)
    assert words[1:] == ["Premium, five exact hands: Ana +10", "Five misses: Bot1 -10, Bot2 -10"]
    play_hand(state, (True, False, True))
    update = update_of(state)
    rows = VIEW.sheet(update.table, update.score_sheet, EN)
    assert rows[0].kind == "heading"
    assert rows[0].label == "1-8-1 · premium 10 · ✓ exact in a row, ✗ missed in a row"
    assert rows[-1].kind == "total"
    cells = [cell.plain for cell in rows[-3].cells]
    assert [cell.endswith(premium) for cell, premium in zip(cells, ("+10", "-10", "-10"), strict=True)] == [True] * 3
    assert [cell.plain[-2:] for cell in rows[-2].cells] == ["✓1", "✗1", "✓1"]
    assert [VIEW.seat(update.table, seat, EN).note.plain for seat in range(3)] == ["✓1", "✗1", "✓1"]
    plain = update_of(new(3, premium=0, dealer=0))
    assert VIEW.sheet(plain.table, plain.score_sheet, EN) == []


@pytest.mark.parametrize("seats", range(3, 7))
def test_the_sheet_of_whist_fits_80_columns(seats: int) -> None:
    state = finished(seats)
    update = update_of(state)
    rows = VIEW.sheet(update.table, update.score_sheet, RO)
    assert len(rows) == 3 * seats + 12 + 2
    assert [cell.plain for cell in rows[-1].cells] == [f"{points:+d}" for points in state.scores()]
    header, body = sheet_text(["Ana"] * seats, rows, 76)
    assert max(line.cell_len for line in [header, *body.split("\n")]) <= 76


def test_the_head_says_which_hand_it_is_and_what_is_to_come() -> None:
    state = at_hand(4, 6)
    table = update_of(state).table
    assert VIEW.headline(table, EN) == "Hand 6/24 · 3 cards"
    assert VIEW.subline(table, EN) == "To come: 4 5 6 7 8 8 8 8 7 6 5 4 …"
    state.apply(None, chosen_deal(state, [], "7C"))
    middle = VIEW.middle(update_of(state).table, EN)
    assert [line.plain for line in middle.head] == ["Trump 7♣ ", "bids 0/3"]
    last = finished(3)
    assert VIEW.subline(update_of(last).table, EN) == ""
    assert VIEW.middle(update_of(last).table, EN).head == []


def test_a_taken_trick_of_whist_is_shown_whole_before_the_next() -> None:
    state = new(3, dealer=2)
    state.apply(None, chosen_deal(state, ["AH", "KH", "QH"], "9C"))
    do(state, "bid 1", "bid 1", "bid 0", "play AH", "play KH")
    before = update_of(state).table
    events = do(state, "play QH")
    first, second = VIEW.frames(before, update_of(state, events=events))
    assert [card.card for card in first.table.game.whist.trick] == ["AH", "KH", "QH"]
    assert not second.table.game.whist.trick
    lines = [line.plain for event in told(events) for line in VIEW.told(before, event, EN)]
    assert lines[0] == "  Ana: A♥  K♥  Q♥  → Ana"


async def test_a_table_of_whist_is_made_with_its_options(club: TerminalClub, tmp_path: Path) -> None:
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        await driver.press("3")
        await driver.sees("Cât de bine joacă boții")
        await driver.press("up", "right")
        await driver.sees("Mersul cărților", "Premii")
        await driver.press("down", "right", "right")
        await driver.press("down", "down", "down", "down", "down", "right", "down", "right")
        club.shown = waiting(6, Options("8-1-8", 5))
        await driver.press("enter")
        await driver.sees("Masa așteaptă jucători.")
        made = club.requests("CreateTable")[0].options
        assert made.seats == 6
        assert made.game.whist == whist_pb2.WhistOptions(
            pattern=whist_pb2.WHIST_PATTERN_8_1_8, premium=whist_pb2.WHIST_PREMIUM_FIVE
        )


async def test_a_whole_match_of_whist_is_played_by_keyboard(club: TerminalClub, tmp_path: Path) -> None:
    """Ana answers every turn with the keys; the others play by rule of thumb, on the engine itself."""
    state = new(3, dealer=2)
    chance = random.Random(4)
    PlayedSeat(WIRE, state, lambda state: sensibly(state, chance, 1.0)).open(club)
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        driver.app.open_table(TABLE_ID)
        await driver.sees("Mâna 1/21 · o carte", "Câte levate faceți?")
        turns = 0
        while not state.is_over():
            before = len(club.requests("submit_action"))
            wanted = WIRE.action_to_proto(WHIST.rule_of_thumb(state)).whist
            if wanted.WhichOneof("action") == "bid":
                await driver.press(str(wanted.bid), "enter")
            else:
                cards = list(WIRE.hand(state, 0).whist.cards)
                await driver.press(str(cards.index(wanted.play) + 1), "enter")
            await driver.until(lambda before=before: len(club.requests("submit_action")) > before, "answered")  # type: ignore[misc]
            assert club.requests("submit_action")[-1].action.whist == wanted
            turns += 1
        assert turns == 21 + 84
        await driver.sees("Partida s-a încheiat.", f"1. {'Ana' if state.winners()[0] == 0 else 'Bot'}")
        await driver.press("f")
        await driver.sees("Total", "21. ×1")
        await driver.press("escape")
        await driver.press("question_mark")
        await driver.sees("Ajutor", "Taste", "fiecare pentru sine")
        await driver.press("end")
        await driver.sees("cinci mâini exacte", "două ratate la rând")
        assert "Șeptica" not in driver.screen


async def test_the_queue_of_whist_leads_to_its_table(club: TerminalClub, tmp_path: Path) -> None:
    state = at_hand(4, 6)
    state.apply(None, chosen_deal(state, [], "7C"))
    do(state, "bid 1", "bid 0", "bid 1")
    game = WIRE.options_to_proto(Options())
    club.queues = [matchmaking_pb2.Queue(queue_id="whist-4", game=game, seats=4, waiting=1, limit_seconds=15)]
    club.shown = update_of(state)
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        await driver.press("2")
        await driver.sees("Whist, 4 locuri · așteaptă 1")
        await driver.press("enter")
        await driver.sees("Sunteți pe locul 2 la coadă.")
        club.tickets.put_nowait(ticket("whist-4", status=matchmaking_pb2.TICKET_STATUS_MATCHED, table_id=TABLE_ID))
        await driver.sees("Câte levate faceți?", "Atu", "licitat 2/3", "Mâna 6/24 · 3 cărți")
        club.suggestion = bid(2)
        await driver.press("h")
        await driver.sees("Botul ar juca: licitez 2")


async def test_the_hall_of_fame_of_whist_is_one_key_further(club: TerminalClub, tmp_path: Path) -> None:
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        await driver.press("6")
        await driver.sees("Galeria celebrităților · Arzoi")
        await driver.press("tab")
        await driver.sees("Galeria celebrităților · Whist")
        assert [request.game for request in club.requests("ListHallOfFame")][-1] == "whist"


def test_the_dealer_is_marked_on_the_sheet() -> None:
    state = at_hand(3, 4)
    play_hand(state, (True, False, False))
    update = update_of(state)
    row = VIEW.sheet(update.table, update.score_sheet, EN)[-2]
    assert [cell.plain.startswith("●") for cell in row.cells] == [True, False, False]
