"""Occasions for a bot to say something, and how likely each makes it talk."""

from collections.abc import Mapping
from enum import StrEnum


class Occasion(StrEnum):
    """What just happened to the one who speaks."""

    GREETING = "greeting"
    """The first decision of a match."""
    CHOOSING = "choosing"
    """Chooses what is played next."""
    BID_NOTHING = "bid_nothing"
    """Bids nought."""
    BID_BIG = "bid_big"
    """Bids three or more, and at least half of the tricks."""
    BID_EVERYTHING = "bid_everything"
    """Bids every trick (AZ-23)."""
    BID_LAST = "bid_last"
    """Bids last, with one number forbidden (AZ-15)."""
    OVERBID = "overbid"
    """More tricks were bid than there are (AZ-16)."""
    UNDERBID = "underbid"
    """Fewer tricks were bid than there are (AZ-16)."""
    TRICK_TAKEN = "trick_taken"
    """Took the trick before."""
    TRICK_UNWANTED = "trick_unwanted"
    """Took one trick more than was bid, or one where none was wanted (RZ-9)."""
    BURNED = "burned"
    """Burned in the round before (AZ-22)."""
    MADE_IT = "made_it"
    """Made the bid in the round before (AZ-21)."""
    ALL_IN_MADE = "all_in_made"
    """Bid all and made them (AZ-23)."""
    ALL_BURNED = "all_burned"
    """Everybody burned; the round is replayed doubled (AZ-25)."""
    PERFECT_ORBIT = "perfect_orbit"
    """Got the bonus of a perfect orbit (AZ-24)."""
    TOTALE_MINUS = "totale_minus"
    """A Totale- begins, or a Totale of Rentz (RZ-10)."""
    TOTALE_PLUS = "totale_plus"
    """A Totale+ begins."""
    KING_TAKEN = "king_taken"
    """Took the king of hearts where it costs points."""
    KING_GIVEN = "king_given"
    """Gives the king of hearts away where it costs points."""
    TAKING_ALL = "taking_all"
    """Has all the points taken so far, and many (AZ-35)."""
    SEPTICA_CUT = "septica_cut"
    """Cuts a trick that another team holds (AZ-40)."""
    SEPTICA_GO_ON = "septica_go_on"
    """Goes on with a trick (AZ-41)."""
    SEPTICA_LEAVE = "septica_leave"
    """Leaves a trick (AZ-41)."""
    SEPTICA_POINTS = "septica_points"
    """The team took a trick with two points or more."""
    PIELE = "piele"
    """The other teams have no trick yet, and it is late (AZ-44)."""
    HAND_WON = "hand_won"
    """The hand before brought much (RZ-11, RZ-12, RZ-16)."""
    HAND_LOST = "hand_lost"
    """The hand before cost much (RZ-6 to RZ-10)."""
    QUEEN_TAKEN = "queen_taken"
    """Took a queen that costs points (RZ-7)."""
    ACE_PLACED = "ace_placed"
    """Places an ace on the layout (RZ-17)."""
    SEVEN_PLACED = "seven_placed"
    """Places a seven on the layout (RZ-18)."""
    PASSED = "passed"
    """Had no valid card for the layout at its turn before (RZ-14)."""
    LAST_CARD = "last_card"
    """Places its last card on the layout (RZ-16)."""
    WINNING = "winning"
    """Leads the match."""
    LOSING = "losing"
    """Is last in the match."""
    WAITING = "waiting"
    """Nothing in particular."""


EAGERNESS: Mapping[Occasion, float] = {
    Occasion.GREETING: 0.6,
    Occasion.CHOOSING: 0.6,
    Occasion.BID_NOTHING: 0.15,
    Occasion.BID_BIG: 0.5,
    Occasion.BID_EVERYTHING: 1.0,
    Occasion.BID_LAST: 0.2,
    Occasion.OVERBID: 0.15,
    Occasion.UNDERBID: 0.15,
    Occasion.TRICK_TAKEN: 0.12,
    Occasion.TRICK_UNWANTED: 0.8,
    Occasion.BURNED: 0.7,
    Occasion.MADE_IT: 0.5,
    Occasion.ALL_IN_MADE: 1.0,
    Occasion.ALL_BURNED: 0.8,
    Occasion.PERFECT_ORBIT: 1.0,
    Occasion.TOTALE_MINUS: 0.4,
    Occasion.TOTALE_PLUS: 0.4,
    Occasion.KING_TAKEN: 1.0,
    Occasion.KING_GIVEN: 0.9,
    Occasion.TAKING_ALL: 0.6,
    Occasion.SEPTICA_CUT: 0.4,
    Occasion.SEPTICA_GO_ON: 0.4,
    Occasion.SEPTICA_LEAVE: 0.25,
    Occasion.SEPTICA_POINTS: 0.6,
    Occasion.PIELE: 0.5,
    Occasion.HAND_WON: 0.6,
    Occasion.HAND_LOST: 0.6,
    Occasion.QUEEN_TAKEN: 0.6,
    Occasion.ACE_PLACED: 0.4,
    Occasion.SEVEN_PLACED: 0.4,
    Occasion.PASSED: 0.3,
    Occasion.LAST_CARD: 0.9,
    Occasion.WINNING: 0.08,
    Occasion.LOSING: 0.08,
    Occasion.WAITING: 0.04,
}
"""The chance that the most talkative bot says something; multiplied by how fond of talking the bot is."""
