"""Learning from a stream: chunks or single samples, each visited once, in the given order.

Unless the classes are named, one more weight vector learns "none of these" from every sample. New
classes start from it, so the weights have the same bits as if all classes had been known from the
beginning. A class that is new after the classes were named, or after a `fit`, starts from the start
weights.
"""

from abc import abstractmethod
from typing import Self

import numpy as np

from rosenblatt.core.classes import Classes
from rosenblatt.core.compiling import Stopwatch
from rosenblatt.core.errors import InputError
from rosenblatt.core.labels import distinct, named_classes
from rosenblatt.core.types import Flags, Labels, LabelsLike, MatrixLike, SampleLike, WeightsLike
from rosenblatt.estimators.common.learned import Features, Learned
from rosenblatt.estimators.common.linear_classifier import LinearClassifier
from rosenblatt.estimators.common.run import Run
from rosenblatt.estimators.common.validation import (
    as_label,
    as_label_row,
    check_labels,
    check_rule_of_labels,
    is_label_row,
    is_named,
    validated_samples,
)
from rosenblatt.estimators.streaming import new_classes
from rosenblatt.estimators.streaming.chunk import Chunk
from rosenblatt.estimators.streaming.stream_learning import Chunks, StreamLearning, learn_stream
from rosenblatt.estimators.streaming.stream_runs import StreamRun
from rosenblatt.kernels.finite import check_sample
from rosenblatt.kernels.rows import Rows, as_rows, widened
from rosenblatt.training.history import Epoch
from rosenblatt.training.mean_square import SquaredLengths

AUTO = "auto"
"""The value of a parameter that is computed from the mean squared length of the samples."""


class StreamLearner(LinearClassifier):
    """Abstract: a learner that visits samples one by one, so the cuts into chunks do not matter."""

    _validated = staticmethod(validated_samples)
    _checks_finite = True  # before the visits, which may not check it
    multiclass = "one-vs-rest"

    @abstractmethod
    def check_parameters(self) -> None:
        """Raise InputError for the first parameter with an invalid value."""

    def check_stream_parameters(self) -> None:
        """Raise InputError for the first parameter with a value that is invalid in a stream."""
        self.check_parameters()

    @abstractmethod
    def _start(self, features: Features, classes: Classes) -> Learned:
        """Return the state before the first visit."""

    @abstractmethod
    def _begin(self, learned: Learned, finished: Flags | None = None) -> StreamRun:
        """Return a run that learns from chunks; ``finished`` halfspaces do not change."""

    @property
    def is_measuring(self) -> bool:
        """Whether a parameter is "auto": it depends on the mean squared length of the samples."""
        return False

    def measured_value(self, lengths: SquaredLengths) -> float:
        """Return the value of that parameter; raise InputError if it would be out of range."""
        raise NotImplementedError

    def _with_measured(self, learned: Learned, value: float) -> Learned:
        """Return the start of learning with the value of that parameter."""
        raise NotImplementedError

    def _is_joint(self, classes: Classes) -> bool:
        """Return whether the classes learn jointly: two classes share one halfspace anyway."""
        return self.multiclass == "joint" and len(classes) > 2

    def _check_values(self, rows: Rows) -> None:
        """Raise InputError if a finite value is outside the range that this learner supports."""

    def partial_fit(
        self,
        X: MatrixLike,
        y: LabelsLike,
        classes: LabelsLike = None,
        sample_weight: WeightsLike = None,
    ) -> Self:
        """Learn from one chunk of a stream: one visit to each sample, in the order given.

        ``classes`` names the classes in advance, and must include the labels in y; otherwise they are
        added as they appear, with the same result.
        """
        with self._lock:
            stopwatch = Stopwatch()
            self.check_parameters()
            chunk = self._chunk(X, y, sample_weight)
            learned, record = self._visit(self._state_for(chunk, classes), chunk)
            self._assign_stream_state(learned)
            seconds = stopwatch.seconds()
            self.history_.append(record._replace(seconds=seconds))
        return self

    def learn_one(self, x: SampleLike, y: LabelsLike, sample_weight: float | None = None) -> Self:
        """Learn from one sample of a stream, a vector or a sparse row, and its label.

        It is not recorded in the history.
        """
        with self._lock:
            self.check_parameters()
            chunk = self._one_sample(x, y, sample_weight)
            self._assign_stream_state(self._visit(self._state_for(chunk, None), chunk)[0])
        return self

    def fit_stream(
        self,
        chunks: Chunks,
        *,
        passes: int = 1,
        classes: LabelsLike = None,
        n_features: int | None = None,
    ) -> Self:
        """Learn from scratch from a stream of chunks, in one or more passes and bounded memory.

        ``chunks`` yields ``(X, y)`` or ``(X, y, sample_weight)``, as `rosenblatt.stream` does. For
        several passes it must be iterable again, so not a generator. Samples are visited in the given
        order, so the weights have the same bits as those of `fit` with ``order="cyclic"`` and
        ``max_iter=passes`` on all samples, however they are cut into chunks; a pass without a mistake
        is the last one. There are three differences: a stream cannot count a pocket's mistakes again
        (``keep="pocket"``), it does not stop when the weights cycle, and with ``keep="vote"`` memory
        grows with the mistakes. New classes may appear at any time and, in sparse chunks, so may
        features; naming both in advance saves some work.

        A `Perceptron` with ``shards`` keeps all shards in memory and mixes them after each pass, with
        the same bits as such a fit. Its classes and features must be the same from the beginning: if
        they are not named and new ones appear, the chunks are read again.

        If an average makes the predictions after several passes, the chunks are read once more for the
        outcome.

        During the first pass each sample is predicted before learning from it: see ``progressive_``.
        With the default ``ties="mistake"``, this count does not depend on the chunks either.

        >>> from rosenblatt import Perceptron
        >>> chunks = [([[0, 0], [0, 1]], ["no", "no"]), ([[1, 0], [1, 1]], ["no", "yes"])]
        >>> p = Perceptron().fit_stream(chunks, passes=100)
        >>> p.outcome_.name, p.n_iter_, p.progressive_
        ('SEPARATED', 9, Progressive(samples=4, mistakes=2))
        """
        with self._lock:
            self._assign(*self._learn_stream(chunks, passes, classes, n_features))
        return self

    def _learn_stream(
        self, chunks: Chunks, passes: int, classes: LabelsLike, n_features: int | None
    ) -> tuple[Learned, Run]:
        """Return the learned state and the run."""
        learning = StreamLearning(self, passes=passes, classes=classes, n_features=n_features)
        return learn_stream(learning, chunks)

    def _visit(self, learned: Learned, chunk: Chunk) -> tuple[Learned, Epoch]:
        """Visit each sample once; return the new state and a record of the visits."""
        run = self._begin(learned)
        run.visit(chunk, None)
        after = run.learned()
        mistakes = after.n_mistakes - learned.n_mistakes
        return after, Epoch(mistakes, after.n_updates - learned.n_updates, None, after.norm, 0.0)

    def _chunk(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike) -> Chunk:
        X, y, features = self._validated(self, X, y, reset=self._learned is None)
        rows = widened(as_rows(X, self._constant))
        self._check_values(rows)
        return Chunk(rows, y, sample_weight, features)

    def _one_sample(self, x: SampleLike, y: LabelsLike, sample_weight: WeightsLike) -> Chunk:
        if is_named(x):
            raise InputError(
                f"the sample is a dict, which {type(self).__name__} does not support: give a vector or "
                "a sparse row"
            )
        rows = self._one_row(x, self._constant)
        check_sample(rows)
        self._check_values(rows)
        return Chunk(rows, self._labels_of_one(y), sample_weight, Features(int(np.shape(x)[-1])))

    def _labels_of_one(self, y: LabelsLike) -> Labels:
        """Return the validated label, or row of labels, of one sample."""
        learned = self._fixed
        if learned is None:
            return as_label_row(y, np.shape(y)[-1]) if is_label_row(y) else as_label(y)
        if learned.classes.multilabel:
            return as_label_row(y, len(learned.classes))
        return as_label(y)

    def _state_for(self, chunk: Chunk, classes: LabelsLike) -> Learned:
        """Return the state with halfspaces for the classes of a chunk and for named classes."""
        learned = self._learned
        named = None if classes is None else self._named(chunk.y, classes)
        if learned is None:
            learned = self._start(chunk.features, self._first_classes(chunk.y, named))
        if learned.classes.multilabel:
            check_labels(chunk.y, len(learned.classes))
            return learned
        found = self._with_new_classes(learned, chunk.y)
        if named is None:
            return found
        new_classes.check_named(found.classes.labels, learned.classes.labels, named)
        return self._with_new_classes(found, named, "classes")

    def _named(self, y: Labels, classes: LabelsLike) -> Labels:
        """Return the named classes; raise InputError if y cannot have them."""
        if y.ndim == 2 and not np.array_equal(classes, np.arange(y.shape[1])):
            raise InputError(
                f"classes={classes!r} is not accepted for a matrix of {y.shape[1]} labels: its columns "
                "are the classes, so leave it out"
            )
        return named_classes(classes)

    def _first_classes(self, y: Labels, named: Labels | None) -> Classes:
        """Return the first classes of a stream."""
        if y.ndim == 2:
            check_rule_of_labels(self.multiclass)
            return Classes(np.arange(y.shape[1]), multilabel=True)
        if named is None and self.multiclass == "joint":
            raise InputError(
                "multiclass='joint' needs all classes from the beginning: name them in the first call, "
                "partial_fit(X, y, classes=...), or call fit first"
            )
        return Classes(distinct(y), is_open=True) if named is None else Classes(named)

    def _with_new_classes(self, learned: Learned, labels: Labels, place: str = "y") -> Learned:
        """Return the state with a halfspace for each new class among the labels."""
        if labels.ndim != 1:
            raise InputError(
                f"y is a matrix of labels, but the classes so far, {learned.classes.labels.tolist()!r}, "
                "exclude each other: give one label per sample"
            )
        is_joint = self.multiclass == "joint"
        if is_joint and learned.classes.is_open:
            raise InputError(
                "multiclass='joint' cannot continue a stream whose classes were not named: start again "
                "with partial_fit(X, y, classes=...)"
            )
        found = new_classes.with_new_classes(learned, labels, place)
        if is_joint and found is not learned:
            known = learned.classes.labels
            new = np.setdiff1d(found.classes.labels, known).tolist()[0]
            raise InputError(
                f"{place} contains {new!r}, but the classes that learn jointly are "
                f"{known.tolist()!r}: name all of them in the first call, partial_fit(X, y, classes=...)"
            )
        return found
