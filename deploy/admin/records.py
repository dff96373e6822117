"""Records of a table's log as lines: what everybody there has seen, and what only the log knows if that is wanted.

Actions are told to everybody when they are taken. What is nobody's to know before its time, not an operator's either
who plays in the same match at another screen, is the pack of a deal and the seed of all shuffles.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from deploy.admin.answer import moment, on_one_line
from services.table import facts as f
from services.table.inspection import Line

HIDDEN: Final = "(hidden)"
_ENCODER: Final = msgspec.json.Encoder()


def names_in(lines: Sequence[Line]) -> Mapping[str, str]:
    """The names of the people who ever sat at the table, by account."""
    facts = (fact for line in lines if line.record is not None for fact in line.record.facts)
    return {fact.person.player: fact.person.name for fact in facts if isinstance(fact, f.SeatTaken)}


def line_text(line: Line, names: Mapping[str, str], *, reveal: bool) -> str:
    """A message of a log: number, time, who or what made the change, its facts; and what is wrong with it."""
    record = line.record
    if record is None:
        shown = repr(line.data) if reveal else f"{len(line.data)} bytes"
        return f"     ?  sequence {line.sequence}: {line.damage or 'no record'}: {shown}"
    by = author(record)
    head = f"{record.n:>6}  {moment(record.at)}  {on_one_line(names.get(by, by)):<16}"
    told = "; ".join(fact_text(fact, reveal=reveal) for fact in record.facts)
    damage = f"\n        DAMAGED at sequence {line.sequence}: {line.damage}" if line.damage else ""
    return f"{head}  {told}{damage}"


def line_data(line: Line, *, reveal: bool) -> dict[str, Any]:
    """The same for programs."""
    data: dict[str, Any] = {"sequence": line.sequence}
    if line.record is not None:
        data |= {"at": moment(line.record.at), "author": author(line.record), "record": _record(line.record, reveal)}
    elif reveal:
        data["bytes"] = line.data.decode(errors="replace")
    if line.damage:
        data["damage"] = line.damage
    return data


def author(record: f.Record) -> str:
    """Who made a change: an operator, the account behind the request, or the table by itself."""
    for fact in record.facts:
        match fact:
            case f.TableFrozen(by=by) | f.TableResumed(by=by) | f.TableWrittenOff(by=by):
                return f"operator {by}"
            case f.TableStopped(by=by) if by:
                return f"operator {by}"
            case _:
                pass
    return record.request.player if record.request is not None else "the table"


def fact_text(fact: f.AnyFact, *, reveal: bool) -> str:
    """A fact as `name field=value ...`, without fields that say nothing."""
    shown = _fact(fact, reveal)
    words = [str(shown.pop("fact"))]
    words += [f"{name}={_value(value)}" for name, value in shown.items()]
    return " ".join(words)


def _value(value: object) -> str:
    if isinstance(value, str) and value and not any(one in value for one in ' "=;'):
        return on_one_line(value)
    return _ENCODER.encode(value).decode()


def _record(record: f.Record, reveal: bool) -> dict[str, Any]:
    shown: dict[str, Any] = msgspec.to_builtins(record)
    shown["facts"] = [_fact(fact, reveal) for fact in record.facts]
    return shown


def _fact(fact: f.AnyFact, reveal: bool) -> dict[str, Any]:
    shown: dict[str, Any] = msgspec.to_builtins(fact)
    if not reveal:
        hidden = {f.Dealt: "action", f.MatchStarted: "seed", f.TableCreated: "code"}.get(type(fact))
        if hidden is not None:
            shown[hidden] = HIDDEN
    return shown
