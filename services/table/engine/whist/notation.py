"""Whist in text: options and actions as they stand in records, logs and bug reports.

| text | meaning |
|---|---|
| `bid 2` | bid two tricks |
| `play TH` | play the ten of hearts |
| `deal AS TH ...` | the whole shuffled pack, in deal order; the first of a match is for the draw |

Options: `8-1-8` and `premium 5`, either, both in this order, or nothing for the defaults.
"""

from typing import Final

from services.table.engine.bidding import BIDS, Bid
from services.table.engine.cards import TEXT, cards_text, parse_card, parse_cards
from services.table.engine.game import Deal, NotationError
from services.table.engine.play import PLAYS, Play
from services.table.engine.whist.match import Action
from services.table.engine.whist.options import PATTERNS, PREMIUMS, Options

_DEFAULTS: Final = Options()


def options_text(options: Options) -> str:
    """Options in text; empty for the defaults."""
    words: list[str] = [] if options.pattern == _DEFAULTS.pattern else [options.pattern]
    if options.premium != _DEFAULTS.premium:
        words.append(f"premium {options.premium}")
    return " ".join(words)


_OPTIONS: Final[dict[str, Options]] = {
    options_text(options): options
    for options in [Options(pattern, premium) for pattern in PATTERNS for premium in PREMIUMS]
}


def parse_options(text: str) -> Options:
    """The options that `options_text` wrote. Raises `NotationError`."""
    options = _OPTIONS.get(" ".join(text.split()))
    if options is None:
        raise NotationError(f"{text!r} are no options of whist; expected nothing, 8-1-8, premium 5, premium 0, or both")
    return options


def action_text(action: Action | Deal) -> str:
    """An action in text."""
    if isinstance(action, Play):
        return f"play {TEXT[action.card]}"
    if isinstance(action, Bid):
        return f"bid {action.tricks}"
    return f"deal {cards_text(action.pack)}"


def parse_action(text: str) -> Action | Deal:
    """The action that `action_text` wrote. Raises `NotationError`."""
    verb, _, rest = text.partition(" ")
    if verb == "play" and rest:
        return PLAYS[parse_card(rest)]
    if verb == "bid" and len(rest) == 1 and rest in "012345678":
        return BIDS[int(rest)]
    if verb == "deal" and rest:
        return Deal(parse_cards(rest))
    raise NotationError(
        f"{text!r} is no action of whist; expected bid N with N from 0 to 8, play CARD, or deal CARD CARD ..."
    )
