"""The course of a match of whist: what may be done, and what follows from it."""

from collections.abc import Sequence

from services.table.engine.bidding import Bid, bidding_play
from services.table.engine.cards import BIT, CARD_COUNT, SUIT_OF
from services.table.engine.first_dealer import draw_dealer
from services.table.engine.play import Play, deal, plays_of
from services.table.engine.whist import scoring
from services.table.engine.whist.events import (
    BiddingEnded,
    Cell,
    Dealt,
    Event,
    Scored,
    ScoreRow,
    TrickTaken,
)
from services.table.engine.whist.position import Phase, Position

Action = Bid | Play
"""Any action of a player; beside these, chance deals (`Deal`)."""


class State(Position):
    """A match of whist in progress. It changes only by `apply`, and `apply` changes all or nothing."""

    __slots__ = ()

    def legal_cards(self) -> int:
        """The cards that the seat to decide may play, as a mask; 0 when no card is to be played."""
        play = self.play
        return 0 if play is None or play.bidding() else play.legal()

    def legal_actions(self) -> Sequence[Action]:
        """Every legal action of the seat to decide; empty when no seat decides.

        The order: bids ascending; cards in the order of a hand (highest first, suit by suit).
        """
        play = self.play
        if play is None:
            return []
        return self.legal_bids() if play.bidding() else plays_of(play.legal())

    # What is refused

    def headline(self) -> str:
        """The position in one line, of what everybody may see: for messages and logs."""
        words = [f"{self.seats} players, {self.options.pattern}, deal {self.number}/{len(self.deals)}"]
        words.append(f"{self.cards_each} cards each")
        if self.dealer >= 0:
            words.append(f"dealer {self.dealer}")
        return ", ".join(words + self.headline_end_with(self.trump_card))

    def _verify_action(self, action: object) -> None:
        if isinstance(action, Play):
            self._verify_play(action.card)
        elif isinstance(action, Bid):
            self._verify_bid(action.tricks)
        else:
            raise self._unknown(action)

    def _verify_play(self, card: int) -> None:
        play = self.play
        if play is None or play.bidding():
            raise self._wrong_phase("RW-7")
        if not (0 <= card < CARD_COUNT and BIT[card] & play.legal()):
            raise play.objection(card, "RW-7", self.headline())

    # What follows

    def _act(self, action: object) -> tuple[Event, ...]:
        if isinstance(action, Play):
            return self._play(action.card)
        assert isinstance(action, Bid)
        return self._bid(action.tricks)

    def _draw(self, pack: tuple[int, ...]) -> tuple[Event, ...]:
        """Seat i draws card i of the pack; who has the highest deals first (RW-4)."""
        event = draw_dealer(pack, self.seats)
        self.drawn = event.cards
        self.dealer = event.dealer
        self.phase = Phase.DEAL
        return (event,)

    def _deal(self, pack: tuple[int, ...]) -> tuple[Event, ...]:
        """Card i goes to seat (dealer + 1 + i) mod seats until everybody has enough; the next is turned (RW-5)."""
        if self.phase is Phase.DRAW:
            return self._draw(pack)
        seats = self.seats
        first = (self.dealer + 1) % seats
        cards = self.cards_each
        dealt = seats * cards
        trump = 0
        if dealt < len(pack):
            self.trump_card = pack[dealt]
            trump = SUIT_OF[self.trump_card]
        self.aside = pack[dealt + 1 :]
        self.play = bidding_play(deal(pack, seats, cards, first), first, trump, cards)
        self.phase = Phase.BID
        return (Dealt(self.number, self.dealer, cards, self.trump_card),)

    def _bid(self, tricks: int) -> tuple[Event, ...]:
        play = self.play
        assert play is not None
        play.bid(tricks)
        if play.bidding():
            return ()
        self.phase = Phase.PLAY
        return (BiddingEnded(play.bid_sum, play.bid_sum > play.cards_each),)

    def _play(self, card: int) -> tuple[Event, ...]:
        play = self.play
        assert play is not None
        taker = play.play(card)
        if taker < 0:
            return ()
        trick = play.last_trick()
        event = TrickTaken(taker, trick.leader, trick.cards)
        return (event,) if play.hands[taker] else (event, self._end_hand(play.bids, play.taken))

    def _end_hand(self, bids: list[int], tricks: list[int]) -> Scored:
        """Books the hand (RW-8, RW-9); then the deal moves on (RW-4), or the match is over."""
        cells: list[Cell] = []
        for seat in range(self.seats):
            bid = bids[seat]
            streak, premium = scoring.after(
                self.streaks[seat], bid == tricks[seat], self.cards_each, self.options.premium
            )
            cell = Cell(bid, tricks[seat], scoring.points(bid, tricks[seat]), premium, streak)
            self.streaks[seat] = streak
            self.points_so_far[seat] += cell.change
            cells.append(cell)
        row = ScoreRow(self.number, self.dealer, self.cards_each, tuple(cells))
        self.rows += (row,)
        self._clear_hand()
        if self.number == len(self.deals):
            self.phase = Phase.OVER
        else:
            self.phase = Phase.DEAL
            self.number += 1
            self.dealer = (self.dealer + 1) % self.seats
        return Scored(row)

    def _clear_hand(self) -> None:
        self.trump_card = -1
        self.play = None
        self.aside = ()
