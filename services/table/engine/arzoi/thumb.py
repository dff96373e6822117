"""Rules of thumb: a sensible move at once, for whoever cannot wait for a bot.

Everything here reads the public part of a match and the hand of the seat to decide, and nothing else.
"""

from services.table.engine import bidding_thumb, points_thumb
from services.table.engine.arzoi import septica, totale
from services.table.engine.arzoi.actions import BIDS, CHOICES, LEAVE, PLAYS, Action
from services.table.engine.arzoi.events import Part
from services.table.engine.arzoi.match import State
from services.table.engine.arzoi.packs import Size
from services.table.engine.arzoi.position import Phase
from services.table.engine.arzoi.septica import SepticaPlay
from services.table.engine.cards import BIT, RANK_COUNT, cards_of, mask_of
from services.table.engine.tricks import FollowSuit


def rule_of_thumb(state: State) -> Action:
    """A sensible legal action for the seat to decide.

    The lowest whist that is left, else Septica (GAP-A29); the bid nearest to the tricks that the hand is worth; cards
    that make the bid exactly; in a Totale dodging or hunting points; in Septica taking points for the team.
    """
    if state.phase is Phase.CHOOSE:
        return CHOICES[state.variants_left[0]]
    if state.phase is Phase.BID:
        return BIDS[_bid(state)]
    play = state.play
    if isinstance(play, SepticaPlay):
        return _septica(state, play)
    if not isinstance(play, FollowSuit):
        raise ValueError("no seat has to decide")
    if state.part is Part.WHIST:
        return PLAYS[bidding_thumb.card_to_the_bid(play, state.bids[play.seat])]
    hunting = state.part is Part.TOTALE_PLUS
    return PLAYS[points_thumb.card_for_points(play, state.pack(), totale.points_in, hunting)]


# Whist


def expected_tricks(state: State, seat: int) -> float:
    """How many tricks the hand of `seat` is worth in the whist that is being bid."""
    return bidding_thumb.expected_tricks(
        state.hand(seat), state.trump_card, state.size.pack, state.seats, state.cards_each
    )


def _bid(state: State) -> int:
    expected = expected_tricks(state, state.decider())
    return bidding_thumb.nearest_bid(
        expected, state.seats, state.cards_each, state.bids_made, state.bid_sum, state.forbidden_bid()
    )


# Septica


def _septica(state: State, play: SepticaPlay) -> Action:
    size = state.size
    cards = cards_of(play.legal())
    ours = bool(play.trick) and play.holder % size.teams == play.seat % size.teams
    lying = septica.points_in(size, mask_of(play.trick))
    if state.phase is Phase.CONTINUE and (ours or lying == 0):
        return LEAVE
    fitting = [card for card in cards if BIT[card] & play.fitting]
    plain = [card for card in cards if not BIT[card] & play.fitting]
    if not play.trick or not plain:
        return PLAYS[_cheapest(size, cards)]
    last = (play.seat + 1) % state.seats == play.leader
    if ours:
        # Before an opponent can still cut nothing is given away; behind them all, a point card is a present.
        presents = [card for card in plain if BIT[card] & size.septica_points]
        return PLAYS[presents[0] if last and presents else _cheapest(size, plain)]
    if lying and fitting:
        return PLAYS[_cheapest(size, fitting)]
    if last and fitting and BIT[fitting[0]] & size.septica_points:
        return PLAYS[fitting[0]]
    return PLAYS[_cheapest(size, plain)]


def _cheapest(size: Size, cards: list[int]) -> int:
    """The card that one parts with most easily: cutters are dearest, then points, then high cards."""
    return min(
        cards,
        key=lambda card: (
            bool(BIT[card] & size.cutters),
            bool(BIT[card] & size.septica_points),
            -(card % RANK_COUNT),
        ),
    )
