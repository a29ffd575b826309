"""Threshold units and networks of them, on real inputs or on those that are 0 or 1.

`ThresholdUnit` and `Network` compute; `and_gate`, `or_gate`, `nand_gate`, `not_gate`, `at_least`,
`majority`, `xor` and `parity` build the usual ones; `threshold_function` finds the unit that computes a
truth table, or the proof that none does; `all_inputs` lists the inputs in the order of truth tables.

Conventions
    Ties: a unit's output is 1 when w·x ≥ threshold, the tie included, and otherwise 0, or -1 with
    ``outputs=(-1, 1)``. Its extended weights (w, -threshold), on samples (x, 1), therefore give 1 when
    their score is ≥ 0. Lectures that want w·x > θ mean, on inputs of 0 and 1, the same units: for whole
    weights it is w·x ≥ θ + 1 where θ is whole too.
    Order: truth tables count in binary, and the first input is the most significant digit: 00, 01,
    10, 11.
    Exactness: weights and inputs are whole numbers, fractions or floats, each float the binary number
    that it is, and scores are summed exactly, so that a tie is a tie.

>>> from rosenblatt import circuits
>>> circuits.threshold_function("0001")
ThresholdUnit(weights=(1, 1), threshold=2)
>>> print(circuits.threshold_function("0110"))
00 and 11 give 0, 01 and 10 give 1, but 1/2·00 + 1/2·11 = 1/2·01 + 1/2·10, and no point is both below \
a threshold and not below it
>>> circuits.xor().truth_table()
array([0, 1, 1, 0])
"""

from rosenblatt.circuits.bits import all_inputs
from rosenblatt.circuits.gates import (
    and_gate,
    at_least,
    majority,
    nand_gate,
    not_gate,
    or_gate,
    parity,
    xor,
)
from rosenblatt.circuits.network import Network
from rosenblatt.circuits.threshold_functions import NotThreshold, threshold_function
from rosenblatt.circuits.unit import ThresholdUnit

__all__ = [
    "Network",
    "NotThreshold",
    "ThresholdUnit",
    "all_inputs",
    "and_gate",
    "at_least",
    "majority",
    "nand_gate",
    "not_gate",
    "or_gate",
    "parity",
    "threshold_function",
    "xor",
]
