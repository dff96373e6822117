"""Logging: structlog for everybody, one line an event, JSON for machines or plain text for people.

What belongs to one request (its id, table and player) is bound once by `bind` and then stands in every line. Whatever
may be a secret or a hidden card is masked before it is written, by its key or by its looks.
"""

import logging
import re
import sys
from collections.abc import Mapping, MutableMapping
from typing import Any, Literal, TextIO

import structlog

from shared import traces

MASK = "***"
SECRET_WORDS = frozenset(
    {
        "authorization",
        "card",
        "cards",
        "cookie",
        "credential",
        "credentials",
        "hand",
        "hands",
        "pack",
        "password",
        "passwords",
        "private",
        "salt",
        "salts",
        "secret",
        "secrets",
        "seed",
        "seeds",
        "token",
        "tokens",
    }
)
"""Words of a key, separated by underscores, dashes, dots or a capital, whose value is never written."""
HARMLESS_ENDINGS = ("_file", "_seconds", "_count", "_bytes")
"""Keys with these endings tell about a secret, not the secret itself."""

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_JWT = re.compile(r"eyJ[\w-]*\.[\w-]+(?:\.[\w-]*)?")
_BEARER = re.compile(r"(?i)\b(bearer)\s+[\w.~+/=-]+")
_URL_PASSWORD = re.compile(r"(://[^/\s:@]*):[^/\s@]+@")
_IDS = structlog.contextvars


def bind(**ids: str | int) -> None:
    """Puts ids (`request_id`, `table_id`, `player_id`, `rpc`) into all later lines of this task and those it starts."""
    _IDS.bind_contextvars(**ids)


def is_secret(key: str) -> bool:
    """Whether a value under this key is masked."""
    if key.endswith(HARMLESS_ENDINGS):
        return False
    return any(word.lower() in SECRET_WORDS for word in _WORDS.findall(key))


def mask_text(text: str) -> str:
    """The text without tokens and without passwords in addresses."""
    if "eyJ" in text:
        text = _JWT.sub(MASK, text)
    if "earer" in text or "EARER" in text:
        text = _BEARER.sub(rf"\1 {MASK}", text)
    if "://" in text:
        text = _URL_PASSWORD.sub(rf"\1:{MASK}@", text)
    return text


def mask(value: Any) -> Any:
    """A value as it may be written: mappings and lists are gone through, texts searched, bytes only measured."""
    if isinstance(value, str):
        return mask_text(value)
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, Mapping):
        return {key: MASK if is_secret(str(key)) else mask(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [mask(item) for item in value]
    if isinstance(value, (bytes, bytearray, memoryview)):
        return f"<{len(value)} bytes>"
    return mask_text(str(value))


def mask_secrets(_logger: Any, _method: str, event_dict: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """The structlog processor that masks; it comes after everything that adds to a line."""
    for key, value in event_dict.items():
        if key[0] == "_":
            continue  # structlog's own, removed before rendering
        event_dict[key] = MASK if value is not None and is_secret(key) else mask(value)
    return event_dict


def add_trace_id(_logger: Any, _method: str, event_dict: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """The structlog processor that says for which trace a line was written, if for any."""
    if trace_id := traces.trace_id():
        event_dict["trace_id"] = trace_id
    return event_dict


def configure(
    log_format: Literal["console", "json"] = "console",
    level: str = "info",
    stream: TextIO | None = None,
    cache: bool = False,
) -> None:
    """Sets up structlog, and the standard library's logging through it, for the whole process.

    Args:
        log_format: `json` or `console`.
        level: The least level that is written.
        stream: Where to; standard output if absent.
        cache: Keep each logger as first used: faster, but this function has no effect on those afterwards.
    """
    out = stream if stream is not None else sys.stdout
    renderer: structlog.typing.Processor
    if log_format == "json":
        renderer = structlog.processors.JSONRenderer()
    else:
        colors = hasattr(out, "isatty") and out.isatty()
        renderer = structlog.dev.ConsoleRenderer(
            colors=colors, exception_formatter=structlog.dev.plain_traceback, pad_event_to=40
        )
    before: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        add_trace_id,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    # Tracebacks are rendered as plain text: those with local variables would show hands.
    after: list[structlog.typing.Processor] = [structlog.processors.format_exc_info, mask_secrets]
    structlog.configure(
        processors=[*before, *after, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(file=out),
        cache_logger_on_first_use=cache,
    )
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*before, structlog.stdlib.add_logger_name],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *after, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    # Libraries are chattier than we are.
    root.setLevel(max(logging.getLevelNamesMapping()[level.upper()], logging.WARNING))
