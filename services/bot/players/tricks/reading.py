"""Reading cards and tricks from messages, and refusing what contradicts itself."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from services.bot.errors import UnreadableViewError
from services.bot.players.tricks.view import TrickFacts, TrickView
from services.table.engine.cards import BIT, cards_of, mask_of, parse_card
from services.table.engine.game import NotationError
from services.table.engine.play import Play
from services.table.engine.tricks import Trick
from shared.gen.levata.table.v1 import table_pb2


class PlayedCard(Protocol):
    """A card and who played it, as every trick game has it on the wire."""

    @property
    def seat(self) -> int:
        """The seat."""

    @property
    def card(self) -> str:
        """The card."""


def card_of(text: str, field: str) -> int:
    """The card. Raises `UnreadableViewError`, naming `field`."""
    try:
        return parse_card(text)
    except NotationError as error:
        raise UnreadableViewError(field, "not a card") from error


def played_cards(cards: Sequence[PlayedCard], field: str, seats: int) -> tuple[int, ...]:
    """Cards of a trick, in the order played, each by the seat after the one before. Raises `UnreadableViewError`."""
    for offset, played in enumerate(cards):
        if played.seat != (cards[0].seat + offset) % seats:
            raise UnreadableViewError(field, "cards are not in the order of the seats")
    return tuple([card_of(played.card, field) for played in cards])


def past_tricks(game: str, table: Any, history: Iterable[table_pb2.Event], seats: int) -> tuple[Trick, ...]:
    """The tricks taken since the deal: those of the history, or else the last one, which everybody sees.

    Args:
        game: Name of the game.
        table: Its table.
        history: What happened since the deal.
        seats: Number of players.
    """
    tricks: list[Trick] = []
    for event in history:
        if event.WhichOneof("event") != "game" or event.game.WhichOneof("game") != game:
            continue
        happened = getattr(event.game, game)
        match happened.WhichOneof("event"):
            case "dealt":
                tricks.clear()
            case "trick_taken" if happened.trick_taken.cards:
                taken = happened.trick_taken
                cards = played_cards(taken.cards, "history", seats)
                tricks.append(Trick(taken.cards[0].seat, cards, taken.seat))
    if not tricks and table.last_trick:
        cards = played_cards(table.last_trick, f"table.game.{game}.last_trick", seats)
        tricks.append(Trick(table.last_trick[0].seat, cards, table.last_taker))
    return tuple(tricks)


def trick_facts(
    game: str, table: Any, seat: int, hand: Iterable[str], history: Iterable[table_pb2.Event]
) -> TrickFacts:
    """What `seat` was told of the deal.

    Args:
        game: Name of the game.
        table: Its table.
        seat: The seat.
        hand: Its cards.
        history: What happened since the deal; without it only the trick before is known.

    Raises:
        UnreadableViewError: The messages do not make sense together.
    """
    seats = len(table.seats)
    if seat >= seats:
        raise UnreadableViewError("private.seat", f"seat {seat} of {seats}")
    return TrickFacts(
        seat=seat,
        seats=seats,
        dealer=table.dealer,
        hand=mask_of([card_of(card, f"private.hand.{game}.cards") for card in hand]),
        scores=tuple([other.score for other in table.seats]),
        cards=tuple([other.cards for other in table.seats]),
        tricks=tuple([other.tricks for other in table.seats]),
        leader=table.trick[0].seat if table.trick else -1,
        trick=played_cards(table.trick, f"table.game.{game}.trick", seats),
        past=past_tricks(game, table, history, seats),
    )


def check_cards(view: TrickView, game: str) -> None:
    """Refuses a view whose cards contradict each other, so that players need not distrust it.

    Args:
        view: The view.
        game: Name of the game, to name the culprit by.
    """
    pack = mask_of(view.pack)
    seen = view.hand
    cards = [card for trick in view.past for card in trick.cards] + list(view.trick) + cards_of(view.shown)
    for card in cards:
        if BIT[card] & seen:
            raise UnreadableViewError("history", "the same card lies in two places")
        seen |= BIT[card]
    if seen & ~pack:
        raise UnreadableViewError(f"private.hand.{game}.cards", "a card is not in the pack")
    if view.hand.bit_count() != view.cards[view.seat]:
        raise UnreadableViewError(f"private.hand.{game}.cards", "not as many as the table says")
    if sum(view.cards) - view.cards[view.seat] > (pack & ~seen).bit_count():
        raise UnreadableViewError(f"table.game.{game}.seats", "more cards in hand than there are")
    if view.trick and (view.leader + len(view.trick)) % view.seats != view.seat:
        raise UnreadableViewError("private.seat", "it is the turn of another seat")
    if any(trick.leader >= view.seats or trick.taker >= view.seats for trick in view.past):
        raise UnreadableViewError("history", "a trick of a seat that there is not")
    for action in view.legal:
        if isinstance(action, Play) and not BIT[action.card] & view.hand:
            raise UnreadableViewError("private.legal_actions", "a card that is not in hand")
