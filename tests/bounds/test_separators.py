"""The class of separators with a margin: empty or not, against brute force, and how small."""

import dataclasses
import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import hulls
from rosenblatt import HullIntersection, InputError, SeparatingHyperplane, separate
from rosenblatt.bounds import Emptiness, margin_class
from rosenblatt.core.types import LabelsLike, MatrixLike
from strategies import INTEGERS, TENTHS, labels, matrices

SETTINGS = [("augmented", True), ("augmented", False), ("affine", True)]


@st.composite
def problems(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, str, bool]:
    pool = draw(st.sampled_from([INTEGERS, TENTHS]))
    X = draw(matrices(pool, st.integers(2, 5), st.integers(1, 3)))
    return X, draw(labels(len(X), [-1, 1])), *draw(st.sampled_from(SETTINGS))


def true_square(X: MatrixLike, y: LabelsLike, kind: str, fit_intercept: bool) -> Fraction:
    if kind == "affine":
        return hulls.affine_gamma_squared(X, y.tolist())
    return hulls.gamma_squared(hulls.signed(X, y.tolist(), constant=fit_intercept))


@settings(max_examples=40)
@given(
    problems(),
    st.one_of(
        st.sampled_from([Fraction(1), Fraction(999_999, 1_000_000), Fraction(1_000_001, 10**6)]),
        st.fractions(Fraction(1, 100), 3, max_denominator=100),
    ),
)
def test_class_is_empty_just_above_the_maximum_margin(
    problem: tuple[np.ndarray, np.ndarray, str, bool], factor: Fraction
) -> None:
    X, y, kind, fit_intercept = problem
    square = true_square(X, y, kind, fit_intercept)
    # If the maximum margin is a float, this scales it by one unit in the last place.
    margin = Fraction(math.sqrt(square)) * factor if square else factor
    found = margin_class(X, y, margin, kind=kind, fit_intercept=fit_intercept)
    assert found.is_empty == (margin**2 > square)
    assert found.margin == margin
    assert found.verify(X, y)
    assert Fraction(found.max_margin.lower) ** 2 <= square <= Fraction(found.max_margin.upper) ** 2
    if found.is_empty:
        assert found.center is found.cosine is found.angle is None
        if isinstance(found.certificate, SeparatingHyperplane):
            assert found.certificate.upper_squared < margin**2
        else:
            assert isinstance(found.certificate, HullIntersection)
            assert square == 0
    else:
        assert found.certificate.lower_squared >= margin**2
        assert found.cosine == pytest.approx(float(margin) / math.sqrt(square), rel=1e-5)
        assert math.cos(found.angle) == pytest.approx(found.cosine, abs=1e-7)


@settings(max_examples=60)
@given(problems(), st.integers(0, 2**32 - 1))
def test_every_member_is_near_the_center(
    problem: tuple[np.ndarray, np.ndarray, str, bool], seed: int
) -> None:
    X, y, kind, fit_intercept = problem
    best = separate(X, y, margin=kind, fit_intercept=fit_intercept)
    assume(isinstance(best.certificate, SeparatingHyperplane))
    star = np.append(best.coef, best.intercept) if fit_intercept else best.coef
    generator = np.random.default_rng(seed)
    for spread in (1e-3, 0.1, 0.5, 2.0):
        w = star + spread * np.linalg.norm(star) * generator.standard_normal(len(star))
        margin, unit = _margin(X, y, w, kind, fit_intercept=fit_intercept)
        if margin > 1e-6:
            found = margin_class(X, y, margin, kind=kind, fit_intercept=fit_intercept)
            if found.is_empty:  # by rounding of the last digit
                assert margin == pytest.approx(found.max_margin.upper, rel=1e-12)
                continue
            assert unit @ found.center >= found.cosine - 1e-9
            assert math.acos(min(1.0, unit @ found.center)) <= found.angle + 1e-4


def _margin(
    X: np.ndarray, y: np.ndarray, w: np.ndarray, kind: str, *, fit_intercept: bool
) -> tuple[float, np.ndarray]:
    """Return a vector's margin, and its direction."""
    if kind == "augmented":
        Z = np.column_stack([X, np.ones(len(X))]) if fit_intercept else X
        unit = w / np.linalg.norm(w)
        return float((y * (Z @ unit)).min()), unit
    unit = w[:-1] / np.linalg.norm(w[:-1])
    scores = X @ unit
    return float(scores[y > 0].min() - scores[y < 0].max()) / 2, unit


@settings(max_examples=20)
@given(problems())
def test_class_shrinks_as_the_margin_grows(
    problem: tuple[np.ndarray, np.ndarray, str, bool],
) -> None:
    X, y, kind, fit_intercept = problem
    square = float(true_square(X, y, kind, fit_intercept))
    assume(square > 0)
    classes = [
        margin_class(X, y, part * math.sqrt(square), kind=kind, fit_intercept=fit_intercept)
        for part in (0.1, 0.5, 0.9, 1.1)
    ]
    assert [one.is_empty for one in classes] == [False, False, False, True]
    assert classes[0].angle > classes[1].angle > classes[2].angle
    bounds = [one.dimension_bound for one in classes]
    assert bounds == sorted(bounds, reverse=True)


@settings(max_examples=60)
@given(matrices([*INTEGERS, *TENTHS], st.integers(1, 8), st.integers(1, 4)), st.booleans())
def test_some_signs_make_a_short_sum(X: np.ndarray, balanced: bool) -> None:
    """Check the lemma behind the bound on shattered points: all signs, or those that sum to 0."""
    X = X[: len(X) // 2 * 2] if balanced else X
    assume(len(X) > 0)
    m, longest = len(X), (X * X).sum(axis=1).max()
    sums = [
        np.array(signs) @ X
        for signs in product((-1, 1), repeat=m)
        if not balanced or sum(signs) == 0
    ]
    shortest = min(float(s @ s) for s in sums)
    allowed = m * m * longest / (m - 1) if balanced else m * longest
    assert shortest <= allowed * (1 + 1e-12)


@pytest.mark.parametrize("m", [1, 2, 3, 5])
def test_orthonormal_points_attain_the_bound(m: int) -> None:
    """They are shattered by w = Σ b_i·x_i/√m at scale 1/√m, with levels 0, and 1/γ² = m."""
    X = np.eye(m)
    for signs in product((-1, 1), repeat=m):
        assert (np.array(signs) * (X @ np.array(signs)) / math.sqrt(m) >= 1 / math.sqrt(m)).all()
    if m > 1:
        just_below = Fraction(math.isqrt(10**40 // m), 10**20)
        wide = np.eye(m + 3)[:m]
        found = margin_class(wide, np.arange(m) % 2, just_below, fit_intercept=False)
        assert found.verdict is Emptiness.NONEMPTY
        assert found.dimension_bound == m


def test_square_root_of_two_is_decided_exactly() -> None:
    X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    root = Fraction(math.isqrt(2 * 10**60), 10**30)
    below = margin_class(X, y, root, kind="affine")
    above = margin_class(X, y, root + Fraction(1, 10**30), kind="affine")
    assert (below.verdict, above.verdict) == (Emptiness.NONEMPTY, Emptiness.EMPTY)
    assert below.verify(X, y)
    assert above.verify(X, y)
    assert below.angle < 1e-7
    assert below.radius == pytest.approx(5)


def test_sparse_and_dense_are_the_same() -> None:
    X, y = np.array([[0.0, 2.0], [0.5, 0.0], [3.0, 1.0]]), np.array(["a", "b", "b"])
    dense, sparse = margin_class(X, y, 0.1), margin_class(sp.csr_array(X), y, 0.1)
    assert dense.verdict is sparse.verdict is Emptiness.NONEMPTY
    assert np.array_equal(dense.center, sparse.center)
    assert (dense.cosine, dense.dimension_bound) == (sparse.cosine, sparse.dimension_bound)


def test_changed_certificate_does_not_verify() -> None:
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 1]
    found = margin_class(X, y, 0.1)
    assert found.verify(X, y)
    assert not found.verify([[0.0], [1.0], [0.1]], y)
    for changes in (
        {"verdict": Emptiness.EMPTY},
        {"verdict": Emptiness.UNDECIDED},
        {"margin": Fraction(1)},
        {"certificate": None},
    ):
        assert not dataclasses.replace(found, **changes).verify(X, y)


def test_undecided_without_time() -> None:
    generator = np.random.default_rng(0)
    X = generator.standard_normal((300, 100))
    y = (X @ np.ones(100) > 0).astype(int)
    known = separate(X, y).margin
    middle = Fraction(known.lower) + Fraction(known.upper - known.lower) / 2
    found = margin_class(X, y, middle, time_limit=1e-9)
    assert found.verdict is Emptiness.UNDECIDED
    assert found.is_empty is None
    assert not found.verify(X, y)
    assert repr(found).startswith("<UNDECIDED: margin ")


def test_wrong_input() -> None:
    X, y = [[0.0], [1.0]], [0, 1]
    for margin in (0, -1.0, math.nan, math.inf, "1", True, None):
        with pytest.raises(InputError, match="margin="):
            margin_class(X, y, margin)
    with pytest.raises(InputError, match="kind='geometric' is not accepted"):
        margin_class(X, y, 1.0, kind="geometric")
    with pytest.raises(InputError, match="kind='affine' needs an intercept"):
        margin_class(X, y, 1.0, kind="affine", fit_intercept=False)
    with pytest.raises(InputError, match="3 classes"):
        margin_class([[0.0], [1.0], [2.0]], [0, 1, 2], 1.0)
    with pytest.raises(InputError, match="y has only one class"):
        margin_class(X, [1, 1], 1.0)
