"""No byte that a viewer is sent depends on a card that the viewer may not know: states side by side, part by part."""

import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import grpc
import msgspec
import pytest
import structlog
from msgspec.structs import replace

from services.table import commands as c
from services.table import errors, views
from services.table import facts as f
from services.table.decide import decide
from services.table.engine.arzoi import Part, Phase, State
from services.table.engine.arzoi.actions import BIDS, CHOICES, LEAVE, PLAYS
from services.table.engine.game import IllegalAction
from services.table.live import LiveTable, Means
from services.table.lobby import entry_of
from services.table.metrics import TableMetrics
from services.table.requests import ERRORS
from services.table.results import match_record
from services.table.state import TableState
from services.table.turns import TurnTokens, turn_message
from shared.errors import ErrorTable, developer_message, failure, status_details, trailers
from shared.gen.levata.table.v1 import table_pb2 as pb
from shared.metrics import Metrics
from tests.support.arzoi import ARZOI, new
from tests.support.hidden_cards import another_like_it
from tests.support.steps import step
from tests.support.tables import ANA, BEGIN, BOGDAN, PaperTable, table

PEOPLE = (ANA, BOGDAN)
"""They have the first seats; bots have the others."""
SPECTATOR = f.Person("p-dan", "Dan")
ACTIONS: Sequence[Any] = (*CHOICES.values(), *BIDS, *PLAYS, LEAVE)
TOTALE = (Part.TOTALE_MINUS, Part.TOTALE_PLUS)
TOKENS = TurnTokens(b"turns of tests, 32 bytes or more!")
REFUSALS = ErrorTable()
REFUSALS.add(ERRORS)


class Side:
    """One of two tables that differ in hidden cards only: a copy of the table in a server's memory."""

    def __init__(self, paper: PaperTable) -> None:
        self._paper = paper
        means: Any = Means(
            log=None,  # type: ignore[arg-type]  # nothing is read or written
            timers=None,  # type: ignore[arg-type]
            circumstances=paper.circumstances,
            metrics=TableMetrics(Metrics("table")),
            react=lambda live, before, after: None,
            presence_changed=lambda live: None,
        )
        self.live = LiveTable(paper.state.table, means)
        self._encoder = views.TableEncoder()

    def at(self, game: State) -> TableState:
        """Brings the table to a position of the match."""
        decision = game.decision()
        assert decision is not None
        by: f.DecidedBy = "player" if decision.seat < len(PEOPLE) else "bot"
        self.live.state = replace(
            self._paper.state, game=game, decision=decision, decided_by=by, game_revision=self._paper.state.revision
        )
        return self.live.state

    def sent_to(self, viewer: int | None) -> dict[str, bytes]:
        """Everything that is made for a viewer, in every state of the caches that it is made from."""
        state = self.live.state
        player = person(viewer)
        table_bytes = self._encoder.table(state)
        sent = {
            "snapshot": self.live.snapshot(player),
            "watch": b"".join(self.live.audience.opening(state, player, None)),
            "table": table_bytes,
            "update": views.common_part(state.revision, state.at, b"", table_bytes)
            + self._encoder.private(state, viewer),
            "update again": self._encoder.private(state, viewer),
            "private": views.private_part(state, viewer),
            "score sheet": views.snapshot_part(state),
            "gap": views.common_part(state.revision, state.at, history(state), None),
            "summary": views.summary_message(state).SerializeToString(deterministic=True),
            "lobby": msgspec.json.encode(entry_of(state)),
        }
        if viewer is not None and state.decision is not None and state.decision.seat == viewer:
            sent["turn"] = turn_message(self.live, TOKENS, 5000)
        return sent


def person(viewer: int | None) -> str:
    """The account of a viewer; bots have none."""
    if viewer is None:
        return SPECTATOR.player
    return PEOPLE[viewer].player if viewer < len(PEOPLE) else ""


def history(state: TableState) -> bytes:
    """The events of the game since the deal, as updates and turns carry them."""
    messages = views.wire_of(state).history(state.position())
    return b"".join(views.delimited(views.EVENTS, pb.Event(game=message).SerializeToString()) for message in messages)


def attempts(state: TableState, viewer: int | None, actions: Sequence[Any]) -> Iterator[tuple[str, c.Command]]:
    """Actions of the game by a viewer, through each door that the viewer has."""
    for action in actions:
        text = ARZOI.action_text(action)
        if viewer is not None and viewer >= len(PEOPLE):
            yield text, c.AnswerTurn(viewer, state.game_revision, action)
        else:
            yield text, c.SubmitAction(person(viewer), action, state.revision)
            yield f"stale {text}", c.SubmitAction(person(viewer), action, 1)


def refused(paper: PaperTable, state: TableState, viewer: int | None, actions: Sequence[Any]) -> dict[str, Any]:
    """What is said to each attempt: nothing when it is legal, else every form in which a refusal goes out."""
    said: dict[str, Any] = {}
    for text, command in attempts(state, viewer, actions):
        try:
            decide(state, command, paper.circumstances())
        except (errors.TableError, IllegalAction) as error:
            known = REFUSALS.error(error)
            assert known.code not in (grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN)
            said[text] = [
                status_details(known, "ro", "r-1").SerializeToString(deterministic=True),
                trailers(known, "en", "r-1"),
                failure(error, "en", REFUSALS),
                developer_message(known),
                str(known),
                str(error),
            ]
        else:
            said[text] = None
    return said


def positions(seats: int, chance: random.Random, often: float = 0.01) -> Iterator[State]:
    """Positions of matches: the first of each part and phase and some at random, until every part has been seen.

    Every Totale- is followed by a Totale+, as if somebody had burned in every round.
    """
    seen: Counter[tuple[Part | None, Phase]] = Counter()
    wanted = {(Part.WHIST, Phase.BID), *((part, Phase.PLAY) for part in (Part.WHIST, *TOTALE))}
    if seats in (4, 6, 8, 9):
        wanted |= {(Part.SEPTICA, Phase.PLAY), (Part.SEPTICA, Phase.CONTINUE)}
    while not wanted <= seen.keys():
        yield from _positions_of_a_match(new(seats), chance, often, seen)


def _positions_of_a_match(
    state: State, chance: random.Random, often: float, seen: Counter[tuple[Part | None, Phase]]
) -> Iterator[State]:
    while not state.is_over():
        if state.play is not None and state.decision() is not None:
            kind = (state.part, state.phase)
            if seen[kind] < 4 or chance.random() < often:
                seen[kind] += 1
                yield state.copy()
        if state.part is Part.TOTALE_MINUS:
            state.totale_plus_left = max(1, state.totale_plus_left)
        decision = state.decision()
        if decision is None or chance.random() < 0.1:
            step(state, chance)
        else:
            state.apply(decision.seat, ARZOI.rule_of_thumb(state))


@pytest.mark.rule("GAP-A26")
@pytest.mark.parametrize("seats", range(3, 10))
def test_no_byte_for_a_viewer_depends_on_a_card_that_the_viewer_may_not_know(seats: int) -> None:
    chance = random.Random(f"bytes {seats}")
    paper = table(*PEOPLE, seats=seats)
    one, two = Side(paper), Side(paper)
    looked_at = 0
    for game in positions(seats, chance):
        decision = game.decision()
        assert decision is not None
        for viewer in {None, decision.seat, chance.randrange(seats)}:
            other = another_like_it(game, viewer, chance)
            first, second = one.at(game), two.at(other)
            assert one.sent_to(viewer) == two.sent_to(viewer)
            tried = chance.sample(ACTIONS, 16)
            assert refused(paper, first, viewer, tried) == refused(paper, second, viewer, tried)
            looked_at += 1
    assert looked_at > 50


@pytest.mark.parametrize("seats", [3, 4, 9])
def test_what_follows_an_action_is_told_alike_as_long_as_the_viewer_knows_no_more(seats: int) -> None:
    chance = random.Random(f"next {seats}")
    paper = table(*PEOPLE, seats=seats)
    one, two = Side(paper), Side(paper)
    alike = 0
    for game in positions(seats, chance):
        decision = game.decision()
        assert decision is not None
        viewer = decision.seat
        first, second = one.at(game), two.at(another_like_it(game, viewer, chance))
        for action in game.legal_actions():
            command: c.Command = (
                c.SubmitAction(person(viewer), action)
                if viewer < len(PEOPLE)
                else c.AnswerTurn(viewer, first.game_revision, action)
            )
            after = [decide(state, command, paper.circumstances()) for state in (first, second)]
            games = [change.state.position() for change in after]
            if any(change.state.over or change.state.decision is None for change in after):
                continue
            if any(isinstance(fact, f.Dealt) for change in after for fact, _ in change.facts):
                continue  # another deal, from a seed that is the same for both here
            if games[0].knowledge(viewer) != games[1].knowledge(viewer):
                continue  # the viewer drew a card, or the points of a Totale were all out
            told = [
                [
                    message.SerializeToString(deterministic=True)
                    for fact, events in change.facts
                    for message in views.event_messages(change.state, fact, events)
                ]
                for change in after
            ]
            assert told[0] == told[1]
            for side, change in zip((one, two), after, strict=True):
                side.live.state = change.state
            assert one.sent_to(viewer) == two.sent_to(viewer)
            alike += 1
            one.at(game)
    assert alike > 50


def test_the_comparison_would_see_a_leak() -> None:
    """The own hand is in what a seat is sent, so two states that differ there differ in bytes, and nowhere else."""
    chance = random.Random(5)
    paper = table(*PEOPLE, seats=4)
    one, two = Side(paper), Side(paper)
    differing: set[str] = set()
    for game in positions(4, chance):
        other = another_like_it(game, None, chance)
        one.at(game)
        two.at(other)
        if game.play is not None and other.play is not None and game.play.hands[0] != other.play.hands[0]:
            mine, theirs = one.sent_to(0), two.sent_to(0)
            differing |= {name for name in mine if mine[name] != theirs[name]}
            assert mine["private"] != theirs["private"]
            assert mine["table"] == theirs["table"]
    assert differing == {"snapshot", "watch", "update", "update again", "private", "turn"}


def test_the_secret_of_the_shuffles_reaches_nobody_before_the_end() -> None:
    paper = table(*PEOPLE, seats=4, visibility="private")
    side = Side(paper)
    seed = paper.state.seed
    assert len(seed) == 64
    code = paper.state.code.encode()
    chance = random.Random(6)
    for game in positions(4, chance):
        state = side.at(game)
        for viewer in (None, 0, 1, 2, 3):
            for name, data in side.sent_to(viewer).items():
                assert seed.encode() not in data, name
                assert bytes.fromhex(seed) not in data, name
                if viewer is None and name != "lobby":
                    assert code not in data, name
        with pytest.raises(errors.MatchNotOverError):
            match_record(state, [(number, data) for number, data in enumerate(paper.log, start=1)])


def test_a_whole_match_is_logged_without_a_card_a_seed_or_a_code() -> None:
    with structlog.testing.capture_logs() as lines:
        paper = table(*PEOPLE, seats=3)
        paper.play_on()
    written = json.dumps(lines, default=str)
    assert paper.state.over
    assert paper.state.seed not in written
    assert paper.state.code not in written
    assert paper.state.at >= BEGIN
