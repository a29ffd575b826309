"""Shared tests of passive-aggressive and Winnow: same bits for every input, streams, state, files."""

import copy
import pickle
import warnings
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import InputError, Outcome, PassiveAggressive, Winnow, load, save
from rosenblatt.training.rules.online_rule import OnlineRule
from strategies import labels, matrices

ignore_budget = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SIXTEENTHS = [k / 16 for k in range(17)]

LEARNERS = [
    PassiveAggressive(keep="last"),
    PassiveAggressive(variant="PA-II", C=0.3, keep="average", intercept_rate=0.01),
    PassiveAggressive(variant="PA", fit_intercept=False, length="extended", keep="last"),
    Winnow(),
    Winnow(promotion=1.3, threshold=2.5),
    Winnow(variant="elimination"),
    Winnow(variant="balanced", promotion=1.1),
]

every = pytest.mark.parametrize("learner", LEARNERS, ids=repr)


def same(one: Any, other: Any) -> None:
    """Return whether the learned states have the same bits."""
    assert one.classes_.tolist() == other.classes_.tolist()
    assert one.coef_.tobytes() == other.coef_.tobytes()
    assert one.intercept_.tobytes() == other.intercept_.tobytes()
    assert one.n_mistakes_ == other.n_mistakes_


def blobs(n_classes: int = 2, n: int = 60, d: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Features of 0 and 1, and the number of the first one that is 1, as a letter."""
    rng = np.random.default_rng(n_classes)
    X = (rng.random((n, d)) < 0.4).astype(float)
    kind = np.argmax(np.column_stack([X[:, : n_classes - 1], np.ones(n)]), axis=1)
    return X, np.array(list("abcdef"))[kind]


@every
@pytest.mark.parametrize("n_classes", [2, 3])
@settings(max_examples=10)
@given(data=st.data())
def test_same_bits_for_every_input(learner: Any, n_classes: int, data: st.DataObject) -> None:
    X = data.draw(matrices(SIXTEENTHS, st.integers(2, 9), st.integers(1, 5)))
    y = data.draw(labels(len(X), list("abc")[:n_classes]))
    weight = np.array(
        data.draw(st.lists(st.sampled_from([1, 2]), min_size=len(X), max_size=len(X)))
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        cyclic = clone(learner).set_params(max_iter=1, order="cyclic")
        fitted = cyclic.fit(X, y, sample_weight=weight)
    classes = fitted.classes_
    for store in (np.asarray, sp.csr_matrix, lambda X: X.astype(np.float32)):
        Z = store(X)
        same(clone(learner).partial_fit(Z, y, classes=classes, sample_weight=weight), fitted)
        same(clone(learner).partial_fit(Z, y, sample_weight=weight), fitted)
        one_by_one = clone(learner)
        for i in range(len(y)):
            one_by_one.learn_one(Z[i], y[i], sample_weight=weight[i])
        same(one_by_one, fitted)
        assert one_by_one.predict(Z).tolist() == fitted.predict(X).tolist()
        assert [fitted.predict_one(Z[i]) for i in range(len(y))] == fitted.predict(X).tolist()


@every
@ignore_budget
def test_same_bits_with_rounded_sums(learner: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((200, 30), dtype=np.float32) * (rng.random((200, 30)) < 0.5)
    y = rng.integers(0, 3, 200)
    one = clone(learner).set_params(max_iter=3, order="shuffle", random_state=1).fit(X, y)
    for Z in (sp.csr_matrix(X), X.astype(np.float64), np.asfortranarray(X)):
        same(clone(one).fit(Z, y), one)


@every
@pytest.mark.parametrize("order", ["cyclic", "shuffle", "random"])
@ignore_budget
def test_epochs(learner: Any, order: str) -> None:
    X, y = blobs()
    if order == "random":
        X, y = X[:12], y[:12]
    learner = clone(learner).set_params(order=order, random_state=0, max_iter=200)
    learner.fit(X, y)
    sparse = clone(learner).fit(sp.csr_matrix(X), y)
    same(sparse, learner)
    assert learner.n_iter_ == len(learner.history_) <= 200
    assert learner.n_mistakes_ == learner.history_.mistakes.sum()
    assert learner.history_[-1].norm > 0
    if learner.outcome_ is Outcome.SEPARATED:
        assert (learner.predict(X) == y).all()
        at_limit = learner.keep == "average" and learner.n_iter_ == 200
        assert learner.history_[-1].training_mistakes == (None if at_limit else 0)
    else:
        assert learner.outcome_ in (Outcome.BUDGET, Outcome.AVERAGED)


@every
def test_warning_after_max_iter(learner: Any) -> None:
    X, y = np.array([[1.0], [1.0], [0.0]]), ["a", "b", "a"]
    message = r"3 epochs were not enough.*raise max_iter=3"
    is_warned = learner.keep == "last"  # an average is for such samples
    with pytest.warns(ConvergenceWarning, match=message) if is_warned else nullcontext():
        learner = clone(learner).set_params(max_iter=3).fit(X, y)
    assert learner.outcome_ is (Outcome.BUDGET if is_warned else Outcome.AVERAGED)


@every
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_new_classes_at_any_time(learner: Any, n_classes: int) -> None:
    X, y = blobs(n_classes)
    place = np.argsort(y, kind="stable")
    X, y = X[place], y[place]
    known = clone(learner).partial_fit(X, y, classes=list("abcdef")[:n_classes])
    chunks = clone(learner)
    for start in range(0, len(y), 7):
        chunks.partial_fit(X[start : start + 7], y[start : start + 7])
    same(chunks, known)
    assert chunks.n_iter_ == len(chunks.history_) == 9
    assert chunks.outcome_ is Outcome.STREAM


@every
@ignore_budget
def test_class_that_was_not_named(learner: Any) -> None:
    X, y = blobs()
    named = clone(learner).partial_fit(X, y, classes=["a", "b"])
    fitted = clone(learner).fit(X, y)
    for one in (named, fitted):
        before = one.coef_
        if isinstance(one, Winnow):
            for learn in (one.partial_fit, one.learn_one):
                sample = (X[:1], ["c"]) if learn == one.partial_fit else (X[0], "c")
                with pytest.raises(InputError, match=r"y contains 'c', but .* \['a', 'b'\]"):
                    learn(*sample)
            assert one.coef_.tobytes() == before.tobytes()
        else:
            one.learn_one(X[0], "c", sample_weight=0.0)
            assert one.classes_.tolist() == ["a", "b", "c"]
            expected = np.vstack([-before, before, np.zeros_like(before)]) + 0.0
            assert one.coef_.tobytes() == expected.tobytes()
    with pytest.raises(InputError, match="all text or all numbers"):
        clone(learner).partial_fit(X, y).learn_one(X[0], 1)


def test_winnow_with_more_than_two_classes() -> None:
    X, y = np.eye(3), np.array(list("abc"))
    one = Winnow().fit(X, y).learn_one(X[0], "d", sample_weight=0.0)
    assert one.coef_.tolist() == [*Winnow().fit(X, y).coef_.tolist(), [1.0] * 3]


@every
def test_labels_and_classes_have_one_type(learner: Any) -> None:
    """NumPy turns numbers into text in a mixed array, which could make them look known."""
    X = blobs()[0][:4]
    for y, classes in (
        ([1, 1, 0, 0], ["0", "1"]),
        (["1", "1", "0", "0"], [0, 1]),
        ([b"a", b"b", b"a", b"b"], ["a", "b"]),
    ):
        one = clone(learner)
        with pytest.raises(InputError, match=r"y contains b?'?\w'? \(\w+\), but the classes are"):
            one.partial_fit(X, np.array(y), classes=classes)
        assert not hasattr(one, "classes_")
        one.partial_fit(X, np.array(y))
        with pytest.raises(InputError, match=r"classes contains .* but the classes are"):
            one.partial_fit(X, np.array(y), classes=classes)
    for classes in ([0, 1, np.nan], [0, 1, None], [0, "1"], np.array([0.0, np.nan]), []):
        with pytest.raises(InputError, match=r"(?s)^classes.*(contains NaN|is empty|all numbers)"):
            clone(learner).partial_fit(X, [1, 1, 0, 0], classes=classes)
    known = clone(learner).partial_fit(X, [1, 1, 0, 0], classes=[0, 1])
    if isinstance(learner, Winnow):
        with pytest.raises(InputError, match=r"classes contains 2, but .* \[0, 1\]"):
            known.partial_fit(X, [1, 1, 0, 0], classes=[0, 1, 2])
    else:
        known.partial_fit(X, [1, 1, 0, 0], classes=[0, 1, 2])
        assert known.classes_.tolist() == [0, 1, 2]
    wide = clone(learner).partial_fit(X, [1, 1, 0, 0], classes=[0.0, True])
    same(wide, clone(learner).partial_fit(X, [1, 1, 0, 0], classes=[0, 1]))


@every
@ignore_budget
def test_fit_continues_as_a_stream(learner: Any) -> None:
    X, y = blobs(3)
    one = clone(learner).set_params(max_iter=2, order="cyclic")
    if one.fit(X, y).n_iter_ == 2:
        once = clone(one).set_params(max_iter=1).fit(X, y).partial_fit(X, y)
        same(once, one)
        assert [e.mistakes for e in once.history_] == [e.mistakes for e in one.history_]


@every
def test_copies_are_independent(learner: Any) -> None:
    X, y = blobs()
    one = clone(learner).partial_fit(X[:30], y[:30]).learn_one(X[30], y[30])
    other = copy.copy(one)
    third = pickle.loads(pickle.dumps(one))
    before = one.coef_.tobytes()
    for i in range(31, 60):
        other.learn_one(X[i], y[i])
    assert one.coef_.tobytes() == third.coef_.tobytes() == before
    for i in range(31, 60):
        one.learn_one(X[i], y[i])
    same(one, other)


@every
@ignore_budget
def test_models_are_saved(learner: Any, tmp_path: Path) -> None:
    X, y = blobs(3)
    for model in (clone(learner), clone(learner).fit(X, y), clone(learner).partial_fit(X, y)):
        save(model, tmp_path / "model")
        again = load(tmp_path / "model")
        assert again.get_params() == model.get_params()
        if hasattr(model, "classes_"):
            same(again, model)
            assert list(again.history_) == list(model.history_)
            assert again.outcome_ is model.outcome_
            same(again.partial_fit(X[::-1], y[::-1]), model.partial_fit(X[::-1], y[::-1]))


@every
def test_bad_input_changes_nothing(learner: Any) -> None:
    X, y = blobs()
    learner = clone(learner).partial_fit(X, y)
    state = pickle.dumps(learner)
    bad = np.full((2, X.shape[1]), np.nan)
    for call in (
        lambda: learner.fit(bad, ["a", "b"]),
        lambda: learner.fit(X, np.full(len(y), "a")),
        lambda: learner.fit(X, y, sample_weight=np.zeros(len(y))),
        lambda: learner.partial_fit(bad, ["a", "b"]),
        lambda: learner.partial_fit(X, y, sample_weight=[-1.0] * len(y)),
        lambda: learner.learn_one(bad[0], "a"),
        lambda: learner.learn_one(X[0, 1:], "a"),
        lambda: learner.learn_one({"x": 1.0}, "a"),
        lambda: learner.learn_one(X[0], None),
        lambda: learner.predict_one(X[0, 1:]),
    ):
        with pytest.raises(ValueError, match=r".+"):
            call()
    assert pickle.dumps(learner) == state


@every
@pytest.mark.parametrize("store", [np.asarray, sp.csr_matrix])
def test_interrupted_visit_changes_nothing(
    learner: Any, store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = blobs()
    X = store(X)
    learner = clone(learner).partial_fit(X, y).learn_one(X[0], y[0])
    weights, mistakes = learner.coef_, learner.n_mistakes_
    visit = OnlineRule.visit

    def interrupted(self: Any, *arguments: Any) -> int:
        visit(self, *arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(OnlineRule, "visit", interrupted)
        for call, x, label in (
            (learner.fit, X, y),
            (learner.partial_fit, X, y),
            (learner.learn_one, X[1], "a"),
            (learner.learn_one, X[1], "b"),
        ):
            with pytest.raises(KeyboardInterrupt):
                call(x, label)
    assert learner.coef_.tobytes() == weights.tobytes()
    assert learner.n_mistakes_ == mistakes


@every
def test_sample_of_weight_zero_is_skipped(learner: Any) -> None:
    X, y = blobs()
    seen = np.arange(len(y)) % 3 > 0
    one = clone(learner).partial_fit(X, y, classes=["a", "b"], sample_weight=seen.astype(float))
    same(one, clone(learner).partial_fit(X[seen], y[seen], classes=["a", "b"]))


@every
def test_attributes_before_learning(learner: Any) -> None:
    assert clone(learner).predict_one([1.0, 0.0]) is None
    one = clone(learner).learn_one([1.0, 0.0], "only")
    assert one.predict_one([0.0, 1.0]) == "only"
    for value, kind in ((np.nan, "NaN"), (np.inf, "infinity")):
        with pytest.raises(InputError, match=f"the sample contains {kind} in column 0"):
            one.predict_one([value, 1.0])
        with pytest.raises(InputError, match=f"the sample contains {kind} in column 0"):
            one.predict_one(sp.csr_matrix([[value, 0.0]]))


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (PassiveAggressive, {"variant": "PA-III"}),
        (PassiveAggressive, {"C": 0.0}),
        (PassiveAggressive, {"fit_intercept": "yes"}),
        (PassiveAggressive, {"intercept_rate": -1.0}),
        (PassiveAggressive, {"length": "long"}),
        (PassiveAggressive, {"tol": 1.0}),
        (PassiveAggressive, {"tol": None}),
        (PassiveAggressive, {"tol": False}),
        (PassiveAggressive, {"keep": "best"}),
        (PassiveAggressive, {"max_iter": 0}),
        (Winnow, {"promotion": 1.0}),
        (Winnow, {"promotion": "2"}),
        (Winnow, {"threshold": 0.0}),
        (Winnow, {"threshold": np.inf}),
        (Winnow, {"variant": "gentle"}),
        (Winnow, {"max_iter": 1.5}),
        (Winnow, {"order": "sorted"}),
        (Winnow, {"random_state": "seed"}),
    ],
)
def test_bad_parameters(kind: Any, wrong: dict[str, Any]) -> None:
    (name,) = wrong
    for call in ("fit", "partial_fit"):
        with pytest.raises(InputError, match=f"{name}="):
            getattr(kind(**wrong), call)([[0.0], [1.0]], [0, 1])
    with pytest.raises(InputError, match=f"{name}="):
        kind(**wrong).learn_one([0.0], 0)
