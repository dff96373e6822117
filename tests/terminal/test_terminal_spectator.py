"""Everybody is offered what they can do, and nothing else."""

from pathlib import Path

import grpc
import pytest

from shared.gen.levata.table.v1 import table_pb2
from shared.terminal.screens.table_words import bar_chips, key_chips, prompt
from shared.terminal.texts import Texts
from shared.terminal.widgets.chips import Chips
from tests.support.arzoi_positions import OWN, TABLE_ID, position, waiting_table
from tests.support.terminal_club import TerminalClub
from tests.support.terminal_driver import Driver, terminal

EN = Texts("en")
GUEST_KEYS = ["help", "hint", "sheet", "chat", "skip", "leave", "back"]


def keys(update: table_pb2.Update, *, player_id: str = OWN, ended: bool = False) -> list[str]:
    return [chip.name for chip in key_chips(update.table, update.private, player_id, ended, EN)]


def test_a_spectator_is_offered_only_what_a_spectator_can_do() -> None:
    watched = position(4, "whist", own=None, acting=2)
    watched.table.host_player_id = "player-host"
    assert keys(watched) == ["help", "sheet", "skip", "back"]


def test_a_player_is_offered_hint_chat_and_leaving_and_only_the_host_the_menu() -> None:
    seated = position(4, "whist")
    assert keys(seated) == [*GUEST_KEYS[:4], "host", *GUEST_KEYS[4:]]
    seated.table.host_player_id = "player-host"
    assert keys(seated) == GUEST_KEYS


def test_after_the_match_there_is_nothing_left_to_decide_or_to_leave() -> None:
    assert keys(position(4, "over")) == ["help", "sheet", "chat", "skip", "back"]
    assert keys(position(4, "whist"), ended=True) == ["help", "sheet", "skip", "back"]


@pytest.mark.parametrize("update", [position(4, "whist"), waiting_table(4)])
def test_at_a_frozen_table_everybody_is_told_so_and_offered_nothing(update: table_pb2.Update) -> None:
    update.table.host_player_id = OWN
    update.table.freeze.note = "A moment, please."
    assert keys(update) == ["help", "sheet", "skip", "back"]
    assert not bar_chips(update.table, update.private, OWN, False, EN)
    for language, words in (("en", "The clocks stand still"), ("ro", "Ceasurile stau")):
        asked = prompt(update.table, update.private, None, Texts(language))
        assert words in asked
        assert "A moment, please." in asked


def test_nobody_is_host_of_an_exhibition() -> None:
    shown = position(4, "whist", own=None, acting=2)
    shown.table.host_player_id = ""
    assert "host" not in keys(shown, player_id="")


@pytest.mark.parametrize("update", [position(4, "whist", own=None, acting=2), waiting_table(4, own=None)])
def test_no_seat_is_offered_to_a_player_whom_the_host_removed(update: table_pb2.Update) -> None:
    update.table.host_player_id = "player-host"
    offered, refused = (
        [chip.name for chip in bar_chips(update.table, update.private, OWN, False, EN, removed=removed)]
        for removed in (False, True)
    )
    assert offered in (["bar_request"], ["bar_join"])
    assert refused == []


async def watch(driver: Driver, club: TerminalClub, update: table_pb2.Update) -> None:
    """Comes in as Ana, who is not the host, and goes to the table."""
    update.table.host_player_id = "player-host"
    club.shown = update
    await driver.sees("Cum vă spune lumea")
    await driver.write("Ana")
    await driver.press("enter")
    await driver.sees("Bun venit, Ana")
    driver.app.open_table(TABLE_ID)


def bar(driver: Driver) -> list[str]:
    return [chip.name for chip in driver.widget("#keys", Chips).chips]


async def test_the_line_of_keys_changes_with_what_the_viewer_is(club: TerminalClub, tmp_path: Path) -> None:
    async with terminal(club.addresses, tmp_path) as driver:
        await watch(driver, club, position(4, "whist", own=None, acting=2))
        await driver.sees("Priviți masa.")
        assert bar(driver) == ["help", "sheet", "skip", "back"]
        seated = position(4, "whist", own=2)
        seated.table.host_player_id = "player-host"
        seated.snapshot = False
        club.push(seated)
        await driver.sees("Jucați o carte.")
        assert bar(driver) == GUEST_KEYS


@pytest.mark.parametrize(
    ("language", "words", "silence", "refusal"),
    [
        ("ro", ("vă rugăm", "așteptați", "locul", "Nota"), "Acum nu se vorbește", "Masa este"),
        ("en", ("please", "wait", "stays yours", "Nota"), "The chat is off now", "The table is"),
    ],
)
async def test_a_small_screen_shows_of_a_frozen_table_what_is_asked_and_what_is_possible(
    club: TerminalClub, tmp_path: Path, language: str, words: tuple[str, ...], silence: str, refusal: str
) -> None:
    async with terminal(club.addresses, tmp_path, language=language) as driver:
        club.shown = position(4, "whist")
        club.shown.table.host_player_id = OWN
        await driver.until(lambda: bool(driver.app.screen.query("#name")), "the door")
        await driver.until(lambda: driver.app.screen.query_one("#name").display, "the question")
        await driver.write("Ana")
        await driver.press("enter")
        await driver.until(lambda: bool(driver.app.screen.query("#choices")), "the lobby")
        driver.app.open_table(TABLE_ID)
        await driver.sees("Bot1", "C: ")
        await driver.press("c")
        table = driver.app.screen
        assert table.focused is not None
        frozen = position(4, "whist")
        frozen.snapshot = False
        frozen.table.host_player_id = OWN
        frozen.table.freeze.note = "Nota."
        del frozen.private.legal_actions[:]
        club.push(frozen)
        await driver.sees(*words, silence)
        assert bar(driver) == ["help", "sheet", "skip", "back"]
        for key in ("c", "g", "x"):
            driver.app.clear_notifications()
            await driver.gone(refusal)
            await driver.press(key)
            await driver.sees(refusal)
            assert driver.app.screen is table
            assert table.focused is None
        lines = driver.screen.splitlines()
        assert len(lines) == 24
        assert "Q Club" in lines[-1]
        thawed = position(4, "whist")
        thawed.snapshot = False
        thawed.table.host_player_id = OWN
        club.push(thawed)
        await driver.sees("C: ")
        assert "leave" in bar(driver)


async def test_a_removed_player_is_told_and_not_offered_a_seat_again(club: TerminalClub, tmp_path: Path) -> None:
    async with terminal(club.addresses, tmp_path) as driver:
        await watch(driver, club, position(4, "whist", acting=1))
        await driver.sees("Bot1 joacă")
        after = position(4, "whist", own=None, acting=1)
        after.table.host_player_id = "player-host"
        after.snapshot = False
        after.events.append(table_pb2.Event(seat_left=table_pb2.SeatLeft(index=0, player_id=OWN, removed=True)))
        club.push(after)
        await driver.sees("Gazda v-a scos de la masă", "Priviți masa.")
        assert "Cer un loc" not in driver.screen
        await driver.press("q")
        await driver.sees("Mese publice")
        driver.app.open_table(TABLE_ID)
        await driver.sees("Priviți masa.")
        assert "Cer un loc" not in driver.screen


async def test_a_player_who_is_refused_as_removed_is_not_offered_it_again(club: TerminalClub, tmp_path: Path) -> None:
    club.refusals["RequestSeat"] = [(grpc.StatusCode.PERMISSION_DENIED, "REMOVED", "Gazda v-a scos.")]
    async with terminal(club.addresses, tmp_path) as driver:
        await watch(driver, club, position(4, "whist", own=None, acting=2))
        await driver.sees("R Cer un loc")
        await driver.press("r")
        await driver.sees("Gazda v-a scos.")
        await driver.gone("Cer un loc")
