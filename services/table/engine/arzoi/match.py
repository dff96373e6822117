"""The course of a match of Arzoi: what may be done, and what follows from it."""

from collections.abc import Sequence

from services.table.engine.arzoi import septica, totale, whist
from services.table.engine.arzoi.actions import CHOICES, LEAVE, Action, Bid, Choose, Leave, Play
from services.table.engine.arzoi.events import (
    BiddingEnded,
    Cell,
    Dealt,
    Event,
    OrbitEnded,
    Part,
    Scored,
    ScoreRow,
    TrickTaken,
)
from services.table.engine.arzoi.packs import SEPTICA
from services.table.engine.arzoi.position import Phase, Position, variant_text
from services.table.engine.arzoi.septica import HAND, SepticaPlay, septica_play
from services.table.engine.bidding import BiddingPlay, bidding_play
from services.table.engine.cards import BIT, CARD_COUNT, SUIT_OF, mask_of
from services.table.engine.play import deal, plays_of
from services.table.engine.tricks import follow_suit


class State(Position):
    """A match of Arzoi in progress. It changes only by `apply`, and `apply` changes all or nothing."""

    __slots__ = ()

    def legal_cards(self) -> int:
        """The cards that the seat to decide may play, as a mask; 0 when no card is to be played."""
        play = self.play
        if play is None or (isinstance(play, BiddingPlay) and play.bidding()):
            return 0
        return play.legal()

    def legal_actions(self) -> Sequence[Action]:
        """Every legal action of the seat to decide; empty when no seat decides.

        The order: whists ascending, then Septica; bids ascending; cards in the order of a hand (highest first, suit by
        suit); where the opener of a Septica trick decides, the fitting cards, then leaving.
        """
        play = self.play
        if play is None:
            return [CHOICES[variant] for variant in self.variants_left] if self.phase is Phase.CHOOSE else []
        if isinstance(play, BiddingPlay) and play.bidding():
            return self.legal_bids()
        plays = plays_of(play.legal())
        return [*plays, LEAVE] if isinstance(play, SepticaPlay) and play.continuing else plays

    # What is refused

    def headline(self) -> str:
        """The position in one line, of what everybody may see: for messages and logs."""
        words = [f"{self.size.seats} players, orbit {self.orbit}"]
        if self.variant:
            words.append(variant_text(self.variant))
        if self.part is not None:
            words.append(
                f"{self.part.value} round {self.round}/{self.rounds} attempt {self.attempt} dealer {self.dealer}"
            )
        return ", ".join(words + self.headline_end_with(self.trump_card))

    def _verify_action(self, action: object) -> None:
        if isinstance(action, Play):
            self._verify_play(action.card)
        elif isinstance(action, Bid):
            self._verify_bid(action.tricks)
        elif isinstance(action, Leave):
            if self.phase is not Phase.CONTINUE:
                raise self._illegal(
                    "CANNOT_LEAVE", "AZ-41", "only the opener of a Septica trick that another holds may leave it"
                )
        elif isinstance(action, Choose):
            self._verify_choice(action.variant)
        else:
            raise self._unknown(action)

    def _verify_choice(self, variant: int) -> None:
        if self.phase is not Phase.CHOOSE:
            raise self._wrong_phase("AZ-7")
        if variant in self.variants_left:
            return
        if variant in self.size.variants(self.options.no_whist_of_2):
            raise self._illegal("VARIANT_PLAYED", "AZ-8", f"{variant_text(variant)} has been played")
        if variant == SEPTICA:
            raise self._illegal("VARIANT_UNKNOWN", "AZ-5", f"there is no Septica with {self.size.seats} players")
        if variant == 2:
            raise self._illegal("VARIANT_UNKNOWN", "AZ-52", "this table plays no whist of 2")
        raise self._illegal("VARIANT_UNKNOWN", "AZ-4", f"whists here are of 2 to {self.size.whist_max} cards")

    def _verify_play(self, card: int) -> None:
        play = self.play
        if play is None or (isinstance(play, BiddingPlay) and play.bidding()):
            raise self._wrong_phase("AZ-17")
        if not (0 <= card < CARD_COUNT and BIT[card] & play.legal()):
            rule = "AZ-39" if self.part is Part.SEPTICA else "AZ-18" if self.part is Part.WHIST else "AZ-32"
            raise play.objection(card, rule, self.headline())

    # What follows

    def _act(self, action: object) -> tuple[Event, ...]:
        if isinstance(action, Play):
            return self._play(action.card)
        if isinstance(action, Bid):
            return self._bid(action.tricks)
        if isinstance(action, Choose):
            return self._choose(action.variant)
        assert isinstance(action, Leave)
        return self._leave()

    def _choose(self, variant: int) -> tuple[Event, ...]:
        self.variant = variant
        self.variants_left = tuple([left for left in self.variants_left if left != variant])
        if variant == SEPTICA:
            self._start_part(Part.SEPTICA, HAND, self.size.seats)
        else:
            self._start_part(Part.WHIST, variant, self.size.seats)
        return ()

    def _start_part(self, part: Part, cards_each: int, rounds: int) -> None:
        self.part = part
        self.cards_each = cards_each
        self.rounds = rounds
        self._start_round(1, 1, self.dealer)

    def _start_round(self, number: int, attempt: int, dealer: int) -> None:
        self.round = number
        self.attempt = attempt
        self.dealer = dealer
        self._clear_round()
        self.phase = Phase.DEAL

    def _clear_round(self) -> None:
        seats = self.size.seats
        self.trump_card = -1
        self.play = None
        self.points = [0] * seats
        self.in_play = 0
        self.aside = ()

    def _deal(self, pack: tuple[int, ...]) -> tuple[Event, ...]:
        """Card i goes to seat (dealer + 1 + i) mod seats until everybody has enough.

        The next card is the turned trump (AZ-13, GAP-A28), the first of those set aside (AZ-31) or the front of the
        stock (AZ-42).
        """
        seats = self.size.seats
        first = (self.dealer + 1) % seats
        dealt = seats * self.cards_each
        hands = deal(pack, seats, self.cards_each, first)
        part = self.part
        assert part is not None
        self.phase = Phase.PLAY
        if part is Part.SEPTICA:
            self.play = septica_play(self.size, hands, pack[dealt:], first)
        elif part is Part.WHIST:
            self.phase = Phase.BID
            trump = 0
            if dealt < len(pack):
                self.trump_card = pack[dealt]
                trump = SUIT_OF[self.trump_card]
            self.aside = pack[dealt + 1 :]
            self.play = bidding_play(hands, first, trump, self.cards_each)
        else:
            self.aside = pack[dealt:]
            self.in_play = totale.points_in(mask_of(pack[:dealt]))
            self.play = follow_suit(hands, first, 0)
        return (Dealt(part, self.round, self.attempt, self.dealer, self.cards_each, self.trump_card),)

    def _bid(self, tricks: int) -> tuple[Event, ...]:
        play = self.bidding_play()
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
        if taker >= 0:
            return self._trick_taken(taker)
        if isinstance(play, SepticaPlay):
            self.phase = Phase.CONTINUE if play.continuing else Phase.PLAY
        return ()

    def _leave(self) -> tuple[Event, ...]:
        play = self.play
        assert isinstance(play, SepticaPlay)
        return self._trick_taken(play.take())

    def _trick_taken(self, taker: int) -> tuple[Event, ...]:
        play = self.play
        assert play is not None
        trick = play.last_trick()
        points = 0
        if self.part is Part.SEPTICA:
            points = septica.points_in(self.size, mask_of(trick.cards))
        elif self.part is not Part.WHIST:
            points = totale.points_in(mask_of(trick.cards))
        self.points[taker] += points
        self.phase = Phase.PLAY
        event = TrickTaken(taker, trick.leader, self.size.seats, trick.cards, points)
        if play.hands[taker]:
            return (event,)
        if self.part is Part.WHIST:
            return (event, *self._end_whist_round(play.taken))
        if self.part is Part.SEPTICA:
            return (event, *self._end_septica_round(play.taken))
        return (event, *self._end_totale(play.taken))

    def _end_whist_round(self, tricks: list[int]) -> tuple[Event, ...]:
        seats = self.size.seats
        everybody = (1 << seats) - 1
        bids = self.bids
        burned = whist.burned(bids, tricks)
        changes = [whist.points(bids[seat], tricks[seat], self.cards_each, self.multiplier) for seat in range(seats)]
        scored = self._score(changes, tricks, burned, burned == everybody)
        if burned == everybody:
            self._start_round(self.round, self.attempt + 1, self.dealer)
            return (scored,)
        self.burned |= burned
        self.burned_always &= burned
        if self.round == self.rounds:
            return (scored, *self._end_whist_orbit(False))
        if self.burned == everybody:
            return (scored, *self._end_whist_orbit(True))
        self._start_round(self.round + 1, 1, (self.dealer + 1) % seats)
        return (scored,)

    def _end_whist_orbit(self, early: bool) -> tuple[Event, ...]:
        """Books the bonus of perfect orbits (AZ-24, GAP-A34), then starts the Totale (AZ-28 to AZ-30, GAP-A8)."""
        seats = self.size.seats
        perfect = tuple([seat for seat in range(seats) if not self.burned >> seat & 1])
        events: list[Event] = []
        if perfect:
            bonus = [whist.PERFECT if seat in perfect else 0 for seat in range(seats)]
            self.round = 0
            self.attempt = 1
            self._clear_round()
            events.append(self._score(bonus, [0] * seats, 0, False))
            self.totale_minus_left = len(perfect)
            self.totale_plus_left = self.burned_always.bit_count()
        events.append(OrbitEnded(self.variant, early, perfect, self.totale_minus_left, self.totale_plus_left))
        self._next_totale()
        return tuple(events)

    def _next_totale(self) -> None:
        """Starts the next Totale of the orbit: first all Totale-, then all Totale+ (GAP-A9), then the next orbit."""
        dealer = (self.dealer + 1) % self.size.seats
        if self.totale_minus_left:
            part, left = Part.TOTALE_MINUS, self.totale_minus_left
        elif self.totale_plus_left:
            part, left = Part.TOTALE_PLUS, self.totale_plus_left
        else:
            self._end_orbit()
            return
        if self.part is part:
            self._start_round(self.round + 1, 1, dealer)
        else:
            self.dealer = dealer
            self._start_part(part, self.size.totale_cards, left)

    def _end_totale(self, tricks: list[int]) -> tuple[Event, ...]:
        plus = self.part is Part.TOTALE_PLUS
        scored = self._score(totale.changes(self.points, self.in_play, plus), tricks, 0, False)
        if plus:
            self.totale_plus_left -= 1
        else:
            self.totale_minus_left -= 1
        self._next_totale()
        return (scored,)

    def _end_septica_round(self, tricks: list[int]) -> tuple[Event, ...]:
        teams = self.size.teams
        tied = septica.winner(septica.team_sums(teams, self.points)) < 0
        scored = self._score(septica.changes(teams, self.points, tricks, self.multiplier), tricks, 0, tied)
        if tied:
            self._start_round(self.round, self.attempt + 1, self.dealer)
            return (scored,)
        if self.round < self.rounds:
            self._start_round(self.round + 1, 1, (self.dealer + 1) % self.size.seats)
            return (scored,)
        self._end_orbit()
        return (scored, OrbitEnded(SEPTICA, False, (), 0, 0))

    def _score(self, changes: Sequence[int], tricks: Sequence[int], burned: int, replayed: bool) -> Scored:
        part = self.part
        assert part is not None
        bids = self.bids
        cells: list[Cell] = []
        for seat in range(self.size.seats):
            bid = bids[seat]
            cells.append(
                Cell(None if bid < 0 else bid, tricks[seat], self.points[seat], changes[seat], bool(burned >> seat & 1))
            )
            self.points_so_far[seat] += changes[seat]
        row = ScoreRow(self.orbit, part, self.variant, self.round, self.attempt, self.dealer, replayed, tuple(cells))
        self.rows += (row,)
        return Scored(row)

    def _end_orbit(self) -> None:
        """The right to choose moves on (AZ-9, GAP-A9), or the match is over (AZ-10)."""
        self._clear_round()
        self.part = None
        self.variant = 0
        self.round = 0
        self.rounds = 0
        self.attempt = 1
        self.cards_each = 0
        self.burned = 0
        self.burned_always = (1 << self.size.seats) - 1
        if not self.variants_left:
            self.phase = Phase.OVER
            return
        self.phase = Phase.CHOOSE
        self.orbit += 1
        self.chooser = (self.chooser + 1) % self.size.seats
        self.dealer = self.chooser
