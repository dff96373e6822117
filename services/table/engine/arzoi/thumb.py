"""Rules of thumb: a sensible move at once, for whoever cannot wait for a bot.

Everything here reads the public part of a match and the hand of the seat to decide, and nothing else.
"""

from services.table.engine import bidding_thumb
from services.table.engine.arzoi import septica, totale
from services.table.engine.arzoi.actions import BIDS, CHOICES, LEAVE, PLAYS, Action
from services.table.engine.arzoi.events import Part
from services.table.engine.arzoi.match import State
from services.table.engine.arzoi.packs import Size
from services.table.engine.arzoi.position import Phase
from services.table.engine.arzoi.septica import SepticaPlay
from services.table.engine.cards import BIT, HIGHER, RANK_COUNT, SUIT_OF, cards_of, mask_of
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
    return PLAYS[_totale_card(state, play, state.part is Part.TOTALE_PLUS)]


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


# Totale


def _totale_card(state: State, play: FollowSuit, hunting: bool) -> int:
    cards = cards_of(play.legal())
    last = len(play.trick) == state.seats - 1
    if not play.trick:
        seen = mask_of([card for trick in play.history for card in trick.cards]) | play.hands[play.seat]
        unseen = mask_of(state.size.pack) & ~seen
        if hunting:
            return min(cards, key=lambda card: ((HIGHER[card] & unseen).bit_count(), card))
        return max(cards, key=lambda card: _safety(card, unseen))
    winning = [card for card in cards if BIT[card] & play.beats]
    losing = [card for card in cards if not BIT[card] & play.beats]
    lying = totale.points_in(mask_of(play.trick))
    if hunting:
        if winning and (lying or not last or not losing):
            return winning[0] if not last else max(winning, key=lambda card: (totale.points_in(BIT[card]), card))
        return min(losing, key=lambda card: (totale.points_in(BIT[card]), -(card % RANK_COUNT)))
    if losing:
        return max(losing, key=lambda card: (totale.points_in(BIT[card]), -(card % RANK_COUNT)))
    if last:
        return min(winning, key=lambda card: (totale.points_in(BIT[card]), card))
    return max(winning, key=lambda card: card % RANK_COUNT)


def _safety(card: int, unseen: int) -> tuple[int, int]:
    """How unlikely it is that a lead of `card` takes points: how many unseen cards beat it, less its own points."""
    above = (HIGHER[card] & unseen).bit_count()
    in_suit = (SUIT_OF[card] & unseen).bit_count()
    return (min(above, 3) - (2 if in_suit == 0 else 0) - totale.points_in(BIT[card]), card % RANK_COUNT)


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
