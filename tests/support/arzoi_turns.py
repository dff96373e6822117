"""Random positions of Arzoi, and the turns that a table would send of them."""

import random
from collections.abc import Iterator, Sequence

from google.protobuf.timestamp_pb2 import Timestamp

from services.bot.players.arzoi.observing import view_of
from services.bot.players.game import Player
from services.table.engine.arzoi.actions import Action
from services.table.engine.arzoi.match import State
from services.table.engine.arzoi.options import Options
from services.table.engine.arzoi.septica import SepticaPlay
from services.table.engine.cards import cards_of, mask_of
from services.table.engine.game import Deal
from services.table.wire.arzoi import ArzoiWire
from shared.gen.levata.bot.v1 import bot_pb2
from shared.gen.levata.table.v1 import game_pb2, table_pb2

TABLE_ID = "abcdefghijklmnop"
WIRE = ArzoiWire()


def shuffled(state: State, rng: random.Random) -> Deal:
    """A deal for a state that needs one."""
    pack = list(state.pack())
    rng.shuffle(pack)
    return Deal(tuple(pack))


def decisions(
    seats: int, rng: random.Random, player: Player | None = None, everywhere: bool = False
) -> Iterator[tuple[State, Sequence[Action]]]:
    """Every decision of one match with its legal actions.

    Args:
        seats: Number of players.
        rng: Decides the packs and what is played at random.
        player: Plays the even seats; the others play at random, so that some make all their bids and some none.
        everywhere: `player` plays every seat.
    """
    state = State(Options(no_whist_of_2=rng.random() < 0.3), seats)
    while not state.is_over():
        if state.needs_deal():
            state.apply(None, shuffled(state, rng))
            continue
        legal = state.legal_actions()
        yield state, legal
        decision = state.decision()
        assert decision is not None
        action = rng.choice(legal)
        if player is not None and (everywhere or decision.seat % 2 == 0):
            action = player.decide(view_of(state), rng)
        state.apply(decision.seat, action)


def turn_of(
    state: State,
    revision: int = 7,
    level: table_pb2.BotLevel.ValueType = table_pb2.BOT_LEVEL_CLUB,
    talk: table_pb2.BotTalk.ValueType = table_pb2.BOT_TALK_SILENT,
    company: bool = False,
    deadline_seconds: float = 4e9,
) -> bot_pb2.BotTurn:
    """The turn that the table service sends for the decision of `state`."""
    decision = state.decision()
    assert decision is not None
    seat = decision.seat
    deadline = Timestamp()
    deadline.FromMicroseconds(int(deadline_seconds * 1e6))
    return bot_pb2.BotTurn(
        table_id=TABLE_ID,
        revision=revision,
        seat=seat,
        turn_token="token",
        deadline=deadline,
        table=table_pb2.Table(
            table_id=TABLE_ID,
            status=table_pb2.TABLE_STATUS_PLAYING,
            options=table_pb2.TableOptions(
                game=game_pb2.GameOptions(arzoi=WIRE.options_to_proto(state.options).arzoi),
                seats=state.seats,
                bot_talk=talk,
                bot_level=level,
            ),
            seats=[table_pb2.Seat(kind=table_pb2.SEAT_KIND_BOT, name=f"Bot {index}") for index in range(state.seats)],
            game=WIRE.table(state),
        ),
        private=table_pb2.Private(
            seat=seat,
            hand=WIRE.hand(state, seat),
            legal_actions=[WIRE.action_to_proto(action) for action in state.legal_actions()],
        ),
        history=[table_pb2.Event(game=event) for event in WIRE.history(state)],
        decided_by=table_pb2.DECIDED_BY_BOT,
        company=company,
    )


def with_other_hidden_cards(state: State, rng: random.Random) -> State:
    """A state that the seat to decide cannot tell from `state` by counts: everything hidden from it is dealt anew.

    Other hands, the stock and the cards set aside change places; their sizes stay.
    """
    copy = state.copy()
    decision = copy.decision()
    play = copy.play
    assert decision is not None
    if play is None:
        return copy
    others = [seat for seat in range(copy.seats) if seat != decision.seat]
    hidden = [card for seat in others for card in cards_of(play.hands[seat])]
    stock: tuple[int, ...] = ()
    if isinstance(play, SepticaPlay):
        stock = play.stock[play.drawn :]
    cards = [*hidden, *stock, *copy.aside]
    rng.shuffle(cards)
    for seat in others:
        count = play.hands[seat].bit_count()
        play.hands[seat] = mask_of(cards[:count])
        del cards[:count]
    if isinstance(play, SepticaPlay):
        play.stock = play.stock[: play.drawn] + tuple(cards[: len(stock)])
        del cards[: len(stock)]
    copy.aside = tuple(cards)
    return copy
