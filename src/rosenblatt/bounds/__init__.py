"""Bounds that can be proved about a run: its number of mistakes, and the risk of its hypotheses.

Mistakes
    For the perceptron: `mistake_bound` for separable samples, `instance_mistake_bound` for the samples
    with mistakes, `mistake_bound_with_deviations` and `mistake_bound_with_hinge` for samples that may be
    inseparable; from these, `epoch_bound` and `visit_bound` bound the length of a run. `radius`,
    `sample_lengths`, `geometric_margin` and `deviations` compute their arguments, rounded in the safe
    direction. For passive-aggressive runs: `passive_aggressive_bound`. For Winnow:
    `winnow_mistake_bound` (disjunctions), `winnow1_mistake_bound` (with elimination),
    `winnow2_mistake_bound` (any target of nonnegative weights), `winnow_entropy_bound` (the same, for
    features from 0 to 1) and `balanced_winnow_mistake_bound` (any signs).

Risk, the probability of a wrong label for one more sample drawn like the others
    With high probability: `kl_risk_bound` and `azuma_risk_bound` (one pass), `compression_risk_bound`
    (a run that ended without mistakes), `held_out_risk_bound` (held-out samples).
    In expectation only: `expected_risk` and `leave_one_out_bound`.
    For a fitted run, with an error if they do not apply: `online_risk`, `compression_risk`,
    `select_hypothesis` and, as an estimate, `estimated_risk`.

Separators
    `Hyperplane` and its `Margins` for each sample: functional, geometric, augmented and cosine.
    `margin_class`: a proof whether any separator has a margin, and how small the class of those is.

Every function states what it assumes and what it promises. Bounds are rounded in the direction in which
the promise holds; the two means are ordinary float quotients; a risk is never above 1.

>>> from rosenblatt import Perceptron, bounds
>>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
>>> margin = bounds.geometric_margin(X, y, [1, 1], -4)
>>> p = Perceptron(order="cyclic").fit(X, y)
>>> int(bounds.mistake_bound(bounds.radius(X), margin)), p.n_mistakes_
(117, 7)
"""

from rosenblatt.bounds.hyperplane import Hyperplane, LeastMargins, LeastRows, Margins
from rosenblatt.bounds.mistakes import (
    epoch_bound,
    instance_mistake_bound,
    mistake_bound,
    mistake_bound_with_deviations,
    mistake_bound_with_hinge,
    visit_bound,
)
from rosenblatt.bounds.passive_aggressive_bounds import passive_aggressive_bound
from rosenblatt.bounds.risk import (
    azuma_risk_bound,
    compression_risk_bound,
    expected_risk,
    held_out_risk_bound,
    kl_risk_bound,
    leave_one_out_bound,
)
from rosenblatt.bounds.runs import (
    Selection,
    compression_risk,
    estimated_risk,
    online_risk,
    select_hypothesis,
)
from rosenblatt.bounds.sample_radius import deviations, geometric_margin, radius, sample_lengths
from rosenblatt.bounds.separators import Emptiness, MarginClass, margin_class
from rosenblatt.bounds.winnow_bounds import (
    balanced_winnow_mistake_bound,
    winnow1_mistake_bound,
    winnow2_mistake_bound,
    winnow_entropy_bound,
    winnow_mistake_bound,
)

__all__ = [
    "Emptiness",
    "Hyperplane",
    "LeastMargins",
    "LeastRows",
    "MarginClass",
    "Margins",
    "Selection",
    "azuma_risk_bound",
    "balanced_winnow_mistake_bound",
    "compression_risk",
    "compression_risk_bound",
    "deviations",
    "epoch_bound",
    "estimated_risk",
    "expected_risk",
    "geometric_margin",
    "held_out_risk_bound",
    "instance_mistake_bound",
    "kl_risk_bound",
    "leave_one_out_bound",
    "margin_class",
    "mistake_bound",
    "mistake_bound_with_deviations",
    "mistake_bound_with_hinge",
    "online_risk",
    "passive_aggressive_bound",
    "radius",
    "sample_lengths",
    "select_hypothesis",
    "visit_bound",
    "winnow1_mistake_bound",
    "winnow2_mistake_bound",
    "winnow_entropy_bound",
    "winnow_mistake_bound",
]
