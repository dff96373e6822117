"""Names of accounts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.ledger.errors import BadNameError
from services.ledger.names import LONGEST, name_from_elsewhere, name_key, normal_name


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("Ana", "Ana"),
        ("  Ana   Maria ", "Ana Maria"),
        ("Ştefan", "Ștefan"),
        ("ţuică", "țuică"),
        ("Ion\u00a0Pop", "Ion Pop"),
        ("\uff21\uff4e\uff41", "Ana"),
        ("S\u0326tefan", "Ștefan"),
        ("Ion-2_b.c", "Ion-2_b.c"),
        ("Ion\u2013Pop", "Ion-Pop"),
        ("Müßig", "Müßig"),
        ("Őry", "Őry"),
        ("x" * LONGEST, "x" * LONGEST),
    ],
)
def test_a_name_is_shown_in_one_form(typed: str, shown: str) -> None:
    assert normal_name(typed) == shown


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "A",
        " A ",
        "x" * (LONGEST + 1),
        "...",
        "- -",
        "Аna",
        "Αna",
        "Dıana",
        "Ðana",
        "Þor",
        "Ana\n",
        "An\u200ba",
        "An\u202ea",
        "Ana\x00",
        "Ana!",
        "<b>Ana",
        "Ana\U0001f600",
        "An\u0301\u0301a",
        "\ufb03",
        "service:bot",
    ],
)
def test_a_name_that_could_mislead_is_refused(typed: str) -> None:
    if typed == "\ufb03":  # a ligature falls apart into letters, which are fine
        assert normal_name(typed) == "ffi"
        return
    with pytest.raises(BadNameError):
        normal_name(typed)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Ana", "aNA", True),
        ("Ștefan", "ștefan", True),
        ("Ştefan", "Ștefan", True),
        ("Müßig", "MÜSSIG", True),
        ("Ana Maria", "ana   maria", True),
        ("Ștefan", "Stefan", False),
        ("Ana", "Ana1", False),
    ],
)
def test_names_are_compared_without_case(one: str, other: str, same: bool) -> None:
    assert (name_key(normal_name(one)) == name_key(normal_name(other))) is same


@given(st.text(max_size=60))
def test_what_has_been_normalised_stays_as_it_is(typed: str) -> None:
    try:
        name = normal_name(typed)
    except BadNameError:
        return
    assert normal_name(name) == name
    assert name_key(normal_name(name.upper() if len(name.upper()) <= LONGEST else name)) == name_key(name)


@given(st.text(max_size=80), st.text(max_size=64), st.integers(0, 40))
def test_an_account_from_elsewhere_always_gets_a_lawful_name(given_name: str, player_id: str, attempt: int) -> None:
    name = name_from_elsewhere(given_name, player_id, attempt)
    assert normal_name(name) == name


@given(st.text(max_size=80), st.text(max_size=64))
def test_every_attempt_at_a_name_from_elsewhere_gives_another_one(given_name: str, player_id: str) -> None:
    names = [name_from_elsewhere(given_name, player_id, attempt) for attempt in range(20)]
    assert len(set(names)) == len(names)
