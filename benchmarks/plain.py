"""Our engine compared with a plain loop without proofs, exact decisions or records.

    python benchmarks/plain.py [--data FOLDER] [--repeats 7] [--json]

The plain loops below are compiled by Numba with fast math. Their weights have the fastest type that
makes the same mistakes as ours (float32 for pixels, which are small integers, otherwise float64); for
many sparse halfspaces they use the better of two layouts. Both sides run in one process, in turn, on the
same arrays, and must make the same mistakes in the first epoch. An epoch is timed within the engine,
where the first one also measures the samples; a fit is all of ``Perceptron.fit``, one epoch in cyclic
order.

The timings of scores alone show the gain of hand-written code over plain loops: see ``simd``.
"""

import argparse
import json
import math
import platform
import statistics
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from bench_data import Source
from fresh import processor
from numba import njit

from rosenblatt import Perceptron
from rosenblatt.kernels.epochs.panel_layout import new_panel, shadow_of
from rosenblatt.kernels.epochs.panel_types import MISTAKES
from rosenblatt.kernels.rows import as_rows
from rosenblatt.kernels.simd.dense_strips import strip_scores
from rosenblatt.kernels.simd.sparse_lanes import lane_scores
from rosenblatt.training.blocks import Blocks
from rosenblatt.training.panel import Panel
from rosenblatt.training.problem import Problem

fast = njit(fastmath=True, nogil=True)


@fast
def dense_one(X: Any, signs: Any, w: Any) -> int:
    mistakes = 0
    for i in range(X.shape[0]):
        score = w[-1]
        for j in range(X.shape[1]):
            score += X[i, j] * w[j]
        if signs[i, 0] * score <= 0:
            mistakes += 1
            for j in range(X.shape[1]):
                w[j] += signs[i, 0] * X[i, j]
            w[-1] += signs[i, 0]
    return mistakes


@fast
def dense_one_measured(X: Any, signs: Any, w: Any, shadow: Any, norms: Any) -> int:
    """The same plus float64 weights with a float32 shadow, norms, and bands of uncertainty."""
    mistakes, squares = 0, 0.0
    for i in range(X.shape[0]):
        score, square = shadow[-1], np.float32(0.0)
        for j in range(X.shape[1]):
            score += X[i, j] * shadow[j]
            square += X[i, j] * X[i, j]
        norms[i] = math.sqrt(square)
        band = 1e-4 * norms[i] * math.sqrt(squares)
        if signs[i, 0] * score > band:
            continue
        if abs(score) <= band:
            exact = w[-1]
            for j in range(X.shape[1]):
                exact += X[i, j] * w[j]
            if signs[i, 0] * exact > 0:
                continue
        mistakes += 1
        squares += norms[i] * norms[i]
        for j in range(X.shape[1]):
            w[j] += signs[i, 0] * X[i, j]
            shadow[j] = w[j]
        w[-1] += signs[i, 0]
        shadow[-1] = w[-1]
    return mistakes


@fast
def sparse_one(values: Any, indices: Any, indptr: Any, signs: Any, w: Any) -> int:
    mistakes = 0
    for i in range(indptr.shape[0] - 1):
        score = w[-1]
        for k in range(indptr[i], indptr[i + 1]):
            score += values[k] * w[indices[k]]
        if signs[i, 0] * score <= 0:
            mistakes += 1
            for k in range(indptr[i], indptr[i + 1]):
                w[indices[k]] += signs[i, 0] * values[k]
            w[-1] += signs[i, 0]
    return mistakes


@fast
def dense_many(X: Any, signs: Any, W: Any) -> int:
    mistakes = 0
    for i in range(X.shape[0]):
        for c in range(W.shape[0]):
            score = W[c, -1]
            for j in range(X.shape[1]):
                score += X[i, j] * W[c, j]
            if signs[i, c] * score <= 0:
                mistakes += 1
                for j in range(X.shape[1]):
                    W[c, j] += signs[i, c] * X[i, j]
                W[c, -1] += signs[i, c]
    return mistakes


@fast
def sparse_many(values: Any, indices: Any, indptr: Any, signs: Any, W: Any, scores: Any) -> int:
    mistakes = 0
    for i in range(indptr.shape[0] - 1):
        for c in range(W.shape[1]):
            scores[c] = W[-1, c]
        for k in range(indptr[i], indptr[i + 1]):
            for c in range(W.shape[1]):
                scores[c] += values[k] * W[indices[k], c]
        for c in range(W.shape[1]):
            if signs[i, c] * scores[c] <= 0:
                mistakes += 1
                for k in range(indptr[i], indptr[i + 1]):
                    W[indices[k], c] += signs[i, c] * values[k]
                W[-1, c] += signs[i, c]
    return mistakes


@fast
def dense_scores(X: Any, W: Any, out: Any) -> None:
    for i in range(X.shape[0]):
        for c in range(W.shape[0]):
            score = np.float32(0.0)
            for j in range(X.shape[1]):
                score += X[i, j] * W[c, j]
            out[c] = score


@fast
def dense_scores_by_five(X: Any, W: Any, out: Any) -> None:
    for i in range(X.shape[0]):
        row = X[i]
        for c in range(0, W.shape[0], 5):
            a = b = p = q = r = np.float32(0.0)
            u, v, w, x, y = W[c], W[c + 1], W[c + 2], W[c + 3], W[c + 4]
            for j in range(row.shape[0]):
                value = row[j]
                a += value * u[j]
                b += value * v[j]
                p += value * w[j]
                q += value * x[j]
                r += value * y[j]
            out[c], out[c + 1], out[c + 2], out[c + 3], out[c + 4] = a, b, p, q, r


@njit(nogil=True)
def our_dense_scores(X: Any, W: Any, out: Any) -> None:
    last = X.shape[0] - 1
    for i in range(X.shape[0]):
        strip_scores(X, i, min(i + 1, last), W, out)


@fast
def sparse_scores(values: Any, indices: Any, indptr: Any, W: Any, out: Any) -> None:
    for i in range(indptr.shape[0] - 1):
        for c in range(W.shape[1]):
            out[c] = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            for c in range(W.shape[1]):
                out[c] += values[k] * W[indices[k], c]


@njit(nogil=True)
def our_sparse_scores(values: Any, indices: Any, indptr: Any, W: Any, out: Any) -> None:
    for i in range(indptr.shape[0] - 1):
        lane_scores(values, indices, indptr[i], indptr[i + 1], W, out)


@njit(nogil=True)
def read(words: Any) -> int:
    total = 0
    for k in range(words.shape[0]):
        total += words[k]
    return total


def medians(works: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Return the median milliseconds of each work, run in turn after one warm-up."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(1 + repeats):
        for name, work in works.items():
            started = time.perf_counter()
            work()
            times[name].append((time.perf_counter() - started) * 1e3)
    return {name: statistics.median(values[1:]) for name, values in times.items()}


class Engine:
    """Our epochs on some samples, starting from zero weights."""

    def __init__(self, X: Any, signs: Any, n_jobs: int) -> None:
        self._rows, self._signs, self._n_jobs = as_rows(X, 1.0), signs, n_jobs
        self._width, self._order = X.shape[1] + 1, np.arange(len(signs))
        self._panel, self._blocks = self._new()

    def _new(self) -> tuple[Panel, Blocks]:
        n, height = self._signs.shape
        ones = np.broadcast_to(1.0, n)
        problem = Problem(self._rows, self._signs, ones, np.ones((height, 2)))
        panel = Panel(problem, np.zeros((height, self._width)))
        return panel, Blocks(panel, self._n_jobs)

    def first(self) -> int:
        """Run the first epoch; return its mistakes."""
        self._panel, self._blocks = self._new()
        return self.later()

    def later(self) -> int:
        """Run one more epoch; return its mistakes."""
        self._blocks.visit(self._order)
        return int(self._panel.tally[MISTAKES].sum())


def in_halves(work: Callable[[Any], object], signs: Any) -> Callable[[], object]:
    """Return a plain work split over two threads, each with half of the halfspaces."""
    pool = ThreadPoolExecutor(2)
    halves = [np.ascontiguousarray(half) for half in np.array_split(signs, 2, axis=1)]
    return lambda: list(pool.map(work, halves))


class Case:
    """Samples and signs, and the plain loop on them to compare with ours."""

    def __init__(self, name: str, X: Any, labels: Any, positives: list[Any]) -> None:
        self.name, self.X, self.labels = name, X, labels
        columns = [np.where(labels == one, 1, -1) for one in positives]
        self.signs = np.ascontiguousarray(np.column_stack(columns).astype(np.int8))

    def plain(self, signs: Any = None) -> int:
        """Run the plain loop; return its mistakes."""
        X, signs = self.X, self.signs if signs is None else signs
        height, width = signs.shape[1], self.X.shape[1] + 1
        if isinstance(X, np.ndarray):
            if height == 1:
                return int(dense_one(X, signs, np.zeros(width, X.dtype)))
            return int(dense_many(X, signs, np.zeros((height, width), X.dtype)))
        arrays = (X.data, X.indices, X.indptr)
        if height == 1:
            return int(sparse_one(*arrays, signs, np.zeros(width)))
        return int(sparse_many(*arrays, signs, np.zeros((width, height)), np.zeros(height)))

    def measured(self) -> int:
        """Run the plain loop that also measures the samples; return its mistakes."""
        width = self.X.shape[1] + 1
        arrays = (np.zeros(width), np.zeros(width, np.float32), np.zeros(len(self.signs)))
        return int(dense_one_measured(self.X, self.signs, *arrays))

    def measure(self, repeats: int) -> list[dict[str, Any]]:
        height = self.signs.shape[1]
        rows = [self._measure(repeats, 1)]
        return rows if height == 1 else [*rows, self._measure(repeats, 2)]

    def _measure(self, repeats: int, n_jobs: int) -> dict[str, Any]:
        engine, after = (Engine(self.X, self.signs, n_jobs) for _ in range(2))
        plain, ours = self.plain(), engine.first()
        if plain != ours:
            raise SystemExit(f"{self.name}: the plain loop made {plain} mistakes, ours {ours}")
        after.first()
        learner = Perceptron(keep="last", max_iter=1, order="cyclic", n_jobs=n_jobs)
        works: dict[str, Callable[[], object]] = {
            "plain": self.plain if n_jobs == 1 else in_halves(self.plain, self.signs),
            "first epoch": engine.first,
            "later epochs": after.later,
            "fit": lambda: learner.fit(self.X, self.labels),
        }
        if isinstance(self.X, np.ndarray) and self.signs.shape[1] == 1:
            works["plain, measured"] = self.measured
        times = medians(works, repeats)
        return {
            "work": self.name,
            "threads": n_jobs,
            "mistakes": plain,
            "ms": times,
            "over_plain": {name: times[name] / times["plain"] for name in list(works)[1:]},
        }


def scores(X: Any, documents: Any, repeats: int) -> list[dict[str, Any]]:
    """Time scores alone: reading, plain loops, and hand-written code."""
    found, words = [], X.reshape(-1).view(np.int64)
    for n in (1, 10):
        W, out = np.ones((n, X.shape[1] + 1)), np.zeros(n, np.float32)
        shadow = shadow_of(as_rows(X, 1.0), W)
        narrow = np.ascontiguousarray(W.astype(np.float32)[:, : X.shape[1]])
        works: dict[str, Callable[[], object]] = {
            "reading": partial(read, words),
            "plain": partial(dense_scores, X, narrow, out),
            "by hand": partial(our_dense_scores, X, shadow, out),
        }
        if n == 10:
            works["plain, five at once"] = partial(dense_scores_by_five, X, narrow, out)
        found.append({"scores": f"dense, {n}", "ms": medians(works, repeats)})
    arrays = (documents.data, documents.indices, documents.indptr)
    words = np.concatenate([documents.data.view(np.int32), documents.indices])
    words = words[: len(words) // 2 * 2].view(np.int64)
    for n in (8, 16):
        W = new_panel(as_rows(documents, 1.0), np.ones((n, documents.shape[1] + 1)))
        single, out = W.astype(np.float32), np.zeros(n)
        works = {
            "reading": partial(read, words),
            "plain": partial(sparse_scores, *arrays, W, out),
            "by hand": partial(our_sparse_scores, *arrays, W, out),
            "by hand, float32": partial(our_sparse_scores, *arrays, single, out.astype(np.float32)),
        }
        found.append({"scores": f"sparse, {n}", "ms": medians(works, repeats)})
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=None, help="folder with fashion_mnist/")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    source = Source(options.data)
    images, shirts = source.images(), source.shirts()
    pixels = np.ascontiguousarray(images.X)
    cases = [
        Case("dense, 1 halfspace", pixels, shirts.y, [1]),
        Case("dense, 10 halfspaces", pixels, images.y, list(range(10))),
    ]
    for n_classes in (2, 8, 16):
        documents = source.documents(n_classes)
        positives = [1] if n_classes == 2 else list(range(n_classes))
        number = "1 halfspace" if n_classes == 2 else f"{n_classes} halfspaces"
        cases.append(Case(f"sparse, {number}", documents.X, documents.y, positives))
    works = [row for case in cases for row in case.measure(options.repeats)]
    alone = scores(pixels, source.documents(2).X, options.repeats)
    result = {"processor": processor(), "python": platform.python_version(), "works": works}
    if options.json:
        print(json.dumps({**result, "scores": alone}, indent=2))
        return
    print(result["processor"])
    for row in works:
        times = ", ".join(f"{name} {ms:.1f}" for name, ms in row["ms"].items())
        ratios = ", ".join(f"{name} {ratio:.2f}×" for name, ratio in row["over_plain"].items())
        print(f"{row['work']}, {row['threads']} threads, {row['mistakes']:,} mistakes")
        print(f"  ms: {times}")
        print(f"  over the plain loop: {ratios}")
    for row in alone:
        times = ", ".join(f"{name} {ms:.1f}" for name, ms in row["ms"].items())
        print(f"scores alone, {row['scores']}: {times} ms")


if __name__ == "__main__":
    main()
