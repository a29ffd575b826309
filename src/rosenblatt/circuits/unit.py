"""The linear threshold unit, in whole numbers."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, final

import numpy as np

from rosenblatt.circuits.circuit import Circuit
from rosenblatt.circuits.exact_numbers import Number, exact_number, exact_numbers
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Numbers

_BEYOND_INT64 = 2**63


class _Whole(NamedTuple):
    """A unit's weights and threshold times their common denominator, as an array can hold them."""

    weights: Numbers
    threshold: int


@final
@dataclass(frozen=True, init=False)
class ThresholdUnit(Circuit):
    """The unit whose output is 1 when w·x ≥ threshold, and 0 otherwise.

    Parameters
    ----------
    weights : row of whole numbers or Fractions
        One for each input. Floats are accepted where they are whole.
    threshold : whole number or Fraction
        What the score w·x must reach.

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
    """

    weights: tuple[Number, ...]
    threshold: Number

    def __init__(self, weights: Iterable[object], threshold: object) -> None:
        object.__setattr__(self, "weights", exact_numbers("weights", weights))
        object.__setattr__(self, "threshold", exact_number("threshold", threshold))

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
        return cls(own, (sum(own, Fraction(0)) - constant) / 2)

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
        return (*self.weights, sum(self.weights) - 2 * self.threshold)

    def outputs(self, inputs: Counts) -> Counts:
        """Return the output for each row of inputs, which are not checked."""
        whole = self._whole
        reached: Counts = np.asarray(inputs @ whole.weights >= whole.threshold, dtype=np.int64)
        return reached

    @cached_property
    def _whole(self) -> _Whole:
        numbers = [Fraction(number) for number in (*self.weights, self.threshold)]
        denominator = math.lcm(*(number.denominator for number in numbers))
        *weights, threshold = (int(number * denominator) for number in numbers)
        small = sum(map(abs, weights)) + abs(threshold) < _BEYOND_INT64
        return _Whole(np.array(weights, dtype=np.int64 if small else object), threshold)

    def __str__(self) -> str:
        text = ""
        for place, weight in enumerate(self.weights, start=1):
            if weight:
                sign = "-" if weight < 0 else "+"
                size = "" if abs(weight) == 1 else f"{abs(weight)}·"
                text += f" {sign} {size}x{place}" if text else f"{sign}{size}x{place}".lstrip("+")
        return f"{text or '0'} >= {self.threshold}"
