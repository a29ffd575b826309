"""Every Boolean function of few inputs: how many are threshold functions is known (OEIS A000609)."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import circuits, separate
from rosenblatt.circuits import (
    NotThreshold,
    ThresholdUnit,
    all_inputs,
    threshold_function,
    threshold_functions,
)
from rosenblatt.core.errors import InputError

COUNTS = {1: 4, 2: 14, 3: 104, 4: 1882}


def check(table: tuple[int, ...]) -> bool:
    """Check the answer for a table, and return whether it is a unit."""
    answer = threshold_function(table)
    if isinstance(answer, ThresholdUnit):
        assert answer.truth_table().tolist() == list(table)
        assert all(type(number) is int for number in answer.extended_weights)
        return True
    assert answer.table == table
    check_by_hand(answer)
    return False


def check_by_hand(refusal: NotThreshold) -> None:
    """Check that the inputs named, counted so often, have the same number and sum on both sides."""
    totals = np.zeros((2, refusal.n_inputs + 1), dtype=object)
    for name, count in refusal.combination.items():
        assert count > 0
        totals[refusal.table[int(name, 2)]] += count * np.array([*map(int, name), 1], dtype=object)
    assert (totals[0] == totals[1]).all()
    assert totals[0, -1] > 0


def tables(n_inputs: int) -> itertools.product:
    return itertools.product((0, 1), repeat=2**n_inputs)


@pytest.mark.parametrize("n_inputs", [1, 2, 3])
def test_every_function_of_few_inputs(n_inputs: int) -> None:
    assert sum(check(table) for table in tables(n_inputs)) == COUNTS[n_inputs]


@pytest.mark.parametrize("n_inputs", [2, 3])
def test_every_refusal_has_a_certificate(n_inputs: int) -> None:
    answers = (threshold_function(table) for table in tables(n_inputs))
    refusals = [answer for answer in answers if isinstance(answer, NotThreshold)]
    assert len(refusals) == 2**2**n_inputs - COUNTS[n_inputs]
    for refusal in refusals:
        assert refusal.verify()
        assert refusal.certificate.verify(all_inputs(n_inputs), refusal.table, exact=True)


@pytest.mark.slow
def test_every_function_of_four_inputs() -> None:
    assert sum(check(table) for table in tables(4)) == COUNTS[4]


def test_no_smaller_weights_will_do_for_four_inputs() -> None:
    # Negated inputs negate weights, so that positive ones are enough; 8 is the largest sum needed.
    least: dict[tuple[int, ...], int] = {}
    for weights in itertools.product(range(9), repeat=4):
        if sum(weights) <= 8:
            for threshold in range(sum(weights) + 2):
                table = tuple(ThresholdUnit(weights, threshold).truth_table().tolist())
                least[table] = min(sum(weights), least.get(table, 8))
    for table, size in least.items():
        unit = threshold_function(table)
        assert isinstance(unit, ThresholdUnit)
        assert sum(unit.weights) == size


@given(st.data(), st.integers(1, 5))
def test_the_table_of_a_unit_gives_a_unit_of_that_table(data: st.DataObject, n_inputs: int) -> None:
    weights = data.draw(st.lists(st.integers(-9, 9), min_size=n_inputs, max_size=n_inputs))
    table = ThresholdUnit(weights, data.draw(st.integers(-20, 20))).truth_table()
    unit = threshold_function(table)
    assert isinstance(unit, ThresholdUnit)
    assert (unit.truth_table() == table).all()


@given(
    st.integers(3, 5).flatmap(lambda k: st.lists(st.integers(0, 1), min_size=2**k, max_size=2**k))
)
def test_every_answer_is_right(table: list[int]) -> None:
    check(tuple(table))


@pytest.mark.parametrize("n_inputs", [1, 2, 3, 4, 5])
def test_gates_are_found_again(n_inputs: int) -> None:
    for gate in (circuits.and_gate, circuits.or_gate, circuits.nand_gate, circuits.majority):
        assert threshold_function(gate(n_inputs).truth_table()) == gate(n_inputs)
    for r in range(1, n_inputs + 1):
        unit = circuits.at_least(r, n_inputs)
        assert threshold_function(unit.truth_table()) == unit


@pytest.mark.parametrize("n_inputs", [2, 3, 4, 5, 6])
def test_parity_is_refused(n_inputs: int) -> None:
    table = circuits.parity(n_inputs).truth_table()
    assert not check(tuple(table.tolist()))


def test_a_function_whose_corners_touch_is_refused() -> None:
    answer = str(threshold_function("1010111110001100"))
    assert answer.startswith("0001 and 1110 give 0, 0111 and 1000 give 1, but")


def test_inputs_that_do_not_matter_weigh_nothing() -> None:
    inputs = all_inputs(5)
    unit = threshold_function(inputs[:, 3] & (1 - inputs[:, 1]))
    assert unit == ThresholdUnit((0, -1, 0, 1, 0), 1)


def test_the_proof_for_xor_reads_well() -> None:
    refusal = threshold_function("0110")
    assert isinstance(refusal, NotThreshold)
    assert str(refusal) == refusal.sentence
    assert refusal.sentence == (
        "00 and 11 give 0, 01 and 10 give 1, but 1/2·00 + 1/2·11 = 1/2·01 + 1/2·10, "
        "and no point is both below a threshold and not below it"
    )


def test_uneven_averages_read_well() -> None:
    answers = (threshold_function(table) for table in tables(3))
    refusals = [answer for answer in answers if isinstance(answer, NotThreshold)]
    uneven = [one for one in refusals if max(one.combination.values()) > 1]
    assert uneven
    for refusal in uneven:
        left, right = refusal.sentence.split(", but ")[1].split(", and no point")[0].split(" = ")
        for side in (left, right):
            assert sum(Fraction(term.split("·")[0]) for term in side.split(" + ")) == 1


def test_a_false_proof_is_seen() -> None:
    certificate = threshold_function("0110").certificate
    assert not NotThreshold((0, 1, 1, 1), certificate).verify()
    assert NotThreshold((0, 1, 1, 0), certificate).verify()


def test_a_wrong_solver_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    other = separate(all_inputs(2), [0, 1, 1, 1], exact=True)
    refusal = separate(all_inputs(2), [0, 1, 1, 0], exact=True)

    for wrong in (other, refusal):
        monkeypatch.setattr(threshold_functions, "separate_class", lambda *_, wrong=wrong: wrong)
        with pytest.raises(RuntimeError, match="is a bug in rosenblatt: please report it"):
            threshold_function("1011")


@pytest.mark.parametrize(
    "table",
    ["0111", [0, 1, 1, 1], (False, True, True, True), np.array([0, 1, 1, 1], dtype=np.uint8),
     np.array([0.0, 1.0, 1.0, 1.0])],
)  # fmt: skip
def test_tables_come_in_many_forms(table: object) -> None:
    assert threshold_function(table) == circuits.or_gate(2)


@pytest.mark.parametrize("n_inputs", [1, 3])
def test_constants_need_no_weights(n_inputs: int) -> None:
    for value in (0, 1):
        unit = threshold_function([value] * 2**n_inputs)
        assert unit == ThresholdUnit((0,) * n_inputs, 1 - value)
        assert unit.truth_table().tolist() == [value] * 2**n_inputs


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("", r"truth_table has shape \(0,\): give 2, 4, 8, 16, ... or 65536 values in a row"),
        ([], r"truth_table has shape \(0,\)"),
        ("1", r"truth_table has shape \(1,\)"),
        ("011", r"truth_table has shape \(3,\)"),
        ([[0, 1], [1, 0]], r"truth_table has shape \(2, 2\)"),
        (7, "truth_table=7 is not accepted"),
        (1, r"truth_table has shape \(\)"),
        (np.zeros(2**17), r"truth_table has shape \(131072,\)"),
        ("01-0", r"truth_table\[2\]='-' is not accepted: use 0 and 1"),
        ("01 0", r"truth_table\[2\]=' ' is not accepted: use 0 and 1"),
        ([-1, 1, 1, -1], r"truth_table\[0\]=-1 is not accepted: use 0 and 1"),
        ([0, 1, 0.5, 0], r"truth_table\[2\]=0.5 is not accepted"),
        ([0, 1, None, 0], "truth_table of type object cannot be read"),
    ],
)
def test_other_tables_are_refused(table: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        threshold_function(table)
