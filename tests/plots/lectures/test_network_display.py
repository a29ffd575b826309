"""Networks of threshold units, as diagrams."""

import pytest

from rosenblatt import InputError
from rosenblatt.circuits import Network, ThresholdUnit, and_gate, or_gate
from rosenblatt.plots import NetworkDisplay

XOR = Network([[or_gate(2), and_gate(2)], [ThresholdUnit([1, -1], 1, outputs=(-1, 1))]])


def test_every_weight_has_a_line_and_every_unit_its_threshold() -> None:
    display = NetworkDisplay.from_network(XOR, names=["a", "b"])
    assert len(display.ax_.get_lines()) == 2 * 2 + 2
    texts = [text.get_text() for text in display.ax_.texts]
    assert [text for text in texts if text.startswith("≥")] == ["≥ 1", "≥ 2", "≥ 1"]
    assert {"a", "b", "1 or −1", "−1"} <= set(texts)
    styles = [line.get_linestyle() for line in display.ax_.get_lines()]
    assert styles == ["-"] * 5 + ["--"]


def test_between_many_units_no_weights_are_written() -> None:
    counts = Network([[ThresholdUnit([1] * 4, k) for k in range(1, 5)]])
    display = NetworkDisplay.from_network(counts)
    assert "1" not in [text.get_text() for text in display.ax_.texts]


@pytest.mark.parametrize(
    ("network", "names", "message"),
    [
        (or_gate(2), None, "network is a ThresholdUnit"),
        (Network([[ThresholdUnit([1] * 50, 1)]]), None, "there are 50 units"),
        (XOR, ["a"], "names has 1 names, but there are 2 inputs"),
    ],
)
def test_other_networks_are_refused(network: object, names: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        NetworkDisplay.from_network(network, names=names)
