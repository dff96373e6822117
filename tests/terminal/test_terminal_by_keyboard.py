"""Whole evenings by keyboard alone."""

import asyncio
import re
from pathlib import Path

import grpc
import pytest
from textual.binding import Binding
from textual.screen import Screen
from textual.widgets import DataTable, Input

from shared.client import Credentials, FileStore
from shared.gen.levata.ledger.v1 import ledger_pb2
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2
from shared.gen.levata.table.v1 import arzoi_pb2, game_pb2, table_pb2
from shared.terminal.screens.table import TableScreen
from shared.terminal.widgets.chat import Feed
from shared.terminal.widgets.trick import Felt
from tests.support.arzoi_positions import OWN, TABLE_ID, bid, choose, options, play, position, waiting_table, whist
from tests.support.terminal_club import TerminalClub, summary, ticket
from tests.support.terminal_driver import Driver, terminal


async def enter(driver: Driver) -> None:
    """Comes in as Ana."""
    await driver.sees("Cum vă spune lumea")
    await driver.write("Ana")
    await driver.press("enter")
    await driver.sees("Bun venit, Ana")


def action(seat: int, done: game_pb2.GameAction) -> table_pb2.Event:
    taken = table_pb2.ActionTaken(seat=seat, action=done, decided_by=table_pb2.DECIDED_BY_PLAYER)
    return table_pb2.Event(action_taken=taken)


def followed(**event: object) -> table_pb2.Event:
    return table_pb2.Event(game=game_pb2.GameEvent(arzoi=arzoi_pb2.ArzoiEvent(**event)))  # type: ignore[arg-type]


async def test_a_guest_is_asked_for_a_name_once_and_known_afterwards(club: TerminalClub, tmp_path: Path) -> None:
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
    async with terminal(club.addresses, tmp_path) as driver:
        await driver.sees("Bun venit, Ana")
    assert len(club.requests("CreateGuest")) == 1


async def test_a_club_that_was_set_up_anew_takes_the_player_in_under_the_same_name(
    club: TerminalClub, tmp_path: Path
) -> None:
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
    club.accounts.clear()
    club.refusals["GetAccount"] = [(grpc.StatusCode.UNAUTHENTICATED, "TOKEN_INVALID", "Jetonul nu este bun.")]
    async with terminal(club.addresses, tmp_path) as driver:
        await driver.sees("Bun venit, Ana")
    assert [request.name for request in club.requests("CreateGuest")] == ["Ana", "Ana"]


async def test_a_player_whom_the_club_forgets_goes_back_to_the_door(club: TerminalClub, tmp_path: Path) -> None:
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        club.refusals["ListHallOfFame"] = [(grpc.StatusCode.UNAUTHENTICATED, "TOKEN_INVALID", "Jetonul nu este bun.")]
        knocked = len(club.requests("GetAccount"))
        await driver.press("6")
        await driver.until(lambda: len(club.requests("GetAccount")) > knocked, "the door")
        await driver.sees("Bun venit, Ana")


async def test_a_name_that_is_taken_is_said_and_another_can_be_given(club: TerminalClub, tmp_path: Path) -> None:
    club.refusals["CreateGuest"] = [(grpc.StatusCode.ALREADY_EXISTS, "NAME_TAKEN", "Numele este luat.")]
    async with terminal(club.addresses, tmp_path) as driver:
        await driver.sees("Cum vă spune lumea")
        await driver.write("Ana")
        await driver.press("enter")
        await driver.sees("Numele „Ana” este luat.", "LEVATA_STATE=<dosar> make play")
        await driver.write(" B")
        await driver.press("enter")
        await driver.sees("Bun venit, Ana B")


@pytest.mark.parametrize(
    ("language", "words"), [("ro", ("a intrat Ion", "Intră ca Ion")), ("en", ("Ion has come in", "Enter as Ion"))]
)
async def test_a_player_who_came_in_at_another_terminal_meanwhile_is_not_written_over(
    club: TerminalClub, tmp_path: Path, language: str, words: tuple[str, ...]
) -> None:
    store = FileStore(tmp_path / "terminal" / "player.json")
    ion = Credentials(name="Ion", device_secret=b"i" * 32, player_id="player-ion")
    club.accounts["Ion"] = ion.device_secret
    async with terminal(club.addresses, tmp_path, language=language) as driver:
        await driver.until(lambda: bool(driver.app.screen.query("#name")), "the door")
        await driver.until(lambda: driver.app.screen.query_one("#name").display, "the question")
        assert store.claim(ion)
        await driver.write("Ana")
        await driver.press("enter")
        await driver.sees(*words, "LEVATA_STATE=<")
        assert store.load() == ion
        assert club.requests("CreateGuest") == []
        await driver.press("enter")
        await driver.sees(", Ion")
    kept = store.load()
    assert kept is not None
    assert (kept.name, kept.device_secret) == ("Ion", ion.device_secret)


@pytest.mark.parametrize(("language", "offer"), [("ro", "F2 Intră ca"), ("en", "F2 Enter as")])
async def test_in_place_of_a_name_that_is_taken_one_key_gives_another(
    club: TerminalClub, tmp_path: Path, language: str, offer: str
) -> None:
    taken = "Constantin-Alexandru Ion"
    club.refusals["CreateGuest"] = [(grpc.StatusCode.ALREADY_EXISTS, "NAME_TAKEN", "Numele este luat.")] * 2
    async with terminal(club.addresses, tmp_path, language=language) as driver:
        await driver.until(lambda: bool(driver.app.screen.query("#name")), "the door")
        await driver.until(lambda: driver.app.screen.query_one("#name").display, "the question")
        await driver.write(taken)
        await driver.press("enter")
        await driver.sees(taken, offer)
        await driver.press("f2")
        await driver.until(lambda: len(club.requests("CreateGuest")) == 2, "the offered name")
        offered = club.requests("CreateGuest")[1].name
        assert re.fullmatch(r"Constantin-Alexandru \d\d", offered)
        await driver.sees(offered, offer)
        await driver.press("f2")
        await driver.until(lambda: bool(driver.app.screen.query("#choices")), "the lobby")
        assert len(club.requests("CreateGuest")) == 3


@pytest.mark.parametrize(("language", "words"), [("ro", "Nu aveți loc la nicio masă"), ("en", "You have no seat")])
async def test_the_way_back_to_a_table_says_plainly_when_there_is_none(
    club: TerminalClub, tmp_path: Path, language: str, words: str
) -> None:
    async with terminal(club.addresses, tmp_path, language=language) as driver:
        await driver.until(lambda: bool(driver.app.screen.query("#name")), "the door")
        await driver.until(lambda: driver.app.screen.query_one("#name").display, "the question")
        await driver.write("Ana")
        await driver.press("enter")
        await driver.until(lambda: bool(driver.app.screen.query("#choices")), "the lobby")
        await driver.press("1")
        await driver.sees(words)


async def test_the_way_back_goes_to_the_table_also_before_it_was_found(club: TerminalClub, tmp_path: Path) -> None:
    club.shown = position(4, "whist")
    club.seated = True
    club.refusals["ListMyTables"] = [(grpc.StatusCode.INTERNAL, "INTERNAL", "Ceva nu merge.")]
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        await driver.sees("Ceva nu merge.")
        await driver.press("1")
        await driver.sees("Jucați o carte.")


async def test_a_second_device_is_offered_the_table_that_the_player_sits_at(club: TerminalClub, tmp_path: Path) -> None:
    club.shown = position(4, "whist")
    club.shown.table.options.visibility = table_pb2.VISIBILITY_PRIVATE
    club.seated = True
    async with terminal(club.addresses, tmp_path) as driver:
        await driver.until(lambda: bool(driver.app.screen.query("#name")), "the door")
        await driver.until(lambda: driver.app.screen.query_one("#name").display, "the question")
        await driver.write("Ana")
        await driver.press("enter")
        await driver.sees("Aveți un loc la o masă: Arzoi, 4 locuri, gazda Ana")
        await driver.press("enter")
        await driver.sees("Jucați o carte.")


async def test_of_several_tables_one_is_picked_and_all_stand_first_in_the_list(
    club: TerminalClub, tmp_path: Path
) -> None:
    club.shown = position(4, "whist")
    club.seated = True
    other = summary(waiting_table(5).table)
    other.table_id = "elsewhere" * 2
    club.elsewhere = [other]
    stranger = summary(waiting_table(3, own=None).table)
    stranger.table_id = "stranger" * 2
    club.tables = [stranger, club.own_tables()[0]]
    async with terminal(club.addresses, tmp_path) as driver:
        await driver.until(lambda: bool(driver.app.screen.query("#name")), "the door")
        await driver.until(lambda: driver.app.screen.query_one("#name").display, "the question")
        await driver.write("Ana")
        await driver.press("enter")
        await driver.sees("Aveți un loc la 2 mese.", "Arzoi, 5 locuri, gazda Ana")
        await driver.press("escape")
        rows = driver.widget("#list", DataTable)
        assert [str(key.value) for key in rows.rows] == [TABLE_ID, other.table_id, stranger.table_id]
        await driver.press("1")
        await driver.sees("Aveți un loc la 2 mese.")
        await driver.press("enter")
        await driver.sees("Jucați o carte.")


async def test_a_match_is_played_from_a_new_table_to_the_end(club: TerminalClub, tmp_path: Path) -> None:
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        await driver.press("3")
        await driver.sees("Cât de bine joacă boții")
        club.shown = waiting_table(3)
        await driver.press("left")
        await driver.press("enter")
        await driver.sees("Masa așteaptă jucători.")
        made = club.requests("CreateTable")[0].options
        assert made.seats == 3
        assert made.game.HasField("arzoi")
        assert not made.HasField("clock")
        assert made.bot_talk == table_pb2.BOT_TALK_POLITE

        await driver.press("p")
        await driver.until(lambda: bool(club.requests("StartTable")), "start")
        club.push(position(3, "choose"))
        await driver.sees("Alegeți ce se joacă.", "Whist de 5")

        club.on_action = lambda done: [position(3, "bid")]
        await driver.press("5")
        await driver.sees("▸5 Whist de 5◂")
        await driver.press("enter")
        await driver.sees("Câte levate faceți?", "Atu 10♣")
        assert club.requests("submit_action")[-1].action == choose(whist(5))

        club.on_action = lambda done: [position(3, "whist")]
        await driver.press("right", "right", "enter")
        await driver.sees("Jucați o carte.", "▲ supralicitată 6/8")
        assert club.requests("submit_action")[-1].action == bid(1)

        after = position(3, "whist", acting=1)
        after.snapshot = False
        after.events.append(action(0, play("AH")))
        club.on_action = lambda done: [after]
        await driver.press("2")
        await driver.sees("▲2▲")
        await driver.press("3", "enter")
        await driver.sees("Ana: A♥", "Bot1 joacă")
        assert club.requests("submit_action")[-1].action == play("AH")

        over = position(3, "over")
        over.snapshot = False
        over.events.append(table_pb2.Event(match_finished=table_pb2.MatchFinished(standings=over.table.standings)))
        club.push(over)
        await driver.sees("Partida s-a încheiat.", "1. Ana  30")
        await driver.press("f")
        await driver.sees("Orbita 1 · Whist de 3", "1/1 +6", "0/1 -1", "perfectă", "+20")
        await driver.press("escape", "b")
        await driver.sees("Mese publice")


async def test_a_card_that_is_not_lit_cannot_be_played(club: TerminalClub, tmp_path: Path) -> None:
    club.shown = position(4, "whist")
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        driver.app.open_table(TABLE_ID)
        await driver.sees("Jucați o carte.")
        await driver.press("4", "enter")
        await driver.press("1", "enter")
        await driver.until(lambda: bool(club.requests("submit_action")), "one action")
        assert [each.action for each in club.requests("submit_action")] == [play("TD")]


async def test_a_refused_action_is_told_in_the_words_of_the_club_and_can_be_made_again(
    club: TerminalClub, tmp_path: Path
) -> None:
    club.shown = position(4, "whist")
    club.refusals["submit_action"] = [(grpc.StatusCode.FAILED_PRECONDITION, "NOT_YOUR_TURN", "Nu este rândul dvs.")]
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        driver.app.open_table(TABLE_ID)
        await driver.sees("Jucați o carte.")
        await driver.press("1", "enter")
        await driver.sees("Nu este rândul dvs.")
        await driver.press("enter")
        await driver.until(lambda: len(club.requests("submit_action")) == 2, "again")


async def test_the_opener_in_septica_may_leave_the_trick(club: TerminalClub, tmp_path: Path) -> None:
    club.shown = position(4, "continue")
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        driver.app.open_table(TABLE_ID)
        await driver.sees("lăsați levata", "L Las levata", "E1 8p", "E2 8p", "Talon 20")
        await driver.press("l", "enter")
        await driver.until(lambda: bool(club.requests("submit_action")), "left")
        assert club.requests("submit_action")[0].action.arzoi.leave


async def test_chat_is_typed_and_shown_and_letters_go_to_the_cards_again_afterwards(
    club: TerminalClub, tmp_path: Path
) -> None:
    club.shown = position(4, "whist")
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        driver.app.open_table(TABLE_ID)
        await driver.sees("Jucați o carte.")
        await driver.press("c")
        await driver.write("hai 2")
        await driver.press("enter")
        await driver.until(lambda: "Ana: hai 2" in driver.widget("#feed", Feed).lines, "said")
        assert club.requests("send_chat")[0].text == "hai 2"
        await driver.press("2")
        await driver.sees("▲2▲")


async def test_the_hint_picks_what_a_bot_would_play(club: TerminalClub, tmp_path: Path) -> None:
    club.shown = position(4, "whist")
    club.suggestion = play("AH")
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        driver.app.open_table(TABLE_ID)
        await driver.sees("Jucați o carte.")
        await driver.press("h")
        await driver.sees("Botul ar juca: A♥", "▲2▲")
        asked = club.requests("SuggestMove")[0]
        assert asked.private == club.shown.private
        await driver.press("enter")
        await driver.until(lambda: bool(club.requests("submit_action")), "played")


async def test_the_letters_that_the_bar_shows_in_capitals_work_as_capitals_too(
    club: TerminalClub, tmp_path: Path
) -> None:
    club.shown = position(4, "whist")
    club.suggestion = play("AH")
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        driver.app.open_table(TABLE_ID)
        await driver.sees("Jucați o carte.")
        await driver.press("H")
        await driver.sees("Botul ar juca: A♥")
        await driver.press("C")
        await driver.write("hai")
        await driver.press("enter")
        await driver.until(lambda: "Ana: hai" in driver.widget("#feed", Feed).lines, "said")
        await driver.press("X")
        await driver.sees("Plecați de tot?")
        await driver.press("Q")
        await driver.gone("Plecați de tot?")
        await driver.press("Q")
        await driver.sees("Aveți un loc la o masă")


def test_no_screen_knows_a_letter_only_in_one_case() -> None:
    screens: list[type[Screen[object]]] = [Screen]
    for screen in screens:
        screens += screen.__subclasses__()
        own = [binding for binding in screen.__dict__.get("BINDINGS", []) if isinstance(binding, Binding)]
        for binding in own:
            letters = {key for key in binding.key.split(",") if len(key) == 1 and key.isalpha()}
            assert {letter.swapcase() for letter in letters} == letters, f"{screen.__name__}: {binding.key}"
    assert TableScreen in screens


async def test_help_is_one_key_away_and_closes_again(club: TerminalClub, tmp_path: Path) -> None:
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        await driver.press("question_mark")
        await driver.sees("Taste", "să nu te arzi")
        await driver.press("escape")
        await driver.sees("Mese publice")


async def test_a_seat_that_was_left_is_offered_on_coming_back(club: TerminalClub, tmp_path: Path) -> None:
    club.shown = position(4, "whist")
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        driver.app.open_table(TABLE_ID)
        await driver.sees("Jucați o carte.")
        await driver.press("q")
        await driver.sees("Aveți un loc la o masă: Arzoi, 4 locuri")
    async with terminal(club.addresses, tmp_path) as driver:
        await driver.sees("Aveți un loc la o masă")
        await driver.press("enter")
        await driver.sees("Jucați o carte.")
    assert club.requests("LeaveTable") == []


async def test_leaving_for_good_is_asked_about_and_forgets_the_seat(club: TerminalClub, tmp_path: Path) -> None:
    club.shown = position(4, "whist")
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        driver.app.open_table(TABLE_ID)
        await driver.sees("Jucați o carte.")
        await driver.press("x")
        await driver.sees("Plecați de tot?")
        await driver.press("enter")
        await driver.gone("Plecați de tot?")
        assert club.requests("LeaveTable") == []
        await driver.press("x")
        await driver.sees("Plecați de tot?")
        await driver.press("down", "enter")
        await driver.sees("Mese publice")
        assert len(club.requests("LeaveTable")) == 1
        await driver.press("1")
        await driver.sees("Nu aveți loc la nicio masă")


async def test_quick_match_shows_the_place_and_goes_to_the_table(club: TerminalClub, tmp_path: Path) -> None:
    game = options(4).game
    club.queues = [matchmaking_pb2.Queue(queue_id="arzoi-4", game=game, seats=4, waiting=1, limit_seconds=15)]
    club.shown = position(4, "bid")
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        await driver.press("2")
        await driver.sees("Arzoi, 4 locuri · așteaptă 1 · boți după 15 s")
        await driver.press("enter")
        await driver.sees("Sunteți pe locul 2 la coadă.", "Masă în cel mult")
        club.tickets.put_nowait(ticket("arzoi-4", status=matchmaking_pb2.TICKET_STATUS_MATCHED, table_id=TABLE_ID))
        await driver.sees("Câte levate faceți?")


async def test_a_ticket_can_be_given_back(club: TerminalClub, tmp_path: Path) -> None:
    club.queues = [matchmaking_pb2.Queue(queue_id="arzoi-4", game=options(4).game, seats=4, limit_seconds=15)]
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        await driver.press("2")
        await driver.sees("Arzoi, 4 locuri")
        await driver.press("enter")
        await driver.sees("Sunteți pe locul 2")
        await driver.press("q")
        await driver.sees("Mese publice")
        assert len(club.requests("CancelTicket")) == 1


async def test_a_public_table_is_joined_or_watched_from_the_list(club: TerminalClub, tmp_path: Path) -> None:
    shown = waiting_table(4, own=None)
    shown.table.seats[1].CopyFrom(
        table_pb2.Seat(kind=table_pb2.SEAT_KIND_HUMAN, player_id="player-host", name="Mihai", present=True)
    )
    club.shown = shown
    club.tables = [summary(shown.table)]
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        await driver.sees("Mihai")
        await driver.press("right", "enter")
        await driver.sees("Masa lui Mihai", "Doar privesc")
        await driver.press("down", "enter")
        await driver.sees("Priviți masa.", "J Stau la masă")
        assert club.requests("JoinTable") == []
        await driver.press("j")
        await driver.until(lambda: bool(club.requests("JoinTable")), "joined")


async def test_a_private_table_is_joined_by_its_code(club: TerminalClub, tmp_path: Path) -> None:
    waiting = waiting_table(4, own=None)
    club.tables = [summary(waiting.table)]
    club.shown = waiting_table(4, code="ABC234")
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        await driver.press("4")
        await driver.sees("Codul de invitație")
        await driver.write("abc234")
        await driver.press("enter")
        await driver.sees("Cod: ABC234")
        assert club.requests("FindTable")[0].invitation_code == "abc234"
        assert club.requests("JoinTable")[0].invitation_code == "abc234"


async def test_a_spectator_asks_for_a_seat_and_is_told_when_there_is_one(club: TerminalClub, tmp_path: Path) -> None:
    club.shown = position(4, "whist", own=None, acting=2)
    club.shown.table.host_player_id = "player-host"
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        driver.app.open_table(TABLE_ID)
        await driver.sees("Priviți masa.", "R Cer un loc")
        await driver.press("r")
        await driver.sees("Gazda a aflat")
        assert len(club.requests("RequestSeat")) == 1
        seated = position(4, "whist", own=2)
        seated.snapshot = False
        club.push(seated)
        await driver.sees("Aveți un loc", "Jucați o carte.")


async def test_the_host_answers_whoever_asks_for_a_seat_and_uses_the_menu(club: TerminalClub, tmp_path: Path) -> None:
    club.shown = position(4, "whist", acting=1)
    club.shown.table.seats[2].CopyFrom(
        table_pb2.Seat(kind=table_pb2.SEAT_KIND_HUMAN, player_id="other", name="Dan", present=True)
    )
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        driver.app.open_table(TABLE_ID)
        await driver.sees("Bot1 joacă")
        asked = table_pb2.Update()
        asked.table.CopyFrom(club.shown.table)
        asked.private.CopyFrom(club.shown.private)
        request = table_pb2.SeatRequest(player_id="guest-7", name="Ioana")
        asked.table.seat_requests.append(request)
        asked.events.append(table_pb2.Event(seat_requested=table_pb2.SeatRequested(request=request)))
        club.push(asked)
        await driver.sees("A Primesc: Ioana", "D Refuz")
        await driver.press("a")
        await driver.until(lambda: bool(club.requests("AnswerSeatRequest")), "answered")
        assert club.requests("AnswerSeatRequest")[0].player_id == "guest-7"
        assert club.requests("AnswerSeatRequest")[0].admit

        await driver.press("g")
        await driver.sees("Gazda hotărăște", "Scoate de la masă: Dan", "Fă masa privată", "Oprește masa")
        await driver.press("end", "enter")
        await driver.sees("Opriți masa?")
        await driver.press("down", "enter")
        await driver.until(lambda: bool(club.requests("StopTable")), "stopped")


async def test_the_hall_of_fame_and_the_record_of_a_match_can_be_read(club: TerminalClub, tmp_path: Path) -> None:
    club.fame = [
        ledger_pb2.HallOfFameEntry(rank=1, player_id="x", name="Maria", points=310, matches=9, wins=5),
        ledger_pb2.HallOfFameEntry(rank=2, player_id=OWN, name="Ana", points=-12, matches=2, wins=0),
    ]
    seat = ledger_pb2.SeatResult(seat=0, player_id=OWN, name="Ana", points=47, place=1, decisions_by_bot=3)
    club.matches = [ledger_pb2.Match(match_id="m-1", game="arzoi", seats=[seat])]
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        await driver.press("6")
        await driver.sees("Galeria celebrităților · Arzoi", "Maria", "310", "▸ Ana", "-12")
        await driver.press("q", "7")
        await driver.until(lambda: driver.widget("#list", DataTable).row_count == 1, "a match")
        await driver.press("enter")
        await driver.sees("1. Ana: 47", "boții au hotărât de 3 ori", "levata record 1")
        assert "Rating" not in driver.screen


async def test_ratings_are_shown_where_a_game_has_one_and_estimates_where_not(
    club: TerminalClub, tmp_path: Path
) -> None:
    rating = ledger_pb2.Rating(player_id="x", mean=31.0, deviation=2.0, ordinal=25.04, matches=4)
    club.rankings["arzoi"] = ledger_pb2.ListLeaderboardResponse(
        entries=[ledger_pb2.LeaderboardEntry(rank=1, player_id="x", name="Maria", rating=rating)],
        order=ledger_pb2.LEADERBOARD_ORDER_SKILL,
    )
    points = [ledger_pb2.PointsRating(rating=1033, matches=2), ledger_pb2.PointsRating(rating=973, matches=3)]
    club.rankings["whist"] = ledger_pb2.ListLeaderboardResponse(
        entries=[
            ledger_pb2.LeaderboardEntry(rank=1, player_id="x", name="Maria", points_rating=points[0]),
            ledger_pb2.LeaderboardEntry(rank=2, player_id=OWN, name="Ana", points_rating=points[1]),
        ],
        order=ledger_pb2.LEADERBOARD_ORDER_POINTS_RATING,
    )
    club.fame = [ledger_pb2.HallOfFameEntry(rank=1, player_id="x", name="Maria", points=310, points_rating=1033)]
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        await driver.press("6")
        await driver.sees("Galeria celebrităților · Arzoi", "Câștigate", "Rating", "310", "1033")
        await driver.press("r")
        await driver.sees("Clasament · Arzoi", "Nivel estimat", "25.0")
        await driver.press("tab")
        await driver.sees("Clasament · Whist", "Rating", "1033", "▸ Ana", "973")
        assert "Nivel estimat" not in driver.screen
        await driver.press("r")
        await driver.sees("Galeria celebrităților · Whist", "310")
    asked = [request.order for request in club.requests("ListLeaderboard")]
    assert asked == [ledger_pb2.LEADERBOARD_ORDER_UNSPECIFIED] * 2


async def test_what_a_match_did_to_ratings_is_shown_also_when_the_player_left_it(
    club: TerminalClub, tmp_path: Path
) -> None:
    def changes(*own: tuple[str, str, int, bool]) -> list[ledger_pb2.PointsRatingChange]:
        return [
            ledger_pb2.PointsRatingChange(player_id=player, name=name, change=change, rating=1000 + change, left=left)
            for player, name, change, left in own
        ]

    seats = [ledger_pb2.SeatResult(seat=0, player_id="x", name="Maria", points=200, place=1)]
    club.matches = [
        ledger_pb2.Match(
            match_id="m-2",
            game="rentz",
            seats=seats,
            stopped=True,
            hands_finished=20,
            hands=32,
            points_rating_changes=changes(("x", "Maria", 13, False), (OWN, "Ana", -20, True)),
        ),
        ledger_pb2.Match(match_id="m-1", game="rentz", points_rating_changes=changes((OWN, "Ana", 3, False))),
    ]
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        await driver.press("7")
        await driver.sees("Rating", "oprită", "-20", "+3")
        await driver.press("enter")
        await driver.sees("Oprită după 20 din 32 mâini.", "Maria: +13 → 1013", "Ana: -20 → 980 (a plecat)")


async def test_a_trick_stays_to_be_seen_but_never_keeps_the_player_from_playing(
    club: TerminalClub, tmp_path: Path
) -> None:
    club.shown = position(3, "whist", acting=1)
    async with terminal(club.addresses, tmp_path, show_milliseconds=5000) as driver:
        await enter(driver)
        driver.app.open_table(TABLE_ID)
        await driver.sees("Bot1 joacă")
        after = position(3, "whist", acting=0)
        after.snapshot = False
        after.table.game.arzoi.ClearField("trick")
        after.table.game.arzoi.ClearField("holder")
        cards = [arzoi_pb2.ArzoiPlayedCard(seat=seat, card=card) for seat, card in ((2, "9S"), (0, "8S"), (1, "QS"))]
        after.events.extend(
            [action(1, play("QS")), followed(trick_taken=arzoi_pb2.ArzoiTrickTaken(seat=1, cards=cards))]
        )
        club.push(after)
        await driver.sees("Bot1 ia levata.", "Jucați o carte.")
        felt = driver.widget("#felt", Felt)
        assert all(card in "".join(felt.canvas.lines()) for card in ("9♠", "8♠", "Q♠"))
        await driver.press("1", "enter")
        await driver.until(lambda: bool(club.requests("submit_action")), "played at once")
        await driver.until(lambda: "9♠" not in "".join(felt.canvas.lines()), "the trick is away")


async def test_a_club_that_is_down_is_said_with_the_way_out(club: TerminalClub, tmp_path: Path) -> None:
    await club.stop()
    async with terminal(club.addresses, tmp_path, patience_seconds=3.0) as driver:
        await driver.sees("Cum vă spune lumea")
        await driver.write("Ana")
        await driver.press("enter")
        await driver.sees("make up")
        await club.start()
        await asyncio.sleep(0)
        await driver.press("enter")
        await driver.sees("Bun venit, Ana")


async def test_a_lost_connection_is_shown_and_play_goes_on_when_it_is_back(club: TerminalClub, tmp_path: Path) -> None:
    club.shown = position(4, "whist")
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        driver.app.open_table(TABLE_ID)
        await driver.sees("● legat", "Jucați o carte.")
        await club.stop()
        await driver.sees("refac legătura…")
        club.shown = position(4, "bid", revision=7)
        await club.start()
        await driver.sees("● legat", "Câte levate faceți?")
        await driver.press("0", "enter")
        await driver.until(lambda: bool(club.requests("submit_action")), "played")


async def test_ctrl_c_leaves_in_good_order_from_every_screen(club: TerminalClub, tmp_path: Path) -> None:
    club.shown = position(4, "whist")
    async with terminal(club.addresses, tmp_path) as driver:
        await enter(driver)
        driver.app.open_table(TABLE_ID)
        await driver.sees("Jucați o carte.")
        await driver.press("c")
        await driver.until(lambda: isinstance(driver.app.focused, Input), "the chat has the keys")
        await driver.press("ctrl+c")
        await driver.until(lambda: not driver.app.is_running or driver.app._exit, "gone")
    assert club.requests("LeaveTable") == []
