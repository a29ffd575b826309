"""The exact nearest point: from any start, against brute force."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hulls import affine_gamma_squared, combined, gamma_squared, signed, squared
from rosenblatt.core.compiling import working_time
from rosenblatt.kernels.rows import as_rows
from rosenblatt.separability.signed_samples import Vectors
from rosenblatt.separability.solvers.exact_active_set import ExactPoint, nearest_point, zero_point
from strategies import INTEGERS, MAGNITUDES, TENTHS, labels, matrices


def _vectors(X: np.ndarray, signs: np.ndarray, *, affine: bool, constant: float = 1.0) -> Vectors:
    rows = as_rows(X, 0.0 if affine else constant)
    return Vectors(rows, signs.astype(np.int8), X.shape[1] + 1, 2 if affine else 1)


def _written_out(X: np.ndarray, signs: np.ndarray, *, affine: bool) -> list[list[Fraction]]:
    Z = signed(X, signs.tolist(), constant=not affine)
    return [[*z, Fraction(0)] for z in Z] if affine else Z


def _check_point(point: ExactPoint, Z: list[list[Fraction]], signs: np.ndarray, m: int) -> None:
    """Check the combination, the weights and the floors, and that no vector is below them."""
    unit = Fraction(2) ** point.exponent
    rows = point.order.tolist()
    assert rows == sorted(set(rows))
    assert min(point.numbers) > 0
    sums = [
        sum(n for i, n in zip(rows, point.numbers, strict=True) if m == 1 or signs[i] == sign)
        for sign in (1, -1)[:m]
    ]
    assert len(set(sums)) == 1
    total = combined(Z, dict(zip(rows, point.numbers, strict=True)))
    assert total == [weight * unit for weight in point.weights]
    mass = sum(point.numbers)
    assert point.squared_margin == squared(total) / mass**2
    floors = [
        min(
            sum((a * b for a, b in zip(z, point.weights, strict=True)), Fraction(0))
            for z, sign in zip(Z, signs, strict=True)
            if m == 1 or sign == (1, -1)[g]
        )
        for g in range(m)
    ]
    if point.squared_margin > 0:
        assert [floor * unit for floor in point.floors] == floors


@st.composite
def starts(draw: st.DrawFn, pool: list[float]) -> dict[str, object]:
    X = draw(matrices(pool, st.integers(2, 6), st.integers(1, 2)))
    y = draw(labels(len(X), [1, -1]))
    affine = draw(st.booleans())
    chosen = draw(st.lists(st.integers(0, len(X) - 1), unique=True, min_size=1))
    if affine:
        for sign in (1, -1):
            if sign not in y[chosen]:
                chosen.append(int(np.flatnonzero(y == sign)[0]))
    weights = draw(
        st.lists(st.floats(0.01, 1.0), min_size=len(chosen), max_size=len(chosen)).map(np.array)
    )
    return {"X": X, "signs": y, "affine": affine, "order": np.array(chosen), "weights": weights}


def _check_from_any_start(start: dict[str, object]) -> None:
    X, signs, affine = start["X"], start["signs"], start["affine"]
    vectors = _vectors(X, signs, affine=affine)
    point = nearest_point(vectors, start["order"], start["weights"], math.inf)
    assert point is not None
    Z = _written_out(X, signs, affine=affine)
    expected = affine_gamma_squared(X, signs.tolist()) if affine else gamma_squared(Z)
    assert point.squared_margin == expected
    _check_point(point, Z, signs, 2 if affine else 1)


@given(starts(INTEGERS))
def test_from_any_start_with_integers(start: dict[str, object]) -> None:
    _check_from_any_start(start)


@settings(max_examples=40)
@given(starts(TENTHS))
def test_from_any_start_with_tenths(start: dict[str, object]) -> None:
    _check_from_any_start(start)


@settings(max_examples=40)
@given(starts(MAGNITUDES))
def test_from_any_start_with_wide_ranges(start: dict[str, object]) -> None:
    _check_from_any_start(start)


@pytest.mark.slow
@settings(max_examples=1000)
@given(st.sampled_from([INTEGERS, TENTHS, MAGNITUDES]).flatmap(starts))
def test_from_any_start_on_many_examples(start: dict[str, object]) -> None:
    _check_from_any_start(start)


def test_deadline_in_the_past_gives_no_point() -> None:
    vectors = _vectors(np.eye(3), np.array([1, -1, 1]), affine=False)
    assert nearest_point(vectors, np.arange(3), np.ones(3), working_time() - 1) is None


def test_dependent_support_is_reduced() -> None:
    # Start with all vectors: far more than can be independent.
    X = np.array([[float(a), float(b)] for a in range(4) for b in range(4)])
    signs = np.where(X.sum(axis=1) > 2.5, 1, -1)
    vectors = _vectors(X, signs, affine=False)
    point = nearest_point(vectors, np.arange(16), np.ones(16), math.inf)
    assert point is not None
    assert len(point.order) <= 3
    _check_point(point, _written_out(X, signs, affine=False), signs, 1)


@pytest.mark.parametrize("affine", [False, True])
def test_a_zero_is_found_with_its_weights(affine: bool) -> None:
    # (1, 1) is a third of the way from (0, 0) to (3, 3).
    X, signs = np.array([[0.0, 0.0], [3.0, 3.0], [1.0, 1.0]]), np.array([1, 1, -1])
    vectors = _vectors(X, signs, affine=affine)
    for found in (
        zero_point(vectors, np.arange(3)),
        nearest_point(vectors, np.arange(3), np.ones(3), math.inf),
    ):
        assert found is not None
        assert found.squared_margin == 0
        assert (found.order.tolist(), found.numbers) == ([0, 1, 2], [2, 1, 3])
        _check_point(found, _written_out(X, signs, affine=affine), signs, 2 if affine else 1)


@given(starts(INTEGERS))
def test_a_zero_point_is_one(start: dict[str, object]) -> None:
    X, signs, affine = start["X"], start["signs"], start["affine"]
    found = zero_point(_vectors(X, signs, affine=affine), np.sort(start["order"]))
    if found is not None:
        assert found.squared_margin == 0
        _check_point(found, _written_out(X, signs, affine=affine), signs, 2 if affine else 1)
        assert set(found.order.tolist()) <= set(start["order"].tolist())


def test_separable_vectors_have_no_zero_point() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6, 5))
    signs = np.array([1, -1, 1, -1, 1, -1])
    for affine in (False, True):
        assert zero_point(_vectors(X, signs, affine=affine), np.arange(6)) is None


@pytest.mark.parametrize("affine", [False, True])
def test_hundreds_of_vectors_from_a_single_one(affine: bool) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 4))
    signs = np.where(X @ [1.0, 2.0, 0.0, 1.0] > 0.3, 1, -1)
    vectors = _vectors(X, signs, affine=affine)
    order = np.array([int(np.flatnonzero(signs == sign)[0]) for sign in (1, -1)])
    point = nearest_point(vectors, order, np.ones(2), math.inf)
    assert point is not None
    _check_point(point, _written_out(X, signs, affine=affine), signs, 2 if affine else 1)
