"""What games of bids and tricks show alike: names, figures, the cards on the table, bids, and tricks that were taken.

Messages of different games have the same fields here; which game it is, is said where they have to be found.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from rich.text import Text

from shared.gen.levata.table.v1 import game_pb2, table_pb2
from shared.terminal.games.view import Choice, Frame, HandCard, Lying, Middle
from shared.terminal.texts import Texts
from shared.terminal.widgets.cards import chip

GOOD = "#7fd77f"
BAD = "#ff7f7f"
PLAYED_BEATS = 1.0
TRICK_BEATS = 3.0


class PlayedCard(Protocol):
    """A card and who played it."""

    @property
    def seat(self) -> int:
        """The seat."""

    @property
    def card(self) -> str:
        """The card."""


def seat_name(table: table_pb2.Table, seat: int) -> str:
    """The name of whoever has a seat."""
    return table.seats[seat].name if seat < len(table.seats) else f"#{seat + 1}"


def signed(points: int) -> str:
    """A change of points with its sign; `0` without one."""
    return f"{points:+d}" if points else "0"


def change_text(points: int) -> Text:
    """A change of points in its colour."""
    return Text(signed(points), GOOD if points > 0 else BAD if points < 0 else "")


def changes(table: table_pb2.Table, points: Iterable[tuple[int, int]]) -> str:
    """Changes of points of seats, in words."""
    return ", ".join(f"{seat_name(table, seat)} {signed(change)}" for seat, change in points)


def own(action: game_pb2.GameAction) -> Any:
    """The action as its game has it."""
    return getattr(action, action.WhichOneof("game") or "", None)


def trump_text(card: str, texts: Texts) -> Text:
    """The turned card, or that there is no trump."""
    if not card:
        return Text(texts("tricks.no_trump"), "bold")
    return Text.assemble((texts("tricks.trump"), "bold"), chip(card))


def bids_text(bid_sum: int, cards: int, overbid: bool | None, texts: Texts) -> Text:
    """How the bids stand; `overbid` is None before all have bid."""
    if overbid is None:
        return Text(texts("tricks.bids", sum=bid_sum, cards=cards))
    if overbid:
        return Text(texts("tricks.overbid", sum=bid_sum, cards=cards), f"bold {BAD}")
    return Text(texts("tricks.underbid", sum=bid_sum, cards=cards), "bold #8fd0ff")


def bidding_ended(bid_sum: int, cards: int, overbid: bool, texts: Texts) -> Text:
    """That all have bid, and what it came to."""
    key = "tricks.ended.overbid" if overbid else "tricks.ended.underbid"
    return Text(texts(key, sum=bid_sum, cards=cards), "italic")


def bid_detail(bid: int, tricks: int, texts: Texts) -> tuple[Text, Text]:
    """Tricks and bid of a seat; in words and in brief."""
    colour = GOOD if bid == tricks else ""
    return (
        Text(texts("tricks.detail.bid", tricks=tricks, bid=bid), colour),
        Text(texts("tricks.detail.brief", tricks=tricks, bid=bid), colour),
    )


def dealer_drawn(table: table_pb2.Table, cards: Iterable[PlayedCard], following: str, texts: Texts) -> Text:
    """What everybody drew before the first hand; `following` says what the highest card means."""
    line = Text(texts("tricks.drew"), "italic")
    for drawn in cards:
        line.append(f"{seat_name(table, drawn.seat)} ").append_text(chip(drawn.card)).append(" ")
    line.rstrip()
    return line.append(f" — {following}")


def circles(cards: Sequence[PlayedCard], seats: int, holder: int | None) -> Sequence[Sequence[Lying]]:
    """The cards of a trick in rows of one card from each seat.

    The card that holds the trick is marked while one circle lies; of several, only the seat is known.
    """
    mark = len(cards) <= seats
    lying = [Lying(played.seat, played.card, mark and played.seat == holder) for played in cards]
    return [lying[start : start + max(1, seats)] for start in range(0, len(lying), max(1, seats))]


def on_trick(game: Any, seat: int) -> tuple[str, bool]:
    """The card that a seat has last put on the trick, empty when none; and whether it holds the trick."""
    played = [lying.card for lying in game.trick if lying.seat == seat]
    return (played[-1] if played else ""), bool(game.trick) and game.HasField("holder") and game.holder == seat


def middle(table: table_pb2.Table, game: Any, head: Sequence[Text], texts: Texts) -> Middle:
    """Lines of the game, the trick, the last trick."""
    past_title = Text()
    if game.last_trick and game.HasField("last_taker"):
        past_title = Text(texts("table.last_trick", name=seat_name(table, game.last_taker)), "dim")
    return Middle(
        head=head,
        trick=circles(game.trick, len(game.seats), game.holder if game.HasField("holder") else None),
        past_title=past_title,
        past=circles(game.last_trick, len(game.seats), None),
    )


def cards_in_hand(cards: Sequence[str], legal: Iterable[game_pb2.GameAction]) -> Sequence[HandCard]:
    """The cards in hand; those that may be played carry their action."""
    playable = {own(action).play: action for action in legal if own(action).WhichOneof("action") == "play"}
    return [HandCard(card, playable.get(card)) for card in cards]


def bid_choices(legal: Iterable[game_pb2.GameAction]) -> list[Choice]:
    """The bids that may be made."""
    bids = [action for action in legal if own(action).WhichOneof("action") == "bid"]
    return [Choice(str(own(action).bid), str(own(action).bid), action) for action in bids]


def action_words(action: game_pb2.GameAction, texts: Texts) -> Text:
    """A bid or a card as its player would say it."""
    done = own(action)
    return Text(texts("tricks.say.bid", bid=done.bid)) if done.WhichOneof("action") == "bid" else chip(done.play)


def action_sentence(name: str, action: game_pb2.GameAction, texts: Texts) -> Text:
    """That somebody bid or played a card."""
    done = own(action)
    if done.WhichOneof("action") == "bid":
        return Text(texts("tricks.did.bid", name=name, bid=done.bid))
    return Text.assemble(texts("tricks.did.play", name=name), chip(done.play))


def dealt_trump(card: str, texts: Texts) -> Text:
    """The end of a sentence on a deal: what is trump."""
    if not card:
        return Text(texts("tricks.dealt.no_trump"), "italic")
    return Text.assemble(texts("tricks.dealt.trump"), chip(card))


def trick_line(table: table_pb2.Table, cards: Sequence[PlayedCard], taker: int) -> Text:
    """A whole trick in a line: who led, the cards in the order played, who took it."""
    leader = seat_name(table, cards[0].seat) if cards else ""
    line = Text(f"  {leader}: ")
    for played in cards:
        line.append_text(chip(played.card, strong=played.seat == taker and len(cards) <= len(table.seats)))
        line.append(" ")
    return line.append(f"→ {seat_name(table, taker)}", "bold")


def frames(game: str, before: table_pb2.Table | None, update: table_pb2.Update) -> Sequence[Frame]:
    """What is to be seen of an update: a trick that was taken is shown whole before the table that follows it."""
    if not update.HasField("table"):
        return []
    shown = []
    beats = 0.0
    for event in update.events:
        kind = event.WhichOneof("event")
        if kind == "action_taken":
            beats = PLAYED_BEATS
        elif kind == "game" and getattr(event.game, game).WhichOneof("event") == "trick_taken":
            taken = getattr(event.game, game).trick_taken
            whole = table_pb2.Table()
            whole.CopyFrom(before if before is not None and before.HasField("game") else update.table)
            lying = getattr(whole.game, game)
            del lying.trick[:]
            lying.trick.extend(taken.cards)
            lying.holder = taken.seat
            whole.ClearField("decision")
            shown.append(Frame(whole, TRICK_BEATS))
            beats = 0.0
    shown.append(Frame(update.table, beats))
    return shown
