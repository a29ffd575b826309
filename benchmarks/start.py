"""What a fresh process waits for: imports, and the first fit.

    python benchmarks/start.py [--repeats 9] [--json]

Imports are timed inside fresh processes, in turn, medians. The first fit loads the kernels from the
cache, which an earlier fit has filled; with an empty cache it compiles them. Each is on four samples, so
that the second fit costs next to nothing.
"""

import argparse
import json
import statistics
from collections.abc import Callable
from functools import partial
from typing import Any

from fresh import answer, first_and_second_fit

_IMPORTS = {
    "import rosenblatt": "import rosenblatt",
    "from rosenblatt import Perceptron": "from rosenblatt import Perceptron",
    "import sklearn.linear_model": "import sklearn.linear_model",
}
_TIMED = "import time; s = time.perf_counter(); {}; print(time.perf_counter() - s)"


def medians(runs: dict[str, Callable[[], float]], repeats: int) -> dict[str, float]:
    """Return the median of what each run answers, after one answer that does not count."""
    answers: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(1 + repeats):
        for name, run in runs.items():
            answers[name].append(run())
    return {name: statistics.median(values[1:]) for name, values in answers.items()}


def extra(kind: str, *, empty_cache: bool = False) -> float:
    """Return how much longer the first fit takes than the second."""
    first, second = first_and_second_fit(kind, empty_cache=empty_cache)
    return first - second


def measure(repeats: int) -> dict[str, Any]:
    imports = {
        name: partial(answer, _TIMED.format(statement)) for name, statement in _IMPORTS.items()
    }
    warm = {kind: partial(extra, kind) for kind in ("dense", "sparse")}
    seconds = medians(imports, repeats)
    return {
        "import_seconds": seconds,
        "import_ratio": {
            name: value / seconds["import sklearn.linear_model"] for name, value in seconds.items()
        },
        "first_fit_extra_seconds": medians(warm, repeats),
        "compile_seconds": {kind: extra(kind, empty_cache=True) for kind in warm},
    }


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
        print(f"first fit over second, {kind:13} {seconds:6.3f} s  (empty cache: compiling)")


if __name__ == "__main__":
    main()
