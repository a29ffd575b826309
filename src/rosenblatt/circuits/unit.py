"""The linear threshold unit, whose decisions are exact.

Its weights and threshold are whole numbers, fractions or floats, its inputs any finite numbers; a float
is the binary number that it is. Whole numbers are summed as such; floats by the compiled sums that also
decide a perceptron's mistakes (see ``signs``); what neither holds in Python's own numbers.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, final

import numpy as np

from rosenblatt.circuits.circuit import Circuit
from rosenblatt.circuits.exact_numbers import Number, exact_number, exact_numbers, simplest
from rosenblatt.core.checks import as_float
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Flags, Floats, Numbers
from rosenblatt.kernels.decisions import choose_side
from rosenblatt.kernels.exact_sum import new_digits
from rosenblatt.kernels.rows import as_rows

_BEYOND_INT64 = 2**63
_OUTPUTS = ((0, 1), (-1, 1))


class _Whole(NamedTuple):
    """A unit's weights and threshold times their common denominator."""

    weights: tuple[int, ...]
    threshold: int


@final
@dataclass(frozen=True, init=False, repr=False)
class ThresholdUnit(Circuit):
    """The unit that fires, its output being the higher one, when w·x ≥ threshold.

    Parameters
    ----------
    weights : row of numbers
        One for each input: whole numbers, Fractions, or floats, each the binary number that it is.
    threshold : number
        What the score w·x must reach.
    outputs : (0, 1) or (-1, 1), default=(0, 1)
        The output below the threshold, and from it on.

    Examples
    --------
    >>> from rosenblatt.circuits import ThresholdUnit
    >>> unit = ThresholdUnit([1, 1, -1], 1)
    >>> print(unit)
    x1 + x2 - x3 >= 1
    >>> unit([1, 0, 1]), unit("110")
    (0, 1)
    >>> unit([[1, 0, 1], [1, 1, 0]])
    array([0, 1])
    >>> unit.truth_table()
    array([0, 0, 1, 0, 1, 0, 1, 1])

    The perceptron of the lectures is the sign of w·x, +1 when that is 0, for inputs of any size:

    >>> sign = ThresholdUnit([0.3, -0.1], 0, outputs=(-1, 1))
    >>> sign([[1.5, 4.0], [1.0, 3.5], [0.0, 0.0]])
    array([ 1, -1,  1])

    The float 0.3 is a little less than 3/10, and three times 0.1 a little more:

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
        object.__setattr__(self, "weights", exact_numbers("weights", weights))
        object.__setattr__(self, "threshold", exact_number("threshold", threshold))
        object.__setattr__(self, "outputs", tuple(outputs))

    @classmethod
    def from_signed_weights(cls, weights: Iterable[object]) -> "ThresholdUnit":
        """Return the unit that is right for weights of samples (s, 1), with s in {-1, +1}.

        The inverse of `signed_weights`: the unit gives 1 where these weights have a score ≥ 0.

        >>> ThresholdUnit.from_signed_weights([1, 1, 1]).truth_table()
        array([0, 1, 1, 1])
        """
        *own, constant = exact_numbers("weights", weights)
        if not own:
            raise InputError(
                f"weights={weights!r} is not accepted: give one for each input, and the constant's last"
            )
        return cls(own, simplest((_total(own) - Fraction(constant)) / 2))

    @property
    def n_inputs(self) -> int:
        """How many inputs are read."""
        return len(self.weights)

    @property
    def extended_weights(self) -> tuple[Number, ...]:
        """The weights (w, -threshold) of samples (x, 1): the output is 1 where their score is ≥ 0.

        >>> ThresholdUnit([1, 1], 2).extended_weights
        (1, 1, -2)
        """
        return (*self.weights, -self.threshold)

    @property
    def signed_weights(self) -> tuple[Number, ...]:
        """The weights of samples (s, 1), where s has -1 for 0 and +1 for 1, with the same signs.

        With x = (s + 1)/2, the score w·x - threshold is (w·s + Σw - 2·threshold)/2.

        >>> ThresholdUnit([1, 1], 2).signed_weights
        (1, 1, -2)
        >>> ThresholdUnit([1, 1], 1).signed_weights
        (1, 1, 0)
        """
        constant = _total(self.weights) - 2 * Fraction(self.threshold)
        return (*self.weights, simplest(constant))

    def evaluate(self, inputs: Numbers) -> Counts:
        """Return the output for each row of inputs, which are not checked."""
        sides = self._float_sides if inputs.dtype.kind == "f" else self._whole_sides
        low, high = self.outputs
        return np.where(sides(inputs), high, low).astype(np.int64)

    def _whole_sides(self, inputs: Numbers) -> Flags:
        whole = self._whole
        largest = max(int(inputs.max(initial=1)), -int(inputs.min(initial=0)))
        reach = sum(map(abs, whole.weights)) * largest + abs(whole.threshold)
        number = np.int64 if reach < _BEYOND_INT64 else object
        weights = np.array(whole.weights, dtype=number)
        sides: Flags = np.asarray(
            inputs.astype(number) @ weights >= whole.threshold, dtype=np.bool_
        )
        return sides

    def _float_sides(self, inputs: Numbers) -> Flags:
        out = np.zeros(len(inputs), dtype=np.int64)
        done = 0
        if self._floats is not None:
            done = choose_side(as_rows(inputs, 1.0), self._floats, 1, out, new_digits())
            done = len(inputs) if done < 0 else done
        # What floats cannot hold: fractions such as 1/3 with long numerators, scores beyond float64.
        whole = self._whole
        for i in range(done, len(inputs)):
            values = map(Fraction, inputs[i].tolist())
            score = sum(w * x for w, x in zip(whole.weights, values, strict=True))
            out[i] = score >= whole.threshold
        return out.astype(np.bool_)

    @cached_property
    def _whole(self) -> _Whole:
        numbers = [Fraction(number) for number in (*self.weights, self.threshold)]
        denominator = math.lcm(*(number.denominator for number in numbers))
        *weights, threshold = (int(number * denominator) for number in numbers)
        return _Whole(tuple(weights), threshold)

    @cached_property
    def _floats(self) -> Floats | None:
        """The weights (w, -threshold), or a multiple, as floats; None where these would round."""
        for numbers in (self.extended_weights, (*self._whole.weights, -self._whole.threshold)):
            floats = [as_float(number) for number in numbers]
            if all(number == exact for number, exact in zip(floats, numbers, strict=True)):
                return np.array(floats)
        return None

    def __repr__(self) -> str:
        outputs = "" if self.outputs == (0, 1) else f", outputs={self.outputs}"
        return f"ThresholdUnit(weights={self.weights}, threshold={self.threshold!r}{outputs})"

    def __str__(self) -> str:
        text = ""
        for place, weight in enumerate(self.weights, start=1):
            if weight:
                sign = "-" if weight < 0 else "+"
                size = "" if abs(weight) == 1 else f"{abs(weight)}·"
                text += f" {sign} {size}x{place}" if text else f"{sign}{size}x{place}".lstrip("+")
        return f"{text or '0'} >= {self.threshold}"


def _total(numbers: Iterable[Number]) -> Fraction:
    return sum((Fraction(number) for number in numbers), Fraction(0))
