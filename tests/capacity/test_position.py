"""General position against every choice of points, in rational arithmetic."""

from fractions import Fraction
from itertools import combinations, islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import InputError
from rosenblatt.capacity import Position, in_general_position
from rosenblatt.capacity.residues import primes


def rank(rows: list[list[Fraction]]) -> int:
    rows = [list(row) for row in rows]
    found = 0
    for column in range(len(rows[0])):
        pivot = next((i for i in range(found, len(rows)) if rows[i][column] != 0), None)
        if pivot is None:
            continue
        rows[found], rows[pivot] = rows[pivot], rows[found]
        for i in range(found + 1, len(rows)):
            factor = rows[i][column] / rows[found][column]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[found], strict=True)]
        found += 1
    return found


def naive(X: list[list[float]], *, affine: bool) -> bool:
    rows = [[Fraction(v) for v in [*row, *([1] if affine else [])]] for row in X]
    size = min(len(rows), len(rows[0]))
    return all(rank(list(subset)) == size for subset in combinations(rows, size))


@st.composite
def tables(draw: st.DrawFn) -> list[list[float]]:
    width = draw(st.integers(1, 5))
    value = draw(
        st.sampled_from(
            [st.integers(-2, 2), st.integers(-40, 40), st.sampled_from([0.1, 0.2, 0.3])]
        )
    )
    row = st.lists(value, min_size=width, max_size=width)
    return draw(st.lists(row, min_size=1, max_size=8))


@settings(max_examples=150)
@given(tables(), st.booleans())
def test_it_is_what_every_choice_says(X: list[list[float]], affine: bool) -> None:
    position = in_general_position(X, affine=affine)
    assert bool(position) == naive(X, affine=affine)
    assert position.verify(X) == (not position)
    if position:
        assert position.subset == position.coefficients == ()
        assert position.sentence == "the points are in general position"
        return
    width = len(X[0]) + affine
    assert 1 <= len(position.subset) <= width
    assert 0 not in position.coefficients
    rows = [[Fraction(v) for v in [*X[i], *([1] if affine else [])]] for i in position.subset]
    assert rank(rows) == len(rows) - 1
    for left_out in range(len(rows)):
        assert len(rows) == 1 or rank(rows[:left_out] + rows[left_out + 1 :]) == len(rows) - 1


@pytest.mark.parametrize(("n_points", "width"), [(30, 5), (40, 3), (30, 26), (60, 2), (9, 8)])
def test_many_points(n_points: int, width: int) -> None:
    X = np.random.default_rng(0).integers(-(10**6), 10**6, (n_points, width))
    assert in_general_position(X)
    rows = [n_points - 1, *range(1, width)]
    X[rows[0]] = X[rows[1:]].sum(axis=0)
    position = in_general_position(X)
    assert position.subset == tuple(sorted(rows))
    assert position.verify(X)


def test_normal_points_are_and_stay_so_when_scaled() -> None:
    X = np.random.default_rng(3).standard_normal((20, 4))
    assert in_general_position(X)
    assert in_general_position(X * np.exp2(np.arange(-200, 200, 20))[:, None])
    assert in_general_position(X, affine=True)


def test_what_a_prime_cannot_tell_is_looked_at_again() -> None:
    first, second = islice(primes(), 2)
    for number in (first, first * second):
        assert in_general_position([[1, 0], [1, number], [0, 1], [2, 5]])
        assert in_general_position([[1, 0, 0], [0, 1, 0], [0, 0, number], [1, 1, 1]])
        assert in_general_position([[number]])
        assert in_general_position([[number], [1], [2]])


def test_points_that_do_not_span_the_space() -> None:
    position = in_general_position([[1, 0, 1], [0, 1, 1], [1, 1, 2], [1, -1, 0]])
    assert (position.subset, position.coefficients) == ((0, 1, 2), (-1, -1, 1))
    assert position.sentence == "-1·row 0 - 1·row 1 + 1·row 2 is zero"


def test_a_changed_proof_is_none() -> None:
    X = [[1, 2], [2, 4], [0, 1]]
    position = in_general_position(X)
    assert position.verify(X)
    assert not position.verify([[1, 2], [2, 5], [0, 1]])
    for subset, coefficients in [
        ((0, 5), (2, -1)),
        ((0, -2), (2, -1)),
        ((0, 0), (1, -1)),
        ((0, 1), (0, 0)),
        ((0, 1), (2,)),
    ]:
        assert not Position(subset, coefficients).verify(X)


def test_absurd_sizes_are_refused_at_once() -> None:
    X = np.random.default_rng(0).standard_normal((200, 20))
    with pytest.raises(InputError, match="200 points in 20 dimensions, for which"):
        in_general_position(X)
    with pytest.raises(InputError, match="affine="):
        in_general_position([[1]], affine=1)
