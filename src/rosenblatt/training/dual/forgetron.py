"""The kernel perceptron on a budget of support samples: shrink, and forget the oldest.

The self-tuned Forgetron. Samples count with length 1 in the feature space, so that no scale need be
known: a mistake adds y·K(x, ·)/√K(x, x). If a halfspace then has more than its budget, its hypothesis
is multiplied by φ and the oldest term is removed. Removing y_r·λ·K(x_r, ·)/√K(x_r, x_r) can cost

    Ψ(λ, μ) = λ² + 2·λ - 2·λ·μ,    μ = y_r·f(x_r)/√K(x_r, x_r),

λ and f being those after the shrinking, and φ <= 1 is the largest for which the sum of all Ψ stays at
15/32 of the mistakes, or below.

Guarantee. Let M be the mistakes of one halfspace on any sequence of samples of weight 1, g any function
in the feature space, and ℓ = max(0, 1 - y·g(x)/√K(x, x)) its loss on each mistake. Then

    M  <=  ‖g‖²·(1 + Σ(1 - φ)) + 2·Σℓ + ΣΨ,    so
    M  <=  32/17·(‖g‖²·(1 + Σ(1 - φ)) + 2·Σℓ)

with both sums reported by the run (``shrinkage`` and ``removal``). Proof: follow ‖f - g‖². It is ‖g‖² at
the start and never below 0. The mistake itself takes off at least 2·y·g(x) - 1 (lengths being 1, and
y·f(x) <= 0); shrinking adds at most (1 - φ)·‖g‖², for (1 - φ)·((1 + φ)·‖f‖² - 2·f·g) is at least
-(1 - φ)·‖g‖²/(1 + φ); removing adds λ² + 2·λ·y_r·g(x_r) - 2·λ·μ. Each sample is removed once at most,
and λ <= 1, so what it gave and what it takes are together at least (2 - 2·λ)·(1 - ℓ) - 1, which is at
least 1 - 2·ℓ - 2·λ. Sum over all mistakes.

Dekel, Shalev-Shwartz and Singer also bound Σ(1 - φ) in advance, for g that are not too long for the
budget. A sample with K(x, x) = 0 is a mistake that adds nothing, of loss 1.

Reference: O. Dekel, S. Shalev-Shwartz, Y. Singer, The Forgetron: a kernel-based perceptron on a budget,
SIAM Journal on Computing 37(5), 2008.
"""

import math
import numbers
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from rosenblatt.core.types import Counts, Flags, Floats, MatrixLike, Signs
from rosenblatt.kernels.epochs.dual_terms import check_scores, check_squares, sum_terms
from rosenblatt.training.dual.gram import Gram
from rosenblatt.training.dual.growing_array import Growing
from rosenblatt.training.dual.kernel_functions import KernelFunction
from rosenblatt.training.dual.score_rounding import is_sure, sums_of, values_in
from rosenblatt.training.dual.support import DenseSupport, Support, new_support, support_of

BLOCK = 128
_ALLOWED = 15.0 / 32.0


class Memory(NamedTuple):
    """What one halfspace remembers: its terms, oldest first, and what forgetting has cost."""

    places: Counts
    coefficients: Floats
    mistakes: int = 0
    visits: int = 0
    square: float = 0.0
    shrinkage: float = 0.0
    removal: float = 0.0


_NOTHING = Memory(np.empty(0, dtype=np.int64), np.empty(0))


class Batch(NamedTuple):
    """Samples to visit: the kernel, the table, signs (sample, halfspace), and steps."""

    kernel: KernelFunction
    X: MatrixLike
    signs: Signs
    steps: Floats
    first: int = 0


class Forgetron:
    """The memories of several halfspaces, and the support samples that they share.

    >>> f = Forgetron(new_support(1, sparse=False), n_halfspaces=1, budget=1)
    >>> X, signs = np.array([[1.0], [2.0], [3.0]]), np.array([[1], [-1], [-1]], dtype=np.int8)
    >>> batch = Batch(KernelFunction("linear"), X, signs, np.ones(3))
    >>> f.visit(batch, np.arange(3), np.array([True]))
    array([2])
    >>> f.rows.view(), f.last()
    (array([1]), array([[-0.19597055]]))
    """

    def __init__(self, support: Support, n_halfspaces: int, budget: int) -> None:
        self.support = support
        self.rows = Growing(np.int64)
        self.budget = budget
        self.n_terms = 0
        self.memories = [_NOTHING] * n_halfspaces

    @property
    def mistake_counts(self) -> Counts:
        """How many mistakes each halfspace has made."""
        return np.array([memory.mistakes for memory in self.memories], dtype=np.int64)

    @property
    def visits(self) -> Counts:
        """How many samples each halfspace has visited."""
        return np.array([memory.visits for memory in self.memories], dtype=np.int64)

    @property
    def squares(self) -> Floats:
        """The squared length of each hypothesis."""
        return np.array([memory.square for memory in self.memories])

    def places_in(self, halfspaces: slice) -> Counts:
        """Return the places of the support samples that some halfspaces remember."""
        return np.unique(np.concatenate([memory.places for memory in self.memories[halfspaces]]))

    def last(self) -> Floats:
        """Return the coefficient of each support sample in each hypothesis."""
        sums = np.zeros((len(self.memories), len(self.support)))
        for row, memory in zip(sums, self.memories, strict=True):
            np.add.at(row, memory.places, memory.coefficients)
        return sums

    def visit(self, batch: Batch, order: Counts, learning: Flags) -> Counts:
        """Visit the samples in order; return the mistakes of each halfspace that is learning."""
        before = self.mistake_counts
        for start in range(0, len(order), BLOCK):
            _Block(self, batch, order[start : start + BLOCK]).visit(learning)
        return self.mistake_counts - before

    def count_mistaken(self, batch: Batch) -> Counts:
        """Return on how many samples each hypothesis is mistaken."""
        counts = np.zeros(len(self.memories), dtype=np.int64)
        for start in range(0, len(batch.signs), BLOCK):
            rows = np.arange(start, min(start + BLOCK, len(batch.signs)))
            signs, block = batch.signs[rows].T, _Block(self, batch, rows)
            self.n_terms += block.gram.n_terms
            counts += (~(signs * block.scores > 0.0) & (signs != 0)).sum(axis=1)
        return counts

    def branch(self) -> Self:
        """Return memories that go on from here."""
        return self.started_from(range(len(self.memories)))

    def started_from(self, sources: Iterable[int], signs: Sequence[int] = ()) -> Self:
        """Return other halfspaces, each beginning as one of these, or its negative, or (-1) as 0."""
        copy = type(self)(self.support, 0, self.budget)
        copy.rows, copy.n_terms = self.rows, self.n_terms
        for k, source in enumerate(sources):
            memory = _NOTHING if source < 0 else self.memories[source]
            if signs and signs[k] < 0:
                memory = memory._replace(coefficients=-memory.coefficients)
            copy.memories.append(memory)
        return copy

    def state(self) -> dict[str, Any]:
        """Return everything as arrays and numbers, from which `from_state` builds it again."""
        return {
            "support": self.support.parts,
            "rows": self.rows.view().copy(),
            "budget": self.budget,
            "memories": [tuple(memory) for memory in self.memories],
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return what `state` has taken apart; raise ValueError if its parts do not fit."""
        forgetron = cls(support_of(state["support"]), 0, state["budget"])
        forgetron.rows.add(state["rows"])
        forgetron.memories = [Memory(*memory) for memory in state["memories"]]
        forgetron.check()
        return forgetron

    def check(self) -> None:
        """Raise ValueError unless all parts fit each other."""
        fits = len(self.rows) == len(self.support)
        for memory in self.memories:
            fits = (
                fits
                and memory.places.dtype == np.int64
                and memory.coefficients.dtype == np.float64
                and memory.places.shape == memory.coefficients.shape == (len(memory.places),)
                and isinstance(memory.mistakes, numbers.Integral)
                and isinstance(memory.visits, numbers.Integral)
                and len(memory.places) <= self.budget
                and bool(((memory.places >= 0) & (memory.places < len(self.support))).all())
                and bool(np.isfinite(memory.coefficients).all())
                and math.isfinite(memory.square + memory.shrinkage + memory.removal)
            )
        if not fits:
            raise ValueError("memories that do not fit the support samples")


class BudgetPass:
    """Takes the halfspaces of a forgetron over one batch of samples."""

    def __init__(self, forgetron: Forgetron, batch: Batch) -> None:
        self._forgetron, self._batch = forgetron, batch

    @property
    def squares(self) -> Floats:
        """The squared length of each hypothesis."""
        return self._forgetron.squares

    def visit(self, order: Counts, learning: Flags) -> Counts:
        """Visit the samples in order; return the mistakes of each halfspace that is learning."""
        return self._forgetron.visit(self._batch, order, learning)

    def count_mistaken(self) -> Counts:
        """Return on how many samples each hypothesis is mistaken."""
        return self._forgetron.count_mistaken(self._batch)

    def recount(self) -> Counts:
        """Return 0 for each: in an epoch without a mistake all was decided as `sums_of` decides."""
        return np.zeros(len(self._forgetron.memories), dtype=np.int64)


class _Block:
    """One block of visits: places below ``n_old`` are those of the support, others of the block."""

    def __init__(self, forgetron: Forgetron, batch: Batch, rows: Counts) -> None:
        self.forgetron, self.batch, self.rows = forgetron, batch, rows
        self.n_old = len(forgetron.support)
        self.gram = Gram(batch.kernel, batch.X, forgetron.support)
        self.table = np.empty((0, len(rows)))
        if self.n_old:
            self.table = self.gram.between(np.arange(self.n_old), rows)
        self.scores = np.empty((len(forgetron.memories), len(rows)))
        for k, memory in enumerate(forgetron.memories):
            sum_terms(self.table, memory.places, memory.coefficients, 0, self.scores[k])
        check_scores(self.scores, rows)
        if self.n_old:
            self._settle()

    def _settle(self) -> None:
        """Score the samples again, as `sums_of` does, that rounding could have put on either side."""
        kernel, support = self.batch.kernel, self.forgetron.support
        samples, memories = self.batch.X[self.rows], self.forgetron.memories
        most = max(len(memory.places) for memory in memories)
        reach = values_in(kernel, samples, support, self.table).reach(most)
        totals = np.array([np.abs(memory.coefficients).sum() for memory in memories])
        doubtful = ~is_sure(self.scores, totals[:, None] * reach)
        if doubtful.any():
            sums = sums_of(kernel, samples[doubtful], support, self.forgetron.last())
            self.scores[:, doubtful] = sums.T
            self.gram.n_terms += int(doubtful.sum()) * self.n_old

    def visit(self, learning: Flags) -> None:
        """Visit the samples one by one; then keep those that are remembered."""
        signs, steps = self.batch.signs[self.rows], self.batch.steps[self.rows]
        memories = list(self.forgetron.memories)
        wrong = ~(signs.T * self.scores > 0.0) & (signs.T != 0) & learning[:, None]
        if wrong.any():
            self.table = np.vstack([self.table, self.gram.among(self.rows)])
            for i in range(len(signs)):
                for k in np.flatnonzero(learning & (signs[i] != 0)).tolist():
                    if not signs[i, k] * self.scores[k, i] > 0.0:
                        step = float(signs[i, k] * steps[i])
                        memories[k] = self._learned(memories[k], i, step, self.scores[k, i])
                        places, coefficients = memories[k][:2]
                        sum_terms(self.table, places, coefficients, i + 1, self.scores[k])
                        check_scores(self.scores[k : k + 1], self.rows)
        seen = np.where(learning, (signs != 0).sum(axis=0), 0)
        memories = [
            m._replace(visits=m.visits + int(n)) for m, n in zip(memories, seen, strict=True)
        ]
        self._keep(memories)

    def _learned(self, memory: Memory, i: int, step: float, score: float) -> Memory:
        """Return what a halfspace remembers after a mistake on sample i of the block."""
        own = float(self.table[self.n_old + i, i])
        memory = memory._replace(mistakes=memory.mistakes + 1)
        if own <= 0.0:
            return memory
        coefficient = step / math.sqrt(own)
        memory = memory._replace(
            places=np.append(memory.places, self.n_old + i),
            coefficients=np.append(memory.coefficients, coefficient),
            square=memory.square + coefficient * (2.0 * float(score) + coefficient * own),
        )
        check_squares(memory.square)
        if len(memory.places) <= self.forgetron.budget:
            return memory
        memory = self._forgotten(memory)
        check_squares([memory.square, memory.shrinkage, memory.removal])
        return memory

    def _forgotten(self, memory: Memory) -> Memory:
        """Return what is left after shrinking, and removing the oldest term."""
        oldest = self._with_oldest(memory.places)
        length = math.sqrt(max(float(oldest[0]), 0.0))
        coefficient = float(memory.coefficients[0])
        score = np.empty(1)
        sum_terms(oldest[:, None], np.arange(len(oldest)), memory.coefficients, 0, score)
        weight, margin = abs(coefficient) * length, float(np.sign(coefficient) * score[0]) / length
        slack = _ALLOWED * memory.mistakes - memory.removal
        factor = shrinking(weight, margin, slack)
        weight, margin = factor * weight, factor * margin
        return memory._replace(
            places=memory.places[1:],
            coefficients=factor * memory.coefficients[1:],
            square=factor**2 * memory.square + weight * (weight - 2.0 * margin),
            shrinkage=memory.shrinkage + (1.0 - factor),
            removal=memory.removal + weight * (weight + 2.0 - 2.0 * margin),
        )

    def _with_oldest(self, places: Counts) -> Floats:
        """Return the kernel of all terms' samples with that of the first term."""
        oldest, n_old = int(places[0]), self.n_old
        if oldest >= n_old:
            return np.asarray(self.table[places, oldest - n_old])
        values = np.empty(len(places))
        old = places < n_old
        values[~old] = self.table[oldest, places[~old] - n_old]
        support = self.forgetron.support
        pair = support.take(places[old]), support.take(np.array([oldest]))
        values[old] = self._columns(*pair)
        return values

    def _columns(self, samples: Any, sample: Any) -> Floats:
        kernel = self.batch.kernel
        self.gram.n_terms += samples.shape[0]
        if kernel.name == "precomputed":
            rows = self.batch.X[sample[:, 0].astype(np.int64)]
            return kernel.table(samples, rows)[:, 0]
        with np.errstate(over="ignore", invalid="ignore"):
            return kernel.table(samples, sample)[:, 0]

    def _keep(self, memories: list[Memory]) -> None:
        """Let the forgetron have these memories, and the samples that they need."""
        live = np.unique(np.concatenate([memory.places for memory in memories]))
        forgetron, batch = self.forgetron, self.batch
        forgetron.n_terms += self.gram.n_terms
        if len(live) != self.n_old or (len(live) and live[-1] >= self.n_old):
            old, new = live[live < self.n_old], self.rows[live[live >= self.n_old] - self.n_old]
            dense = isinstance(forgetron.support, DenseSupport)
            kept = forgetron.support.take(old)
            support = new_support(kept.shape[1], sparse=not dense)
            support.add(kept)
            support.add(batch.kernel.as_support(batch.X, new))
            numbers = Growing(np.int64)
            numbers.add(np.append(forgetron.rows.view()[old], new + batch.first))
            forgetron.support, forgetron.rows = support, numbers
        forgetron.memories = [m._replace(places=np.searchsorted(live, m.places)) for m in memories]


def shrinking(weight: float, margin: float, slack: float) -> float:
    """Return the largest factor, at most 1, by which removing a term costs no more than the slack.

    The cost is factor²·(weight² - 2·weight·margin) + 2·factor·weight, which is above the slack from its
    first root on, if it is so at 1.

    >>> shrinking(0.1, 0.0, 1.0), round(shrinking(1.0, 0.0, 1.0), 6)
    (1.0, 0.414214)
    """
    bend = weight * (weight - 2.0 * margin)
    if bend + 2.0 * weight <= slack:
        return 1.0
    root = math.sqrt(max(weight * weight + bend * slack, 0.0))
    return slack / (weight + root)
