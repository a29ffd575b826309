"""Inverses of binomial tails, rounded up.

A level is minus the logarithm of a probability, so that no probability underflows. Bisection finds each
inverse, and the result is an upper end at which the tail, after the worst-case rounding, is beyond the
level: the true inverse is not above it.
"""

import math
from collections.abc import Callable

import numpy as np

from rosenblatt.core.constants import TWO_ROUNDOFFS


def level_of(delta: float, choices: int = 1) -> float:
    """Return ln(choices/delta), rounded up: the level at which each choice may fail.

    >>> round(level_of(0.05, 20), 6)
    5.991465
    """
    return (math.log(choices) - math.log(delta)) * (1.0 + 4 * TWO_ROUNDOFFS)


def log_binomial(n: int, k: int) -> float:
    """Return ln(n choose k), rounded up.

    All terms of the sum ln(n - k + 1)/1 + … + ln n/k are positive, so no digits cancel; the factor
    covers the rounding of terms and (pairwise) sum many times over.

    >>> round(math.exp(log_binomial(5, 2)), 9)
    10.0
    """
    few = min(k, n - k)
    terms = np.log1p((n - few) / np.arange(1.0, few + 1.0))
    return float(terms.sum()) * (1.0 + 2.0**-40)


def kl_inverse(k: int, n: int, level: float) -> float:
    """Return the p ≥ k/n at which n·kl(k/n‖p) reaches the level, rounded up; at most 1.

    kl(q‖p) = q·ln(q/p) + (1 - q)·ln((1 - q)/(1 - p)) is the relative entropy of two coins.

    >>> round(kl_inverse(0, 1, math.log(4)), 9), kl_inverse(3, 3, 1.0)
    (0.75, 1.0)
    """
    if k == n:
        return 1.0

    def is_beyond(p: float) -> bool:
        ups = k * math.log(k / n / p) if k else 0.0
        downs = (n - k) * (math.log1p(-k / n) - math.log1p(-p))
        return ups + downs - 4 * TWO_ROUNDOFFS * (n + abs(ups) + abs(downs)) > level

    return _least(is_beyond, k / n)


def tail_inverse(k: int, n: int, level: float) -> float:
    """Return the p at which ln Pr[Bin(n, p) ≤ k] falls to minus the level, rounded up; at most 1.

    It is the upper end of Clopper and Pearson's interval for k successes in n trials.

    >>> round(tail_inverse(0, 1, math.log(4)), 9), tail_inverse(3, 3, 1.0)
    (0.75, 1.0)
    """
    if k == n:
        return 1.0
    j = np.arange(k + 1.0)
    logs = np.append(0.0, np.cumsum(np.log((n - j[:-1]) / j[1:])))
    rounding = 4 * TWO_ROUNDOFFS * (k + 8)

    def is_beyond(p: float) -> bool:
        ups, downs = math.log(p), math.log1p(-p)
        terms = logs + j * ups + (n - j) * downs
        top = float(terms.max())
        tail = top + math.log(float(np.exp(terms - top).sum()))
        size = float(np.abs(logs).max()) - k * ups - n * downs + 1.0
        return tail + rounding * size < -level

    return _least(is_beyond, 0.0)


def _least(is_beyond: Callable[[float], bool], low: float) -> float:
    """Return a p that is beyond, close to the smallest such p above ``low``; or 1."""
    high = 1.0
    while high - low > 2.0**-44 * high:
        middle = low + (high - low) / 2.0
        if is_beyond(middle):
            high = middle
        else:
            low = middle
    return high
