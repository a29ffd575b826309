"""All separable labelings against every labeling, in rational arithmetic, and known counts."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hulls
from rosenblatt import InputError, Verdict, separate
from rosenblatt.capacity import count_dichotomies, in_general_position, separable_dichotomies
from rosenblatt.core.types import MatrixLike


def naive(X: MatrixLike, *, constant: bool) -> list[tuple[int, ...]]:
    return [
        labels
        for labels in product((-1, 1), repeat=len(X))
        if hulls.is_separable(hulls.signed(X, labels, constant=constant))
    ]


def check(X: MatrixLike, *, fit_intercept: bool) -> list[tuple[int, ...]]:
    """Return the labelings, after a look at their weights and order."""
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
def test_they_are_all_that_there_are(X: list[list[float]], fit_intercept: bool) -> None:
    listed = check(X, fit_intercept=fit_intercept)
    assert listed == naive(X, constant=fit_intercept)
    bound = count_dichotomies(len(X), len(X[0]), fit_intercept=fit_intercept)
    assert len(listed) <= bound
    # Cover's theorem, and its converse.
    position = in_general_position(X, affine=fit_intercept)
    assert (len(listed) == bound) == bool(position)


@pytest.mark.parametrize(("n", "count"), [(1, 4), (2, 14), (3, 104), (4, 1882)])
def test_threshold_functions(n: int, count: int) -> None:
    assert len(check(list(product((0, 1), repeat=n)), fit_intercept=True)) == count


@pytest.mark.slow
def test_threshold_functions_of_five_inputs() -> None:
    cube = list(product((0, 1), repeat=5))
    assert sum(1 for _ in separable_dichotomies(cube, fit_intercept=True)) == 94_572


@pytest.mark.parametrize(("n_points", "width"), [(12, 2), (10, 3), (9, 4), (8, 6), (5, 7)])
def test_normal_points_have_the_count_of_the_theorem(n_points: int, width: int) -> None:
    X = np.random.default_rng(n_points).standard_normal((n_points, width))
    assert len(check(X, fit_intercept=False)) == count_dichotomies(n_points, width)
    with_one = sum(1 for _ in separable_dichotomies(X, fit_intercept=True))
    assert with_one == count_dichotomies(n_points, width, fit_intercept=True)


def test_separate_says_the_same() -> None:
    X = np.random.default_rng(7).integers(-3, 4, (7, 2)).astype(np.float64)
    listed = {one.labels for one in separable_dichotomies(X, fit_intercept=True)}
    for labels in product((-1, 1), repeat=7):
        if len(set(labels)) == 2:
            verdict = separate(X, np.array(labels)).verdict
            assert (verdict is Verdict.SEPARABLE) == (labels in listed)


def test_a_zero_or_two_opposite_labels_of_one_point() -> None:
    assert list(separable_dichotomies([[0, 0], [1, 2]])) == []
    assert [one.labels for one in separable_dichotomies([[1], [1]])] == [(-1, -1), (1, 1)]
    assert [one.labels for one in separable_dichotomies([[1], [-2]])] == [(-1, 1), (1, -1)]


def test_absurd_sizes_are_refused_before_the_first() -> None:
    with pytest.raises(InputError, match="64 points in 7 dimensions, which may have"):
        separable_dichotomies(list(product((0, 1), repeat=6)), fit_intercept=True)
    with pytest.raises(InputError, match="fit_intercept="):
        separable_dichotomies([[1]], fit_intercept=0)
