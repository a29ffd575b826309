"""The gates that lectures draw, against Python's own words for them."""

import itertools

import pytest

from rosenblatt import circuits
from rosenblatt.circuits import Network, ThresholdUnit
from rosenblatt.core.errors import InputError

WIDTHS = range(1, 7)


def rows(n_inputs: int) -> list[tuple[int, ...]]:
    return list(itertools.product((0, 1), repeat=n_inputs))


@pytest.mark.parametrize("n_inputs", WIDTHS)
def test_gates_of_one_unit(n_inputs: int) -> None:
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


def test_xor_takes_two_layers() -> None:
    xor = circuits.xor()
    assert isinstance(xor, Network)
    assert len(xor.layers) == 2
    assert xor.truth_table().tolist() == [a ^ b for a, b in rows(2)]


@pytest.mark.parametrize("n_inputs", WIDTHS)
def test_parity_takes_two_layers(n_inputs: int) -> None:
    parity = circuits.parity(n_inputs)
    assert [len(layer) for layer in parity.layers] == [n_inputs, 1]
    assert parity.truth_table().tolist() == [sum(row) % 2 for row in rows(n_inputs)]


@pytest.mark.parametrize(
    "gate",
    [circuits.and_gate, circuits.or_gate, circuits.nand_gate, circuits.majority, circuits.parity],
)
@pytest.mark.parametrize("n_inputs", [0, -1, 1.5, None, True])
def test_gates_have_inputs(gate: type, n_inputs: object) -> None:
    with pytest.raises(
        InputError, match=r"n_inputs=.* is not accepted: use a whole number from 1 to 16"
    ):
        gate(n_inputs)


@pytest.mark.parametrize("r", [-1, 4, 1.0])
def test_no_more_can_be_asked_than_there_are(r: object) -> None:
    with pytest.raises(InputError, match=r"r=.* is not accepted: use a whole number from 0 to 3"):
        circuits.at_least(r, 3)
