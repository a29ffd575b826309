"""Two workers compared with one, on threads and on Ray: seconds per epoch.

    python benchmarks/cluster.py [--engines threads,ray] [--megabytes 500] [--epochs 5] [--repeats 5]
                                 [--quick] [--json]

The text is like that of `streams.py`, in two shards. One worker has one core, and two have two. The
efficiency is the time of one worker over twice the time of two; "vs. plain loop" is the time of one run
of one shard on one core over twice the time of two workers. The last row shows what the machine allows:
two plain loops at the same time, one on each core, each with half of the files.

Each run is a process of its own with as many cores as workers: a worker parses on threads, and would
otherwise use the other cores, too. Times are medians. ``--quick`` only checks that the script runs.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from fresh import processor
from streams import make

from rosenblatt import Perceptron
from rosenblatt.cluster import learn

PARTS = 8
Facts = dict[str, Any]


class Contender(NamedTuple):
    """A run over some files."""

    files: Sequence[str]
    epochs: int
    shards: int = 2
    engine: str = "threads"
    workers: int = 1
    cores: Sequence[int] = (0,)


def write_parts(folder: Path, megabytes: int) -> list[str]:
    """Write copies of one file, this many megabytes in all, and return their names."""
    make(str(folder), str(max(1, megabytes // PARTS)))
    text = (folder / "small.svm").read_bytes()
    parts = [folder / f"part-{number}.svm" for number in range(PARTS)]
    for part in parts:
        part.write_bytes(text)
    return [str(part) for part in parts]


def contest(*contenders: Contender) -> list[Facts]:
    """Run contenders at the same time; return what each prints."""
    with ExitStack() as stack:
        runs = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, __file__, "--contend", json.dumps(contender)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            for contender in contenders
        ]
        for run in runs:
            assert run.stdout is not None
            assert run.stdout.readline() == "ready\n"
        return [json.loads(run.communicate("go\n")[0].splitlines()[-1]) for run in runs]


def contend(contender: Contender) -> None:
    """Learn as soon as a line comes on standard input, and print the seconds of the epochs."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, set(contender.cores))
    warnings.simplefilter("ignore")  # a few epochs do not separate these samples
    learn(contender.files[:1], Perceptron(max_iter=1), shards=1)  # loads the compiled code
    print("ready", flush=True)
    sys.stdin.readline()
    learner = Perceptron(max_iter=1 + contender.epochs, random_state=0)
    run = learn(
        contender.files,
        learner,
        shards=contender.shards,
        engine=contender.engine,
        workers=contender.workers,
    )
    seconds = run.learner.history_.seconds[1:].tolist()  # the first epoch opens the files
    print(json.dumps({"rows": run.n_samples, "seconds": statistics.median(seconds)}))


def measured(files: Sequence[str], engines: Sequence[str], n_epochs: int, repeats: int) -> Facts:
    """Return the seconds of an epoch: of each engine with one and two workers, and of plain loops."""
    contests = {
        (engine, n): [Contender(files, n_epochs, engine=engine, workers=n, cores=list(range(n)))]
        for engine in engines
        for n in (1, 2)
    }
    half = len(files) // 2
    contests["plain loop", 1] = [Contender(files, n_epochs, shards=1)]
    contests["plain loop", 2] = [
        Contender(own, n_epochs, shards=1, cores=[core])
        for core, own in enumerate((files[:half], files[half:]))
    ]
    seconds: dict[tuple[str, int], list[float]] = {setting: [] for setting in contests}
    n_rows = 0
    for _ in range(repeats):
        for setting, contenders in contests.items():
            found = contest(*contenders)
            seconds[setting].append(max(one["seconds"] for one in found))
            n_rows = sum(one["rows"] for one in found)
    return {
        "processor": processor(),
        "bytes": sum(Path(file).stat().st_size for file in files),
        "rows": n_rows,
        "seconds": {
            name: [statistics.median(seconds[name, workers]) for workers in (1, 2)]
            for name in [*engines, "plain loop"]
        },
    }


def table(found: Facts) -> Iterator[str]:
    """Yield the lines of the table."""
    yield f"{found['processor']}; {found['bytes'] / 1e6:.0f} MB, {found['rows']:,} samples"
    yield ""
    yield "| engine | one worker, s | two workers, s | efficiency | vs. plain loop |"
    yield "|---|---|---|---|---|"
    alone = found["seconds"]["plain loop"][0]
    for name, (one, two) in found["seconds"].items():
        efficiency, plain = one / two / 2, alone / two / 2
        yield f"| {name} | {one:.3f} | {two:.3f} | {efficiency:.2f} | {plain:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engines", default="threads,ray")
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="small sizes: does it run?")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--contend", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.contend:
        contend(Contender(*json.loads(options.contend)))
        return
    megabytes, n_epochs = (8, 2) if options.quick else (options.megabytes, options.epochs)
    with tempfile.TemporaryDirectory() as folder:
        files = write_parts(Path(folder), megabytes)
        found = measured(files, options.engines.split(","), n_epochs, options.repeats)
    print(json.dumps(found) if options.json else "\n".join(table(found)))


if __name__ == "__main__":
    main()
