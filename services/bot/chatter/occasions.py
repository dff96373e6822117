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
    REMI_GREETING = "remi_greeting"
    """The first action of a match of Remi."""
    OPENS = "opens"
    """Lays the first meld (RM-14)."""
    LAYS_OFF = "lays_off"
    """Adds to a combination (RM-22)."""
    SWAPS_JOKER = "swaps_joker"
    """Takes a Joker from the table (RM-9)."""
    BREAKS_ROW = "breaks_row"
    """Takes from the depth of the row (RM-21)."""
    ANNOUNCES_ATU = "announces_atu"
    """Announces the Atu (RM-10)."""
    ANNOUNCES_TWO_TILES = "announces_two_tiles"
    """Announces two tiles (RM-25)."""
    CLOSES = "closes"
    """Gets rid of the last tile (RM-28)."""
    CLOSES_WITH_JOKER = "closes_with_joker"
    """Closes with a Joker (RM-29)."""
    ROUND_WON = "round_won"
    """Closed the round before."""
    CAUGHT = "caught"
    """Was left with much in hand in the round before (RM-31)."""
    FEW_TILES_THERE = "few_tiles_there"
    """Somebody else has few tiles left (RM-27)."""
    STUCK = "stuck"
    """Has not melded, and the pile runs low."""
    REMI_WINNING = "remi_winning"
    """Leads a match of Remi."""
    REMI_LOSING = "remi_losing"
    """Is last in a match of Remi."""
    REMI_WAITING = "remi_waiting"
    """Nothing in particular, at Remi."""


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
    Occasion.REMI_GREETING: 0.6,
    Occasion.OPENS: 0.6,
    Occasion.LAYS_OFF: 0.15,
    Occasion.SWAPS_JOKER: 0.8,
    Occasion.BREAKS_ROW: 0.5,
    Occasion.ANNOUNCES_ATU: 0.7,
    Occasion.ANNOUNCES_TWO_TILES: 0.6,
    Occasion.CLOSES: 0.9,
    Occasion.CLOSES_WITH_JOKER: 1.0,
    Occasion.ROUND_WON: 0.5,
    Occasion.CAUGHT: 0.6,
    Occasion.FEW_TILES_THERE: 0.12,
    Occasion.STUCK: 0.2,
    Occasion.REMI_WINNING: 0.06,
    Occasion.REMI_LOSING: 0.06,
    Occasion.REMI_WAITING: 0.04,
}
"""The chance that the most talkative bot says something; multiplied by how fond of talking the bot is."""
