"""Networks against their units, called one after another."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.circuits import Network, ThresholdUnit, all_inputs, and_gate, not_gate, or_gate, xor
from rosenblatt.core.errors import InputError


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
                for _ in range(own)
            ]
            for before, own in itertools.pairwise(widths)
        ]
    )


@given(networks())
def test_a_network_is_its_units(network: Network) -> None:
    table = network.truth_table()
    for row, outputs in zip(all_inputs(network.n_inputs), table, strict=True):
        values = row.tolist()
        for layer in network.layers:
            values = [unit(values) for unit in layer]
        expected = values if network.n_outputs > 1 else values[0]
        assert network(row) == expected
        assert outputs.tolist() == expected


def test_layers_read_the_outputs_as_they_are() -> None:
    """A strip between two parallel lines: real inputs, and hidden units of -1 and 1, or of 0 and 1."""
    sides = ([1, 0.5], 1), ([-1, -0.5], -2)
    inputs = [[0.5, 0.5], [1.0, 0.0], [1.5, 0.3], [2.0, 0.0], [2.0, 0.1]]
    signed = [ThresholdUnit(*side, outputs=(-1, 1)) for side in sides]
    plain = [ThresholdUnit(*side) for side in sides]
    assert Network([signed, [ThresholdUnit([1, 1], 2)]])(inputs).tolist() == [0, 1, 1, 1, 0]
    assert Network([plain, [and_gate(2)]])(inputs).tolist() == [0, 1, 1, 1, 0]
    mixed = Network([[signed[0], plain[1]], [ThresholdUnit([1, 2], 3, outputs=(-1, 1))]])
    assert mixed(inputs).tolist() == [-1, 1, 1, 1, -1]


def test_networks_are_values() -> None:
    assert xor() == xor()
    assert hash(xor()) == hash(xor())
    assert Network([[not_gate()]]) != Network([[not_gate()], [not_gate()]])
    assert Network(iter([iter([not_gate()])])).layers == ((not_gate(),),)


def test_a_network_takes_tables_and_strings() -> None:
    assert xor()("10") == 1
    assert xor()(np.array([[1, 1], [0, 1]], dtype=bool)).tolist() == [0, 1]
    assert xor()(np.empty((0, 2), dtype=bool)).shape == (0,)


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        ([], "layers are empty: give at least one layer of units"),
        ([[or_gate(2)], []], r"layers\[1\] is empty: give at least one unit"),
        ([or_gate(2)], "layers are not rows of units"),
        (or_gate(2), "layers are not rows of units"),
        ([[or_gate(2), 3]], r"layers\[0\]\[1\]=3 is not a ThresholdUnit"),
        (
            [[or_gate(2), or_gate(3)]],
            r"layers\[0\]\[1\] reads 3 values, but the first unit reads 2: give one weight for each",
        ),
        (
            [[or_gate(2)], [and_gate(2)]],
            r"layers\[1\]\[0\] reads 2 values, but the layer before has 1: give one weight for each",
        ),
    ],
)
def test_layers_must_fit(layers: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Network(layers)


def test_inputs_must_fit() -> None:
    with pytest.raises(InputError, match=r"inputs have shape \(3,\): give 2 values, or rows of 2"):
        xor()("101")
