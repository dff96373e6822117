"""What names people may have, and when two names are the same.

A name is 2 to 24 letters, digits, blanks, dots, dashes or underscores. Letters are those of the languages around us
in Latin script, and of each family of look-alikes only one: no Cyrillic or Greek, no dotless i, no Icelandic eth
beside the Croatian đ, and ș and ț always with the comma below, however they were typed.
"""

import unicodedata

from services.ledger.errors import BadNameError

SHORTEST, LONGEST = 2, 24

_LETTERS = frozenset(
    "abcdefghijklmnopqrstuvwxyz"
    "ăâîșț"  # Romanian
    "áéíóöőúüű"  # Hungarian
    "äßàçèêëïôœùûÿæ"  # German, French
    "ñìòãõåø"  # Spanish, Italian, Portuguese, Nordic
    "ąćęłńśźż"  # Polish
    "čďěňřšťůýžĺľŕ"  # Czech, Slovak
    "đğ"  # South Slavic, Turkish
)
_OTHERS = frozenset("0123456789 .-_")
_ONE_SHAPE = str.maketrans({"ş": "ș", "Ş": "Ș", "ţ": "ț", "Ţ": "Ț", "‐": "-", "‑": "-", "–": "-"})


def normal_name(given: str) -> str:
    """The name as it will be shown: NFKC, no blanks at the ends or several in a row. Raises `BadNameError`."""
    name = " ".join(part for part in unicodedata.normalize("NFKC", given.translate(_ONE_SHAPE)).split(" ") if part)
    name = name.translate(_ONE_SHAPE)
    if not SHORTEST <= len(name) <= LONGEST:
        raise BadNameError(f"a name has {SHORTEST} to {LONGEST} characters")
    for character in name:
        if character not in _OTHERS and character.lower() not in _LETTERS:
            raise BadNameError(f"{character!a} cannot be part of a name")
    if not any(character.isalnum() for character in name):
        raise BadNameError("a name has at least one letter or digit")
    return name


def name_key(name: str) -> str:
    """What names are compared by: equal for names that differ in case only."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def name_from_elsewhere(given: str, player_id: str, attempt: int) -> str:
    """A lawful name for an account that another issuer keeps.

    Args:
        given: What the issuer calls the person; need not be lawful.
        player_id: The account.
        attempt: From 0; a later attempt gives another name, for when this one is taken.
    """
    try:
        name = normal_name(given)
    except BadNameError:
        name = "Oaspete"
        attempt += 1
    if attempt == 0:
        return name
    tail = "".join(character for character in player_id if character.isascii() and character.isalnum())[-4:] or "x"
    mark = f"-{tail}" if attempt == 1 else f"-{tail}-{attempt}"
    return f"{name[: LONGEST - len(mark)].rstrip()}{mark}"
