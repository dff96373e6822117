"""Tables in every phase of Rentz, as the table service would send them; the widest values there can be."""

from collections.abc import Iterable, Sequence

from shared.gen.levata.table.v1 import game_pb2, rentz_pb2, table_pb2
from tests.support.arzoi_positions import LONG_NAME, MATCH_ID, OWN, TABLE_ID, seat_list

NAMES = ("Ana", "Bot1", "Bot2", "Bot3")
WIDE_SCORE = -2350
HAND = ("AS", "9S", "7S", "TH", "QD", "8D", "KC", "TC")
SUBGAMES = tuple(rentz_pb2.RentzSubgame.ValueType(number) for number in range(1, 9))
KING, QUEENS, DIAMONDS, TRICKS, TOTALE, TEN, WHIST, RENTZ = SUBGAMES
PHASES = ("choose", "queens", "totale", "whist", "layout", "over")


def play(card: str) -> game_pb2.GameAction:
    return game_pb2.GameAction(rentz=rentz_pb2.RentzAction(play=card))


def choose(subgame: rentz_pb2.RentzSubgame.ValueType) -> game_pb2.GameAction:
    return game_pb2.GameAction(rentz=rentz_pb2.RentzAction(choose=subgame))


def happened(**event: object) -> table_pb2.Event:
    return table_pb2.Event(game=game_pb2.GameEvent(rentz=rentz_pb2.RentzEvent(**event)))  # type: ignore[arg-type]


def taken(seat: int, action: game_pb2.GameAction) -> table_pb2.Event:
    by = table_pb2.DECIDED_BY_BOT
    return table_pb2.Event(action_taken=table_pb2.ActionTaken(seat=seat, action=action, decided_by=by))


def cards_of(cards: Iterable[tuple[int, str]]) -> list[rentz_pb2.RentzPlayedCard]:
    return [rentz_pb2.RentzPlayedCard(seat=seat, card=card) for seat, card in cards]


def runs(**ends: str) -> list[rentz_pb2.RentzRun]:
    """A layout: for each suit that has begun its ends, such as `S="TQ"`; in the order S H D C."""
    return [
        rentz_pb2.RentzRun(suit=suit, low=f"{ends[suit][0]}{suit}", high=f"{ends[suit][1]}{suit}")
        if suit in ends
        else rentz_pb2.RentzRun(suit=suit)
        for suit in "SHDC"
    ]


def position(phase: str, *, own: int | None = 0, wide: bool = False) -> table_pb2.Update:
    """A snapshot in the sixth hand, in the phase of that name; with `wide` all values are as wide as they come."""
    game = rentz_pb2.RentzTable(number=6, hands=32, dealer=1, phase=rentz_pb2.RENTZ_PHASE_PLAY)
    game.drawn.extend(cards_of(enumerate(("AS", "8D", "7C", "KD"))))
    for index in range(4):
        game.seats.add(score=WIDE_SCORE if wide else 10 * index - 40, cards=8, chosen=[QUEENS, TEN][: 1 + (index == 0)])
    table = table_pb2.Table(
        table_id=TABLE_ID,
        status=table_pb2.TABLE_STATUS_PLAYING,
        options=table_pb2.TableOptions(game=game_pb2.GameOptions(rentz=rentz_pb2.RentzOptions()), seats=4),
        seats=seat_list(4, names=[LONG_NAME] * 4 if wide else NAMES, own=own),
        host_player_id=OWN,
        match_id=MATCH_ID,
        decision=table_pb2.Decision(seat=own or 0),
    )
    hand: Sequence[str] = HAND
    legal: list[game_pb2.GameAction] = []
    match phase:
        case "choose":
            game.phase = rentz_pb2.RENTZ_PHASE_CHOOSE
            game.dealer = own or 0
            game.number = 9 if own is not None else 6
            open_ones = SUBGAMES if wide else [subgame for subgame in SUBGAMES if subgame not in (QUEENS, TEN)]
            legal = [choose(subgame) for subgame in open_ones]
        case "queens" | "totale" | "whist":
            _tricks(game, phase, wide)
            hand = HAND[:7]
            legal = [play("QD"), play("8D")]
        case "layout":
            _layout(game, wide)
            legal = [play("9S"), play("TH"), play("QD")]
        case "over":
            _over(table, game)
            hand = ()
        case _:
            raise ValueError(phase)
    table.game.rentz.CopyFrom(game)
    private = table_pb2.Private()
    if own is not None:
        private.seat = own
        private.hand.rentz.cards.extend(hand)
        private.legal_actions.extend(legal)
    update = table_pb2.Update(revision=1, table=table, private=private, snapshot=True)
    update.score_sheet.rentz.CopyFrom(score_sheet(32 if wide or phase == "over" else 5))
    return update


def _tricks(game: rentz_pb2.RentzTable, phase: str, wide: bool) -> None:
    game.subgame = {"queens": QUEENS, "totale": TOTALE, "whist": WHIST}[phase]
    game.trick.extend(cards_of([(1, "AD"), (2, "7D"), (3, "TD")]))
    game.last_trick.extend(cards_of([(0, "AC"), (1, "QC"), (2, "TC"), (3, "JH")]))
    game.holder = 1
    game.last_taker = 0
    for seat in game.seats:
        seat.cards = 7
    game.seats[0].tricks = 1
    game.seats[0].points = 50 if phase == "whist" else -40 if phase == "queens" else -90
    if phase != "whist":
        game.seats[0].captured.append("QC")
    if wide and phase == "totale":
        for seat in game.seats:
            seat.tricks, seat.points = 6, -980
            seat.captured[:] = ["KH", "QS", "QH", "QD", "QC", "AD", "KD", "JD", "TD", "9D", "8D", "7D"]


def _layout(game: rentz_pb2.RentzTable, wide: bool) -> None:
    game.subgame = rentz_pb2.RENTZ_SUBGAME_RENTZ
    game.layout.extend(runs(S="7A", H="7A", D="7A", C="7A") if wide else runs(S="TA", H="JJ", D="7J"))
    for index, seat in enumerate(game.seats):
        seat.cards = 8 if index == 0 else 3
    game.seats[1].placed = "TC" if wide else "7D"
    game.seats[2].waited = True
    game.seats[3].passed = True
    if wide:
        game.seats[1].finished, game.seats[1].points, game.seats[1].cards = 1, 400, 0
        game.again = True


def _over(table: table_pb2.Table, game: rentz_pb2.RentzTable) -> None:
    game.phase = rentz_pb2.RENTZ_PHASE_OVER
    game.number = 32
    for seat in game.seats:
        seat.chosen[:] = SUBGAMES
    table.status = table_pb2.TABLE_STATUS_FINISHED
    table.ClearField("decision")
    for index, points in enumerate((200, -500, -1000, -1500)):
        table.standings.add(seat=index, points=points, place=index + 1)


def score_sheet(hands: int) -> rentz_pb2.RentzScoreSheet:
    """The rows of the first `hands` hands; everybody chooses the subgames in their order."""
    sheet = rentz_pb2.RentzScoreSheet()
    for number in range(1, hands + 1):
        subgame = SUBGAMES[(number - 1) // 4]
        sheet.rows.add(number=number, dealer=(number - 1) % 4, subgame=subgame, points=[-980, 0, -20, 0])
    return sheet
