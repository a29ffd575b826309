"""Gardner's capacity: how many random samples per dimension can be separated with a margin.

P = α·N samples drawn from the normal distribution in N dimensions, with random labels: as N grows, a
hyperplane through the origin with geometric margin κ (the distance of the nearest sample) exists when
α < α(κ) and none does when α > α(κ), where

    1/α(κ) = ∫_{-κ}^∞ (t + κ)² φ(t) dt = (1 + κ²)·Φ(κ) + κ·φ(κ)

with the normal density φ and distribution function Φ. So α(0) = 2, as in Cover's theorem, and the
maximum margin at the load α < 2 tends to the κ with α(κ) = α. Margins below 0 are not what the formula
is about.

E. Gardner, The space of interactions in neural network models (1988); M. Shcherbina and B. Tirozzi,
Rigorous solution of the Gardner problem (2003).
"""

import math

from rosenblatt.core.checks import not_negative
from rosenblatt.core.errors import InputError

# Newton's steps at least halve the distance at first and soon square it.
_MOST_STEPS = 100


def gardner_capacity(margin: float) -> float:
    """Return how many samples per dimension can be separated with this margin, in the limit.

    Parameters
    ----------
    margin : float
        The geometric margin κ, at least 0, in units in which each feature has variance 1.

    Examples
    --------
    >>> gardner_capacity(0.0), round(gardner_capacity(1.0), 6)
    (2.0, 0.519572)
    """
    return 1.0 / _reciprocal(not_negative("margin", margin))


def gardner_margin(load: float) -> float:
    """Return the largest margin with which ``load`` samples per dimension are separable, in the limit.

    It is the inverse of `gardner_capacity`.

    Parameters
    ----------
    load : float
        Samples per dimension, above 0 and at most 2.

    Examples
    --------
    >>> round(gardner_margin(1.0), 4), gardner_margin(2.0)
    (0.4707, 0.0)
    """
    alpha = not_negative("load", load)
    if not 0.0 < alpha <= 2.0:
        raise InputError(f"load={load!r} is not accepted: use a number above 0 and at most 2")
    # 1/α(κ) is convex, rises with κ, and is at least (1 + κ²)/2: from above, Newton's steps descend.
    wanted, kappa = 1.0 / alpha, math.sqrt(2.0 / alpha)
    for _ in range(_MOST_STEPS):
        slope = 2.0 * (kappa * _distribution(kappa) + _density(kappa))
        below = max(0.0, kappa - (_reciprocal(kappa) - wanted) / slope)
        if below >= kappa:
            break
        kappa = below
    return kappa


def _reciprocal(kappa: float) -> float:
    return (1.0 + kappa * kappa) * _distribution(kappa) + kappa * _density(kappa)


def _density(t: float) -> float:
    return math.exp(-t * t / 2.0) / math.sqrt(2.0 * math.pi)


def _distribution(t: float) -> float:
    return math.erfc(-t / math.sqrt(2.0)) / 2.0
