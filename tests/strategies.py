"""Strategies for samples that provoke rounding errors: quantized, mixed in magnitude, canceling."""

from typing import NamedTuple

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

INTEGERS = [float(k) for k in range(-3, 4)]
TENTHS = [k / 10 for k in range(-12, 13)]
MAGNITUDES = [s * m * 10.0**e for s in (1, -1) for m in (1.0, 0.3) for e in (-100, -17, 0, 17, 100)]


def matrices(
    pool: list[float], n_rows: st.SearchStrategy[int], n_columns: st.SearchStrategy[int]
) -> st.SearchStrategy[np.ndarray]:
    """Draw matrices of numbers from the pool and zeros."""
    shapes = st.tuples(n_rows, n_columns)
    return hnp.arrays(np.float64, shapes, elements=st.sampled_from([0.0, *pool]))


def samples(max_rows: int = 8, max_columns: int = 6) -> st.SearchStrategy[np.ndarray]:
    """Draw matrices from one of the pools."""
    n_rows, n_columns = st.integers(2, max_rows), st.integers(1, max_columns)
    return st.sampled_from([INTEGERS, TENTHS, TENTHS, MAGNITUDES]).flatmap(
        lambda pool: matrices(pool, n_rows, n_columns)
    )


@st.composite
def labels(draw: st.DrawFn, n: int, names: list) -> np.ndarray:
    """Draw labels for n samples, with at least two of the names."""
    y = draw(st.lists(st.sampled_from(names), min_size=n, max_size=n))
    if len(set(y)) == 1:
        y[draw(st.integers(0, n - 1))] = next(name for name in names if name != y[0])
    return np.array(y)


class Separable(NamedTuple):
    """Samples that ``truth`` separates: ``signs · X @ truth >= margin > 0``."""

    X: np.ndarray
    signs: np.ndarray
    truth: np.ndarray
    margin: int

    @property
    def radius_squared(self) -> int:
        return int((self.X**2).sum(axis=1).max())

    @property
    def truth_squared(self) -> int:
        return int(self.truth @ self.truth)


@st.composite
def separable(draw: st.DrawFn, constant: bool = False) -> Separable:
    """Draw whole numbers; with a constant, the last feature of every sample is 1."""
    shape = st.tuples(st.integers(1, 10), st.integers(1, 4))
    X = draw(hnp.arrays(np.int64, shape, elements=st.integers(-9, 9)))
    X = np.vstack([X, -X[:1]])
    if constant:
        X = np.column_stack([X, np.ones(len(X), dtype=np.int64)])
    truth = draw(hnp.arrays(np.int64, X.shape[1], elements=st.integers(-5, 5)))
    scores = X @ truth
    least = draw(st.integers(1, 5))
    keep = np.abs(scores) >= least
    X, scores = X[keep], scores[keep]
    assume(len(set(np.sign(scores).tolist())) == 2)
    return Separable(X, np.sign(scores), truth, int(np.abs(scores).min()))
