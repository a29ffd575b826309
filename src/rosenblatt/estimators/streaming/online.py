"""Learners that visit samples one by one and store only weights: passive-aggressive and Winnow.

Conventions
-----------
Many classes: each has its own halfspace, that class against the rest; two classes share one.
Passive-aggressive classes can also learn jointly.

Epochs: a halfspace is finished after an epoch without an update, and learning stops when all are
finished. The order "random" may miss samples, so there each such epoch is followed by a check of every
sample. Samples of weight 0 are skipped.

Streams: `partial_fit` and `learn_one` visit each sample once, in the given order: see ``stream``.

The cost of learning or predicting a single sample depends only on its nonzero features; but an average,
if kept, is recomputed for each prediction.
"""

import warnings
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.core.classes import Classes
from rosenblatt.core.constants import LARGEST
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import (
    Flags,
    Floats,
    Labels,
    LabelsLike,
    MatrixLike,
    SampleLike,
    Seed,
    Signs,
    WeightsLike,
)
from rosenblatt.estimators.common.learned import Learned
from rosenblatt.estimators.common.linear_classifier import tie_sign
from rosenblatt.estimators.common.run import Run
from rosenblatt.estimators.common.validation import (
    classes_of_all,
    generator,
    labeled_samples,
    weights_of_samples,
)
from rosenblatt.estimators.streaming.chunk import Chunk
from rosenblatt.estimators.streaming.stream import StreamLearner
from rosenblatt.estimators.streaming.stream_runs import ArraysRun
from rosenblatt.kernels.finite import check_sample, not_finite
from rosenblatt.kernels.predict import choose
from rosenblatt.kernels.rows import CSRRows, Rows, as_rows
from rosenblatt.kernels.scoring import count_mistakes
from rosenblatt.training.loop import Log, orders, train
from rosenblatt.training.mean_square import SquaredLengths
from rosenblatt.training.outcomes import Outcome
from rosenblatt.training.problem import Problem, new_problem
from rosenblatt.training.rules.online_rule import Arrays, OnlineRule

_POSITIVE: Signs = np.ones(1, dtype=np.int8)


class OnlineClassifier(StreamLearner):
    """Abstract: a linear learner that visits one sample at a time.

    A subclass defines the start, the learning rule (`_rule`), and the conversion from ``Learned.kept``
    to the array that the rule changes (`_extra_array`) and back (`_kept_from`).
    """

    max_iter: int
    order: str
    keep = "last"
    random_state: Seed
    _validated = staticmethod(labeled_samples)

    @abstractmethod
    def _rule(
        self, learned: Learned, problem: Problem, arrays: Arrays, *, misses_samples: bool = False
    ) -> OnlineRule:
        """Return the learning rule; raise InputError if it differs from the start of learning."""

    @abstractmethod
    def _extra_array(self, learned: Learned) -> Floats | None:
        """Return the array that is learned in addition to the weights, if any."""

    @abstractmethod
    def _kept_from(self, learned: Learned, extra: Floats | None) -> Any:
        """Return ``Learned.kept`` for the array: the inverse of `_extra_array`."""

    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Learn from all samples until an epoch makes no update, or ``max_iter`` epochs have run.

        X may be dense or sparse, with two or more classes in y. Each learner defines the effect of
        ``sample_weight``; samples of weight 0 are skipped.
        """
        with self._lock:
            self.check_parameters()
            X, y, features = labeled_samples(self, X, y)
            rows = as_rows(X, self._constant)
            self._check_values(rows)
            learned = self._start(features, classes_of_all(y))
            problem = self._problem(rows, y, sample_weight, learned.classes)
            if self.is_measuring:
                lengths = SquaredLengths()
                lengths.add(rows, problem.steps)
                learned = self._with_measured(learned, self.measured_value(lengths))
            if not problem.signs.any():
                raise InputError(
                    "sample_weight is zero everywhere: give some sample a weight above zero"
                )
            arrays = self._arrays(learned)
            rule = self._rule(learned, problem, arrays, misses_samples=self.order == "random")
            log, epochs = Log(), orders(self.order, len(y), generator(self.random_state))
            train(rule, epochs, self.max_iter, [log])
            self._assign(self._with_arrays(learned, arrays), Run(log.outcome, log.history))
        if self.outcome_ is Outcome.BUDGET:
            warnings.warn(self._unfinished_warning(), ConvergenceWarning, stacklevel=2)
        return self

    def _unfinished_warning(self) -> str:
        """Return the warning for a `fit` that has not separated the samples."""
        return (
            f"{self.n_iter_} epochs were not enough; the last one made {self.history_[-1].mistakes} "
            f"updates: raise max_iter={self.max_iter}, or check with `separate` whether the data is "
            "separable; if it is not, more epochs cannot help"
        )

    def learn_one(self, x: SampleLike, y: LabelsLike, sample_weight: float | None = None) -> Self:
        """Learn from one sample of a stream, a vector or a sparse row, and its label."""
        with self._lock:
            self.check_parameters()
            chunk, cache = self._one_sample(x, y, sample_weight), self._cache
            is_new = cache is None or not cache.knows(chunk.y)
            if is_new:
                learned = self._state_for(chunk, None)
                cache = InPlace(self, learned)
            self._learn_in_place(cache, chunk)
            if is_new:
                self._assign_stream_state(learned, cache)
        return self

    def _learn_in_place(self, cache: "InPlace", chunk: Chunk) -> None:
        start = cache.start
        problem = self._problem(chunk.rows, chunk.y, chunk.sample_weight, start.classes)
        rule = self._rule(start, problem, cache.arrays)
        with _undone_on_failure(cache.arrays, chunk.rows):
            rule.visit(np.arange(1))

    def predict_one(self, x: SampleLike) -> Any:
        """Return the label of one sample, a vector or a sparse row; None before learning."""
        with self._lock:
            cache = self._cache
            learned = self._learned if cache is None else cache.start
            if learned is None:
                return None
            rows, labels = self._one_row(x, 1.0), learned.classes.labels
            deciding = learned.deciding if cache is None else cache.deciding
            return labels.item(self._decide_one(rows, labels, deciding))

    def _decide_one(self, rows: Rows, labels: Labels, deciding: Floats) -> int:
        """Return the number of one sample's class, reading only the weights of its features."""
        is_finite = bool((np.abs(rows.values) < np.float64(LARGEST)).all())
        if len(labels) == 1:
            if not is_finite:
                check_sample(rows)
            return 0
        if len(deciding) == 1 and is_finite:
            return 1 - int(count_mistakes(rows, _POSITIVE, 1, deciding[0]))
        chosen, stuck_at = choose(rows, deciding, tie_sign(self.ties), 1)
        if stuck_at >= 0:
            check_sample(rows)
            raise not_finite(rows, stuck_at)
        return int(chosen[0])

    def _problem(
        self, rows: Rows, y: Labels, sample_weight: WeightsLike, classes: Classes
    ) -> Problem:
        """Return the problem of all halfspaces; the weight of a sample is its step."""
        weights, by_class = weights_of_samples(sample_weight, len(y)), np.ones(len(classes))
        tie, joint = tie_sign(self.ties), self._is_joint(classes)
        return new_problem(rows, y, classes, weights, by_class, tie=tie, joint=joint)

    def _begin(self, learned: Learned, finished: Flags | None = None) -> ArraysRun:
        return ArraysRun(self, learned, finished)

    def _arrays(self, learned: Learned) -> Arrays:
        """Return copies of the learned arrays, to be changed in place."""
        extra = self._extra_array(learned)
        return Arrays(learned.weights, extra, learned.visits, learned.updates).copied()

    def _with_arrays(self, learned: Learned, arrays: Arrays) -> Learned:
        return replace(
            learned,
            weights=arrays.weights,
            visits=arrays.visits,
            updates=arrays.mistakes,
            mistakes=arrays.mistakes,
            kept=self._kept_from(learned, arrays.extra),
        )


class InPlace:
    """A cache of private arrays, in which single samples of a stream are learned."""

    def __init__(self, learner: OnlineClassifier, start: Learned) -> None:
        self.start = start
        self.arrays = learner._arrays(start)
        self._learner = learner

    def is_ahead(self, start: Learned) -> bool:
        """Return whether this cache has learned more than the given state."""
        arrays = self.arrays
        return bool(
            (arrays.mistakes != start.mistakes).any() or (arrays.visits != start.visits).any()
        )

    def knows(self, label: Labels) -> bool:
        """Return whether a label, an array of length 1, is one of the classes."""
        known = self.start.classes.labels
        return label.dtype.kind == known.dtype.kind and bool((known == label).any())

    @property
    def deciding(self) -> Floats:
        """The current deciding weights."""
        weights, extra, visits, _ = self.arrays
        kept = self._learner._kept_from(self.start, extra)
        return (weights if kept is None else kept.deciding(weights, visits))[
            self.start.classes.used
        ]

    def learned(self) -> Learned:
        """Return the state learned so far, in copied arrays."""
        return self._learner._with_arrays(self.start, self.arrays.copied())


@contextmanager
def _undone_on_failure(arrays: Arrays, rows: Rows) -> Iterator[None]:
    """Restore the weights of one sample's features if learning it fails."""
    features = rows.indices if isinstance(rows, CSRRows) else np.arange(rows.values.shape[1])
    touched = np.append(features, -1)
    panels = [part for part in (arrays.weights, arrays.extra) if part is not None]
    before = [panel[:, touched] for panel in panels]
    counts = arrays.visits.copy(), arrays.mistakes.copy()
    try:
        yield
    except BaseException:
        for panel, columns in zip(panels, before, strict=True):
            panel[:, touched] = columns
        arrays.visits[:], arrays.mistakes[:] = counts
        raise
