"""A terminal that is too small says so, and plays on when it is enlarged."""

from pathlib import Path

import pytest

from tests.support.arzoi_positions import TABLE_ID, position
from tests.support.terminal_club import TerminalClub
from tests.support.terminal_driver import Driver, terminal


async def at_the_table(driver: Driver, club: TerminalClub) -> None:
    """Comes in as Ana and goes to a table where it is her turn."""
    club.shown = position(4, "whist")
    await driver.until(lambda: bool(driver.app.screen.query("#name")), "the door")
    await driver.until(lambda: driver.app.screen.query_one("#name").display, "the question")
    await driver.write("Ana")
    await driver.press("enter")
    await driver.until(lambda: bool(driver.app.screen.query("#choices")), "the lobby")
    driver.app.open_table(TABLE_ID)


@pytest.mark.parametrize("size", [(79, 24), (80, 23), (60, 16), (40, 10)])
@pytest.mark.parametrize(("language", "words"), [("ro", "cel puțin 80×24"), ("en", "at least 80×24")])
async def test_a_terminal_that_is_too_small_says_what_it_needs_and_shows_nothing_half(
    club: TerminalClub, tmp_path: Path, size: tuple[int, int], language: str, words: str
) -> None:
    async with terminal(club.addresses, tmp_path, language=language) as driver:
        await at_the_table(driver, club)
        await driver.sees("Bot1")
        await driver.pilot.resize_terminal(*size)
        await driver.sees(words, f"{size[0]}×{size[1]}")
        assert "Bot1" not in driver.screen
        assert "♥" not in driver.screen


async def test_the_game_goes_on_when_the_terminal_is_enlarged(club: TerminalClub, tmp_path: Path) -> None:
    async with terminal(club.addresses, tmp_path) as driver:
        await at_the_table(driver, club)
        await driver.sees("Jucați o carte.")
        await driver.pilot.resize_terminal(70, 20)
        await driver.sees("cel puțin 80×24")
        await driver.press("1", "enter")
        club.push(position(4, "bid"))
        await driver.pilot.resize_terminal(80, 24)
        await driver.sees("Câte levate faceți?", "● legat")
        await driver.gone("cel puțin")
        assert club.requests("submit_action") == []
        await driver.press("1", "enter")
        await driver.until(lambda: len(club.requests("submit_action")) == 1, "played")


async def test_nothing_is_done_blindly_in_the_lobby_nor_in_a_dialog_and_q_still_goes_away(
    club: TerminalClub, tmp_path: Path
) -> None:
    async with terminal(club.addresses, tmp_path) as driver:
        await driver.until(lambda: bool(driver.app.screen.query("#name")), "the door")
        await driver.until(lambda: driver.app.screen.query_one("#name").display, "the question")
        await driver.pilot.resize_terminal(60, 15)
        await driver.sees("cel puțin 80×24")
        await driver.write("Qa")
        await driver.pilot.resize_terminal(80, 24)
        await driver.gone("cel puțin")
        await driver.write("Ana")
        await driver.press("enter")
        await driver.sees("Bun venit, Ana")
        lobby = driver.app.screen
        await driver.pilot.resize_terminal(60, 15)
        await driver.sees("cel puțin 80×24")
        await driver.press("enter", "down", "enter", "2", "3", "6", "question_mark", "tab", "enter")
        assert driver.app.screen is lobby
        await driver.pilot.resize_terminal(80, 24)
        await driver.gone("cel puțin")
        await driver.press("4")
        await driver.sees("Codul de invitație")
        await driver.pilot.resize_terminal(60, 15)
        await driver.gone("Codul de invitație")
        await driver.press("a", "b", "c", "d", "e", "f", "enter")
        assert driver.app.screen is not lobby
        await driver.press("escape")
        assert driver.app.screen is lobby
        assert club.requests("FindTable") == []
        await driver.sees("cel puțin 80×24")
        await driver.press("q")
        await driver.until(lambda: not driver.app.is_running or driver.app._exit, "the way out")


async def test_a_screen_behind_another_learns_the_size_too(club: TerminalClub, tmp_path: Path) -> None:
    async with terminal(club.addresses, tmp_path) as driver:
        await at_the_table(driver, club)
        await driver.sees("Jucați o carte.")
        await driver.pilot.resize_terminal(70, 20)
        await driver.sees("cel puțin 80×24")
        await driver.press("q")
        await driver.until(lambda: len(driver.app.screen_stack) == 3, "the lobby, and its question about the seat")
        await driver.press("escape")
        await driver.sees("cel puțin 80×24")
        await driver.pilot.resize_terminal(100, 30)
        await driver.sees("Mese publice")


async def test_a_terminal_that_is_small_from_the_beginning_says_so_at_the_door(
    club: TerminalClub, tmp_path: Path
) -> None:
    async with terminal(club.addresses, tmp_path, size=(60, 20)) as driver:
        await driver.sees("cel puțin 80×24")
        await driver.pilot.resize_terminal(80, 24)
        await driver.sees("Cum vă spune lumea")
