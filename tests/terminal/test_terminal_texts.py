import re
import string
from pathlib import Path

import pytest

import shared.terminal
from shared.terminal.texts import CATALOGUE, LANGUAGES, Texts

SOURCES = [
    path.read_text()
    for path in Path(shared.terminal.__file__).parent.rglob("*.py")
    if path.name != "texts.py" and path.parent.name != "catalogue"
]


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("key", CATALOGUE)
def test_every_text_is_there_in_both_languages_with_the_same_placeholders(key: str) -> None:
    texts = CATALOGUE[key]
    assert len(texts) == len(LANGUAGES)
    assert all(texts)
    assert len({frozenset(placeholders(text)) for text in texts}) == 1


def test_every_key_that_the_code_names_is_in_the_catalogue() -> None:
    named = {key for source in SOURCES for key in re.findall(r'texts\(\s*"([a-z0-9_.]+)"', source)}
    assert len(named) > 80
    assert named <= set(CATALOGUE)


def test_every_text_of_the_catalogue_is_used_somewhere() -> None:
    whole = "\n".join(SOURCES)
    begun = set(re.findall(r"""f["']([a-z_.]+\.)\{""", whole))
    unused = {
        key
        for key in CATALOGUE
        if not re.search(rf"""["']{re.escape(key)}["']""", whole)
        and not any(key.startswith(prefix) for prefix in begun)
    }
    assert sorted(unused) == []


def test_an_unknown_language_is_taken_for_romanian() -> None:
    assert Texts("fr").language == "ro"
    assert Texts("en")("answer.yes") == "Yes"
