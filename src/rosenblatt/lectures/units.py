"""The linear threshold unit of 1943 and 1958, computed exactly.

A unit's output is 1 if w·x ≥ threshold, ties included; otherwise it is 0, or -1 with
``outputs=(-1, 1)``. Lectures that require w·x > θ instead describe the same units on inputs of 0 and 1:
for whole weights and a whole θ, that is w·x ≥ θ + 1.

Weights and inputs are whole numbers, fractions or floats; a float is the exact binary number that it
represents. Scores are summed exactly, so ties are detected exactly.
"""

import math
import numbers
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt.core.checks import whole_number
from rosenblatt.core.constants import WHOLE
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts

Number = int | Fraction | float
"""An exact number; whole numbers are ints, unless they are floats with too many digits to read."""

MAX_INPUTS = 16
"""A truth table has 2**n_inputs rows, so the number of inputs is limited."""

_OUTPUTS = ((0, 1), (-1, 1))


def exact_number(name: str, value: object) -> Number:
    """Return a finite number without rounding it; raise InputError for anything else.

    >>> exact_number("threshold", 2.0), exact_number("threshold", Fraction(1, 2))
    (2, Fraction(1, 2))
    >>> exact_number("threshold", 0.3)
    0.3
    """
    if not isinstance(value, bool):
        if isinstance(value, numbers.Rational):
            fraction = Fraction(int(value.numerator), int(value.denominator))
            return fraction.numerator if fraction.denominator == 1 else fraction
        if isinstance(value, numbers.Real) and math.isfinite(value) and float(value) == value:
            number = float(value)
            return int(number) if number.is_integer() and abs(number) < WHOLE else number
    raise InputError(f"{name}={value!r} is not accepted: use a finite number")


def signed_sum(terms: Iterable[tuple[Number, str]], write: Callable[[Any], str] = str) -> str:
    """Format a sum of numbers times names, without the terms that are 0.

    >>> signed_sum([(2, "x1"), (0, "x2"), (-1, "x3"), (3, "")])
    '2·x1 - x3 + 3'
    """
    text = ""
    for value, name in terms:
        if value:
            size = write(abs(value))
            product = f"{size}·{name}" if name and abs(value) != 1 else name or size
            sign = "-" if value < 0 else "+"
            text += f" {sign} {product}" if text else f"{sign.strip('+')}{product}"
    return text or "0"


def all_inputs(n_inputs: int) -> Counts:
    """Return all inputs of 0 and 1, one per row, in the order of truth tables.

    The first input is the most significant binary digit.

    >>> all_inputs(2)
    array([[0, 0],
           [0, 1],
           [1, 0],
           [1, 1]])
    """
    return _binary_table(whole_number("n_inputs", n_inputs, 1, MAX_INPUTS))


@cache
def _binary_table(n_inputs: int) -> Counts:
    shifts = np.arange(n_inputs - 1, -1, -1)
    table = (np.arange(2**n_inputs)[:, None] >> shifts) & 1
    table.flags.writeable = False
    return table


class Circuit(ABC):
    """The base class of units and networks, which map rows of numbers to outputs."""

    @property
    @abstractmethod
    def n_inputs(self) -> int:
        """The number of inputs."""

    @abstractmethod
    def evaluate(self, inputs: Any) -> Counts:
        """Return the output of each row of an array of exact numbers."""

    def __call__(self, inputs: ArrayLike) -> int | list[int] | Counts:
        """Return the output for one input, or an array of outputs for a table of inputs.

        An input is a sequence of finite numbers; a table has one input per row.
        """
        array = np.array(inputs, dtype=object)
        if array.ndim not in (1, 2) or array.shape[-1] != self.n_inputs:
            raise InputError(
                f"inputs have shape {array.shape}: give {self.n_inputs} values, or rows of "
                f"{self.n_inputs} values"
            )
        for index in np.ndindex(array.shape):
            value = array[index]
            name = f"inputs[{', '.join(map(str, index))}]"
            array[index] = int(value) if isinstance(value, bool) else exact_number(name, value)
        outputs = self.evaluate(array.reshape(-1, self.n_inputs))
        if array.ndim == 2:
            return outputs
        one: int | list[int] = outputs[0].tolist()
        return one

    def truth_table(self) -> Counts:
        """Return the outputs for all inputs of 0 and 1, in the order of `all_inputs`."""
        return self.evaluate(all_inputs(self.n_inputs).astype(object))


@final
@dataclass(frozen=True, init=False, repr=False)
class ThresholdUnit(Circuit):
    """A unit that outputs 1 if w·x ≥ threshold, else 0 (or -1).

    Parameters
    ----------
    weights : sequence of numbers
        One for each input: whole numbers, Fractions or floats.
    threshold : number
        The smallest score w·x for which the output is 1.
    outputs : (0, 1) or (-1, 1), default=(0, 1)
        The output below the threshold, and at or above it.

    Examples
    --------
    >>> unit = ThresholdUnit([1, 1, -1], 1)
    >>> print(unit)
    x1 + x2 - x3 >= 1
    >>> unit([1, 0, 1])
    0
    >>> unit([[1, 0, 1], [1, 1, 0]])
    array([0, 1])
    >>> unit.truth_table()
    array([0, 0, 1, 0, 1, 0, 1, 1])

    The perceptron of the lectures outputs the sign of w·x, which is +1 if the score is 0:

    >>> ThresholdUnit([0.3, -0.1], 0, outputs=(-1, 1))([[1.5, 4.0], [1.0, 3.5], [0.0, 0.0]])
    array([ 1, -1,  1])

    The float 0.3 is slightly less than 3/10, and the float 0.1 slightly more than 1/10:

    >>> ThresholdUnit([0.1, 0.1, 0.1], 0.3)([1, 1, 1]), ThresholdUnit([0.3], Fraction(3, 10))([1])
    (1, 0)
    """

    weights: tuple[Number, ...]
    threshold: Number
    outputs: tuple[int, int]

    def __init__(
        self, weights: Iterable[object], threshold: object, *, outputs: tuple[int, int] = (0, 1)
    ) -> None:
        if not isinstance(outputs, tuple | list) or tuple(outputs) not in _OUTPUTS:
            raise InputError(f"outputs={outputs!r} is not accepted: use (0, 1) or (-1, 1)")
        listed = list(weights) if isinstance(weights, Iterable) else []
        if not listed:
            raise InputError(f"weights={weights!r} is not accepted: give at least one number")
        exact = tuple(exact_number(f"weights[{k}]", value) for k, value in enumerate(listed))
        object.__setattr__(self, "weights", exact)
        object.__setattr__(self, "threshold", exact_number("threshold", threshold))
        object.__setattr__(self, "outputs", tuple(outputs))

    @property
    def n_inputs(self) -> int:
        """The number of inputs."""
        return len(self.weights)

    @property
    def extended_weights(self) -> tuple[Number, ...]:
        """The weights (w, -threshold) for samples (x, 1): the output is 1 if their score is ≥ 0.

        >>> ThresholdUnit([1, 1], 2).extended_weights
        (1, 1, -2)
        """
        return (*self.weights, -self.threshold)

    def evaluate(self, inputs: Any) -> Counts:
        """Return the output of each row of an array of exact numbers."""
        scores = sum(
            (
                _product(weight, column)
                for weight, column in zip(self.weights, inputs.T, strict=True)
            ),
            start=np.zeros(len(inputs), dtype=object),
        )
        low, high = self.outputs
        return np.where(scores >= Fraction(self.threshold), high, low).astype(np.int64)

    def __repr__(self) -> str:
        outputs = "" if self.outputs == (0, 1) else f", outputs={self.outputs}"
        return f"ThresholdUnit(weights={self.weights}, threshold={self.threshold!r}{outputs})"

    def __str__(self) -> str:
        terms = [(weight, f"x{k}") for k, weight in enumerate(self.weights, start=1)]
        return f"{signed_sum(terms)} >= {self.threshold}"


def _product(weight: Number, column: Any) -> Any:
    """Return the weight times a column of exact numbers; floats become fractions."""
    exact = weight if isinstance(weight, int) else Fraction(weight)
    return np.array([exact * (Fraction(x) if isinstance(x, float) else x) for x in column], object)
