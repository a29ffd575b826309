"""Gates, networks of threshold units, and the Boolean functions that a single unit can compute.

A function of 0/1 inputs is a threshold function if a hyperplane separates the inputs that give 0 from
those that give 1. If no hyperplane does, some inputs that give 0 and some that give 1 have a common
(weighted) average. Its score would have to be both below the threshold and at least the threshold.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar, final

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt.certificates import HullIntersection, SeparatingHyperplane
from rosenblatt.certificates.combination import row_counts
from rosenblatt.core.checks import whole_number
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts
from rosenblatt.lectures.units import MAX_INPUTS, Circuit, ThresholdUnit, all_inputs
from rosenblatt.separability.question import ask
from rosenblatt.separability.separate import separate_class

_Answer = TypeVar("_Answer")


@final
@dataclass(frozen=True, init=False)
class Network(Circuit):
    """Layers of threshold units; each unit reads all outputs of the previous layer.

    If the last layer has one unit, the network returns one output per input, like a unit; otherwise it
    returns a row of outputs. Layers pass on outputs unchanged: 0 and 1, or -1 and 1.

    A half adder, which returns the carry and the sum of two digits:

    >>> adder = Network([
    ...     [or_gate(2), and_gate(2)],
    ...     [ThresholdUnit([0, 1], 1), ThresholdUnit([1, -1], 1)],
    ... ])
    >>> adder.truth_table()
    array([[0, 0],
           [0, 1],
           [0, 1],
           [1, 0]])
    """

    layers: tuple[tuple[ThresholdUnit, ...], ...]

    def __init__(self, layers: Iterable[Iterable[ThresholdUnit]]) -> None:
        try:
            listed = tuple(tuple(layer) for layer in layers)
        except TypeError as error:
            raise InputError(
                "layers is not a list of lists of units: give one list per layer, even for a single unit"
            ) from error
        _check(listed)
        object.__setattr__(self, "layers", listed)

    @property
    def n_inputs(self) -> int:
        """The number of inputs."""
        return self.layers[0][0].n_inputs

    def evaluate(self, inputs: Any) -> Counts:
        """Return the output (or row of outputs) of each row of an array of exact numbers."""
        values = inputs
        for layer in self.layers:
            values = np.column_stack([unit.evaluate(values) for unit in layer]).astype(object)
        outputs: Counts = values.astype(np.int64)
        return outputs[:, 0] if len(self.layers[-1]) == 1 else outputs

    def __str__(self) -> str:
        return "\n".join(
            f"layer {number}: {'; '.join(str(unit) for unit in layer)}"
            for number, layer in enumerate(self.layers, start=1)
        )


def _check(layers: tuple[tuple[ThresholdUnit, ...], ...]) -> None:
    """Raise InputError unless every layer has units, each with one weight per value that it reads."""
    if not layers or not all(layers):
        raise InputError("layers is empty or has an empty layer: give at least one unit per layer")
    width: int | None = None
    for i, layer in enumerate(layers):
        for j, unit in enumerate(layer):
            if not isinstance(unit, ThresholdUnit):
                raise InputError(f"layers[{i}][{j}]={unit!r} is not a ThresholdUnit")
            width = unit.n_inputs if width is None else width
            if unit.n_inputs != width:
                raise InputError(
                    f"layers[{i}][{j}] has {unit.n_inputs} weights, but needs {width}: one for each "
                    "value that it reads"
                )
        width = len(layer)


def at_least(r: int, n_inputs: int) -> ThresholdUnit:
    """Return the unit whose output is 1 if at least ``r`` of its inputs are 1.

    >>> print(at_least(2, 3))
    x1 + x2 + x3 >= 2
    """
    n_inputs = whole_number("n_inputs", n_inputs, 1, MAX_INPUTS)
    return ThresholdUnit((1,) * n_inputs, whole_number("r", r, 0, n_inputs))


def and_gate(n_inputs: int) -> ThresholdUnit:
    """Return the unit whose output is 1 if all of its inputs are 1."""
    return at_least(n_inputs, n_inputs)


def or_gate(n_inputs: int) -> ThresholdUnit:
    """Return the unit whose output is 1 if any of its inputs is 1."""
    return at_least(1, n_inputs)


def majority(n_inputs: int) -> ThresholdUnit:
    """Return the unit whose output is 1 if more than half of its inputs are 1.

    >>> majority(3).truth_table()
    array([0, 0, 0, 1, 0, 1, 1, 1])
    """
    return at_least(whole_number("n_inputs", n_inputs, 1, MAX_INPUTS) // 2 + 1, n_inputs)


def nand_gate(n_inputs: int) -> ThresholdUnit:
    """Return the unit whose output is 1 unless all of its inputs are 1."""
    n_inputs = whole_number("n_inputs", n_inputs, 1, MAX_INPUTS)
    return ThresholdUnit((-1,) * n_inputs, 1 - n_inputs)


def not_gate() -> ThresholdUnit:
    """Return the unit whose output is 1 if its only input is 0."""
    return nand_gate(1)


def xor() -> Network:
    """Return the two-layer network that computes "one or the other, but not both".

    A single unit cannot compute it: see `threshold_function`.

    >>> print(xor())
    layer 1: x1 + x2 >= 1; -x1 - x2 >= -1
    layer 2: x1 + x2 >= 2
    >>> xor().truth_table()
    array([0, 1, 1, 0])
    """
    return Network([[or_gate(2), nand_gate(2)], [and_gate(2)]])


@final
@dataclass(frozen=True, eq=False)
class NotThreshold:
    """The proof that no threshold unit computes a truth table.

    The certificate refers to the samples `all_inputs` with the labels ``table``.

    >>> proof = threshold_function("1001")
    >>> proof.combination
    {'00': 1, '01': 1, '10': 1, '11': 1}
    >>> proof.verify()
    True
    """

    table: tuple[int, ...]
    certificate: HullIntersection

    @property
    def combination(self) -> dict[str, int]:
        """How often to count each input so that the counts and sums of both outputs are equal."""
        inputs = all_inputs(len(self.table).bit_length() - 1)
        counts = row_counts(self.certificate.combination)
        return {"".join(map(str, inputs[row])): count for row, count in counts.items()}

    @property
    def sentence(self) -> str:
        """The proof as a sentence."""
        groups: tuple[list[tuple[str, int]], ...] = ([], [])
        for name, count in self.combination.items():
            groups[self.table[int(name, 2)]].append((name, count))
        zeros, ones = (
            f"{', '.join(name for name, _ in inputs[:-1])} and {inputs[-1][0]}" for inputs in groups
        )
        return (
            f"{zeros} give 0, {ones} give 1, but {_average(groups[0])} = {_average(groups[1])}, and no "
            "point is both below a threshold and not below it"
        )

    def verify(self) -> bool:
        """Check the proof in whole numbers, with code that shares nothing with the search."""
        inputs = all_inputs(len(self.table).bit_length() - 1)
        return self.certificate.verify(inputs, np.array(self.table), exact=True)

    def __str__(self) -> str:
        return self.sentence


def threshold_function(truth_table: ArrayLike) -> ThresholdUnit | NotThreshold:
    """Return a unit with small whole weights that computes a truth table, or a proof that none does.

    The table is a sequence of 0 and 1, or a string of these digits, in the order of `all_inputs`: 00,
    01, 10, 11. The weights maximize the margin between inputs with output 0 and those with output 1, in
    lowest terms; an irrelevant input has weight 0. The result is checked in whole numbers.

    >>> threshold_function([0, 1, 1, 1])
    ThresholdUnit(weights=(1, 1), threshold=1)
    >>> print(threshold_function("0110"))
    00 and 11 give 0, 01 and 10 give 1, but 1/2·00 + 1/2·11 = 1/2·01 + 1/2·10, and no point is both \
below a threshold and not below it
    """
    table = _as_truth_table(truth_table)
    inputs = all_inputs(table.size.bit_length() - 1)
    if (table == table[0]).all():
        return ThresholdUnit((0,) * inputs.shape[1], 1 - int(table[0]))
    certificate = separate_class(ask(inputs, table, margin="affine", exact=True), 1).certificate
    if isinstance(certificate, SeparatingHyperplane):
        whole = [int(weight) for weight in certificate.weights[:-1]]
        weights = np.array([weight // math.gcd(*whole) for weight in whole], dtype=object)
        unit = ThresholdUnit(weights, min(inputs[table == 1] @ weights))
        return _checked(unit, bool((unit.truth_table() == table).all()))
    assert certificate is not None  # without a time limit, the exact search always decides
    proof = NotThreshold(tuple(table.tolist()), certificate)
    return _checked(proof, proof.verify())


def _as_truth_table(values: ArrayLike) -> Counts:
    digits = np.array(list(values) if isinstance(values, str) else values, dtype=object)
    size = digits.size
    if digits.ndim != 1 or not 2 <= size <= 2**MAX_INPUTS or size & (size - 1):
        raise InputError(
            f"truth_table has shape {digits.shape}: give a sequence of 2, 4, 8, 16, ... or "
            f"{2**MAX_INPUTS} values, one for each input"
        )
    for i, value in enumerate(digits):
        if str(value) not in ("0", "1") and value not in (0, 1):
            raise InputError(f"truth_table[{i}]={value!r} is not accepted: use 0 and 1")
    return digits.astype(np.int64)


def _checked(answer: _Answer, is_right: bool) -> _Answer:
    """Return the answer; raise RuntimeError if the search was wrong."""
    if not is_right:
        raise RuntimeError(
            f"{answer!r} is a wrong answer, which is a bug in rosenblatt: please report it"
        )
    return answer


def _average(inputs: Sequence[tuple[str, int]]) -> str:
    """Format a weighted average of inputs.

    >>> _average([("000", 1), ("111", 2)])
    '1/3·000 + 2/3·111'
    """
    total = sum(count for _, count in inputs)
    return " + ".join(f"{Fraction(count, total)}·{name}" for name, count in inputs)
