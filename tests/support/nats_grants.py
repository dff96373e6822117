"""What nats.conf lets each user do: the permissions of those at home with the streams, and what the others import."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.local.roster import NATS_CONFIGURATION

_TOKEN = re.compile(r'#[^\n]*|"([^"]*)"|([{}\[\]])|([^\s{}\[\],:="#]+)')
HOME_OF_JETSTREAM = ("$JS.>", "$KV.>")
"""What is a user's own whose account has a JetStream of its own."""


@dataclass(frozen=True)
class Grants:
    """What a user may do.

    Attributes:
        publish: Patterns of subjects that lead to others.
        subscribe: Patterns of subjects on which something comes from others.
        own: Patterns of subjects that lead to nobody but itself.
    """

    publish: frozenset[str]
    subscribe: frozenset[str]
    own: frozenset[str]


def grants(path: Path = NATS_CONFIGURATION) -> dict[str, Grants]:
    """What the configuration grants, by user."""
    found: dict[str, Grants] = {}
    for account in parse(path.read_text())["accounts"].values():
        services, streams = set(), set()
        for one in account.get("imports", ()):
            if "service" in one:
                services.add(one.get("to", one["service"]["subject"]))
            else:
                streams.add(one.get("to", one["stream"]["subject"]))
        for user in account["users"]:
            name = user["user"]
            inbox = f"_INBOX.{name}.>"
            if "permissions" in user:
                permitted = user["permissions"]
                subscribe = frozenset(permitted["subscribe"])
                assert inbox in subscribe, f"{name} could not hear any answer"
                found[name] = Grants(frozenset(permitted["publish"]), subscribe - {inbox}, frozenset({inbox}))
            else:
                own = {inbox, *(HOME_OF_JETSTREAM if account.get("jetstream") == "enabled" else ())}
                found[name] = Grants(frozenset(services), frozenset(streams), frozenset(own))
    return found


def matches(pattern: str, subject: str) -> bool:
    """Whether a subject, or everything that a pattern in its place stands for, is among what a pattern stands for."""
    wanted, given = pattern.split("."), subject.split(".")
    for number, token in enumerate(wanted):
        if token == ">":
            return len(given) > number
        if number >= len(given) or given[number] == ">" or token not in ("*", given[number]):
            return False
    return len(wanted) == len(given)


def lacking(granted: Iterable[str], used: Iterable[str]) -> set[str]:
    """Subjects that were used and are not granted."""
    granted = list(granted)
    return {subject for subject in used if not any(matches(pattern, subject) for pattern in granted)}


def spare(granted: Iterable[str], used: Iterable[str]) -> set[str]:
    """Patterns that are granted and of which nothing was used."""
    used = list(used)
    return {pattern for pattern in granted if not any(matches(pattern, subject) for subject in used)}


def parse(text: str) -> Mapping[str, Any]:
    """A configuration of NATS as it is nested, as far as ours goes: objects, lists, strings and bare words."""
    return _object(_tokens(text), end="")


def _tokens(text: str) -> Iterator[str]:
    for found in _TOKEN.finditer(text):
        if not found[0].startswith("#"):
            yield found[1] if found[1] is not None else found[0]
    yield ""


def _object(tokens: Iterator[str], end: str) -> dict[str, Any]:
    made: dict[str, Any] = {}
    while (key := next(tokens)) != end:
        made[key] = _value(next(tokens), tokens)
    return made


def _value(token: str, tokens: Iterator[str]) -> Any:
    if token == "{":
        return _object(tokens, end="}")
    if token == "[":
        made = []
        while (one := next(tokens)) != "]":
            made.append(_value(one, tokens))
        return made
    return token
