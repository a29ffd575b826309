"""Points as whole numbers, and what is no table of points."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import InputError
from rosenblatt.capacity import in_general_position, separable_dichotomies
from rosenblatt.capacity.points import as_points
from rosenblatt.core.types import MatrixLike


def test_floats_are_the_numbers_that_they_are() -> None:
    points = as_points([[0.1, 1]], constant=False)
    ((tenth, one),) = points.rows
    assert Fraction(tenth, one) == Fraction(0.1) != Fraction(1, 10)


def test_every_kind_of_table_is_read() -> None:
    expected = as_points([[1, 2], [3, 0]], constant=True)
    for X in (
        [[1.0, 2.0], [3.0, 0.0]],
        np.array([[1, 2], [3, 0]], dtype=np.int8),
        np.array([[1, 2], [3, 0]], dtype=np.float32),
        sp.csr_array(np.array([[1, 2], [3, 0]])),
        [[Fraction(1), Fraction(2)], [3, 0]],
        [(np.float64(1), np.int64(2)), (3, False)],
    ):
        assert as_points(X, constant=True) == expected


def test_numbers_of_any_size() -> None:
    large = 10**400
    assert as_points([[large, 1]], constant=False).rows == [(large, 1)]


@pytest.mark.parametrize(
    "X",
    [
        [],
        [[]],
        [1.0, 2.0],
        [[1.0], [2.0, 3.0]],
        [[float("nan")]],
        [[float("inf")]],
        [["1"]],
        [[None]],
        [[1j]],
        5,
        "12",
    ],
)
def test_wrong_tables(X: MatrixLike) -> None:
    for function in (in_general_position, separable_dichotomies):
        with pytest.raises(InputError, match="X "):
            function(X)
