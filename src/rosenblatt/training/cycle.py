"""Cycles: if weights return to those of an earlier epoch, the run would repeat forever.

Decisions are exact, so in the order "cyclic" an epoch is a function of the weights it begins with. If
the weights after some epoch equal those after an earlier one, number for number, the epochs between
them repeat and learning never ends. R. Brent's method detects that with one copy of the weights, taken
before the first epoch and after epochs 1, 2, 4, 8, …: once the copy is on the cycle and at least as old
as the cycle is long, the first return to it completes the cycle (An improved Monte Carlo factorization
algorithm, 1980). With more than `MOST_WEIGHTS` weights no copy is taken, and cycles are not detected.

The updates of one cycle sum to zero. If none of them was rounded, that is a zero combination of the
signed samples, which proves that nothing separates them.
"""

from typing import NamedTuple

MOST_WEIGHTS = 2**24


class Cycle(NamedTuple):
    """Two epochs that end with the same weights; ``first`` is 0 if these are the start weights.

    >>> print(Cycle(3, 7))
    epoch 7 repeats epoch 3: the run would repeat forever
    >>> print(Cycle(0, 2))
    epoch 2 ends with the weights of the start: the run would repeat forever
    """

    first: int
    again: int

    def __str__(self) -> str:
        if self.first == 0:
            return f"epoch {self.again} ends with the weights of the start: the run would repeat forever"
        return f"epoch {self.again} repeats epoch {self.first}: the run would repeat forever"
