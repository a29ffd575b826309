"""Exact sums of products, in plain Python and compiled, compared with rational arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numba import njit

from naive import exact_dot, sign
from rosenblatt.kernels.exact_sum import add_product, nearest, new_digits, sign_of

LARGEST = 1.7976931348623157e308
TINIEST = 5e-324

finite = st.floats(allow_nan=False, allow_infinity=False)
extremes = st.sampled_from(
    [0.0, -0.0, TINIEST, -TINIEST, 2.2250738585072014e-308, LARGEST, -LARGEST, 0.1, 1.0, -1.0]
    + [s * m * 10.0**e for s in (1, -1) for m in (1.0, 1.1) for e in (-300, -100, 100, 300)]
)
pairs = st.lists(st.tuples(finite | extremes, finite | extremes), max_size=12)


@njit
def _compiled_sign(a: np.ndarray, b: np.ndarray, repeats: int) -> int:
    digits = new_digits()
    for _ in range(repeats):
        for k in range(a.shape[0]):
            add_product(digits, a[k], b[k])
    return sign_of(digits)


@njit
def _compiled_nearest(a: np.ndarray, b: np.ndarray) -> float:
    digits = new_digits()
    for k in range(a.shape[0]):
        add_product(digits, a[k], b[k])
    return nearest(digits)


def _digits(products: list[tuple[float, float]]) -> np.ndarray:
    digits = new_digits()
    for a, b in products:
        add_product(digits, a, b)
    return digits


def _value(digits: np.ndarray) -> Fraction:
    """Return the value of the digits, in the documented units of 2**-2256."""
    return Fraction(sum(int(d) << (32 * k) for k, d in enumerate(digits)), 2**2256)


def _exact(products: list[tuple[float, float]]) -> Fraction:
    return exact_dot([a for a, _ in products], [b for _, b in products])


def _compiled(products: list[tuple[float, float]]) -> int:
    columns = np.array(products, dtype=np.float64).reshape(-1, 2).T.copy()
    return _compiled_sign(columns[0], columns[1], 1)


def _check(products: list[tuple[float, float]]) -> None:
    digits = _digits(products)
    exact = _exact(products)
    assert _value(digits) == exact
    assert sign_of(digits) == sign(exact)
    assert _compiled(products) == sign(exact)


@given(pairs)
@example([(LARGEST, LARGEST)] * 9)
@example([(-LARGEST, LARGEST)] * 9)
@example([(TINIEST, TINIEST), (-TINIEST, TINIEST)])
@example([(LARGEST, LARGEST), (-LARGEST, LARGEST), (TINIEST, -TINIEST)])
def test_sum_is_exact(products: list[tuple[float, float]]) -> None:
    _check(products)


@given(pairs, st.randoms(use_true_random=False), st.sampled_from([-1, 0, 1]))
def test_smallest_number_decides_when_all_else_cancels(
    products: list[tuple[float, float]], random: object, left: int
) -> None:
    cancelling = products + [(-a, b) for a, b in products] + [(left * TINIEST, TINIEST)]
    random.shuffle(cancelling)
    assert sign_of(_digits(cancelling)) == left
    assert _compiled(cancelling) == left


@given(st.lists(st.tuples(finite, finite), min_size=1, max_size=6), st.sampled_from([-1, 0, 1]))
def test_sums_within_one_ulp_of_zero(products: list[tuple[float, float]], ulps: int) -> None:
    exact = _exact(products)
    if abs(exact) >= Fraction(LARGEST):
        return
    nearest = float(exact)
    closing = {-1: np.nextafter(nearest, -np.inf), 0: nearest, 1: np.nextafter(nearest, np.inf)}
    _check([*products, (-float(closing[ulps]), 1.0)])


@given(pairs | st.lists(st.tuples(finite, st.sampled_from([1.0, 0.5, TINIEST])), max_size=4))
@example([(1.0, 1.0), (2.0**-53, 1.0)])
@example([(1.0, 1.0), (2.0**-53, 3.0)])
@example([(1.0, 1.0), (2.0**-53, 1.0), (TINIEST, TINIEST)])
@example([(TINIEST, 0.5)])
@example([(TINIEST, -1.5)])
@example([(LARGEST, 1.0), (2.0**969, 2.0)])
@example([(LARGEST, -1.0), (2.0**969, -1.0)])
def test_sum_is_rounded_once(products: list[tuple[float, float]]) -> None:
    try:
        expected = float(_exact(products))
    except OverflowError:
        expected = float(np.inf) * sign(_exact(products))
    columns = np.array(products, dtype=np.float64).reshape(-1, 2).T.copy()
    assert nearest(_digits(products)) == expected
    assert _compiled_nearest(columns[0], columns[1]) == expected


def test_sign_of_carries_every_digit() -> None:
    products = [(0.1, 0.3), (-1e200, 3.0), (1e-200, 7.0)]
    digits = _digits(products)
    assert sign_of(digits) == -1
    assert ((digits >= 0) & (digits < 2**32)).all()
    # After carrying, a negative number is stored as its complement to the full width.
    assert _value(digits) - Fraction(2 ** (32 * len(digits)), 2**2256) == _exact(products)


@pytest.mark.parametrize("value", [1.0 - 2.0**-53, -(1.0 - 2.0**-53)])
def test_a_million_products_do_not_overflow_a_digit(value: float) -> None:
    ones = np.full(1000, value)
    assert _compiled_sign(ones, np.full(1000, 1.0 - 2.0**-53), 1000) == np.sign(value)
    assert _compiled_sign(np.append(ones, -ones), np.ones(2000), 1000) == 0


@pytest.mark.slow
@settings(max_examples=1000)
@given(pairs)
def test_sum_is_exact_on_many_examples(products: list[tuple[float, float]]) -> None:
    _check(products)
