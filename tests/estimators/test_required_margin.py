"""A required margin: exact decisions, bounds, the measured margin, and the same run in every form."""

import math
import warnings
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import naive
from rosenblatt import InputError, Outcome, Perceptron, bounds, cross_validate, load, save, trace
from rosenblatt.estimators.evaluation.guarantee import guarantee
from strategies import Separable, labels, samples, separable

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

TIES = {"mistake": 0, "positive": 1, "negative": -1}


@given(
    st.data(),
    st.sampled_from(list(TIES)),
    st.sampled_from([2, 3]),
    st.sampled_from([0.1, 1.0, 4.0]),
    st.sampled_from([1.0, 0.3]),
)
def test_run_equals_the_slow_twin(
    data: st.DataObject, ties: str, n_classes: int, margin: float, eta0: float
) -> None:
    X = np.clip(data.draw(samples(max_rows=6, max_columns=3)), -1e17, 1e17)
    y = data.draw(labels(len(X), ["b", "a", "c"][:n_classes]))
    p = Perceptron(
        keep="last", order="cyclic", ties=ties, margin=margin, eta0=eta0, max_iter=8, record=True
    ).fit(sp.csr_matrix(X) if data.draw(st.booleans()) else X, y)
    classes = sorted(set(y.tolist()))
    for k, positive in enumerate(classes[1:] if len(classes) == 2 else classes):
        signs = np.where(y == positive, 1, -1)
        weights, epochs = naive.learn_cyclic(X, signs, 8, tie=TIES[ties], required=margin / eta0)
        found = np.append(p.coef_[k], p.intercept_[k])
        assert found.tobytes() == (eta0 * weights).tobytes()
        assert p.ledger_.sequences[k].tolist() == [i for epoch in epochs for i in epoch]


@given(separable(), st.sampled_from([0.0, 0.5, 3.0]), st.sampled_from([1.0, 0.25]), st.booleans())
def test_the_mistakes_are_within_the_bound_and_the_margin_is_reached(
    draw: Separable, margin: float, eta0: float, is_started: bool
) -> None:
    start = [[2.0] + [-1.0] * (draw.X.shape[1] - 1)] if is_started else None
    p = Perceptron(fit_intercept=False, margin=margin, eta0=eta0, max_iter=10**6)
    p.fit(draw.signs[:, None] * draw.X, np.ones(len(draw.X)), coef_init=start)
    assert p.outcome_ is Outcome.SEPARATED
    bound = bounds.mistake_bound(
        math.sqrt(draw.radius_squared) * (1 + 1e-12),
        draw.margin / math.sqrt(draw.truth_squared) * (1 - 1e-12),
        start_norm=0.0 if start is None else float(np.linalg.norm(start)),
        eta0=eta0,
        required=margin,
    )
    assert p.n_mistakes_ <= p.n_updates_ <= bound
    scores = [naive.exact_dot(row, p.coef_[0]) for row in draw.signs[:, None] * draw.X]
    assert min(scores) > margin


def test_the_bound_is_reached() -> None:
    # By hand: with one sample of length 1, each update adds 1, so 4 are needed to exceed 3.
    p = Perceptron(fit_intercept=False, margin=3).fit([[1.0]], [1])
    assert (p.n_updates_, p.n_mistakes_, p.coef_.tolist()) == (4, 1, [[4.0]])
    assert (p.history_.updates.tolist(), p.history_.mistakes.tolist()) == (
        [1] * 4 + [0],
        [1] + [0] * 4,
    )
    assert bounds.mistake_bound(1.0, 1.0, required=3) == pytest.approx(7.0)
    assert bounds.mistake_bound(1.0, 1.0, required=3, eta0=0.5) == pytest.approx(13.0)


@pytest.mark.parametrize(
    ("ties", "weight"), [("mistake", 3.0), ("positive", 2.0), ("negative", 3.0)]
)
def test_ties_decide_at_the_margin(ties: str, weight: float) -> None:
    p = Perceptron(fit_intercept=False, margin=2, ties=ties).fit([[1.0]], [1])
    assert p.coef_.tolist() == [[weight]]


def test_a_margin_within_a_rounding_of_the_score_is_decided_exactly() -> None:
    # The exact score 0.1 · 0.1 is slightly below the nearest float64, and above the previous one.
    product = 0.1 * 0.1
    for margin, updates in ((product, 1), (np.nextafter(product, 0.0), 0)):
        is_above = naive.exact_dot([0.1], [0.1]) > naive.exact_dot([margin], [1.0])
        p = Perceptron(fit_intercept=False, margin=margin, max_iter=1)
        p.fit([[0.1]], [1], coef_init=[[0.1]])
        assert (p.n_updates_, p.n_mistakes_) == (updates, 0)
        assert updates == (not is_above)
        assert p.n_exact_ >= 1


@pytest.mark.parametrize("order", ["cyclic", "shuffle", "random"])
@pytest.mark.parametrize("keep", ["last", "average", "pocket", "vote"])
def test_every_order_reaches_the_margin(order: str, keep: str) -> None:
    X, y = np.array([[3, 3], [4, 3], [1, 1]]), np.array([1, 1, -1])
    p = Perceptron(order=order, keep=keep, margin=1.5, certify=True).fit(X, y)
    assert p.outcome_ in (Outcome.SEPARATED, Outcome.AVERAGED, Outcome.VOTED)
    assert p.certificate_.verify(X, y)
    last = p._state.weights[0]
    assert (y * (X @ last[:-1] + last[-1])).min() > 1.5
    if keep == "last":
        run = trace(X, y, order=order, margin=1.5, random_state=0)
        assert [*run.weights[1:], run.weights[0]] == last.tolist()
        assert "A visit is a mistake if w·x ≤ 1.5." in str(run)


def test_guarantee_includes_the_margin() -> None:
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 0, 0, 1])
    learner = Perceptron(margin=1.0)
    found = guarantee(learner, X, y)
    # R² = 3 and γ² = 1/17: 51 mistakes without a margin, and 2·17 more with 1.
    assert (guarantee(Perceptron(), X, y).mistake_bound, found.mistake_bound) == (51, 85)
    assert learner.fit(X, y).n_updates_ <= 85


def test_folds_learn_like_separate_fits() -> None:
    X = np.array([[k % 7, k % 5] for k in range(35)], dtype=float)
    y = X[:, 0] < X[:, 1]
    learner = Perceptron(order="cyclic", margin=2.0, max_iter=50)
    folds = [(np.arange(5, 35), np.arange(5)), (np.arange(25), np.arange(25, 35))]
    found = cross_validate(learner, X, y, cv=folds, return_estimator=True)["estimator"]
    for (part, _), model in zip(folds, found, strict=True):
        alone = Perceptron(order="cyclic", margin=2.0, max_iter=50).fit(X[part], y[part])
        assert model.coef_.tobytes() == alone.coef_.tobytes()
        assert model.n_mistakes_ == alone.n_mistakes_


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"margin": -1}, "margin=-1 is not accepted: use a finite number of at least 0"),
        ({"margin": math.nan}, "margin=nan is not accepted"),
        ({"margin": "large"}, "margin='large' is not accepted: use 'auto'"),
        ({"margin": 1e100, "eta0": 1e-60}, "the margin must be below 1e\\+150 times eta0"),
    ],
)
def test_unsupported_combinations_are_rejected(parameters: dict, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        Perceptron(**parameters).fit([[0.0], [1.0]], [0, 1])


STORAGE = [np.asarray, sp.csr_array, np.float32, lambda X: sp.csr_array(np.float32(X))]
MARGINS = st.sampled_from([0.1, 1.0, 4.0])


@st.composite
def problems(draw: st.DrawFn, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw samples, exact in float32, and their class numbers; every class occurs."""
    X = np.float32(np.clip(draw(samples(max_rows=8, max_columns=3)), -1e12, 1e12))
    X = np.vstack([X, *([X[:1]] * max(0, n_classes - len(X)))]).astype(np.float64)
    y = draw(st.lists(st.integers(0, n_classes - 1), min_size=len(X), max_size=len(X)))
    return X, np.array([*range(n_classes), *y[n_classes:]])


def weights(p: Perceptron) -> np.ndarray:
    return np.column_stack([p.coef_, p.intercept_])


@given(problems(4), MARGINS, st.sampled_from(STORAGE))
def test_joint_run_equals_exact_arithmetic(
    problem: tuple[np.ndarray, np.ndarray], margin: float, store: Callable[[Any], Any]
) -> None:
    X, y = problem
    p = Perceptron(
        multiclass="joint", margin=margin, order="cyclic", keep="last", max_iter=3, record=True
    )
    p.fit(store(X), y)
    order = [*range(len(y))] * len(p.history_)
    start = np.zeros((4, X.shape[1] + 1))
    twin, updates = naive.learn_jointly(X, y, order, start=start, required=margin)
    assert weights(p).tobytes() == twin.tobytes()
    assert list(zip(*map(np.ndarray.tolist, p.ledger_.sequences), strict=True)) == updates
    assert p.n_updates_ == p.history_.updates.sum() == len(updates)


@given(problems(2), MARGINS)
def test_mistakes_are_the_updates_on_the_wrong_side(
    problem: tuple[np.ndarray, np.ndarray], margin: float
) -> None:
    X, y = problem
    signs, w, mistakes, updates = 2 * y - 1, np.zeros(X.shape[1] + 1), 0, 0
    for i in range(len(X)):
        mistakes += signs[i] * naive.exact_dot([*X[i], 1.0], w) <= 0
        w, made = naive.learn(X, signs, [i], start=w, required=margin)
        updates += len(made)
    counts = []
    for learn in (
        lambda p: p.fit(X, y),
        lambda p: p.partial_fit(X, y, classes=[0, 1]),
        lambda p: p.fit_stream([(X[:1], y[:1]), (X[1:], y[1:])], classes=[0, 1]),
        lambda p: p.fit(sp.csr_array(X), y),
    ):
        p = learn(Perceptron(margin=margin, order="cyclic", keep="last", max_iter=1))
        assert weights(p)[0].tobytes() == w.tobytes()
        counts.append((p.n_mistakes_, p.n_updates_, p.history_.updates.sum()))
    assert set(counts) == {(mistakes, updates, updates)}
    one_by_one = Perceptron(margin=margin, keep="last").partial_fit(X[:1], y[:1], classes=[0, 1])
    for row, label in zip(X[1:], y[1:].tolist(), strict=True):
        one_by_one.learn_one(row, label)
    assert weights(one_by_one)[0].tobytes() == w.tobytes()
    assert (one_by_one.n_mistakes_, one_by_one.n_updates_) == (mistakes, updates)


def test_dicts_learn_like_rows() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(2, size=60)
    rows = Perceptron(margin=1.5, keep="average").partial_fit(X, y, classes=[0, 1])
    dicts = Perceptron(margin=1.5, keep="average", class_weight={0: 1.0, 1: 1.0})
    for (a, b), label in zip(X.tolist(), y.tolist(), strict=True):
        dicts.learn_one({"a": a, "b": b}, label)
    assert weights(rows).tobytes() == weights(dicts).tobytes()
    assert (rows.n_mistakes_, rows.n_updates_) == (dicts.n_mistakes_, dicts.n_updates_)


@pytest.mark.parametrize("multiclass", ["one-vs-rest", "joint"])
@pytest.mark.parametrize("keep", ["last", "average"])
@pytest.mark.parametrize("store", STORAGE[:2])
def test_every_form_of_learning_has_the_same_bits(
    multiclass: str, keep: str, store: Callable[[Any], Any]
) -> None:
    X, y = made(3)
    options = {"margin": 2.5, "keep": keep, "multiclass": multiclass, "order": "cyclic"}
    whole = Perceptron(max_iter=4, **options).fit(store(X), y)
    chunks = [(store(X[:50]), y[:50]), (store(X[50:53]), y[50:53]), (store(X[53:]), y[53:])]
    stream = Perceptron(**options).fit_stream(chunks, passes=4)
    assert weights(whole).tobytes() == weights(stream).tobytes()
    assert whole.history_.updates.tolist() == stream.history_.updates.tolist()
    assert whole.history_.mistakes.tolist() == stream.history_.mistakes.tolist()
    one = Perceptron(max_iter=1, **options).fit(store(X), y)
    parts = Perceptron(**options)
    for rows, labels_ in chunks:
        parts.partial_fit(rows, labels_, classes=[0, 1, 2])
    assert weights(one).tobytes() == weights(parts).tobytes()
    assert (one.n_updates_, one.n_mistakes_) == (parts.n_updates_, parts.n_mistakes_)
    shards = {"shards": 3, "max_iter": 4, **options}
    mixed, streamed = Perceptron(**shards).fit(store(X), y), Perceptron(**shards)
    streamed.fit_stream(chunks, passes=4)
    assert weights(mixed).tobytes() == weights(streamed).tobytes()
    assert mixed.n_updates_ == streamed.n_updates_ > mixed.n_mistakes_


def made(n_classes: int, n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n_classes)
    y = rng.integers(n_classes, size=n)
    y[:n_classes] = range(n_classes)
    X = rng.normal(size=(n, 4)) + 1.5 * np.eye(4)[y]
    return np.float32(X).astype(np.float64), y


def test_progressive_error_counts_mistakes_not_updates() -> None:
    X, y = made(2)
    p = Perceptron(margin=3.0, keep="last").fit_stream([(X, y)])
    assert p.progressive_.mistakes == p.n_mistakes_ < p.n_updates_
    for options in ({"multiclass": "joint"}, {}):
        X, y = made(3)
        p = Perceptron(margin=3.0, keep="last", **options).fit_stream([(X, y)], classes=[0, 1, 2])
        own = Perceptron(margin=3.0, keep="last", **options)
        own.partial_fit(X[:1], y[:1], classes=[0, 1, 2])
        wrong = 1
        for k in range(1, len(y)):
            scores = own.decision_function(X[k : k + 1])[0]
            wrong += not scores[y[k]] > np.delete(scores, y[k]).max()
            own.partial_fit(X[k : k + 1], y[k : k + 1])
        assert p.progressive_.mistakes == wrong
    Y = np.array([[1, 0], [1, 1], [0, 1]])[y]
    p = Perceptron(margin=3.0, keep="last").fit_stream([(X, Y)])
    own, wrong = Perceptron(margin=3.0, keep="last").partial_fit(X[:1], Y[:1]), 1
    for k in range(1, len(Y)):
        sides = own.decision_function(X[k : k + 1])[0] * (2 * Y[k] - 1)
        wrong += bool((sides <= 0).any())
        own.partial_fit(X[k : k + 1], Y[k : k + 1])
    assert p.progressive_.mistakes == wrong


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_measured_margin_is_the_exact_mean_square(fit_intercept: bool) -> None:
    X, y = made(2)
    X[0] *= 2.0**26
    weight = np.where(np.arange(len(X)) % 7 == 3, 0.0, 2.0)
    lengths = [sum(Fraction(v) ** 2 for v in row) for row in X[weight > 0].tolist()]
    exact = float(sum(lengths) / len(lengths) + fit_intercept)
    for store in STORAGE:
        p = Perceptron(margin="auto", fit_intercept=fit_intercept, max_iter=2)
        p.fit(store(X), y, sample_weight=weight)
        assert p.required_margin_ == exact
    again = Perceptron(margin=exact, fit_intercept=fit_intercept, max_iter=2)
    again.fit(X, y, sample_weight=weight)
    assert weights(again).tobytes() == weights(p).tobytes()
    scaled = Perceptron(margin="auto", fit_intercept=fit_intercept, max_iter=2, eta0=0.25)
    scaled.fit(X, y, sample_weight=weight)
    assert (4 * weights(scaled)).tobytes() == weights(p).tobytes()


def test_a_stream_measures_its_first_thousand_samples(tmp_path: Path) -> None:
    X, y = made(2, 2500)
    X[1000:] *= 100.0
    first = Perceptron(margin="auto", max_iter=1).fit(X[:1000], y[:1000]).required_margin_
    for size in (1, 7, 999, 1000, 1001, 2500):
        chunks = [(X[k : k + size], y[k : k + size]) for k in range(0, len(X), size)]
        p = Perceptron(margin="auto").fit_stream(chunks)
        assert p.required_margin_ == first
        mixed = Perceptron(margin="auto", shards=2).fit_stream(chunks)
        assert mixed.required_margin_ == first
    short = Perceptron(margin="auto").fit_stream([(X[:3], y[:3])])
    assert short.required_margin_ == Perceptron(margin=short.required_margin_).margin > 0
    path = tmp_path / "model"
    save(p, path)
    loaded = load(path)
    assert loaded.required_margin_ == first
    for learner in (p, loaded):
        learner.partial_fit(X, y)
    assert weights(p).tobytes() == weights(loaded).tobytes()


def test_partial_fit_needs_a_number_or_an_earlier_fit() -> None:
    X, y = made(2)
    with pytest.raises(InputError, match="margin='auto' is the mean squared length of all samples"):
        Perceptron(margin="auto").partial_fit(X, y)
    with pytest.raises(InputError, match="margin='auto' is the mean squared length of all samples"):
        Perceptron(margin="auto").learn_one(X[0], 1)
    p = Perceptron(margin="auto", keep="last", max_iter=1).fit(X, y)
    margin = p.required_margin_
    again = Perceptron(margin=margin, keep="last", max_iter=1).fit(X, y)
    assert weights(p.partial_fit(X, y)).tobytes() == weights(again.partial_fit(X, y)).tobytes()
    assert p.learn_one(X[0], 1).required_margin_ == margin
    X[5, 2] = np.inf
    with pytest.raises(InputError, match="X contains infinity in row 5, column 2"):
        Perceptron(margin="auto").fit(X, y)
    with pytest.raises(InputError, match="the samples are so long that the margin 'auto' would be"):
        Perceptron(margin="auto").fit([[1e100], [0.0]], [0, 1])


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.5, 4.0]), st.integers(1, 3))
def test_joint_updates_are_within_the_bound(seed: int, margin: float, shards: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.integers(-3, 4, size=(3, 2)).astype(float)
    X = rng.integers(-4, 5, size=(30, 2)).astype(float)
    scores = np.sort(X @ truth.T, axis=1)
    lead = scores[:, -1] - scores[:, -2]
    X, y = X[lead > 0], (X @ truth.T).argmax(axis=1)[lead > 0]
    assume(len(np.unique(y)) == 3)
    gamma = lead[lead > 0].min() / np.linalg.norm(truth)
    radius = np.sqrt((X * X).sum(axis=1).max())
    p = Perceptron(
        multiclass="joint", margin=margin, fit_intercept=False, max_iter=10**6, shards=shards
    )
    p.fit(X, y)
    assert p.outcome_.name in ("SEPARATED", "AVERAGED")
    bound = bounds.mistake_bound(
        2**0.5 * radius * (1 + 1e-12), gamma * (1 - 1e-12), required=margin, shards=shards
    )
    assert p.n_mistakes_ <= p.n_updates_ <= bound
    assert bound == pytest.approx(shards * 2 * (radius**2 + margin) / gamma**2)


@settings(max_examples=25)
@given(separable(), st.sampled_from([0.0, 0.5, 4.0]), st.integers(2, 3))
def test_updates_in_shards_are_within_the_bound(
    draw: Separable, margin: float, shards: int
) -> None:
    assume(len(draw.X) >= shards)
    p = Perceptron(fit_intercept=False, margin=margin, max_iter=10**6, shards=shards, keep="last")
    p.fit(draw.signs[:, None] * draw.X, np.ones(len(draw.X)))
    assert p.outcome_ is Outcome.SEPARATED
    bound = bounds.mistake_bound(
        math.sqrt(draw.radius_squared) * (1 + 1e-12),
        draw.margin / math.sqrt(draw.truth_squared) * (1 - 1e-12),
        required=margin,
        shards=shards,
    )
    assert p.n_mistakes_ <= p.n_updates_ <= bound


def test_an_average_ends_at_its_epoch_limit_without_a_warning() -> None:
    X, y = made(2)
    p = Perceptron(margin="auto", keep="average", max_iter=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        p.fit(X, y)
    assert p.outcome_ is Outcome.AVERAGED
    far = Perceptron(margin="auto", keep="average", max_iter=20).fit(X + 5.0 * np.eye(4)[y], y)
    assert far.outcome_ is Outcome.SEPARATED  # the average is right about all samples
    assert (far.predict(X + 5.0 * np.eye(4)[y]) == y).all()


def test_keep_auto_decides_by_the_last_weights_only_after_a_clean_epoch() -> None:
    X, y = made(2)
    apart = X + 50.0 * y[:, None]
    for data, keep in ((X, "average"), (apart, "last")):
        auto, same = Perceptron(keep="auto", max_iter=60), Perceptron(keep=keep, max_iter=60)
        assert weights(auto.fit(data, y)).tobytes() == weights(same.fit(data, y)).tobytes()
        assert (auto.predict(data) == same.predict(data)).all()
        assert auto.predict_one(data[0]) == same.predict_one(data[0])
        whole = Perceptron(keep="average", max_iter=60).fit(data, y)
        for _ in range(2):  # a stream continues with the average of all visits
            auto.partial_fit(X[:9], y[:9])
            whole.partial_fit(X[:9], y[:9])
            assert weights(auto).tobytes() == weights(whole).tobytes()
    stream, average = Perceptron(keep="auto"), Perceptron(keep="average")
    for p in (stream, average):
        p.fit_stream([(apart, y)], passes=50)
    assert weights(stream).tobytes() == weights(average).tobytes()
