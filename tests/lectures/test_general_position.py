"""General position and all labelings, against brute force in rational arithmetic and known counts."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import hulls
from naive import rank
from rosenblatt import InputError, Verdict, separate
from rosenblatt.core.types import MatrixLike
from rosenblatt.lectures.counting import count_dichotomies
from rosenblatt.lectures.general_position import in_general_position, separable_dichotomies


def naive(X: MatrixLike, *, constant: bool) -> list[tuple[int, ...]]:
    return [
        labels
        for labels in product((-1, 1), repeat=len(X))
        if hulls.is_separable(hulls.signed(X, labels, constant=constant))
    ]


def check(X: MatrixLike, *, fit_intercept: bool) -> list[tuple[int, ...]]:
    """Return the labelings, after checking their weights and order."""
    found = list(separable_dichotomies(X, fit_intercept=fit_intercept))
    for labels, weights in found:
        for z in hulls.signed(X, labels, constant=fit_intercept):
            assert sum(a * w for a, w in zip(z, weights, strict=True)) > 0
    listed = [one.labels for one in found]
    assert listed == sorted(set(listed))
    return listed


@st.composite
def tables(draw: st.DrawFn) -> list[list[float]]:
    width = draw(st.integers(1, 3))
    value = draw(st.sampled_from([st.integers(-2, 2), st.sampled_from([-0.3, 0.1, 0.2, 0.7])]))
    row = st.lists(value, min_size=width, max_size=width)
    return draw(st.lists(row, min_size=1, max_size=5))


@settings(max_examples=60, deadline=None)
@given(tables(), st.booleans())
def test_all_labelings_are_found(X: list[list[float]], fit_intercept: bool) -> None:
    listed = check(X, fit_intercept=fit_intercept)
    assert listed == naive(X, constant=fit_intercept)
    bound = count_dichotomies(len(X), len(X[0]), fit_intercept=fit_intercept)
    assert len(listed) <= bound
    # Cover's theorem, and its converse.
    position = in_general_position(X, fit_intercept=fit_intercept)
    assert (len(listed) == bound) == bool(position)


@pytest.mark.parametrize(("n", "count"), [(1, 4), (2, 14), (3, 104), (4, 1882)])
def test_counts_of_threshold_functions(n: int, count: int) -> None:
    assert len(check(list(product((0, 1), repeat=n)), fit_intercept=True)) == count


@pytest.mark.slow
def test_count_of_threshold_functions_of_five_inputs() -> None:
    cube = list(product((0, 1), repeat=5))
    assert sum(1 for _ in separable_dichotomies(cube, fit_intercept=True)) == 94_572


@pytest.mark.parametrize(("n_points", "width"), [(12, 2), (10, 3), (9, 4), (8, 6), (5, 7)])
def test_random_points_match_the_theorem(n_points: int, width: int) -> None:
    X = np.random.default_rng(n_points).standard_normal((n_points, width))
    assert len(check(X, fit_intercept=False)) == count_dichotomies(n_points, width)
    with_intercept = sum(1 for _ in separable_dichotomies(X, fit_intercept=True))
    assert with_intercept == count_dichotomies(n_points, width, fit_intercept=True)


def test_labelings_agree_with_separate() -> None:
    X = np.random.default_rng(7).integers(-3, 4, (7, 2)).astype(np.float64)
    listed = {one.labels for one in separable_dichotomies(X, fit_intercept=True)}
    for labels in product((-1, 1), repeat=7):
        if len(set(labels)) == 2:
            verdict = separate(X, np.array(labels)).verdict
            assert (verdict is Verdict.SEPARABLE) == (labels in listed)


def test_zero_points_and_points_on_one_line() -> None:
    assert list(separable_dichotomies([[0, 0], [1, 2]])) == []
    assert [one.labels for one in separable_dichotomies([[1], [1]])] == [(-1, -1), (1, 1)]
    assert [one.labels for one in separable_dichotomies([[1], [-2]])] == [(-1, 1), (1, -1)]


def test_too_many_labelings_are_refused_immediately() -> None:
    with pytest.raises(InputError, match="64 points in 7 dimensions, which may have"):
        separable_dichotomies(list(product((0, 1), repeat=6)), fit_intercept=True)
    with pytest.raises(InputError, match="fit_intercept="):
        separable_dichotomies([[1]], fit_intercept=0)


def all_subsets_independent(X: list[list[float]], *, constant: bool) -> bool:
    rows = [[Fraction(v) for v in [*row, *([1] if constant else [])]] for row in X]
    size = min(len(rows), len(rows[0]))
    return all(rank(list(subset)) == size for subset in combinations(rows, size))


@st.composite
def points(draw: st.DrawFn) -> list[list[float]]:
    width = draw(st.integers(1, 5))
    value = draw(
        st.sampled_from(
            [st.integers(-2, 2), st.integers(-40, 40), st.sampled_from([0.1, 0.2, 0.3])]
        )
    )
    row = st.lists(value, min_size=width, max_size=width)
    return draw(st.lists(row, min_size=1, max_size=8))


@settings(max_examples=150)
@given(points(), st.booleans())
def test_general_position_agrees_with_brute_force(
    X: list[list[float]], fit_intercept: bool
) -> None:
    position = in_general_position(X, fit_intercept=fit_intercept)
    assert bool(position) == all_subsets_independent(X, constant=fit_intercept)
    if position:
        assert position.subset == position.coefficients == ()
        assert position.sentence == "the points are in general position"
        return
    assert 1 <= len(position.subset) <= len(X[0]) + fit_intercept
    assert 0 not in position.coefficients
    rows = [
        [Fraction(v) for v in [*X[i], *([1] if fit_intercept else [])]] for i in position.subset
    ]
    for column in zip(*rows, strict=True):
        assert sum(c * v for c, v in zip(position.coefficients, column, strict=True)) == 0
    assert rank(rows) == len(rows) - 1


@pytest.mark.parametrize(("n_points", "width"), [(20, 4), (40, 3), (12, 9), (60, 2), (9, 8)])
def test_dependences_among_many_points_are_found(n_points: int, width: int) -> None:
    X = np.random.default_rng(0).integers(-(10**6), 10**6, (n_points, width))
    assert in_general_position(X)
    rows = [n_points - 1, *range(1, width)]
    X[rows[0]] = X[rows[1:]].sum(axis=0)
    assert in_general_position(X).subset == tuple(sorted(rows))


def test_random_points_are_in_general_position_at_any_scale() -> None:
    X = np.random.default_rng(3).standard_normal((20, 4))
    assert in_general_position(X)
    assert in_general_position(X * np.exp2(np.arange(-200, 200, 20))[:, None])
    assert in_general_position(X, fit_intercept=True)


def test_points_in_a_subspace_are_dependent() -> None:
    position = in_general_position([[1, 0, 1], [0, 1, 1], [1, 1, 2], [1, -1, 0]])
    assert (position.subset, position.coefficients) == ((0, 1, 2), (-1, -1, 1))
    assert position.sentence == "-row 0 - row 1 + row 2 is zero"


def test_too_many_points_are_refused_immediately() -> None:
    X = np.random.default_rng(0).standard_normal((200, 20))
    with pytest.raises(InputError, match="200 points in 20 dimensions, which takes"):
        in_general_position(X)
    with pytest.raises(InputError, match="fit_intercept="):
        in_general_position([[1]], fit_intercept=1)


def test_arrays_lists_and_sparse_matrices_are_accepted() -> None:
    numbers = [[1, 2], [3, 0], [4, 2]]
    expected = list(separable_dichotomies(numbers))
    for X in (
        np.array(numbers, dtype=np.int8),
        np.array(numbers, dtype=np.float32),
        sp.csr_array(np.array(numbers)),
        [[Fraction(1), Fraction(2)], [3, False], (np.float64(4), np.int64(2))],
    ):
        assert list(separable_dichotomies(X)) == expected


def test_floats_are_exact_binary_numbers() -> None:
    assert in_general_position([[0.1, 1], [1, 10]])
    assert not in_general_position([[Fraction(1, 10), 1], [1, 10]])
    assert not in_general_position([[10**400, 1], [2 * 10**400, 2]])


@pytest.mark.parametrize(
    "X",
    [
        *([], [[]], [1.0, 2.0], [[1.0], [2.0, 3.0]], [[float("nan")]], [[float("inf")]]),
        *([["1"]], [[None]], [[1j]], 5, "12"),
    ],
)
def test_invalid_tables_are_refused(X: MatrixLike) -> None:
    for function in (in_general_position, separable_dichotomies):
        with pytest.raises(InputError, match="X "):
            function(X)
