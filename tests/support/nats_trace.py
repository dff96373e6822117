"""What the clients of a NATS server have done, as its own trace tells: each subject of each user, and each refusal."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.nats import nats_binary

_DONE = re.compile(
    r'\[TRC\] .* - "[^":]*:[^":]*:(?P<name>[^" ]*)[^"]*" - "[^"/]*/user:(?P<user>[^"]*)" - '
    r"<<- \[(?P<verb>PUB|HPUB|SUB) (?P<subject>\S+) "
)
_REFUSED = re.compile(
    r'\[ERR\] .* - "(?:[^":]*:[^":]*:)?(?P<name>[^" ]*)[^"]*" - "[^"/]*/user:(?P<user>[^"]*)" - '
    r"(?P<what>Publish|Subscription) Violation - (?:Subject|using) \"?(?P<subject>[^\",]+)"
)


@dataclass
class Done:
    """What a user has done.

    Attributes:
        published: Subjects that it published on.
        subscribed: Subjects that it subscribed to.
        refused: What was refused it.
    """

    published: set[str] = field(default_factory=set)
    subscribed: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)


def traced_server(folder: Path) -> Path:
    """A program that runs the NATS server as usual, and has it write down everything in `folder`/trace.log."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "nats-server-traced"
    program.write_text(f'#!/bin/sh\nexec "{nats_binary()}" --trace --log "{folder / "trace.log"}" "$@"\n')
    program.chmod(0o755)
    return program


def read_trace(path: Path, names: Iterable[str]) -> dict[str, Done]:
    """What was done by the clients whose name begins with one of these words, by user."""
    wanted = set(names)
    found: dict[str, Done] = {}
    with path.open(errors="replace") as lines:
        for line in lines:
            seen = _DONE.search(line) or _REFUSED.search(line)
            if seen is None or seen["name"] not in wanted:
                continue
            done = found.setdefault(seen["user"], Done())
            if "what" in seen.groupdict():
                done.refused.add(f"{seen['what'].lower()} {seen['subject']}")
            else:
                (done.subscribed if seen["verb"] == "SUB" else done.published).add(seen["subject"])
    return found
