"""From a decision to what the user is told: the verdict, its certificate, and what follows from it."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from rosenblatt.certificates import HullIntersection, SeparatingHyperplane
from rosenblatt.certificates.combination import Combination, rows_of
from rosenblatt.certificates.rounding import Weights
from rosenblatt.core.types import Counts, Floats, LabelLike
from rosenblatt.separability.conflicts import Conflict
from rosenblatt.separability.decide import Decision
from rosenblatt.separability.question import Question
from rosenblatt.separability.result import Separation
from rosenblatt.separability.signed_samples import Vectors, whole_weights
from rosenblatt.separability.solvers.exact_active_set import ExactPoint
from rosenblatt.separability.solvers.kesler_rows import JointRows, samples_and_rivals
from rosenblatt.separability.verdicts import Verdict
from rosenblatt.training.margins import Interval


def _radius(question: Question, vectors: Vectors) -> float:
    """Return the length of the longest vector, with the constant, rounded up."""
    longest = float(vectors.lengths.max())
    if vectors.n_groups == 2:
        longest = math.hypot(longest, question.constant)
    return math.nextafter(longest * (1.0 + (vectors.n_terms + 8) * 2.0**-52), math.inf)


def inseparable(
    question: Question,
    positive: LabelLike,
    vectors: Vectors,
    conflicts: tuple[Conflict, ...],
    combination: Combination,
    decision: Decision | None = None,
) -> Separation:
    """Return the separation that a combination of samples, which is zero, rules out."""
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
    """Return the separation that a decision proves, if it does."""
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
        mistake_bound=_mistake_bound(radius, certificate),
        certificate=certificate,
        coef=coef[0] if binary else coef,
        intercept=float(intercept[0]) if binary else intercept,
        support=np.array(rows_of(certificate.combination or {}), dtype=np.int64),
        history_=decision.history,
    )


def hyperplane(
    question: Question, positive: LabelLike, vectors: Vectors, decision: Decision
) -> SeparatingHyperplane:
    """Return the certificate of weights in floats."""
    assert decision.weights is not None
    weights, lower = decision.weights.copy(), decision.interval.lower
    if vectors.n_groups == 2:
        weights[-1], lower = vectors.biased(weights)
    order, numbers = whole_weights(vectors, decision.order, decision.shares)
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
    """Return the certificate of weights in whole numbers."""
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
    """Return weights as floats of moderate size."""
    if isinstance(weights, np.ndarray):
        return weights
    largest = max(abs(weight) for weight in weights)
    return np.array([float(Fraction(weight, largest)) for weight in weights])


def _mistake_bound(radius: float, certificate: SeparatingHyperplane) -> int:
    """Return (radius / margin)², rounded up, with the augmented margin of the hyperplane itself.

    Updates are rounded: M of them, each by at most u = 2**-53 of the weights' length, which is at most
    radius·√M, let the theorem's inequality slip by 5/3·M·u, which up to 2**51 mistakes is paid for by
    bound²/2**51. (Beyond, where no run will ever come, the bound is that of updates without rounding.) A
    hair above a whole number is rounding too, and mistakes are whole: then that number is the bound.
    """
    squared = certificate.lower_squared
    if certificate.margin == "affine":
        stored = certificate.weights
        plain = stored if isinstance(stored, tuple) else stored.tolist()
        weights = [Fraction(weight) for weight in plain]
        features = sum((weight * weight for weight in weights[:-1]), Fraction(0))
        squared = squared * features / (features + weights[-1] ** 2)
    bound = Fraction(radius) ** 2 / squared
    if bound < 2**51:
        bound += bound * bound / 2**51
    return math.floor(bound) if bound - math.floor(bound) < 1e-6 else math.ceil(bound)


def combination_of(vectors: Vectors, order: Counts, numbers: Sequence[int]) -> Combination:
    """Return how often each vector counts, by its row, or by its row and rival class."""
    if isinstance(vectors.rows, JointRows):
        return dict(zip(pairs_of(vectors.rows, order), numbers, strict=True))
    return dict(zip(order.tolist(), numbers, strict=True))


def pairs_of(rows: JointRows, order: Counts) -> list[tuple[int, int]]:
    """Return the sample and the rival class that each vector stands for."""
    pairs = samples_and_rivals(rows, order)
    return list(zip(pairs.samples.tolist(), pairs.rivals.tolist(), strict=True))
