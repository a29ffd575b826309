"""Taking times: repeats in turn, medians, and the first call apart."""

import statistics
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

Run = Callable[[], object]
"""One piece of work that is timed as a whole."""

_PROBES = 2


class Times(NamedTuple):
    """The seconds of the first call, which may compile or load kernels, and of those after it."""

    first: float
    later: list[float]

    @property
    def median(self) -> float:
        """The median of all calls but the first."""
        return statistics.median(self.later)

    @property
    def warm_up(self) -> float:
        """How much longer the first call took."""
        return max(0.0, self.first - self.median)


def seconds(run: Run) -> float:
    """Return how long one call takes."""
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def interleaved(runs: Mapping[str, Run], repeats: int) -> dict[str, Times]:
    """Time all runs in turn, again and again, so that a noisy moment hits all of them alike."""
    times = {name: Times(seconds(run), []) for name, run in runs.items()}
    for _ in range(repeats):
        for name, run in runs.items():
            times[name].later.append(seconds(run))
    return times


def probed(runs: Mapping[str, Run]) -> dict[str, float]:
    """Return the better of two times of each run, after a call that does not count."""
    times = interleaved(runs, _PROBES)
    return {name: min(times[name].later) for name in runs}


def reading(arrays: Iterable[Any]) -> Run:
    """Return the limit: reading the arrays' bytes once, with one thread.

    They are summed as whole numbers of 8 bytes: a sum of narrower ones is held up by its conversions.
    """
    words = []
    for array in arrays:
        octets = array.reshape(-1).view(np.uint8)
        words.append(octets[: len(octets) // 8 * 8].view(np.int64))
    return lambda: [part.sum() for part in words]
