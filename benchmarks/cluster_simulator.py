"""How many workers are worth having: a model of an epoch, driven by what `cluster.py` measured.

    python benchmarks/cluster.py --json measured.json
    python benchmarks/cluster_simulator.py measured.json [--engine ray] [--terabytes 1]

prints the epochs per hour and the efficiency of 1 to 1,000 workers, what breaks first, in words, from
which size of the files on more workers are faster than fewer, and how far the model is from what was
measured. Nothing here is timed: where no measurement is named below, a number is an assumption.

With k workers, one shard each, m of them on a machine, B bytes of rows and w weights of which a shard's
epoch changes the share c, an epoch takes the sum of these seconds:

- **work** = s·b: s seconds to read from memory, parse and learn from a byte, b bytes of the largest
  shard. Shards differ by at most one block, so b = ⌈B/block/k⌉·block. Measured: s, while the other core
  of the machine works too.
- **reading** = max(0, min(k, m)·b/R − s·b): the workers of a machine share R bytes a second from the
  disk or the object store, and read the next blocks while they learn from these. Assumed: R.
- **slowest** = v·E(k)·s·b: the driver waits for the slowest of k workers. E(k) is the expected maximum
  of k standard normal numbers (Blom's approximation). Measured: v, the relative deviation of the same
  work from round to round. Assumed: that it is normal, and no worse on many machines than on one.
- **calls** = a + d·k: a round of k shards that have nothing to do, without weights.
- **weights** = (p + q·k)·w: what weights add to it: packing, comparing, copying, unpacking. Measured:
  a, d, p and q, for each engine, where all weights change and where one in a hundred does (a straight
  line between the two), by a fit to rounds of up to 4 shards. All that grows with k is taken for the
  driver's own, one answer after the other, which is too much where workers did some of it.
- **mixing** = x·k·w at the driver. Measured: x, of the most weights and shards that were tried.
- **network** = ((M − 1)·8·w + (k − min(k, m))·min(8, 12·c)·w)/N with M = ⌈k/m⌉ machines, on the first
  of which the driver is: the weights go to each other machine once, and of each answer goes the smaller
  of all weights and the changed ones with their places. All of it passes the driver's network card of
  N bytes a second. Assumed: N, and that no machine hands weights on to another.
- **lost** = (1 − exp(−k·t/L))·(restart + work) with t the sum of all of the above: a worker is lost once
  in L seconds, comes back and does its epoch again. Measured: restart. Assumed: L.

The efficiency is s·B/(k·seconds): 1 if k workers do k times the work of one that has no driver. How much
an epoch is *worth* is not in the model: weights mixed from more shards need more epochs.
"""

import argparse
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist, fmean
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import nnls

WORKERS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000)
WEIGHTS = (47_000, 1_000_000, 10_000_000)
SHARES = (1.0, 0.01)
FITTED_SHARDS = 4
"""Rounds of more shards are not fitted: the model is checked on them."""
BOUNDS = (0.8, 0.5)
"""Where an efficiency is said to break."""
BLOCK_ROWS = 4096


@dataclass(frozen=True)
class RoundCost:
    """What a round takes beside the work of its k shards, with w weights.

    That is fixed + per_shard·k + (per_weight + per_answer·k)·w seconds.
    """

    fixed: float
    per_shard: float
    per_weight: float
    per_answer: float

    def calls(self, shards: int) -> float:
        return self.fixed + self.per_shard * shards

    def weights(self, shards: int, weights: int) -> float:
        return (self.per_weight + self.per_answer * shards) * weights

    def towards(self, other: "RoundCost", part: float) -> "RoundCost":
        """Return the cost that lies that part of the way to another."""
        ours, theirs = _numbers(self), _numbers(other)
        return RoundCost(*(a + part * (b - a) for a, b in zip(ours, theirs, strict=True)))


def _numbers(cost: RoundCost) -> tuple[float, float, float, float]:
    return cost.fixed, cost.per_shard, cost.per_weight, cost.per_answer


def fitted(rounds: Iterable[Mapping[str, Any]]) -> RoundCost:
    """Return the cost whose relative errors have the least squares, with no cost below zero."""
    rows = [
        (1.0, one["shards"], one["weights"], one["shards"] * one["weights"], one["seconds"])
        for one in rounds
    ]
    table = np.array(rows)
    scaled = table[:, :4] / table[:, 4:]
    lengths = np.linalg.norm(scaled, axis=0)  # a cost per weight is some 10⁻⁹, a call some 10⁻³
    found, _ = nnls(scaled / lengths, np.ones(len(rows)))
    return RoundCost(*(float(value) for value in found / lengths))


@dataclass(frozen=True)
class Measured:
    """What was measured of an engine, on one machine."""

    engine: str
    rounds: Mapping[float, RoundCost]
    seconds_per_byte: float
    block_bytes: float
    noise: float
    mixing: float
    restart: float
    start: float

    def round(self, share: float) -> RoundCost:
        """Return what a round costs where a shard changes that share of the weights."""
        few, many = min(self.rounds), max(self.rounds)
        part = (share - few) / (many - few) if many > few else 0.0
        return self.rounds[few].towards(self.rounds[many], part)


@dataclass(frozen=True)
class Assumed:
    """What was not measured: a network, machines, how often they are lost."""

    network: float = 1.25e9  # bytes a second: 10 Gbit/s
    reading: float = 1.25e9  # bytes a second for all workers of a machine
    cores: int = 16
    hours_between_losses: float = 1000.0
    driver_memory: float = 64e9


class Job(NamedTuple):
    """What is learned: bytes of rows, weights, the share of them that an epoch of a shard changes."""

    n_bytes: float
    weights: int
    share: float


class Parts(NamedTuple):
    """The seconds of an epoch."""

    work: float
    reading: float
    slowest: float
    calls: float
    weights: float
    mixing: float
    network: float
    lost: float


def measured_of(document: Mapping[str, Any], engine: str) -> Measured:
    """Return what a document of `cluster.py` says of an engine."""
    rounds = [one for one in document["rounds"] if one["engine"] == engine]
    if not rounds:
        raise SystemExit(f"nothing was measured of the engine {engine!r}")
    small = [one for one in rounds if one["shards"] <= FITTED_SHARDS]
    shares = sorted({one["changed"] for one in small})
    costs = {share: fitted(one for one in small if one["changed"] == share) for share in shares}
    epochs = document["epochs"]
    mixed = max(document["mixing"], key=lambda one: one["shards"] * one["weights"])
    return Measured(
        engine=engine,
        rounds=costs,
        seconds_per_byte=2 * epochs["two_processes"] / epochs["bytes"],
        block_bytes=BLOCK_ROWS * epochs["bytes"] / epochs["rows"],
        noise=epochs["noise"],
        mixing=mixed["seconds"] / (mixed["shards"] * mixed["weights"]),
        restart=document["restart"].get(engine, 0.0),
        start=_start(epochs["runs"], engine),
    )


def _start(runs: Sequence[Mapping[str, Any]], engine: str) -> float:
    """Return how many seconds a run takes more than on the quickest engine, its start included."""
    for run in runs:
        if run["engine"] == engine and run["workers"] == 2:
            least = min(one["whole"] for one in runs if one["workers"] == 2)
            return float(run["start"] + run["whole"] - least)
    return 0.0


def expected_maximum(k: int) -> float:
    """Return about how large the largest of k standard normal numbers is on average (Blom, 1958)."""
    return NormalDist().inv_cdf((k - 0.375) / (k + 0.25)) if k > 1 else 0.0


def answer_bytes(job: Job) -> float:
    """Return the size of an answer: all weights, or the changed ones with their places."""
    return min(8.0, 12.0 * job.share) * job.weights


def network_bytes(k: int, job: Job, assumed: Assumed) -> float:
    """Return what passes the driver's network card in a round, both ways."""
    others = math.ceil(k / assumed.cores) - 1
    far = k - min(k, assumed.cores)
    return others * 8.0 * job.weights + far * answer_bytes(job)


def epoch(k: int, job: Job, measured: Measured, assumed: Assumed) -> Parts:
    """Return the seconds of an epoch of k workers, part by part."""
    block = measured.block_bytes
    largest = min(job.n_bytes, math.ceil(job.n_bytes / block / k) * block)
    work = measured.seconds_per_byte * largest
    read = min(k, assumed.cores) * largest / assumed.reading
    cost = measured.round(job.share)
    parts = Parts(
        work=work,
        reading=max(0.0, read - work),
        slowest=measured.noise * expected_maximum(k) * work,
        calls=cost.calls(k),
        weights=cost.weights(k, job.weights),
        mixing=measured.mixing * k * job.weights,
        network=network_bytes(k, job, assumed) / assumed.network,
        lost=0.0,
    )
    chance = -math.expm1(-k * sum(parts) / (3600.0 * assumed.hours_between_losses))
    return parts._replace(lost=chance * (measured.restart + work))


def efficiency(k: int, job: Job, measured: Measured, assumed: Assumed) -> float:
    """Return which part of k workers' time goes into work that one without a driver would do."""
    return measured.seconds_per_byte * job.n_bytes / (k * sum(epoch(k, job, measured, assumed)))


def table(n_bytes: float, measured: Measured, assumed: Assumed) -> list[str]:
    """Return the lines of the table: epochs per hour, and the efficiency."""
    jobs = [Job(n_bytes, weights, share) for weights in WEIGHTS for share in SHARES]
    heads = [f"{short(job.weights)} weights, {changes(job.share)}" for job in jobs]
    lines = [f"| workers | {' | '.join(heads)} |", "|---" * (1 + len(jobs)) + "|"]
    for k in WORKERS:
        cells = [
            f"{3600.0 / sum(epoch(k, job, measured, assumed)):.3g} "
            f"({efficiency(k, job, measured, assumed):.2f})"
            for job in jobs
        ]
        lines.append(f"| {k:,} | {' | '.join(cells)} |")
    return lines


def short(weights: int) -> str:
    """Return a number of weights in words."""
    return f"{weights // 10**6} million" if weights >= 10**6 else f"{weights // 1000} thousand"


def changes(share: float) -> str:
    """Return how many weights change, in words."""
    return "all change" if share == 1.0 else f"{100 * share:g} % change"


def breaks(job: Job, measured: Measured, assumed: Assumed, most: int = WORKERS[-1]) -> str:
    """Return what keeps more workers from being worth their while, in words."""
    sentences = []
    for bound in BOUNDS:
        for k in range(1, most + 1):
            if efficiency(k, job, measured, assumed) < bound:
                sentences.append(
                    f"below {bound} from {k:,} workers on, {why(k, job, measured, assumed)}"
                )
                break
    if len(sentences) < len(BOUNDS):
        found = efficiency(most, job, measured, assumed)
        sentences.append(f"{found:.2f} with {most:,} workers, {why(most, job, measured, assumed)}")
    held = (2 + most) * 8.0 * job.weights
    if held > assumed.driver_memory:
        enough = int(assumed.driver_memory / (8.0 * job.weights)) - 2
        sentences.append(
            f"the driver holds all answers, {held / 1e9:.3g} GB of {most:,} workers, and "
            f"{assumed.driver_memory / 1e9:g} GB of memory are enough for {enough:,}"
        )
    return f"{short(job.weights)} weights, {changes(job.share)}: {'; '.join(sentences)}."


def why(k: int, job: Job, measured: Measured, assumed: Assumed) -> str:
    """Return what takes most of an epoch of k workers beside their work, in words."""
    parts = epoch(k, job, measured, assumed)
    costs = {name: value for name, value in parts._asdict().items() if name != "work"}
    first = max(costs, key=lambda name: costs[name])
    return (
        f"where an epoch takes {sum(parts):.3g} s, {parts.work:.3g} s of it work, {costs[first]:.3g} s "
        f"{WORDS[first](k, job, measured, assumed)}"
    )


def _reading(k: int, _job: Job, _measured: Measured, assumed: Assumed) -> str:
    sharing = min(k, assumed.cores)
    return f"waiting for rows: {sharing} workers of a machine share {assumed.reading / 1e9:g} GB/s"


def _slowest(k: int, _job: Job, measured: Measured, _assumed: Assumed) -> str:
    return f"waiting for the slowest of {k:,}, whose work varies by {100 * measured.noise:.2g} %"


def _calls(k: int, job: Job, measured: Measured, _assumed: Assumed) -> str:
    each = 1e3 * measured.round(job.share).per_shard
    return f"calling {k:,} workers, {each:.2g} ms each, at the driver"


def _weights(k: int, job: Job, measured: Measured, _assumed: Assumed) -> str:
    each = 1e9 * measured.round(job.share).per_answer
    return f"unpacking {k:,} answers at the driver, {each:.2g} ns a weight"


def _mixing(k: int, _job: Job, measured: Measured, _assumed: Assumed) -> str:
    return f"mixing {k:,} answers at the driver, {1e9 * measured.mixing:.2g} ns a weight"


def _network(k: int, job: Job, _measured: Measured, assumed: Assumed) -> str:
    moved = network_bytes(k, job, assumed)
    far = k - min(k, assumed.cores)
    return (
        f"the driver's network card: {moved / 1e9:.3g} GB a round, {far:,} answers of "
        f"{answer_bytes(job) / 1e6:.3g} MB among them, at {8e-9 * assumed.network:g} Gbit/s"
    )


def _lost(_k: int, _job: Job, _measured: Measured, assumed: Assumed) -> str:
    hours = assumed.hours_between_losses
    return f"the work of lost workers, done again (each is lost once in {hours:,.0f} hours)"


WORDS: Mapping[str, Callable[[int, Job, Measured, Assumed], str]] = {
    "reading": _reading,
    "slowest": _slowest,
    "calls": _calls,
    "weights": _weights,
    "mixing": _mixing,
    "network": _network,
    "lost": _lost,
}


class Setting(NamedTuple):
    """Who works: an engine, as measured, and its workers."""

    measured: Measured
    workers: int

    def run(self, job: Job, assumed: Assumed, epochs: int) -> float:
        """Return the seconds of a run, the start of the workers included."""
        return self.measured.start + epochs * sum(epoch(self.workers, job, self.measured, assumed))


def pays_from(
    few: Setting, many: Setting, job: Job, assumed: Assumed, epochs: int = 10
) -> float | None:
    """Return from how many bytes on many workers need less time than few, or None: never."""

    def gains(exponent: float) -> bool:
        sized = job._replace(n_bytes=10.0**exponent)
        return many.run(sized, assumed, epochs) < few.run(sized, assumed, epochs)

    low, high = 3.0, 18.0
    if not gains(high):
        return None
    while high - low > 1e-3:
        middle = (low + high) / 2
        low, high = (low, middle) if gains(middle) else (middle, high)
    return 10.0**high


def size(n_bytes: float | None) -> str:
    """Return a size in words, with two digits."""
    if n_bytes is None:
        return "never"
    for unit, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB")):
        if n_bytes >= unit:
            return f"{float(f'{n_bytes / unit:.2g}'):g} {name}"
    return f"{float(f'{n_bytes / 1e3:.2g}'):g} kB"


def sizes(document: Mapping[str, Any], assumed: Assumed) -> list[str]:
    """Return the lines of the table: from which size on more workers are faster than fewer."""
    engines = {one["engine"]: measured_of(document, one["engine"]) for one in document["rounds"]}
    alone = next(iter(engines.values()))
    free = RoundCost(0.0, 0.0, 0.0, 0.0)
    nobody = Measured(**{**vars(alone), "rounds": {1.0: free}, "mixing": 0.0, "start": 0.0})
    cores = assumed.cores
    settings = [
        (f"2 workers, {name}, rather than a plain loop", Setting(nobody, 1), Setting(one, 2))
        for name, one in engines.items()
    ]
    settings += [
        (
            f"{4 * cores} workers on 4 machines, {name}, rather than {cores} threads on one",
            Setting(engines["threads"], cores),
            Setting(one, 4 * cores),
        )
        for name, one in engines.items()
        if name in ("ray", "dask") and "threads" in engines
    ]
    heads = [f"{short(weights)} weights" for weights in WEIGHTS]
    lines = [f"| who | {' | '.join(heads)} |", "|---" * (1 + len(heads)) + "|"]
    for words, few, many in settings:
        cells = [size(pays_from(few, many, Job(0.0, weights, 1.0), assumed)) for weights in WEIGHTS]
        lines.append(f"| {words} | {' | '.join(cells)} |")
    return lines


class Check(NamedTuple):
    """A measurement that the model was not fitted to."""

    what: str
    predicted: float
    measured: float

    @property
    def error(self) -> float:
        return self.predicted / self.measured - 1.0


def checks(document: Mapping[str, Any]) -> list[Check]:
    """Return what the model says of measured points that it was not fitted to."""
    found: list[Check] = []
    for one in document["rounds"]:
        if one["shards"] > FITTED_SHARDS:
            cost = measured_of(document, one["engine"]).round(one["changed"])
            k, w = one["shards"], one["weights"]
            what = f"a round, {one['engine']}, {k} shards, {short(w)} weights, {changes(one['changed'])}"
            found.append(Check(what, cost.calls(k) + cost.weights(k, w), one["seconds"]))
    epochs = document["epochs"]
    weights, share = epochs["weights"], epochs["changed"]
    for run in epochs["runs"]:
        measured = measured_of(document, run["engine"])
        cost, k = measured.round(share), 2  # shards, whoever works on them
        alone = run["workers"] == 1
        work = epochs["one_process"] if alone else epochs["two_processes"]
        if not alone:
            work *= 1.0 + measured.noise * expected_maximum(2)
        rest = cost.calls(k) + cost.weights(k, weights) + measured.mixing * k * weights
        workers = "1 worker" if alone else f"{run['workers']} workers"
        found.append(Check(f"an epoch, {run['engine']}, {workers}", work + rest, run["seconds"]))
    return found


def report(document: Mapping[str, Any], engine: str, n_bytes: float, assumed: Assumed) -> list[str]:
    """Return all that is printed."""
    measured = measured_of(document, engine)
    jobs = [Job(n_bytes, weights, share) for weights in WEIGHTS for share in SHARES]
    cost = measured.round(1.0)
    return [
        f"Measured on {document['processor']}: {1e-6 / measured.seconds_per_byte:.3g} MB/s a worker, "
        f"a round on {engine} of {1e3 * cost.fixed:.3g} ms + {1e3 * cost.per_shard:.3g} ms a shard + "
        f"({1e9 * cost.per_weight:.3g} + {1e9 * cost.per_answer:.3g} a shard) ns a weight, "
        f"mixing {1e9 * measured.mixing:.3g} ns a weight and shard, work that varies by "
        f"{100 * measured.noise:.2g} %, {measured.restart:.3g} s to come back.",
        f"Assumed: {assumed.cores} workers a machine, {8e-9 * assumed.network:g} Gbit/s at the driver, "
        f"{assumed.reading / 1e9:g} GB/s of rows a machine, a worker lost once in "
        f"{assumed.hours_between_losses:,.0f} hours.",
        "",
        f"Epochs per hour (efficiency), {engine}, {size(n_bytes)} of rows:",
        "",
        *table(n_bytes, measured, assumed),
        "",
        "What breaks first:",
        "",
        *(f"- {breaks(job, measured, assumed)}" for job in jobs),
        "",
        "From which size on, ten epochs, all weights change, the start of the workers included:",
        "",
        *sizes(document, assumed),
        "",
        "The model beside measurements that it was not fitted to, seconds:",
        "",
        *check_lines(checks(document)),
    ]


def check_lines(found: Sequence[Check]) -> list[str]:
    """Return the lines of the table of checks."""
    lines = ["| what | predicted | measured | error |", "|---|---|---|---|"]
    lines += [
        f"| {one.what} | {one.predicted:.3g} | {one.measured:.3g} | {one.error:+.0%} |"
        for one in found
    ]
    errors = [abs(one.error) for one in found]
    if errors:
        lines += ["", f"The errors: {fmean(errors):.0%} on average, {max(errors):.0%} at most."]
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("measured", type=Path, help="what `cluster.py --json` wrote")
    parser.add_argument("--engine", default="ray")
    parser.add_argument("--terabytes", type=float, default=1.0)
    parser.add_argument("--gigabits", type=float, default=10.0, help="of the driver's network card")
    parser.add_argument("--reading", type=float, default=1.25, help="GB/s of rows a machine")
    parser.add_argument("--cores", type=int, default=16, help="workers a machine")
    parser.add_argument("--hours-between-losses", type=float, default=1000.0)
    options = parser.parse_args()
    assumed = Assumed(
        network=options.gigabits * 1e9 / 8,
        reading=options.reading * 1e9,
        cores=options.cores,
        hours_between_losses=options.hours_between_losses,
    )
    document = json.loads(options.measured.read_text())
    print("\n".join(report(document, options.engine, options.terabytes * 1e12, assumed)))


if __name__ == "__main__":
    main()
