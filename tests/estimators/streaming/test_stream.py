"""Learning from a stream: new classes, failing chunks, and the state after them."""

import tracemalloc
from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import InputError, KernelPerceptron, Outcome, PassiveAggressive, Perceptron
from rosenblatt.estimators.streaming import one_sample_cache

rng = np.random.default_rng(1)
X = rng.integers(-5, 6, size=(40, 3)) / 10
y = rng.choice(np.array(["a", "b", "c", "d"]), size=40)


def _state(p: Perceptron) -> dict:
    """Return the learned state as comparable values."""
    if not hasattr(p, "classes_"):
        return {name: True for name in vars(p) if name.endswith("_")}
    return {
        "classes": p.classes_.tolist(),
        "coef": p.coef_.tobytes(),
        "intercept": p.intercept_.tobytes(),
        "mistakes": p.n_mistakes_,
        "history": list(p.history_),
        "outcome": getattr(p, "outcome_", None),
        "features": p.n_features_in_,
        "ledger": repr(getattr(p, "ledger_", None)),
        "margin": getattr(p, "margin_", None),
    }


@pytest.mark.parametrize("order", list(permutations("abc")))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_new_classes_in_any_order(order: tuple[str, ...]) -> None:
    labels = np.array([*order, *order, *order[::-1]])
    samples = X[: len(labels)]
    batch = Perceptron(order="cyclic", max_iter=1).fit(samples, labels)
    stream = Perceptron()
    for k, (x, label) in enumerate(zip(samples, labels, strict=True)):
        stream.learn_one(x, label)
        assert stream.classes_.tolist() == sorted(set(labels[: k + 1]))
        assert stream.predict_one(x) in stream.classes_
    assert stream.coef_.tobytes() == batch.coef_.tobytes()
    assert stream.n_mistakes_ == batch.n_mistakes_


def test_before_and_after_the_first_class() -> None:
    p = Perceptron()
    assert p.predict_one([1.0, 2.0]) is None
    p.learn_one([1.0, 2.0], "only")
    assert p.predict_one([-1.0, -2.0]) == "only"
    assert p.predict([[3.0, 4.0]]).tolist() == ["only"]
    assert p.outcome_ is Outcome.STREAM


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_stream_continues_from_a_fit() -> None:
    two = np.where(y < "c", "a", "b")
    p = Perceptron(order="cyclic", max_iter=1).fit(X, two)
    p.partial_fit(X, two)
    q = Perceptron(order="cyclic", max_iter=2).fit(X, two)
    assert p.coef_.tobytes() == q.coef_.tobytes()
    assert p.n_mistakes_ == q.n_mistakes_
    assert p.history_.mistakes.tolist() == q.history_.mistakes.tolist()
    assert p.n_iter_ == 2
    assert p.outcome_ is Outcome.STREAM
    assert not hasattr(p, "ledger_")
    assert not hasattr(p, "margin_")


@pytest.mark.parametrize("start", ["fit", "classes", "class_weight"])
def test_class_that_was_not_named_is_added(start: str) -> None:
    samples, labels = np.array([[1.0, 0.0], [0.0, 1.0]]), ["a", "b"]
    p = Perceptron(class_weight={"a": 2.0, "b": 1.0} if start == "class_weight" else None)
    if start == "fit":
        p.fit(samples, labels)
    else:
        p.partial_fit(samples, labels, classes=labels if start == "classes" else None)
    before = p.coef_.copy()
    p.partial_fit([[-1.0, -1.0]], ["c"])
    assert p.classes_.tolist() == ["a", "b", "c"]
    assert p.coef_.shape == (3, 2)
    p.learn_one([-1.0, -2.0], "c").learn_one([3.0, 0.0], "a").learn_one([0.0, 3.0], "b")
    assert p.predict([[2.0, 0.0], [0.0, 2.0], [-2.0, -2.0]]).tolist() == ["a", "b", "c"]
    assert before.shape == (1, 2)


@pytest.mark.parametrize("learner", [Perceptron(), PassiveAggressive(), KernelPerceptron()])
def test_named_classes_must_include_the_labels(learner: Any) -> None:
    with pytest.raises(InputError, match=r"y contains 'b', but classes=\['a'\] does not"):
        learner.partial_fit([[1.0], [2.0]], ["b", "c"], classes=["a"])
    assert not hasattr(learner, "classes_")
    learner.partial_fit([[1.0], [2.0]], ["a", "b"], classes=["a", "b"])
    with pytest.raises(InputError, match="y contains 'c'"):
        learner.partial_fit([[3.0]], ["c"], classes=["a", "b"])
    learner.partial_fit([[1.0], [3.0]], ["a", "c"], classes=["c"])
    assert learner.classes_.tolist() == ["a", "b", "c"]


def test_huge_class_weight_is_named() -> None:
    for weight in (1e308, 10**400):
        with pytest.raises(InputError, match="class_weight"):
            Perceptron(class_weight={"a": weight}).fit(X, y)
    with pytest.raises(InputError, match="scale X, sample_weight or class_weight down"):
        Perceptron(class_weight={"a": 1e149}).fit(1e10 * X, y)


def test_two_named_classes_and_a_third_keep_the_side_of_the_first_two() -> None:
    p = Perceptron(keep="last").partial_fit(
        [[1.0, 2.0], [-2.0, 1.0]], ["a", "b"], classes=["a", "b"]
    )
    coef, intercept = p.coef_[0].copy(), p.intercept_[0]
    p.partial_fit([[100.0, 100.0]], ["c"], sample_weight=[1e-9])
    for sign, k in ((-1, 0), (1, 1)):
        np.testing.assert_allclose(p.coef_[k], sign * coef, atol=1e-6)
        np.testing.assert_allclose(p.intercept_[k], sign * intercept, atol=1e-6)


@pytest.mark.parametrize("kind", [object, str])
def test_text_labels_in_any_array_type(kind: type) -> None:
    p = Perceptron().partial_fit(X[:2], np.array(["a", "b"], dtype=kind))
    p.learn_one(X[2], "c")
    p.partial_fit(X[3:5], np.array(["d", "a"], dtype=object))
    assert p.classes_.tolist() == ["a", "b", "c", "d"]


def test_text_and_numbers_do_not_mix() -> None:
    p = Perceptron().partial_fit(X[:2], [0, 1])
    before = _state(p)
    with pytest.raises(InputError, match="labels must be all text or all numbers"):
        p.learn_one(X[2], "c")
    assert _state(p) == before


def test_each_call_adds_one_record() -> None:
    p = Perceptron(keep="last")
    for chunk in (slice(0, 10), slice(10, 11), slice(11, 40)):
        p.partial_fit(X[chunk], y[chunk])
    assert len(p.history_) == p.n_iter_ == 3
    total = (p.coef_**2).sum() + (p.intercept_**2).sum()
    assert p.history_[-1].norm == pytest.approx(np.sqrt(total))
    assert p.history_[-1].training_mistakes is None


@pytest.mark.parametrize("eta0", [0.5, 4.0])
def test_learning_rate_may_change_in_mid_stream(eta0: float) -> None:
    p = Perceptron(keep="last", fit_intercept=False).partial_fit([[1.0, 0.0]], [1], classes=[0, 1])
    p.set_params(eta0=eta0).partial_fit([[0.0, 1.0]], [0])
    assert p.coef_.tolist() == [[1.0, -eta0]]


BAD_CHUNKS: dict[str, tuple] = {
    "NaN": ([[1.0, 2.0, 3.0], [1.0, np.nan, 2.0]], ["a", "b"], None),
    "too large": ([[1e200, 2.0, 3.0], [1e200, 1.0, 2.0]], ["a", "b"], None),
    "too large, new class": ([[1e200, 2.0, 3.0], [1e200, 1.0, 2.0]], ["x", "y"], None),
    "bad weight, new class": ([[1.0, 2.0, 3.0]], ["x"], [-1.0]),
    "NaN weight": ([[1.0, 2.0, 3.0]], ["a"], [np.nan]),
    "two weights": ([[1.0, 2.0, 3.0]], ["a"], [1.0, 1.0]),
    "features": ([[1.0, 2.0]], ["a"], None),
    "numbers": ([[1.0, 2.0, 3.0]], [1], None),
}


@pytest.mark.parametrize("chunk", BAD_CHUNKS)
@pytest.mark.parametrize("store", [np.array, sp.csr_array])
def test_failing_chunk_changes_nothing(chunk: str, store: Callable) -> None:
    samples, labels, weight = BAD_CHUNKS[chunk]
    p = Perceptron().partial_fit(X, y)
    before = _state(p)
    with pytest.raises(ValueError, match=r".{20}"):
        p.partial_fit(store(samples), labels, sample_weight=weight)
    assert _state(p) == before


@pytest.mark.parametrize("chunk", ["NaN", "too large", "NaN weight", "two weights"])
def test_failing_first_chunk_leaves_no_state(chunk: str) -> None:
    samples, labels, weight = BAD_CHUNKS[chunk]
    p = Perceptron()
    with pytest.raises(ValueError, match=r".{20}"):
        p.partial_fit(samples, labels, sample_weight=weight)
    assert not hasattr(p, "classes_")
    p.partial_fit(X[:, :2], y)
    assert p.coef_.shape == (4, 2)


@pytest.mark.parametrize(
    ("x", "weight"), [([1.0, np.nan, 2.0], None), ([1.0, 2.0], None), ([1.0, 2.0, 3.0], -1.0)]
)
def test_failing_sample_changes_nothing(x: list[float], weight: float | None) -> None:
    p = Perceptron().partial_fit(X, y)
    before = _state(p)
    with pytest.raises(InputError):
        p.learn_one(x, "new", sample_weight=weight)
    assert _state(p) == before


@pytest.mark.parametrize("x", [np.ones((2, 1)), 5.0, sp.csr_array(np.ones((2, 1)))])
def test_learn_one_equals_one_row(x: object) -> None:
    p = Perceptron()
    with pytest.raises(InputError):
        p.learn_one(x, 1)
    assert not hasattr(p, "classes_")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_chunks_of_weight_zero_are_skipped() -> None:
    weight = np.array([1.0] * 10 + [0.0] * 10 + [1.0] * 20)
    batch = Perceptron(order="cyclic", max_iter=1).fit(X, y, sample_weight=weight)
    stream = Perceptron()
    for chunk in np.split(np.arange(40), 4):
        stream.partial_fit(X[chunk], y[chunk], classes=list("abcd"), sample_weight=weight[chunk])
    assert stream.coef_.tobytes() == batch.coef_.tobytes()
    before = stream.coef_
    stream.learn_one(-10 * X[0], y[0], sample_weight=0.0)
    assert stream.coef_.tobytes() == before.tobytes()


def test_balanced_weights_need_the_whole_data() -> None:
    p = Perceptron(class_weight="balanced")
    with pytest.raises(InputError, match="class_weight='balanced' needs the whole data"):
        p.partial_fit(X, y)
    assert not hasattr(p, "classes_")


@pytest.mark.parametrize("samples", [[[1.0], [2.0]], [{"a": 1.0}, {"b": 2.0}]])
def test_memory_grows_linearly_with_the_classes(samples: list) -> None:
    def learn(classes: list[int]) -> None:
        p = Perceptron(class_weight=dict.fromkeys(classes, 2.0))
        for x, label in zip(samples, classes[-2:], strict=True):
            p.learn_one(x, label)

    learn([0, 1, 2])  # compiles
    tracemalloc.start()
    learn(list(range(5000)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8e6


def test_a_chunk_with_more_classes_than_the_cache_remembers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    labels = np.array([0, 1, 2, 3, 4, 2, 0, 3])
    usual, few = Perceptron(class_weight={2: 3.0}), Perceptron(class_weight={2: 3.0})
    usual.partial_fit(np.eye(5)[labels], labels, classes=range(5))
    monkeypatch.setattr(one_sample_cache, "_KEPT_NUMBERS", 10)
    for label in labels.tolist():
        few.partial_fit(np.eye(5)[[label]], [label], classes=range(5))
    np.testing.assert_array_equal(few.coef_, usual.coef_)
