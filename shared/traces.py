"""Which trace a task works for, as W3C Trace Context writes it: `traceparent`. Empty everywhere while tracing is off.

This is all that the rest of the code knows of tracing; what makes spans of it is `shared.spans`, which is imported only
where a collector is named (`LEVATA_OTLP_ENDPOINT`).
"""

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

TRACEPARENT: Final = "traceparent"
"""The name of the header of NATS, and of the metadata of gRPC."""

_current: ContextVar[str] = ContextVar("levata_traceparent", default="")


def current() -> str:
    """The `traceparent` of the span that this task works in; empty if it works in none."""
    return _current.get()


def enter(traceparent: str) -> None:
    """Makes it the span that this task, and those that it starts from now on, work in; empty for none."""
    _current.set(traceparent)


def trace_id() -> str:
    """The id of the trace that this task works for, 32 hexadecimal digits; empty if it works for none."""
    return _current.get()[3:35]


@dataclass(frozen=True, slots=True)
class Trace:
    """That a trace goes on where a message is handled.

    Attributes:
        parent: The `traceparent` that it goes on from; None: that of this task.
        new: It begins a trace of its own, linked to that one.
    """

    parent: str | None = None
    new: bool = False
