"""The course of a match of Rentz: what may be done, and what follows from it."""

from collections.abc import Sequence

from services.table.engine.cards import BIT, CARD_COUNT, cards_of, cards_text
from services.table.engine.first_dealer import draw_dealer
from services.table.engine.play import deal, plays_of
from services.table.engine.rentz.actions import CHOICES, Action, Choose, Play
from services.table.engine.rentz.events import Chosen, Dealt, Event, Scored, ScoreRow
from services.table.engine.rentz.layout import LayoutHand, layout_hand
from services.table.engine.rentz.position import HANDS, Phase, Position
from services.table.engine.rentz.subgames import HAND, SEATS, Subgame
from services.table.engine.rentz.telling import layout_events, trick_event
from services.table.engine.rentz.tricks import TrickHand, trick_hand


class State(Position):
    """A match of Rentz in progress. It changes only by `apply`, and `apply` changes all or nothing."""

    __slots__ = ()

    def legal_cards(self) -> int:
        """The cards that the seat to decide may play, as a mask; 0 when no card is to be played."""
        return 0 if self.play is None else self.play.legal()

    def legal_actions(self) -> Sequence[Action]:
        """Every legal action of the seat to decide; empty when no seat decides.

        The order: subgames in the order of RZ-6 to RZ-13; cards in the order of a hand (highest first, suit by suit).
        """
        if self.play is not None:
            return plays_of(self.play.legal())
        if self.phase is Phase.CHOOSE:
            return [CHOICES[subgame] for subgame in self.choices_left()]
        return []

    # What is refused

    def headline(self) -> str:
        """The position in one line, of what everybody may see: for messages and logs."""
        words = [f"hand {self.number}/{HANDS}"]
        if self.dealer >= 0:
            words.append(f"dealer {self.dealer}")
        if self.subgame is not None:
            words.append(self.subgame.value)
        layout = self.layout
        if layout is not None and layout.laid:
            words.append(f"laid out {cards_text(cards_of(layout.laid))}")
        return ", ".join(words + self.headline_end())

    def _verify_action(self, action: object) -> None:
        if isinstance(action, Play):
            self._verify_play(action.card)
        elif isinstance(action, Choose):
            self._verify_choice(action.subgame)
        else:
            raise self._unknown(action)

    def _verify_choice(self, subgame: Subgame) -> None:
        if self.phase is not Phase.CHOOSE:
            raise self._wrong_phase("RZ-3")
        if subgame not in self.choices_left():
            raise self._illegal("SUBGAME_PLAYED", "GAP-Z3", f"seat {self.dealer} has chosen {subgame.value} before")

    def _verify_play(self, card: int) -> None:
        play = self.play
        if play is None:
            raise self._wrong_phase("RZ-5")
        if not (0 <= card < CARD_COUNT and BIT[card] & play.legal()):
            rule = "RZ-5" if isinstance(play, TrickHand) else "RZ-13"
            raise play.objection(card, rule, self.headline())

    # What follows

    def _act(self, action: object) -> tuple[Event, ...]:
        if isinstance(action, Play):
            return self._play(action.card)
        assert isinstance(action, Choose)
        return self._choose(action.subgame)

    def _draw(self, pack: tuple[int, ...]) -> tuple[Event, ...]:
        """Seat i draws card i of the pack; who has the highest chooses first (GAP-Z4)."""
        event = draw_dealer(pack, SEATS)
        self.drawn = event.cards
        self.dealer = event.dealer
        self.phase = Phase.DEAL
        return (event,)

    def _deal(self, pack: tuple[int, ...]) -> tuple[Event, ...]:
        """Card i goes to seat (dealer + i) mod 4, the whole pack."""
        if self.phase is Phase.DRAW:
            return self._draw(pack)
        self.dealt = tuple(deal(pack, SEATS, HAND, self.dealer))
        self.phase = Phase.CHOOSE
        return (Dealt(self.number, self.dealer),)

    def _choose(self, subgame: Subgame) -> tuple[Event, ...]:
        """The dealer's choice, after the deal; then the dealer leads (RZ-3, RZ-5, GAP-Z2)."""
        hands = list(self.dealt)
        self.dealt = ()
        self.subgame = subgame
        self.phase = Phase.PLAY
        chosen = Chosen(self.dealer, subgame)
        if subgame is not Subgame.RENTZ:
            self.play = trick_hand(subgame, hands, self.dealer)
            return (chosen,)
        layout = layout_hand(hands, self.dealer)
        self.play = layout
        return (chosen, *layout_events(layout, 0))

    def _play(self, card: int) -> tuple[Event, ...]:
        play = self.play
        if isinstance(play, LayoutHand):
            return self._place(play, card)
        assert play is not None
        if play.play(card) < 0:
            return ()
        event = trick_event(play, play.last_trick())
        return (event, self._end_hand(play.points)) if play.is_over() else (event,)

    def _place(self, play: LayoutHand, card: int) -> tuple[Event, ...]:
        told = len(play.history)
        play.play(card)
        events = layout_events(play, told)
        return (*events, self._end_hand(play.points)) if play.is_over() else tuple(events)

    def _end_hand(self, points: list[int]) -> Scored:
        """Books the hand (RZ-6 to RZ-16); then the choice moves on (RZ-3, GAP-Z4), or the match is over (RZ-19)."""
        subgame = self.subgame
        assert subgame is not None
        row = ScoreRow(self.number, self.dealer, subgame, tuple(points))
        for seat in range(SEATS):
            self.points_so_far[seat] += points[seat]
        self.rows += (row,)
        self.play = None
        self.subgame = None
        if self.number == HANDS:
            self.phase = Phase.OVER
        else:
            self.phase = Phase.DEAL
            self.number += 1
            self.dealer = (self.dealer + 1) % SEATS
        return Scored(row)
