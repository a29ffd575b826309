"""Growth of the time of one epoch with samples, features, classes and non-zeros.

    python benchmarks/growth.py [--repeats 5] [--small] [--json]

One size doubles, the others stay. Labels are coin flips, so the rate of mistakes is about the same for
all sizes: the work grows, not the difficulty. (With more classes, each halfspace makes fewer mistakes,
which lowers the slope a little.) Each time is the median of `fit(X, y)` with one epoch on one thread,
validation included. The slope is that of log time over log size, by least squares: linear growth is 1,
and fixed costs lower it for small sizes.
"""

import argparse
import json
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from measurement import interleaved

from rosenblatt import Perceptron
from rosenblatt.core.types import Labels, MatrixLike

_POINTS = 5
_SMALLER = 50


class Growth(NamedTuple):
    name: str
    smallest: int
    samples: Callable[[int], tuple[MatrixLike, Labels]]

    def sizes(self) -> list[int]:
        return [self.smallest * 2**k for k in range(_POINTS)]


def dense(n_samples: int, n_features: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_samples, n_features), dtype=np.float32)
    return X, rng.integers(0, 2, n_samples)


def sparse(
    n_samples: int, n_features: int, row_length: int, n_classes: int = 2
) -> tuple[sp.csr_matrix, np.ndarray]:
    """Return rows with equally many non-zeros, one in each strip of the features."""
    rng = np.random.default_rng(0)
    strip = n_features // row_length
    offsets = rng.integers(0, strip, (n_samples, row_length), dtype=np.int32)
    indices = offsets + strip * np.arange(row_length, dtype=np.int32)
    values = rng.standard_normal(indices.size, dtype=np.float32)
    indptr = np.arange(0, indices.size + 1, row_length, dtype=np.int32)
    X = sp.csr_matrix((values, indices.ravel(), indptr), shape=(n_samples, n_features))
    return X, rng.integers(0, n_classes, n_samples)


def growths(divisor: int) -> list[Growth]:
    n = 32_000 // divisor
    return [
        Growth("samples, dense", n // 4, partial(dense, n_features=512)),
        Growth("features, dense", 128, partial(dense, n)),
        Growth("samples, sparse", n, lambda size: sparse(size, 40_960, 64)),
        Growth("non-zeros per row, sparse", 16, lambda size: sparse(2 * n, 40_960, size)),
        Growth("classes, sparse", 4, lambda size: sparse(n, 40_960, 64, size)),
    ]


def slope(sizes: list[int], seconds: list[float]) -> float:
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def measure(growth: Growth, repeats: int) -> dict[str, Any]:
    sizes = growth.sizes()
    data = {str(size): growth.samples(size) for size in sizes}
    runs = {
        name: lambda samples=samples: Perceptron(keep="last", max_iter=1, order="cyclic").fit(
            *samples
        )
        for name, samples in data.items()
    }
    times = interleaved(runs, repeats)
    seconds = [times[str(size)].median for size in sizes]
    return {
        "growth": growth.name,
        "sizes": sizes,
        "seconds": seconds,
        "slope": slope(sizes, seconds),
        "last_doubling": seconds[-1] / seconds[-2],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--small", action="store_true", help="a fiftieth of the samples")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # one epoch is not enough
    results = []
    for growth in growths(_SMALLER if options.small else 1):
        result = measure(growth, options.repeats)
        results.append(result)
        if options.json:
            continue
        print(growth.name)
        for size, seconds in zip(result["sizes"], result["seconds"], strict=True):
            print(f"  {size:9,}  {1e3 * seconds:9.2f} ms  {1e9 * seconds / size:11.1f} ns each")
        print(f"  slope {result['slope']:.2f}, last doubling {result['last_doubling']:.2f}×\n")
    if options.json:
        print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
