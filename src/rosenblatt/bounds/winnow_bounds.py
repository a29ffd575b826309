"""Bounds on the mistakes of Winnow, for any order and any length of the stream.

Assumed throughout: one halfspace that starts from weights 1, predicts "positive" if w·x ≥ threshold, and
at every mistake, and never otherwise, multiplies each feature's weight by promotion**(±x): + for a
positive sample (a promotion) and - for a negative one (a demotion); all x are from 0 to 1. Weights of
samples change the step, so these bounds do not apply to them.

The proof, for features from 0 to 1. Let α be the promotion, θ the threshold, μ ≥ 0 a target with
μ·x ≥ 1 on positive samples and μ·x ≤ 1 - δ on negative ones, and D(w) = Σ (c·μ_i·ln(c·μ_i/w_i) +
w_i - c·μ_i), which is never negative, for any c > 0. For 0 ≤ x ≤ 1, α**x ≤ 1 + (α - 1)·x and α**-x
≤ 1 - (1 - 1/α)·x, because both are convex in x. So a promotion, with w·x < θ, changes D by at most -c·ln
α + (α - 1)·θ, and a demotion, with w·x ≥ θ, by at most c·(1 - δ)·ln α - (1 - 1/α)·θ. If c makes
both negative, which needs α·(1 - δ) < 1, there are at most D(1) / (the smaller drop) mistakes, and
D(1) = c·Σμ_i·(ln(c·μ_i) - 1) + n.

Results are rounded up, and the number of mistakes is an integer: so it is at most ``math.floor`` of
them.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt.bounds.sample_vectors import nonnegatives
from rosenblatt.core.checks import positive, whole_number
from rosenblatt.core.constants import ROUNDOFF, WHOLE
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats

_PADDING = 1.0 + 64 * ROUNDOFF
_SCALES = 64
_TINY = 1e-290


def winnow_mistake_bound(n_features: int, n_relevant: int) -> float:
    """Return 2 + 3·r·(1 + lg n), rounded up: for a disjunction of r of n features of 0 and 1.

    Assumes: promotion 2, threshold n, demotion by halving.
    Promises: at most that many mistakes, at most r·(1 + lg n) of them on positive samples.
    Reference: A. Blum, On-line algorithms in machine learning (1998). A relevant weight is doubled
    only while it is below n and is never halved; a promotion adds less than n to the sum of the weights
    and a demotion subtracts at least n/2, so the number of demotions is at most 2 plus twice the number
    of promotions.

    >>> int(winnow_mistake_bound(1000, 3))
    100
    """
    n = whole_number("n_features", n_features, 1, WHOLE)
    r = whole_number("n_relevant", n_relevant, 0, n)
    return (2.0 + 3.0 * r * (1.0 + math.log2(n))) * _PADDING


def winnow1_mistake_bound(
    n_features: int, n_relevant: int, *, promotion: float = 2.0, threshold: float | None = None
) -> float:
    """Return α·k·(log_α θ + 1) + n/θ, rounded up: for disjunctions of k features, by elimination.

    Assumes: features of 0 and 1; a demotion sets the active weights to 0; θ, by default n, is at
    least 1/α.
    Promises: at most that many mistakes.
    Reference: N. Littlestone, Learning quickly when irrelevant attributes abound (1988), theorem 7.

    >>> int(winnow1_mistake_bound(1024, 3))
    67
    """
    n = whole_number("n_features", n_features, 1, WHOLE)
    k = whole_number("n_relevant", n_relevant, 0, n)
    alpha = _promotion(promotion)
    theta = positive("threshold", n if threshold is None else threshold)
    if theta * alpha < 1.0:
        raise InputError(
            f"threshold={threshold!r} is not accepted: use at least 1 / promotion, {1.0 / alpha:g}"
        )
    return (alpha * k * (math.log(theta) / math.log(alpha) + 1.0) + n / theta) * _PADDING


def winnow2_mistake_bound(
    n_features: int, total: float, separation: float, *, threshold: float | None = None
) -> float:
    """Return 8·n/(δ²·θ) + (5/δ + 14·ln θ/δ²)·Σμ, rounded up: for any target of nonnegative weights.

    Assumes: features of 0 and 1; some μ ≥ 0, whose sum is ``total``, has μ·x ≥ 1 on positive
    samples and μ·x ≤ 1 - δ on negative ones, where δ is the ``separation``; the promotion is 1 +
    δ/2; θ, by default n, is at least 1. For "at least r of k features" δ is 1/r and the total k/r.
    Promises: at most that many mistakes.
    Reference: N. Littlestone (1988), theorem 9.

    >>> int(winnow2_mistake_bound(100, 5 / 2, 1 / 2))
    701
    """
    n = whole_number("n_features", n_features, 1, WHOLE)
    mass, delta = positive("total", total), _separation(separation)
    theta = positive("threshold", n if threshold is None else threshold)
    if theta < 1.0:
        raise InputError(f"threshold={threshold!r} is not accepted: use a number of at least 1")
    by_mass = (5.0 + 14.0 * math.log(theta) / delta) * (mass / delta)
    bound = (8.0 * n / theta / delta / delta + by_mass) * _PADDING
    if not bound < math.inf:
        raise InputError(
            f"separation={separation!r} is not accepted for total={total!r}: the bound would overflow "
            "float64"
        )
    return bound


def winnow_entropy_bound(
    n_features: int,
    target: ArrayLike,
    separation: float,
    *,
    promotion: float = 2.0,
    threshold: float | None = None,
) -> float:
    """Return the smallest D(1)/drop over many c, rounded up: see the proof in the module's docstring.

    ``target`` has the weights μ_i above 0 (others may be omitted), ``separation`` is δ.

    Assumes: features from 0 to 1; μ·x ≥ 1 on positive samples and μ·x ≤ 1 - δ on negative ones; a
    demotion divides; promotion·(1 - δ) < 1; θ is n by default.
    Promises: at most that many mistakes. For disjunctions (μ_i = 1, δ = 1, promotion 2) this is
    below Blum's bound.

    >>> int(winnow_entropy_bound(1000, [1, 1, 1], 1.0)), int(winnow_mistake_bound(1000, 3))
    (88, 100)
    >>> int(winnow_entropy_bound(100, [0.5] * 5, 0.5, promotion=1.25))
    235
    """
    n = whole_number("n_features", n_features, 1, WHOLE)
    mu = nonnegatives("target", target)
    mu = mu[mu > 0.0]
    delta, alpha = _separation(separation), _promotion(promotion)
    theta = positive("threshold", n if threshold is None else threshold)
    if alpha * (1.0 - delta) >= 1.0:
        raise InputError(
            f"promotion={promotion!r} is not accepted for separation={separation!r}: the proof needs "
            "promotion · (1 - separation) below 1; 1 + separation / 2 always works"
        )
    gain, eta = (alpha - 1.0) * theta, math.log(alpha)
    found: list[float] = []
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        even = gain * (1.0 + 1.0 / alpha) / ((2.0 - delta) * eta)
        for c in np.linspace(gain / eta, even, _SCALES + 1)[1:].tolist():
            drop = _drop(c * eta, gain, delta, alpha)
            bound = _start(c * mu, n) / drop if drop > 0.0 else math.inf
            if bound < math.inf:
                found.append(bound)
    if not found:
        raise InputError(
            f"separation={separation!r} is not accepted for promotion={promotion!r}: the progress of "
            "each mistake is lost in the rounding of float64"
        )
    return min(found) * _PADDING


def balanced_winnow_mistake_bound(
    n_features: int, margin: float, *, promotion: float, largest: float = 1.0
) -> float:
    """Return ln(2·n)/(η·g - η²·X²/2) with η = ln(promotion), rounded up: for balanced weights.

    Assumes: balanced weights and threshold 0; no absolute value is above ``largest`` X; some u with
    Σ|u_i| = 1 has y·u·x ≥ ``margin`` g > 0 on all samples; ``n_features`` includes the constant, if one
    is learned. The promotion may be anything below exp(2·g/X²); the bound is smallest, 2·X²·ln(2·n)/g²,
    at exp(g/X²).
    Promises: at most that many mistakes.
    Reference: the decisions are those of normalized weights over the features and their negatives,
    p_i ∝ promotion**(sum of y·x_i over mistakes). A mistake lowers the relative entropy of u from p
    by η·y·u·x - ln Σ p_i·exp(η·y·x_i) ≥ η·g - η²·X²/2 by Hoeffding's lemma; at first it is at most
    ln(2·n). See J. Kivinen and M. Warmuth, Exponentiated gradient versus gradient descent for
    linear predictors (1997).

    >>> int(balanced_winnow_mistake_bound(100, 0.1, promotion=1.1))
    1061
    """
    n = whole_number("n_features", n_features, 1, WHOLE)
    g, eta = positive("margin", margin), math.log(_promotion(promotion))
    size = positive("largest", largest)
    limit = 2.0 * (g / size) / size
    if limit < 2.0**-50:
        raise InputError(
            f"margin={margin!r} is not accepted for largest={largest!r}: the proof needs a promotion "
            "below exp(2·margin/largest²), which is almost 1 in float64"
        )
    more, less = eta * g, (eta * size) * (eta * size) / 2.0
    drop = more - less - 16 * ROUNDOFF * (more + less)
    if not drop > _TINY:
        raise InputError(
            f"promotion={promotion!r} is not accepted for margin={margin!r} and largest={largest!r}: "
            f"the proof needs a promotion below {math.exp(min(limit, 700.0))!r}, by more than the "
            f"rounding of float64, and margin · ln(promotion) above {_TINY:g}"
        )
    return math.log(2.0 * n) / drop * _PADDING


def _drop(scaled: float, gain: float, delta: float, alpha: float) -> float:
    """Return the smaller drop for scaled = c·ln α and gain = (α - 1)·θ, less possible rounding."""
    by_promotion = scaled - gain
    by_demotion = gain / alpha - (1.0 - delta) * scaled
    return min(by_promotion, by_demotion) - 16 * ROUNDOFF * (scaled + gain)


def _start(target: Floats, n: int) -> float:
    """Return D(1) for the target c·μ, plus possible rounding."""
    logs = np.log(target)
    size = float((target * (np.abs(logs) + 1.0)).sum()) + n
    return float((target * (logs - 1.0)).sum()) + n + (len(target) + 16) * ROUNDOFF * size


def _promotion(value: float) -> float:
    if positive("promotion", value) <= 1.0:
        raise InputError(f"promotion={value!r} is not accepted: use a number above 1")
    return float(value)


def _separation(value: float) -> float:
    if positive("separation", value) > 1.0:
        raise InputError(f"separation={value!r} is not accepted: use a number above 0, at most 1")
    return float(value)
