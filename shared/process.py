"""A service as a process of its own, with its signals and its exit code, or inside another process, such as a test."""

import asyncio
import contextlib
import signal
import sys
from collections.abc import AsyncIterator
from typing import TypeVar

import structlog

from shared import logs
from shared.bus import BusUnavailable
from shared.harness import Bind, CannotStartError, Service, ServiceFailedError
from shared.settings import ServiceSettings, settings_from_environment

S = TypeVar("S", bound=ServiceSettings)

_log = structlog.get_logger(__name__)


@contextlib.asynccontextmanager
async def running(name: str, settings: S, bind: Bind[S]) -> AsyncIterator[Service]:
    """Runs a service inside a `with` block, in this process.

    Raises:
        ServiceFailedError: At the end, if a background task failed.
    """
    service = Service(name, settings)
    await service.start(bind)
    # When a background task fails, the service stops as it would in a process of its own.
    watch = asyncio.create_task(_stop_when_told(service))
    try:
        yield service
    finally:
        watch.cancel()
        await asyncio.gather(watch, return_exceptions=True)
        await service.stop()
    if service.failure is not None:
        raise ServiceFailedError(f"{name}: {service.failure!r}") from service.failure


async def _stop_when_told(service: Service) -> None:
    await service.stopping.wait()
    await service.stop()


async def serve(name: str, settings: S, bind: Bind[S]) -> int:
    """Runs a service until SIGTERM, SIGINT or a failure, and returns the exit code of the process."""
    service = Service(name, settings)
    loop = asyncio.get_running_loop()
    signalled = asyncio.Event()

    def stop() -> None:
        signalled.set()
        service.stopping.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    starting = asyncio.create_task(service.start(bind))
    told = asyncio.create_task(signalled.wait())
    await asyncio.wait({starting, told}, return_when=asyncio.FIRST_COMPLETED)
    told.cancel()
    if not starting.done():  # told to stop while it waits for something
        starting.cancel()
        await asyncio.wait({starting})
    if starting.cancelled():
        return 0
    if (error := starting.exception()) is not None:
        _log.error("could not start", service=name, error=str(error) or repr(error), exc_info=_unexpected(error))
        return 1
    await service.stopping.wait()
    _log.info("stopping", service=name)
    await service.stop()
    return 0 if service.failure is None else 1


def _unexpected(error: BaseException) -> BaseException | None:
    """The error, if its traceback is of use to whoever starts the service."""
    return None if isinstance(error, (OSError, BusUnavailable, CannotStartError)) else error


def main(name: str, settings_type: type[S], bind: Bind[S]) -> None:
    """The whole life of a service's process: reads the settings, serves, and exits with 0 or 1."""
    settings = settings_from_environment(name, settings_type)
    logs.configure(settings.log_format, settings.log_level, cache=True)
    _log.info("settings", service=name, **{f"setting_{key}": value for key, value in settings.printable().items()})
    try:
        from uvloop import run
    except ImportError:
        run = asyncio.run  # type: ignore[assignment]
    sys.exit(run(serve(name, settings, bind)))
