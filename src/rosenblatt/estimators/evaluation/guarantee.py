"""What can be guaranteed before learning: whether it will end, and after how many mistakes at most."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.bounds import mistake_bound
from rosenblatt.core.labels import distinct, positive_classes, signs_for
from rosenblatt.core.types import Labels, MatrixLike, is_sparse
from rosenblatt.estimators.common.certify import rules_out
from rosenblatt.estimators.common.linear_classifier import tie_sign
from rosenblatt.estimators.common.validation import unit_scales
from rosenblatt.kernels.rows import as_rows
from rosenblatt.separability.question import ask
from rosenblatt.separability.result import Separation
from rosenblatt.separability.separate import separate_class
from rosenblatt.separability.verdicts import Verdict
from rosenblatt.training.margins import lower_bound

# Scaled samples are this long at most, all rounding included.
_UNIT = 1.0 + 1e-12


class Guarantee(NamedTuple):
    """For each halfspace, whether it can be learned, and the mistakes of all together, or None.

    The verdict is the worst of all halfspaces. It is UNDECIDED, not INSEPARABLE, where nothing separates
    the samples strictly, but weights that have some of them on the hyperplane may, for ties are right.
    """

    separations: list[Separation]
    mistake_bound: int | None
    verdict: Verdict


def guarantee(learner: Any, X: MatrixLike, y: Labels, time_limit: float | None = None) -> Guarantee:
    """Return what the convergence theorem guarantees a `Perceptron` on these samples.

    The guarantee takes into account its intercept, start, learning rate and scaling; it holds for every
    order of visits, and for samples of equal weight.

    >>> from rosenblatt import Perceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], np.array([0, 0, 0, 1])
    >>> guarantee(Perceptron(), X, y).mistake_bound
    51
    >>> guarantee(Perceptron(unit_length=True), X, y).mistake_bound
    41
    >>> guarantee(Perceptron(), X, np.array([0, 1, 1, 0])).verdict.name
    'INSEPARABLE'
    """
    positives = positive_classes(distinct(y))
    n_questions = len(positives) * (2 if learner.unit_length else 1)
    limit = None if time_limit is None else time_limit / n_questions
    question = ask(X, y, fit_intercept=learner.fit_intercept, time_limit=limit)
    separations = [separate_class(question, label) for label in positives]
    tie = tie_sign(learner.ties)
    if any(
        rules_out(separation.certificate, signs_for(y, label), tie)
        for label, separation in zip(positives, separations, strict=True)
    ):
        return Guarantee(separations, None, Verdict.INSEPARABLE)
    if any(separation.verdict is not Verdict.SEPARABLE for separation in separations):
        return Guarantee(separations, None, Verdict.UNDECIDED)
    total = 0
    scaled_margins = _scaled_margins(learner, X, y, limit)
    for separation in separations:
        own: int | None = separation.mistake_bound
        radius, margin = separation.radius, separation.margin.lower
        if learner.unit_length:
            radius, margin = _UNIT, next(scaled_margins)
            own = math.ceil(mistake_bound(radius, margin)) if margin > 0.0 else None
        if own is None:
            return Guarantee(separations, None, Verdict.SEPARABLE)
        if learner.start == "random":  # a direction of length 1
            with_start = mistake_bound(radius, margin, start_norm=1.0, eta0=learner.eta0)
            own += math.ceil(with_start - mistake_bound(radius, margin))
        total += own
    return Guarantee(separations, total, Verdict.SEPARABLE)


def _scaled_margins(
    learner: Any, X: MatrixLike, y: Labels, time_limit: float | None
) -> Iterator[float]:
    """Yield, for each halfspace, a lower bound on the largest margin of samples of unit length."""
    constant = 1.0 if learner.fit_intercept else 0.0
    rows = as_rows(X, constant)
    scales = unit_scales(rows, len(y))
    column = np.full((len(y), 1), constant)
    if is_sparse(X):
        blocks: Any = [X, sp.csr_matrix(column)]
        scaled: Any = sp.csr_matrix(sp.hstack(blocks).multiply(scales[:, None]))
    else:
        scaled = np.column_stack([X, column]) * scales[:, None]
    question = ask(scaled, y, fit_intercept=False, time_limit=time_limit)
    for label in positive_classes(question.classes):
        coef = separate_class(question, label).coef
        yield 0.0 if coef is None else lower_bound(rows, signs_for(y, label), scales, coef)
