"""The record of a match in text: round trip, replay, and clear refusals."""

import ast
import random
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.table.engine.arzoi import Bid, Options
from services.table.engine.game import Deal, NotationError
from services.table.engine.games import GAMES
from services.table.engine.record import (
    DecidedBy,
    MatchRecord,
    RecordAction,
    RecordError,
    RecordSeat,
    SeatKind,
    ShuffleProof,
)
from services.table.engine_build import SOURCE
from tests.support.arzoi import NAMES, new
from tests.support.steps import random_deal

STARTED = datetime(2026, 11, 30, 19, 2, 11, tzinfo=UTC)


def recorded(seats: int, seed: int, *, no_whist_of_2: bool = False, steps: int | None = None) -> MatchRecord:
    """A random match, whole or of so many actions."""
    chance = random.Random(seed)
    state = new(seats, no_whist_of_2=no_whist_of_2)
    actions: list[RecordAction] = []
    while not state.is_over() and (steps is None or len(actions) < steps):
        decision = state.decision()
        if decision is None:
            deal = random_deal(state, chance)
            state.apply(None, deal)
            actions.append(RecordAction(None, deal, None))
        else:
            action = chance.choice(state.legal_actions())
            state.apply(decision.seat, action)
            deciders: list[DecidedBy] = ["player", "bot", "absent", "timeout"]
            actions.append(RecordAction(decision.seat, action, chance.choice(deciders)))
    over = state.is_over()
    return MatchRecord(
        match_id=f"m{seed}",
        game="arzoi",
        options=state.options,
        seats=tuple(RecordSeat(name, "human" if number % 2 else "bot") for number, name in enumerate(NAMES[:seats])),
        started=STARTED,
        ended=STARTED + timedelta(minutes=40, microseconds=125) if over else None,
        actions=tuple(actions),
        result=state.scores() if over else None,
        shuffle=ShuffleProof("levata-shuffle-1", "09aa", "5f2c", ("77", "0102")) if over else None,
    )


WHOLE = recorded(3, 5)
PART = recorded(4, 6, steps=40)


@pytest.mark.parametrize("seats", range(3, 10))
def test_a_whole_match_is_read_back_and_replays_to_its_result(seats: int) -> None:
    record = recorded(seats, seats, no_whist_of_2=seats % 2 == 0)
    text = record.to_text()
    read = MatchRecord.parse(text)
    assert read == record
    assert read.to_text() == text
    assert read.replay().scores() == record.result


def test_a_match_that_was_stopped_has_no_result_and_replays_as_far_as_it_went() -> None:
    read = MatchRecord.parse(PART.to_text())
    assert read == PART
    assert not read.replay().is_over()
    assert "result" not in PART.to_text()
    assert "ended" not in PART.to_text()


def test_a_record_looks_as_documented() -> None:
    lines = recorded(3, 2, no_whist_of_2=True).to_text().split("\n")
    assert lines[:14] == [
        "levata record 1",
        "match m2",
        "game arzoi",
        "options no-whist-of-2",
        'seat 0 bot "Ana"',
        'seat 1 human "Bogdan"',
        'seat 2 bot "Călin"',
        "started 2026-11-30T19:02:11Z",
        "ended 2026-11-30T19:42:11.000125Z",
        "shuffle levata-shuffle-1",
        "commitment 5f2c",
        "seed 09aa",
        "salt 77",
        "salt 0102",
    ]
    assert lines[14] == "actions"
    assert lines[15].split(" by ")[0].startswith("0 whist ")
    assert lines[16].startswith("- deal ")
    assert lines[-3].startswith("result ")
    assert lines[-2:] == ["end", ""]


kinds: st.SearchStrategy[SeatKind] = st.sampled_from(["human", "bot"])


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    names=st.lists(st.tuples(st.text(st.characters(exclude_categories=["Cs"])), kinds), min_size=4, max_size=4),
    started=st.datetimes(
        datetime(1970, 1, 1),
        datetime(2200, 1, 1),
        timezones=st.integers(-12, 12).map(lambda hours: timezone(timedelta(hours=hours))),
    ),
    salts=st.lists(st.binary(min_size=1, max_size=64), max_size=4),
)
def test_whatever_players_are_called_is_read_back(
    names: list[tuple[str, SeatKind]], started: datetime, salts: list[bytes]
) -> None:
    proof = ShuffleProof("levata-shuffle-1", "00" * 32, "ff" * 32, tuple(salt.hex() for salt in salts))
    record = replace(PART, seats=tuple(RecordSeat(name, kind) for name, kind in names), started=started, shuffle=proof)
    text = record.to_text()
    assert MatchRecord.parse(text) == record
    assert MatchRecord.parse(text.encode("utf-8").decode("utf-8")).to_text() == text


def test_comments_empty_lines_and_mailed_line_ends_mean_nothing() -> None:
    text = WHOLE.to_text()
    spaced = "\n# kept by Ana\n" + text.replace("\n", "\r\n\r\n  # a remark\r\n")
    assert MatchRecord.parse(spaced) == WHOLE


def edited(old: str, new_text: str, record: MatchRecord = WHOLE) -> str:
    text = record.to_text()
    assert old in text
    return text.replace(old, new_text, 1)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "breaks off"),
        ("levata record 2\n", 1, "this is no record"),
        (edited("match m5", "mitch m5"), 2, "expected a line that starts with 'match'"),
        (edited("match m5", "match"), 2, "expected one word"),
        (edited("match m5", "match m5 m6"), 2, "expected one word"),
        (edited("shuffle levata-shuffle-1", "shuffle by hand"), 9, "expected one word"),
        (edited("game arzoi", "game chess"), 3, "unknown game 'chess'; expected arzoi"),
        (edited("game arzoi", "game arzoi\noptions fast"), 4, "expected nothing or no-whist-of-2"),
        (edited('seat 1 human "Bogdan"\n', ""), 5, "expected seat 1"),
        (edited('seat 2 bot "Călin"\n', ""), 6, "3 to 9 seats, not 2"),
        (edited('"Bogdan"', "Bogdan"), 5, "expected a seat such as"),
        (edited("seat 1 human", "seat 1 dog"), 5, "expected a seat such as"),
        (edited("2026-11-30T19:02:11Z", "yesterday"), 7, "expected a time such as"),
        (edited("2026-11-30T19:02:11Z", "2026-11-30T19:02:11"), 7, "expected a time such as"),
        (edited("seed 09aa", "seed 9"), 11, "hex digits in pairs"),
        (edited("seed 09aa", "seed 09AA"), 11, "hex digits in pairs"),
        (edited("commitment 5f2c\n", ""), 10, "starts with 'commitment'"),
        (edited("\nactions\n", "\nactions all\n"), 14, "expected nothing after 'actions'"),
        (edited("\nactions\n", "\nactions\n3 whist 2\n"), 15, "expected a seat from 0 to 2"),
        (edited("\nactions\n", "\nactions\n0 whist 9\n"), 15, "expected a number from 2 to 8"),
        (edited("\nactions\n", "\nactions\n0 whist 2 by magic\n"), 15, "expected one of bot, absent, timeout"),
        (edited("\nactions\n", "\nactions\n- whist 2 by bot\n"), 15, "or - for chance"),
        (edited("\nresult ", "\nresult 5 "), len(WHOLE.actions) + 15, "points of 3 seats"),
        (edited("\nresult ", "\nresult +"), len(WHOLE.actions) + 15, "as whole numbers"),
        (edited("\nend\n", "\n"), len(WHOLE.actions) + 16, "breaks off"),
        (edited("\nend\n", "\nend of it\n"), len(WHOLE.actions) + 16, "expected nothing after 'end'"),
        (edited("\nend\n", "\nend\nmatch m6\n"), len(WHOLE.actions) + 17, "expected nothing after 'end'"),
    ],
)
def test_a_broken_record_is_refused_with_line_and_expectation(text: str, line: int, message: str) -> None:
    with pytest.raises(RecordError) as refusal:
        MatchRecord.parse(text)
    assert message in str(refusal.value)
    assert refusal.value.line == line
    assert isinstance(refusal.value, NotationError)


def test_an_illegal_action_is_found_with_its_line() -> None:
    bids = [number for number, step in enumerate(WHOLE.actions) if isinstance(step.action, Bid)]
    spoiled = list(WHOLE.actions)
    spoiled[bids[1]] = replace(spoiled[bids[1]], action=Bid(8))
    with pytest.raises(RecordError, match="BID_OUT_OF_RANGE") as refusal:
        MatchRecord.parse(replace(WHOLE, actions=tuple(spoiled)).to_text()).replay()
    assert refusal.value.line == 15 + bids[1]
    with pytest.raises(RecordError, match=f"^action {bids[1] + 1} is not legal"):
        replace(WHOLE, actions=tuple(spoiled)).replay()


def test_scores_that_do_not_agree_are_found() -> None:
    assert WHOLE.result is not None
    wrong = (WHOLE.result[0] + 1, *WHOLE.result[1:])
    with pytest.raises(RecordError, match="but the play comes to") as refusal:
        MatchRecord.parse(replace(WHOLE, result=wrong).to_text()).replay()
    assert refusal.value.line == 15 + len(WHOLE.actions)


def test_missing_actions_or_a_missing_result_are_found() -> None:
    with pytest.raises(RecordError, match="actions are missing"):
        MatchRecord.parse(replace(WHOLE, actions=WHOLE.actions[:-1]).to_text()).replay()
    with pytest.raises(RecordError, match="has no result"):
        MatchRecord.parse(replace(WHOLE, result=None).to_text()).replay()


def test_a_watcher_sees_every_action_with_what_followed() -> None:
    seen: list[int] = []
    events = 0

    def watch(index: int, state: object, happened: tuple[object, ...]) -> None:
        nonlocal events
        seen.append(index)
        events += len(happened)

    WHOLE.replay(watch)
    assert seen == list(range(len(WHOLE.actions)))
    assert events > len(WHOLE.actions) / 4


@pytest.mark.parametrize(
    "record",
    [
        replace(WHOLE, match_id="two words"),
        replace(WHOLE, match_id=""),
        replace(WHOLE, started=datetime(2026, 1, 1)),
        replace(WHOLE, shuffle=ShuffleProof("x", "not hex", "00")),
        replace(WHOLE, game="chess"),
    ],
    ids=["two words", "no id", "no time zone", "not hex", "unknown game"],
)
def test_what_could_not_be_read_back_is_not_written(record: MatchRecord) -> None:
    with pytest.raises(ValueError, match=r"word|time zone|hex|unknown game"):
        record.to_text()


def test_a_record_of_too_few_seats_does_not_replay() -> None:
    with pytest.raises(RecordError, match="3 to 9 players"):
        replace(WHOLE, seats=WHOLE.seats[:2], options=Options()).replay()


@given(st.text(max_size=200))
def test_any_text_is_a_record_or_refused(text: str) -> None:
    with pytest.raises(RecordError):
        MatchRecord.parse(text)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(PART.to_text()) - 1), st.integers(0, 30), st.text(max_size=6))
def test_a_damaged_record_is_refused_or_is_another_record(start: int, length: int, instead: str) -> None:
    text = PART.to_text()
    try:
        record = MatchRecord.parse(text[:start] + instead + text[start + length :])
        record.replay()
    except RecordError:
        return
    assert MatchRecord.parse(record.to_text()) == record


def test_a_deal_stands_in_the_record_as_it_was_shuffled() -> None:
    deals = [step.action for step in WHOLE.actions if isinstance(step.action, Deal)]
    assert len(deals) > 10
    assert all(sorted(deal.pack) == sorted(deals[0].pack) for deal in deals)


def documented(text: str) -> list[str]:
    """What stands in code in the first column of tables of a text, whole packs apart."""
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    return [code for row in rows for code in re.findall(r"`([^`]+)`", row.split("|")[1]) if "..." not in code]


@pytest.mark.parametrize("game", GAMES)
def test_the_notation_of_every_game_is_read_as_it_is_documented(game: str) -> None:
    source = SOURCE / game / "notation.py"
    examples = documented(ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or "")
    assert len(examples) >= 2
    for example in examples:
        action = GAMES[game].parse_action(example)
        assert GAMES[game].action_text(action) == example


def test_the_notations_that_the_readme_shows_are_those_of_the_games() -> None:
    rows = [line.split("|") for line in (SOURCE / "README.md").read_text(encoding="utf-8").splitlines()]
    shown = {
        row[1].strip().lower(): re.findall(r"`([^`]+)`", row[3])
        for row in rows
        if len(row) > 4 and "notation.py" in row[2]
    }
    assert shown.keys() == GAMES.keys()
    for game, examples in shown.items():
        for example in examples:
            assert GAMES[game].action_text(GAMES[game].parse_action(example)) == example
