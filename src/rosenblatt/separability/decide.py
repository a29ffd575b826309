"""From vectors to a decision: cheap proofs first, then dearer ones, whole numbers last.

1. A vector that is zero decides at once (equal samples with opposite labels are looked for before).
2. The perceptron's own interval: a few epochs.
3. Up to 1,500 dimensions, or vectors: ``constraint_generation``; beyond, coordinate descent
   (``descent_with_support``).
4. Where that finds nothing and the columns differ widely in size: the same on columns of one size
   (``column_scaling``).
5. Where floats leave the interval open, or cannot tell a tiny margin from none: ``exact_active_set``.

Floats never prove that nothing separates: only an exact zero does.

What was measured, and against whom, is in ``docs/guide/benchmarks.md``: on 84,000 × 100 numbers
constraint generation takes 0.15 s, HiGHS 29 s and an interior-point method 80 s.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rosenblatt.certificates.rounding import sqrt_down, sqrt_up
from rosenblatt.core.compiling import working_time
from rosenblatt.core.types import Counts, Floats
from rosenblatt.kernels.epochs.one_halfspace import learn_halfspace
from rosenblatt.kernels.epochs.panel_types import Memory, Record, Samples, Task, new_tallies
from rosenblatt.kernels.exact_sum import new_digits
from rosenblatt.separability.search import Round, Search
from rosenblatt.separability.signed_samples import Vectors
from rosenblatt.separability.solvers.column_scaling import balanced
from rosenblatt.separability.solvers.constraint_generation import WIDEST, generate
from rosenblatt.separability.solvers.descent_with_support import descend_all
from rosenblatt.separability.solvers.exact_active_set import ExactPoint, nearest_point, zero_point
from rosenblatt.separability.solvers.integers import SOLVABLE
from rosenblatt.training.margins import Interval

_EPOCHS = 2

# Seconds that closing an interval is worth, once the verdict is known.
_WORTH = 10.0


@dataclass(frozen=True)
class Decision:
    """What was found: an interval on the margin, and what proves it.

    In floats, ``weights`` prove the lower end and the ``shares`` of the vectors in ``order`` the upper;
    ``exact``, where it was found, is the nearest point in whole numbers, and proves both.
    """

    interval: Interval
    order: Counts
    shares: Floats
    weights: Floats | None
    exact: ExactPoint | None
    history: list[Round]

    @property
    def zero(self) -> ExactPoint | None:
        """The combination that is exactly zero, so that nothing separates the vectors, if any."""
        return self.exact if self.exact is not None and self.exact.squared_margin == 0 else None


def decide(
    vectors: Vectors, tolerance: float, deadline: float, *, wants_exact: bool = False
) -> Decision:
    """Close an interval on the maximum margin of the vectors, or prove that there is none."""
    search = Search(vectors, tolerance, deadline)
    exact = _zero_vector(vectors)
    if exact is None:
        _search(search, _perceptron(search))
        exact = _zero_combination(search, search.order, wants_exact=wants_exact)
    if exact is None and search.lower <= 0.0:
        order = _balanced_search(search)
        if _is_solvable(search, len(order), wants_exact=wants_exact):
            exact = zero_point(vectors, order)
    if exact is None and (wants_exact or not search.is_closed):
        exact = _nearest_point(search, wants_exact=wants_exact)
    interval = search.interval
    if exact is not None:
        interval = Interval(sqrt_down(exact.squared_margin), sqrt_up(exact.squared_margin))
    return Decision(interval, search.order, search.shares, search.weights, exact, search.history)


def _search(search: Search, weights: Floats) -> None:
    """Close the interval in floats, as far as they go."""
    if min(search.vectors.dimension, search.vectors.count) <= WIDEST:
        generate(search, weights)
    else:
        descend_all(search)


def _balanced_search(search: Search) -> Counts:
    """Look for weights again, in columns of the same size, if they are not.

    Returned are the vectors whose combination may well be zero, none if there is no reason to think so.
    """
    even = balanced(search.vectors)
    none = np.zeros(0, dtype=np.int64)
    if even is None or working_time() > search.deadline:
        return none
    vectors, factors = even
    part = Search(vectors, search.tolerance, search.deadline)
    _search(part, np.zeros(vectors.dimension))
    if part.weights is not None:
        weights = part.weights * factors
        search.offer_weights(weights, *search.vectors.sharp_margins(weights))
    search.record("balanced columns", len(part.order))
    return part.order if part.is_nearly_zero else none


def _zero_combination(search: Search, order: Counts, *, wants_exact: bool) -> ExactPoint | None:
    """Return the proof that a combination is zero, where floats leave no other guess."""
    if not search.is_nearly_zero or not _is_solvable(search, len(order), wants_exact=wants_exact):
        return None
    return zero_point(search.vectors, order)


def _nearest_point(search: Search, *, wants_exact: bool) -> ExactPoint | None:
    """Go on in whole numbers, where they are wanted, or where floats leave the interval open."""
    size = len(search.order)
    if not _is_solvable(search, 4 * size, wants_exact=wants_exact):
        return None
    deadline = search.deadline
    if search.lower > 0.0 and not wants_exact:
        # The verdict is known: a narrower interval is worth some time, not any.
        deadline = min(deadline, working_time() + _WORTH)
    exact = nearest_point(search.vectors, search.order, search.shares, deadline)
    search.record("whole numbers", size)
    return exact


def _is_solvable(search: Search, size: int, *, wants_exact: bool) -> bool:
    """Say whether there is a support, small enough or wanted exactly, and time for it."""
    seconds = 3.0 * (size / 250) ** 3.3  # roughly; a solution cannot be interrupted
    in_time = working_time() + seconds <= search.deadline
    return size > 0 and in_time and (wants_exact or size <= SOLVABLE)


def _zero_vector(vectors: Vectors) -> ExactPoint | None:
    """Return the proof that one vector, being zero, is."""
    zeros = np.flatnonzero(vectors.lengths == 0.0)
    if len(zeros) == 0 or vectors.n_groups == 2:
        return None
    return ExactPoint(zeros[:1], [1], [0] * vectors.dimension, [0], 0, Fraction(0))


def _perceptron(search: Search) -> Floats:
    """Run the perceptron for a few epochs; return its weights."""
    vectors = search.vectors
    panel, one, none = np.zeros((1, vectors.dimension)), np.ones(1), np.zeros(1, dtype=np.int64)
    counts = np.zeros((1, vectors.count), dtype=np.int32)
    _, n_mistakes, stuck_at = learn_halfspace(
        Samples(vectors.rows, np.full(vectors.count, -1.0)),
        Task(vectors.signs.reshape(-1, 1), one, np.ones((1, 2)), 0, False),
        np.arange(vectors.count),
        0,
        Memory(panel, np.zeros((0, 0)), panel),
        Record(np.zeros(1, dtype=np.int64), counts, none, new_tallies(_EPOCHS, 1)),
        new_digits(),
    )
    weights: Floats = panel[0]
    if n_mistakes == 0 and stuck_at < 0:
        search.offer_weights(weights, vectors.margins(weights))
    mistaken = np.flatnonzero(counts[0])
    search.offer_shares(mistaken, counts[0, mistaken].astype(np.float64))
    search.record("perceptron", vectors.count)
    return weights
