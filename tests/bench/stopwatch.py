"""Timing inside a process that measures when it is told to: a line of JSON for a question, a line for the answer."""

import json
import sys
import time
from collections.abc import Callable, Mapping


def per_second(work: Callable[[], object], seconds: float) -> float:
    """How often `work` can be done in a second of this process's CPU time, tried for so many."""
    done, batch = 0, 1
    began = time.process_time()
    while (elapsed := time.process_time() - began) < seconds:
        for _ in range(batch):
            work()
        done += batch
        batch = min(batch * 2, 256)
    return done / elapsed


def answer_questions(measures: Mapping[str, Callable[..., object]]) -> None:
    """Answers each line `{"measure": name, ...arguments}` with what that measure returns, until the input ends."""
    for line in sys.stdin:
        question = json.loads(line)
        found = measures[question.pop("measure")](**question)
        print(json.dumps({"found": found}), flush=True)
