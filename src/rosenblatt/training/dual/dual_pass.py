"""Passes of the dual perceptron over samples, in which scores are updated instead of recomputed.

For each sample and halfspace the score is kept, and how many of the mistakes so far it includes. A
visit adds the terms of the mistakes since then, so no term is ever added twice, however many epochs are
run: at most one term for each sample and mistake. Samples are visited in blocks. Before a block its
scores are brought up to date, with kernel values from one matrix product shared by all halfspaces; then
its samples are visited one by one (see `dual_terms.visit_samples`), with the kernel of the block with
itself, which is skipped if the block has no mistake.

The result is that of visiting one by one: the same bits if kernel values do not depend on the shape of
the block, as is the case for whole numbers. If they do, scores within rounding of 0 may be decided
either way during learning; in the end `sums_of` decides them.
"""

import numpy as np

from rosenblatt.core.types import Counts, Flags, Floats, Signs
from rosenblatt.kernels.epochs.dual_terms import (
    Mistakes,
    add_terms,
    check_scores,
    check_squares,
    visit_samples,
)
from rosenblatt.training.dual.expansion import Expansion
from rosenblatt.training.dual.gram import Gram
from rosenblatt.training.dual.score_rounding import is_sure, sums_of, value_bounds

BLOCK = 256

# The most kernel values in memory at once: 64 MB.
_AT_ONCE = 2**23


class DualPass:
    """Passes of the halfspaces of an expansion over the samples of one table.

    ``signs[i, k]`` is the side of sample i for halfspace k, ``steps[i]`` its weight, and ``first`` the
    number of the first sample.

    >>> from rosenblatt.training.dual.kernel_functions import KernelFunction
    >>> from rosenblatt.training.dual.support import new_support
    >>> expansion = Expansion(new_support(1, sparse=False), n_halfspaces=1)
    >>> X, signs = np.array([[1.0], [-2.0]]), np.array([[1], [1]], dtype=np.int8)
    >>> gram = Gram(KernelFunction("poly", degree=2), X, expansion.support)
    >>> passes = DualPass(expansion, gram, signs, np.ones(2))
    >>> passes.visit(np.arange(2), np.array([True])), passes.count_mistaken()
    (array([1]), array([0]))
    """

    def __init__(
        self,
        expansion: Expansion,
        gram: Gram,
        signs: Signs,
        steps: Floats,
        *,
        first: int = 0,
    ) -> None:
        self._expansion, self._gram = expansion, gram
        self._signs, self._steps = signs, steps
        self._first = first
        self._scores: Floats = np.zeros((signs.shape[1], len(signs)))
        self._n_added: Counts = np.zeros(len(signs), dtype=np.int64)
        self._places: Counts = np.full(len(signs), -1, dtype=np.int64)

    def visit(self, order: Counts, learning: Flags) -> Counts:
        """Run one epoch in this order of visits; return the mistakes of each halfspace."""
        before = self._expansion.mistake_counts
        for start in range(0, len(order), BLOCK):
            rows = order[start : start + BLOCK]
            self._catch_up(rows)
            self._visit_block(rows, learning)
            check_scores(self._scores[:, rows], rows)
            check_squares(self._expansion.squares)
        return self._expansion.mistake_counts - before

    @property
    def squares(self) -> Floats:
        """The squared length of each hypothesis."""
        return self._expansion.squares

    def count_mistaken(self) -> Counts:
        """Return how many samples the last hypothesis of each halfspace misclassifies."""
        for start in range(0, len(self._signs), BLOCK):
            self._catch_up(np.arange(start, min(start + BLOCK, len(self._signs))))
        return self._mistaken()

    def recount(self) -> Counts:
        """Return how many samples each last hypothesis misclassifies according to `sums_of`."""
        expansion, gram = self._expansion, self._gram
        rows = self._doubtful()
        if len(rows):
            sums = sums_of(gram.kernel, gram.X, expansion.support, expansion.last(), rows)
            gram.n_terms += len(rows) * len(expansion.support)
            self._scores[:, rows] = sums.T
            self._n_added[rows] = len(expansion)
        return self._mistaken()

    def _doubtful(self) -> Counts:
        """Return the samples whose scores could change sides in another order of summation."""
        kernel, samples = self._gram.kernel, self._gram.X
        if not kernel.is_named:
            return np.arange(len(self._signs))
        expansion = self._expansion
        values = value_bounds(kernel, samples, expansion.support.longest)
        reach = values.sum_reach(len(expansion))
        return np.flatnonzero(~is_sure(self._scores, expansion.totals[:, None] * reach))

    def _mistaken(self) -> Counts:
        wrong = ~(self._signs.T * self._scores > 0.0) & (self._signs.T != 0)
        return np.asarray(wrong.sum(axis=1), dtype=np.int64)

    def _catch_up(self, rows: Counts) -> None:
        """Add the terms of all mistakes that the scores of these samples do not include yet."""
        added, last = self._n_added[rows], len(self._expansion)
        first = int(added.min())
        if first == last:
            return
        scores = self._scores[:, rows]
        window = max(1, _AT_ONCE // len(rows))
        for start in range(first, last, window):
            mistakes = self._expansion.mistakes(start, min(start + window, last))
            places, at = np.unique(mistakes.places, return_inverse=True)
            table = self._gram.between(places, rows)
            add_terms(table, mistakes._replace(places=at), start, added, scores)
        check_scores(scores, rows)
        self._scores[:, rows] = scores
        self._n_added[rows] = last

    def _visit_block(self, rows: Counts, learning: Flags) -> None:
        signs, scores = self._signs[rows], self._scores[:, rows]
        wrong = ~(signs.T * scores > 0.0) & (signs.T != 0) & learning[:, None]
        if wrong.any():
            found = Mistakes(
                np.empty(signs.size, dtype=np.int64),
                np.empty(signs.size, dtype=np.int64),
                np.empty(signs.size),
            )
            gram = self._gram.among(rows)
            squares = self._expansion.squares
            size = visit_samples(gram, signs, self._steps[rows], learning, scores, squares, found)
            mistakes = Mistakes(
                found.places[:size], found.halfspaces[:size], found.coefficients[:size]
            )
            self._keep(rows, signs, mistakes)
            self._scores[:, rows] = scores
            self._n_added[rows] = len(self._expansion)
        self._expansion.visits += np.where(learning, (signs != 0).sum(axis=0), 0)

    def _keep(self, rows: Counts, signs: Signs, mistakes: Mistakes) -> None:
        """Add a block's mistakes and their samples to the expansion."""
        mistaken = rows[mistakes.places]
        new, at = np.unique(mistaken[self._places[mistaken] < 0], return_index=True)
        new = new[np.argsort(at)]
        expansion = self._expansion
        self._places[new] = np.arange(len(expansion.support), len(expansion.support) + len(new))
        expansion.support.add(self._gram.kernel.as_support(self._gram.X, new))
        expansion.rows.add(new + self._first)
        earlier = np.cumsum(signs != 0, axis=0) - (signs != 0)
        moments = expansion.visits[mistakes.halfspaces] + earlier[mistakes[:2]]
        expansion.add(mistakes._replace(places=self._places[mistaken]), moments)
