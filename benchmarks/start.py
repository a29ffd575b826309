"""Startup time of a fresh process: imports, and the first fit.

    python benchmarks/start.py [--repeats 9] [--json]

Imports are timed inside fresh processes, in turn; medians. The first fit loads the kernels from the
cache that an earlier fit has filled. With an empty cache it compiles them, in one process: those for
float64 data, then those that each further kind of data needs. The second fit costs almost nothing.
"""

import argparse
import json
import statistics
from collections.abc import Callable
from functools import partial
from typing import Any

from fresh import answer, first_fits, first_learn, processor

_IMPORTS = {
    "import rosenblatt": "import rosenblatt",
    "from rosenblatt import Perceptron": "from rosenblatt import Perceptron",
    "import sklearn.linear_model": "import sklearn.linear_model",
}
_KINDS = ("float64", "float32", "sparse", "three", "many")
_TIMED = "import time; s = time.perf_counter(); {}; print(time.perf_counter() - s)"


def medians(runs: dict[str, Callable[[], float]], repeats: int) -> dict[str, float]:
    """Return the median result of each run, after one warm-up."""
    answers: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(1 + repeats):
        for name, run in runs.items():
            answers[name].append(run())
    return {name: statistics.median(values[1:]) for name, values in answers.items()}


def measure(repeats: int) -> dict[str, Any]:
    imports = {
        name: partial(answer, _TIMED.format(statement)) for name, statement in _IMPORTS.items()
    }
    warm = {kind: partial(_first_fit, kind) for kind in ("float64", "sparse")}
    seconds = medians(imports, repeats)
    return {
        "processor": processor(),
        "import_seconds": seconds,
        "import_ratio": {
            name: value / seconds["import sklearn.linear_model"] for name, value in seconds.items()
        },
        "first_fit_extra_seconds": medians(warm, repeats),
        "compile_seconds": first_fits(*_KINDS, empty_cache=True),
        "first_learn": first_learn(),
    }


def _first_fit(kind: str) -> float:
    return first_fits(kind)[kind]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    result = measure(options.repeats)
    if options.json:
        print(json.dumps(result, indent=2))
        return
    for name, seconds in result["import_seconds"].items():
        print(f"{name:36} {seconds:6.3f} s  {result['import_ratio'][name]:.2f}×")
    for kind, seconds in result["first_fit_extra_seconds"].items():
        print(f"first fit over second, {kind:13} {seconds:6.3f} s  (kernels from the cache)")
    for kind, seconds in result["compile_seconds"].items():
        print(
            f"first fit over second, {kind:13} {seconds:6.3f} s  (empty cache, one after the other)"
        )
    learn = result["first_learn"]
    print(
        "rosenblatt learn, empty cache: {seconds:.2f} s, compiling {compile_seconds:.2f} s".format(
            **learn
        )
    )


if __name__ == "__main__":
    main()
