"""Bounds on the mistakes of a perceptron's run, for any order and any length.

Assumed throughout: a run of one halfspace that starts from w0, and adds eta0·y·x to its weights at every
mistake (a visit with y·w·x ≤ 0) and never otherwise. With an intercept x is the extended sample (x, 1).
Weights of samples or classes change the step, so these bounds do not apply to them. The theorems are
about exact sums: weights that are integers below 2**53, or integer multiples of one power of two, are
updated exactly; the rounding of other updates, and of mixtures, about one part in 2**52 each, is not
included.

One proof gives all bounds. Let ‖u‖ = 1, d_t = max(0, γ - y_t·u·x_t), M the number of mistakes, s =
‖w0‖/eta0, w the weights in units of eta0 and sums over mistakes. Then γ ≤ d_t + y_t·u·x_t, so M·γ ≤ Σ
d_t + u·(w - w0) ≤ Σ d_t + s + ‖w‖, and each mistake adds at most ‖x_t‖² to ‖w‖², so ‖w‖² ≤ s² + Σ‖x_t‖²
≤ s² + M·R². The bounds differ in how they bound Σ d_t: 0 where u separates with margin γ, √M·√Σd_t² by
Cauchy and Schwarz, or as it is.

Results are rounded up, by more than the rounding of their arguments costs, and M is an integer, so M is
at most ``math.floor`` of them. Infinity means that the bound overflows float64.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt.bounds.sample_vectors import nonnegatives, whole_counts
from rosenblatt.core.checks import not_negative, positive, whole_number
from rosenblatt.core.constants import ROUNDOFF, WHOLE
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats

_PADDING = 1.0 + 32 * ROUNDOFF

# A margin may exceed the radius only by the rounding of both.
_SLACK = 1.0 + 2.0**-40


def mistake_bound(
    radius: float,
    margin: float,
    *,
    start_norm: float = 0.0,
    eta0: float = 1.0,
    required: float = 0.0,
    shards: int = 1,
) -> float:
    """Return (R² + 2·m)/γ² + 2·‖w0‖/(eta0·γ), m = required/eta0, rounded up: the convergence theorem.

    For a run whose weights are mixed from ``shards``, the parameter of `Perceptron`, it is multiplied by
    the number of shards. For classes that learn jointly, give √2 times the radius and the joint margin:
    that is 2·(R² + m)/γ².

    Assumes: no sample is longer than ``radius``, and some unit vector u has y·u·x ≥ ``margin`` > 0 on
    all of them; the start has length ``start_norm``; an update is a visit with y·w·x ≤ ``required``, the
    parameter ``margin`` of `Perceptron`; with ``required`` 0, a mistake.
    Promises: every run, in any order, makes at most that many updates. From zero, with ``required`` 0,
    eta0 does not matter. In a run with shards, the number of epochs in which a halfspace makes a mistake
    is at most the result for one shard: use that for `epoch_bound`.
    Reference: A. Novikoff, On convergence proofs on perceptrons (1962); with a start, from
    (M·γ - s)² ≤ s² + M·(R² + 2·m), because a mistake adds ‖x‖² + 2·y·w·x to ‖w‖² in units of eta0. In S
    shards, R. McDonald, K. Hall and G. Mann, Distributed training strategies for the structured
    perceptron (2010), theorem 3: with k_s mistakes among k of an epoch in shard s, M is the sum over
    epochs of Σ_s k_s²/k, because ‖·‖² of a mixture is at most the mixture of the ‖·‖²; and Σ_s k_s²/k is
    at least 1 and at least k/S.

    >>> int(mistake_bound(26**0.5, (2 / 9) ** 0.5))
    117
    >>> int(mistake_bound(1.0, 0.1, start_norm=1.0, eta0=0.5))
    140
    >>> int(mistake_bound(1.0, 0.1, required=0.5))
    200
    >>> int(mistake_bound(1.0, 0.1, shards=4))
    400
    """
    largest, gamma = positive("radius", radius), positive("margin", margin)
    if gamma > largest * _SLACK:
        raise InputError(
            f"margin={margin!r} is above radius={radius!r}: a margin cannot be larger than the "
            "longest sample"
        )
    beyond = 2.0 * (not_negative("required", required) / positive("eta0", eta0)) / gamma / gamma
    bound = (_from_zero(largest, gamma) + beyond) * _PADDING
    return (bound + _for_start(gamma, start_norm, eta0)) * whole_number("shards", shards, 1, WHOLE)


def epoch_bound(mistake_bound: float) -> int:
    """Return floor(bound) + 1, an upper bound on the number of epochs of a run.

    Assumes: no run makes more mistakes than ``mistake_bound``, or mistakes in more epochs; each epoch
    visits every sample, so an epoch without a mistake ends the run.
    Promises: the run ends within that many epochs, because all but the last make a mistake.

    >>> epoch_bound(1.0)
    2
    >>> epoch_bound(mistake_bound(1.0, 0.1))  # in any number of shards
    101
    """
    return math.floor(not_negative("mistake_bound", mistake_bound)) + 1


def visit_bound(mistake_bound: float, n_samples: int) -> int:
    """Return (floor(bound) + 1)·N, an upper bound on the number of visits of a run.

    Assumes: the same as `epoch_bound`, and epochs of ``n_samples`` N visits.
    Promises: the run ends within that many visits. The bound times N alone is not enough: (1, 0) and
    (-1, 0) with different labels have the bound 1 and take 4 visits, 2 of them to confirm the result.

    >>> from rosenblatt import Perceptron
    >>> p = Perceptron(fit_intercept=False, order="cyclic").fit([[1, 0], [-1, 0]], [1, -1])
    >>> p.n_mistakes_, 2 * p.n_iter_, visit_bound(mistake_bound(1.0, 1.0), 2)
    (1, 4, 4)
    """
    return epoch_bound(mistake_bound) * whole_number("n_samples", n_samples, 1)


def instance_mistake_bound(
    lengths: ArrayLike,
    margin: float,
    *,
    counts: ArrayLike | None = None,
    start_norm: float = 0.0,
    eta0: float = 1.0,
) -> float:
    """Return (s + √(s² + Σ c_i·‖x_i‖²))/γ with s = ‖w0‖/eta0, rounded up.

    ``lengths`` are those of the samples (see `sample_lengths`) and ``counts`` the mistakes on each, by
    default 1. The result bounds the sum of the counts: it checks a finished run, and is smaller than
    `mistake_bound` if few of the mistakes were on long samples.

    Assumes: some unit vector u has y·u·x ≥ ``margin`` > 0 on every sample with a mistake; the start has
    length ``start_norm``.
    Promises: Σ c_i is at most the result.
    Reference: the two inequalities of Novikoff's proof, before Σ‖x_t‖² ≤ M·R².

    >>> int(instance_mistake_bound([5.0, 1.0], 0.5, counts=[1, 11]))
    12
    """
    values = nonnegatives("lengths", lengths)
    gamma = positive("margin", margin)
    times = np.ones(len(values)) if counts is None else whole_counts("counts", counts, len(values))
    start = not_negative("start_norm", start_norm) / positive("eta0", eta0)
    reach = _root_of_squares(values, times)
    return (start + math.hypot(start, reach)) / gamma * _PADDING


def mistake_bound_with_deviations(
    radius: float,
    margin: float,
    deviations: ArrayLike,
    *,
    counts: ArrayLike | None = None,
    epochs: int = 1,
    start_norm: float = 0.0,
    eta0: float = 1.0,
) -> float:
    """Return ((D + √(R² + 2·γ·s))/γ)² with s = ‖w0‖/eta0, rounded up; ((R + D)/γ)² from zero.

    D² is the sum of the squared deviations over the visits: ``epochs`` times each sample's (from
    `deviations`, for any direction u), or ``counts[i]`` times sample i's. The sum over mistakes is
    enough, so ``counts`` may be the ``mistake_counts`` of a finished run's ledger. D/γ is the square
    root of the sum of squared hinge losses, so this is also the squared-hinge bound.

    Assumes: no sample visited is longer than ``radius``; the deviations belong to one direction u and
    to this margin γ > 0; every sample was visited at most ``epochs`` times, or had at most ``counts[i]``
    mistakes; the start has length ``start_norm``. The samples may be inseparable.
    Promises: the run makes at most that many mistakes.
    Reference: Y. Freund and R. Schapire, Large margin classification using the perceptron algorithm
    (1999), theorem 2; over mistakes only, M. Mohri and A. Rostamizadeh, Perceptron mistake bounds
    (2013). With a start: g = γ·√M - D has g² - 2·s·g/√M ≤ R² and g ≤ γ·√M.

    >>> int(mistake_bound_with_deviations(1.0, 0.5, [0.0, 0.0, 1.0]))
    16
    >>> int(mistake_bound_with_deviations(1.0, 0.5, [0.0, 0.0, 1.0], epochs=4))
    36
    """
    largest, gamma = positive("radius", radius), positive("margin", margin)
    values = nonnegatives("deviations", deviations)
    times = _visits(values, counts, epochs)
    length = _root_of_squares(values, times) / gamma
    root = length + math.sqrt(_from_zero(largest, gamma) + _for_start(gamma, start_norm, eta0))
    return root * root * _PADDING


def mistake_bound_with_hinge(
    radius: float,
    margin: float,
    deviations: ArrayLike,
    *,
    counts: ArrayLike | None = None,
    epochs: int = 1,
    start_norm: float = 0.0,
    eta0: float = 1.0,
) -> float:
    """Return L + (B + √(B² + 4·L·R²/γ²))/2, B = R²/γ² + 2·s/γ and s = ‖w0‖/eta0, rounded up.

    L is the sum of the hinge losses max(0, 1 - y·u·x/γ), the deviations divided by γ, with ``counts``
    and ``epochs`` as in `mistake_bound_with_deviations`. From zero this is (R/(2γ) + √(R²/(4γ²) + L))².
    Which of the two is smaller depends on the data: with many small deviations it is the other one.

    Assumes: the same as `mistake_bound_with_deviations`.
    Promises: the run makes at most that many mistakes.
    Reference: C. Gentile, The robustness of the p-norm algorithms (2003); M. Mohri and A.
    Rostamizadeh, Perceptron mistake bounds (2013). With a start: A = M - L has
    A² - A·B ≤ L·R²/γ².

    >>> int(mistake_bound_with_hinge(1.0, 0.5, [0.0, 0.0, 1.0]))
    7
    """
    largest, gamma = positive("radius", radius), positive("margin", margin)
    values = nonnegatives("deviations", deviations)
    times = _visits(values, counts, epochs)
    scale = float(values.max()) or 1.0
    loss = float(times @ (values / scale)) * (scale / gamma) * (1.0 + (len(values) + 8) * ROUNDOFF)
    separable = _from_zero(largest, gamma)
    both = separable + _for_start(gamma, start_norm, eta0)
    if math.isinf(both) or math.isinf(loss):
        return math.inf
    return (loss + (both + math.sqrt(both * both + 4.0 * loss * separable)) / 2.0) * _PADDING


def _from_zero(radius: float, margin: float) -> float:
    ratio = radius / margin
    return ratio * ratio


def _for_start(margin: float, start_norm: float, eta0: float) -> float:
    start = not_negative("start_norm", start_norm) / positive("eta0", eta0)
    return 2.0 * start / margin * _PADDING


def _visits(values: Floats, counts: ArrayLike | None, epochs: int) -> Floats:
    if counts is None:
        return np.full(len(values), float(whole_number("epochs", epochs, 1, WHOLE)))
    if epochs != 1:
        raise InputError(f"counts and epochs={epochs!r} are both given: give only one of them")
    return whole_counts("counts", counts, len(values))


def _root_of_squares(values: Floats, times: Floats) -> float:
    """Return √Σ times·values², rounded up; a power of two keeps the squares in range."""
    values, times = values[times > 0.0], times[times > 0.0]
    largest = float(values.max(initial=0.0))
    if largest == 0.0:
        return 0.0
    scale = math.ldexp(1.0, math.frexp(largest)[1] - 1)
    total = float(times @ (values / scale) ** 2)
    return math.sqrt(total) * scale * (1.0 + (len(values) + 8) * ROUNDOFF)
