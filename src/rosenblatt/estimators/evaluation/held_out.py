"""An honest estimate of how a learner will do: samples that it never saw."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.bounds import held_out_risk_bound
from rosenblatt.core.types import Counts, Labels, MatrixLike

SHARE = 0.2
DELTA = 0.05


class HeldOut(NamedTuple):
    """Mistakes on samples kept aside, and what the risk is at most, in all but 5 % of such draws."""

    samples: int
    mistakes: int
    error: float
    risk: float


def held_out(learner: Any, X: MatrixLike, y: Labels, seed: int) -> HeldOut | None:
    """Learn from four fifths of the samples, drawn at random from each class; count on the others.

    Answered is None where a class has fewer than two samples, so that it cannot be on both sides. The
    bound on the risk assumes that the samples were drawn independently of each other.

    >>> from rosenblatt import Perceptron
    >>> X = np.linspace(-1, 1, 100)[:, None]
    >>> found = held_out(Perceptron(max_iter=5), X, X[:, 0] > 0.1, 0)
    >>> found.samples, found.mistakes, round(found.risk, 4)
    (20, 2, 0.2826)
    """
    kept = _kept_aside(y, seed)
    if kept is None:
        return None
    seen = np.setdiff1d(np.arange(len(y)), kept)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = clone(learner).fit(X[seen], y[seen])
    mistakes = int((fitted.predict(X[kept]) != y[kept]).sum())
    risk = held_out_risk_bound(mistakes, len(kept), DELTA)
    return HeldOut(len(kept), mistakes, mistakes / len(kept), risk)


def _kept_aside(y: Labels, seed: int) -> Counts | None:
    rng = np.random.default_rng(seed)
    parts = []
    for label in np.unique(y):
        own = rng.permutation(np.flatnonzero(y == label))
        if len(own) < 2:
            return None
        parts.append(own[: max(1, round(SHARE * len(own)))])
    return np.sort(np.concatenate(parts))
