"""Decide whether vectors are separable: cheap methods first, exact integers last.

1. A zero vector decides at once (the caller has already looked for equal samples with different labels).
2. The perceptron's own interval: a few epochs.
3. Up to 1,500 dimensions, or vectors: ``constraint_generation``; beyond, coordinate descent
   (``descent_with_support``).
4. If that finds no separating weights and the columns differ widely in size: the same on columns of
   similar size (``column_scaling``).
5. If floats leave the interval open, or cannot tell a tiny margin from zero: ``exact_active_set``.

Floats never prove that nothing separates: only an exact zero does.

The measurements are in ``docs/guide/benchmarks.md``: on 84,000 × 100 numbers constraint generation takes
0.15 s, HiGHS 29 s and an interior-point method 80 s.
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

# Seconds spent at most on narrowing the interval once the verdict is known.
_NARROWING_SECONDS = 10.0


@dataclass(frozen=True)
class Decision:
    """An interval that contains the margin, and its proof.

    In floats, ``weights`` prove the lower end and the ``shares`` of the vectors in ``order`` the upper;
    ``exact``, if found, is the nearest point in integers, and proves both.
    """

    interval: Interval
    order: Counts
    shares: Floats
    weights: Floats | None
    exact: ExactPoint | None
    history: list[Round]

    @property
    def zero(self) -> ExactPoint | None:
        """The combination that is exactly zero, which proves inseparability, or None."""
        return self.exact if self.exact is not None and self.exact.squared_margin == 0 else None


def decide(
    vectors: Vectors, tolerance: float, deadline: float, *, wants_exact: bool = False
) -> Decision:
    """Find an interval that contains the maximum margin, or prove that the vectors are inseparable."""
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
    """Narrow the interval as far as floats can."""
    if min(search.vectors.dimension, search.vectors.count) <= WIDEST:
        generate(search, weights)
    else:
        descend_all(search)


def _balanced_search(search: Search) -> Counts:
    """Search again with columns scaled to similar sizes, if they differ widely.

    Return the vectors whose combination is probably zero, or an empty array.
    """
    scaled = balanced(search.vectors)
    empty = np.zeros(0, dtype=np.int64)
    if scaled is None or working_time() > search.deadline:
        return empty
    vectors, factors = scaled
    inner = Search(vectors, search.tolerance, search.deadline)
    _search(inner, np.zeros(vectors.dimension))
    if inner.weights is not None:
        weights = inner.weights * factors
        search.offer_weights(weights, *search.vectors.sharp_margins(weights))
    search.record("balanced columns", len(inner.order))
    return inner.order if inner.is_nearly_zero else empty


def _zero_combination(search: Search, order: Counts, *, wants_exact: bool) -> ExactPoint | None:
    """Return a proof that the search's combination is zero if floats suggest it, else None."""
    if not search.is_nearly_zero or not _is_solvable(search, len(order), wants_exact=wants_exact):
        return None
    return zero_point(search.vectors, order)


def _nearest_point(search: Search, *, wants_exact: bool) -> ExactPoint | None:
    """Return the nearest point in integers, or None if that would take too long."""
    size = len(search.order)
    if not _is_solvable(search, 4 * size, wants_exact=wants_exact):
        return None
    deadline = search.deadline
    if search.lower > 0.0 and not wants_exact:
        # The verdict is known: limit the time spent on a narrower interval.
        deadline = min(deadline, working_time() + _NARROWING_SECONDS)
    exact = nearest_point(search.vectors, search.order, search.shares, deadline)
    search.record("whole numbers", size)
    return exact


def _is_solvable(search: Search, size: int, *, wants_exact: bool) -> bool:
    """Return whether a support of this size can be solved in time, and should be."""
    seconds = 3.0 * (size / 250) ** 3.3  # roughly; a solution cannot be interrupted
    in_time = working_time() + seconds <= search.deadline
    return size > 0 and in_time and (wants_exact or size <= SOLVABLE)


def _zero_vector(vectors: Vectors) -> ExactPoint | None:
    """Return the proof that a single zero vector is, or None."""
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
