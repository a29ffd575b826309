"""Guarantees before learning: whether it will converge, and the largest number of mistakes."""

from fractions import Fraction
from typing import Any, NamedTuple

from rosenblatt.certificates import SeparatingHyperplane
from rosenblatt.core.labels import distinct, positive_classes, signs_for
from rosenblatt.core.types import Labels, MatrixLike
from rosenblatt.estimators.common.certify import rules_out
from rosenblatt.estimators.common.linear_classifier import tie_sign
from rosenblatt.separability.question import ask
from rosenblatt.separability.results.conclusion import mistake_bound
from rosenblatt.separability.results.result import Separation
from rosenblatt.separability.results.verdicts import Verdict
from rosenblatt.separability.separate import separate_class


class Guarantee(NamedTuple):
    """The separability of each halfspace, and a bound on the mistakes of all together, or None.

    The verdict is the worst of all halfspaces. It is UNDECIDED, not INSEPARABLE, if nothing separates
    the samples strictly but the learner's ties accept samples on the hyperplane.
    """

    separations: list[Separation]
    mistake_bound: int | None
    verdict: Verdict


def guarantee(learner: Any, X: MatrixLike, y: Labels, time_limit: float | None = None) -> Guarantee:
    """Return the guarantee of the convergence theorem for a `Perceptron` on these samples.

    It takes the intercept, learning rate and margin into account, and holds for every order of visits
    and samples of equal weight.

    >>> import numpy as np
    >>> from rosenblatt import Perceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], np.array([0, 0, 0, 1])
    >>> guarantee(Perceptron(), X, y).mistake_bound
    51
    >>> guarantee(Perceptron(), X, np.array([0, 1, 1, 0])).verdict.name
    'INSEPARABLE'
    """
    positives = positive_classes(distinct(y))
    question = ask(
        X,
        y,
        fit_intercept=learner.fit_intercept,
        time_limit=None if time_limit is None else time_limit / len(positives),
    )
    separations = [separate_class(question, label) for label in positives]
    tie = 0 if learner.margin > 0 else tie_sign(learner.ties)
    if any(
        rules_out(separation.certificate, signs_for(y, label), tie)
        for label, separation in zip(positives, separations, strict=True)
    ):
        return Guarantee(separations, None, Verdict.INSEPARABLE)
    if any(separation.verdict is not Verdict.SEPARABLE for separation in separations):
        return Guarantee(separations, None, Verdict.UNDECIDED)
    return Guarantee(separations, bound(learner, separations), Verdict.SEPARABLE)


def bound(learner: Any, separations: list[Separation]) -> int:
    """Return the bound on the updates of all halfspaces, given their separators."""
    required = Fraction(learner.margin / learner.eta0)  # as the learner rounds it
    total = 0
    for separation in separations:
        assert isinstance(separation.certificate, SeparatingHyperplane)
        total += mistake_bound(
            separation.certificate,
            separation.radius,
            required=required,
        )
    return total
