"""`rosenblatt learn --folds`: cross-validation of the learner.

The folds are random, drawn with the seed, and have about the same share of each class; classes with
fewer samples than there are folds are learned in each fold and tested in none.
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
from rosenblatt.cli.report import Facts, classes_text
from rosenblatt.core.errors import InputError
from rosenblatt.estimators.evaluation.cross_validation import cross_validate

# With fewer numbers an epoch is faster than starting a thread.
_LARGE = 1_000_000


class FoldErrors(NamedTuple):
    """The error on each fold of weights learned from the other folds."""

    errors: list[float]
    untested: dict[str, int]

    def facts(self) -> Facts:
        """Return the errors, their mean and standard deviation as JSON."""
        return {
            "folds": len(self.errors),
            "error": statistics.fmean(self.errors),
            "spread": statistics.stdev(self.errors),
            "errors": self.errors,
            "untested": self.untested,
        }

    def text(self) -> str:
        """Return one line for people."""
        mean, spread = statistics.fmean(self.errors), statistics.stdev(self.errors)
        n_folds = len(self.errors)
        text = f"error {mean:.4f} ± {spread:.4f} (mean and standard deviation of {n_folds} folds)"
        if self.untested:
            text += (
                f"; classes with fewer than {n_folds} samples are learned in each fold and tested in "
                f"none: {classes_text(self.untested)}"
            )
        return text


def check_folds(samples: Samples, n_folds: int) -> None:
    """Raise if no class has enough samples to be in every fold."""
    most = int(samples.counts.max())
    if most < n_folds:
        remedy = f"use at most {most}" if most > 1 else "leave --folds out"
        raise InputError(
            f"{samples.file}: --folds {n_folds} needs a class with {n_folds} samples, but the largest "
            f"has {most}: {remedy}"
        )


def fold_errors(learner: Any, samples: Samples, n_folds: int) -> FoldErrors:
    """Cross-validate a copy of the learner."""
    X, y, seed = samples.X, samples.y, getattr(learner, "random_state", 0)
    learner = clone(learner)
    untested = {label: n for label, n in samples.by_class.items() if n < n_folds}
    tested = np.flatnonzero(~np.isin(y, samples.classes[samples.counts < n_folds]))
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    tests = [tested[part] for _, part in splitter.split(tested, y[tested])]
    cv = [(np.setdiff1d(np.arange(len(y)), test), test) for test in tests]
    with spinning(f"learning {n_folds} folds"), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = cross_validate(learner, X, y, cv=cv, n_jobs=-1 if X.size > _LARGE else None)
    return FoldErrors([float(error) for error in 1.0 - found["test_score"]], untested)
