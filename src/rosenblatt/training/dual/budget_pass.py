"""Passes of the dual perceptron that keep at most ``budget`` mistakes of each halfspace.

The Randomized Budget Perceptron: when a halfspace makes a mistake and its budget is full, one of the
kept mistakes, drawn uniformly, is forgotten, and the new one is added. The draw depends only on the seed
and on how many mistakes the halfspace has made. So a run that continues later, or in other chunks, makes
the same draws, and so does a class that is first seen in the middle of a stream.

Guarantee (for one halfspace): let all samples have weight 1 and length 1 in the feature space, and let
their sequence be fixed before anything is drawn. Take any functions g_1, g_2, ... of the feature space,
none longer than U < √B. Let D be the sum of the losses max(0, 1 - y·g_t(x_t)) of all samples, and S the
sum of ‖g_t - g_(t-1)‖. Then the expected number of mistakes is

    E[M]  <=  (D + 5/4·U·√B + S·B) / (1 - U/√B)

Proof. Let f be the hypothesis, a sum of at most B terms of length 1. A mistake before the budget is full
adds at least 1 - loss to f·g_t and at most 1 to ‖f‖², so ‖f‖² <= B when it becomes full. A later mistake
adds y·g_t(x_t) - f·g_t/B to f·g_t, in expectation, and at most 2 - 2·‖f‖²/B to ‖f‖². Let m be the
expected number of later mistakes, and e the expected ‖f‖² at the end. The changes of ‖f‖² add up to

    Σ E‖f‖²  <=  B·m + B²/2 - B·e/2,    so    Σ E‖f‖  <=  √B·m + B^1.5/4 - √B·e/4

over the later mistakes, f being what it was before each (Cauchy and Schwarz; then √(a·b) <= (a + b)/2).
The changes of f·g_t, and ‖f‖ <= B wherever g moves, add up to

    U·√e  >=  E[M] - D - U/B·(√B·m + B^1.5/4 - √B·e/4) - S·B

where m <= E[M], and √e - e/(4·√B) <= √B for every e.

Reference: G. Cavallanti, N. Cesa-Bianchi, C. Gentile, Tracking the best hyperplane with a simple budget
Perceptron, Machine Learning 69, 2007.
"""

import numpy as np

from rosenblatt.core.types import Counts, Flags, Floats, Signs
from rosenblatt.kernels.epochs.dual_terms import Mistakes, check_squares
from rosenblatt.training.dual.expansion import Expansion
from rosenblatt.training.dual.gram import Gram
from rosenblatt.training.dual.score_rounding import sums_of

BLOCK = 256


class BudgetPass:
    """Passes of the halfspaces of an expansion over the samples of one table; see `DualPass`.

    `sums_of` decides all samples, so the run does not depend on the blocks.

    >>> from rosenblatt.training.dual.kernel_functions import KernelFunction
    >>> from rosenblatt.training.dual.support import new_support
    >>> expansion = Expansion(new_support(1, sparse=False), n_halfspaces=1)
    >>> X, signs = np.array([[1.0], [2.0], [3.0]]), np.array([[1], [-1], [1]], dtype=np.int8)
    >>> gram = Gram(KernelFunction("linear"), X, expansion.support)
    >>> passes = BudgetPass(expansion, gram, signs, np.ones(3), budget=1, seed=0)
    >>> passes.visit(np.arange(3), np.array([True]))
    array([3])
    >>> expansion.rows.view(), expansion.last()
    (array([2]), array([[1.]]))
    """

    def __init__(
        self,
        expansion: Expansion,
        gram: Gram,
        signs: Signs,
        steps: Floats,
        *,
        budget: int,
        seed: int,
        first: int = 0,
    ) -> None:
        self._expansion, self._gram = expansion, gram
        self._signs, self._steps = signs, steps
        self._budget, self._seed, self._first = budget, seed, first

    @property
    def squares(self) -> Floats:
        """The squared length of each hypothesis."""
        return self._expansion.squares

    def visit(self, order: Counts, learning: Flags) -> Counts:
        """Run one epoch in this order of visits; return the mistakes of each halfspace."""
        before = self._expansion.mistake_counts
        start, size = 0, 1
        while start < len(order):
            rows = order[start : start + size]
            scores = self._scores(rows)
            wrong = self._wrong(rows, scores) & learning
            mistaken = np.flatnonzero(wrong.any(axis=1))
            rows = rows[: mistaken[0] + 1] if len(mistaken) else rows
            self._expansion.visits += np.where(learning, (self._signs[rows] != 0).sum(axis=0), 0)
            if len(mistaken):
                self._learn(int(rows[-1]), scores[len(rows) - 1], wrong[len(rows) - 1])
            start += len(rows)
            size = max(size // 2, 1) if len(mistaken) else min(2 * size, BLOCK)
        return self._expansion.mistake_counts - before

    def count_mistaken(self) -> Counts:
        """Return how many samples the last hypothesis of each halfspace misclassifies."""
        rows = np.arange(len(self._signs))
        return np.asarray(self._wrong(rows, self._scores(rows)).sum(axis=0), dtype=np.int64)

    def recount(self) -> Counts:
        """Return 0 for each halfspace: `sums_of` already decided every sample of the last epoch."""
        return np.zeros(len(self.squares), dtype=np.int64)

    def _scores(self, rows: Counts) -> Floats:
        expansion, gram = self._expansion, self._gram
        gram.n_terms += len(rows) * len(expansion.support)
        return sums_of(gram.kernel, gram.X, expansion.support, expansion.last(), rows)

    def _wrong(self, rows: Counts, scores: Floats) -> Flags:
        signs = self._signs[rows]
        return np.asarray(~(signs * scores > 0.0) & (signs != 0))

    def _learn(self, row: int, scores: Floats, wrong: Flags) -> None:
        """Add a sample to the hypotheses that misclassify it; forget a mistake if a budget is full."""
        expansion, made = self._expansion, self._expansion.mistake_counts
        own, place = float(self._gram.among(np.array([row]))[0, 0]), self._place_of(row)
        forgotten = []
        for k in np.flatnonzero(wrong).tolist():
            kept = expansion.numbers_of(k)
            if len(kept) == self._budget:
                forgotten.append(kept[draw_forgotten(self._seed, int(made[k]), self._budget)])
            step = float(self._signs[row, k] * self._steps[row])
            mistake = Mistakes(np.array([place]), np.array([k]), np.array([step]))
            expansion.add(mistake, expansion.visits[k : k + 1] - 1)
            self._lengthen(k, step, float(scores[k]), own)
        for number in forgotten:
            self._shorten(number)
        if forgotten:
            expansion.forget(forgotten)

    def _place_of(self, row: int) -> int:
        """Return the index of a sample in the support, adding it if necessary."""
        expansion, gram = self._expansion, self._gram
        places = np.flatnonzero(expansion.rows.view() == row + self._first)
        if len(places):
            return int(places[0])
        expansion.support.add(gram.kernel.as_support(gram.X, np.array([row])))
        expansion.rows.add([row + self._first])
        return len(expansion.support) - 1

    def _shorten(self, number: int) -> None:
        """Update the squared length of a hypothesis for a mistake that is about to be forgotten."""
        expansion, gram = self._expansion, self._gram
        places, halfspaces, coefficients = expansion.mistakes(number, number + 1)
        place, k = int(places[0]), int(halfspaces[0])
        sample = expansion.support.take(places)
        if gram.kernel.name == "precomputed":
            sample = gram.X[expansion.rows.view()[places]]
        every = expansion.support.take(np.arange(len(expansion.support)))
        with np.errstate(over="ignore", invalid="ignore"):
            values = gram.kernel.table(every, sample)[:, 0]
            score = float(expansion.last()[k] @ values)
        gram.n_terms += len(values)
        self._lengthen(k, -float(coefficients[0]), score, float(values[place]))

    def _lengthen(self, k: int, step: float, score: float, own: float) -> None:
        """Update a hypothesis's squared length for a new term, given its old score and K(x, x)."""
        square = float(self.squares[k]) + step * (2.0 * score + step * own)
        check_squares(square)
        self.squares[k] = square


def draw_forgotten(seed: int, n_mistakes: int, budget: int) -> int:
    """Return which of its kept mistakes a halfspace forgets after ``n_mistakes`` mistakes.

    NumPy guarantees that these numbers stay the same in all its versions.

    >>> [draw_forgotten(0, n_mistakes, 10) for n_mistakes in range(10, 15)]
    [9, 1, 6, 0, 0]
    """
    (number,) = np.random.SeedSequence([seed, n_mistakes]).generate_state(1, np.uint64)
    return int(number) % budget
