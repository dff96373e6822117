"""A pytest plugin that ends a test process in which something hangs, after it has told what everybody waits for.

pytest-timeout lets a test fail that takes too long, and nearly always that is enough. It is not where its signal is
taken up by a task in the background, where nothing runs Python any more, and in the teardown of a test that has failed:
as soon as a test fails, pytest-timeout takes its timer away, and so does pytest's own faulthandler. Here a teardown
gets a timer of its own, and whatever outlasts its timer by `watchdog_grace` seconds costs the process its life. Where
tests run in many processes, xdist tells which test the process died of (tests/support/workers.py).

Two watch: a thread, which can tell what asyncio's tasks wait for and end the processes that tests have started; and
faulthandler's timer, which needs no Python, for when that thread gets no turn.
"""

import asyncio
import contextlib
import faulthandler
import gc
import os
import sys
import threading
import traceback
from collections.abc import Generator, Iterator
from time import monotonic
from types import AsyncGeneratorType, CoroutineType, FrameType, GeneratorType
from typing import Any, Final

import psutil
import pytest

TEARDOWN_SECONDS: Final = 90.0
"""How long a teardown may take at most; less where the whole test has less."""
GRACE_SECONDS: Final = 30.0
"""How long something may outlast its timer before the process is ended."""
OUTSIDE_SECONDS: Final = 300.0
"""How long anything may take that is no test: to collect the tests, and to end the session."""
EXIT_SECONDS: Final = 30.0
"""How long the interpreter may take to exit after the session."""
EXIT_CODE: Final = 70


class Watchdog:
    """Ends this process when what it watches takes too long.

    Args:
        output: Descriptor of the file that it tells everything to; it stays open.
        last_resort_seconds: How much later faulthandler's timer runs out than the thread's.
    """

    def __init__(self, output: int, last_resort_seconds: float) -> None:
        self._output = output
        self._last_resort_seconds = last_resort_seconds
        self._changed = threading.Condition()
        self._what = ""
        self._deadline: float | None = None
        threading.Thread(target=self._keep_watching, name="watchdog", daemon=True).start()

    def watch(self, what: str, seconds: float) -> None:
        """Watches `what` from now on, for so many seconds, and nothing else any more."""
        with self._changed:
            self._what, self._deadline = what, monotonic() + seconds
            self._changed.notify()
        self.watch_without_python()

    def watch_without_python(self) -> None:
        """Winds up faulthandler's timer, which others may have stopped, for what is watched now."""
        if self._deadline is not None:
            left = max(1.0, self._deadline - monotonic())
            faulthandler.dump_traceback_later(left + self._last_resort_seconds, exit=True, file=self._output)

    def rest(self) -> None:
        """Watches nothing any more."""
        with self._changed:
            self._deadline = None
            self._changed.notify()
        faulthandler.cancel_dump_traceback_later()

    def _keep_watching(self) -> None:
        with self._changed:
            while True:
                left = None if self._deadline is None else self._deadline - monotonic()
                if left is not None and left <= 0:
                    break
                self._changed.wait(left)
        try:
            self._tell()
        finally:
            end_children()
            os._exit(EXIT_CODE)

    def _tell(self) -> None:
        self._write(f"\n+++ watchdog: {self._what} hangs; process {os.getpid()} ends +++\n")
        faulthandler.dump_traceback(file=self._output, all_threads=True)
        for task in unfinished_tasks():
            self._write(f"\n{describe(task)}")
        for child in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.Error):
                self._write(f"\nchild {child.pid}: {' '.join(child.cmdline())[:200]}")
        self._write("\n+++ watchdog: end of what it has to tell +++\n")

    def _write(self, text: str) -> None:
        os.write(self._output, text.encode(errors="replace"))


def unfinished_tasks() -> list[asyncio.Task[Any]]:
    """The tasks of all event loops that are not done."""
    found = (one for one in gc.get_objects() if issubclass(type(one), asyncio.Task))
    return [task for task in found if not task.done()]


def describe(task: asyncio.Task[Any]) -> str:
    """The name of a task, and where it waits, from the outermost await to the innermost."""
    frames = ((frame, frame.f_lineno) for frame in _awaits(task))
    places = "".join(traceback.StackSummary.extract(frames).format())
    return f"task {task.get_name()}:\n{places}"


def _awaits(task: asyncio.Task[Any]) -> Iterator[FrameType]:
    waiting: Any = task.get_coro()
    while waiting is not None:
        match waiting:
            case CoroutineType():
                yield from filter(None, [waiting.cr_frame])
                waiting = waiting.cr_await
            case GeneratorType():
                yield from filter(None, [waiting.gi_frame])
                waiting = waiting.gi_yieldfrom
            case AsyncGeneratorType():
                yield from filter(None, [waiting.ag_frame])
                waiting = waiting.ag_await
            case _:  # a step of an asynchronous generator does not say of which, but refers to it; so does a wrapper
                known = (CoroutineType, GeneratorType, AsyncGeneratorType)
                waiting = next((one for one in gc.get_referents(waiting) if isinstance(one, known)), None)


def end_children() -> None:
    """Kills the processes that this one has started, and those that they have started."""
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            child.kill()


# The plugin

_watchdog = pytest.StashKey[Watchdog]()
_settings = pytest.StashKey[Any]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("watchdog_grace", "seconds by which a test may outlast its timer", default=str(GRACE_SECONDS))
    parser.addini("watchdog_outside", "seconds for what is no test", default=str(OUTSIDE_SECONDS))
    parser.addini("watchdog_exit", "seconds for the exit of the interpreter", default=str(EXIT_SECONDS))


def pytest_configure(config: pytest.Config) -> None:
    if not config.getoption("usepdb"):
        assert sys.__stderr__ is not None
        config.stash[_watchdog] = Watchdog(os.dup(sys.__stderr__.fileno()), _seconds(config, "watchdog_grace") / 2)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Watches the exit of the interpreter; a process of xdist's first waits for the others, and xdist watches it."""
    if (dog := config.stash.get(_watchdog, None)) is not None:
        if is_test_process(config):
            dog.rest()
        else:
            dog.watch("the exit of the interpreter", _seconds(config, "watchdog_exit"))


def is_test_process(config: pytest.Config) -> bool:
    """Whether this is one of many processes that xdist lets run tests."""
    return hasattr(config, "workerinput")


def _seconds(config: pytest.Config, name: str) -> float:
    return float(config.getini(name))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    return (yield from _watching(session.config, "the collection of the tests"))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None, object, object]:
    return (yield from _watching(session.config, "the end of the session"))


def _watching(config: pytest.Config, what: str) -> Generator[None, object, object]:
    dog = config.stash.get(_watchdog, None)
    if dog is None:
        return (yield)
    dog.watch(what, _seconds(config, "watchdog_outside"))
    try:
        return (yield)
    finally:
        dog.rest()


@pytest.hookimpl(tryfirst=True)
def pytest_timeout_set_timer(item: pytest.Item, settings: Any) -> None:
    """Hears of the timer that pytest-timeout gives to a test, and watches that it does not outlast it."""
    if item.config.stash.get(_watchdog, None) is not None:
        item.stash[_settings] = settings
        _watch(item, item.nodeid, settings.timeout)


def _watch(item: pytest.Item, what: str, seconds: float) -> None:
    item.config.stash[_watchdog].watch(what, seconds + _seconds(item.config, "watchdog_grace"))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """Gives the teardown a timer of its own, for if the test has failed, it has none any more."""
    settings = item.stash.get(_settings, None)
    if settings is not None:
        settings = settings._replace(timeout=min(settings.timeout, TEARDOWN_SECONDS))
        item.ihook.pytest_timeout_cancel_timer(item=item)
        item.ihook.pytest_timeout_set_timer(item=item, settings=settings)
        _watch(item, f"the teardown of {item.nodeid}", settings.timeout)
    return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    try:
        return (yield)
    finally:
        if (dog := item.config.stash.get(_watchdog, None)) is not None:
            dog.rest()


@pytest.hookimpl(trylast=True)
def pytest_exception_interact(node: pytest.Item | pytest.Collector) -> None:
    """Goes on watching a test that has failed; pytest's faulthandler has stopped the timer that both share."""
    if (dog := node.config.stash.get(_watchdog, None)) is not None:
        dog.watch_without_python()


def pytest_enter_pdb(config: pytest.Config) -> None:
    """Watches no test that somebody looks into."""
    if (dog := config.stash.get(_watchdog, None)) is not None:
        dog.rest()
