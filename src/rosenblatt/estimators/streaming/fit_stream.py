"""`fit_stream`: learning from scratch from a stream of chunks."""

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
    """Abstract: a learner that visits samples one by one, so the cuts into chunks do not matter."""

    @abstractmethod
    def _begin(self, learned: Learned, finished: Flags | None = None) -> StreamRun:
        """Return a run that learns from chunks; ``finished`` halfspaces do not change."""

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
