"""The options of a match of Arzoi."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """What the host decides before the start.

    Attributes:
        no_whist_of_2: Leaves out the whist of 2 (AZ-52, GAP-A22).
    """

    no_whist_of_2: bool = False
