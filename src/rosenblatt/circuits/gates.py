"""The usual circuits: gates of one unit, and those that need two layers."""

from rosenblatt.circuits.bits import MOST_INPUTS
from rosenblatt.circuits.network import Network
from rosenblatt.circuits.unit import ThresholdUnit
from rosenblatt.core.checks import whole


def at_least(r: int, n_inputs: int) -> ThresholdUnit:
    """Return the unit that gives 1 when at least ``r`` of its inputs are 1.

    >>> print(at_least(2, 3))
    x1 + x2 + x3 >= 2
    """
    n_inputs = _checked(n_inputs)
    return ThresholdUnit((1,) * n_inputs, whole("r", r, 0, n_inputs))


def and_gate(n_inputs: int) -> ThresholdUnit:
    """Return the unit that gives 1 when all of its inputs are 1.

    >>> and_gate(2).truth_table()
    array([0, 0, 0, 1])
    """
    return at_least(_checked(n_inputs), n_inputs)


def or_gate(n_inputs: int) -> ThresholdUnit:
    """Return the unit that gives 1 when any of its inputs is 1.

    >>> or_gate(2).truth_table()
    array([0, 1, 1, 1])
    """
    return at_least(1, n_inputs)


def majority(n_inputs: int) -> ThresholdUnit:
    """Return the unit that gives 1 when more than half of its inputs are 1.

    >>> majority(3).truth_table()
    array([0, 0, 0, 1, 0, 1, 1, 1])
    """
    return at_least(_checked(n_inputs) // 2 + 1, n_inputs)


def nand_gate(n_inputs: int) -> ThresholdUnit:
    """Return the unit that gives 1 unless all of its inputs are 1.

    >>> nand_gate(2).truth_table()
    array([1, 1, 1, 0])
    """
    n_inputs = _checked(n_inputs)
    return ThresholdUnit((-1,) * n_inputs, 1 - n_inputs)


def not_gate() -> ThresholdUnit:
    """Return the unit that gives 1 when its only input is 0.

    >>> not_gate().truth_table()
    array([1, 0])
    """
    return nand_gate(1)


def xor() -> Network:
    """Return the two layers that tell two inputs apart: either one, but not both.

    One unit cannot: see `threshold_function`.

    >>> print(xor())
    layer 1: x1 + x2 >= 1; -x1 - x2 >= -1
    layer 2: x1 + x2 >= 2
    >>> xor().truth_table()
    array([0, 1, 1, 0])
    """
    return Network([[or_gate(2), nand_gate(2)], [and_gate(2)]])


def parity(n_inputs: int) -> Network:
    """Return the two layers that give 1 when an odd number of inputs is 1.

    Of the units "at least 1", "at least 2", ... as many are 1, the first ones, as inputs are; weights
    that alternate between 1 and -1 sum them to 1 or 0.

    >>> print(parity(3))
    layer 1: x1 + x2 + x3 >= 1; x1 + x2 + x3 >= 2; x1 + x2 + x3 >= 3
    layer 2: x1 - x2 + x3 >= 1
    """
    n_inputs = _checked(n_inputs)
    counters = [at_least(r, n_inputs) for r in range(1, n_inputs + 1)]
    alternating = [(-1) ** place for place in range(n_inputs)]
    return Network([counters, [ThresholdUnit(alternating, 1)]])


def _checked(n_inputs: object) -> int:
    return whole("n_inputs", n_inputs, 1, MOST_INPUTS)
