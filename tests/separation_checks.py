"""Helpers for tests of `separate`: settings, random problems, and checks of results."""

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from hulls import signed, squared
from rosenblatt import HullIntersection, SeparatingHyperplane, Separation, Verdict, separate
from rosenblatt.certificates import from_json
from rosenblatt.core.types import LabelsLike, MatrixLike
from strategies import labels, matrices, samples

Options = dict[str, object]

SETTINGS: list[Options] = [{"fit_intercept": False}, {"fit_intercept": True}, {"margin": "affine"}]
ALSO_EXACT: list[Options] = [{**one, "exact": exact} for one in SETTINGS for exact in (False, True)]

# Four separable samples, and another that makes them inseparable.
X = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 1.0], [5.0, 3.0]])
y = np.array([0, 0, 1, 1])
BETWEEN = np.array([[4.5, 2.0]])

SMALLEST = 5e-324


class Problem(NamedTuple):
    X: np.ndarray
    y: np.ndarray

    @property
    def signs(self) -> list[int]:
        return np.where(self.y == 1, 1, -1).tolist()


@st.composite
def problems(draw: st.DrawFn, pool: list[float] | None = None) -> Problem:
    own = samples() if pool is None else matrices(pool, st.integers(2, 7), st.integers(1, 4))
    X = draw(own)
    return Problem(X, draw(labels(len(X), [0, 1])))


def is_proved(s: Separation, X: MatrixLike, y: LabelsLike) -> bool:
    """Return whether the certificate is true, of the right kind, and consistent with the result."""
    certificate = s.certificate
    if s.verdict is Verdict.SEPARABLE:
        kind: type = SeparatingHyperplane
        lower, upper = Fraction(s.margin.lower), Fraction(s.margin.upper)
        is_consistent = (
            lower > 0
            and lower**2 <= certificate.lower_squared
            and certificate.upper_squared <= upper**2
        )
    else:
        kind = HullIntersection
        is_consistent = s.margin == (0.0, 0.0) and s.squared_margin == 0 and bool(s.conflicts)
    return (
        type(certificate) is kind
        and is_consistent
        and certificate.falsehood(X, y) is None
        and certificate.falsehood(X, y, exact=True) is None
    )


def is_closed(s: Separation, tolerance: float) -> bool:
    """Return whether the interval is within the tolerance, or two neighboring floats."""
    lower, upper = s.margin
    return upper - lower <= tolerance * upper or math.nextafter(lower, math.inf) == upper


def check_proofs(problem: Problem, options: Options) -> None:
    s = separate(problem.X, problem.y, **options)
    assert s.verdict is not Verdict.UNDECIDED
    assert is_proved(s, problem.X, problem.y)
    assert from_json(s.certificate.to_json()).verify(problem.X, problem.y)
    assert is_closed(s, 1e-6)
    constant = options.get("fit_intercept", True)
    longest = max(squared(z) for z in signed(problem.X, problem.signs, constant=constant))
    assert longest <= Fraction(s.radius) ** 2
    less = max(Fraction(0), Fraction(s.radius) * Fraction(999_999, 1_000_000) - Fraction(SMALLEST))
    assert less**2 <= longest
    if options.get("exact"):
        assert s.squared_margin is not None
    if s.squared_margin:
        assert s.certificate.lower_squared == s.certificate.upper_squared == s.squared_margin
