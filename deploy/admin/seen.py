"""A table as an operator sees it: everything that is not a card in a hand."""

from typing import Any

from deploy.admin.answer import ago, moment, on_one_line, span
from services.table import facts as f
from services.table.clocks import Limits, deadlines, turn_deadlines
from services.table.inspection import Inspection
from services.table.presence import instance_and_start
from services.table.state import Seat, TableState


def table_data(seen: Inspection, now: int) -> dict[str, Any]:
    """The table for programs; times in UTC, spans in milliseconds."""
    state = seen.state
    return {
        "table": seen.table,
        "status": status(seen),
        "revision": state.revision,
        "game": state.options.game,
        "rules": state.options.rules,
        "visibility": state.options.visibility,
        "created": moment(state.created) if state.created else None,
        "started": moment(state.started) if state.started else None,
        "ended": moment(state.ended) if state.ended else None,
        "changed": moment(state.at) if state.at else None,
        "maker": state.maker,
        "host": state.host,
        "seats": [_seat_data(index, seat) for index, seat in enumerate(state.seats)],
        "decision": _decision_data(state, now),
        "deadlines": [{"due": one.due, "at": moment(one.when), "seat": one.seat} for one in deadlines(state, Limits())],
        "freeze": _freeze_data(seen),
        "stopped": _stop_data(seen),
        "result_posted": state.posted,
        "hands_finished": progress(state)[0],
        "hands": progress(state)[1],
        "log": {"messages": len(seen.lines), "last_sequence": seen.last, "damage": damage(seen)},
    }


def table_text(seen: Inspection, now: int) -> str:
    """The table for people."""
    state = seen.state
    options = state.options
    rows = [
        ("table", f"{seen.table}   {options.game or '?'} for {options.seats}, {options.visibility}"),
        ("status", _status_text(seen, now)),
    ]
    if (freeze := _freeze_data(seen)) is not None and state.frozen is not None:
        told = f"; people are told: {freeze['note']}" if freeze["note"] else ""
        rows.append(("frozen", f"{ago(state.frozen, now)} by {freeze['by']}: {freeze['why']}{told}"))
    if (stop := _stop_data(seen)) is not None and stop["by"]:
        rows.append(("stopped", f"by {stop['by']}: {stop['why']}"))
    if state.created:
        maker = f"by {state.maker}" if state.maker else "by a player"
        rows.append(("made", f"{moment(state.created)} ({ago(state.created, now)}) {maker}"))
    if state.match:
        finished, hands = progress(state)
        rows.append(("match", f"since {moment(state.started)}, {finished} of {hands} hands finished"))
    rows.append(("changed", f"{moment(state.at)} ({ago(state.at, now)}), revision {state.revision}"))
    for index, seat in enumerate(state.seats):
        rows.append((f"seat {index}", _seat_text(state, seat)))
    if state.decision is not None:
        rows.append(("decision", _decision_text(state, now)))
    for one in sorted(deadlines(state, Limits()), key=lambda one: one.when):
        whose = f" of seat {one.seat}" if one.seat is not None else ""
        rows.append(("due", f"{one.due}{whose} {ago(one.when, now)}, at {moment(one.when)}"))
    if state.over and state.match:
        rows.append(("result", "on its way to the ledger for certain" if state.posted else "not yet with the ledger"))
    rows.append(("log", damage(seen) or f"{len(seen.lines)} records, numbers and hashes hold"))
    return "\n".join(f"{name:<9} {on_one_line(words)}" for name, words in rows)


def status(seen: Inspection) -> str:
    """Where the table is in its life, for an operator."""
    if seen.written_off is not None:
        return "given up"
    if seen.damaged is not None:
        return "damaged"
    return "frozen" if seen.state.frozen is not None else seen.state.status


def progress(state: TableState) -> tuple[int, int]:
    """Hands finished, and hands of the whole match; 0 of 0 before it."""
    return (0, 0) if state.game is None else state.game.progress()


def damage(seen: Inspection) -> str | None:
    """Where the log breaks, and why; None when it does not."""
    if seen.damaged is None:
        return None
    return f"DAMAGED at sequence {seen.damaged.sequence}, after revision {seen.state.revision}: {seen.damaged.damage}"


def _status_text(seen: Inspection, now: int) -> str:
    match status(seen):
        case "given up":
            assert seen.written_off is not None
            fact = next(one for one in seen.written_off.facts if isinstance(one, f.TableWrittenOff))
            return f"given up by {fact.by}: {fact.why}"
        case "damaged":
            return "damaged: nobody plays on. `levata admin stop` gives it up and keeps its log"
        case "frozen":
            return f"{seen.state.status}, frozen"
        case ("finished" | "stopped") as ended:
            return f"{ended} {ago(seen.state.ended, now)}"
        case other:
            return other


def _seat_data(index: int, seat: Seat) -> dict[str, Any]:
    return {
        "seat": index,
        "kind": seat.kind,
        "player": seat.player,
        "name": seat.name,
        "servers": [{"name": name, "start": start} for name, start in _servers(seat)],
        "lost": moment(seat.lost) if seat.lost is not None else None,
        "away": seat.away,
        "bank_milliseconds": seat.bank,
        "timeouts": seat.timeouts,
        "muted": seat.muted,
    }


def _seat_text(state: TableState, seat: Seat) -> str:
    if seat.kind != "human":
        return "free" if seat.kind == "free" else f"{seat.name} (bot)"
    words = [f"{seat.name} ({seat.player})"]
    if seat.player == state.host:
        words.append("host")
    servers = ", ".join(f"{name} ({start})" for name, start in _servers(seat))
    words.append(f"present at {servers}" if servers else "not present")
    if seat.away:
        words.append("away, a bot plays")
    if seat.bank:
        words.append(f"bank {span(seat.bank)}")
    if seat.muted:
        words.append("muted")
    return ", ".join(words)


def _servers(seat: Seat) -> list[tuple[str, str]]:
    """Where a person is: servers by their names in `levata admin servers`, each with the word of its start."""
    return sorted(map(instance_and_start, seat.connections))


def _decision_data(state: TableState, now: int) -> dict[str, Any] | None:
    if state.decision is None:
        return None
    turn = turn_deadlines(state)
    return {
        "seat": state.decision.seat,
        "kind": state.decision.kind,
        "by": state.decided_by,
        "since": moment(state.decision_since),
        "time_out": moment(turn[0]) if turn else None,
        "bank_out": moment(turn[1]) if turn else None,
    }


def _decision_text(state: TableState, now: int) -> str:
    decision = state.decision
    assert decision is not None
    by = {
        "player": "by the player",
        "bot": "by its bot",
        "absent": "by a bot, for the player is away",
        "timeout": "by a bot, for the time was out",
    }[state.decided_by]
    words = f"seat {decision.seat} ({decision.kind}), {by}, open since {ago(state.decision_since, now)}"
    return f"{words}; the clock stands still" if state.frozen is not None else words


def _last(seen: Inspection, kind: type[f.Fact]) -> Any:
    """The latest fact of a kind that the log tells before it breaks."""
    end = len(seen.lines) if seen.damaged is None else seen.lines.index(seen.damaged)
    for line in reversed(seen.lines[:end]):
        if line.record is not None:
            for fact in line.record.facts:
                if isinstance(fact, kind):
                    return fact
    return None


def _freeze_data(seen: Inspection) -> dict[str, Any] | None:
    frozen = seen.state.frozen
    fact: f.TableFrozen | None = _last(seen, f.TableFrozen) if frozen is not None else None
    if frozen is None or fact is None:
        return None
    return {"since": moment(frozen), "by": fact.by, "why": fact.why, "note": fact.note}


def _stop_data(seen: Inspection) -> dict[str, Any] | None:
    fact: f.TableStopped | None = _last(seen, f.TableStopped) if seen.state.status == "stopped" else None
    return None if fact is None else {"reason": fact.reason, "by": fact.by, "why": fact.why, "note": fact.note}
