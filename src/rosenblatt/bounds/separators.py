"""The class of separators with a margin of at least γ: whether it is empty, and how small it is.

H_γ is the set of unit vectors w with y_i·w·x_i ≥ γ on every sample. With an intercept x_i is the
extended sample (x_i, 1); or, for the affine margin, y_i·(w·x_i + b) ≥ γ with a free bias b. H_γ is empty
if and only if γ is above the maximum margin γ*, and shrinks as γ grows.

Is it empty? A separator with a margin ≥ γ proves that it is not. Weights c_i ≥ 0 of sum 1 whose point p
= Σ c_i·y_i·x_i is shorter than γ prove that it is, because w·p ≥ γ would require ‖p‖ ≥ γ. (For the
affine margin each class has half of the weights, so that the bias cancels.)

How small is it?

- All members point in nearly the same direction. γ ≤ Σ c_i·y_i·w·x_i = w·p, so the cosine of the angle
  between any member w and p is at least γ/‖p‖. The shortest p is γ*·w*, with the best separator w*: so
  cos(w, w*) ≥ γ/γ*.
- Its complexity does not grow with the dimension. Linear functions w·x with ‖w‖ ≤ 1, on samples no
  longer than R, shatter at scale γ at most (R/γ)² points x_1..x_m: shattered means that there are
  levels r_i such that every choice of signs b_i has a w with b_i·(w·x_i - r_i) ≥ γ for all i. (P.
  Bartlett and J. Shawe-Taylor, Generalization performance of support vector machines and other
  pattern classifiers, 1999.) The proof: sum over i for the signs b or for -b, whichever has
  Σ b_i·r_i ≥ 0: then m·γ ≤ ‖Σ b_i·x_i‖. The mean of ‖Σ b_i·x_i‖² over all signs is Σ‖x_i‖² ≤ m·R², so
  m²·γ² ≤ m·R².
- With a free bias the same proof uses signs that sum to 0, so that the bias cancels: for an even m the
  mean is at most m²·R²/(m - 1), so m ≤ (R/γ)² + 1. An odd m may be one larger.
- In d dimensions, including the constant's, at most d points are shattered at any scale.
"""

import math
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from numbers import Rational
from typing import final

import numpy as np

from rosenblatt.bounds.sample_radius import radius
from rosenblatt.certificates import HullIntersection, SeparatingHyperplane
from rosenblatt.certificates.combination import row_counts
from rosenblatt.certificates.rounding import sqrt_down
from rosenblatt.certificates.scope import MARGINS, Scope
from rosenblatt.core.checks import check_choice, positive
from rosenblatt.core.errors import InputError
from rosenblatt.core.labels import as_labels, distinct, signs_for
from rosenblatt.core.types import Floats, LabelsLike, MatrixLike, is_sparse
from rosenblatt.kernels.sparse_input import as_csr
from rosenblatt.separability.question import ask
from rosenblatt.separability.separate import separate_class
from rosenblatt.training.margins import Interval

_ROUNDING = 1.0 + 2.0**-50


class Emptiness(Enum):
    """Whether a separator has the given margin.

    >>> print(Emptiness.EMPTY)
    EMPTY: no separator of this kind has this margin, and a combination of samples proves it
    """

    NONEMPTY = "a separator of this kind has this margin"
    EMPTY = "no separator of this kind has this margin, and a combination of samples proves it"
    UNDECIDED = (
        "neither a separator with this margin nor a proof that none exists was found in time"
    )

    @property
    def sentence(self) -> str:
        """The sentence that explains this answer."""
        return str(self.value)

    def __str__(self) -> str:
        return f"{self.name}: {self.value}"


@final
@dataclass(frozen=True, eq=False)
class MarginClass:
    """The class of separators with at least a given margin.

    Attributes
    ----------
    scope : Scope
        Which separators this is about (without an intercept, only hyperplanes through the origin), and
        which margin.
    verdict : Emptiness
        EMPTY, NONEMPTY or UNDECIDED.
    margin : Fraction
        The given margin γ.
    max_margin : Interval
        The interval that contains the maximum margin γ*.
    certificate : SeparatingHyperplane, HullIntersection or None
        The proof: a separator whose margin is at least γ, or a combination of samples that is shorter
        than γ; `verify` checks it. None if nothing is known.
    radius : float
        The length of the longest sample, rounded up; without the constant for the affine margin.
    dimension_bound : int
        Linear functions of norm at most 1 with this radius shatter at most this many points at scale γ:
        min(⌊(radius/γ)²⌋, number of weights), or slightly more with a free bias.
    center : array or None
        The unit vector that all members are near, in floats; for the augmented margin its last entry is
        the constant's. None for an empty class.
    cosine, angle : float or None
        Every member w has w·center ≥ cosine: it is within this angle, in radians, of the center.
        Rounded so that this is true of the exact center, before its rounding to floats.
    """

    scope: Scope
    verdict: Emptiness
    margin: Fraction
    max_margin: Interval
    certificate: SeparatingHyperplane | HullIntersection | None
    radius: float
    dimension_bound: int
    center: Floats | None
    cosine: float | None
    angle: float | None

    @property
    def is_empty(self) -> bool | None:
        """Whether no separator has the margin; None when undecided."""
        return None if self.verdict is Emptiness.UNDECIDED else self.verdict is Emptiness.EMPTY

    def verify(self, X: MatrixLike, y: LabelsLike) -> bool:
        """Return whether the certificate is true of the samples and proves the verdict; exact."""
        verdict = _proved(self.certificate, self.margin)
        if self.certificate is None or verdict is Emptiness.UNDECIDED or verdict != self.verdict:
            return False
        return self.certificate.verify(X, y, exact=True)

    def __repr__(self) -> str:
        size = "" if self.angle is None else f", within {math.degrees(self.angle):.4g}° of a center"
        margin = f"margin {float(self.margin):.6g} of {self.max_margin} ({self.scope.margin_kind})"
        return f"<{self.verdict.name}: {margin}{size}>"


def margin_class(
    X: MatrixLike,
    y: LabelsLike,
    margin: float | Fraction,
    *,
    fit_intercept: bool = True,
    kind: str = "augmented",
    time_limit: float | None = None,
) -> MarginClass:
    """Decide whether any hyperplane separates two classes with this margin, and how similar all are.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples.
    y : array of n_samples labels
        Two classes.
    margin : float, int or Fraction
        The margin γ, above 0, used without rounding.
    fit_intercept : bool, default=True
        Allow any hyperplane, not only those through the origin.
    kind : {"augmented", "affine"}, default="augmented"
        The kind of margin, as in `separate`: that of the extended samples, or the distance of the
        samples from the hyperplane.
    time_limit : float or None, default=None
        Seconds for each of two searches: one in floats and, if γ is inside the interval that it proves,
        an exact one, which takes minutes if 500 samples support the margin.

    Returns
    -------
    MarginClass

    Examples
    --------
    >>> from fractions import Fraction
    >>> from rosenblatt.bounds import margin_class
    >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    >>> some = margin_class(X, y, 1, kind="affine")
    >>> some
    <NONEMPTY: margin 1 of [1.41421, 1.41422] (affine), within 45° of a center>
    >>> some.center.round(6), some.dimension_bound
    (array([0.707107, 0.707107]), 3)
    >>> margin_class(X, y, 1.4143, kind="affine").verdict.name
    'EMPTY'
    >>> some.verify(X, y)
    True
    """
    gamma = _exact(margin)
    check_choice("kind", kind, MARGINS)
    _check_labels(y)
    if kind == "affine" and fit_intercept is False:
        raise InputError("kind='affine' needs an intercept: use fit_intercept=True")
    question = ask(X, y, fit_intercept=fit_intercept, margin=kind, time_limit=time_limit)
    found = separate_class(question, question.classes[-1])
    if _proved(found.certificate, gamma) is Emptiness.UNDECIDED:
        found = separate_class(replace(question, exact=True), question.classes[-1])
    verdict = _proved(found.certificate, gamma)
    size = radius(X, fit_intercept=fit_intercept and kind == "augmented")
    certificate, center, cosine = found.certificate, None, None
    if verdict is not Emptiness.EMPTY and isinstance(certificate, SeparatingHyperplane):
        center, cosine = _center(X, y, certificate), _cosine(certificate, gamma)
    return MarginClass(
        scope=found.scope,
        verdict=verdict,
        margin=gamma,
        max_margin=found.margin,
        certificate=certificate,
        radius=size,
        dimension_bound=_dimension_bound(
            Fraction(size) ** 2 / gamma**2,
            np.shape(X)[1] + (1 if fit_intercept else 0),
            free_bias=kind == "affine",
        ),
        center=center,
        cosine=cosine,
        angle=None if cosine is None else math.acos(cosine) * _ROUNDING,
    )


def _exact(margin: object) -> Fraction:
    """Return the margin as a rational number; raise InputError unless it is above 0."""
    number = positive("margin", margin)
    if isinstance(margin, Rational):
        return Fraction(int(margin.numerator), int(margin.denominator))
    return Fraction(number)


def _check_labels(y: LabelsLike) -> None:
    labels = np.asarray(as_labels(y))
    n_classes = len(distinct(labels)) if labels.ndim == 1 else 2
    if n_classes > 2:
        raise InputError(f"y has {n_classes} classes: margin_class is for two")


def _proved(
    certificate: SeparatingHyperplane | HullIntersection | None, gamma: Fraction
) -> Emptiness:
    """Return what a certificate proves about the margin, if it is true."""
    if isinstance(certificate, HullIntersection):
        return Emptiness.EMPTY
    if certificate is None:
        return Emptiness.UNDECIDED
    if certificate.lower_squared >= gamma**2:
        return Emptiness.NONEMPTY
    upper = certificate.upper_squared
    return Emptiness.EMPTY if upper is not None and upper < gamma**2 else Emptiness.UNDECIDED


def _cosine(certificate: SeparatingHyperplane, gamma: Fraction) -> float:
    """Return γ divided by the length of the combination, rounded down."""
    assert certificate.upper_squared is not None
    return min(1.0, sqrt_down(gamma**2 / certificate.upper_squared))


def _center(X: MatrixLike, y: LabelsLike, certificate: SeparatingHyperplane) -> Floats:
    """Return the direction of the certificate's combination of samples."""
    counts = row_counts(certificate.combination or {})
    rows, total = list(counts), sum(counts.values())
    signs = signs_for(np.asarray(y), certificate.positive)[rows]
    shares = signs * np.array([count / total for count in counts.values()])
    samples = (as_csr(X) if is_sparse(X) else np.asarray(X))[rows].astype(np.float64)
    point = np.asarray(samples.T @ shares)
    if certificate.constant and certificate.margin == "augmented":
        point = np.append(point, certificate.constant * shares.sum())
    out: Floats = point / np.linalg.norm(point)
    return out


def _dimension_bound(squared_ratio: Fraction, n_weights: int, *, free_bias: bool) -> int:
    """Return the largest number of points that can be shattered, from (radius/γ)².

    >>> _dimension_bound(Fraction(9, 2), 10, free_bias=False)
    4
    >>> _dimension_bound(Fraction(9, 2), 10, free_bias=True)
    5
    """
    most = math.floor(squared_ratio)
    if free_bias:
        most = (most + 1) // 2 * 2 + 1
    return min(most, n_weights)
