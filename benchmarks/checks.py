"""The cost of checking every index of a sparse matrix.

    python benchmarks/checks.py [--small] [--repeats 11] [--json]

In one process, in turn, medians, on rows shaped like RCV1: the time to check every index before an
epoch, relative to one epoch and to `predict` on the same matrix. `predict` also checks each row as it
reads it; its time includes that.
"""

import argparse
import json
import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any

from bench_data import rcv1_shaped

from rosenblatt import Perceptron
from rosenblatt.kernels.sparse_input import as_csr

_SAMPLES, _SMALLER = 300_000, 100


def medians(works: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Return the median seconds of each work, after one turn of warm-up."""
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(1 + repeats):
        for name, work in works.items():
            started = time.perf_counter()
            work()
            seconds[name].append(time.perf_counter() - started)
    return {name: statistics.median(values[1:]) for name, values in seconds.items()}


def measure(n_samples: int, repeats: int) -> dict[str, Any]:
    X, y = rcv1_shaped(n_samples)
    model = Perceptron(keep="last", max_iter=1, order="cyclic")
    works: dict[str, Callable[[], object]] = {
        "look": lambda: as_csr(X),
        "fit, 1 epoch": lambda: model.fit(X, y),
        "predict": lambda: model.predict(X),
        "decision_function": lambda: model.decision_function(X),
    }
    with warnings.catch_warnings(action="ignore"):  # one epoch is not enough to separate
        seconds = medians(works, repeats)
    return {
        "shape": X.shape,
        "numbers_per_row": X.nnz / X.shape[0],
        "indices": X.indices.dtype.name,
        "seconds": seconds,
        "look_over": {name: seconds["look"] / value for name, value in seconds.items()},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="a hundredth of the samples")
    parser.add_argument("--repeats", type=int, default=11)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    result = measure(_SAMPLES // _SMALLER if options.small else _SAMPLES, options.repeats)
    if options.json:
        print(json.dumps(result, indent=2))
        return
    n_samples, n_features = result["shape"]
    print(f"{n_samples:,} × {n_features:,}, {result['numbers_per_row']:.0f} numbers per row")
    for name, seconds in result["seconds"].items():
        print(
            f"{name:18} {1e3 * seconds:7.1f} ms   the check takes {result['look_over'][name]:.2f} of it"
        )


if __name__ == "__main__":
    main()
