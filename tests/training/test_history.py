"""The record of a run, epoch by epoch."""

import copy
import math
import pickle
from collections.abc import Callable

import numpy as np
import pytest

from rosenblatt import Perceptron
from rosenblatt.training.history import Epoch, History

EPOCHS = [Epoch(3, 4, None, 1.5, 0.25), Epoch(0, 1, 2, 1.5, 0.5), Epoch(0, 0, 0, 2.5, 1.0)]


@pytest.fixture
def history() -> History:
    history = History()
    for epoch in EPOCHS:
        history.append(epoch)
    return history


def test_history_is_a_sequence_of_epochs(history: History) -> None:
    assert list(history) == EPOCHS
    assert history[-1] == EPOCHS[-1]
    assert history[1:] == EPOCHS[1:]
    assert len(history) == 3
    with pytest.raises(IndexError):
        history[3]


def test_fields_are_available_as_arrays(history: History) -> None:
    assert history.mistakes.tolist() == [3, 0, 0]
    assert history.updates.tolist() == [4, 1, 0]
    assert history.training_mistakes.tolist() == [-1, 2, 0]
    assert history.norm.tolist() == [1.5, 1.5, 2.5]
    assert history.seconds.tolist() == [0.25, 0.5, 1.0]


def test_pickle_and_repr(history: History) -> None:
    assert list(pickle.loads(pickle.dumps(history))) == EPOCHS
    assert repr(history) == "<History of 3 epochs, 3 mistakes>"


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copies_are_independent(history: History, copied: Callable[[History], History]) -> None:
    other = copied(history)
    assert list(other) == EPOCHS
    history.append(EPOCHS[0])
    other.extend(np.array([5.0]), np.array([6.0]), np.array([2.0]), 0.5)
    assert list(history) == [*EPOCHS, EPOCHS[0]]
    assert list(other) == [*EPOCHS, Epoch(5, 6, None, 2.0, 0.5)]


@pytest.mark.parametrize("eta0", [1.0, 0.5])
def test_the_history_of_the_textbook_run(eta0: float) -> None:
    X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    history = Perceptron(order="cyclic", eta0=eta0).fit(X, y).history_
    # Weights after each epoch: (2,2,0), (1,1,-1), (0,0,-2), (2,2,-2), (1,1,-3), (1,1,-3).
    squares = np.array([8, 3, 4, 12, 11, 11])
    assert history.mistakes.tolist() == [2, 1, 1, 2, 1, 0]
    assert [epoch.training_mistakes for epoch in history] == [None] * 5 + [0]
    assert history.norm.tolist() == [eta0 * math.sqrt(s) for s in squares]
    assert (history.seconds >= 0).all()


def test_norm_covers_all_halfspaces() -> None:
    p = Perceptron().fit([[2, 0], [0, 2], [-2, -2]], ["a", "b", "c"])
    total = (p.coef_**2).sum() + (p.intercept_**2).sum()
    assert p.history_[-1].norm == pytest.approx(math.sqrt(total), rel=1e-15)
