"""People are told something of use for every reason, in both languages."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import grpc
import pytest

from shared.messages import TEXTS, Text, language_of, text

ROOT = Path(__file__).parents[2]
REASON = re.compile(r"[A-Z][A-Z]+(?:_[A-Z]+)*")
RAISERS = {"LevataError", "ErrorSpec", "IllegalAction", "_illegal", "_spec", "_malformed"}
"""Callables of the services that take a reason."""


def reasons_in_protos() -> set[str]:
    """Words in capitals inside the brackets of the comments about errors, such as `NOT_FOUND (TABLE_NOT_FOUND: …)`."""
    codes = {code.name for code in grpc.StatusCode}
    found: set[str] = set()
    for path in sorted((ROOT / "protos" / "levata").rglob("*.proto")):
        lines = [line.strip()[2:].strip() for line in path.read_text().splitlines() if line.strip().startswith("//")]
        comments = " ".join(lines)
        for code in codes:
            for group in re.findall(rf"\b{code} \(([^)]*)\)", comments):
                found |= {word for word in re.findall(r"\b[A-Z]+(?:_[A-Z]+)*\b", group) if len(word) > 2}
    return found - codes


def reasons_in_services() -> set[str]:
    """Reasons that the services' code names where it refuses."""
    return {
        reason
        for folder in ("services", "shared")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "gen" not in path.parts and "client" not in path.parts and "terminal" not in path.parts
        for reason in _reasons(ast.parse(path.read_text()))
    }


def _reasons(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name not in RAISERS:
            continue
        for value in (*node.args, *(keyword.value for keyword in node.keywords)):
            if isinstance(value, ast.Constant) and isinstance(value.value, str) and REASON.fullmatch(value.value):
                yield value.value


def test_the_contract_and_the_code_name_reasons() -> None:
    assert {"TABLE_NOT_FOUND", "NOT_YOUR_TURN", "TOO_FAST", "REFRESH_REUSED", "TICKET_OPEN"} <= reasons_in_protos()
    assert {"MUST_TRUMP", "DEPENDENCY_DOWN", "NOT_HOST"} <= reasons_in_services()


def test_every_reason_of_the_contract_has_a_text() -> None:
    assert reasons_in_protos() - set(TEXTS) == set()


def test_every_reason_of_the_code_has_a_text() -> None:
    assert reasons_in_services() - set(TEXTS) == set()


@pytest.mark.parametrize(("reason", "said"), sorted(TEXTS.items()))
def test_both_languages_say_something_with_the_same_placeholders(reason: str, said: Text) -> None:
    for line in (said.ro, said.en):
        assert line[0].isupper()
        assert line.endswith((".", "!", "?"))
    assert said.ro != said.en

    def fields(line: str) -> set[str | None]:
        return {name for _, name, _, _ in Formatter().parse(line)}

    assert fields(said.ro) == fields(said.en)
    # Romanian is written with commas below, not with cedillas.
    assert not set("şţŞŢ") & set(said.ro)


def test_placeholders_are_filled_and_never_shown() -> None:
    assert text("STALE_REVISION", "en", {"revision": "7"}) == "The table has changed meanwhile (revision 7)."
    assert "{" not in text("STALE_REVISION", "ro")
    # Metadata is data: braces in it are not looked into.
    assert "{reason}" in text("STALE_REVISION", "ro", {"revision": "{reason}"})


def test_an_unknown_reason_is_at_least_named() -> None:
    assert "NEW_REASON" in text("NEW_REASON", "ro")
    assert "NEW_REASON" in text("NEW_REASON", "en")


@pytest.mark.parametrize(
    ("header", "language"),
    [("", "ro"), ("en", "en"), ("EN-us", "en"), ("fr,en;q=0.1", "en"), ("en;q=0.3,ro;q=0.2", "en"), ("en;q=0", "ro")],
)
def test_the_better_language_is_chosen(header: str, language: str) -> None:
    assert language_of(header) == language


def test_romanian_texts_speak_to_the_player_as_politely_as_the_terminal_does() -> None:
    familiar = re.compile(
        r"\b(tu|te|ți|îți|tine|tău|ta|tale|ai|ești|stai|poți|vrei|intră|încearcă|așteaptă|joci)\b", re.IGNORECASE
    )
    assert {reason: told.ro for reason, told in TEXTS.items() if familiar.search(told.ro)} == {}
