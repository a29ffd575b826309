"""Memory of learning beyond the samples and their labels.

    python benchmarks/memory.py [--small] [--json]

Each case runs in its own process, after a fit on a few samples that loads the kernels. "traced" is from
tracemalloc: the peak of all arrays (NumPy reports them) and objects during the call, less those before
it. Trust this figure: getrusage's high-water mark includes earlier peaks, here from drawing the samples,
and the compiler's pages. Allocations of compiled code are not traced, so on Linux, which can reset its
high-water mark, "resident" shows the growth of the process during another call as a check.

A panel is K·(d+1) weights of 8 bytes, for K halfspaces (in cross-validation, K folds); the label table
is K·n signs of one byte.
"""

import argparse
import json
import sys
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from bench_data import Dataset, Source
from fresh import answer

import rosenblatt
from rosenblatt import Perceptron
from rosenblatt.core.types import Labels, MatrixLike

_SMALLER = 100
_KIBIBYTE = 1024
# Larger blocks return to the system when freed, so they do not hide later growth.
_LARGE_BLOCK = str(64 * _KIBIBYTE)

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


class Case(NamedTuple):
    data: Callable[[Source], Dataset]
    halfspaces: int
    learn: Callable[[MatrixLike, Labels], object]


def _fit(**parameters: object) -> Callable[[MatrixLike, Labels], object]:
    return lambda X, y: Perceptron(
        **{"keep": "last", "order": "cyclic", "n_jobs": 2, **parameters}
    ).fit(X, y)


def _cross_validate(X: MatrixLike, y: Labels) -> object:
    learner = Perceptron(keep="last", max_iter=5, order="cyclic")
    return rosenblatt.cross_validate(learner, X, y, cv=10, n_jobs=2)


CASES = {
    "dense, 10 classes": Case(Source.images, 10, _fit(max_iter=1)),
    "dense, 10 classes, averaged": Case(Source.images, 10, _fit(max_iter=1, keep="average")),
    "sparse, 16 classes": Case(lambda source: source.documents(16), 16, _fit(max_iter=1)),
    "sparse, 16 classes, averaged": Case(
        lambda source: source.documents(16), 16, _fit(max_iter=1, keep="average")
    ),
    "sparse, 10 folds": Case(lambda source: source.documents(2), 10, _cross_validate),
}


def traced_bytes(work: Callable[[], object]) -> int:
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    kept = work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    del kept
    return peak - before


def resident_bytes(work: Callable[[], object]) -> int | None:
    """Return the peak growth of the process during the call, or None if the system cannot tell."""
    try:
        _CLEAR.write_text("5")  # resets the high-water mark
    except OSError:
        return None
    before = _status("VmRSS")
    kept = work()
    peak = _status("VmHWM")
    del kept
    return peak - before


def _status(name: str) -> int:
    (line,) = [line for line in _STATUS.read_text().splitlines() if line.startswith(name)]
    return _KIBIBYTE * int(line.split()[1])


def measure(name: str, divisor: int) -> dict[str, Any]:
    """Measure one case, in this process."""
    warnings.simplefilter("ignore")  # one epoch is not enough
    case = CASES[name]
    _, X, y = case.data(Source(None, divisor))
    case.learn(X[:200, :20], y[:200])
    (n, d), K = X.shape, case.halfspaces
    arrays = [X] if not hasattr(X, "indptr") else [X.data, X.indices, X.indptr]
    resident = resident_bytes(lambda: case.learn(X, y))
    traced = traced_bytes(lambda: case.learn(X, y))
    return {
        "case": name,
        "shape": [n, d],
        "samples_bytes": sum(array.nbytes for array in arrays),
        "panel_bytes": 8 * K * (d + 1),
        "label_table_bytes": n * K,
        "traced_bytes": traced,
        "resident_bytes": resident,
    }


def text(row: dict[str, Any]) -> str:
    def megabytes(name: str) -> str:
        value = row[f"{name}_bytes"]
        return "unknown" if value is None else f"{value / 1e6:.1f} MB"

    traced = row["traced_bytes"]
    return (
        f"{row['case']}: {row['shape'][0]:,} x {row['shape'][1]:,}, X {megabytes('samples')}\n"
        f"  traced {megabytes('traced')} ({traced / row['samples_bytes']:.3f} of X), "
        f"resident {megabytes('resident')}\n"
        f"  {traced / row['panel_bytes']:.2f} panels of {megabytes('panel')}, "
        f"{traced / row['label_table_bytes']:.2f} label tables of {megabytes('label_table')}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="a hundredth of the samples")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    divisor = _SMALLER if options.small else 1
    program = (
        "import json, sys; sys.path.insert(0, sys.argv[1]); from memory import measure; "
        "print(json.dumps(measure(sys.argv[2], int(sys.argv[3]))))"
    )
    rows = []
    for name in CASES:
        arguments = [sys.path[0], name, str(divisor)]
        rows.append(answer(program, *arguments, MALLOC_MMAP_THRESHOLD_=_LARGE_BLOCK))
        if not options.json:
            print(text(rows[-1]), flush=True)
    if options.json:
        print(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
