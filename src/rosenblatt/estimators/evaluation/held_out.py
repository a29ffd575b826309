"""The error on held-out samples, with a bound on the risk."""

import warnings
from collections import Counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.bounds import held_out_risk_bound
from rosenblatt.core.labels import distinct
from rosenblatt.core.types import Counts, Labels, MatrixLike
from rosenblatt.estimators.evaluation.class_figures import ClassFigures, class_figures

SHARE = 0.2
DELTA = 0.05
FEWEST = 20
"""With fewer samples nothing is held out: the error on one or two would say nothing."""


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
    """Learn from four fifths of the samples; test on the others, a simple random sample of all.

    They are not drawn class by class: then they would not be the independent sample that the bound
    assumes, and with many small classes it would often be wrong. So a class may be missing from the
    learned part; its samples count as errors, and a part with one class predicts that class. Return None
    if there are fewer than 20 samples, or one class. The bound assumes independent samples, and applies
    to the model learned from the four fifths. ``n_candidates`` is the number of learners from which this
    one was chosen by looking at the labels: the bound then holds for all.

    >>> from rosenblatt import Perceptron
    >>> X = np.linspace(-1, 1, 100)[:, None]
    >>> found = held_out(Perceptron(max_iter=5, order="cyclic"), X, X[:, 0] > 0.1, 0)
    >>> found.samples, found.mistakes, round(found.risk, 4), found.guess
    (20, 0, 0.1391, 0.45)
    """
    if len(y) < FEWEST or len(distinct(y)) < 2:
        return None
    kept, seen = drawn(len(y), seed)
    predicted = _predicted(learner, X, y, seen, kept)
    mistakes = int((predicted != y[kept]).sum())
    pairs = Counter(zip(map(str, y[kept].tolist()), map(str, predicted.tolist()), strict=True))
    classes, counts = np.unique(y[seen], return_counts=True)
    guess = float((y[kept] != classes[np.argmax(counts)]).mean())
    risk = held_out_risk_bound(mistakes, len(kept), DELTA / n_candidates)
    found = class_figures(sorted(pairs.items()))
    return HeldOut(len(kept), mistakes, mistakes / len(kept), risk, guess, found)


def drawn(n_samples: int, seed: int) -> tuple[Counts, Counts]:
    """Return a fifth of the rows, drawn at random, and the others; both ascending."""
    order = np.random.default_rng(seed).permutation(n_samples)
    n_kept = round(SHARE * n_samples)
    return np.sort(order[:n_kept]), np.sort(order[n_kept:])


def _predicted(learner: Any, X: MatrixLike, y: Labels, seen: Counts, kept: Counts) -> Labels:
    """Return what a copy of the learner that learns the ``seen`` rows predicts for the ``kept`` ones."""
    present = distinct(y[seen])
    if len(present) == 1:
        return np.full(len(kept), present[0])
    learner = clone(learner)
    weights = getattr(learner, "class_weight", None)
    if isinstance(weights, dict):  # a class may be missing
        known = set(present.tolist())
        learner.class_weight = {label: w for label, w in weights.items() if label in known}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        learner.fit(X[seen], y[seen])
    return np.asarray(learner.predict(X[kept]))
