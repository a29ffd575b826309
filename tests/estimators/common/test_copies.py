"""All kinds of copies of an estimator are independent of it."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import (
    KernelPerceptron,
    MaxMargin,
    PassiveAggressive,
    Perceptron,
    Winnow,
)

X = np.array([[0.1, 0.9], [0.8, 0.3], [0.7, 0.2], [0.0, 0.6], [0.3, 0.1], [0.9, 0.8]])
Y = np.array(["a", "b", "b", "a", "a", "b"])
NAMED = [{"u": float(a), "v": float(b)} for a, b in X]

COPIES: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda model: pickle.loads(pickle.dumps(model)),
    "a copy of a copy": lambda model: copy.copy(copy.copy(model)),
}
LEARNERS = {
    "last": Perceptron(),
    "average": Perceptron(keep="average"),
    "pocket": Perceptron(keep="pocket"),
    "vote": Perceptron(keep="vote"),
    "passive-aggressive": PassiveAggressive(keep="average"),
    "winnow": Winnow(),
    "balanced winnow": Winnow(variant="balanced"),
    "kernel": KernelPerceptron(kernel="rbf", gamma=1.0),
    "budget": KernelPerceptron(kernel="rbf", gamma=1.0, budget=2),
}


def learn(model: Any, way: str) -> None:
    """Continue learning in a way that changes arrays in place."""
    if way == "chunk":
        options = {} if hasattr(model, "classes_") else {"classes": ["a", "b"]}
        model.partial_fit(X, Y, **options)
    elif way == "sparse":
        model.partial_fit(sp.csr_matrix(X), Y)
    elif way == "new class":
        model.partial_fit(X[:2], ["c", "c"])
    else:
        for x, y in zip(X, Y.tolist(), strict=True):
            model.learn_one(x, y)


def state(model: Any) -> bytes:
    """Return everything that an estimator holds, without using its own copy methods."""
    return pickle.dumps(copy.deepcopy((model.get_params(), model._learned, model._run)))


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize(
    "way", ["chunk", pytest.param("sparse", marks=pytest.mark.slow), "single", "new class"]
)
def test_learning_does_not_affect_copies(name: str, way: str, copied: Callable[[Any], Any]) -> None:
    original = copy.deepcopy(LEARNERS[name])
    if way == "new class":
        original.partial_fit(X, Y)
    else:
        learn(original, "chunk")
    if way == "single":
        learn(original, "single")  # which changes arrays in place
    other = copied(original)
    before = state(other)
    learn(original, way)
    assert state(other) == before
    before = state(original)
    learn(other, way)
    learn(other, way)
    assert state(original) == before
    assert len(getattr(other, "history_", ())) == getattr(other, "n_iter_", 0)


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("keep", ["last", "average"])
def test_learning_from_dicts_does_not_affect_copies(
    keep: str, copied: Callable[[Any], Any]
) -> None:
    original = Perceptron(keep=keep)
    for x, y in zip(NAMED, Y.tolist(), strict=True):
        original.learn_one(x, y)
    other = copied(original)
    before = state(other)
    original.learn_one({"w": 1.0, "u": -3.0}, "a").learn_one({"w": 1.0}, "b")
    assert state(other) == before
    before = state(original)
    other.learn_one({"z": 1.0}, "a").learn_one({"z": 2.0, "v": 1.0}, "c")
    assert state(original) == before


def test_fitted_state_is_not_shared() -> None:
    for model in (Perceptron(record=True), PassiveAggressive(), KernelPerceptron(), MaxMargin()):
        other = copy.copy(model.fit(X, Y))
        before = state(other)
        model.fit(X[::-1], Y)
        assert state(other) == before
