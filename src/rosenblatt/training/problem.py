"""What there is to learn: samples, which side each belongs to, and how far a mistake moves the weights.

As in scikit-learn, the weight of a class counts in that class's own halfspace, and with two classes
the one halfspace has both weights. Of a matrix of labels every column is a halfspace, in which the
weight of its label counts for the samples that have it. Where classes learn jointly, the weight of a
class is that of its samples.

An open stream has a halfspace for each class, even for two, and a last one for the classes yet to come,
for which every sample so far is a negative one.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from rosenblatt.core.classes import Classes
from rosenblatt.core.labels import numbers_of, sign_table
from rosenblatt.core.types import Counts, Floats, Labels, Signs
from rosenblatt.kernels.rows import Rows, n_rows

_SOME = 1000


@dataclass
class Problem:
    """The samples, and what each of some halfspaces is to learn from them.

    ``signs[i, k]`` says on which side halfspace k has sample i, and 0 that it does not see it. A mistake
    moves the weights by ``steps[i]`` times ``factors[k, 1]`` for a positive sample, ``factors[k, 0]``
    for a negative one.

    ``tie`` is the sign that a score of exactly 0 stands for (0: it is a mistake). ``own``, unless None,
    says which class each sample belongs to, -1 for none: then the classes learn jointly. A visit is a
    mistake up to the margin that is ``required``, in the unit of the weights; a tie is at that margin.

    ``norms`` has the samples' lengths, -1 for each one not visited yet. ``since``, unless it is empty,
    asks for the samples that are put in a wrong class: see ``panel_types``.
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
        """How many halfspaces learn."""
        return int(self.signs.shape[1])

    def part(self, columns: slice) -> "Problem":
        """View what some of the halfspaces are to learn."""
        return replace(self, signs=self.signs[:, columns], factors=self.factors[columns])

    def steps_of(self, k: int) -> Floats:
        """Return how far a mistake on each sample moves halfspace k."""
        factors = self.factors[k]
        if (factors == 1.0).all():
            return self.steps
        signs = self.signs[:, k]
        own: Floats = self.steps * np.where(signs > 0, *factors[::-1]) * (signs != 0)
        return own

    @property
    def sees_no_sample(self) -> bool:
        """Whether some halfspace, or all classes that learn jointly, see no sample."""
        if self.own is not None:
            return bool((self.own < 0).all())
        some = self.signs[:_SOME]  # most often they tell, and to look at all takes its time
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
    """Return what the halfspaces of some classes are to learn; a sample of weight 0 is not seen.

    ``y`` has one label for each sample, or is a matrix with a column for each label. ``weights`` has one
    number for each sample, ``by_class`` one for each class.

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
        own = numbers_of(y, classes.labels)
        own[weights * by_class[own] == 0.0] = -1
    return Problem(rows, signs, weights, factors, tie, own)


def class_factors(by_class: Floats, classes: Classes) -> Floats:
    """Return what a step is multiplied by on a negative and on a positive sample, by halfspace.

    >>> class_factors(np.array([2.0, 3.0]), Classes(np.array(["a", "b"])))
    array([[2., 3.]])
    """
    factors = np.ones((classes.n_halfspaces, 2))
    for k, positive in enumerate(classes.positives):
        factors[k, 1] = by_class[classes.labels == positive][0]
        if len(classes) == 2:
            factors[k, 0] = by_class[classes.labels != positive][0]
    return factors
