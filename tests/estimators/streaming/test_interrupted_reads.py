"""Interrupted reads and steps lose nothing that a stream has learned."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt import (
    InputError,
    KernelPerceptron,
    PassiveAggressive,
    Perceptron,
    Winnow,
    load,
    save,
)
from rosenblatt.estimators.streaming import one_sample_cache, online

X = np.abs(np.random.default_rng(0).normal(size=(40, 3))).clip(0, 1)
Y = np.arange(40) % 2


@pytest.mark.parametrize("learner", [Perceptron, PassiveAggressive, Winnow])
def test_interrupted_read_loses_nothing(learner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = learner(), learner().partial_fit(X, Y)  # which has no cache
    for x, y in zip(X, Y, strict=True):
        one.learn_one(x, y)
    for kind in (one_sample_cache.SampleCache, online.InPlace):
        learned = kind.learned

        def interrupted(self: Any, learned: Any = learned) -> None:
            learned(self)
            raise KeyboardInterrupt

        monkeypatch.setattr(kind, "learned", interrupted)
    with pytest.raises(KeyboardInterrupt):
        _ = one.coef_
    monkeypatch.undo()
    assert pickle.loads(pickle.dumps(one)).coef_.tobytes() == other.coef_.tobytes()
    assert one.partial_fit(X, Y).coef_.tobytes() == other.partial_fit(X, Y).coef_.tobytes()


def test_interrupted_widening_can_be_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    many = dict.fromkeys("abcdefghijkl", 2.0)
    one = Perceptron().learn_one({"a": 1.0}, 0).learn_one({"b": 1.0}, 1)
    other = Perceptron().learn_one({"a": 1.0}, 0).learn_one({"b": 1.0}, 1).learn_one(many, 0)
    copied, calls = one_sample_cache._copied, []

    def second_fails(array: Any, room: int) -> Any:
        calls.append(room)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return copied(array, room)

    monkeypatch.setattr(one_sample_cache, "_copied", second_fails)
    with pytest.raises(KeyboardInterrupt):
        one.learn_one(many, 0)
    assert one.learn_one(many, 0).coef_.tobytes() == other.coef_.tobytes()


def test_balanced_class_weight_is_rejected_in_mid_stream() -> None:
    for learn in (
        lambda: Perceptron().partial_fit(X, Y).set_params(class_weight="balanced"),
        lambda: Perceptron(class_weight="balanced", max_iter=99).fit(
            [[1.0] * 3, [-1.0] * 3], [1, 0]
        ),
    ):
        for step in (lambda p: p.partial_fit(X, Y), lambda p: p.learn_one(X[0], 1)):
            with pytest.raises(InputError, match="needs the whole data"):
                step(learn())


@pytest.mark.parametrize("name", ["eta0", "class_weight"])
def test_parameter_that_cannot_be_compared(name: str) -> None:
    p = Perceptron().learn_one(X[0], 0).learn_one(X[1], 1)
    p.set_params(**{name: np.ones(2)})
    for step in (lambda: p.learn_one(X[0], 0), lambda: p.partial_fit(X[:1], [0])):
        with pytest.raises(InputError, match=rf"{name}=array.* is not accepted"):
            step()


@pytest.mark.parametrize("classes", [5, [["a"]], np.zeros((2, 2)), "ab", []])
def test_invalid_classes_are_rejected_in_later_calls(classes: Any) -> None:
    p = Perceptron().partial_fit(X, Y)
    p.partial_fit(X[:1], Y[:1])
    with pytest.raises(InputError, match="classes"):
        p.partial_fit(X[:1], Y[:1], classes=classes)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("budget", [None, 3])
def test_kernel_perceptron_pickles_with_every_protocol(protocol: int, budget: int | None) -> None:
    p = KernelPerceptron(kernel="linear", budget=budget).partial_fit(X, Y)
    q = pickle.loads(pickle.dumps(p, protocol))
    assert q.decision_function(X).tolist() == p.decision_function(X).tolist()


def test_epoch_count_continues_after_a_file_without_history(tmp_path: Path) -> None:
    p = Perceptron(max_iter=99).fit([[1.0], [-1.0], [3.0]], [1, 0, 1])
    n_iter = p.n_iter_
    save(p, tmp_path / "model", record=False)
    q = load(tmp_path / "model")
    assert q.n_iter_ == n_iter
    assert q.learn_one([1.0], 1).n_iter_ == n_iter
    assert q.partial_fit([[1.0]], [1]).n_iter_ == n_iter + 1
    save(q, tmp_path / "model")
    assert load(tmp_path / "model").n_iter_ == n_iter + 1
