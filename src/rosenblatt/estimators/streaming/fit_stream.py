"""Learners that can learn anew from a stream of chunks: `fit_stream`."""

from abc import abstractmethod
from typing import Any, Self

from rosenblatt.core.types import Flags, LabelsLike
from rosenblatt.estimators.common.learned import Learned
from rosenblatt.estimators.common.run import Run
from rosenblatt.estimators.streaming.chunk import Chunk
from rosenblatt.estimators.streaming.stream import StreamClassifier
from rosenblatt.estimators.streaming.stream_learning import Chunks, StreamLearning, learn_stream
from rosenblatt.estimators.streaming.stream_runs import StreamRun
from rosenblatt.training.history import Epoch


class StreamLearner(StreamClassifier):
    """Abstract: a learner that visits one sample after the other, so that chunks do not matter."""

    @abstractmethod
    def _begin(self, learned: Learned, finished: Flags | None = None) -> StreamRun:
        """Return what goes on learning from chunks; halfspaces that are finished do not."""

    def _visit(self, learned: Learned, chunk: Chunk) -> tuple[Learned, Any]:
        run = self._begin(learned)
        run.visit(chunk, None)
        after = run.learned()
        return after, Epoch(after.n_mistakes - learned.n_mistakes, None, after.norm, 0.0)

    def fit_stream(
        self,
        chunks: Chunks,
        *,
        passes: int = 1,
        classes: LabelsLike = None,
        n_features: int | None = None,
    ) -> Self:
        """Learn anew from a stream of chunks, in one pass or several, in bounded memory.

        ``chunks`` yields ``(X, y)`` or ``(X, y, sample_weight)``, as `rosenblatt.stream` does. For
        several passes it must be such as can be iterated again: not a generator. Samples are visited in
        the order given, so the weights have the same bits as those of `fit` with ``order="cyclic"`` and
        ``max_iter=passes`` on all of them, however they are cut into chunks; a pass without a mistake
        is the last one. (Not so a pocket, ``keep="pocket"``: a stream cannot count mistakes on samples
        that are gone. Nor where the weights come round: a fit says CYCLING and stops, a stream goes on.
        With ``keep="vote"`` memory grows with the mistakes.) Classes may turn up at any time and, in
        sparse chunks, so may features: both can be named beforehand, which saves some work.

        A `Perceptron` with ``shards`` learns in them, side by side in memory, and mixes them after each
        pass: the bits are those of such a fit. Its classes and features must be the same from the
        beginning: where they are not named, chunks are read again if others turn up.

        While the first pass goes on, each sample is predicted before it is learned from: see
        ``progressive_``. That count does not depend on the chunks either, if ties are mistakes, as by
        default.

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
        """Return what is learned from a stream, and how that went."""
        learning = StreamLearning(self, passes=passes, classes=classes, n_features=n_features)
        return learn_stream(learning, chunks)
