"""Bots at Rentz: always legal, only by what their seat sees, and club stronger than novice."""

import random
from collections.abc import Iterator
from functools import partial

import pytest

from services.bot.arena import compete
from services.bot.chatter.chatter import Chatter
from services.bot.chatter.occasions import Occasion
from services.bot.chatter.rentz import Standing, occasions, standing
from services.bot.deciding import decide, rule_of_thumb
from services.bot.errors import UnreadableViewError
from services.bot.players.game import Player
from services.bot.players.games import GAMES
from services.bot.players.levels import generator
from services.bot.players.rentz.choosing import by_prospects, worth_of_choices
from services.bot.players.rentz.game import PLAYERS
from services.bot.players.rentz.layout import WAYS
from services.bot.players.rentz.prospects import promise
from services.bot.players.rentz.stakes import FEARS
from services.bot.players.rentz.view import RentzView, observed
from services.bot.players.tricks.dodging import risk
from services.table.engine.cards import TEXT, cards_of, mask_of, parse_card, parse_cards
from services.table.engine.rentz import PACK, SUBGAMES, Choose, Phase, Play, State, Subgame
from services.table.wire import wires
from shared.gen.levata.bot.v1 import bot_pb2
from shared.gen.levata.table.v1 import rentz_pb2, table_pb2
from tests.support import bot_turns
from tests.support.rentz import chosen_deal, do, new, playing
from tests.support.steps import random_deal

WIRE = wires()["rentz"]
BOTS = GAMES["rentz"]
turn_of = partial(bot_turns.turn_of, WIRE)


def decisions(rng: random.Random, player: Player | None = None) -> Iterator[State]:
    """Every decision of one match: `player` plays the even seats, the others play at random."""
    return bot_turns.decisions(BOTS, new(), rng, player)


def view_of_turn(turn: bot_pb2.BotTurn) -> RentzView:
    view = BOTS.read(turn.table.game, turn.private, list(turn.private.legal_actions), turn.history)
    assert isinstance(view, RentzView)
    return view


def mask(cards: str) -> int:
    return mask_of(parse_cards(cards))


def decided(state: State) -> str:
    """What club does, in a word: the card or the subgame."""
    action = PLAYERS["club"].decide(observed(state), random.Random(1))
    return TEXT[action.card] if isinstance(action, Play) else action.subgame.value


# What holds of every decision.


@pytest.mark.parametrize("level", ["novice", "club"])
def test_every_decision_at_rentz_is_legal(level: str) -> None:
    rng = random.Random(f"legal {level}")
    count = 0
    for _ in range(3):
        for state in decisions(rng, PLAYERS["club"]):
            assert PLAYERS[level].decide(observed(state), random.Random(count)) in state.legal_actions()
            count += 1
    assert count > 2000


def test_a_turn_of_rentz_and_the_state_it_was_made_of_give_the_same_view() -> None:
    rng = random.Random(4)
    seen = set()
    for state in decisions(rng, PLAYERS["club"]):
        if rng.random() < 0.4:
            assert view_of_turn(turn_of(state)) == observed(state)
            seen.add((state.phase, state.subgame))
    assert len(seen) == 1 + len(SUBGAMES)


@pytest.mark.parametrize("level", ["novice", "club"])
def test_no_decision_at_rentz_depends_on_a_hidden_card(level: str) -> None:
    rng = random.Random(f"hidden {level}")
    player = PLAYERS[level]
    changed = 0
    for number, state in enumerate(decisions(rng, player)):
        other = state.copy()
        decision = other.decision()
        assert decision is not None
        hands = list(other.dealt) if other.play is None else other.play.hands
        others = [seat for seat in range(4) if seat != decision.seat]
        cards = [card for seat in others for card in cards_of(hands[seat])]
        rng.shuffle(cards)
        for seat in others:
            size = hands[seat].bit_count()
            hands[seat] = mask_of(cards[:size])
            del cards[:size]
        if other.play is None:
            other.dealt = tuple(hands)
        changed += [other.hand(seat) for seat in others] != [state.hand(seat) for seat in others]
        assert observed(other) == observed(state)
        chosen = player.decide(observed(state), random.Random(number))
        assert player.decide(observed(other), random.Random(number)) == chosen
        assert turn_of(other) == turn_of(state)
    assert changed > 500


@pytest.mark.parametrize("level", [table_pb2.BOT_LEVEL_NOVICE, table_pb2.BOT_LEVEL_CLUB])
def test_a_turn_of_rentz_is_decided_alike_each_time_and_by_its_player(level: table_pb2.BotLevel.ValueType) -> None:
    kinds = set()
    for revision, state in enumerate(decisions(random.Random(3))):
        if revision % 5:
            continue
        turn = turn_of(state, revision)
        first, second = (
            decide(turn.table, turn.private, turn.history, level, generator(turn.table_id, turn.revision, turn.seat))
            for _ in range(2)
        )
        assert first == second
        assert not first.failed
        kinds.add(first.kind)
        assert rule_of_thumb(turn.table, list(turn.private.legal_actions)) in turn.private.legal_actions
    assert kinds == {"choose", "play"}


def test_at_rentz_club_beats_novice_and_novice_beats_chance() -> None:
    best, second = compete(["novice", "club"], 4, 8, "fixed", game=BOTS)
    assert (best.level, second.level) == ("club", "novice")
    assert best.mean - best.half_width > 0
    best, second = compete(["random", "novice"], 4, 6, "fixed", game=BOTS)
    assert (best.level, second.level) == ("novice", "random")
    assert best.mean - best.half_width > 0


def test_club_is_better_than_novice_in_every_subgame() -> None:
    best, second = compete(["novice", "club"], 4, 25, "subgames", game=BOTS)
    assert best.level == "club"
    for subgame in SUBGAMES:
        name = subgame.value
        assert best.tally.rounds[name] == second.tally.rounds[name] > 0
        assert best.tally.points[name] > second.tally.points[name]


def test_no_row_of_rentz_is_cut_by_the_arena() -> None:
    (line,) = compete(["club"], 4, 2, "whole", game=BOTS)
    assert sum(line.tally.points.values()) == pytest.approx(-2800 * 2)


# Choosing.


@pytest.mark.parametrize(
    ("subgame", "better", "worse"),
    [
        (Subgame.KING_OF_HEARTS, "7S 8S 7C 8C 7D 8D 7H 8H", "AS KS AC KC AD KD KH AH"),
        (Subgame.QUEENS, "7S 8S 7C 8C 7D 8D 7H 8H", "AS QS AC QC AD QD AH QH"),
        (Subgame.DIAMONDS, "7D 8D 9D 7S 8S 7C 8C 7H", "AD KD QD AS AC AH KH KS"),
        (Subgame.TRICKS, "7S 8S 7C 8C 7D 8D 7H 8H", "AS KS AC KC AD KD AH KH"),
        (Subgame.TOTALE, "7S 8S 7C 8C 7D 8D 7H 8H", "AS QS AC QC AD QD AH KH"),
        (Subgame.TEN_OF_CLUBS, "AC KC TC AS AH AD KS KH", "7C 8C 7S 8S 7H 8H 7D 8D"),
        (Subgame.TEN_OF_CLUBS, "AC KC QC AS AH AD KS KH", "TC 8C 7S 8S 7H 8H 7D 8D"),
        (Subgame.WHIST, "AS KS AC KC AD KD AH KH", "7S 8S 7C 8C 7D 8D 7H 8H"),
        (Subgame.RENTZ, "JS QS TS JH QH JD TD JC", "AS 7S AH 7H AD 7D AC 7C"),
    ],
)
def test_a_subgame_promises_more_to_the_hand_that_suits_it(subgame: Subgame, better: str, worse: str) -> None:
    assert promise(subgame, mask(better)) > 0 > promise(subgame, mask(worse))


def test_promises_are_fair_over_all_hands() -> None:
    chance = random.Random(11)
    hands = [mask_of(chance.sample(PACK, 8)) for _ in range(400)]
    for subgame in SUBGAMES:
        mean = sum(promise(subgame, hand) for hand in hands) / len(hands)
        assert abs(mean) < 25, subgame


@pytest.mark.rule("GAP-Z3")
def test_every_choice_left_is_worth_something_and_the_last_is_forced() -> None:
    worth = worth_of_choices()
    assert worth[0] == 0.0
    assert worth[-1] > 200.0
    for left in range(1, len(worth)):
        for index in range(len(SUBGAMES)):
            if left >> index & 1:
                assert worth[left] > worth[left & ~(1 << index)] - 25.0


def test_a_choice_is_weighed_against_what_it_may_be_worth_later() -> None:
    views = []
    chance = random.Random(5)
    for _ in range(300):
        state = new(0)
        state.apply(None, random_deal(state, chance))
        views.append(observed(state))
    patient = [by_prospects(view).subgame for view in views]
    greedy = [max(SUBGAMES, key=lambda subgame, view=view: promise(subgame, view.hand)) for view in views]  # type: ignore[misc]
    assert patient != greedy
    # What swings most is taken at once by who thinks of this hand alone, and kept for its best hand by who does not.
    assert greedy.count(Subgame.TOTALE) > patient.count(Subgame.TOTALE) > 0
    assert set(patient) == set(SUBGAMES)


def test_club_chooses_what_suits_the_hand() -> None:
    state = new(0)
    high = "AS KS AC KC AD KD AH KH"
    state.apply(None, chosen_deal(state, [high]))
    assert decided(state) in ("whist", "ten of clubs")
    state = new(0)
    state.apply(None, chosen_deal(state, ["7S 8S 9S 7C 8C 7D 7H 8H"]))
    assert decided(state) in ("totale", "tricks", "king of hearts", "queens", "diamonds")


def test_novices_choose_plausibly_and_not_always_alike() -> None:
    state = new(0)
    state.apply(None, chosen_deal(state, ["AS KS AC KC AD KD AH KH"]))
    chosen = [PLAYERS["novice"].decide(observed(state), random.Random(number)) for number in range(60)]
    assert len(set(chosen)) > 3
    won = [action for action in chosen if isinstance(action, Choose) and action.subgame in SUBGAMES[5:]]
    assert len(won) > 35


# Dodging.


def test_a_hand_of_low_cards_risks_less_than_one_of_high_cards() -> None:
    fears = FEARS[Subgame.QUEENS]

    def threat(cards: str) -> float:
        found = risk(mask(cards), mask_of(PACK) & ~mask(cards), fears, 8)
        return found.tricks + found.own

    assert threat("7S 8S 7C 8C 7D 8D 7H 8H") < 0.1 < threat("AS KS AC KC AD KD AH KH")
    # Company below makes a high card safer, and a suit that is missing lets it be thrown away.
    assert threat("QS 7S 8S 9S 7H 8H 7C 7D") < threat("QS 7H 8H 9H 7C 8C 7D 8D")
    assert threat("QS KS 7H 8H 9H 7C 8C 9C") < threat("QS KS 7H 8H 9H 7C 8C 9D")


def test_every_card_that_costs_points_is_feared_for_what_it_costs() -> None:
    totale = FEARS[Subgame.TOTALE]
    assert totale.trick * 30 == pytest.approx(50)
    for cards, points in (("KH", 200), ("QD", 70), ("QS", 40), ("7D", 30), ("AS", 0), ("KH QD 7D", 300)):
        assert totale.cost(mask(cards)) * 30 == pytest.approx(points)
    assert FEARS[Subgame.TRICKS].cost(mask_of(PACK)) == 0.0


@pytest.mark.parametrize(
    ("subgame", "hands", "moves", "card"),
    [
        # Void in the suit led: the king goes, for there is no better moment.
        ("king of hearts", ["AS 7S 8S 9S 7C 8C 9C 7D", "KH 9H 8H TD 9D AD TC JC"], ["AS"], "KH"),
        # The queen goes under the ace.
        ("queens", ["AS 7H 8H 9H 7C 8C 9C 7D", "QS 7S 8S TD 9D KD TC JC"], ["AS"], "QS"),
        # Last to play and bound to win nothing dear: the highest, to be rid of it.
        ("tricks", ["7S TH JH 8H", "8S", "9S", "TS KS 9H KH"], ["7S", "8S", "9S"], "KS"),
        # A low lead, not the ace.
        ("tricks", ["AS KS 7S AH KH AD KD AC"], [], "7S"),
    ],
)
def test_club_dodges(subgame: str, hands: list[str], moves: list[str], card: str) -> None:
    state = playing(subgame, hands)
    do(state, *[f"play {move}" for move in moves])
    assert decided(state) == card


# Hunting.


def test_club_takes_the_ten_of_clubs_when_it_lies_there() -> None:
    state = playing("ten of clubs", ["7S 7H 7D 8D 9C", "TC", "AC KC 8C", "QC JC 7C"])
    do(state, "play 9C", "play TC")
    assert decided(state) in ("AC", "KC")


def test_club_keeps_its_ten_of_clubs_from_a_trick_that_is_lost() -> None:
    state = playing("ten of clubs", ["AC 7S", "TC 8C 7C 9C"])
    do(state, "play AC")
    assert decided(state) != "TC"


def test_club_wins_as_cheaply_as_it_can_when_it_is_last() -> None:
    state = playing("whist", ["7S 7H 7D 8D", "8S", "9S", "AS KS TS"])
    do(state, "play 7S", "play 8S", "play 9S")
    assert decided(state) == "TS"


# The layout.


def test_every_card_but_a_jack_waits_behind_the_cards_between() -> None:
    behind = {TEXT[card]: [[TEXT[other] for other in way] for way in WAYS[card]] for card in PACK}
    assert behind["JS"] == [["QS", "KS", "AS"], ["TS", "9S", "8S", "7S"]]
    assert behind["QH"] == [["KH", "AH"]]
    assert behind["8C"] == [["7C"]]
    assert behind["AD"] == behind["7D"] == []


@pytest.mark.parametrize(
    ("hands", "moves", "card"),
    [
        # The way that own cards wait on is opened first, and the jack that helps only others is held.
        (["JS TS 9S 7S JH JD AC 7C"], [], "JS"),
        (["JH QH AH JD AC KC 7C 8C"], [], "JH"),
        # An ace opens nothing and can wait; what leads to own cards comes first.
        (["JS QS KS AS TS 7S 8S AH", "JH", "JD", "JC"], ["JS", "JH", "JD", "JC"], "TS"),
    ],
)
def test_club_opens_its_own_ways_and_holds_back_the_rest(hands: list[str], moves: list[str], card: str) -> None:
    state = playing("rentz", hands)
    do(state, *[f"play {move}" for move in moves])
    assert decided(state) == card


@pytest.mark.rule("RZ-18")
def test_club_places_a_seven_when_the_next_player_is_about_to_finish() -> None:
    state = playing("rentz", ["JS TS 9S 8S 7S JH QH KC", "JD", "JC"])
    do(state, "play JS")
    chosen = {}
    for left in (8, 1):
        other = state.copy()
        layout = other.layout
        assert layout is not None
        hand = mask("7S QH KC 8H TH")
        layout.seat, layout.laid = 0, mask("JS TS 9S 8S JH")
        layout.valid = mask("7S QS TH QH JD JC")
        layout.hands = [hand, mask_of(cards_of(layout.hands[1])[:left]), layout.hands[2], layout.hands[3]]
        other.play = layout
        chosen[left] = PLAYERS["club"].decide(observed(other), random.Random(1))
    assert chosen[1] == Play(parse_card("7S"))
    assert chosen[8] != Play(parse_card("7S"))


# What does not make sense.


def test_a_view_of_rentz_that_contradicts_itself_is_refused_with_its_field() -> None:
    state = playing("queens", ["AS", "KS", "QS", "JS"])
    do(state, "play AS", "play KS")
    whole = turn_of(state)
    assert view_of_turn(whole) == observed(state)
    layout = playing("rentz", ["JS", "TS"])
    do(layout, "play JS")
    laid = turn_of(layout)

    def refused(turn: bot_pb2.BotTurn, **changed: object) -> str:
        copy = bot_pb2.BotTurn()
        copy.CopyFrom(turn)
        game = copy.table.game.rentz
        for name, value in changed.items():
            if name == "hand":
                copy.private.hand.rentz.cards[0] = str(value)
            elif name == "seats":
                del game.seats[2:]
            elif name == "low":
                game.layout[0].low = str(value)
            elif name == "chosen":
                game.seats[0].chosen.append(rentz_pb2.RENTZ_SUBGAME_UNSPECIFIED)
            elif name == "seat":
                copy.private.seat = 3
            else:
                setattr(game, name, value)
        with pytest.raises(UnreadableViewError) as caught:
            decide(copy.table, copy.private, copy.history, 0, random.Random(1))
        return caught.value.field

    assert refused(whole, hand="XX") == "private.hand.rentz.cards"
    assert refused(whole, hand="AS") == "history"
    assert refused(whole, seats=2) == "table.game.rentz.seats"
    assert refused(whole, seat=3) == "private.seat"
    assert refused(whole, phase=rentz_pb2.RENTZ_PHASE_OVER) == "table.game.rentz.phase"
    assert refused(whole, phase=rentz_pb2.RENTZ_PHASE_CHOOSE) == "table.game.rentz.subgame"
    assert refused(whole, chosen=0) == "table.game.rentz.seats.chosen"
    assert refused(laid, low="XX") == "table.game.rentz.layout"
    assert refused(laid, low="7H") == "table.game.rentz.layout"
    strange = bot_pb2.BotTurn()
    strange.CopyFrom(whole)
    strange.private.legal_actions[0].rentz.choose = rentz_pb2.RENTZ_SUBGAME_UNSPECIFIED
    with pytest.raises(UnreadableViewError) as caught:
        decide(strange.table, strange.private, strange.history, 0, random.Random(1))
    assert caught.value.field == "private.legal_actions"


# Talk.


def seen(state: State) -> rentz_pb2.RentzTable:
    return WIRE.table(state).rentz


def played(card: str) -> rentz_pb2.RentzAction:
    return rentz_pb2.RentzAction(play=card)


def test_what_came_of_the_hand_before_is_talked_about_at_rentz() -> None:
    state = playing("king of hearts", ["AH", "KH", "QH", "JH"])
    do(state, "play AH", "play KH", "play QH", "play JH")
    state.apply(None, random_deal(state, random.Random(1)))
    assert state.phase is Phase.CHOOSE
    table = seen(state)
    choice = rentz_pb2.RentzAction(choose=rentz_pb2.RENTZ_SUBGAME_WHIST)
    assert standing(table, 0) == Standing(2, -200)
    assert occasions(table, 0, choice, Standing(1, 0))[0] is Occasion.HAND_LOST
    assert occasions(table, 1, choice, Standing(1, -200))[0] is Occasion.HAND_WON
    assert occasions(table, 1, choice, Standing(1, 0)) == [Occasion.CHOOSING, Occasion.WAITING]
    assert Occasion.LOSING in occasions(table, 0, choice, None)


def test_tricks_of_rentz_are_talked_about() -> None:
    state = playing("totale", ["AH QS", "KH", "QH", "JH"])
    assert occasions(seen(state), 0, played("AH"), None)[:2] == [Occasion.GREETING, Occasion.TOTALE_MINUS]
    do(state, "play AH", "play KH", "play QH", "play JH")
    found = occasions(seen(state), 0, played("QS"), None)
    assert found[:2] == [Occasion.KING_TAKEN, Occasion.QUEEN_TAKEN]
    for subgame, occasion in (("tricks", Occasion.TRICK_UNWANTED), ("whist", Occasion.TRICK_TAKEN)):
        state = playing(subgame, ["AH QS", "KH", "QH", "JH"])
        do(state, "play AH", "play KH", "play QH", "play JH")
        assert occasions(seen(state), 0, played("QS"), None)[0] is occasion
        assert occasions(seen(state), 1, played("QS"), None) == [Occasion.WAITING]
    state = playing("king of hearts", ["AS", "KH"])
    do(state, "play AS")
    assert Occasion.KING_GIVEN in occasions(seen(state), 1, played("KH"), None)


def test_the_layout_is_talked_about() -> None:
    state = playing("rentz", ["JS", "TS"])
    do(state, "play JS")
    table = seen(state)
    table.seats[1].cards = 1
    table.seats[1].passed = True
    found = occasions(table, 1, played("7S"), None)
    assert found[:3] == [Occasion.LAST_CARD, Occasion.SEVEN_PLACED, Occasion.PASSED]
    assert occasions(table, 2, played("AS"), None)[0] is Occasion.ACE_PLACED


def test_bots_say_something_at_rentz() -> None:
    chatter = Chatter("ro", 0.0, 0.0)
    rng = random.Random(1)
    said = set()
    for revision, state in enumerate(decisions(random.Random(2), PLAYERS["club"])):
        turn = turn_of(state, revision)
        turn.table.options.bot_talk = table_pb2.BOT_TALK_POLITE
        said.add(chatter.line(turn, turn.private.legal_actions[0], rng, float(revision)))
    assert len(said) > 20
