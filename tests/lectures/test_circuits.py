"""Gates, networks, and every Boolean function of few inputs (threshold functions: OEIS A000609)."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import separate
from rosenblatt.core.errors import InputError
from rosenblatt.lectures import circuits
from rosenblatt.lectures.circuits import (
    Network,
    NotThreshold,
    and_gate,
    not_gate,
    or_gate,
    threshold_function,
    xor,
)
from rosenblatt.lectures.units import ThresholdUnit, all_inputs

COUNTS = {1: 4, 2: 14, 3: 104, 4: 1882}


def check(table: tuple[int, ...]) -> bool:
    """Check the result for a table, and return whether it is a unit."""
    answer = threshold_function(table)
    if isinstance(answer, ThresholdUnit):
        assert answer.truth_table().tolist() == list(table)
        assert all(type(number) is int for number in answer.extended_weights)
        return True
    assert answer.table == table
    check_by_hand(answer)
    return False


def check_by_hand(proof: NotThreshold) -> None:
    """Check that the counts and sums of the inputs are equal for both outputs."""
    totals = np.zeros((2, len(proof.table).bit_length()), dtype=object)
    for name, count in proof.combination.items():
        assert count > 0
        totals[proof.table[int(name, 2)]] += count * np.array([*map(int, name), 1], dtype=object)
    assert (totals[0] == totals[1]).all()
    assert totals[0, -1] > 0


def tables(n_inputs: int) -> itertools.product:
    return itertools.product((0, 1), repeat=2**n_inputs)


@pytest.mark.parametrize("n_inputs", [1, 2, 3])
def test_every_function_of_few_inputs(n_inputs: int) -> None:
    assert sum(check(table) for table in tables(n_inputs)) == COUNTS[n_inputs]


@pytest.mark.parametrize("n_inputs", [2, 3])
def test_every_other_function_has_a_certificate(n_inputs: int) -> None:
    answers = (threshold_function(table) for table in tables(n_inputs))
    proofs = [answer for answer in answers if isinstance(answer, NotThreshold)]
    assert len(proofs) == 2**2**n_inputs - COUNTS[n_inputs]
    for proof in proofs:
        assert proof.verify()
        assert proof.certificate.verify(all_inputs(n_inputs), proof.table, exact=True)


@pytest.mark.slow
def test_every_function_of_four_inputs() -> None:
    assert sum(check(table) for table in tables(4)) == COUNTS[4]


def test_weights_for_four_inputs_are_minimal() -> None:
    # Negating an input negates its weight, so positive weights are enough; the largest sum needed is 8.
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
def test_the_table_of_a_unit_yields_an_equivalent_unit(data: st.DataObject, n_inputs: int) -> None:
    weights = data.draw(st.lists(st.integers(-9, 9), min_size=n_inputs, max_size=n_inputs))
    table = ThresholdUnit(weights, data.draw(st.integers(-20, 20))).truth_table()
    unit = threshold_function(table)
    assert isinstance(unit, ThresholdUnit)
    assert (unit.truth_table() == table).all()


@given(
    st.integers(3, 5).flatmap(lambda k: st.lists(st.integers(0, 1), min_size=2**k, max_size=2**k))
)
def test_random_tables_are_answered_correctly(table: list[int]) -> None:
    check(tuple(table))


@pytest.mark.parametrize("n_inputs", [1, 2, 3, 4, 5])
def test_gates_are_found_from_their_tables(n_inputs: int) -> None:
    for gate in (circuits.and_gate, circuits.or_gate, circuits.nand_gate, circuits.majority):
        assert threshold_function(gate(n_inputs).truth_table()) == gate(n_inputs)
    for r in range(1, n_inputs + 1):
        unit = circuits.at_least(r, n_inputs)
        assert threshold_function(unit.truth_table()) == unit


@pytest.mark.parametrize("n_inputs", [2, 3, 4, 5, 6])
def test_parity_is_not_a_threshold_function(n_inputs: int) -> None:
    assert not check(tuple(sum(row) % 2 for row in itertools.product((0, 1), repeat=n_inputs)))


def test_touching_hulls_are_not_separable() -> None:
    answer = str(threshold_function("1010111110001100"))
    assert answer.startswith("0001 and 1110 give 0, 0111 and 1000 give 1, but")


def test_irrelevant_inputs_have_weight_0() -> None:
    inputs = all_inputs(5)
    unit = threshold_function(inputs[:, 3] & (1 - inputs[:, 1]))
    assert unit == ThresholdUnit((0, -1, 0, 1, 0), 1)


def test_the_sentence_of_the_proof_for_xor() -> None:
    proof = threshold_function("0110")
    assert isinstance(proof, NotThreshold)
    assert str(proof) == proof.sentence
    assert proof.sentence == (
        "00 and 11 give 0, 01 and 10 give 1, but 1/2·00 + 1/2·11 = 1/2·01 + 1/2·10, "
        "and no point is both below a threshold and not below it"
    )


def test_the_sentence_with_weighted_averages() -> None:
    answers = (threshold_function(table) for table in tables(3))
    proofs = [answer for answer in answers if isinstance(answer, NotThreshold)]
    uneven = [proof for proof in proofs if max(proof.combination.values()) > 1]
    assert uneven
    for proof in uneven:
        left, right = proof.sentence.split(", but ")[1].split(", and no point")[0].split(" = ")
        for side in (left, right):
            assert sum(Fraction(term.split("·")[0]) for term in side.split(" + ")) == 1


def test_a_false_proof_is_rejected() -> None:
    certificate = threshold_function("0110").certificate
    assert not NotThreshold((0, 1, 1, 1), certificate).verify()
    assert NotThreshold((0, 1, 1, 0), certificate).verify()


def test_a_wrong_solver_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong_weights = separate(all_inputs(2), [0, 1, 1, 1], exact=True)
    wrong_proof = separate(all_inputs(2), [0, 1, 1, 0], exact=True)

    for wrong in (wrong_weights, wrong_proof):
        monkeypatch.setattr(circuits, "separate_class", lambda *_, wrong=wrong: wrong)
        with pytest.raises(RuntimeError, match="is a bug in rosenblatt: please report it"):
            threshold_function("1011")


@pytest.mark.parametrize(
    "table",
    ["0111", [0, 1, 1, 1], (False, True, True, True), np.array([0, 1, 1, 1], dtype=np.uint8),
     np.array([0.0, 1.0, 1.0, 1.0])],
)  # fmt: skip
def test_tables_may_be_strings_lists_or_arrays(table: object) -> None:
    assert threshold_function(table) == circuits.or_gate(2)


@pytest.mark.parametrize("n_inputs", [1, 3])
def test_constant_functions_have_weights_0(n_inputs: int) -> None:
    for value in (0, 1):
        unit = threshold_function([value] * 2**n_inputs)
        assert unit == ThresholdUnit((0,) * n_inputs, 1 - value)
        assert unit.truth_table().tolist() == [value] * 2**n_inputs


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("", r"truth_table has shape \(0,\): give a sequence of 2, 4, 8, 16, ... or 65536 values"),
        ([], r"truth_table has shape \(0,\)"),
        ("1", r"truth_table has shape \(1,\)"),
        ("011", r"truth_table has shape \(3,\)"),
        ([[0, 1], [1, 0]], r"truth_table has shape \(2, 2\)"),
        (7, r"truth_table has shape \(\)"),
        (np.zeros(2**17), r"truth_table has shape \(131072,\)"),
        ("01-0", r"truth_table\[2\]='-' is not accepted: use 0 and 1"),
        ("01 0", r"truth_table\[2\]=' ' is not accepted: use 0 and 1"),
        ([-1, 1, 1, -1], r"truth_table\[0\]=-1 is not accepted: use 0 and 1"),
        ([0, 1, 0.5, 0], r"truth_table\[2\]=0.5 is not accepted"),
        ([0, 1, None, 0], r"truth_table\[2\]=None is not accepted"),
    ],
)
def test_invalid_tables_are_refused(table: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        threshold_function(table)


WIDTHS = range(1, 7)


def rows(n_inputs: int) -> list[tuple[int, ...]]:
    return list(itertools.product((0, 1), repeat=n_inputs))


@pytest.mark.parametrize("n_inputs", WIDTHS)
def test_gates_match_their_definitions(n_inputs: int) -> None:
    inputs = rows(n_inputs)
    gates = {
        circuits.and_gate(n_inputs): [int(all(row)) for row in inputs],
        circuits.or_gate(n_inputs): [int(any(row)) for row in inputs],
        circuits.nand_gate(n_inputs): [int(not all(row)) for row in inputs],
        circuits.majority(n_inputs): [int(2 * sum(row) > n_inputs) for row in inputs],
    }
    for gate, expected in gates.items():
        assert isinstance(gate, ThresholdUnit)
        assert gate.truth_table().tolist() == expected
    for r in range(n_inputs + 1):
        expected = [int(sum(row) >= r) for row in inputs]
        assert circuits.at_least(r, n_inputs).truth_table().tolist() == expected


def test_not() -> None:
    assert circuits.not_gate().truth_table().tolist() == [1, 0]
    assert [circuits.not_gate()([bit]) for bit in (0, 1)] == [1, 0]


def test_xor_has_two_layers() -> None:
    xor = circuits.xor()
    assert isinstance(xor, Network)
    assert len(xor.layers) == 2
    assert xor.truth_table().tolist() == [a ^ b for a, b in rows(2)]


@pytest.mark.parametrize(
    "gate",
    [circuits.and_gate, circuits.or_gate, circuits.nand_gate, circuits.majority],
)
@pytest.mark.parametrize("n_inputs", [0, -1, 1.5, None, True])
def test_gates_refuse_invalid_input_counts(gate: type, n_inputs: object) -> None:
    with pytest.raises(
        InputError, match=r"n_inputs=.* is not accepted: use a whole number from 1 to 16"
    ):
        gate(n_inputs)


@pytest.mark.parametrize("r", [-1, 4, 1.0])
def test_at_least_refuses_invalid_counts(r: object) -> None:
    with pytest.raises(InputError, match=r"r=.* is not accepted: use a whole number from 0 to 3"):
        circuits.at_least(r, 3)


@st.composite
def networks(draw: st.DrawFn) -> Network:
    widths = draw(st.lists(st.integers(1, 4), min_size=2, max_size=4))
    weights = st.integers(-3, 3)
    return Network(
        [
            [
                ThresholdUnit(
                    draw(st.lists(weights, min_size=before, max_size=before)), draw(weights)
                )
                for _ in range(width)
            ]
            for before, width in itertools.pairwise(widths)
        ]
    )


@given(networks())
def test_a_network_computes_its_units_layer_by_layer(network: Network) -> None:
    table = network.truth_table()
    for row, outputs in zip(all_inputs(network.n_inputs), table, strict=True):
        values = row.tolist()
        for layer in network.layers:
            values = [unit(values) for unit in layer]
        expected = values if len(values) > 1 else values[0]
        assert network(row) == expected
        assert outputs.tolist() == expected


def test_layers_pass_on_outputs_unchanged() -> None:
    """The strip between two parallel lines, with hidden outputs of -1 and 1, or 0 and 1."""
    sides = ([1, 0.5], 1), ([-1, -0.5], -2)
    inputs = [[0.5, 0.5], [1.0, 0.0], [1.5, 0.3], [2.0, 0.0], [2.0, 0.1]]
    signed = [ThresholdUnit(*side, outputs=(-1, 1)) for side in sides]
    plain = [ThresholdUnit(*side) for side in sides]
    assert Network([signed, [ThresholdUnit([1, 1], 2)]])(inputs).tolist() == [0, 1, 1, 1, 0]
    assert Network([plain, [and_gate(2)]])(inputs).tolist() == [0, 1, 1, 1, 0]
    mixed = Network([[signed[0], plain[1]], [ThresholdUnit([1, 2], 3, outputs=(-1, 1))]])
    assert mixed(inputs).tolist() == [-1, 1, 1, 1, -1]


def test_networks_are_compared_by_value() -> None:
    assert xor() == xor()
    assert hash(xor()) == hash(xor())
    assert Network([[not_gate()]]) != Network([[not_gate()], [not_gate()]])
    assert Network(iter([iter([not_gate()])])).layers == ((not_gate(),),)


def test_networks_accept_tables() -> None:
    assert xor()([1, 0]) == 1
    assert xor()(np.array([[1, 1], [0, 1]], dtype=bool)).tolist() == [0, 1]
    assert xor()(np.empty((0, 2), dtype=bool)).shape == (0,)


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        ([], "layers is empty or has an empty layer: give at least one unit"),
        ([[or_gate(2)], []], "layers is empty or has an empty layer: give at least one unit"),
        ([or_gate(2)], "layers is not a list of lists of units"),
        (or_gate(2), "layers is not a list of lists of units"),
        ([[or_gate(2), 3]], r"layers\[0\]\[1\]=3 is not a ThresholdUnit"),
        (
            [[or_gate(2), or_gate(3)]],
            r"layers\[0\]\[1\] has 3 weights, but needs 2: one for each value",
        ),
        (
            [[or_gate(2)], [and_gate(2)]],
            r"layers\[1\]\[0\] has 2 weights, but needs 1: one for each value",
        ),
    ],
)
def test_invalid_layers_are_refused(layers: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Network(layers)


def test_inputs_of_the_wrong_width_are_refused() -> None:
    with pytest.raises(InputError, match=r"inputs have shape \(3,\): give 2 values, or rows of 2"):
        xor()([1, 0, 1])
