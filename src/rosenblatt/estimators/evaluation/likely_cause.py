"""Likely causes if a learner is no better than guessing, and what to try."""

from typing import Any

import numpy as np

from rosenblatt.core.types import Labels, MatrixLike, is_sparse
from rosenblatt.estimators.evaluation.held_out import HeldOut
from rosenblatt.separability.results.verdicts import Verdict

_TOO_DIFFERENT = 10.0
_RARE = 0.1


def advice(tested: HeldOut, learner: Any, X: MatrixLike, y: Labels, verdict: Verdict) -> str | None:
    """Return the likely cause and what to try, or None if the learner does better than guessing.

    A learner without errors never gets advice.

    >>> from rosenblatt import Perceptron
    >>> X, y = np.array([[20.0, 9e4], [60.0, 1e4], [30.0, 2e4]]), np.array([0, 1, 0])
    >>> print(advice(HeldOut(50, 25, 0.5, 0.7, 0.4), Perceptron(), X, y, Verdict.INSEPARABLE))
    no better than guessing; likely cause: the columns' spreads differ 2,094-fold; try --scale standard
    """
    if tested.mistakes == 0 or tested.error < tested.guess:
        return None
    return f"no better than guessing; likely cause: {_cause(learner, X, y, verdict)}"


def _cause(learner: Any, X: MatrixLike, y: Labels, verdict: Verdict) -> str:
    ratio = _spread_ratio(X)
    if ratio > _TOO_DIFFERENT:
        return f"the columns' spreads differ {ratio:,.0f}-fold; try --scale standard"
    if getattr(learner, "order", None) == "cyclic" and _is_sorted(y):
        return "the samples are sorted by class and visited in that order; try --order shuffle"
    if verdict is Verdict.SEPARABLE or X.shape[1] >= len(y):
        return (
            f"{len(y):,} samples are few for {X.shape[1]:,} columns: many hyperplanes fit them; try "
            "more samples, or fewer columns, --ignore"
        )
    if np.unique(y, return_counts=True)[1].min() < _RARE * len(y):
        return (
            "the classes overlap and one is rare, so guessing is hard to beat; try --class-weight "
            "balanced if its samples matter more"
        )
    return "the classes overlap in these columns; try other columns, or --learner kernel"


def _spread_ratio(X: MatrixLike) -> float:
    """Return the ratio of the largest to the smallest nonzero spread of dense columns.

    A column of 0 and 1 counts as balanced: if one value is rare, scaling does not help.
    """
    if is_sparse(X):
        return 1.0
    X = np.asarray(X, dtype=np.float64)
    spreads = X.std(axis=0)
    spreads = np.where(((X == 0.0) | (X == 1.0)).all(axis=0), 0.5, spreads)[spreads > 0.0]
    return float(spreads.max() / spreads.min()) if len(spreads) else 1.0


def _is_sorted(y: Labels) -> bool:
    """Return whether the samples of each class are contiguous."""
    return int(np.count_nonzero(y[1:] != y[:-1])) < len(np.unique(y))
