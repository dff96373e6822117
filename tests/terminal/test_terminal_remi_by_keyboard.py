"""Remi at the table screen: every kind of action by keyboard alone, the same by mouse, and whole matches."""

import copy
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest

from services.table.engine.remi import Options
from shared.client import TableSession
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2
from shared.gen.levata.table.v1 import remi_pb2
from shared.terminal.games.remi.desk import RemiDesk
from shared.terminal.games.remi.felt import RemiFelt
from shared.terminal.games.remi.rack_view import RackView
from shared.terminal.screens.table import TableScreen
from shared.terminal.widgets.chat import Feed
from shared.terminal.widgets.chips import Chips
from tests.support.arzoi_positions import TABLE_ID
from tests.support.remi import REMI
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
    sent,
    swap,
    take,
    turn,
    undo_take,
)
from tests.support.remi_tables import WIRE, Hands, Match, done, waiting
from tests.support.terminal_club import TerminalClub, ticket
from tests.support.terminal_driver import Driver, terminal

HAND = "R4 R5 R6 Y10 B10 K10 B1 B2 K12 K13 R7 *"
LYING = (
    meld("R8 R9 R10", 1, (1, 1, 2)),
    meld("Y7 B7 K7", 2),
    meld("K2 * K4", 3, stands_for="K3"),
)


async def enter(driver: Driver) -> None:
    """Comes in as Ana."""
    await driver.until(lambda: bool(driver.app.screen.query("#name")), "the door")
    await driver.until(lambda: driver.app.screen.query_one("#name").display, "the question")
    await driver.write("Ana")
    await driver.press("enter")
    await driver.until(lambda: bool(driver.app.screen.query("#choices")), "the lobby")


class Sitting:
    """Ana at one table of Remi, to which scene after scene comes."""

    def __init__(self, driver: Driver, club: TerminalClub) -> None:
        self.driver = driver
        self.club = club
        self._before = 0

    async def sees(self, scene: Scene, *words: str) -> None:
        """The table becomes the scene; waits until it is what is played on, and until `words` are on the screen."""
        self._before = len(self.club.requests("submit_action"))
        revision = self.club.push(scene.update(events=[done(1, sent(from_pile()))]))
        await self.driver.until(lambda: session_of(self.driver).revision >= revision, "the scene")
        await self.driver.sees(*words)

    async def sends(self, *actions: remi_pb2.RemiAction) -> None:
        """Waits until exactly these actions have been sent since the scene came."""
        await self.driver.until(lambda: len(self._sent()) >= len(actions), "sent")
        assert self._sent() == list(actions)

    def _sent(self) -> list[remi_pb2.RemiAction]:
        return [request.action.remi for request in self.club.requests("submit_action")[self._before :]]

    @property
    def rack(self) -> list[str]:
        """The tiles on the rack, from left to right."""
        shown: RackView = self.driver.widget("#hand", RackView)
        return shown.tiles


@pytest.fixture
async def ana(club: TerminalClub, tmp_path: Path) -> AsyncIterator[Sitting]:
    club.shown = Scene(hand=HAND, acting=1).update()
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        driver.app.open_table(TABLE_ID)
        await driver.sees("Remi · Runda 1/3", "Bot1 etalează sau aruncă")
        yield Sitting(driver, club)


def screen_of(driver: Driver) -> TableScreen:
    screen = driver.app.screen
    assert isinstance(screen, TableScreen)
    return screen


def session_of(driver: Driver) -> TableSession:
    session = screen_of(driver)._session
    assert session is not None
    return session


def desk_of(driver: Driver) -> RemiDesk:
    desk = screen_of(driver)._desk
    assert isinstance(desk, RemiDesk)
    return desk


def nothing_is_cut(driver: Driver) -> None:
    felt, hand = driver.widget("#felt", RemiFelt), driver.widget("#hand", RackView)
    assert felt.canvas.spilled == [], driver.screen
    if hand.display:
        assert hand.canvas.spilled == [], driver.screen
    for row in ("#actions", "#keys"):
        assert driver.widget(row, Chips).canvas.spilled == [], driver.screen


def melding(hand: str = HAND, *offered: remi_pb2.RemiAction, **scene: object) -> Scene:
    return Scene(hand=hand, legal=[*offered, *discards(hand)], **scene)  # type: ignore[arg-type]


def drawing(*offered: remi_pb2.RemiAction, hand: str = HAND, **scene: object) -> Scene:
    return Scene(hand=hand, phase=DRAW, legal=[from_pile(), *offered], **scene)  # type: ignore[arg-type]


async def test_tiles_are_drawn_taken_given_back_and_discarded(ana: Sitting) -> None:
    driver = ana.driver
    await ana.sees(drawing(), "Luați o piesă: P din teanc.", "P Din teanc", "Rând ×N3  R5  G9  N11 A2")
    await driver.press("p")
    await ana.sends(from_pile())

    await ana.sees(melding(f"{HAND} Y3", pile=33), "Etalați sau lipiți, apoi aruncați o piesă.", "teanc 33")
    await driver.press("right")
    await driver.sees("Enter aruncă G3", "Arunc G3")
    await driver.press("enter")
    await ana.sends(discard("Y3"))

    await ana.sees(drawing(take(4), take(3), take(2), melded=(0,)), "P din teanc, I din rând")
    await driver.press("i", "left", "left")
    await driver.sees("▸G9", "Enter ia G9 N11 A2 · G9 se folosește pe loc")
    await driver.press("enter")
    await ana.sends(take(2))

    await ana.sees(
        Scene(hand=f"{HAND} Y9 K11 B2", legal=[undo_take()], row="K3 R5", duty="Y9", melded=(0,)),
        "de folosit acum G9",
        "R Pun la loc",
    )
    await driver.press("2", "enter")
    await driver.sees("Întâi folosiți G9, sau R o pune la loc")
    await driver.press("r")
    await ana.sends(undo_take())


async def test_the_first_meld_grows_on_the_screen_until_it_is_enough(ana: Sitting) -> None:
    driver = ana.driver
    await ana.sees(melding())
    await driver.press("right", "space", "right", "space", "right", "space")
    await driver.sees("Enter etalează R4 R5 R6 (15 p).")
    await driver.press("enter")
    await driver.sees("Etalare: 15/45 · mai puneți", " 4 ¹ 5 ¹ 6 ¹")
    assert ana.rack[0] == "R7"
    await driver.press("0", "space", "0", "space", "0", "space")
    await driver.sees("Etalare: 15/45; Enter etalează G10 A10 N10 (30 p).")
    await driver.press("e")
    await driver.sees("Etalare: 45/45 ✓ · Enter etalează")
    await driver.press("z", "escape")
    await driver.sees("Etalare: 15/45 · mai puneți")
    await driver.press("0", "space", "0", "space", "0", "space", "e", "enter")
    await ana.sends(lay("R4 R5 R6", "Y10 B10 K10"))


async def test_a_refusal_is_told_in_the_words_of_the_club_and_loses_nothing(ana: Sitting) -> None:
    driver = ana.driver
    refused = (grpc.StatusCode.FAILED_PRECONDITION, "FIRST_MELD_TOO_SMALL", "Prea puțin pentru etalare.")
    ana.club.refusals["submit_action"] = [refused]
    await ana.sees(melding())
    await driver.press("right", "space", "right", "space", "right", "space", "e", "enter")
    await driver.sees("Prea puțin pentru etalare.", " 4 ¹ 5 ¹ 6 ¹", "Etalare: 15/45")
    await driver.press("1", "enter")
    await ana.sends(lay("R4 R5 R6"), turn(lay("R4 R5 R6"), discard("B1")))


async def test_tiles_are_added_jokers_swapped_and_what_has_two_ways_is_asked(ana: Sitting) -> None:
    driver = ana.driver
    await ana.sees(melding(lying=LYING, melded=(0,)), " 8 ² 9 ² 10³    7 ³ 7 ³ 7 ³    2 ⁴☺3 ⁴ 4 ⁴")
    await driver.press("7", "l")
    await driver.sees("Unde? 1/2: R7 R8 R9 R10", "1 R7 R8 R9 R10", "2 G7 A7 N7 R7")
    await driver.press("right")
    await driver.sees("Unde? 2/2: G7 A7 N7 R7", "▸ 7 ")
    await driver.press("enter")
    await driver.sees("lipesc R7 · Enter joacă")
    await driver.press("enter")
    await ana.sends(add(1, "R7"))

    await ana.sees(melding("K3 Y8 Y9 B2", lying=LYING, melded=(0,)))
    await driver.press("3", "j")
    await driver.sees("Jokerul luat se pune pe loc")
    assert ana.rack == ["Y8", "Y9", "B2", "*"]
    await driver.press("8", "space", "9", "space", "asterisk", "space", "e")
    await driver.sees("Cum? 1/2: G8 G9 J · J = G10")
    await driver.press("enter", "2", "enter")
    await ana.sends(turn(swap(2, 1, "K3", "Y8 Y9 *"), discard("B2")))


async def test_announcements_and_closing_with_the_atu_are_offered_loudly(ana: Sitting) -> None:
    driver = ana.driver
    await ana.sees(drawing(announce(ATU)), "N Anunț Atu (+50)")
    assert [chip.key for chip in driver.widget("#actions", Chips).chips if chip.loud] == ["n"]
    await driver.press("n")
    await ana.sends(announce(ATU))

    await ana.sees(melding("R2 K9", announce(TWO_TILES), melded=(0,)), "N Anunț: două piese!")
    await driver.press("n")
    await ana.sends(announce(TWO_TILES))

    closing = close_with_atu("R8 R9 R10", additions=[add(1, "R7")], left="K2")
    await ana.sees(drawing(closing, hand="R8 R10 R7 K2", lying=LYING[:2], melded=(0,)), "W Închid cu Atu!")
    await driver.press("w")
    await driver.sees("iau Atu R9, etalez 20 p, lipesc R7, arunc N2 · Enter joacă")
    await driver.press("enter")
    await ana.sends(closing)


async def test_one_key_proposes_what_can_be_laid_and_another_asks_a_bot(ana: Sitting) -> None:
    driver = ana.driver
    scene = melding(HAND, turn(lay("R4 R5 R6"), add(0, "R7")), lay("R4 R5 R6"), lying=LYING, melded=(0,))
    await ana.sees(scene)
    await driver.press("o")
    await driver.sees("Propunerea 1/2: Enter joacă, O alta, Z înapoi.", " 7 ¹ 8 ²")
    await driver.press("o")
    await driver.sees("Propunerea 2/2")
    await driver.press("enter")
    await ana.sends(lay("R4 R5 R6"))

    await ana.sees(melding(lying=LYING[:2], melded=(0,)))
    for advice, words, played in (
        (announce(TWO_TILES), "Botul ar juca: anunț două piese", None),
        (discard("K12"), "Botul ar juca: arunc N12", discard("K12")),
        (turn(lay("R4 R5 R6"), discard("B2")), "Botul ar juca: etalez R4 R5 R6, arunc A2", None),
    ):
        ana.club.suggestion = sent(advice)
        await driver.press("h")
        await driver.sees(words)
        if played is None:
            await driver.press("escape")
            await driver.gone("Botul ar juca")
        else:
            await driver.press("enter")
            await ana.sends(played)
    await driver.press("enter")
    await ana.sends(discard("K12"), turn(lay("R4 R5 R6"), discard("B2")))

    for advice in (take(2), turn(take(2), lay("Y9 Y10 *"))):
        await ana.sees(drawing(take(4), take(2), melded=(0,)))
        ana.club.suggestion = sent(advice)
        await driver.press("h")
        await driver.sees("Botul ar juca: iau din rând", "▸G9")
        await driver.press("enter")
        await ana.sends(take(2))


async def test_tiles_are_sorted_and_grouped_and_the_chat_used_while_others_play(ana: Sitting) -> None:
    driver = ana.driver
    await ana.sees(Scene(hand="R4 Y4 B4 R5 R6 K9", acting=2), "Bot2 etalează sau aruncă", "S Pe numere")
    await driver.press("s")
    assert ana.rack == ["R4", "Y4", "B4", "R5", "R6", "K9"]
    await driver.press("s", "9", "space", "4", "space", "u")
    assert ana.rack == ["R4", "K9", "R5", "R6", "Y4", "B4"]
    await driver.press("escape")
    await driver.sees("╰────")
    await driver.press("enter", "e")
    await driver.sees("Nu este rândul dvs.")

    assert not driver.app.screen.query_one("#say").display
    await driver.press("c")
    await driver.write("piese bune")
    await driver.press("enter")
    await driver.until(lambda: "Ana: piese bune" in driver.widget("#feed", Feed).lines, "said")
    assert not driver.app.screen.query_one("#say").display
    await ana.sends()


async def test_a_spectator_looks_at_combinations(club: TerminalClub, tmp_path: Path) -> None:
    club.shown = Scene(own=None, lying=LYING).update()
    async with terminal(club.addresses, tmp_path, size=(120, 40)) as driver:
        await enter(driver)
        driver.app.open_table(TABLE_ID)
        await driver.sees("Priviți masa.", " 8 ² 9 ² 10³", " 2 ⁴☺3 ⁴ 4 ⁴")
        await driver.press("up")
        await driver.sees("R8 R9 R10 · 20 p · Bot1 Bot2")
        await driver.press("right", "right")
        await driver.sees("N2 J N4 · 15 p · Bot3 · J = N3")
        assert not driver.widget("#hand", RackView).display
        nothing_is_cut(driver)


async def test_a_turn_is_played_with_the_mouse_alone(ana: Sitting) -> None:
    driver = ana.driver
    await ana.sees(drawing(take(4), take(2), melded=(0,), lying=LYING), "P din teanc, I din rând")
    felt: RemiFelt = driver.widget("#felt", RemiFelt)
    await driver.click(felt, felt.position("row", 2))
    await driver.sees("Enter ia G9")
    await driver.click(felt, felt.position("row", 2))
    await ana.sends(take(2))

    await ana.sees(melding(lying=LYING, melded=(0,)), "Etalați sau lipiți")
    hand: RackView = driver.widget("#hand", RackView)
    composer = desk_of(driver).composer
    numbers = {composer.rack.tile(number): number for number in composer.in_order()}
    for tile in ("R4", "R5", "R6"):
        await driver.click(hand, hand.position(numbers[tile]))
    await driver.click_chip("#actions", "remi-e")
    await driver.click(hand, hand.position(numbers["R7"]))
    await driver.click(felt, felt.position("meld", 1))
    await driver.sees("lipesc R7")
    await driver.click_chip("#actions", "remi-z")
    await driver.click(hand, hand.position(numbers["R7"]))
    await driver.click_chip("#actions", "remi-enter")
    await ana.sends(turn(lay("R4 R5 R6"), discard("R7")))


async def test_a_table_of_remi_is_made_with_its_rounds_and_helped_with_its_rules(
    club: TerminalClub, tmp_path: Path
) -> None:
    club.queues = [
        matchmaking_pb2.Queue(
            queue_id="remi-3", game=WIRE.options_to_proto(Options()), seats=3, waiting=1, limit_seconds=15
        )
    ]
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        await driver.press("3")
        await driver.sees("Cât de bine joacă boții")
        await driver.press("up")
        while "◀ Remi ▶" not in driver.screen:
            await driver.press("right")
        await driver.sees("◀ o rundă ▶")
        await driver.press("down", "left", *["down"] * 5, "right")
        await driver.sees("◀ 3 runde ▶")
        club.shown = waiting(3, Options(3))
        await driver.press("enter")
        await driver.sees("Masa așteaptă jucători.")
        made = club.requests("CreateTable")[0].options
        assert made.seats == 3
        assert made.game.remi.rounds == 3
        await driver.press("question_mark")
        await driver.sees("Tastele la Remi")
        await driver.press("end")
        await driver.sees("Prima etalare", "Două piese")
        assert "Șeptica" not in driver.screen
        await driver.press("escape", "q", "escape", "2")
        await driver.sees("Remi, 3 locuri · așteaptă 1")
        await driver.press("enter")
        await driver.sees("Sunteți pe locul 2 la coadă.")
        club.shown = melding(seats=3).update()
        club.tickets.put_nowait(ticket("remi-3", status=matchmaking_pb2.TICKET_STATUS_MATCHED, table_id=TABLE_ID))
        await driver.sees("Etalați sau lipiți, apoi aruncați o piesă.")


async def test_a_whole_match_of_remi_is_played_by_keyboard(club: TerminalClub, tmp_path: Path) -> None:
    """Ana plays by rule of thumb, but with the keys; the other on the engine itself."""
    match = Match(seats=2, rounds=2, seed=5)
    match.others_play()
    club.shown = match.shown()
    club.on_action = match.answer
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        driver.app.open_table(TABLE_ID)
        await driver.sees("Remi · Runda 1/2")
        turns = 0
        while not match.state.is_over():
            hands = Hands(copy.deepcopy(desk_of(driver).composer))
            hands.play(WIRE.action_to_proto(match.sensible()).remi)
            revision = match.revision
            await driver.press(*hands.pressed)
            await driver.until(lambda revision=revision: match.revision > revision, "answered")  # type: ignore[misc]
            await driver.until(lambda: session_of(driver).revision == match.revision, "the newest state")
            nothing_is_cut(driver)
            turns += 1
        assert turns > 6
        assert len(match.state.rows) == 2
        await driver.sees("Partida s-a încheiat.")
        await driver.press("f")
        await driver.sees("Total", "Runda 2", "etalat")
        await driver.press("escape", "b")
        await driver.until(lambda: bool(driver.app.screen.query("#choices")), "the lobby")
        assert REMI.score_sheet(match.state)
