"""Gates, networks of threshold units, and which Boolean functions one unit can compute.

A function of 0/1 inputs is a threshold function if a hyperplane separates the inputs that give 0 from
those that give 1. If none does, some inputs that give 0 and some that give 1 have a common average. Its
score would have to be below the threshold as an average of the former, and at least the threshold as an
average of the latter.
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
from rosenblatt.lectures.units import MOST_INPUTS, Circuit, ThresholdUnit, all_inputs
from rosenblatt.separability.question import ask
from rosenblatt.separability.separate import separate_class

_Answer = TypeVar("_Answer")


@final
@dataclass(frozen=True, init=False)
class Network(Circuit):
    """Layers of threshold units; each unit reads every output of the layer before.

    A network whose last layer has one unit gives one output per input, as a unit does; otherwise it
    gives a row of outputs. The layers exchange outputs as they are: 0 and 1, or -1 and 1.

    A half adder, which gives the carry and the sum of two digits:

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
                "layers are not rows of units: give a list for each layer, even for a single unit"
            ) from error
        _check(listed)
        object.__setattr__(self, "layers", listed)

    @property
    def n_inputs(self) -> int:
        """The number of inputs."""
        return self.layers[0][0].n_inputs

    def evaluate(self, inputs: Any) -> Counts:
        """Return the output, or the row of outputs, for each row of an array of exact numbers."""
        values = inputs
        for layer in self.layers:
            values = np.column_stack([unit.evaluate(values) for unit in layer]).astype(object)
        outputs: Counts = values.astype(np.int64)
        return outputs[:, 0] if len(self.layers[-1]) == 1 else outputs

    def __str__(self) -> str:
        return "\n".join(
            f"layer {place}: {'; '.join(str(unit) for unit in layer)}"
            for place, layer in enumerate(self.layers, start=1)
        )


def _check(layers: tuple[tuple[ThresholdUnit, ...], ...]) -> None:
    """Raise unless every layer has units, and each unit has one weight for each value it reads."""
    if not layers or not all(layers):
        raise InputError("layers are empty: give at least one layer, and one unit in each")
    width: int | None = None
    for number, layer in enumerate(layers):
        for place, unit in enumerate(layer):
            if not isinstance(unit, ThresholdUnit):
                raise InputError(f"layers[{number}][{place}]={unit!r} is not a ThresholdUnit")
            width = unit.n_inputs if width is None else width
            if unit.n_inputs != width:
                raise InputError(
                    f"layers[{number}][{place}] reads {unit.n_inputs} values, but its layer is given "
                    f"{width}: use one weight for each"
                )
        width = len(layer)


def at_least(r: int, n_inputs: int) -> ThresholdUnit:
    """Return the unit that gives 1 when at least ``r`` of its inputs are 1.

    >>> print(at_least(2, 3))
    x1 + x2 + x3 >= 2
    """
    n_inputs = whole_number("n_inputs", n_inputs, 1, MOST_INPUTS)
    return ThresholdUnit((1,) * n_inputs, whole_number("r", r, 0, n_inputs))


def and_gate(n_inputs: int) -> ThresholdUnit:
    """Return the unit that gives 1 when all of its inputs are 1."""
    return at_least(n_inputs, n_inputs)


def or_gate(n_inputs: int) -> ThresholdUnit:
    """Return the unit that gives 1 when any of its inputs is 1."""
    return at_least(1, n_inputs)


def majority(n_inputs: int) -> ThresholdUnit:
    """Return the unit that gives 1 when more than half of its inputs are 1.

    >>> majority(3).truth_table()
    array([0, 0, 0, 1, 0, 1, 1, 1])
    """
    return at_least(whole_number("n_inputs", n_inputs, 1, MOST_INPUTS) // 2 + 1, n_inputs)


def nand_gate(n_inputs: int) -> ThresholdUnit:
    """Return the unit that gives 1 unless all of its inputs are 1."""
    n_inputs = whole_number("n_inputs", n_inputs, 1, MOST_INPUTS)
    return ThresholdUnit((-1,) * n_inputs, 1 - n_inputs)


def not_gate() -> ThresholdUnit:
    """Return the unit that gives 1 when its only input is 0."""
    return nand_gate(1)


def xor() -> Network:
    """Return the two layers that compute "one or the other, but not both".

    One unit cannot: see `threshold_function`.

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

    The certificate is about the samples `all_inputs` with the labels ``table``.

    >>> refusal = threshold_function("1001")
    >>> refusal.combination
    {'00': 1, '01': 1, '10': 1, '11': 1}
    >>> refusal.verify()
    True
    """

    table: tuple[int, ...]
    certificate: HullIntersection

    @property
    def combination(self) -> dict[str, int]:
        """How often to count each input so that both kinds have the same number and the same sum."""
        inputs = all_inputs(len(self.table).bit_length() - 1)
        counts = row_counts(self.certificate.combination)
        return {"".join(map(str, inputs[row])): count for row, count in counts.items()}

    @property
    def sentence(self) -> str:
        """The proof, in words."""
        kinds: tuple[list[tuple[str, int]], ...] = ([], [])
        for name, count in self.combination.items():
            kinds[self.table[int(name, 2)]].append((name, count))
        zeros, ones = (
            f"{', '.join(name for name, _ in kind[:-1])} and {kind[-1][0]}" for kind in kinds
        )
        return (
            f"{zeros} give 0, {ones} give 1, but {_average(kinds[0])} = {_average(kinds[1])}, and no "
            "point is both below a threshold and not below it"
        )

    def verify(self) -> bool:
        """Return whether the proof holds, checked in whole numbers by code that did not find it."""
        inputs = all_inputs(len(self.table).bit_length() - 1)
        return self.certificate.verify(inputs, np.array(self.table), exact=True)

    def __str__(self) -> str:
        return self.sentence


def threshold_function(truth_table: ArrayLike) -> ThresholdUnit | NotThreshold:
    """Return a unit with small whole weights that computes the truth table, or proof of none.

    The table is a row of 0 and 1, or a string of these digits, in the order of `all_inputs`: 00, 01,
    10, 11. The weights are those of the largest margin between both kinds of inputs, in lowest terms;
    an input that never matters has weight 0. The answer is checked in whole numbers.

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
        own = [int(weight) for weight in certificate.weights[:-1]]
        weights = np.array([weight // math.gcd(*own) for weight in own], dtype=object)
        unit = ThresholdUnit(weights, min(inputs[table == 1] @ weights))
        return _checked(unit, bool((unit.truth_table() == table).all()))
    assert certificate is not None  # whole numbers always decide when there is no time limit
    refusal = NotThreshold(tuple(table.tolist()), certificate)
    return _checked(refusal, refusal.verify())


def _as_truth_table(values: ArrayLike) -> Counts:
    digits = np.array(list(values) if isinstance(values, str) else values, dtype=object)
    size = digits.size
    if digits.ndim != 1 or not 2 <= size <= 2**MOST_INPUTS or size & (size - 1):
        raise InputError(
            f"truth_table has shape {digits.shape}: give 2, 4, 8, 16, ... or {2**MOST_INPUTS} values "
            "in a row, one for each input"
        )
    for place, value in enumerate(digits):
        if str(value) not in ("0", "1") and value not in (0, 1):
            raise InputError(f"truth_table[{place}]={value!r} is not accepted: use 0 and 1")
    return digits.astype(np.int64)


def _checked(answer: _Answer, is_right: bool) -> _Answer:
    """Return the answer, or raise if the search was wrong."""
    if not is_right:
        raise RuntimeError(
            f"{answer!r} is not an answer, which is a bug in rosenblatt: please report it"
        )
    return answer


def _average(kind: Sequence[tuple[str, int]]) -> str:
    """Return a weighted average of inputs in words.

    >>> _average([("000", 1), ("111", 2)])
    '1/3·000 + 2/3·111'
    """
    total = sum(count for _, count in kind)
    return " + ".join(f"{Fraction(count, total)}·{name}" for name, count in kind)
