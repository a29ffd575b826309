"""How fast the machine could at best do what every epoch must do.

Reading the samples once, with one thread and with two; and scoring them for some halfspaces at once
without deciding anything, so without a mistake: no epoch can be faster than its scores. Run:

    python benchmarks/limits.py --data FOLDER
"""

import argparse
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

from rosenblatt.cli.bench.bench_data import Source
from rosenblatt.core.types import Counts, Data
from rosenblatt.kernels.epochs.panel_layout import new_panel, new_shadow
from rosenblatt.kernels.rows import as_rows
from rosenblatt.kernels.simd.dense_strips import strip_scores
from rosenblatt.kernels.simd.sparse_lanes import lane_scores

REPEATS = 7


@njit(nogil=True)
def _read(words: Data) -> int:
    total = 0
    for k in range(words.shape[0]):
        total += words[k]
    return total


@njit(nogil=True)
def _score_sparse(values: Data, indices: Counts, indptr: Counts, panel: Data, out: Data) -> None:
    for i in range(indptr.shape[0] - 1):
        lane_scores(values, indices, indptr[i], indptr[i + 1], panel, out)


@njit(nogil=True)
def _score_dense(values: Data, panel: Data, out: Data) -> None:
    last = values.shape[0] - 1
    for i in range(values.shape[0]):
        strip_scores(values, i, min(i + 1, last), panel, out)


def median_ms(run: Callable[[], object]) -> float:
    run()
    times = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        run()
        times.append(time.perf_counter() - started)
    return float(np.median(times)) * 1e3


def together(run: Callable[[int], object]) -> Callable[[], object]:
    """Return what does both halves of a work at the same time."""
    pool = ThreadPoolExecutor(2)
    return lambda: list(pool.map(run, (0, 1)))


def reading(arrays: list[Data]) -> tuple[float, float]:
    words = [array.reshape(-1).view(np.int64) for array in arrays]
    halves = [np.array_split(part, 2) for part in words]
    one = median_ms(lambda: [_read(part) for part in words])
    two = median_ms(together(lambda half: [_read(part[half]) for part in halves]))
    return one, two


def filled(rows: Any, n_vectors: int, width: int) -> Any:
    """Return a panel of weights that are all there: zeros that were never written cost nothing."""
    return new_panel(rows, np.random.default_rng(0).standard_normal((n_vectors, width)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=None, help="folder with fashion_mnist/")
    source = Source(parser.parse_args().data)
    images, documents = source.images(), source.documents(2)

    print(f"{images.name}, {images.X.shape}: reading with 1 and 2 threads", end=" ")
    print("{:.1f} ms, {:.1f} ms".format(*reading([images.X])))
    rows = as_rows(images.X, 1.0)
    for n_vectors in (1, 5, 10):
        shadow = new_shadow(rows, filled(rows, n_vectors, images.X.shape[1] + 1))
        shadow[:] = 1.0
        out = np.empty(n_vectors, dtype=shadow.dtype)
        time_ms = median_ms(lambda s=shadow, o=out: _score_dense(images.X, s, o))
        print(f"  scores for {n_vectors} halfspaces, {shadow.dtype}: {time_ms:.1f} ms")

    X = documents.X
    print(f"{documents.name}, {X.shape}, {X.nnz:,} numbers: reading with 1 and 2 threads", end=" ")
    print("{:.1f} ms, {:.1f} ms".format(*reading([X.data, X.indices])))
    rows = as_rows(X, 1.0)
    for n_vectors in (1, 2, 4, 8, 16):
        for number in (np.float64, np.float32):
            panel = filled(rows, n_vectors, X.shape[1] + 1).astype(number)
            out = np.empty(n_vectors, dtype=number)
            time_ms = median_ms(
                lambda p=panel, o=out: _score_sparse(X.data, X.indices, X.indptr, p, o)
            )
            print(f"  scores for {n_vectors} halfspaces, {panel.dtype}: {time_ms:.1f} ms")


if __name__ == "__main__":
    main()
