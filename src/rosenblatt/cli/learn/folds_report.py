"""`rosenblatt learn --folds`: how a perceptron does on samples that it did not learn from.

The folds are drawn at random, with the seed, and have about the same share of each class. Where learning
would shuffle the samples again for each epoch, the folds visit them in one order, shuffled once: that
way one pass per epoch learns all folds.
"""

import statistics
import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold

from rosenblatt.cli.open_samples import Samples
from rosenblatt.cli.progress import spinning
from rosenblatt.cli.report import Facts
from rosenblatt.core.errors import InputError
from rosenblatt.estimators.evaluation.cross_validation import cross_validate

# With fewer numbers than these an epoch is over sooner than a thread is started.
_LARGE = 1_000_000


class FoldErrors(NamedTuple):
    """The share of mistakes on each fold, by weights learned from the other folds."""

    errors: list[float]

    def facts(self) -> Facts:
        """Return the errors, their mean and standard deviation, for programs."""
        return {
            "folds": len(self.errors),
            "error": statistics.fmean(self.errors),
            "spread": statistics.stdev(self.errors),
            "errors": self.errors,
        }

    def text(self) -> str:
        """Return the same for people."""
        mean, spread = statistics.fmean(self.errors), statistics.stdev(self.errors)
        return (
            f"error {mean:.4f} ± {spread:.4f}, the mean and standard deviation of "
            f"{len(self.errors)} folds, each learned from the others"
        )


def check_folds(samples: Samples, n_folds: int) -> None:
    """Raise if a class has too few samples to be in every fold."""
    rarest = int(np.argmin(samples.counts))
    least = int(samples.counts[rarest])
    if least < n_folds:
        accepted = f"use at most {least}" if least > 1 else "leave it out"
        raise InputError(
            f"{samples.file}: --folds {n_folds} needs {n_folds} samples of each class, but "
            f"{samples.classes[rarest]} has {least}: {accepted}"
        )


def fold_errors(learner: Any, samples: Samples, n_folds: int, *, shuffle_once: bool) -> FoldErrors:
    """Cross-validate what the learner learns from the samples; the learner is not changed."""
    X, y, seed = samples.X, samples.y, getattr(learner, "random_state", 0)
    learner = clone(learner)
    if shuffle_once:
        learner.order = "cyclic"
        order = np.random.RandomState(seed).permutation(len(y))
        X, y = X[order], y[order]
    cv = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    with spinning(f"learning {n_folds} folds"), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = cross_validate(learner, X, y, cv=cv, n_jobs=-1 if X.size > _LARGE else None)
    return FoldErrors([float(error) for error in 1.0 - found["test_score"]])
