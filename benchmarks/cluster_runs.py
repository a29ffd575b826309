"""Whole runs over files in shards, for `cluster.py`: two workers beside one, and what Ray adds.

Each run is in a process of its own, which has as many cores as it has workers: a worker parses on
threads, and would else use the cores of those who are not there. It begins when it is told to.
"""

import json
import os
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from cluster_rounds import IdleShard
from streams import make

from rosenblatt import Perceptron
from rosenblatt.cluster import learn
from rosenblatt.cluster.engine_choice import EngineChoice
from rosenblatt.cluster.engines.engine import Work
from rosenblatt.cluster.files.reading_options import files_asked
from rosenblatt.cluster.learning.learn_files import learn_on

PARTS = 8
Facts = dict[str, Any]


class Contender(NamedTuple):
    """A run: over which files, in how many shards, by whom, on which cores."""

    files: Sequence[str]
    epochs: int
    shards: int = 2
    engine: str = "threads"
    workers: int = 1
    cores: Sequence[int] = (0,)


def write_parts(folder: Path, megabytes: int) -> list[str]:
    """Write files of so many megabytes in all, and return their names: as many copies of one."""
    made = folder / "made"
    made.mkdir(exist_ok=True)
    make(str(made), str(max(1, megabytes // PARTS)))
    text = (made / "small.svm").read_bytes()
    parts = [folder / f"part-{number}.svm" for number in range(PARTS)]
    for part in parts:
        part.write_bytes(text)
    return [str(part) for part in parts]


def contest(*contenders: Contender) -> list[Facts]:
    """Run contenders at the same time; return what each says of its run."""
    with ExitStack() as stack:
        runs = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, __file__, json.dumps(contender)],
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
        for run in runs:
            assert run.stdin is not None
            run.stdin.write("go\n")
            run.stdin.flush()
        return [json.loads(run.communicate()[0].splitlines()[-1]) for run in runs]


def _contend(contender: Contender) -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, set(contender.cores))
    warnings.simplefilter("ignore")  # a few epochs do not separate these samples
    learn(
        contender.files[:1], Perceptron(max_iter=1), shards=1
    )  # compiled code is there from now on
    began = time.perf_counter()
    with EngineChoice(contender.engine, workers=contender.workers).opened(
        contender.shards
    ) as engine:
        engine.start([IdleShard(number) for number in range(contender.shards)])
        engine.round(Work("wait", None, {"seconds": 0.0}))  # all workers are there
        start = time.perf_counter() - began
        print("ready", flush=True)
        sys.stdin.readline()
        began = time.perf_counter()
        learner = Perceptron(max_iter=1 + contender.epochs, random_state=0)
        run = learn_on(engine, contender.files, learner, files_asked(contender.shards))
        whole = time.perf_counter() - began
    weights = np.append(run.learner.coef_.ravel(), run.learner.intercept_)
    facts = {
        "seconds": run.learner.history_.seconds[1:].tolist(),  # the first epoch opens the files
        "whole": whole,
        "start": start,
        "rows": run.n_samples,
        "weights": weights.size,
        "changed": float(np.count_nonzero(weights) / weights.size),
    }
    print(json.dumps(facts))


def epochs(files: Sequence[str], engines: Sequence[str], n_epochs: int, repeats: int) -> Facts:
    """Return the seconds of an epoch: by engine, with one worker and two, and of the plain loop."""
    settings = {
        (engine, workers): Contender(files, n_epochs, 2, engine, workers, list(range(workers)))
        for engine in engines
        for workers in (1, 2)
    }
    half = len(files) // 2
    halves = (files[:half], files[half:])
    seen: dict[tuple[str, int], list[Facts]] = {setting: [] for setting in settings}
    alone: list[Facts] = []
    pairs: list[list[Facts]] = []
    for _ in range(repeats):
        for setting, contender in settings.items():
            seen[setting] += contest(contender)
        alone += contest(Contender(files, n_epochs, shards=1))
        pairs.append(
            contest(
                *(Contender(own, n_epochs, shards=1, cores=[k]) for k, own in enumerate(halves))
            )
        )
    return {
        "bytes": sum(Path(file).stat().st_size for file in files),
        **{name: alone[0][name] for name in ("rows", "weights", "changed")},
        "epochs": n_epochs,
        "one_process": statistics.median(map(_epoch, alone)),
        "two_processes": statistics.median(max(map(_epoch, pair)) for pair in pairs),
        "noise": statistics.median(_noise(one) for pair in pairs for one in pair),
        "runs": [
            {
                "engine": engine,
                "workers": workers,
                "seconds": statistics.median(map(_epoch, found)),
                "whole": statistics.median(one["whole"] for one in found),
                "start": statistics.median(one["start"] for one in found),
            }
            for (engine, workers), found in seen.items()
        ],
    }


def _epoch(found: Facts) -> float:
    return statistics.median(found["seconds"])


def _noise(found: Facts) -> float:
    return statistics.stdev(found["seconds"]) / statistics.fmean(found["seconds"])


if __name__ == "__main__":
    _contend(Contender(*json.loads(sys.argv[1])))
