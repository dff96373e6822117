"""Rules of thumb: a sensible move at once, for whoever cannot wait for a bot."""

from services.table.engine import bidding_thumb
from services.table.engine.bidding import BIDS
from services.table.engine.play import PLAYS
from services.table.engine.whist.match import Action, State
from services.table.engine.whist.position import Phase


def rule_of_thumb(state: State) -> Action:
    """The bid nearest to the tricks that the hand is worth, and cards that make the bid exactly.

    It reads the public part of a match and the hand of the seat to decide, and nothing else.
    """
    play = state.play
    if play is None:
        raise ValueError("no seat has to decide")
    if state.phase is Phase.PLAY:
        return PLAYS[bidding_thumb.card_to_the_bid(play, state.bids[play.seat])]
    hand = state.hand(state.decider())
    expected = bidding_thumb.expected_tricks(hand, state.trump_card, state.pack(), state.seats, state.cards_each)
    return BIDS[
        bidding_thumb.nearest_bid(
            expected, state.seats, state.cards_each, state.bids_made, state.bid_sum, state.forbidden_bid()
        )
    ]
