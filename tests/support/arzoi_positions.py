"""Tables in every phase of Arzoi, as the table service would send them; the widest values there can be."""

from collections.abc import Sequence

from shared.gen.levata.table.v1 import arzoi_pb2, game_pb2, table_pb2

TABLE_ID = "abcdefghij0123456789"
MATCH_ID = "match-0001"
OWN = "player-own"
RANKS = "AKQJT987654321"
CARDS_EACH = {3: 8, 4: 8, 5: 8, 6: 8, 7: 6, 8: 6, 9: 6}
BIG_SCORE = -131072
LONG_NAME = "Constantin-Alexandru 24x"


def whist(cards: int) -> arzoi_pb2.ArzoiVariant:
    return arzoi_pb2.ArzoiVariant(whist=cards)


def septica() -> arzoi_pb2.ArzoiVariant:
    return arzoi_pb2.ArzoiVariant(septica=True)


def play(card: str) -> game_pb2.GameAction:
    return game_pb2.GameAction(arzoi=arzoi_pb2.ArzoiAction(play=card))


def bid(tricks: int) -> game_pb2.GameAction:
    return game_pb2.GameAction(arzoi=arzoi_pb2.ArzoiAction(bid=tricks))


def choose(variant: arzoi_pb2.ArzoiVariant) -> game_pb2.GameAction:
    return game_pb2.GameAction(arzoi=arzoi_pb2.ArzoiAction(choose=variant))


def leave() -> game_pb2.GameAction:
    return game_pb2.GameAction(arzoi=arzoi_pb2.ArzoiAction(leave=True))


def seat_list(seats: int, *, names: Sequence[str] = (), own: int | None = 0) -> list[table_pb2.Seat]:
    """One person on `own`, bots on the others."""
    result = []
    for index in range(seats):
        name = names[index] if index < len(names) else f"Bot{index}"
        if index == own:
            result.append(table_pb2.Seat(kind=table_pb2.SEAT_KIND_HUMAN, player_id=OWN, name=name, present=True))
        else:
            result.append(table_pb2.Seat(kind=table_pb2.SEAT_KIND_BOT, name=name))
    return result


def waiting_table(seats: int, *, code: str = "", own: int | None = 0, revision: int = 1) -> table_pb2.Update:
    """A table that has not started, one person on it."""
    people = [table_pb2.Seat(kind=table_pb2.SEAT_KIND_FREE) for _ in range(seats)]
    if own is not None:
        people[own] = table_pb2.Seat(kind=table_pb2.SEAT_KIND_HUMAN, player_id=OWN, name="Ana", present=True)
    table = table_pb2.Table(
        table_id=TABLE_ID,
        status=table_pb2.TABLE_STATUS_WAITING,
        options=options(seats),
        seats=people,
        host_player_id=OWN if own is not None else "player-host",
    )
    if code:
        table.options.visibility = table_pb2.VISIBILITY_PRIVATE
    return table_pb2.Update(
        revision=revision,
        table=table,
        private=table_pb2.Private(seat=own, invitation_code=code),
        score_sheet=game_pb2.GameScoreSheet(arzoi=arzoi_pb2.ArzoiScoreSheet()),
        snapshot=True,
    )


def options(seats: int) -> table_pb2.TableOptions:
    return table_pb2.TableOptions(
        game=game_pb2.GameOptions(arzoi=arzoi_pb2.ArzoiOptions()),
        seats=seats,
        bot_talk=table_pb2.BOT_TALK_POLITE,
        bot_level=table_pb2.BOT_LEVEL_CLUB,
        visibility=table_pb2.VISIBILITY_PUBLIC,
    )


def position(
    seats: int,
    phase: str,
    *,
    own: int | None = 0,
    acting: int | None = None,
    revision: int = 1,
    names: Sequence[str] = ("Ana",),
    wide: bool = False,
) -> table_pb2.Update:
    """A snapshot in the phase `choose`, `bid`, `whist`, `totale`, `septica`, `continue` or `over`.

    With `wide` all values are as wide as they come: long names, huge scores, every mark.
    """
    if wide:
        names = [LONG_NAME] * seats
    acting = acting if acting is not None else (own or 0)
    game = arzoi_pb2.ArzoiTable(orbit=3, chooser=seats - 1, dealer=seats - 1, round=2, rounds=seats, attempt=1)
    game.multiplier = 1
    game.cards_each = CARDS_EACH[seats]
    game.variants_left.extend([*(whist(cards) for cards in range(2, 9)), septica()])
    for index in range(seats):
        game.seats.add(score=BIG_SCORE if wide else index * 3 - 4, cards=CARDS_EACH[seats], tricks=1)
        if wide:
            game.seats[index].burned = game.seats[index].burned_always = True
    if wide:
        game.attempt, game.multiplier = 14, 8192
        game.totale_minus_left, game.totale_plus_left = 8, 1
    table = table_pb2.Table(
        table_id=TABLE_ID,
        status=table_pb2.TABLE_STATUS_PLAYING,
        options=options(seats),
        seats=seat_list(seats, names=names, own=own),
        host_player_id=OWN,
        match_id=MATCH_ID,
        decision=table_pb2.Decision(seat=acting, by_bot=acting != own),
    )
    if wide:
        for seat in table.seats:
            seat.away = seat.kind == table_pb2.SEAT_KIND_HUMAN
    hand = hand_cards(CARDS_EACH[seats])
    legal: list[game_pb2.GameAction] = []
    trick = [(seat, f"T{'SHDC'[seat % 4]}") for seat in range(1, seats)]
    match phase:
        case "choose":
            game.phase = arzoi_pb2.ARZOI_PHASE_CHOOSE
            game.round = 0
            hand = []
            legal = [choose(variant) for variant in game.variants_left]
        case "bid":
            _set_whist(game, seats)
            game.phase = arzoi_pb2.ARZOI_PHASE_BID
            for index in range(1, seats):
                game.seats[index].bid = 1
            game.bid_sum = seats - 1
            legal = [bid(tricks) for tricks in range(CARDS_EACH[seats] + 1)]
        case "whist":
            _set_whist(game, seats)
            game.phase = arzoi_pb2.ARZOI_PHASE_PLAY
            for state in game.seats:
                state.bid = 8 if wide else 2
            game.bid_sum = 2 * seats
            game.bidding = arzoi_pb2.ARZOI_BIDDING_OVERBID
            _lay(game, trick, holder=1)
            legal = [play(card) for card in hand[:2]]
        case "totale":
            game.part, game.phase = arzoi_pb2.ARZOI_PART_TOTALE_MINUS, arzoi_pb2.ARZOI_PHASE_PLAY
            game.variant.CopyFrom(whist(5))
            game.set_aside = 6
            for state in game.seats:
                state.points = 12
            _lay(game, trick, holder=1)
            legal = [play(card) for card in hand]
        case "septica" | "continue":
            game.part = arzoi_pb2.ARZOI_PART_SEPTICA
            game.variant.CopyFrom(septica())
            game.teams = 3 if seats == 9 else 2
            game.stock, game.set_aside = 20, 2
            hand = hand_cards(4)
            for state in game.seats:
                state.points, state.cards = 4, 4
            if phase == "septica":
                game.phase = arzoi_pb2.ARZOI_PHASE_PLAY
                _lay(game, trick, holder=1)
                legal = [play(card) for card in hand]
            else:
                game.phase = arzoi_pb2.ARZOI_PHASE_CONTINUE
                circles = 3 if wide else 1
                _lay(game, [(seat, "TH") for _ in range(circles) for seat in range(seats)], holder=1)
                legal = [*(play(card) for card in hand[:1]), leave()]
        case "over":
            game.phase = arzoi_pb2.ARZOI_PHASE_OVER
            game.ClearField("variants_left")
            hand = []
            table.status = table_pb2.TABLE_STATUS_FINISHED
            table.ClearField("decision")
            for place in range(seats):
                table.standings.add(seat=place, points=BIG_SCORE if wide else 30 - place, place=place + 1)
        case _:
            raise ValueError(phase)
    table.game.arzoi.CopyFrom(game)
    private = table_pb2.Private()
    if own is not None:
        private.seat = own
        private.hand.arzoi.cards.extend(hand)
        if acting == own:
            private.legal_actions.extend(legal)
    update = table_pb2.Update(revision=revision, table=table, private=private, snapshot=True)
    update.score_sheet.arzoi.CopyFrom(score_sheet(seats, wide=wide))
    return update


def hand_cards(count: int) -> list[str]:
    return [f"{RANKS[index // 2]}{'SH'[index % 2]}" if index else "TD" for index in range(count)]


def score_sheet(seats: int, *, wide: bool = False) -> arzoi_pb2.ArzoiScoreSheet:
    """One orbit of whist with its bonus, and a Totale."""
    sheet = arzoi_pb2.ArzoiScoreSheet()
    for number in range(1, seats + 1):
        row = sheet.rows.add(
            orbit=1, part=arzoi_pb2.ARZOI_PART_WHIST, variant=whist(3), round=number, attempt=1, dealer=number - 1
        )
        for seat in range(seats):
            burned = seat == number - 1
            change = -1 if burned else 6
            row.cells.add(bid=1, tricks=0 if burned else 1, change=BIG_SCORE if wide else change, burned=burned)
    bonus = sheet.rows.add(orbit=1, part=arzoi_pb2.ARZOI_PART_WHIST, variant=whist(3), round=0, attempt=1)
    totale = sheet.rows.add(orbit=1, part=arzoi_pb2.ARZOI_PART_TOTALE_MINUS, variant=whist(3), round=1, attempt=1)
    for seat in range(seats):
        bonus.cells.add(change=20 if seat == 0 else 0)
        totale.cells.add(points=seat, change=-seat)
    return sheet


def _set_whist(game: arzoi_pb2.ArzoiTable, seats: int) -> None:
    game.part = arzoi_pb2.ARZOI_PART_WHIST
    game.variant.CopyFrom(whist(CARDS_EACH[seats]))
    game.trump_card = "TC"


def _lay(game: arzoi_pb2.ArzoiTable, cards: Sequence[tuple[int, str]], *, holder: int) -> None:
    for seat, card in cards:
        game.trick.add(seat=seat, card=card)
        game.last_trick.add(seat=seat, card=card)
    game.holder = game.last_taker = holder
