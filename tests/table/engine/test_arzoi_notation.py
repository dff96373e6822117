"""Options and actions in text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.table.engine.arzoi import SEPTICA, Action, Bid, Choose, Leave, Options, Play
from services.table.engine.game import Deal, NotationError
from services.table.engine.games import GAMES
from tests.support.arzoi import ARZOI

actions = st.one_of(
    st.sampled_from([2, 3, 4, 5, 6, 7, 8, SEPTICA]).map(Choose),
    st.integers(0, 8).map(Bid),
    st.integers(0, 55).map(Play),
    st.just(Leave()),
    st.permutations(range(56)).map(lambda pack: Deal(tuple(pack))),
)


def test_arzoi_is_among_the_games_under_its_name() -> None:
    assert GAMES["arzoi"].name == "arzoi"


@given(actions)
def test_an_action_is_read_back_from_its_text(action: Action | Deal) -> None:
    text = ARZOI.action_text(action)
    assert ARZOI.parse_action(text) == action
    assert "\n" not in text
    assert " by " not in text


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (Choose(5), "whist 5"),
        (Choose(SEPTICA), "septica"),
        (Bid(0), "bid 0"),
        (Play(18), "play TH"),
        (Leave(), "leave"),
        (Deal((0, 55)), "deal AS 1C"),
    ],
)
def test_actions_look_like_this(action: Action | Deal, text: str) -> None:
    assert ARZOI.action_text(action) == text


@pytest.mark.parametrize(
    "text",
    [
        *["", "whist", "whist 1", "whist 9", "whist five", "whist 05", "septica 1", "bid", "bid 9", "bid -1", "bid ²"],
        *["play", "play 10H", "play TH 9H", "leave it", "deal", "deal AS XX", "TH", "Play TH", "play  TH"],
    ],
)
def test_what_is_no_action_is_refused_with_what_is_expected(text: str) -> None:
    with pytest.raises(NotationError, match="expected"):
        ARZOI.parse_action(text)


@given(st.text())
def test_any_text_is_an_action_or_refused(text: str) -> None:
    try:
        action = ARZOI.parse_action(text)
    except NotationError:
        return
    assert ARZOI.parse_action(ARZOI.action_text(action)) == action


@pytest.mark.rule("AZ-52")
@pytest.mark.parametrize(("options", "text"), [(Options(), ""), (Options(no_whist_of_2=True), "no-whist-of-2")])
def test_options_are_read_back_from_their_text(options: Options, text: str) -> None:
    assert ARZOI.options_text(options) == text
    assert ARZOI.parse_options(text) == options


def test_unknown_options_are_refused() -> None:
    with pytest.raises(NotationError, match="expected nothing or no-whist-of-2"):
        ARZOI.parse_options("no-whist-of-3")
