"""Servers: which there are, and how one is let go."""

import time
from typing import Any, Final

from deploy.admin.answer import Answer, ago, moment, table_of
from deploy.admin.desk import Desk
from deploy.admin.errors import AdminError
from shared.roll_call import Here

HAILS: Final = 3
"""A server that is not heard at once is hailed so often before it is taken for absent."""
MISSED: Final = 3
"""A server that was told to go and has not answered so many hails in a row has gone."""


async def listed(desk: Desk) -> Answer:
    """All servers that answer."""
    servers = await desk.roll_call.servers()
    now = desk.now()
    rows = [(one.kind, one.instance, one.address, _state(one), ago(one.started, now)) for one in servers]
    text = table_of(("KIND", "NAME", "LISTENS AT", "STATE", "STARTED"), rows) if rows else "no server answers"
    return Answer(text, [_data(one) for one in servers], good=bool(servers))


async def drain(desk: Desk, name: str, why: str, wait_seconds: float, *, even_the_last: bool) -> Answer:
    """Lets a server go in good order, and waits until it is gone.

    Args:
        desk: Whose.
        name: The server's name.
        why: The reason.
        wait_seconds: How long to wait for its end; 0: not at all.
        even_the_last: Also when no other of its kind is ready.
    """
    server, others = await _find(desk, name)
    if server.ready and not others and not even_the_last:
        raise AdminError(
            f"{name} is the only server of {server.kind} that is ready: until it is back, {server.kind} is away for "
            "everybody. Nothing was done; if that is meant: --even-the-last"
        )
    await desk.note("drain", f"{server.kind} {server.instance}", why)
    await desk.roll_call.drain(server, desk.by, why)
    if not wait_seconds:
        return Answer(f"{name} was told to go.", {"server": _data(server), "gone": None})
    began, missed = time.monotonic(), 0
    while time.monotonic() - began < wait_seconds:
        likes = [one for one in await desk.roll_call.servers() if one.kind == server.kind]
        same = [one.started for one in likes if one.instance == name]
        missed = 0 if server.started in same else missed + 1
        if missed and (same or missed == MISSED):
            ready = [one.instance for one in likes if one.ready]
            back = " and is back" if same else ""
            text = f"{name} has gone{back}. Servers of {server.kind} that are ready: {', '.join(ready) or 'none'}."
            return Answer(text, {"server": _data(server), "gone": True, "ready": ready})
    return Answer(
        f"{name} was told to go and is still there after {wait_seconds:g} s; its log says what it waits for.",
        {"server": _data(server), "gone": False},
        good=False,
    )


async def _find(desk: Desk, name: str) -> tuple[Here, list[Here]]:
    """The server of a name, and the others of its kind that are ready."""
    names: list[str] = []
    for _ in range(HAILS):
        servers = await desk.roll_call.servers()
        found = [one for one in servers if one.instance == name and not one.draining]
        if len(found) == 1:
            (server,) = found
            return server, [one for one in servers if one.kind == server.kind and one.ready and one != server]
        if found:
            kinds = ", ".join(f"{one.kind} {one.address}" for one in found)
            raise AdminError(
                f"{len(found)} servers are called {name}: {kinds}. They want names of their own (LEVATA_INSTANCE)"
            )
        names = [one.instance for one in servers]
    raise AdminError(f"no server {name!r} answers; there are: {', '.join(names) or 'none'}")


def _state(server: Here) -> str:
    return "draining" if server.draining else "ready" if server.ready else "not ready"


def _data(server: Here) -> dict[str, Any]:
    return {
        "kind": server.kind,
        "name": server.instance,
        "address": server.address,
        "state": _state(server),
        "started": moment(server.started),
    }
