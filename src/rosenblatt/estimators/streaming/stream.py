"""Learning from a stream: chunks or single samples, visited once, in the order given.

While not all classes are known, one more weight vector learns "none of these" for every sample; a class
that turns up starts from it, so the weights have the same bits as if all classes had been known from the
beginning. A class that turns up although all were named, or seen by an earlier `fit`, starts from the
start weights.
"""

from abc import abstractmethod
from typing import Any, Self

import numpy as np

from rosenblatt.core.classes import Classes
from rosenblatt.core.compiling import Stopwatch
from rosenblatt.core.errors import InputError
from rosenblatt.core.labels import distinct, named_classes
from rosenblatt.core.types import Labels, LabelsLike, MatrixLike, SampleLike, WeightsLike
from rosenblatt.estimators.common.learned import Features, Learned
from rosenblatt.estimators.common.linear_classifier import LinearClassifier
from rosenblatt.estimators.common.validation import (
    admitted,
    as_label,
    as_label_row,
    check_labels,
    is_label_row,
    is_named,
)
from rosenblatt.estimators.streaming import new_classes
from rosenblatt.estimators.streaming.chunk import Chunk
from rosenblatt.kernels.rows import Rows, as_rows, widened


class StreamClassifier(LinearClassifier):
    """Abstract: a linear learner of streams."""

    _validated = staticmethod(admitted)
    _checks_finite = True  # before visits, which need not find out by themselves

    @abstractmethod
    def check_parameters(self) -> None:
        """Raise, naming it, for the first parameter whose value is not accepted."""

    def check_stream_parameters(self) -> None:
        """Raise for the first parameter whose value is not accepted, or not in a stream."""
        self.check_parameters()

    @abstractmethod
    def _start(self, features: Features, classes: Classes) -> Learned:
        """Return the state before the first visit."""

    @abstractmethod
    def _visit(self, learned: Learned, chunk: Chunk) -> tuple[Learned, Any]:
        """Visit each sample once; return what is learned then, and a record of the visits."""

    def _check_values(self, rows: Rows) -> None:
        """Raise unless the finite values of the samples are such as can be learned from."""

    def partial_fit(
        self,
        X: MatrixLike,
        y: LabelsLike,
        classes: LabelsLike = None,
        sample_weight: WeightsLike = None,
    ) -> Self:
        """Learn from one chunk of a stream: one visit to each sample, in the order given.

        ``classes`` names classes beforehand; without it they are learned as they turn up, with the same
        result.
        """
        with self._lock:
            stopwatch = Stopwatch()
            self.check_parameters()
            chunk = self._chunk(X, y, sample_weight)
            learned, record = self._visit(self._state_for(chunk, classes), chunk)
            self._go_on(learned)
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
            self._go_on(self._visit(self._state_for(chunk, None), chunk)[0])
        return self

    def _chunk(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike) -> Chunk:
        X, y, features = self._validated(self, X, y, reset=self._learned is None)
        rows = widened(as_rows(X, self._constant))
        self._check_values(rows)
        return Chunk(rows, y, sample_weight, features)

    def _one_sample(self, x: SampleLike, y: LabelsLike, sample_weight: WeightsLike) -> Chunk:
        if is_named(x):
            raise InputError(
                f"the sample is a dict, from which {type(self).__name__} does not learn: give a vector "
                "or a sparse row"
            )
        rows = self._one_row(x, self._constant)
        if not np.isfinite(rows.values).all():
            raise InputError("the sample contains NaN or infinity: give finite values")
        self._check_values(rows)
        return Chunk(rows, self._labels_of_one(y), sample_weight, Features(int(np.shape(x)[-1])))

    def _labels_of_one(self, y: LabelsLike) -> Labels:
        """Return the label, or the labels, of one sample."""
        learned = self._fixed
        if learned is None:
            return as_label_row(y, np.shape(y)[-1]) if is_label_row(y) else as_label(y)
        if learned.classes.multilabel:
            return as_label_row(y, len(learned.classes))
        return as_label(y)

    def _state_for(self, chunk: Chunk, classes: LabelsLike) -> Learned:
        """Return what has been learned, with room for the classes of a chunk and those named."""
        learned = self._learned
        named = None if classes is None else self._named(chunk.y, classes)
        if learned is None:
            learned = self._start(chunk.features, self._first_classes(chunk.y, named))
        if learned.classes.multilabel:
            check_labels(chunk.y, len(learned.classes))
            return learned
        learned = self._admitted(learned, chunk.y)
        return learned if named is None else self._admitted(learned, named, "classes")

    def _named(self, y: Labels, classes: LabelsLike) -> Labels:
        """Return the classes that were named; raise if they are not such as y can have."""
        if y.ndim == 2 and not np.array_equal(classes, np.arange(y.shape[1])):
            raise InputError(
                f"classes={classes!r} is not accepted for a matrix of {y.shape[1]} labels: they are "
                "its columns, so leave it out"
            )
        return named_classes(classes)

    def _first_classes(self, y: Labels, named: Labels | None) -> Classes:
        """Return the classes that a stream begins with."""
        if y.ndim == 2:
            return Classes(np.arange(y.shape[1]), multilabel=True)
        return Classes(distinct(y), is_open=True) if named is None else Classes(named)

    def _admitted(self, learned: Learned, labels: Labels, place: str = "y") -> Learned:
        """Return what has been learned, with room for classes that are new."""
        if labels.ndim != 1:
            raise InputError(
                f"y is a matrix of labels, but the classes so far, {learned.classes.labels.tolist()!r}, "
                "exclude each other: give one label for each sample"
            )
        return new_classes.admitted(learned, labels, place)
