"""Samples whose margin is exponentially small: separable, and yet the perceptron takes very long."""

import numpy as np

from rosenblatt.core.checks import whole
from rosenblatt.core.types import Counts

_MOST = 20


def odd_max_bit(n: int) -> tuple[Counts, Counts]:
    """Return the numbers from 0 to 2**n - 1 in binary, labelled by the place of their highest digit 1.

    Feature i (from 1) of a number is its i-th binary digit, the lowest first; its label is 1 if the
    highest digit 1 is at an odd place, else -1, also for 0, which has none. Weights of alternating
    signs, each larger than all before it together, separate them: a decision list, of which the last
    place that has a say decides.

    No weights do it with much less: the maximum margin of the extended samples falls exponentially with
    n while their length grows as √(n + 1). With an intercept, in the order in which they are returned,
    the perceptron makes 23, 137 and 849 mistakes for n = 3, 5 and 7.

    >>> from rosenblatt import Perceptron, separate
    >>> for n in (3, 5, 7):
    ...     X, y = odd_max_bit(n)
    ...     p = Perceptron(order="cyclic").fit(X, y)
    ...     print(n, round(separate(X, y).margin.lower, 3), p.n_mistakes_)
    3 0.2 23
    5 0.079 137
    7 0.03 849
    """
    n = whole("n", n, 1, _MOST)
    numbers = np.arange(2**n)
    X = (numbers[:, None] >> np.arange(n)) & 1
    highest = np.where(X, np.arange(1, n + 1), 0).max(axis=1)
    return X, np.where(highest % 2 == 1, 1, -1)
