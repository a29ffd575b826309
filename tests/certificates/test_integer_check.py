"""The integer check agrees with fractions."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from proofs import summed, vectors
from rosenblatt.certificates import integer_check
from rosenblatt.certificates.combination import Combination, terms_of
from rosenblatt.certificates.integer_check import (
    exact_sum,
    float_parts,
    integer_weights,
    margin_falsehood,
)
from rosenblatt.certificates.scope import Setting
from rosenblatt.certificates.stored_samples import Samples
from strategies import labels, samples

FLOATS = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(FLOATS, min_size=1, max_size=9))
def test_floats_are_integers_times_powers_of_two(values: list[float]) -> None:
    numbers, exponents = float_parts(np.array(values))
    for value, number, exponent in zip(values, numbers.tolist(), exponents.tolist(), strict=True):
        assert Fraction(value) == number * Fraction(2) ** exponent
        assert number % 2 == 1 or value == 0


@given(st.lists(FLOATS, min_size=1, max_size=9))
def test_weights_keep_their_proportions(values: list[float]) -> None:
    assume(any(values))
    numbers = integer_weights(np.array(values)).tolist()
    index = next(k for k, value in enumerate(values) if value)
    scale = Fraction(values[index]) / numbers[index]
    assert [number * scale for number in numbers] == [Fraction(value) for value in values]


@given(samples(), st.data())
@pytest.mark.parametrize("block", [1, 5, 1 << 17])
def test_sums_are_exact(block: int, X: np.ndarray, data: st.DataObject) -> None:
    y = data.draw(labels(len(X), ["a", "b", "c"]))
    positive = data.draw(st.sampled_from([*sorted(set(y.tolist())), None]))
    constant = data.draw(st.integers(0, 1))
    z = vectors(X, y, positive, constant)
    counts = st.one_of(st.integers(1, 9), st.integers(1, 2**200))
    combination: Combination = data.draw(
        st.dictionaries(st.sampled_from(sorted(z)), counts, min_size=1, max_size=6)
    )
    read = Samples.of(data.draw(st.sampled_from([X, sp.csr_array(X)])), y)
    index = None if positive is None else read.classes.index(positive)
    setting = Setting(read, index, constant, "augmented")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(integer_check, "_BLOCK", block)
        result = exact_sum(read, terms_of(setting, combination), constant, setting.width)
    assert not isinstance(result, str)
    sums, exponent = result
    expected = summed(z, combination)
    found = [sums.get(column, 0) * Fraction(2) ** exponent for column in range(len(expected))]
    assert found == expected


def test_rows_in_small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(integer_check, "_BLOCK", 3)
    X = np.array([[0.0, 0.0], [1e-300, 0.0], [1e300, 1.0], [0.0, -5.0], [0.5, 0.25]])
    y = [0, 1, 1, 0, 1]
    for storage in (X, sp.csr_array(X)):
        setting = Setting(Samples.of(storage, y), 1, 0, "augmented")
        rows, bound = np.arange(1, 5), Fraction(1, 10**601)
        assert margin_falsehood(setting, (1, 1, 0), bound, rows) is None
        assert margin_falsehood(setting, (1, 1, 0), Fraction(1, 10**600), rows) == (
            "the claimed lower bound on the margin is too high: row 1 is nearer"
        )
        assert margin_falsehood(setting, (1, 1, 0), bound, np.arange(5)) == (
            "row 0 is on the hyperplane itself"
        )
        assert margin_falsehood(setting, (1, -1, 0), bound, rows) == (
            "row 3 is on the wrong side of the hyperplane"
        )
        assert margin_falsehood(setting, (1, 1, 0), bound, np.arange(0)) is None
