"""Rentz in text: options and actions as they stand in records, logs and bug reports.

| text | meaning |
|---|---|
| `choose queens` | choose a subgame, by its name as in `Subgame` |
| `play TH` | play the ten of hearts |
| `deal AS TH ...` | the whole shuffled pack, in deal order; the first of a match is for the draw |

Options: there are none, so nothing.
"""

from typing import Final

from services.table.engine.cards import TEXT, cards_text, parse_card, parse_cards
from services.table.engine.game import Deal, NotationError
from services.table.engine.rentz.actions import CHOICES, PLAYS, Action, Choose, Play
from services.table.engine.rentz.options import Options
from services.table.engine.rentz.subgames import SUBGAMES

_CHOICES: Final[dict[str, Choose]] = {subgame.value: CHOICES[subgame] for subgame in SUBGAMES}


def options_text(options: Options) -> str:
    """Options as one line of text: empty, there are none."""
    return ""


def parse_options(text: str) -> Options:
    """The options that `options_text` wrote, as nothing. Raises `NotationError`."""
    if text.strip():
        raise NotationError(f"{text!r} are no options of Rentz; it has none, so expected nothing")
    return Options()


def action_text(action: Action | Deal) -> str:
    """An action in text."""
    if isinstance(action, Play):
        return f"play {TEXT[action.card]}"
    if isinstance(action, Choose):
        return f"choose {action.subgame.value}"
    return f"deal {cards_text(action.pack)}"


def parse_action(text: str) -> Action | Deal:
    """The action that `action_text` wrote. Raises `NotationError`."""
    verb, _, rest = text.partition(" ")
    if verb == "play" and rest:
        return PLAYS[parse_card(rest)]
    if verb == "choose" and rest in _CHOICES:
        return _CHOICES[rest]
    if verb == "deal" and rest:
        return Deal(parse_cards(rest))
    raise NotationError(
        f"{text!r} is no action of Rentz; expected choose SUBGAME with one of {', '.join(_CHOICES)}; "
        "play CARD, or deal CARD CARD ..."
    )
