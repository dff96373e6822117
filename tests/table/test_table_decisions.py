"""What a table answers to commands: seats, hosts, chat, clocks, absence, ends. No server involved."""

import pytest

from services.table import commands as c
from services.table import errors, requests
from services.table import facts as f
from services.table.clocks import Limits, deadlines, next_deadline
from services.table.engine.game import DecisionKind, IllegalAction
from services.table.state import REQUESTS_KEPT
from tests.support.tables import ANA, BOGDAN, CARMEN, DAN, PaperTable, facts_of, table

CLOCK = f.Clock(bid=20, bid_extra=2, play=15, choose=30, bank=60)


def names(paper: PaperTable) -> list[str]:
    return [seat.name for seat in paper.state.seats]


def decided_by(paper: PaperTable) -> str:
    """Whose the open decision is."""
    return paper.state.decided_by


# Making and joining


@pytest.mark.rule("AZ-6")
def test_the_maker_sits_on_seat_0_is_host_and_chooses_the_first_variant() -> None:
    paper = table(ANA, BOGDAN)
    assert paper.state.seats[0].player == ANA.player
    assert paper.state.host == ANA.player
    decision = paper.state.decision
    assert decision is not None
    assert (decision.seat, decision.kind) == (0, "choose")


@pytest.mark.parametrize("seats", [2, 10])
def test_a_table_for_a_number_that_cannot_play_is_refused(seats: int) -> None:
    with pytest.raises(errors.BadOptionsError) as caught:
        table(ANA, seats=seats)
    assert caught.value.metadata["field"] == "options.seats"
    assert "3 to 9" in caught.value.metadata["problem"]


def test_a_table_for_an_unknown_game_is_refused() -> None:
    with pytest.raises(errors.BadOptionsError, match="no such game"):
        PaperTable().do(c.CreateTable("t" * 24, f.Options(game="poker", seats=4), host=ANA))


def test_players_sit_down_on_the_first_free_seat_or_the_one_they_name() -> None:
    paper = table(ANA, start=False)
    paper.do(c.TakeSeat(BOGDAN, seat=3))
    paper.do(c.TakeSeat(CARMEN))
    assert names(paper) == ["Ana", "Carmen", "", "Bogdan"]


@pytest.mark.parametrize(
    ("command", "error"),
    [
        (c.TakeSeat(DAN, seat=1), errors.SeatTakenError),
        (c.TakeSeat(DAN, seat=8), errors.SeatTakenError),
        (c.TakeSeat(ANA), errors.AlreadySeatedError),
    ],
)
def test_a_seat_that_cannot_be_had_is_refused(command: c.TakeSeat, error: type[Exception]) -> None:
    paper = table(ANA, BOGDAN, start=False)
    with pytest.raises(error):
        paper.do(command)


def test_a_full_table_takes_nobody() -> None:
    paper = table(ANA, BOGDAN, CARMEN, seats=3, start=False)
    with pytest.raises(errors.TableFullError):
        paper.do(c.TakeSeat(DAN))


def test_nobody_sits_down_after_the_start() -> None:
    with pytest.raises(errors.AlreadyStartedError):
        table(ANA).do(c.TakeSeat(DAN))


def test_a_private_table_is_joined_by_its_code_alone() -> None:
    paper = table(ANA, visibility="private", start=False)
    for wrong in ("", "AAAAAAAA"):
        with pytest.raises(errors.TableNotFoundError):
            paper.do(c.TakeSeat(BOGDAN, code=wrong))
    paper.do(c.TakeSeat(BOGDAN, code=paper.state.code.lower()))
    assert paper.state.seats[1].player == BOGDAN.player


@pytest.mark.rule("AZ-49")
def test_bots_take_the_free_seats_at_the_start_under_different_names() -> None:
    paper = table(ANA, seats=9)
    assert [seat.kind for seat in paper.state.seats] == ["human"] + ["bot"] * 8
    assert len(set(names(paper))) == 9


def test_only_the_host_starts_and_only_once() -> None:
    paper = table(ANA, BOGDAN, start=False)
    with pytest.raises(errors.NotHostError):
        paper.do(c.StartMatch(BOGDAN.player))
    paper.do(c.StartMatch(ANA.player))
    with pytest.raises(errors.AlreadyStartedError):
        paper.do(c.StartMatch(ANA.player))


def test_a_service_makes_a_table_that_has_started() -> None:
    paper = PaperTable()
    paper.do(c.CreateTable("t" * 24, f.Options(game="arzoi", seats=4), players=(ANA, BOGDAN), maker="service:x"))
    assert paper.state.status == "playing"
    assert [seat.kind for seat in paper.state.seats] == ["human", "human", "bot", "bot"]
    assert paper.state.host == ANA.player


def test_an_exhibition_of_bots_is_played_to_the_end_without_anybody() -> None:
    paper = PaperTable()
    paper.do(c.CreateTable("t" * 24, f.Options(game="arzoi", seats=3), maker="service:x"))
    assert "abandoned" not in {one.due for one in deadlines(paper.state, paper.limits)}
    paper.play_on()
    assert paper.state.status == "finished"


# Playing


def test_an_action_is_refused_out_of_turn_and_changes_nothing() -> None:
    paper = table(ANA, BOGDAN)
    action = paper.legal()[0]
    before = paper.state
    with pytest.raises(errors.NotYourTurnError):
        paper.do(c.SubmitAction(BOGDAN.player, action))
    with pytest.raises(errors.NotSeatedError):
        paper.do(c.SubmitAction(DAN.player, action))
    assert paper.state is before


def test_an_illegal_action_names_its_rule_and_changes_nothing() -> None:
    paper = table(ANA)
    paper.do(c.SubmitAction(ANA.player, paper.legal()[0]))
    paper.play_on(until=lambda state: state.decided_by == "player" and state.decision.kind == "bid")
    before = paper.state
    bid = type(paper.legal()[0])
    with pytest.raises(IllegalAction) as caught:
        paper.do(c.SubmitAction(ANA.player, bid(8)))
    assert (caught.value.reason, caught.value.rule) == ("BID_OUT_OF_RANGE", "AZ-14")
    assert paper.state is before


def test_what_was_wrong_is_told_at_a_length_that_a_status_can_hold() -> None:
    told = requests.ERRORS[IllegalAction].error(IllegalAction("NO_SUCH_TILE", "RM-16", "R7 " * 5000))
    assert (told.reason, told.metadata["rule"]) == ("NO_SUCH_TILE", "RM-16")
    assert len(told.metadata["detail"]) == requests.DETAIL_CHARACTERS


def test_a_stale_revision_is_refused_with_the_present_one_but_chat_makes_none_stale() -> None:
    paper = table(ANA)
    seen = paper.state.revision
    paper.do(c.Say(ANA.player, "noroc"))
    paper.do(c.SubmitAction(ANA.player, paper.legal()[0], revision=seen))
    paper.play_on(until=lambda state: state.decided_by == "player")
    with pytest.raises(errors.StaleRevisionError) as caught:
        paper.do(c.SubmitAction(ANA.player, paper.legal()[0], revision=seen))
    assert caught.value.metadata == {"revision": str(paper.state.revision)}


def test_a_bot_answers_its_own_turn_and_no_other() -> None:
    paper = table(ANA)
    with pytest.raises(errors.NotYourTurnError):
        paper.do(c.AnswerTurn(0, paper.state.game_revision, paper.legal()[0]))
    paper.do(c.SubmitAction(ANA.player, paper.legal()[0]))
    state = paper.state
    assert state.decision is not None
    seat, action = state.decision.seat, paper.legal()[0]
    with pytest.raises(errors.StaleRevisionError):
        paper.do(c.AnswerTurn(seat, state.game_revision - 1, action))
    with pytest.raises(errors.NotYourTurnError):
        paper.do(c.AnswerTurn((seat + 1) % 4, state.game_revision, action))
    (taken,) = facts_of(f.ActionTaken, paper.do(c.AnswerTurn(seat, state.game_revision, action)))
    assert taken.by == "bot"


def test_a_bot_that_does_not_answer_is_played_for_by_the_table() -> None:
    paper = table(ANA)
    paper.do(c.SubmitAction(ANA.player, paper.legal()[0]))
    assert paper.wait(paper.limits.bot - 1) == []
    (taken,) = facts_of(f.ActionTaken, paper.wait(1))
    assert taken.by == "bot"


@pytest.mark.parametrize("seats", range(3, 10))
def test_a_match_is_played_to_the_end_and_its_points_are_told(seats: int) -> None:
    paper = table(ANA, BOGDAN, seats=seats, seed=seats)
    paper.play_on()
    assert paper.state.status == "finished"
    last = f.decode(paper.log[-1])
    (finished,) = facts_of(f.MatchFinished, list(last.facts))
    assert finished.points == tuple(paper.state.position().scores())


# Time


def test_time_out_gives_this_one_decision_to_a_bot_and_says_so() -> None:
    paper = table(ANA, BOGDAN, clock=f.Clock(bid=20, bid_extra=2, play=15, choose=30))
    assert paper.wait(29_999) == []
    assert paper.wait(1) == [f.ClockExpired(0)]
    with pytest.raises(errors.BotDecidesError):
        paper.do(c.SubmitAction(ANA.player, paper.legal()[0]))
    state = paper.state
    (taken,) = facts_of(f.ActionTaken, paper.do(c.AnswerTurn(0, state.game_revision, paper.legal()[0])))
    assert taken.by == "timeout"
    assert paper.state.seats[0].by_bot == 1


@pytest.mark.parametrize("kind", ["choose", "bid", "play"])
def test_time_runs_out_at_every_kind_of_decision(kind: DecisionKind) -> None:
    paper = table(ANA, clock=CLOCK)
    paper.play_on(until=lambda s: s.decided_by == "player" and s.decision is not None and s.decision.kind == kind)
    decision = paper.state.decision
    assert decision is not None
    bank = paper.state.seats[0].bank
    assert bank == 60_000
    limit = CLOCK.seconds(kind, decision.cards) * 1000
    assert paper.wait(limit + bank - 1) == []
    assert paper.wait(1) == [f.ClockExpired(0)]
    (taken,) = facts_of(f.ActionTaken, paper.wait_for_deadline())
    assert taken.by == "timeout"


def test_more_cards_give_more_time_to_bid() -> None:
    assert [CLOCK.seconds("bid", cards) for cards in (2, 4, 5, 8)] == [20, 20, 22, 28]
    assert [CLOCK.seconds("play", cards) for cards in (2, 8)] == [15, 15]


def test_nobody_is_bid_0_by_default() -> None:
    bids = []
    for seed in range(12):
        paper = table(ANA, clock=f.Clock(bid=20), seed=seed)
        paper.do(c.SubmitAction(ANA.player, paper.legal()[-2]))  # whist of 8
        paper.play_on(until=lambda s: s.decided_by == "player" and s.decision is not None and s.decision.kind == "bid")
        paper.wait_for_deadline()
        (taken,) = facts_of(f.ActionTaken, paper.wait_for_deadline())
        assert taken.by == "timeout"
        bids.append(taken.action)
    assert len(set(bids)) > 1


def test_the_bank_pays_for_what_a_decision_takes_too_long() -> None:
    paper = table(ANA, clock=CLOCK)
    paper.now += 40_000
    paper.do(c.SubmitAction(ANA.player, paper.legal()[0]))
    assert paper.state.seats[0].bank == 50_000


def test_the_third_time_out_in_a_row_makes_the_player_away_until_heard_of() -> None:
    paper = table(ANA, clock=f.Clock(bid=5, play=5, choose=5))
    for away in (False, False, True):
        paper.play_on(until=lambda s: s.decided_by == "player")
        assert paper.wait_for_deadline() == [f.ClockExpired(0, away)]
    paper.play_on(until=lambda s: s.decision is not None and s.decision.seat == 0 and s.decided_by == "absent")
    assert paper.do(c.Return(ANA.player)) == [f.CameBack(0)]
    with pytest.raises(errors.BotDecidesError):
        paper.do(c.SubmitAction(ANA.player, paper.legal()[0]))
    paper.play_on(until=lambda s: s.decided_by == "player")
    assert paper.state.decision is not None
    assert paper.state.decision.seat == 0


def test_an_action_in_time_ends_the_row_of_time_outs() -> None:
    paper = table(ANA, clock=f.Clock(bid=5, play=5, choose=5))
    for _ in range(2):
        paper.play_on(until=lambda s: s.decided_by == "player")
        paper.wait_for_deadline()
    paper.play_on(until=lambda s: s.decided_by == "player")
    paper.do(c.SubmitAction(ANA.player, paper.legal()[0]))
    assert paper.state.seats[0].timeouts == 0


def test_without_a_clock_a_present_player_is_never_hurried() -> None:
    paper = table(ANA)
    assert next_deadline(paper.state, paper.limits) is None


# Absence


@pytest.mark.rule("AZ-50")
@pytest.mark.rule("GAP-A25")
def test_after_20_seconds_without_a_connection_a_bot_plays_at_once_until_the_return() -> None:
    paper = table(ANA, BOGDAN)
    paper.do(c.Disconnect(ANA.player, "server-a", lost=paper.now))
    assert paper.wait(19_999) == []
    assert paper.wait(1) == [f.WentAway(0)]
    assert decided_by(paper) == "absent"  # it was Ana's turn: the bot acts at once
    assert paper.do(c.Connect(ANA.player, "server-b")) == [f.Connected(0, "server-b"), f.CameBack(0)]
    assert decided_by(paper) == "absent"  # control returns at the next decision
    (taken,) = facts_of(f.ActionTaken, paper.do(c.AnswerTurn(0, paper.state.game_revision, paper.legal()[0])))
    assert taken.by == "absent"
    paper.play_on(until=lambda s: s.decision is not None and s.decision.seat == 0)
    assert decided_by(paper) == "player"


@pytest.mark.rule("GAP-A25")
def test_the_20_seconds_run_whoevers_turn_it_is() -> None:
    paper = table(ANA, BOGDAN)
    paper.do(c.Disconnect(BOGDAN.player, "server-a", lost=paper.now))
    assert paper.wait(20_000) == [f.WentAway(1)]
    assert decided_by(paper) == "player"
    paper.do(c.SubmitAction(ANA.player, paper.legal()[0]))
    assert (paper.state.decision.seat if paper.state.decision else None, paper.state.decided_by) == (1, "absent")


def test_a_player_with_another_connection_is_not_away() -> None:
    paper = table(ANA)
    paper.do(c.Connect(ANA.player, "server-b"))
    paper.do(c.Disconnect(ANA.player, "server-a", lost=paper.now))
    assert paper.wait(60_000) == []


@pytest.mark.parametrize("seconds", [5, 300])
def test_the_table_says_how_long_absence_is_waited_for(seconds: int) -> None:
    paper = table(ANA, absence=seconds)
    paper.do(c.Disconnect(ANA.player, "server-a", lost=paper.now))
    assert paper.wait(seconds * 1000 - 1) == []
    assert paper.wait(1) == [f.WentAway(0)]


def test_a_watch_that_the_server_ended_costs_no_time() -> None:
    paper = table(ANA, clock=f.Clock(choose=30))
    paper.now += 10_000
    paper.do(c.LoseServer("server-a", lost=paper.now))
    paper.now += 15_000
    paper.do(c.Connect(ANA.player, "server-b"))
    assert paper.wait(19_999) == []  # 10 s of 30 were used
    assert paper.wait(1) == [f.ClockExpired(0)]


def test_a_decision_made_without_a_watch_after_the_server_ended_it_costs_no_time_either() -> None:
    paper = table(ANA, BOGDAN, clock=CLOCK)
    paper.now += 31_000
    paper.do(c.LoseServer("server-a", paper.now))
    paper.now += 10_000
    paper.do(c.SubmitAction(ANA.player, paper.legal()[0]))
    assert paper.state.seats[0].bank == 59_000


def test_a_watch_that_the_player_ended_does_cost_time() -> None:
    paper = table(ANA, clock=f.Clock(choose=30), absence=300)
    paper.do(c.Disconnect(ANA.player, "server-a", lost=paper.now))
    assert paper.wait(30_000) == [f.ClockExpired(0)]


def test_a_vanished_player_keeps_a_seat_for_two_minutes_before_the_start() -> None:
    paper = table(ANA, BOGDAN, start=False)
    paper.do(c.Disconnect(BOGDAN.player, "server-a", lost=paper.now))
    assert paper.wait(119_999) == []
    assert paper.wait(1) == [f.SeatLeft(1, BOGDAN.player)]
    assert paper.state.seats[1].kind == "free"


def test_a_table_that_everybody_left_before_the_start_is_stopped() -> None:
    paper = table(ANA, start=False)
    paper.do(c.Disconnect(ANA.player, "server-a", lost=paper.now))
    assert f.TableStopped("empty") in paper.wait(120_000)


def test_a_match_that_no_person_is_present_at_is_stopped_after_ten_minutes() -> None:
    paper = table(ANA, BOGDAN, limits=Limits(bot=10_000_000))
    for person in (ANA, BOGDAN):
        paper.do(c.Disconnect(person.player, "server-a", lost=paper.now))
    paper.wait(20_000)
    assert paper.wait(579_999) == []
    assert paper.wait(1) == [f.TableStopped("empty")]


def test_a_match_with_somebody_present_is_not_stopped() -> None:
    paper = table(ANA, BOGDAN)
    paper.do(c.Disconnect(ANA.player, "server-a", lost=paper.now))
    paper.wait(20_000)
    assert "abandoned" not in {one.due for one in deadlines(paper.state, paper.limits)}


# Leaving, and the host


def test_who_leaves_a_match_is_replaced_by_a_bot_that_has_the_open_decision_at_once() -> None:
    paper = table(ANA, BOGDAN)
    facts = paper.do(c.LeaveTable(ANA.player))
    assert isinstance(facts[0], f.SeatLeft)
    assert isinstance(facts[1], f.BotSeated)
    assert (paper.state.seats[0].kind, paper.state.decided_by) == ("bot", "bot")


@pytest.mark.rule("GAP-A30")
def test_host_rights_pass_to_the_next_person_to_the_right() -> None:
    paper = table(ANA, BOGDAN, CARMEN)
    assert f.HostChanged(BOGDAN.player) in paper.do(c.LeaveTable(ANA.player))
    assert f.HostChanged(CARMEN.player) in paper.do(c.LeaveTable(BOGDAN.player))


@pytest.mark.rule("GAP-A30")
def test_a_match_that_the_last_person_leaves_is_stopped() -> None:
    paper = table(ANA)
    facts = paper.do(c.LeaveTable(ANA.player))
    assert facts[-2:] == [f.HostChanged(""), f.TableStopped("empty")]
    assert paper.do(c.LeaveTable(ANA.player)) == []


@pytest.mark.rule("AZ-53")
def test_the_host_removes_a_player_and_a_bot_takes_the_seat() -> None:
    paper = table(ANA, BOGDAN)
    facts = paper.do(c.RemovePlayer(ANA.player, 1))
    assert facts[0] == f.SeatLeft(1, BOGDAN.player, removed=True)
    assert paper.state.seats[1].kind == "bot"
    with pytest.raises(errors.RemovedError):
        paper.do(c.RequestSeat(BOGDAN))


@pytest.mark.rule("AZ-53")
def test_a_player_removed_before_the_start_may_not_sit_down_again() -> None:
    paper = table(ANA, BOGDAN, start=False)
    paper.do(c.RemovePlayer(ANA.player, 1))
    assert paper.state.seats[1].kind == "free"
    with pytest.raises(errors.RemovedError):
        paper.do(c.TakeSeat(BOGDAN))


@pytest.mark.rule("AZ-53")
def test_the_host_stops_the_table() -> None:
    paper = table(ANA, BOGDAN)
    assert paper.do(c.StopTable(ANA.player)) == [f.TableStopped("host")]
    assert paper.state.status == "stopped"
    with pytest.raises(errors.NotPlayingError):
        paper.do(c.SubmitAction(ANA.player, None))


@pytest.mark.parametrize(
    "command",
    [
        c.StopTable(BOGDAN.player),
        c.RemovePlayer(BOGDAN.player, 0),
        c.UpdateTable(BOGDAN.player, bot_talk="polite"),
        c.MutePlayer(BOGDAN.player, 0, True),
        c.AnswerSeatRequest(BOGDAN.player, DAN.player, True),
    ],
)
def test_nobody_but_the_host_has_the_powers_of_the_host(command: c.Command) -> None:
    paper = table(ANA, BOGDAN)
    with pytest.raises(errors.NotHostError):
        paper.do(command)


def test_a_host_mutes_himself_not_but_may_let_himself_be_heard() -> None:
    paper = table(ANA)
    with pytest.raises(errors.CannotMuteSelfError):
        paper.do(c.MutePlayer(ANA.player, 0, True))
    assert paper.do(c.MutePlayer(ANA.player, 0, False)) == []


def test_a_host_neither_removes_himself_nor_a_bot() -> None:
    paper = table(ANA)
    with pytest.raises(errors.CannotRemoveSelfError):
        paper.do(c.RemovePlayer(ANA.player, 0))
    for seat in (1, 8):
        with pytest.raises(errors.SeatNotHumanError):
            paper.do(c.RemovePlayer(ANA.player, seat))


@pytest.mark.rule("AZ-49")
def test_the_host_chooses_bot_talk_and_visibility_at_any_time() -> None:
    paper = table(ANA)
    paper.do(c.UpdateTable(ANA.player, bot_talk="uncensored", visibility="private"))
    assert (paper.state.options.bot_talk, paper.state.options.visibility) == ("uncensored", "private")
    assert paper.do(c.UpdateTable(ANA.player, bot_talk="uncensored")) == []


@pytest.mark.rule("AZ-52")
def test_the_host_ticks_no_whist_of_2_before_the_start_only() -> None:
    paper = table(ANA, start=False)
    paper.do(c.UpdateTable(ANA.player, game="arzoi", rules="no-whist-of-2"))
    paper.do(c.StartMatch(ANA.player))
    assert len(paper.legal()) == 7
    with pytest.raises(errors.AlreadyStartedError):
        paper.do(c.UpdateTable(ANA.player, game="arzoi", rules=""))


# Spectators who want a seat


@pytest.mark.rule("AZ-51")
def test_the_host_admits_a_spectator_in_place_of_a_bot() -> None:
    paper = table(ANA)
    assert paper.do(c.RequestSeat(DAN)) == [f.SeatRequested(DAN)]
    assert paper.do(c.RequestSeat(DAN)) == []
    assert paper.do(c.AnswerSeatRequest(ANA.player, DAN.player, admit=True, seat=2)) == [f.SeatTaken(2, DAN)]
    assert paper.state.seats[2].player == DAN.player
    assert paper.state.requests == ()


@pytest.mark.rule("AZ-51")
def test_the_host_declines_a_spectator_who_may_ask_again() -> None:
    paper = table(ANA)
    paper.do(c.RequestSeat(DAN))
    assert paper.do(c.AnswerSeatRequest(ANA.player, DAN.player, admit=False)) == [f.SeatDeclined(DAN.player)]
    assert paper.do(c.RequestSeat(DAN)) == [f.SeatRequested(DAN)]


def test_an_admission_leaves_an_open_decision_to_the_bot() -> None:
    paper = table(ANA)
    paper.do(c.SubmitAction(ANA.player, paper.legal()[0]))
    assert paper.state.decision is not None
    seat = paper.state.decision.seat
    paper.do(c.RequestSeat(DAN))
    paper.do(c.AnswerSeatRequest(ANA.player, DAN.player, admit=True, seat=seat))
    assert decided_by(paper) == "bot"
    paper.do(c.Connect(DAN.player, "server-a"))
    paper.do(c.AnswerTurn(seat, paper.state.game_revision, paper.legal()[0]))
    paper.play_on(until=lambda s: s.decision is not None and s.decision.seat == seat)
    assert decided_by(paper) == "player"


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (c.AnswerSeatRequest(ANA.player, CARMEN.player, True), errors.NotRequestedError),
        (c.AnswerSeatRequest(ANA.player, DAN.player, True, seat=0), errors.SeatNotBotError),
    ],
)
def test_an_admission_that_cannot_be_is_refused(answer: c.AnswerSeatRequest, error: type[Exception]) -> None:
    paper = table(ANA)
    paper.do(c.RequestSeat(DAN))
    with pytest.raises(error):
        paper.do(answer)


def test_a_seat_can_be_asked_for_only_where_a_bot_has_one_and_the_table_is_public() -> None:
    with pytest.raises(errors.NoBotSeatError):
        table(ANA, BOGDAN, CARMEN, seats=3).do(c.RequestSeat(DAN))
    with pytest.raises(errors.TableNotFoundError):
        table(ANA, visibility="private").do(c.RequestSeat(DAN))
    with pytest.raises(errors.NotPlayingError):
        table(ANA, start=False).do(c.RequestSeat(DAN))
    with pytest.raises(errors.AlreadySeatedError):
        table(ANA).do(c.RequestSeat(ANA))


def test_only_so_many_people_wait_for_a_seat_and_the_first_who_asked_is_forgotten_first() -> None:
    paper = table(ANA)
    for number in range(REQUESTS_KEPT + 1):
        paper.do(c.RequestSeat(f.Person(f"p-{number}", f"N{number}")))
    assert [one.player for one in paper.state.requests] == [f"p-{number + 1}" for number in range(REQUESTS_KEPT)]


# Chat


def test_chat_is_limited_in_rate_and_says_when_it_works_again() -> None:
    paper = table(ANA)
    for _ in range(5):
        paper.do(c.Say(ANA.player, "hai"))
        paper.now += 100
    with pytest.raises(errors.TooFastError) as caught:
        paper.do(c.Say(ANA.player, "hai"))
    paper.now += int(caught.value.retry_after * 1000)
    paper.do(c.Say(ANA.player, "hai"))


def test_a_muted_player_is_not_heard_until_the_host_says_so() -> None:
    paper = table(ANA, BOGDAN)
    assert paper.do(c.MutePlayer(ANA.player, 1, True)) == [f.PlayerMuted(1, True)]
    with pytest.raises(errors.MutedError):
        paper.do(c.Say(BOGDAN.player, "eu?"))
    paper.do(c.MutePlayer(ANA.player, 1, False))
    paper.do(c.Say(BOGDAN.player, "eu!"))


def test_chat_loses_control_and_direction_characters() -> None:
    (said,) = table(ANA).do(c.Say(ANA.player, " bu\x00nă\u202e seara\n"))
    assert isinstance(said, f.ChatSaid)
    assert said.text == "bu nă  seara"


def test_chat_of_nothing_is_refused() -> None:
    with pytest.raises(errors.BadOptionsError):
        table(ANA).do(c.Say(ANA.player, "\u200b \x01"))


def test_spectators_do_not_chat() -> None:
    with pytest.raises(errors.NotSeatedError):
        table(ANA).do(c.Say(DAN.player, "hai"))


@pytest.mark.rule("AZ-49")
@pytest.mark.parametrize(("talk", "heard"), [("silent", False), ("polite", True), ("uncensored", True)])
def test_bots_talk_if_the_table_wants_it_and_not_too_often(talk: f.BotTalk, heard: bool) -> None:
    paper = table(ANA, seats=3, bot_talk=talk)
    paper.do(c.SubmitAction(ANA.player, paper.legal()[0]))
    seat = paper.state.decision.seat if paper.state.decision else -1
    facts = paper.do(c.AnswerTurn(seat, paper.state.game_revision, paper.legal()[0], chat="Mă descurc."))
    assert bool(facts_of(f.ChatSaid, facts)) is heard
    paper.play_on(until=lambda s: s.decision is not None and s.decision.seat == seat)
    facts = paper.do(c.AnswerTurn(seat, paper.state.game_revision, paper.legal()[0], chat="Iar eu."))
    assert not facts_of(f.ChatSaid, facts)


# Ends


@pytest.mark.rule("GAP-A24")
def test_the_person_on_the_seat_at_the_end_has_its_points_whoever_played() -> None:
    paper = table(ANA, BOGDAN, seats=3)
    paper.do(c.Disconnect(ANA.player, "server-a", lost=paper.now))
    paper.wait(20_000)
    paper.play_on()
    assert paper.state.status == "finished"
    assert paper.state.seats[0].player == ANA.player
    assert paper.state.seats[0].by_bot > 0


def test_a_finished_table_posts_its_result_and_closes_after_an_hour() -> None:
    paper = table(ANA, seats=3)
    paper.play_on()
    assert [one.due for one in deadlines(paper.state, paper.limits)] == ["post"]
    assert paper.do(c.ConfirmResult()) == [f.ResultPosted()]
    assert paper.do(c.ConfirmResult()) == []
    (deadline,) = deadlines(paper.state, paper.limits)
    assert (deadline.due, deadline.when) == ("close", paper.state.ended + 3_600_000)


def test_the_time_to_post_a_result_runs_from_the_end_of_the_match() -> None:
    paper = table(ANA, seats=3)
    while not paper.state.over:
        paper.now += 60_000
        revision = paper.state.revision
        paper.play_on(until=lambda state, seen=revision: state.revision > seen)
    assert next_deadline(paper.state, paper.limits) == paper.now + paper.limits.post


def test_a_player_who_is_away_and_has_no_watch_open_does_not_return_by_acting() -> None:
    paper = table(ANA, BOGDAN)
    paper.do(c.Disconnect(ANA.player, "server-a", paper.now))
    paper.wait_for_deadline()
    assert paper.state.seats[0].away
    assert paper.do(c.Return(ANA.player)) == []


def test_a_match_that_was_stopped_is_told_to_the_ledger_like_one_that_was_finished() -> None:
    paper = table(ANA)
    paper.do(c.StopTable(ANA.player))
    assert [one.due for one in deadlines(paper.state, paper.limits)] == ["post"]
    assert paper.do(c.ConfirmResult()) == [f.ResultPosted()]
    assert [one.due for one in deadlines(paper.state, paper.limits)] == ["close"]
    assert paper.do(c.ConfirmResult()) == []


def test_a_table_that_was_stopped_before_its_match_began_has_nothing_to_tell() -> None:
    paper = table(ANA, start=False)
    paper.do(c.StopTable(ANA.player))
    assert [one.due for one in deadlines(paper.state, paper.limits)] == ["close"]
    assert paper.do(c.ConfirmResult()) == []
