"""Advice for a model that is no better than guessing: only what was tried on this data and helped.

Untested advice was often wrong, or repeated what had been done. If the trial does not help, and the
samples are too few to tell the model from guessing, the advice states that.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.core.compiling import Stopwatch
from rosenblatt.core.digits import counted
from rosenblatt.core.errors import InputError
from rosenblatt.core.labels import distinct
from rosenblatt.core.types import Floats, Labels, is_sparse
from rosenblatt.estimators.evaluation.held_out import Split
from rosenblatt.estimators.kernel_perceptron import KernelPerceptron
from rosenblatt.training.outcomes import Outcome

_TOO_DIFFERENT = 10.0

# An estimate from above: a kernel value takes this long per column, and about 100 columns' time besides.
_SECONDS_PER_PRODUCT = 2e-9

KERNEL_EPOCHS = 16

IN_PYTHON: Mapping[str, str] = {
    "scale": "a StandardScaler before the learner",
    "kernel": f"KernelPerceptron(max_iter={KERNEL_EPOCHS})",
    "folds": "cross_validate with cv=5",
    "separator": "MaxMargin",
}


class Advice(NamedTuple):
    """A trial that helped, "scale" or "kernel", with its held-out errors; or the fact "folds"."""

    remedy: str
    errors_with: int
    errors: int
    tested: int
    samples: int

    def text(self, names: Mapping[str, str]) -> str:
        """Return a sentence in which each remedy has the name given.

        >>> print(Advice("kernel", 2, 31, 60, 300))
        KernelPerceptron(max_iter=16) makes 2 errors on the 60 held-out rows instead of 31
        >>> Advice("folds", 31, 31, 60, 300).text({"folds": "--folds 5"})
        '60 held-out rows cannot tell this from guessing; --folds 5 uses all 300'
        """
        name = names[self.remedy]
        if self.remedy == "folds":
            return (
                f"{self.tested:,} held-out rows cannot tell this from guessing; {name} uses all "
                f"{self.samples:,}"
            )
        errors = counted(self.errors_with, "error")
        return (
            f"{name} makes {errors} on the {self.tested:,} held-out rows instead of {self.errors:,}"
        )

    def __str__(self) -> str:
        return self.text(IN_PYTHON)


class _Trial(NamedTuple):
    remedy: str
    predicted: Labels


def advice(split: Split, predicted: Labels, learner: Any, seconds: float) -> Advice | None:
    """Return advice for a model that is not better than guessing beyond chance, or None.

    At most one other way to learn is tried, and none that would take longer than ``seconds``. It must
    also be better than guessing: with class weights, fewer errors alone are not the aim.
    """
    guessed, labels = split.guessed(), split.labels
    errors = int((predicted != labels).sum())
    if errors == 0 or split.compared(guessed, predicted).is_better:
        return None
    try:
        trial = _trial(split, learner, seconds)
    except InputError:  # the other learner refuses these samples
        trial = None
    if trial is not None and all(
        split.compared(before, trial.predicted).is_better for before in (predicted, guessed)
    ):
        errors_with = int((trial.predicted != labels).sum())
        return Advice(trial.remedy, errors_with, errors, len(labels), len(split.y))
    if split.compared(predicted, guessed).is_better:
        return None  # these rows can tell: guessing is better
    return Advice("folds", errors, errors, len(labels), len(split.y))


def _trial(split: Split, learner: Any, seconds: float) -> _Trial | None:
    """Return what another way to learn predicts, if there is one to try."""
    scaled = None if is_sparse(split.X) else _scaled(np.asarray(split.X, dtype=np.float64))
    if scaled is not None:
        return _Trial("scale", replace(split, X=scaled).predicted(learner))
    if isinstance(learner, KernelPerceptron):
        return None
    predicted = _kernel_trial(split, seconds)
    return None if predicted is None else _Trial("kernel", predicted)


def _scaled(X: Floats) -> Floats | None:
    """Return the columns scaled to mean 0 and standard deviation 1, or None if they hardly differ.

    A column of 0 and 1 counts as balanced: if one value is rare, scaling does not help.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        spreads = np.asarray(X.std(axis=0))
        spreads[((X == 0.0) | (X == 1.0)).all(axis=0)] = 0.5
        spreads[spreads == 0.0] = 1.0
        if not spreads.max() > _TOO_DIFFERENT * spreads.min():
            return None
        scaled: Floats = (X - X.mean(axis=0)) / spreads
    return scaled if np.isfinite(scaled).all() else None


def _kernel_trial(split: Split, seconds: float) -> Labels | None:
    """Return what a kernel perceptron predicts, unless that takes longer than the time allows."""
    n_classes, width = len(distinct(split.y[split.learn])), split.X.shape[1] + 100
    n_products = len(split.learn) ** 2 * (1 if n_classes == 2 else n_classes) * width
    last = n_products * _SECONDS_PER_PRODUCT
    if n_classes == 1 or last > seconds:
        return None
    watch = Stopwatch()
    for epochs in (1, 4, KERNEL_EPOCHS):
        before = watch.seconds()
        if before + 4.0 * last > seconds:  # four times as many epochs take about four times as long
            return None
        fitted = split.fitted(KernelPerceptron(max_iter=epochs))
        last = watch.seconds() - before
        if fitted.outcome_ is Outcome.SEPARATED:
            break
    return np.asarray(fitted.predict(split.X[split.test]))
