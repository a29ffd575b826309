"""Which Boolean functions one threshold unit can compute: its weights, or the proof that there are none.

A function of 0/1 inputs is a threshold function when a hyperplane separates the inputs that give 0 from
those that give 1. Where none does, some inputs that give 0 and some that give 1 have an average in
common; its score would be below the threshold as an average of the ones, and not below it as an
average of the others.

The weights are those of the largest distance between the hyperplane and both kinds of inputs, in lowest
terms. They are unique, and follow the function when inputs are exchanged or negated; an input that
never matters gets the weight 0.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar, final

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt.certificates import HullIntersection, SeparatingHyperplane
from rosenblatt.certificates.combination import row_counts
from rosenblatt.circuits.bits import all_inputs, as_truth_table, named
from rosenblatt.circuits.unit import ThresholdUnit
from rosenblatt.core.types import Counts
from rosenblatt.separability.question import ask
from rosenblatt.separability.separate import separate_class

_Answer = TypeVar("_Answer")


@final
@dataclass(frozen=True, eq=False)
class NotThreshold:
    """The proof that no threshold unit computes a truth table.

    Attributes
    ----------
    table : tuple of int
        The truth table.
    certificate : HullIntersection
        The proof, about the samples `all_inputs` and the labels ``table``.

    >>> refusal = threshold_function("1001")
    >>> refusal.combination
    {'00': 1, '01': 1, '10': 1, '11': 1}
    >>> refusal.verify()
    True
    """

    table: tuple[int, ...]
    certificate: HullIntersection

    @property
    def n_inputs(self) -> int:
        """How many inputs the function has."""
        return len(self.table).bit_length() - 1

    @property
    def combination(self) -> dict[str, int]:
        """How often each input is to be counted for both kinds to have the same number and sum."""
        inputs, counts = all_inputs(self.n_inputs), row_counts(self.certificate.combination)
        return {named(inputs[row]): count for row, count in counts.items()}

    @property
    def sentence(self) -> str:
        """The proof, in words."""
        kinds: tuple[list[tuple[str, int]], ...] = ([], [])
        for name, count in self.combination.items():
            kinds[self.table[int(name, 2)]].append((name, count))
        zeros, ones = ([name for name, _ in kind] for kind in kinds)
        return (
            f"{_listed(zeros)} give 0, {_listed(ones)} give 1, but {_average(kinds[0])} = "
            f"{_average(kinds[1])}, and no point is both below a threshold and not below it"
        )

    def verify(self) -> bool:
        """Return whether the proof is one, checked in whole numbers by code that did not find it."""
        inputs = all_inputs(self.n_inputs)
        return self.certificate.verify(inputs, np.array(self.table), exact=True)

    def __str__(self) -> str:
        return self.sentence


def threshold_function(truth_table: ArrayLike) -> ThresholdUnit | NotThreshold:
    """Return a unit with small whole weights that computes the truth table, or the proof of none.

    Parameters
    ----------
    truth_table : row of 0 and 1, or string of these digits
        The value of each input, in the order of `all_inputs`: 00, 01, 10, 11.

    Returns
    -------
    ThresholdUnit or NotThreshold
        Checked in whole numbers against the truth table.

    Examples
    --------
    >>> from rosenblatt.circuits import majority, threshold_function
    >>> threshold_function([0, 1, 1, 1])
    ThresholdUnit(weights=(1, 1), threshold=1)
    >>> threshold_function(majority(5).truth_table()) == majority(5)
    True
    >>> print(threshold_function("0110"))
    00 and 11 give 0, 01 and 10 give 1, but 1/2·00 + 1/2·11 = 1/2·01 + 1/2·10, and no point is both \
below a threshold and not below it
    """
    table = as_truth_table(truth_table)
    inputs = all_inputs(table.size.bit_length() - 1)
    if (table == table[0]).all():
        return ThresholdUnit((0,) * inputs.shape[1], 1 - int(table[0]))
    certificate = separate_class(ask(inputs, table, margin="affine", exact=True), 1).certificate
    if isinstance(certificate, SeparatingHyperplane):
        return _unit(inputs, table, certificate)
    assert certificate is not None  # without a time limit whole numbers decide
    refusal = NotThreshold(tuple(table.tolist()), certificate)
    return _checked(refusal, refusal.verify())


def _unit(inputs: Counts, table: Counts, certificate: SeparatingHyperplane) -> ThresholdUnit:
    """Return the unit of the certificate's weights, with the highest threshold that is right."""
    own = [int(weight) for weight in certificate.weights[:-1]]
    factor = math.gcd(*own)
    weights = [weight // factor for weight in own]
    unit = ThresholdUnit(weights, min(inputs[table == 1] @ np.array(weights, dtype=object)))
    return _checked(unit, bool((unit.truth_table() == table).all()))


def _checked(answer: _Answer, is_right: bool) -> _Answer:
    """Return the answer: whoever found it is not trusted."""
    if not is_right:
        raise RuntimeError(
            f"{answer!r} is no answer, which is a bug in rosenblatt: please report it"
        )
    return answer


def _listed(names: Sequence[str]) -> str:
    """Return names in words.

    >>> _listed(["00", "11"]), _listed(["001", "010", "100"])
    ('00 and 11', '001, 010 and 100')
    """
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _average(kind: Sequence[tuple[str, int]]) -> str:
    """Return an average of inputs in words.

    >>> _average([("000", 1), ("111", 2)])
    '1/3·000 + 2/3·111'
    """
    total = sum(count for _, count in kind)
    return " + ".join(f"{Fraction(count, total)}·{name}" for name, count in kind)
