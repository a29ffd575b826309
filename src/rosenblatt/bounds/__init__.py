"""What can be proved about a run: how many mistakes it may make, and how its hypotheses will do.

Mistakes
    `mistake_bound` for separable samples, `instance_mistake_bound` for the samples that were
    mistaken, `mistake_bound_with_deviations` and `mistake_bound_with_hinge` for samples that need
    not be separable; `epoch_bound` and `visit_bound` say how long a run can then take. `radius`,
    `sample_lengths`, `geometric_margin` and `deviations` compute, rounded the safe way, what these
    are given. These are the perceptron's;
    `passive_aggressive_bound` is for passive-aggressive runs, and `winnow_mistake_bound`
    (disjunctions), `winnow1_mistake_bound` (with elimination), `winnow2_mistake_bound` (any target
    of nonnegative weights), `winnow_entropy_bound` (the same, for features from 0 to 1) and
    `balanced_winnow_mistake_bound` (any signs) for Winnow.

Risk, that is the probability of a wrong label for one more sample drawn like the others
    With high probability: `kl_risk_bound` and `azuma_risk_bound` (one pass), `compression_risk_bound`
    (a run that ended without mistakes), `held_out_risk_bound` (samples kept aside).
    In expectation only: `expected_risk` and `leave_one_out_bound`.
    From a fitted run, refused where they do not apply: `online_risk`, `compression_risk`,
    `select_hypothesis` and, an estimate, `estimated_risk`.

Separators
    `Hyperplane` and its `Margins`, each sample's own: functional, geometric, augmented and cosine.
    `margin_class`: whether any separator has a margin, proved, and how small the class of those is.

Every function says what it assumes and what it promises. Bounds are rounded to the side on which the
promise holds; the two means, a quotient each, are ordinary floats; a risk is never above 1.

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
