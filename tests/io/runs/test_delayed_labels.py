"""Labels that arrive late: what is predicted is what had been learned by then."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import InputError, Perceptron
from rosenblatt.estimators.streaming.stream_learning import StreamLearning
from rosenblatt.io.runs.delayed_labels import DelayedLabels


def _mistakes_one_by_one(X: Any, y: Any, moments: list[float], delay: float) -> int:
    """Ask and answer in turn, with a list of what waits."""
    p, waiting, wrong = Perceptron(), [], 0
    for x, label, moment in zip(X, y.tolist(), moments, strict=True):
        while waiting and waiting[0][0] <= moment:
            _, x_then, label_then = waiting.pop(0)
            p.learn_one(x_then, label_then)
        wrong += p.predict_one(x) != label
        waiting.append((moment + delay, x, label))
    return wrong


@given(
    st.integers(0, 2**32),
    st.lists(st.integers(0, 3), min_size=1, max_size=40),
    st.integers(0, 12),
    st.integers(1, 12),
    st.booleans(),
)
def test_late_labels_are_learned_when_they_arrive(
    seed: int, steps: list[int], delay: int, size: int, is_sparse: bool
) -> None:
    rng, n = np.random.default_rng(seed), len(steps)
    X, y = rng.integers(-3, 4, size=(n, 3)).astype(np.float64), rng.integers(0, 3, size=n)
    moments = np.cumsum(steps).astype(np.float64)
    learning = StreamLearning(Perceptron())
    waiting = DelayedLabels(learning, float(delay))
    store = sp.csr_matrix(X) if is_sparse else X
    for start in range(0, n, size):
        some = slice(start, start + size)
        waiting.learn(store[some], y[some], moments[some])
    expected = _mistakes_one_by_one(X, y, moments.tolist(), delay)
    assert (waiting.progressive.samples, waiting.progressive.mistakes) == (n, expected)
    waiting.end()
    stream = Perceptron()
    for x, label in zip(X, y, strict=True):
        stream.learn_one(x, label)
    learned, _ = learning.result()
    assert learned.weights.tobytes() == stream.state[0].weights.tobytes()


def test_time_does_not_go_back() -> None:
    waiting = DelayedLabels(StreamLearning(Perceptron()), 1.0)
    waiting.learn(np.eye(2), np.array([0, 1]), np.array([1.0, 2.0]))
    with pytest.raises(InputError, match="in the order of their times"):
        waiting.learn(np.eye(2), np.array([0, 1]), np.array([1.5, 2.0]))
