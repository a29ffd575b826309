"""Labels that arrive late: a sample is predicted when it comes, and learned from when its label does.

Samples have moments, which do not go back: their numbers, or what a column says. A sample of moment m
and a delay of d is learned from before a sample of moment m + d or later is predicted, in the order of
coming; when the stream ends, all that are left are learned from. (As River's ``simulate_qa`` has it.) So
the weights end with the same bits as without a delay; what differs is what was predicted on the way.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Floats, Labels, MatrixLike, is_sparse
from rosenblatt.estimators.common.run import Progressive
from rosenblatt.estimators.streaming.stream_learning import StreamLearning


class DelayedLabels:
    """Samples whose labels have not arrived yet.

    >>> from rosenblatt import Perceptron
    >>> waiting = DelayedLabels(StreamLearning(Perceptron()), 2.0)
    >>> waiting.learn(np.array([[1.0], [1.0], [1.0], [1.0]]), np.array([0, 0, 1, 0]), np.arange(4.0))
    >>> waiting.end()
    >>> waiting.progressive
    Progressive(samples=4, mistakes=3)
    """

    def __init__(self, learning: StreamLearning, delay: float) -> None:
        self._learning = learning
        self._delay = delay
        self._X: MatrixLike = None
        self._y: Labels = np.zeros(0)
        self._weights: Floats = np.zeros(0)
        self._due: Floats = np.zeros(0)
        self._last = -np.inf
        self.progressive = Progressive()

    def learn(
        self, X: MatrixLike, y: Labels, moments: Floats, weights: Floats | None = None
    ) -> None:
        """Predict each sample, after what is due by then has been learned from."""
        weights = np.ones(len(y)) if weights is None else weights
        back = np.flatnonzero(np.diff(moments, prepend=self._last) < 0)
        if len(back):
            raise InputError(
                f"sample {int(back[0]) + 1} of the chunk came at {moments[back[0]]:g}, before the one "
                "in front of it: give samples in the order of their times"
            )
        self._last = float(moments[-1]) if len(moments) else self._last
        n_waiting = len(self._y)
        self._X = X if self._X is None or n_waiting == 0 else _stacked(self._X, X)
        self._y = np.concatenate([self._y, y]) if n_waiting else y
        self._weights = np.concatenate([self._weights, weights])
        self._due = np.concatenate([self._due, moments + self._delay])
        # Sample j is predicted after the first learned[j] of all that are here.
        own = np.arange(n_waiting, len(self._y))
        learned = np.minimum(np.searchsorted(self._due, moments, side="right"), own)
        n_mistakes = n_learned = 0
        for start, stop in _equal_runs(learned):
            n_learned = self._learn_up_to(n_learned, int(learned[start]))
            first, last = int(own[start]), int(own[stop - 1]) + 1
            n_mistakes += self._n_wrong(first, last)
        before, n_seen = self.progressive, int(np.count_nonzero(weights))
        self.progressive = Progressive(before.samples + n_seen, before.mistakes + n_mistakes)
        self._X, self._y = self._X[n_learned:], self._y[n_learned:]
        self._weights, self._due = self._weights[n_learned:], self._due[n_learned:]

    def end(self) -> None:
        """Learn from all that are left."""
        self._learn_up_to(0, len(self._y))
        self._X, self._y = None, self._y[:0]
        self._weights, self._due = self._weights[:0], self._due[:0]

    def _learn_up_to(self, start: int, stop: int) -> int:
        if stop > start:
            weights = self._weights[start:stop]
            self._learning.learn(self._X[start:stop], self._y[start:stop], weights)
        return max(start, stop)

    def _n_wrong(self, start: int, stop: int) -> int:
        is_seen = self._weights[start:stop] > 0.0
        predicted = self._learning.predicted(self._X[start:stop])
        if predicted is None:  # nothing is learned yet
            return int(np.count_nonzero(is_seen))
        return int(np.count_nonzero((predicted != self._y[start:stop]) & is_seen))


def _stacked(first: MatrixLike, second: MatrixLike) -> Any:
    if not is_sparse(first):
        return np.vstack([first, second])
    width = max(first.shape[1], second.shape[1])
    parts: list[Any] = [first, second]
    for part in parts:
        part.resize(part.shape[0], width)
    return sp.vstack(parts, format="csr")


def _equal_runs(numbers: Counts) -> Iterator[tuple[int, int]]:
    """Yield the begin and the end of each run of equal numbers."""
    ends = np.flatnonzero(np.diff(numbers)) + 1
    bounds = [0, *ends.tolist(), len(numbers)]
    yield from (pair for pair in pairwise(bounds) if pair[1] > pair[0])
