"""Weights that return to those of an earlier epoch: in the same order of visits they do so for ever.

Decisions are exact, so in the order "cyclic" an epoch is a function of the weights it begins with. If
the weights after some epoch are, number for number, those after an earlier one, the epochs between them
come again and again, and learning never ends. R. Brent's way notices that with one copy of the weights,
taken before the first epoch and after epochs 1, 2, 4, 8, …: once the copy is on the cycle and not older
than the cycle is long, the first return to it is a full turn (An improved Monte Carlo factorization
algorithm, 1980). Where the weights are more than `MOST_WEIGHTS` no copy is taken, and no cycle noticed.

The updates of one turn sum to nothing: that is a zero combination of the signed samples, which proves
that nothing separates them, wherever no update of the turn was rounded.
"""

from typing import NamedTuple

MOST_WEIGHTS = 2**24


class Cycle(NamedTuple):
    """Two epochs that end with the same weights; the first one is 0 where these are the start.

    >>> print(Cycle(3, 7))
    epoch 7 repeats epoch 3: it will never end
    >>> print(Cycle(0, 2))
    epoch 2 ends with the weights of the start: it will never end
    """

    first: int
    again: int

    def __str__(self) -> str:
        if self.first == 0:
            return f"epoch {self.again} ends with the weights of the start: it will never end"
        return f"epoch {self.again} repeats epoch {self.first}: it will never end"
