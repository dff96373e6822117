"""Arzoi in text: options and actions as they stand in records, logs and bug reports.

| text | meaning |
|---|---|
| `whist 5`, `septica` | choose a variant |
| `bid 2` | bid two tricks |
| `play TH` | play the ten of hearts, also to go on with it in Septica |
| `leave` | leave a Septica trick |
| `deal AS TH ...` | the whole shuffled pack, in deal order |

Options: `no-whist-of-2`, or nothing.
"""

from typing import Final

from services.table.engine.arzoi.actions import BIDS, CHOICES, LEAVE, PLAYS, Action, Bid, Choose, Play
from services.table.engine.arzoi.options import Options
from services.table.engine.arzoi.packs import SEPTICA
from services.table.engine.arzoi.position import variant_text
from services.table.engine.cards import TEXT, cards_text, parse_card, parse_cards
from services.table.engine.game import Deal, NotationError

NO_WHIST_OF_2: Final = "no-whist-of-2"
_EXPECTED: Final = "expected whist N, septica, bid N, play CARD, leave, or deal CARD CARD ..."


def options_text(options: Options) -> str:
    """Options in text; empty for the defaults."""
    return NO_WHIST_OF_2 if options.no_whist_of_2 else ""


def parse_options(text: str) -> Options:
    """The options that `options_text` wrote. Raises `NotationError`."""
    words = text.split()
    if words == []:
        return Options()
    if words == [NO_WHIST_OF_2]:
        return Options(no_whist_of_2=True)
    raise NotationError(f"{text!r} are no options of Arzoi; expected nothing or {NO_WHIST_OF_2}")


def action_text(action: Action | Deal) -> str:
    """An action in text."""
    if isinstance(action, Play):
        return f"play {TEXT[action.card]}"
    if isinstance(action, Bid):
        return f"bid {action.tricks}"
    if isinstance(action, Choose):
        return variant_text(action.variant)
    if isinstance(action, Deal):
        return f"deal {cards_text(action.pack)}"
    return "leave"


def parse_action(text: str) -> Action | Deal:
    """The action that `action_text` wrote. Raises `NotationError`."""
    verb, _, rest = text.partition(" ")
    if verb == "play" and rest:
        return PLAYS[parse_card(rest)]
    if verb == "bid":
        return BIDS[_number(text, rest, 0, 8)]
    if verb == "whist":
        return CHOICES[_number(text, rest, 2, 8)]
    if text == "septica":
        return CHOICES[SEPTICA]
    if text == "leave":
        return LEAVE
    if verb == "deal" and rest:
        return Deal(parse_cards(rest))
    raise NotationError(f"{text!r} is no action of Arzoi; {_EXPECTED}")


def _number(text: str, word: str, least: int, most: int) -> int:
    if len(word) == 1 and word in "0123456789" and least <= int(word) <= most:
        return int(word)
    raise NotationError(
        f"{text!r} is no action of Arzoi; expected a number from {least} to {most} after the first word"
    )
