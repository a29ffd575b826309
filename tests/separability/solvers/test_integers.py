"""Exact linear algebra: against fractions, with and without python-flint."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from naive import rank
from rosenblatt import separate
from rosenblatt.core.types import LabelsLike, MatrixLike
from rosenblatt.separability.solvers import integers
from rosenblatt.separability.solvers.integers import (
    as_integers,
    combination,
    gram,
    null_vector,
    solve,
)
from strategies import labels, samples

WAYS = [pytest.param("flint", marks=pytest.mark.extra("flint")), "python"]


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a test with python-flint, and again without it."""
    _use(request.param, monkeypatch)
    return request.param


def _use(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if way == "python":
        monkeypatch.setattr(integers, "_flint", None)
    else:
        assert integers._flint is not None


def _times(matrix: list[list[int]], x: list[int]) -> list[int]:
    return [sum(a * b for a, b in zip(row, x, strict=True)) for row in matrix]


entries = st.integers(-5, 5) | st.integers(-(10**30), 10**30)


@st.composite
def square(draw: st.DrawFn) -> list[list[int]]:
    n = draw(st.integers(1, 5))
    pool = draw(st.sampled_from([st.integers(-2, 2), entries]))
    row = st.lists(pool, min_size=n, max_size=n)
    return draw(st.lists(row, min_size=n, max_size=n))


@st.composite
def rectangular(draw: st.DrawFn) -> list[list[int]]:
    n, d = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    return draw(
        st.lists(st.lists(st.integers(-3, 3), min_size=d, max_size=d), min_size=n, max_size=n)
    )


# Floats as integers.

finite = st.floats(allow_nan=False, allow_infinity=False)


@given(
    hnp.arrays(np.float64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=4), elements=finite)
)
def test_every_float_is_an_integer_number_of_units(values: np.ndarray) -> None:
    numbers, exponent = as_integers(values)
    for row, own in zip(numbers, values.tolist(), strict=True):
        assert [number * Fraction(2) ** exponent for number in row] == [Fraction(v) for v in own]
    nonzero = [number for row in numbers for number in row if number]
    assert not nonzero or any(number % 2 for number in nonzero)  # a larger unit is not possible


@pytest.mark.parametrize(
    ("value", "number", "exponent"),
    [
        (0.0, 0, 0),
        (-0.0, 0, 0),
        (1.0, 1, 0),
        (-6.0, -3, 1),
        (5e-324, 1, -1074),
        (-5e-324, -1, -1074),
        (1.5e-323, 3, -1074),
        (2.0**-1022, 1, -1022),
        (2.0**1023, 1, 1023),
        (float(2**53 - 1), 2**53 - 1, 0),
        (-float(2**53 - 1), -(2**53) + 1, 0),
        (0.1, 3602879701896397, -55),
    ],
)
def test_single_floats(value: float, number: int, exponent: int) -> None:
    assert as_integers(np.array([[value]])) == ([[number]], exponent)


# Systems.


@given(rectangular())
def test_products_of_rows(matrix: list[list[int]]) -> None:
    expected = [_times(matrix, row) for row in matrix]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(integers, "_flint", None)
        assert gram(matrix) == expected
    assert gram(matrix) == expected


@given(rectangular(), st.lists(entries, min_size=5, max_size=5))
def test_combinations(matrix: list[list[int]], factors: list[int]) -> None:
    factors = factors[: len(matrix)]
    columns = [list(column) for column in zip(*matrix, strict=True)]
    assert combination(factors, matrix) == _times(columns, factors)


def _check_solution(matrix: list[list[int]], right: list[int]) -> tuple[list[int], int] | None:
    found = solve(matrix, right)
    if found is None:
        assert rank(matrix) < len(matrix)
        return None
    x, divisor = found
    assert rank(matrix) == len(matrix)
    assert divisor > 0
    assert all(type(entry) is int for entry in [*x, divisor])
    assert _times(matrix, x) == [divisor * b for b in right]
    return found


@given(square(), st.lists(entries, min_size=5, max_size=5))
def test_solutions(matrix: list[list[int]], right: list[int]) -> None:
    right = right[: len(matrix)]
    found = _check_solution(matrix, right)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(integers, "_flint", None)
        assert _check_solution(matrix, right) == found


@given(rectangular())
def test_null_vectors(matrix: list[list[int]]) -> None:
    assume(rank(matrix) < len(matrix[0]))
    found = null_vector(matrix)
    assert any(found)
    assert _times(matrix, found) == [0] * len(matrix)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(integers, "_flint", None)
        assert null_vector(matrix) == found


@pytest.mark.parametrize(
    ("matrix", "right", "expected"),
    [
        ([[2]], [4], ([2], 1)),
        ([[-2]], [3], ([-3], 2)),
        ([[0]], [1], None),
        ([[0, 1], [1, 0]], [5, 7], ([7, 5], 1)),
        ([[1, 2], [3, 6]], [1, 3], None),
        ([[1, 2], [3, 4]], [0, 0], ([0, 0], 1)),
    ],
)
def test_small_systems(
    way: str, matrix: list[list[int]], right: list[int], expected: tuple[list[int], int] | None
) -> None:
    assert solve(matrix, right) == expected, way


def test_a_hilbert_matrix(way: str) -> None:
    # At this size floats have no correct digit.
    n = 14
    scale = 1
    for k in range(1, 2 * n):
        scale = scale * k // np.gcd(scale, k) if scale < 2**31 else scale * k
    matrix = [[int(Fraction(scale, i + j + 1)) for j in range(n)] for i in range(n)]
    x = [(-1) ** k * k for k in range(n)]
    assert solve(matrix, _times(matrix, x)) == (x, 1), way


# Complete searches: the same answers with python-flint and without.


def _answers(X: MatrixLike, y: LabelsLike, **options: object) -> list[object]:
    s = separate(X, y, exact=True, **options)
    results = [*s.by_class.values(), s.joint] if hasattr(s, "joint") else [s]
    return [
        (
            one.verdict,
            one.squared_margin,
            one.margin,
            one.mistake_bound,
            one.support.tolist(),
            one.conflicts,
            one.certificate.to_json(),
        )
        for one in results
    ]


@pytest.mark.extra("flint")
@given(st.data(), st.sampled_from([{}, {"fit_intercept": False}, {"margin": "affine"}]))
def test_the_same_answers_without_flint(data: st.DataObject, options: dict) -> None:
    X = data.draw(samples(max_rows=7, max_columns=4))
    y = data.draw(labels(len(X), [0, 1, 2][: data.draw(st.integers(2, 3))]))
    with_flint = _answers(X, y, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(integers, "_flint", None)
        assert _answers(X, y, **options) == with_flint


@pytest.mark.extra("flint")
@pytest.mark.parametrize("separable", [True, False])
@pytest.mark.parametrize("sparse", [True, False])
def test_the_same_answers_without_flint_on_larger_problems(
    separable: bool, sparse: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    X: MatrixLike = rng.normal(size=(200, 14))
    y = (X[:, 0] > 0.2).astype(int) if separable else rng.integers(0, 2, 200)
    X = sp.csr_matrix(X) if sparse else X
    with_flint = _answers(X, y)
    monkeypatch.setattr(integers, "_flint", None)
    assert _answers(X, y) == with_flint
    assert with_flint[0][0].name == ("SEPARABLE" if separable else "INSEPARABLE")
