"""Waits for the thing itself, with a bound."""

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable
from typing import Any

import grpc


async def until(condition: Callable[[], bool | Awaitable[Any]], seconds: float = 20.0, what: str = "") -> None:
    """Returns as soon as `condition()` holds; fails after so many seconds.

    Args:
        condition: A function, or a coroutine function, without arguments.
        seconds: The bound.
        what: Said when it is over.
    """
    deadline = time.monotonic() + seconds
    pause = 0.002
    while True:
        holds = condition()
        if inspect.isawaitable(holds):
            holds = await holds
        if holds:
            return
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what or inspect.getsource(condition).strip()}")
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, 0.1)


async def stopped(server: grpc.aio.Server, seconds: float = 10.0) -> None:
    """Ends a server of gRPC and all its calls at once; fails when that takes longer."""
    async with asyncio.timeout(seconds):
        await server.stop(None)
