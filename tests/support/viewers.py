"""What one viewer gets to see of a match of any game: the bytes, the refusals, and whether two positions look alike."""

from collections.abc import Iterable
from typing import Any

from services.table.engine.game import IllegalAction
from services.table.engine.games import GAMES
from services.table.wire import wires

WIRES = wires()


def shown_to(game: str, state: Any, viewer: int | None) -> list[bytes]:
    """Every byte about a match that is made for `viewer`."""
    wire = WIRES[game]
    messages: list[Any] = [wire.table(state), wire.score_sheet(state), *wire.history(state)]
    if viewer is not None:
        messages.append(wire.hand(state, viewer))
        decision = state.decision()
        if decision is not None and decision.seat == viewer:
            messages.extend([wire.action_to_proto(action) for action in state.legal_actions()])
    return [message.SerializeToString(deterministic=True) for message in messages]


def refusal(state: Any, seat: int, action: object) -> str:
    """How `action` is refused; empty if it is legal."""
    try:
        state.verify(seat, action)
    except IllegalAction as refused:
        return str(refused)
    return ""


def assert_alike(game: str, state: Any, other: Any, viewer: int | None, tried: Iterable[object]) -> None:
    """Fails if `viewer` can tell two positions apart: by what is known, shown, legal, suggested or refused.

    Args:
        game: Name of the game.
        state: One position, in which a seat has to decide.
        other: The other.
        viewer: A seat, or None for a spectator.
        tried: Actions to be tried by the viewer.
    """
    rules = GAMES[game]
    assert state.knowledge(viewer) == other.knowledge(viewer)
    assert hash(state.knowledge(viewer)) == hash(other.knowledge(viewer))
    assert shown_to(game, state, viewer) == shown_to(game, other, viewer)
    assert rules.score_sheet(state) == rules.score_sheet(other)
    assert state.headline() == other.headline()
    decision = state.decision()
    assert decision is not None
    assert other.decision() == decision
    if viewer is None:
        return
    if decision.seat == viewer:
        assert state.legal_actions() == other.legal_actions()
        assert rules.rule_of_thumb(state) == rules.rule_of_thumb(other)
    for action in tried:
        assert refusal(state, viewer, action) == refusal(other, viewer, action)
