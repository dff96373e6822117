"""What is drawn fits: every phase at every size, in a small terminal and in a large one.

In English the sizes between the smallest and the largest are for `make soak`; what differs is the length of words.
"""

import re
from pathlib import Path

import pytest

from shared.terminal.widgets.cards_in_hand import Hand
from shared.terminal.widgets.chips import Chips
from shared.terminal.widgets.seats import places
from shared.terminal.widgets.trick import Felt
from tests.support.arzoi_positions import CARDS_EACH, TABLE_ID, position
from tests.support.terminal_club import TerminalClub
from tests.support.terminal_driver import Driver, terminal

PHASES = ("choose", "bid", "whist", "totale", "septica", "continue", "over")
EXPECTED = {
    "choose": {"ro": "Alegeți ce se joacă.", "en": "Choose what is played."},
    "bid": {"ro": "Câte levate faceți?", "en": "How many tricks"},
    "whist": {"ro": "Jucați o carte.", "en": "Play a card."},
    "totale": {"ro": "Totale−", "en": "Totale−"},
    "septica": {"ro": "Talon 20", "en": "Stock 20"},
    "continue": {"ro": "Las levata", "en": "Leave the trick"},
    "over": {"ro": "Partida s-a încheiat.", "en": "The match is over."},
}


def nothing_is_cut(driver: Driver) -> None:
    felt, hand, actions = driver.widget("#felt", Felt), driver.widget("#hand", Hand), driver.widget("#actions", Chips)
    assert felt.canvas.spilled == [], driver.screen
    assert hand.canvas.spilled == [], driver.screen
    assert actions.canvas.spilled == [], driver.screen
    keys = driver.widget("#keys", Chips)
    assert keys.canvas.spilled == [], driver.screen
    width, height = driver.app.size
    lines = driver.screen.splitlines()
    assert len(lines) <= height
    assert all(len(line) <= width for line in lines)


@pytest.mark.parametrize(
    ("language", "seats"),
    [
        *(("ro", seats) for seats in range(3, 10)),
        *(pytest.param("en", seats, marks=() if seats in (3, 9) else pytest.mark.soak) for seats in range(3, 10)),
    ],
)
async def test_every_phase_fits_80_by_24_at_this_size(
    club: TerminalClub, tmp_path: Path, seats: int, language: str
) -> None:
    async with terminal(club.addresses, tmp_path, language=language) as driver:
        await come_in(driver)
        for wide in (False, True):
            for phase in PHASES:
                club.shown = position(seats, phase, wide=wide)
                driver.app.open_table(TABLE_ID)
                await driver.sees(EXPECTED[phase][language])
                nothing_is_cut(driver)
                if phase == "whist":
                    assert f"{2 * seats}/{CARDS_EACH[seats]}" in driver.screen
                    assert ("1/8" if wide else "1/2") in driver.screen
                assert len(driver.widget("#hand", Hand).cards) in (0, 4, CARDS_EACH[seats])
                driver.app.pop_screen()
                await driver.pilot.pause()


async def test_a_large_terminal_shows_the_trick_as_cards_with_names(club: TerminalClub, tmp_path: Path) -> None:
    club.shown = position(5, "whist")
    async with terminal(club.addresses, tmp_path, size=(140, 44)) as driver:
        await come_in(driver)
        driver.app.open_table(TABLE_ID)
        await driver.sees("Jucați o carte.")
        nothing_is_cut(driver)
        felt = "\n".join(driver.widget("#felt", Felt).canvas.lines())
        assert re.search(r"10♥ +10♦ +10♣ +10♠", felt)
        assert re.search(r"Bot1 +Bot2 +Bot3 +Bot4", felt)


@pytest.mark.parametrize("seats", range(2, 10))
@pytest.mark.parametrize("size", [(56, 16), (102, 30)])
def test_places_do_not_overlap_and_the_next_player_sits_to_the_right(seats: int, size: tuple[int, int]) -> None:
    width, height = size
    result = places(seats, 1 % seats, width, height)
    assert sorted(place.seat for place in result) == list(range(seats))
    cells = [
        (x, y) for place in result for x in range(place.x, place.x + place.width) for y in range(place.y, place.y + 3)
    ]
    assert len(cells) == len(set(cells))
    assert all(0 <= x < width and 0 <= y < height for x, y in cells)
    if seats > 2:
        following = next(place for place in result if place.seat == (1 + 1) % seats)
        assert following.x > width // 2


async def come_in(driver: Driver) -> None:
    await driver.until(lambda: "card" in driver.screen or bool(driver.app.screen.query("#name")), "the door")
    await driver.until(lambda: driver.app.screen.query_one("#name").display, "the question")
    await driver.write("Ana")
    await driver.press("enter")
    await driver.until(lambda: bool(driver.app.screen.query("#choices")), "the lobby")
