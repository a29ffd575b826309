"""The error on held-out samples, with a bound on the risk."""

import math
import warnings
from collections import Counter
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

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


class Comparison(NamedTuple):
    """On how many of some samples one model corrects errors of another, or adds errors."""

    samples: int
    corrected: int
    added: int

    @property
    def is_better(self) -> bool:
        """Whether it corrects more than it adds, by two standard deviations of a fair coin.

        >>> Comparison(60, 9, 1).is_better, Comparison(60, 8, 2).is_better
        (True, False)
        """
        return self.corrected - self.added > 2.0 * math.sqrt(self.corrected + self.added)


@dataclass(frozen=True, eq=False)
class Split:
    """Samples, and the ascending rows to ``learn`` from and to ``test`` on.

    The tested fifth is a simple random sample. Drawn class by class it would not be the independent
    sample that the bound assumes, and with many small classes the bound would often be wrong. So a class
    may be missing from the learned part: its samples then count as errors.

    >>> from rosenblatt import Perceptron
    >>> X = np.linspace(-1, 1, 100)[:, None]
    >>> split = Split.drawn(X, X[:, 0] > 0.1, 0)
    >>> found = split.measured(split.predicted(Perceptron(max_iter=5, order="cyclic")))
    >>> found.samples, found.mistakes, round(found.risk, 4), found.guess
    (20, 0, 0.1391, 0.4)
    """

    X: MatrixLike
    y: Labels
    learn: Counts
    test: Counts

    @classmethod
    def drawn(cls, X: MatrixLike, y: Labels, seed: int) -> Self | None:
        """Return a random split; None if there are fewer than 20 samples, or one class."""
        if len(y) < FEWEST or len(distinct(y)) < 2:
            return None
        order = np.random.default_rng(seed).permutation(len(y))
        n_tested = round(SHARE * len(y))
        return cls(X, y, np.sort(order[n_tested:]), np.sort(order[:n_tested]))

    @property
    def labels(self) -> Labels:
        """The labels of the tested samples."""
        return self.y[self.test]

    def guessed(self) -> Labels:
        """Return the most frequent class of the learned part, for each tested sample."""
        classes, counts = np.unique(self.y[self.learn], return_counts=True)
        return np.full(len(self.test), classes[np.argmax(counts)])

    def fitted(self, learner: Any) -> Any:
        """Return a copy of a learner that has learned the four fifths."""
        learner = clone(learner)
        weights = getattr(learner, "class_weight", None)
        if isinstance(weights, dict):  # a class may be missing
            known = set(distinct(self.y[self.learn]).tolist())
            learner.class_weight = {label: w for label, w in weights.items() if label in known}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return learner.fit(self.X[self.learn], self.y[self.learn])

    def predicted(self, learner: Any) -> Labels:
        """Return what a copy of a learner predicts; with one class in the learned part, that class."""
        if len(distinct(self.y[self.learn])) == 1:
            return self.guessed()
        return np.asarray(self.fitted(learner).predict(self.X[self.test]))

    def measured(self, predicted: Labels, *, n_candidates: int = 1) -> HeldOut:
        """Return the error of predictions, with its bound, which assumes independent samples.

        It applies to the model learned from the four fifths. ``n_candidates`` is the number of models
        from which this one was chosen by looking at the labels: the bound then holds for all.
        """
        labels, n = self.labels, len(self.test)
        mistakes = int((predicted != labels).sum())
        pairs = Counter(zip(map(str, labels.tolist()), map(str, predicted.tolist()), strict=True))
        return HeldOut(
            n,
            mistakes,
            mistakes / n,
            held_out_risk_bound(mistakes, n, DELTA / n_candidates),
            float((self.guessed() != labels).mean()),
            class_figures(sorted(pairs.items())),
        )

    def compared(self, before: Labels, after: Labels) -> Comparison:
        """Compare two models by their predictions."""
        was_right, is_right = before == self.labels, after == self.labels
        return Comparison(
            len(self.test), int((~was_right & is_right).sum()), int((was_right & ~is_right).sum())
        )
