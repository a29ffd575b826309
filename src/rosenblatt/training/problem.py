"""The learning problem: samples, the side each belongs to, and how far a mistake moves the weights.

As in scikit-learn, the weight of a class applies in that class's own halfspace; with two classes the
single halfspace uses both weights. With a matrix of labels every column is a halfspace, in which the
weight of its label applies to the samples that have it. If classes learn jointly, the weight of a class
applies to its samples.

An open stream has a halfspace for each class, even with two, and a last one for future classes, for
which all samples so far are negative.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from rosenblatt.core.classes import Classes
from rosenblatt.core.labels import class_indices, sign_table
from rosenblatt.core.types import Counts, Floats, Labels, Signs
from rosenblatt.kernels.rows import Rows, n_rows

_N_CHECKED_FIRST = 1000


@dataclass
class Problem:
    """The samples, and the task of each halfspace.

    ``signs[i, k]`` is the side of sample i for halfspace k; 0 means that it does not see the sample. A
    mistake moves the weights by ``steps[i]`` times ``factors[k, 1]`` for a positive sample or
    ``factors[k, 0]`` for a negative one.

    ``tie`` is the sign of a score of exactly 0 (0: it is always a mistake). ``own``, unless None, is the
    class of each sample, or -1: then the classes learn jointly. A visit is a mistake up to the margin
    ``required``, in units of the weights; a tie is at that margin.

    ``norms`` has the samples' lengths, -1 for those not visited yet. ``since``, unless empty, turns on
    counting the samples that are misclassified before they are learned: see ``panel_types``.
    """

    rows: Rows
    signs: Signs
    steps: Floats
    factors: Floats
    tie: int = 0
    own: Counts | None = None
    norms: Floats = field(default_factory=lambda: np.zeros(0))
    since: Counts = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    required: float = 0.0

    def __post_init__(self) -> None:
        n_samples = n_rows(self.rows)
        if len(self.norms) != n_samples:
            self.norms = np.full(n_samples, -1.0)

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def n_halfspaces(self) -> int:
        """The number of halfspaces."""
        return int(self.signs.shape[1])

    def part(self, columns: slice) -> "Problem":
        """Return a view of the problem for some of the halfspaces."""
        return replace(self, signs=self.signs[:, columns], factors=self.factors[columns])

    def steps_of(self, k: int) -> Floats:
        """Return how far a mistake on each sample moves the weights of halfspace k."""
        factors = self.factors[k]
        if (factors == 1.0).all():
            return self.steps
        signs = self.signs[:, k]
        own: Floats = self.steps * np.where(signs > 0, *factors[::-1]) * (signs != 0)
        return own

    @property
    def sees_no_sample(self) -> bool:
        """Whether some halfspace, or all classes that learn jointly, see no samples."""
        if self.own is not None:
            return bool((self.own < 0).all())
        some = self.signs[:_N_CHECKED_FIRST]  # usually decides it, and checking all is slow
        return not bool(some.any(axis=0).all() or self.signs.any(axis=0).all())


def new_problem(
    rows: Rows,
    y: Labels,
    classes: Classes,
    weights: Floats,
    by_class: Floats,
    *,
    tie: int = 0,
    joint: bool = False,
) -> Problem:
    """Return the problem for these classes; a sample of weight 0 is not seen.

    ``y`` has one label per sample, or is a matrix with one column per label. ``weights`` has one number
    per sample, ``by_class`` one per class.

    >>> from rosenblatt.kernels.rows import as_rows
    >>> weights = np.array([1.0, 0.0, 1.0])
    >>> by_class = np.array([1.0, 2.0, 0.0])
    >>> labels, classes = np.array(list("bac")), Classes(np.array(list("abc")))
    >>> problem = new_problem(as_rows(np.eye(3), 1.0), labels, classes, weights, by_class, joint=True)
    >>> problem.own, problem.signs.tolist()
    (array([ 1, -1, -1]), [[-1, 1, -1], [0, 0, 0], [-1, -1, 0]])
    """
    if y.ndim == 2:
        signs = (2 * y - 1).astype(np.int8)
        factors = np.column_stack([np.ones(len(by_class)), by_class])
    else:
        signs = sign_table(y, classes.positives, classes.n_halfspaces)
        factors = class_factors(by_class, classes)
    if not weights.all():
        signs[weights == 0.0] = 0
    for k in np.flatnonzero((factors != 1.0).any(axis=1)).tolist():
        own_steps = weights * np.where(signs[:, k] > 0, factors[k, 1], factors[k, 0])
        signs[own_steps == 0.0, k] = 0
    own = None
    if joint:
        own = class_indices(y, classes.labels)
        own[weights * by_class[own] == 0.0] = -1
    return Problem(rows, signs, weights, factors, tie, own)


def class_factors(by_class: Floats, classes: Classes) -> Floats:
    """Return each halfspace's factors on steps for negative and positive samples.

    >>> class_factors(np.array([2.0, 3.0]), Classes(np.array(["a", "b"])))
    array([[2., 3.]])
    """
    factors, n_positives = np.ones((classes.n_halfspaces, 2)), len(classes.positives)
    factors[:n_positives, 1] = by_class[-n_positives:]
    if len(classes) == 2:
        factors[:n_positives, 0] = by_class[::-1][-n_positives:]
    return factors
