"""Threshold units against the definition, computed with Python numbers."""

import itertools
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.core.errors import InputError
from rosenblatt.lectures.units import ThresholdUnit, all_inputs

BIG = 2**80
NUMBERS = st.integers(-4, 4) | st.integers(-BIG, BIG) | st.fractions(-3, 3, max_denominator=6)


@st.composite
def units(draw: st.DrawFn, numbers: st.SearchStrategy = NUMBERS, size: int = 5) -> ThresholdUnit:
    weights = draw(st.lists(numbers, min_size=1, max_size=size))
    return ThresholdUnit(weights, draw(numbers))


def naive(unit: ThresholdUnit) -> list[int]:
    products = (
        sum(w * x for w, x in zip(unit.weights, row, strict=True))
        for row in itertools.product((0, 1), repeat=len(unit.weights))
    )
    return [1 if score >= unit.threshold else 0 for score in products]


@given(units())
def test_units_match_the_definition(unit: ThresholdUnit) -> None:
    assert unit.truth_table().tolist() == naive(unit)
    table = all_inputs(unit.n_inputs)
    assert unit(table).tolist() == naive(unit)
    assert [unit(row) for row in table] == naive(unit)
    assert all(type(unit(row)) is int for row in table)


@given(units())
def test_extended_weights_give_the_same_outputs(unit: ThresholdUnit) -> None:
    extended = [
        sum(w * x for w, x in zip(unit.extended_weights, (*row, 1), strict=True))
        for row in itertools.product((0, 1), repeat=unit.n_inputs)
    ]
    assert [int(score >= 0) for score in extended] == naive(unit)


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=4), st.integers(-9, 9))
def test_a_strict_threshold_is_the_next_whole_number(weights: list[int], theta: int) -> None:
    strict = [
        int(sum(w * x for w, x in zip(weights, row, strict=True)) > theta)
        for row in itertools.product((0, 1), repeat=len(weights))
    ]
    assert ThresholdUnit(weights, theta + 1).truth_table().tolist() == strict


REALS = st.sampled_from(
    [0.1, 0.2, 0.3, -0.3, 1e-300, 1e300, -1e300, 2.0**53 + 2, 5e-324]
) | st.floats(allow_nan=False, allow_infinity=False)


@given(st.data(), st.sampled_from([(0, 1), (-1, 1)]))
def test_real_inputs_are_decided_exactly(data: st.DataObject, outputs: tuple[int, int]) -> None:
    unit = data.draw(units(NUMBERS | REALS, size=3))
    unit = ThresholdUnit(unit.weights, unit.threshold, outputs=outputs)
    rows = st.lists(REALS | st.integers(-3, 3), min_size=unit.n_inputs, max_size=unit.n_inputs)
    table = data.draw(st.lists(rows, min_size=1, max_size=4))
    scores = [
        sum(Fraction(w) * Fraction(x) for w, x in zip(unit.weights, row, strict=True))
        for row in np.array(table).tolist()
    ]
    expected = [outputs[score >= unit.threshold] for score in scores]
    assert unit(table).tolist() == expected
    assert [unit(row) for row in table] == expected


def test_large_numbers_are_not_rounded() -> None:
    unit = ThresholdUnit([2, 1], 2**64)
    assert unit([[2**63 - 1, 2], [2**63 - 1, 1], [-(2**63), 0]]).tolist() == [1, 0, 0]
    assert ThresholdUnit([1, 0], 2**53 + 1)([2**53 + 1, 0.5]) == 1
    assert ThresholdUnit([1, 0], 2**53 + 1)([2**53, 0.5]) == 0


@given(st.lists(st.floats(-9, 9), min_size=2, max_size=4), st.data())
def test_ties_give_the_upper_output(weights: list[float], data: st.DataObject) -> None:
    """The threshold is the exact score of an input of floats, or the number next to it."""
    inputs = data.draw(st.lists(st.floats(-9, 9), min_size=len(weights), max_size=len(weights)))
    score = sum(Fraction(w) * Fraction(x) for w, x in zip(weights, inputs, strict=True))
    least = Fraction(1, 2**3000)
    assert ThresholdUnit(weights, score)(inputs) == 1
    assert ThresholdUnit(weights, score + least)(inputs) == 0
    assert ThresholdUnit(weights, score, outputs=(-1, 1))(inputs) == 1


def test_truth_tables_are_in_binary_order() -> None:
    for n_inputs in range(1, 6):
        expected = list(itertools.product((0, 1), repeat=n_inputs))
        assert [tuple(row) for row in all_inputs(n_inputs).tolist()] == expected
    assert ThresholdUnit([1, 0], 1).truth_table().tolist() == [0, 0, 1, 1]


def test_all_inputs_are_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        all_inputs(2)[0, 0] = 1


def test_fractions_are_summed_exactly() -> None:
    unit = ThresholdUnit([Fraction(1, 10)] * 3, Fraction(3, 10))
    assert unit([1, 1, 1]) == 1
    assert ThresholdUnit([BIG, 1], BIG + 1).truth_table().tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize(
    "inputs",
    [
        [1, 0, 1],
        (True, False, True),
        np.array([1, 0, 1], dtype=np.uint8),
        np.array([1.0, 0.0, 1.0]),
        np.array([True, False, True]),
    ],
)
def test_inputs_may_be_lists_tuples_or_arrays(inputs: object) -> None:
    unit = ThresholdUnit(np.array([1, -2, 1]), np.int64(2))
    assert unit(inputs) == 1
    assert unit([inputs, inputs]).tolist() == [1, 1]
    assert unit(np.empty((0, 3), dtype=bool)).tolist() == []


def test_units_are_compared_by_value() -> None:
    unit = ThresholdUnit(np.array([1.0, 2.0]), 2)
    assert unit == ThresholdUnit((1, 2), Fraction(2))
    assert hash(unit) == hash(ThresholdUnit((1, 2), 2))
    assert repr(unit) == "ThresholdUnit(weights=(1, 2), threshold=2)"
    assert type(unit.weights[0]) is int
    signed = ThresholdUnit([0.5], 0, outputs=(-1, 1))
    assert repr(signed) == "ThresholdUnit(weights=(0.5,), threshold=0, outputs=(-1, 1))"
    assert (
        signed == ThresholdUnit([Fraction(1, 2)], 0.0, outputs=[-1, 1]) != ThresholdUnit([0.5], 0)
    )
    assert unit.truth_table().tolist() == [0, 1, 0, 1]
    assert pickle.loads(pickle.dumps(unit)) == unit


@pytest.mark.parametrize(
    ("unit", "text"),
    [
        (ThresholdUnit([-1, 0, 3], -2), "-x1 + 3·x3 >= -2"),
        (ThresholdUnit([0, 0], 1), "0 >= 1"),
        (ThresholdUnit([Fraction(1, 2), -2], 0), "1/2·x1 - 2·x2 >= 0"),
        (ThresholdUnit([0.3, -2.5], 1e300), "0.3·x1 - 2.5·x2 >= 1e+300"),
    ],
)
def test_units_are_printed_as_inequalities(unit: ThresholdUnit, text: str) -> None:
    assert str(unit) == text


@pytest.mark.parametrize(
    ("weights", "threshold", "message"),
    [
        ([], 0, r"weights=\[\] is not accepted: give at least one number"),
        (3, 0, "weights=3 is not accepted: give at least one number"),
        ([1, 0.5j], 0, r"weights\[1\]=0.5j is not accepted: use a finite number"),
        ([1, float("nan")], 0, r"weights\[1\]=nan is not accepted"),
        ([1, float("inf")], 0, r"weights\[1\]=inf is not accepted"),
        ([True], 0, r"weights\[0\]=True is not accepted"),
        ("11", 0, r"weights\[0\]='1' is not accepted"),
        ([[1, 1]], 0, r"weights\[0\]=\[1, 1\] is not accepted"),
        ([1], None, "threshold=None is not accepted: use a finite number"),
        ([1], -np.inf, "threshold=-inf is not accepted"),
    ],
)
def test_invalid_weights_are_refused(weights: object, threshold: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ThresholdUnit(weights, threshold)


@pytest.mark.parametrize("outputs", [(1, 0), (0, 2), 1, "01", None])
def test_invalid_outputs_are_refused(outputs: object) -> None:
    with pytest.raises(InputError, match=r"outputs=.* is not accepted: use \(0, 1\) or \(-1, 1\)"):
        ThresholdUnit([1], 0, outputs=outputs)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([0, 1], r"inputs have shape \(2,\): give 3 values, or rows of 3 values"),
        ([[0, 1, 1, 0]], r"inputs have shape \(1, 4\)"),
        (1, r"inputs have shape \(\)"),
        ([[[0, 1, 1]]], r"inputs have shape \(1, 1, 3\)"),
        ([0, 1, float("nan")], r"inputs\[2\]=nan is not accepted: use a finite number"),
        ([[0, 1, 1], [0, np.inf, 1]], r"inputs\[1, 1\]=inf is not accepted: use a finite number"),
        (["0", "1", "1"], r"inputs\[0\]='0' is not accepted"),
        ([0, 1, None], r"inputs\[2\]=None is not accepted"),
        ([[0, 1, 1], [0]], r"inputs have shape \(2,\)"),
    ],
)
def test_invalid_inputs_are_refused(inputs: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ThresholdUnit([1, 1, 1], 2)(inputs)


@pytest.mark.parametrize("n_inputs", [0, 17, 2.0, True, "2"])
def test_truth_tables_refuse_invalid_input_counts(n_inputs: object) -> None:
    with pytest.raises(
        InputError, match=r"n_inputs=.* is not accepted: use a whole number from 1 to 16"
    ):
        all_inputs(n_inputs)


def test_units_with_many_inputs_have_no_truth_table() -> None:
    unit = ThresholdUnit([1] * 40, 20)
    assert unit([0, 1] * 20) == 1
    with pytest.raises(InputError, match="n_inputs=40 is not accepted"):
        unit.truth_table()
