"""The same by mouse alone: everything that can be done can be clicked."""

from pathlib import Path

from textual.widgets import DataTable, Input, OptionList

from shared.gen.levata.ledger.v1 import ledger_pb2
from shared.gen.levata.table.v1 import table_pb2
from shared.terminal.widgets.form import ValueRow
from shared.terminal.widgets.seats import places
from shared.terminal.widgets.trick import Felt
from tests.support.arzoi_positions import TABLE_ID, bid, choose, leave, play, position, waiting_table, whist
from tests.support.terminal_club import TerminalClub
from tests.support.terminal_driver import Driver, terminal


async def enter(driver: Driver) -> None:
    """Comes in; a name cannot be clicked, but the door can."""
    await driver.sees("Cum vă spune lumea")
    driver.widget("#name", Input).value = "Ana"
    await driver.click_chip("#door", "enter")
    await driver.sees("Bun venit, Ana")


async def click_option(driver: Driver, name: str) -> None:
    """Clicks a line of the list on the screen."""
    options = driver.app.screen.query_one(OptionList)
    await driver.click(options, (2, options.get_option_index(name)))


async def test_a_table_is_made_started_and_played_at(club: TerminalClub, tmp_path: Path) -> None:
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        await click_option(driver, "new")
        await driver.sees("Cât de bine joacă boții")
        await driver.click(driver.widget("#seats", ValueRow), (40, 0))
        await driver.click(driver.widget("#clock", ValueRow), (40, 0))
        await driver.click(driver.widget("#visibility", ValueRow), (40, 0))
        await driver.click(driver.widget("#option-whist_of_2", ValueRow), (40, 0))
        club.shown = waiting_table(5, code="XYZ789")
        await driver.click_chip("#make", "create")
        await driver.sees("Cod: XYZ789")
        made = club.requests("CreateTable")[0].options
        assert made.seats == 5
        assert made.clock.bank_seconds == 60
        assert made.visibility == table_pb2.VISIBILITY_PRIVATE
        assert made.game.arzoi.no_whist_of_2

        await driver.click_chip("#actions", "bar_start")
        await driver.until(lambda: bool(club.requests("StartTable")), "started")
        club.push(position(5, "choose"))
        await driver.sees("Alegeți ce se joacă.")
        club.on_action = lambda done: [position(5, "bid")]
        await driver.click_chip("#actions", "choice-1")
        await driver.sees("Câte levate faceți?")
        club.on_action = lambda done: [position(5, "whist")]
        await driver.click_chip("#actions", "choice-8")
        await driver.sees("Jucați o carte.")
        club.on_action = lambda done: [position(5, "continue")]
        await driver.click_card(3)
        await driver.click_card(1)
        await driver.sees("Las levata")
        await driver.click_chip("#actions", "choice-0")
        await driver.until(lambda: len(club.requests("submit_action")) == 4, "left")
        played = [request.action for request in club.requests("submit_action")]
        assert played == [choose(whist(3)), bid(8), play("AH"), leave()]


async def test_hint_sheet_help_chat_and_the_way_back_are_clicked(club: TerminalClub, tmp_path: Path) -> None:
    club.shown = position(4, "whist")
    club.suggestion = play("TD")
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        driver.app.open_table(TABLE_ID)
        await driver.sees("Jucați o carte.")
        await driver.click_chip("#keys", "hint")
        await driver.sees("▲1▲")
        await driver.click_chip("#keys", "sheet")
        await driver.sees("Orbita 1 · Whist de 3")
        await driver.click_chip("#page Chips", "close")
        await driver.gone("Orbita 1 · Whist de 3")
        await driver.click_chip("#keys", "help")
        await driver.sees("Scopul")
        await driver.click_chip("#page Chips", "close")
        await driver.gone("Scopul")
        await driver.click("#say", (3, 0))
        await driver.write("noroc")
        await driver.press("enter")
        await driver.until(lambda: bool(club.requests("send_chat")), "said")
        await driver.click_chip("#keys", "back")
        await driver.sees("Mese publice")


async def test_the_host_clicks_a_player_to_mute_or_remove(club: TerminalClub, tmp_path: Path) -> None:
    club.shown = position(4, "whist", acting=1)
    club.shown.table.seats[2].CopyFrom(
        table_pb2.Seat(kind=table_pb2.SEAT_KIND_HUMAN, player_id="other", name="Dan", present=True)
    )
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        driver.app.open_table(TABLE_ID)
        await driver.sees("Bot1 joacă")
        felt = driver.widget("#felt", Felt)
        place = next(each for each in places(4, 0, felt.size.width, felt.size.height) if each.seat == 2)
        await driver.click(felt, (place.x + 1, place.y))
        await driver.sees("Scoate de la masă: Dan", "Fără vorbă: Dan")
        await click_option(driver, "remove-2")
        await driver.sees("Îl scoateți pe Dan")
        await click_option(driver, "yes")
        await driver.until(lambda: bool(club.requests("RemovePlayer")), "removed")
        assert club.requests("RemovePlayer")[0].seat == 2


async def test_a_public_table_and_a_record_are_opened_by_a_click(club: TerminalClub, tmp_path: Path) -> None:
    playing = position(4, "whist", own=None, acting=2)
    playing.table.host_player_id = "player-host"
    club.shown = playing
    club.tables = [
        table_pb2.TableSummary(
            table_id=TABLE_ID, status=playing.table.status, options=playing.table.options, seats=playing.table.seats
        )
    ]
    club.matches = [ledger_pb2.Match(match_id="m-1", game="arzoi", seats=[ledger_pb2.SeatResult(name="Ana")])]
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        await driver.until(lambda: driver.widget("#list", DataTable).row_count == 1, "a table")
        await driver.click("#list", (3, 1))
        await driver.sees("Priviți masa.")
        await driver.click_chip("#actions", "bar_request")
        await driver.until(lambda: bool(club.requests("RequestSeat")), "asked")
        await driver.click_chip("#keys", "back")
        await driver.sees("Mese publice")
        await click_option(driver, "matches")
        await driver.until(lambda: driver.widget("#list", DataTable).row_count == 1, "a match")
        await driver.click("#list", (3, 1))
        await driver.sees("levata record 1")
