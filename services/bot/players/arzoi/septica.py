"""Septica Arzoi (AZ-36 to AZ-46): cut for points, feed the partner, go on or leave."""

from services.bot.players.arzoi.view import ArzoiView
from services.table.engine.arzoi.actions import LEAVE, Action, Play
from services.table.engine.arzoi.position import Phase
from services.table.engine.arzoi.septica import points_in
from services.table.engine.cards import BIT, RANK_OF, mask_of

_CUTTER = 0.75
"""What a cutting card is worth in hand, in points."""
_PAIR = 0.15
"""What each further card of the same rank adds to a card in hand: one can go on with it."""
_POINT_CARD = 0.1
"""What a point card is worth in hand beside the point in it."""
_TRICK = 0.2
"""What any trick is worth beside its points: the lead, and no piele (AZ-44)."""
_FIRST_TRICK = 1.2
"""What the team's first trick is worth when the stock is gone."""


def choose(view: ArzoiView) -> Action:
    """The card that promises the team most points, or leaving the trick (AZ-41)."""
    seen = _Table(view)
    best = view.legal[0]
    best_worth = float("-inf")
    for action in view.legal:
        worth = seen.leaving() if action == LEAVE else seen.playing(action) if isinstance(action, Play) else 0.0
        if worth > best_worth:
            best, best_worth = action, worth
    return best


class _Table:
    """A decision of Septica, weighed in points of the team."""

    def __init__(self, view: ArzoiView) -> None:
        self.view = view
        self.team = view.seat % view.teams
        self.lying = points_in(view.size, mask_of(view.trick))
        self.fitting = RANK_OF[view.led] | view.size.cutters if view.trick else 0
        self.unseen = view.unseen
        self.holder = self._holder()
        mine = [view.tricks[seat] for seat in range(self.team, view.seats, view.teams)]
        self.trick_worth = _FIRST_TRICK if not sum(mine) and not view.stock else _TRICK

    def _holder(self) -> int:
        """The seat that holds the trick; -1 when no card lies."""
        holder = -1
        for offset, card in enumerate(self.view.trick):
            if offset == 0 or BIT[card] & self.fitting:
                holder = (self.view.leader + offset) % self.view.seats
        return holder

    def has_fitting(self, seat: int, fitting: int) -> float:
        """The chance that `seat` holds one of `fitting`."""
        cards = self.view.cards[seat]
        out = self.unseen.bit_count()
        wanted = (fitting & self.unseen).bit_count()
        none = 1.0
        for drawn in range(wanted):
            free = out - drawn
            if free <= cards:
                return 1.0
            none *= 1.0 - cards / free
        return 1.0 - none

    def team_keeps(self, holder: int, fitting: int, after: tuple[int, ...], stake: float) -> float:
        """The chance that our team has the trick in the end when `holder` has it now.

        Whoever can cut does so when it is worth it; so the more lies there, the likelier.
        """
        view = self.view
        ours = 1.0 if holder % view.teams == self.team else 0.0
        for seat in after:
            cuts = self.has_fitting(seat, fitting)
            if seat % view.teams == self.team:
                ours += (1.0 - ours) * cuts * min(0.9, 0.35 + 0.3 * stake)
            else:
                ours *= 1.0 - cuts * min(0.95, 0.3 + 0.3 * stake)
        opener = view.leader if view.trick else view.seat
        if opener == view.seat:
            again = (view.hand & fitting).bit_count() >= 2
            ours += (1.0 - ours) * (0.6 if again else 0.0)
        else:
            goes_on = self.has_fitting(opener, fitting) * min(0.8, 0.2 + 0.25 * stake)
            if opener % view.teams == self.team:
                ours += (1.0 - ours) * 0.6 * goes_on
            else:
                ours *= 1.0 - 0.6 * goes_on
        return ours

    def leaving(self) -> float:
        """What leaving the trick to its holder is worth."""
        ours = self.holder % self.view.teams == self.team
        return (self.lying + self.trick_worth) * (1.0 if ours else -1.0)

    def playing(self, action: Play) -> float:
        """What playing a card is worth."""
        view = self.view
        card = action.card
        first_of_circle = view.phase is Phase.CONTINUE or not view.trick
        fitting = self.fitting or RANK_OF[card] | view.size.cutters
        holder = view.seat if not view.trick or BIT[card] & fitting else self.holder
        after = view.next_seats if not first_of_circle else self._all_others()
        own = points_in(view.size, BIT[card])
        stake = self.lying + own + 0.25 * len(after)
        ours = self.team_keeps(holder, fitting, after, stake)
        worth = (2.0 * ours - 1.0) * (self.lying + own + self.trick_worth)
        return worth - self._kept(card)

    def _all_others(self) -> tuple[int, ...]:
        return tuple([(self.view.seat + step) % self.view.seats for step in range(1, self.view.seats)])

    def _kept(self, card: int) -> float:
        """What the card would be worth in hand."""
        view = self.view
        mates = (RANK_OF[card] & view.hand).bit_count() - 1
        worth = _PAIR * mates
        if BIT[card] & view.size.cutters:
            worth += _CUTTER
        if BIT[card] & view.size.septica_points:
            worth += _POINT_CARD
        return worth if view.hand.bit_count() > 1 else 0.0
