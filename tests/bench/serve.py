"""Runs the table service as its own command does, under a profiler if the environment says so.

`BENCH_PROFILE=sample` takes the stack every two milliseconds of CPU time; `calls` counts every call (cProfile), which
slows all of it down. SIGUSR1 switches the profiler on and off; at the end `BENCH_PROFILE_FILE` is written.
"""

import atexit
import cProfile
import io
import os
import pstats
import runpy
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType

SAMPLE_SECONDS = 0.002
LISTED = 70


class Sampler:
    """Counts the functions found on the stack."""

    def __init__(self) -> None:
        self._inner: Counter[CodeType] = Counter()
        self._anywhere: Counter[CodeType] = Counter()
        self._samples = 0
        self._on = False
        signal.signal(signal.SIGPROF, self._sample)

    def switch(self) -> None:
        """On or off."""
        self._on = not self._on
        period = SAMPLE_SECONDS if self._on else 0.0
        signal.setitimer(signal.ITIMER_PROF, period, period)

    def report(self) -> str:
        """The functions that were on top of the stack, and those that were anywhere on it, in percent."""
        lines = [f"{self._samples} samples"]
        for title, counter in (("innermost", self._inner), ("anywhere on the stack", self._anywhere)):
            lines += ["", title]
            for code, count in counter.most_common(LISTED):
                name = f"{_short(code.co_filename)}:{code.co_qualname}"
                lines.append(f"{100 * count / max(1, self._samples):6.1f} %  {name}")
        return "\n".join(lines) + "\n"

    def _sample(self, number: int, frame: FrameType | None) -> None:
        stack = []
        while frame:
            stack.append(frame.f_code)
            frame = frame.f_back
        if stack:
            self._samples += 1
            self._inner[stack[0]] += 1
            self._anywhere.update(set(stack))


class Counts:
    """cProfile."""

    def __init__(self) -> None:
        self._profile = cProfile.Profile()
        self._on = False

    def switch(self) -> None:
        """On or off."""
        self._on = not self._on
        if self._on:
            self._profile.enable()
        else:
            self._profile.disable()

    def report(self) -> str:
        """The functions by their own time and by that of what they called."""
        text = io.StringIO()
        stats = pstats.Stats(self._profile, stream=text)
        stats.sort_stats("tottime").print_stats(LISTED)
        stats.sort_stats("cumulative").print_stats(LISTED)
        return text.getvalue()


def _short(path: str) -> str:
    return "/".join(Path(path).parts[-3:])


def main() -> None:
    """Runs the service."""
    kind = os.environ.get("BENCH_PROFILE")
    if kind:
        profiler = Sampler() if kind == "sample" else Counts()
        switch: Callable[[], None] = profiler.switch
        signal.signal(signal.SIGUSR1, lambda number, frame: switch())
        path = Path(os.environ["BENCH_PROFILE_FILE"])
        atexit.register(lambda: path.write_text(profiler.report()))
    runpy.run_module("services.table", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
