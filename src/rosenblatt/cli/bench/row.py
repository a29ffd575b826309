"""Measuring one work: a row of the table."""

import warnings
from typing import Any, NamedTuple

from threadpoolctl import threadpool_limits

from rosenblatt.cli.bench.bench_data import Source
from rosenblatt.cli.bench.contests import THREADS, Contest
from rosenblatt.cli.bench.timing import Times, interleaved, probed, reading
from rosenblatt.cli.bench.works import Work
from rosenblatt.estimators.perceptron import Perceptron


class Exactness(NamedTuple):
    """What our run did: its epochs and mistakes, and the share of visits that took an exact sum."""

    epochs: int
    mistakes: int
    exact_sums: int
    exact_share: float


class Row(NamedTuple):
    """What was measured, in seconds for each unit: the whole run, or one of its calls."""

    work: Work
    data: str
    epochs: int
    units: int
    configuration: str
    probes: dict[str, float]
    times: dict[str, Times]
    exactness: Exactness | None

    def seconds(self, name: str) -> float | None:
        """Return the median of ours, peer, shuffled or read, or None: it was not measured."""
        if name not in self.times:
            return None
        return self.times[name].median / (1 if name == "read" else self.units)

    def ratio(self, name: str = "peer") -> float | None:
        """Return that time over ours."""
        theirs = self.times.get(name)
        return None if theirs is None else theirs.median / self.times["ours"].median

    @property
    def limit_ratio(self) -> float | None:
        """How many times as long as reading the data once one of our epochs takes."""
        read = self.times.get("read")
        if read is None:
            return None
        return self.times["ours"].median / self.epochs / read.median

    @property
    def reached(self) -> bool:
        """Whether the work is as fast as it ought to be."""
        ratio, limit = self.ratio(), self.limit_ratio
        near = self.work.asked_limit is None or limit is None or limit <= self.work.asked_limit
        return ratio is not None and ratio >= self.work.asked and near

    def facts(self) -> dict[str, Any]:
        """Return the row for programs."""
        return {
            "data": self.data,
            "configuration": self.configuration,
            "configurations": self.probes,
            **{f"{name}_seconds": self.seconds(name) for name in ("ours", "peer", "shuffled")},
            "ratio": self.ratio(),
            "shuffled_ratio": self.ratio("shuffled"),
            "read_seconds": self.seconds("read"),
            "limit_ratio": self.limit_ratio,
            "reached": self.reached,
            "epochs": self.epochs,
            "units": self.units,
            "warm_up_seconds": self.times["ours"].warm_up,
            "run": None if self.exactness is None else self.exactness._asdict(),
        }


def measure(work: Work, source: Source, repeats: int) -> Row:
    """Find the peer's best configuration, then time both sides, and the limit, in turn."""
    with warnings.catch_warnings(), threadpool_limits(THREADS):
        warnings.simplefilter("ignore")  # one epoch is rarely enough, and both sides say so
        contest = work.contest(source)
        probes = probed(contest.peers) if len(contest.peers) > 1 else {}
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


def _exactness(contest: Contest) -> Exactness | None:
    model = contest.ours()
    if not isinstance(model, Perceptron):
        return None
    visits = model.n_iter_ * len(contest.data.y) * len(model.coef_)
    share = model.n_exact_ / visits
    return Exactness(model.n_iter_, model.n_mistakes_, model.n_exact_, share)
