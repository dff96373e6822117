"""The options of a match of Rentz: there are none (GAP-Z7)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """What the host decides before the start: nothing."""
