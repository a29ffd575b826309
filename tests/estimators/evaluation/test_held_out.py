"""The error on held-out samples, and whether its bound holds as often as promised."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from rosenblatt import Perceptron
from rosenblatt.estimators.evaluation.held_out import Comparison, HeldOut, Split


def split_of(X: Any, y: np.ndarray, seed: int = 0) -> Split:
    split = Split.drawn(X, y, seed)
    assert split is not None
    return split


def held_out(learner: Any, X: Any, y: np.ndarray, seed: int = 0) -> HeldOut:
    split = split_of(X, y, seed)
    return split.measured(split.predicted(learner))


class Memory(BaseEstimator):
    """A learner that memorizes the label of each row; rows that it has not seen get the first label."""

    known: dict[bytes, Any]

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        self.known = {x.tobytes(): label for x, label in zip(X, y.tolist(), strict=True)}
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        first = min(self.known.values())
        return np.array([self.known.get(x.tobytes(), first) for x in X])


def coverage(n_classes: int, n_samples: int, n_runs: int) -> float:
    """Return how often the bound is at least the true error of the model that it is about."""
    rng = np.random.default_rng(0)
    held = 0
    for seed in range(n_runs):
        y = rng.integers(0, n_classes, n_samples)
        split = split_of(y[:, None], y, seed)
        seen = np.unique(y[split.learn])
        held += split.measured(split.predicted(Memory())).risk >= 1.0 - len(seen) / n_classes
    return held / n_runs


def test_the_bound_holds_with_many_small_classes() -> None:
    assert coverage(100, 150, 60) > 0.85


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_classes", "n_samples"), [(3, 60), (20, 60), (50, 75), (100, 150), (300, 900)]
)
def test_the_bound_holds_in_95_percent_of_draws(n_classes: int, n_samples: int) -> None:
    assert coverage(n_classes, n_samples, 4000) > 0.94  # 3 standard errors are 0.01


def test_a_simple_random_fifth_is_held_out() -> None:
    for n_samples in (20, 22, 23, 101):
        split = split_of(np.eye(n_samples), np.arange(n_samples) % 2, 3)
        assert len(split.test) == round(n_samples / 5)
        assert sorted([*split.test, *split.learn]) == list(range(n_samples))


@pytest.mark.parametrize("store", [np.asarray, sp.csr_array])
def test_classes_that_the_learned_part_lacks_count_as_errors(
    store: Callable[[np.ndarray], Any],
) -> None:
    kept = split_of(np.eye(50), np.arange(50)).test
    y = np.array(["a", "b"] * 25)
    y[kept[:3]] = "rare"
    rows = store(np.column_stack([y == "a", y == "b"]).astype(float))
    weights = {"a": 1.0, "b": 1.0, "rare": 9.0}
    for learner in (Perceptron(), Perceptron(class_weight=weights)):
        found = held_out(learner, rows, y)
        assert (found.samples, found.mistakes) == (10, 3)


def test_a_learned_part_with_one_class_predicts_it() -> None:
    kept = split_of(np.eye(40), np.arange(40)).test
    y = np.zeros(40, dtype=int)
    y[kept[0]] = 1
    found = held_out(Perceptron(), np.arange(40.0)[:, None], y)
    assert (found.mistakes, found.error, found.guess) == (1, 1 / 8, 1 / 8)


def test_nothing_is_held_out_of_few_samples_or_one_class() -> None:
    X, y = np.arange(20.0)[:, None], np.arange(20) > 9
    assert Split.drawn(X, y, 0) is not None
    assert Split.drawn(X[:19], y[:19], 0) is None
    assert Split.drawn(X, np.ones(20), 0) is None


def test_two_models_are_compared_row_by_row() -> None:
    split = split_of(np.eye(50), np.arange(50) % 2)
    before, after = split.labels.copy(), split.labels.copy()
    before[:6], after[5:7] = 2, 2
    assert split.compared(before, after) == Comparison(10, 5, 1)
    assert not Comparison(10, 5, 1).is_better  # 4 is less than 2·√6
    assert Comparison(10, 6, 1).is_better is False
    assert Comparison(10, 7, 1).is_better
    assert not Comparison(10, 0, 0).is_better
