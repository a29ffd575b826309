"""Timing of one work: alternating repeats, medians, and a separate first call."""

import statistics
import time
import warnings
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from bench_data import Source
from threadpoolctl import threadpool_limits
from works import THREADS, Contest, Run, Work

from rosenblatt.core.types import Data
from rosenblatt.estimators.perceptron import Perceptron

_PROBES = 2


class Times(NamedTuple):
    """The seconds of the first call, which may compile or load kernels, and of later calls."""

    first: float
    later: list[float]

    @property
    def median(self) -> float:
        """The median of all calls but the first."""
        return statistics.median(self.later)

    @property
    def warm_up(self) -> float:
        """The extra time of the first call."""
        return max(0.0, self.first - self.median)


class Exactness(NamedTuple):
    """Our run's epochs and mistakes, and the share of visits that needed an exact sum."""

    epochs: int
    mistakes: int
    exact_sums: int
    exact_share: float


class Row(NamedTuple):
    """The measurements of one work; seconds are per unit: the whole run, or one call."""

    work: Work
    data: str
    epochs: int
    units: int
    configuration: str
    probes: dict[str, float]
    times: dict[str, Times]
    exactness: Exactness | None

    def seconds(self, name: str) -> float | None:
        """Return the median of "ours", "peer", "shuffled" or "read", or None if it was not measured."""
        if name not in self.times:
            return None
        return self.times[name].median / (1 if name == "read" else self.units)

    def ratio(self, name: str = "peer") -> float | None:
        """Return the ratio of that time to ours."""
        theirs = self.times.get(name)
        return None if theirs is None else theirs.median / self.times["ours"].median

    @property
    def limit_ratio(self) -> float | None:
        """The ratio of one of our epochs to reading the data once."""
        read = self.times.get("read")
        if read is None:
            return None
        return self.times["ours"].median / self.epochs / read.median

    def facts(self) -> dict[str, object]:
        """Return the row for JSON."""
        return {
            "data": self.data,
            "configuration": self.configuration,
            "configurations": self.probes,
            **{f"{name}_seconds": self.seconds(name) for name in ("ours", "peer", "shuffled")},
            "ratio": self.ratio(),
            "shuffled_ratio": self.ratio("shuffled"),
            "read_seconds": self.seconds("read"),
            "limit_ratio": self.limit_ratio,
            "epochs": self.epochs,
            "units": self.units,
            "warm_up_seconds": self.times["ours"].warm_up,
            "run": None if self.exactness is None else self.exactness._asdict(),
        }


def measure(work: Work, source: Source, repeats: int) -> Row:
    """Find the peer's best configuration, then time both sides and the limit in turn."""
    with warnings.catch_warnings(), threadpool_limits(THREADS):
        warnings.simplefilter("ignore")  # both sides warn that one epoch is not enough
        contest = work.contest(source)
        probes = {}
        if len(contest.peers) > 1:
            tried = interleaved(contest.peers, _PROBES)
            probes = {name: min(times.later) for name, times in tried.items()}
        best = min(contest.peers, key=lambda name: probes.get(name, 0.0))
        runs = {"ours": contest.ours, "peer": contest.peers[best]}
        if contest.shuffled:
            runs["shuffled"] = contest.shuffled[best]
        if contest.reads:
            runs["read"] = reading(contest.arrays())
        times = interleaved(runs, repeats)
        exactness = _exactness(contest)
    return Row(
        work, contest.data.name, contest.epochs, contest.units, best, probes, times, exactness
    )


def interleaved(runs: Mapping[str, Run], repeats: int) -> dict[str, Times]:
    """Time all runs in turn, repeatedly, so that noise affects all of them equally."""
    times = {name: Times(_seconds(run), []) for name, run in runs.items()}
    for _ in range(repeats):
        for name, run in runs.items():
            times[name].later.append(_seconds(run))
    return times


def _seconds(run: Run) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def reading(arrays: Iterable[Data]) -> Run:
    """Return the limit: reading the arrays' bytes once, on one thread.

    The bytes are summed as 8-byte integers; narrower ones would cost conversions.
    """
    words = []
    for array in arrays:
        octets = array.reshape(-1).view(np.uint8)
        words.append(octets[: len(octets) // 8 * 8].view(np.int64))
    return lambda: [part.sum() for part in words]


def _exactness(contest: Contest) -> Exactness | None:
    model = contest.ours()
    if not isinstance(model, Perceptron):
        return None
    visits = model.n_iter_ * len(contest.data.y) * len(model.coef_)
    share = model.n_exact_ / visits
    return Exactness(model.n_iter_, model.n_mistakes_, model.n_exact_, share)
