"""The error on held-out samples, with a bound on the risk."""

import warnings
from collections import Counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.bounds import held_out_risk_bound
from rosenblatt.core.types import Counts, Labels, MatrixLike
from rosenblatt.estimators.evaluation.class_figures import ClassFigures, class_figures

SHARE = 0.2
DELTA = 0.05


class HeldOut(NamedTuple):
    """The error on held-out samples, and an upper bound on the risk that holds in 95% of such draws.

    ``guess`` is the error, on the same samples, of always guessing the most frequent training class;
    ``classes`` has the recall and precision of each class.
    """

    samples: int
    mistakes: int
    error: float
    risk: float
    guess: float
    classes: tuple[ClassFigures, ...] = ()


def held_out(
    learner: Any, X: MatrixLike, y: Labels, seed: int, *, n_candidates: int = 1
) -> HeldOut | None:
    """Learn from four fifths of the samples, drawn at random from each class; test on the others.

    Classes with a single sample are drawn from together, because a held-out one cannot be learned.
    Return None if there are too few samples to learn two classes. The risk bound assumes independent
    samples, and applies to the model learned from the four fifths. ``n_candidates`` is the number of
    learners from which this one was chosen by looking at the labels: the bound then holds for all.

    >>> from rosenblatt import Perceptron
    >>> X = np.linspace(-1, 1, 100)[:, None]
    >>> found = held_out(Perceptron(max_iter=5, order="cyclic"), X, X[:, 0] > 0.1, 0)
    >>> found.samples, found.mistakes, round(found.risk, 4), found.guess
    (20, 0, 0.1391, 0.45)
    """
    is_seen = np.ones(len(y), dtype=np.bool_)
    is_seen[_kept_aside(y, seed)] = False
    kept, seen = np.flatnonzero(~is_seen), np.flatnonzero(is_seen)
    classes, counts = np.unique(y[seen], return_counts=True)
    if len(kept) == 0 or len(classes) < 2:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = clone(learner).fit(X[seen], y[seen])
    predicted, pairs = fitted.predict(X[kept]), Counter[tuple[str, str]]()
    mistakes = int((predicted != y[kept]).sum())
    pairs.update(zip(map(str, y[kept].tolist()), map(str, predicted.tolist()), strict=True))
    guess = float((y[kept] != classes[np.argmax(counts)]).mean())
    risk = held_out_risk_bound(mistakes, len(kept), DELTA / n_candidates)
    found = class_figures(sorted(pairs.items()))
    return HeldOut(len(kept), mistakes, mistakes / len(kept), risk, guess, found)


def _kept_aside(y: Labels, seed: int) -> Counts:
    """Return a fifth of each class, at least one sample, and a fifth of all single-sample classes."""
    rng = np.random.default_rng(seed)
    parts, alone = [np.empty(0, np.int64)], []
    for label in np.unique(y):
        own = rng.permutation(np.flatnonzero(y == label))
        if len(own) > 1:
            parts.append(own[: max(1, round(SHARE * len(own)))])
        else:
            alone.append(int(own[0]))
    some = rng.permutation(np.array(alone, np.int64))
    return np.concatenate([*parts, some[: round(SHARE * len(some))]])
