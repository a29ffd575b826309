"""Joint passive-aggressive learning against a plain twin, and C="auto"."""

import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from expected_failures import WEIGHTED_IS_REPEATED
from rosenblatt import InputError, Outcome, PassiveAggressive, load, save
from rosenblatt.estimators.common.run import Progressive
from strategies import INTEGERS, TENTHS, matrices

ignore_budget = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

STORAGE = [
    np.asarray,
    sp.csr_matrix,
    np.asfortranarray,
    lambda X: X.astype(np.float32),
    lambda X: sp.csr_matrix(X.astype(np.float32)),
]


@ignore_budget
@parametrize_with_checks(
    [PassiveAggressive(multiclass="joint", keep="average", max_iter=10)],
    expected_failed_checks=lambda _: WEIGHTED_IS_REPEATED,
)
def test_estimator_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def weights(one: Any) -> np.ndarray:
    return np.column_stack([one.coef_, one.intercept_])


def made(n_classes: int = 3, n: int = 90) -> tuple[np.ndarray, np.ndarray]:
    """Overlapping classes; float32 holds the numbers exactly."""
    rng = np.random.default_rng(n_classes)
    X = rng.standard_normal((n, 5)).astype(np.float32).astype(np.float64)
    return X, (X[:, :n_classes] + 0.5 * rng.standard_normal((n, n_classes))).argmax(axis=1)


def dot(one: list[float], other: list[float]) -> float:
    total = 0.0
    for a, b in zip(one, other, strict=True):
        total += a * b
    return total


def tau(learner: Any, loss: float, square: float, limit: float) -> float:
    if loss <= 0.0:
        return 0.0
    if learner.variant == "PA-II":
        return loss / (square + 0.5 / limit)
    if square == 0.0:
        return 0.0
    return loss / square if learner.variant == "PA" else min(limit, loss / square)


def add(vector: list[float], row: list[float], step: float, rate: float) -> None:
    for j, x in enumerate(row):
        vector[j] += step * x
    vector[-1] += rate * step


def naive(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray, learner: Any, passes: int
) -> tuple[list[list[float]], list[list[float]], int]:
    """Learn in plain Python, one rounded operation after the other: weights, average, updates."""
    classes = range(int(y.max()) + 1)
    w, drift = ([[0.0] * (X.shape[1] + 1) for _ in classes] for _ in range(2))
    rate = float(learner.intercept_rate) if learner.fit_intercept else 0.0
    extra = rate if learner.length == "extended" else 0.0
    visits = updates = 0
    visited = [(row, own, c) for row, own, c in zip(X.tolist(), y, weight, strict=True) if c > 0.0]
    for row, own, factor in passes * visited:
        scores = [dot(row, v[:-1]) + float(learner.fit_intercept) * v[-1] for v in w]
        rival = max((k for k in classes if k != own), key=lambda k: (scores[k], -k))
        loss = 1.0 - (scores[own] - scores[rival])
        step = tau(learner, loss, 2.0 * (dot(row, row) + extra), learner.C * factor)
        if step > 0.0:
            updates += 1
            for vectors, size in ((w, step), (drift, step * visits)):
                add(vectors[own], row, size, rate)
                add(vectors[rival], row, -size, rate)
        visits += 1
    mean = np.array(w) - np.array(drift) / visits
    return w, mean.tolist(), updates


@ignore_budget
@pytest.mark.parametrize("variant", ["PA", "PA-I", "PA-II"])
@settings(max_examples=30)
@given(
    data=st.data(),
    passes=st.integers(1, 3),
    C=st.sampled_from([0.1, 1.0, 3.0]),
    rate=st.sampled_from([0.0, 0.01, 1.0]),
    length=st.sampled_from(["features", "extended"]),
)
def test_equals_the_plain_twin(
    variant: str, data: st.DataObject, passes: int, C: float, rate: float, length: str
) -> None:
    pool = data.draw(st.sampled_from([INTEGERS, TENTHS]))
    X = data.draw(matrices(pool, st.integers(3, 9), st.integers(1, 5)))
    extra = st.lists(st.integers(0, 3), min_size=len(X) - 3, max_size=len(X) - 3)
    y = np.array([0, 1, 2, *data.draw(extra)])
    y = np.unique(y, return_inverse=True)[1]
    some = st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=len(X) - 1, max_size=len(X) - 1)
    weight = np.array([1.0, *data.draw(some)])
    options = {"variant": variant, "C": C, "fit_intercept": rate > 0, "length": length}
    learner = PassiveAggressive(
        multiclass="joint", **options, intercept_rate=rate or 1.0, tol=0.0, order="cyclic"
    )
    last, average, updates = naive(X, y, weight, learner, passes)
    for keep, expected in (("last", last), ("average", average)):
        one = clone(learner).set_params(keep=keep, max_iter=passes).fit(X, y, sample_weight=weight)
        if one.n_iter_ == passes:
            assert weights(one).tolist() == expected
            assert one.n_mistakes_ == updates
        chunks = [(X[:1], y[:1], weight[:1]), (X[1:], y[1:], weight[1:])]
        stream = clone(learner).set_params(keep=keep).fit_stream(chunks, passes=passes)
        assert weights(stream).tobytes() == weights(one).tobytes()
        assert stream.n_mistakes_ == one.n_mistakes_


@ignore_budget
@pytest.mark.parametrize("keep", ["last", "average"])
@pytest.mark.parametrize("order", ["cyclic", "shuffle", "random"])
def test_every_input_learns_the_same_bits(keep: str, order: str, tmp_path: Path) -> None:
    X, y = made(4)
    learner = PassiveAggressive(
        multiclass="joint", C="auto", keep=keep, order=order, max_iter=4, length="extended"
    )
    one = clone(learner).fit(X, y)
    for store in STORAGE:
        other = clone(learner).fit(store(X), y)
        assert weights(other).tobytes() == weights(one).tobytes()
        assert other.C_ == one.C_
    save(one, tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.C_ == one.C_
    for each in (one, again):
        each.partial_fit(X, y)
        for i in range(5):
            each.learn_one(X[i], y[i])
    assert weights(again).tobytes() == weights(one).tobytes()
    assert again.C_ == one.C_


def test_streams_and_single_samples_equal_one_cyclic_epoch() -> None:
    X, y = made()
    learner = PassiveAggressive(multiclass="joint", keep="average", order="cyclic", max_iter=1)
    one = clone(learner).fit(X, y)
    chunks, singles = clone(learner), clone(learner)
    for k in range(0, len(y), 7):
        chunks.partial_fit(X[k : k + 7], y[k : k + 7], classes=[0, 1, 2])
    singles.partial_fit(X[:1], y[:1], classes=[0, 1, 2])
    for i in range(1, len(y)):
        singles.learn_one(X[i], y[i])
    assert weights(chunks).tobytes() == weights(singles).tobytes() == weights(one).tobytes()
    assert chunks.n_mistakes_ == singles.n_mistakes_ == one.n_mistakes_
    assert [singles.predict_one(x) for x in X] == one.predict(X).tolist()


@ignore_budget
def test_two_classes_share_one_halfspace() -> None:
    X, y = made(2)
    for keep in ("last", "average"):
        joint = PassiveAggressive(multiclass="joint", keep=keep, max_iter=5).fit(X, y)
        alone = PassiveAggressive(keep=keep, max_iter=5).fit(X, y)
        assert joint.coef_.shape == (1, 5)
        assert weights(joint).tobytes() == weights(alone).tobytes()
        assert joint.outcome_ is alone.outcome_


def test_how_runs_end() -> None:
    X, y = np.vstack([np.eye(3), 2.0 * np.eye(3)]), np.tile([0, 1, 2], 2)
    for order in ("cyclic", "random"):
        for keep in ("last", "average"):
            one = PassiveAggressive(multiclass="joint", order=order, keep=keep, max_iter=200)
            one.fit(X, y)
            assert one.outcome_ is Outcome.SEPARATED
            assert one.n_iter_ < 200
            assert one.history_[-1].training_mistakes == 0
            assert (one.predict(X) == y).all()
    X, y = made()
    with pytest.warns(ConvergenceWarning, match="4 epochs were not enough"):
        last = PassiveAggressive(multiclass="joint", keep="last", max_iter=4).fit(X, y)
    assert last.outcome_ is Outcome.BUDGET
    for multiclass in ("one-vs-rest", "joint"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            average = PassiveAggressive(multiclass=multiclass, keep="average", max_iter=4)
            average.fit(X, y)
        assert average.outcome_ is Outcome.AVERAGED
        assert average.history_[-1].training_mistakes is None
    # the average may be right about all samples although the last epoch made updates
    X, y = np.array([[3.0], [2.0], [-1.0]]), ["a", "a", "b"]
    quick = PassiveAggressive(keep="average", max_iter=1, C=0.01).fit(X, y)
    assert quick.history_[-1].mistakes > 0
    assert quick.outcome_ is Outcome.SEPARATED


def test_progressive_errors_compare_the_known_classes() -> None:
    X, y = made()
    late = np.argsort(y == 1, kind="stable")  # for a long time only two of the classes are known
    X, y = X[late], y[late]
    learner = PassiveAggressive(multiclass="joint", keep="last")
    stream = clone(learner).fit_stream([(X[:4], y[:4]), (X[4:], y[4:])])
    twin, known, wrong = clone(learner), set(), 0
    twin.partial_fit(X[:1], y[:1], classes=[0, 1, 2], sample_weight=[0.0])
    for x, label in zip(X, y.tolist(), strict=True):
        scores = twin.decision_function(x[None])[0]
        best = max(known, key=lambda k: (scores[k], -k)) if known else None
        wrong += best != label
        known.add(label)
        twin.learn_one(x, label)
    assert stream.progressive_ == Progressive(len(y), wrong)


def test_all_classes_must_be_known() -> None:
    X, y = made()
    learner = PassiveAggressive(multiclass="joint")
    with pytest.raises(InputError, match="multiclass='joint' needs all classes from the beginning"):
        clone(learner).partial_fit(X, y)
    with pytest.raises(InputError, match="multiclass='joint' needs all classes from the beginning"):
        clone(learner).learn_one(X[0], 1)
    known = clone(learner).partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(InputError, match="y contains 7, but the classes that learn jointly are"):
        known.learn_one(X[0], 7)
    with pytest.raises(InputError, match="classes contains 9, but the classes that learn jointly"):
        known.partial_fit(X, y, classes=[0, 1, 2, 9])
    opened = PassiveAggressive().partial_fit(X, y).set_params(multiclass="joint")
    with pytest.raises(InputError, match="cannot continue a stream whose classes were not named"):
        opened.partial_fit(X, y)
    late = np.argsort(y, kind="stable")
    chunks = [(X[late][:40], y[late][:40]), (X[late][40:], y[late][40:])]
    named = clone(learner).fit_stream(chunks, classes=[0, 1, 2])
    assert weights(clone(learner).fit_stream(chunks)).tobytes() == weights(named).tobytes()


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_measured_limit_is_exact(fit_intercept: bool) -> None:
    X, y = made()
    X[0] *= 2.0**26
    weight = np.where(np.arange(len(X)) % 7 == 3, 0.0, 2.0)
    lengths = [sum(Fraction(v) ** 2 for v in row) for row in X[weight > 0].tolist()]
    exact = 1.0 / float(sum(lengths) / len(lengths) + fit_intercept)
    one = PassiveAggressive(C="auto", keep="average", fit_intercept=fit_intercept, max_iter=2)
    for store in STORAGE:
        assert exact == clone(one).fit(store(X), y, sample_weight=weight).C_
    one.fit(X, y, sample_weight=weight)
    again = clone(one).set_params(C=exact).fit(X, y, sample_weight=weight)
    assert weights(again).tobytes() == weights(one).tobytes()
    assert exact == again.C_


def test_a_stream_measures_its_first_thousand_samples() -> None:
    X, y = made(3, 2500)
    X[1000:] *= 100.0
    first = PassiveAggressive(C="auto", keep="average", max_iter=1).fit(X[:1000], y[:1000]).C_
    number = PassiveAggressive(C=first).fit_stream([(X, y)])
    for size in (7, 999, 1000, 1001, 2500):
        chunks = [(X[k : k + size], y[k : k + size]) for k in range(0, len(X), size)]
        one = PassiveAggressive(C="auto").fit_stream(chunks)
        assert first == one.C_
        assert weights(one).tobytes() == weights(number).tobytes()


def test_partial_fit_needs_a_number_or_an_earlier_fit() -> None:
    X, y = made()
    for learn in (lambda one: one.partial_fit(X, y), lambda one: one.learn_one(X[0], 1)):
        with pytest.raises(InputError, match="C='auto' depends on the mean squared length"):
            learn(PassiveAggressive(C="auto"))
    one = PassiveAggressive(C="auto", keep="average", max_iter=1).fit(X, y)
    measured = one.C_
    again = PassiveAggressive(C=measured, keep="average", max_iter=1).fit(X, y)
    assert weights(one.partial_fit(X, y)).tobytes() == weights(again.partial_fit(X, y)).tobytes()
    assert measured == one.learn_one(X[0], 1).C_
    assert one.set_params(C=0.5).C_ == 0.5
    with pytest.raises(InputError, match="C='cars'"):
        PassiveAggressive(C="cars").fit(X, y)
    for length in (1e200, 1e100):
        with pytest.raises(InputError, match="too far from 1 for C='auto': scale them"):
            PassiveAggressive(C="auto").fit([[length], [0.0]], [0, 1])
    with pytest.raises(InputError, match="X contains infinity in row 0, column 0"):
        PassiveAggressive(C="auto").fit([[np.inf], [0.0]], [0, 1])
    with pytest.raises(InputError, match="multiclass='all'"):
        PassiveAggressive(multiclass="all").fit(X, y)
