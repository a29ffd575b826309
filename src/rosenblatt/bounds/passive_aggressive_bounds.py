"""Bounds on the losses of a passive-aggressive run, for any order and any length of the stream.

Assumed throughout: one halfspace that starts from zero and, at each visit, suffers the loss l =
max(0, 1 - y·w·x) and adds τ·y·x with the τ of its variant (see ``online_rules``), where x is the sample
whose length τ is divided by: without an intercept, or with ``length="extended"``, where x has one more
feature, the constant √intercept_rate. Weights of samples change C, so these bounds do not apply to them.

One lemma gives all bounds: for any u, with its losses l*, Σ τ·(2·l - τ·‖x‖² - 2·l*) ≤ ‖u‖², because each
term is at most the decrease of ‖w - u‖² in that visit.

Results are rounded up, by more than the rounding of their arguments costs; the rounding of the run is
not included.
"""

import math

from numpy.typing import ArrayLike

from rosenblatt.bounds.sample_vectors import nonnegatives
from rosenblatt.core.checks import check_choice, not_negative, positive
from rosenblatt.core.constants import ROUNDOFF

_VARIANTS = ("PA", "PA-I", "PA-II")


def passive_aggressive_bound(
    variant: str, radius: float, norm: float, *, losses: ArrayLike | None = None, C: float = 1.0
) -> float:
    """Return a bound on the mistakes of a run and, for PA and PA-II, on the sum of its squared losses.

    With R the ``radius``, ‖u‖ the ``norm`` of any weights u, L and L₂ the sums of their ``losses``
    max(0, 1 - y·u·x), plain and squared, over all visits (by default all 0), the bound is

    - PA: R²·‖u‖² if the losses are 0, else (R·‖u‖ + 2·√L₂)², for samples that all have length R;
    - PA-I: max(R², 1/C)·(‖u‖² + 2·C·L);
    - PA-II: (R² + 1/(2·C))·(‖u‖² + 2·C·L₂).

    Assumes: no sample is longer than R; the losses are those of one u, at every visit.
    Promises: the number of visits with y·w·x ≤ 0, each of which loses at least 1, is at most the
    bound; for PA and PA-II so is the sum of the squared losses of all visits.
    Reference: K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz and Y. Singer, Online
    passive-aggressive algorithms (2006), theorems 2 to 5.

    >>> round(passive_aggressive_bound("PA", 2.0, 3.0), 9)
    36.0
    >>> round(passive_aggressive_bound("PA-I", 2.0, 3.0, losses=[0.5, 0.0], C=0.1), 9)
    91.0
    >>> round(passive_aggressive_bound("PA-II", 2.0, 3.0, losses=[0.5, 0.0], C=0.5), 9)
    46.25
    """
    check_choice("variant", variant, _VARIANTS)
    length, size = positive("radius", radius), not_negative("norm", norm)
    values = nonnegatives("losses", [0.0] if losses is None else losses)
    padding = 1.0 + (len(values) + 32) * ROUNDOFF
    limit = positive("C", C)
    squared = float(values @ values)
    if variant == "PA":
        root = length * size + 2.0 * math.sqrt(squared)
        return root * root * padding
    if variant == "PA-I":
        total = size * size + 2.0 * limit * float(values.sum())
        return max(length * length, 1.0 / limit) * total * padding
    total = size * size + 2.0 * limit * squared
    return (length * length + 0.5 / limit) * total * padding
