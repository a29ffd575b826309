"""Turn a decision into a `Separation`: the verdict, its certificate, and the mistake bound."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from rosenblatt.certificates import HullIntersection, SeparatingHyperplane
from rosenblatt.certificates.combination import Combination, rows_of
from rosenblatt.certificates.rounding import Weights
from rosenblatt.core.types import Counts, Floats, LabelLike
from rosenblatt.separability.decide import Decision
from rosenblatt.separability.question import Question
from rosenblatt.separability.results.conflicts import Conflict
from rosenblatt.separability.results.result import Separation
from rosenblatt.separability.results.verdicts import Verdict
from rosenblatt.separability.signed_samples import Vectors, integer_weights
from rosenblatt.separability.solvers.exact_active_set import ExactPoint
from rosenblatt.separability.solvers.kesler_rows import JointRows, samples_and_rivals
from rosenblatt.training.margins import Interval

_ZERO = Fraction(0)


def _radius(question: Question, vectors: Vectors) -> float:
    """Return the length of the longest vector, including the constant, rounded up."""
    longest = float(vectors.lengths.max())
    if vectors.n_groups == 2:
        longest = math.hypot(longest, question.constant)
    return _rounded_up(longest, vectors)


def _rounded_up(length: float, vectors: Vectors) -> float:
    return math.nextafter(length * (1.0 + vectors.error_factor), math.inf)


def inseparable(
    question: Question,
    positive: LabelLike,
    vectors: Vectors,
    conflicts: tuple[Conflict, ...],
    combination: Combination,
    decision: Decision | None = None,
) -> Separation:
    """Return the result for a combination of samples that is zero."""
    return Separation(
        scope=question.scope(positive),
        verdict=Verdict.INSEPARABLE,
        margin=Interval(0.0, 0.0),
        squared_margin=Fraction(0),
        radius=_radius(question, vectors),
        certificate=HullIntersection(**question.subject(positive), combination=combination),
        support=np.array(rows_of(combination), dtype=np.int64),
        conflicts=conflicts,
        history_=[] if decision is None else decision.history,
    )


def concluded(
    question: Question, positive: LabelLike, vectors: Vectors, decision: Decision
) -> Separation:
    """Return the result for a decision that found no zero combination."""
    if decision.exact is not None:
        certificate = _exact_hyperplane(question, positive, vectors, decision.exact)
    elif decision.weights is not None:
        certificate = hyperplane(question, positive, vectors, decision)
    else:
        samples = decision.order
        if isinstance(vectors.rows, JointRows):
            samples = samples_and_rivals(vectors.rows, samples).samples
        return Separation(
            scope=question.scope(positive),
            verdict=Verdict.UNDECIDED,
            margin=decision.interval,
            radius=_radius(question, vectors),
            support=np.unique(samples).astype(np.int64),
            history_=decision.history,
        )
    radius = _radius(question, vectors)
    shape = (len(question.classes), -1) if isinstance(vectors.rows, JointRows) else (1, -1)
    weights = _rounded(certificate.weights).reshape(shape)
    coef, intercept = weights[:, :-1], weights[:, -1]
    binary = len(weights) == 1
    return Separation(
        scope=question.scope(positive),
        verdict=Verdict.SEPARABLE,
        margin=Interval(certificate.lower, certificate.upper),
        squared_margin=None if decision.exact is None else decision.exact.squared_margin,
        radius=radius,
        mistake_bound=mistake_bound(certificate, radius),
        certificate=certificate,
        coef=coef[0] if binary else coef,
        intercept=float(intercept[0]) if binary else intercept,
        support=np.array(rows_of(certificate.combination or {}), dtype=np.int64),
        history_=decision.history,
    )


def hyperplane(
    question: Question, positive: LabelLike, vectors: Vectors, decision: Decision
) -> SeparatingHyperplane:
    """Return the certificate for weights in floats."""
    assert decision.weights is not None
    weights, lower = decision.weights.copy(), decision.interval.lower
    if vectors.n_groups == 2:
        weights[-1], lower = vectors.biased(weights)
    order, numbers = integer_weights(vectors, decision.order, decision.shares)
    total = sum(numbers)
    upper = vectors.upper(order, np.array([number / total for number in numbers]))
    return SeparatingHyperplane(
        **question.subject(positive),
        weights=weights,
        lower_squared=Fraction(lower) ** 2,
        combination=combination_of(vectors, order, numbers),
        upper_squared=Fraction(upper) ** 2,
    )


def _exact_hyperplane(
    question: Question, positive: LabelLike, vectors: Vectors, point: ExactPoint
) -> SeparatingHyperplane:
    """Return the certificate for weights in integers."""
    weights = point.weights
    if vectors.n_groups == 2:
        # The bias that gives both groups the same margin is half the difference of their floors.
        shift = max(0, -point.exponent)
        bias = (point.floors[1] - point.floors[0]) << (point.exponent + shift)
        weights = [*(number << (shift + 1) for number in weights[:-1]), bias]
    return SeparatingHyperplane(
        **question.subject(positive),
        weights=tuple(weights),
        lower_squared=point.squared_margin,
        combination=combination_of(vectors, point.order, point.numbers),
        upper_squared=point.squared_margin,
    )


def _rounded(weights: Weights) -> Floats:
    """Return weights as floats; integers are divided by the largest."""
    if isinstance(weights, np.ndarray):
        return weights
    largest = max(abs(weight) for weight in weights)
    return np.array([float(Fraction(weight, largest)) for weight in weights])


def mistake_bound(
    certificate: SeparatingHyperplane,
    radius: float,
    *,
    required: Fraction = _ZERO,
) -> int:
    """Return the most mistakes a perceptron can make, from the augmented margin of a hyperplane.

    It starts from zero; a visit is a mistake if the score is at most ``required``, in units of its rate.
    """
    squared = certificate.lower_squared
    if certificate.margin == "affine":
        stored = certificate.weights
        numbers = stored if isinstance(stored, tuple) else stored.tolist()
        weights = [Fraction(number) for number in numbers]
        features = sum((weight * weight for weight in weights[:-1]), Fraction(0))
        squared = squared * features / (features + weights[-1] ** 2)
    squared_radius = Fraction(radius) ** 2 + 2 * required
    return most_mistakes(squared_radius, squared)


def most_mistakes(
    squared_radius: Fraction,
    squared_margin: Fraction,
) -> int:
    """Return the convergence theorem's bound as an integer, allowing for the rounding of updates.

    From zero weights, the theorem's two inequalities, M·γ ≤ u·w and ‖w‖² ≤ M·R² =: N², give M ≤ B with B
    = R²/γ². (If visits up to the score m are mistakes, 2·m is added to R².) Each update is off by at
    most r = 2**-53 of the length of the weights: M of them take at most M·r·N from the first, and
    multiply N by at most 1 + M·r/2, to first order. Together that is e = 3/2·M·r·N, and (M·γ - e)² ≤ N²
    gives M ≤ B + 2·e/γ, so with N ≤ M·γ, M ≤ B + 3·M²·r. This holds after every update, so up to B =
    2**48 no run exceeds B + 4·B²·r. (Above that, which no run will ever reach, the bound ignores
    rounding.) The number of mistakes is an integer, so the bound is rounded down.

    >>> most_mistakes(Fraction(1), Fraction(100, 23288)), most_mistakes(Fraction(26), Fraction(2, 9))
    (232, 117)
    """
    bound = squared_radius / squared_margin
    if bound >= 2**48:
        return math.floor(bound)
    return math.floor(bound + bound * bound / 2**51)


def combination_of(vectors: Vectors, order: Counts, numbers: Sequence[int]) -> Combination:
    """Return how often each vector counts, keyed by its row, or by its row and rival class."""
    if isinstance(vectors.rows, JointRows):
        return dict(zip(pairs_of(vectors.rows, order), numbers, strict=True))
    return dict(zip(order.tolist(), numbers, strict=True))


def pairs_of(rows: JointRows, order: Counts) -> list[tuple[int, int]]:
    """Return each vector's sample and rival class."""
    pairs = samples_and_rivals(rows, order)
    return list(zip(pairs.samples.tolist(), pairs.rivals.tolist(), strict=True))
