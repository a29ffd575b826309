"""The kernel perceptron: the same run as its slow twin and as the linear perceptron."""

import copy
import itertools
import pickle
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import naive_kernel
from expected_failures import WEIGHTED_IS_REPEATED
from model_files import saved_with
from rosenblatt import InputError, KernelPerceptron, Outcome, Perceptron, load, save
from rosenblatt.training.dual import dual_pass as dual_pass_module
from strategies import INTEGERS, labels, matrices

ignore_budget = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

STORES = [np.asarray, sp.csr_matrix, sp.csr_array, lambda X: X.astype(np.float32)]
XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])


@ignore_budget
@parametrize_with_checks(
    [
        KernelPerceptron(),
        KernelPerceptron(kernel="rbf", gamma=0.1, keep="vote", order="shuffle", max_iter=20),
        KernelPerceptron(kernel="linear", budget=50, order="random", max_iter=3),
        KernelPerceptron(kernel="precomputed", keep="average"),
    ],
    expected_failed_checks=lambda _: WEIGHTED_IS_REPEATED,
)
def test_estimator_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def _table(rng: np.random.Generator, n: int = 40, d: int = 3, classes: int = 3) -> tuple[Any, Any]:
    """Return a table of integers with irregular labels."""
    X = rng.integers(-4, 5, size=(n, d)).astype(float)
    return X, np.resize(list("abcd")[:classes], n)[rng.permutation(n)]


def _signs(y: Any) -> list[list[int]]:
    """Return the signs that each halfspace learns."""
    classes = np.unique(y)
    positives = classes[1:] if len(classes) == 2 else classes
    return [[1 if label == positive else -1 for label in y] for positive in positives]


def _block(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(dual_pass_module, "BLOCK", size)


class Twin(NamedTuple):
    """The result of the slow twin, computed once."""

    X: Any
    y: Any
    fresh: Any
    sequences: list[list[int]]
    history: list[int]
    scores: dict[str, list[list[float]]]


@cache
def _twin(n_classes: int) -> Twin:
    X, y = _table(np.random.default_rng(7), n=30, classes=n_classes)
    fresh = np.random.default_rng(1).integers(-4, 5, size=(6, 3)).astype(float)
    runs = [
        naive_kernel.learned(naive_kernel.poly(2, 2.0), X.tolist(), signs, [range(30)] * 4)
        for signs in _signs(y)
    ]
    by_epoch = itertools.zip_longest(*(history for _, history in runs), fillvalue=0)
    scores = {
        keep: [[getattr(dual, how)(x) for dual, _ in runs] for x in fresh.tolist()]
        for keep, how in [("last", "score"), ("average", "average"), ("vote", "vote")]
    }
    sequences = [[i for i, _, _ in dual.mistakes] for dual, _ in runs]
    return Twin(X, y, fresh, sequences, [sum(epoch) for epoch in by_epoch], scores)


@ignore_budget
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize(("block", "cache_rows"), [(1, 0), (7, 1), (16, 5), (256, 1000)])
def test_run_equals_the_slow_twin(
    n_classes: int,
    store: Callable[[Any], Any],
    block: int,
    cache_rows: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _block(monkeypatch, block)
    twin = _twin(n_classes)
    p = KernelPerceptron(
        degree=2,
        gamma=1,
        coef0=2,
        order="cyclic",
        max_iter=4,
        cache_size=cache_rows * 9 * len(twin.X) / 1e6,
    ).fit(store(twin.X), twin.y)
    assert [sequence.tolist() for sequence in p.sequences_] == twin.sequences
    assert p.history_.mistakes.tolist() == twin.history
    assert p.n_mistakes_ == sum(twin.history)
    for keep, wanted in twin.scores.items():
        scores = p.set_params(keep=keep).decision_function(store(twin.fresh))
        np.testing.assert_allclose(scores.reshape(6, -1), wanted, rtol=1e-12)


@ignore_budget
@pytest.mark.parametrize("order", ["shuffle", "random"])
@pytest.mark.parametrize(("block", "cache_rows"), [(1, 0), (6, 1), (16, 7), (64, 1000)])
def test_any_order_equals_the_slow_twin(
    order: str, block: int, cache_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    _block(monkeypatch, block)
    X, y = _table(np.random.default_rng(3), n=24, classes=2)
    rng = np.random.RandomState(5)
    draw = rng.permutation if order == "shuffle" else lambda n: rng.randint(n, size=n)
    epochs = [draw(24).tolist() for _ in range(6)]
    p = KernelPerceptron(
        degree=1, gamma=1, order=order, random_state=5, max_iter=6, cache_size=cache_rows * 216e-6
    ).fit(X, y)
    (signs,) = _signs(y)
    twin, history = naive_kernel.learned(naive_kernel.poly(1), X.tolist(), signs, epochs)
    assert p.sequences_[0].tolist() == [i for i, _, _ in twin.mistakes]
    assert p.history_.mistakes.tolist() == history


def test_random_epoch_that_missed_a_sample_is_not_final() -> None:
    X, y = np.array([[1.0], [2.0]]), [1, 0]
    p = KernelPerceptron(kernel="linear", order="random", max_iter=50, random_state=1)
    with pytest.warns(match="were not enough"):  # 1 and 2 are on the same side of 0
        p.fit(X, y)
    assert p.outcome_ is Outcome.BUDGET
    assert 0 in p.history_.mistakes[:-1]


@settings(max_examples=20, deadline=None)
@ignore_budget
@given(data=st.data(), epochs=st.integers(1, 6), n_classes=st.sampled_from([2, 3]))
def test_linear_kernel_equals_the_perceptron(
    data: st.DataObject, epochs: int, n_classes: int
) -> None:
    X = data.draw(matrices(INTEGERS, st.integers(4, 12), st.integers(1, 4)))
    y = data.draw(labels(len(X), list("abc")[:n_classes]))
    order = data.draw(st.sampled_from(["cyclic", "shuffle", "random"]))
    keep = data.draw(st.sampled_from(["last", "average"]))
    options = {"max_iter": epochs, "order": order, "random_state": 7, "keep": keep}
    primal = Perceptron(fit_intercept=False, record=True, **options).fit(X, y)
    assume(primal.outcome_ is not Outcome.CYCLING)  # which the dual does not detect
    dual = KernelPerceptron(kernel="linear", **options).fit(X, y)
    if primal.outcome_ is Outcome.CYCLING:  # it stops, but the dual one would cycle forever
        for sequence, own in zip(dual.sequences_, primal.ledger_.sequences, strict=True):
            assert sequence[: len(own)].tolist() == own.tolist()
        return
    assert [s.tolist() for s in dual.sequences_] == [s.tolist() for s in primal.ledger_.sequences]
    assert dual.history_.mistakes.tolist() == primal.history_.mistakes.tolist()
    np.testing.assert_allclose(dual.history_.norm, primal.history_.norm, rtol=1e-12)
    if keep == "last":
        assert dual.outcome_ is primal.outcome_
        weights = dual.dual_coef_ @ dual.support_vectors_
        assert weights.tolist() == primal.coef_.tolist()
    scores = np.asarray(primal.decision_function(X))
    np.testing.assert_allclose(dual.decision_function(X), scores, rtol=1e-12, atol=1e-9)
    counts = np.zeros_like(primal.ledger_.mistake_counts)
    for row, sequence in zip(counts, dual.sequences_, strict=True):
        np.add.at(row, sequence, 1)
    assert counts.tolist() == primal.ledger_.mistake_counts.tolist()


@pytest.mark.parametrize("keep", ["last", "average", "vote"])
def test_xor_is_learned_exactly(keep: str) -> None:
    y = ["same", "other", "other", "same"]
    p = KernelPerceptron(degree=2, gamma=1, coef0=1, keep=keep).fit(XOR, y)
    if keep == "last":
        assert p.outcome_ is Outcome.SEPARATED
        assert p.predict(XOR).tolist() == y
    right = p.predict(XOR).tolist() == y
    assert right or p.outcome_ in (Outcome.AVERAGED, Outcome.VOTED)
    with pytest.warns(match="were not enough"):
        line = KernelPerceptron(degree=1, gamma=1).fit(XOR, y)
    assert line.outcome_ is Outcome.BUDGET


@pytest.mark.parametrize(
    ("keep", "outcome", "X", "y"),
    [
        ("average", Outcome.AVERAGED, [[-3, -1], [0, -1], [-1, -3], [-3, -3]], [0, 1, 1, 1]),
        ("vote", Outcome.VOTED, [[1, -3], [2, 2], [-2, 1], [0, -3]], [1, 1, 0, 0]),
    ],
)
def test_average_or_vote_with_errors_has_its_outcome(
    keep: str, outcome: Outcome, X: list[list[int]], y: list[int]
) -> None:
    p = KernelPerceptron(order="cyclic", kernel="linear", keep=keep).fit(X, y)
    assert p.outcome_ is outcome
    assert (p.decision_function(X) * np.where(y, 1, -1) <= 0).any()
    p = KernelPerceptron(order="cyclic", kernel="linear").fit(X, y)
    assert p.outcome_ is Outcome.SEPARATED
    assert (p.decision_function(X) * np.where(y, 1, -1) > 0).all()


@ignore_budget
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("budget", [None, 4])
@pytest.mark.parametrize("named", [False, True])
def test_same_result_for_every_input(n_classes: int, budget: int | None, named: bool) -> None:
    X, y = _table(np.random.default_rng(8), n=50, classes=n_classes)
    options = {"degree": 2, "gamma": 1, "budget": budget}
    whole = KernelPerceptron(order="cyclic", max_iter=1, **options).fit(X, y)
    chunks, single, sparse = (KernelPerceptron(**options) for _ in range(3))
    classes = np.unique(y) if named else None
    for start in range(0, 50, 7):
        some = slice(start, start + 7)
        chunks.partial_fit(X[some], y[some], classes=classes)
        sparse.partial_fit(sp.csr_matrix(X[some]), y[some], classes=classes)
    for x, label in zip(X, y, strict=True):
        single.learn_one(x, label)
    for other in (chunks, single, sparse):
        assert other.support_.tolist() == whole.support_.tolist()
        assert other.dual_coef_.tobytes() == whole.dual_coef_.tobytes()
        assert other.n_mistakes_ == whole.n_mistakes_
        assert other.outcome_ is Outcome.STREAM
        assert other.predict(X).tolist() == whole.predict(X).tolist()
    assert [single.predict_one(x) for x in X] == whole.predict(X).tolist()
    if budget is None:
        assert all(
            a.tolist() == b.tolist()
            for a, b in zip(chunks.sequences_, whole.sequences_, strict=True)
        )


@ignore_budget
@pytest.mark.parametrize("name", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("gamma", ["scale", "auto", None, 0.3])
@pytest.mark.parametrize("store", STORES)
def test_kernels_equal_scikit_learns(name: str, gamma: Any, store: Callable[[Any], Any]) -> None:
    X, y = _table(np.random.default_rng(2), classes=2)
    p = KernelPerceptron(kernel=name, gamma=gamma, degree=3, coef0=0.5, max_iter=3).fit(store(X), y)
    if gamma is not None:
        svc = SVC(kernel=name, gamma=gamma).fit(X, y)
        assert p.gamma_ == pytest.approx(svc._gamma)
    options = {"linear": {}, "rbf": {"gamma": p.gamma_ if gamma is not None else None}}
    poly = {"gamma": p.gamma_ if gamma is not None else None, "degree": 3, "coef0": 0.5}
    values = pairwise_kernels(X, X[p.support_], metric=name, **options.get(name, poly))
    np.testing.assert_allclose(p.decision_function(X), values @ p.dual_coef_[0], atol=1e-9)


@ignore_budget
@pytest.mark.parametrize("budget", [None, 3])
def test_precomputed_and_callable_kernels_give_the_same_run(budget: int | None) -> None:
    X, y = _table(np.random.default_rng(4), classes=3)
    options = {"max_iter": 3, "budget": budget}
    named = KernelPerceptron(degree=2, gamma=1, **options).fit(X, y)
    own = KernelPerceptron(kernel=lambda A, B: (A @ B.T + 1.0) ** 2, **options).fit(X, y)
    values = (X @ X.T + 1.0) ** 2
    table = KernelPerceptron(kernel="precomputed", **options).fit(values, y)
    for other, samples in [(own, X), (table, values)]:
        assert other.support_.tolist() == named.support_.tolist()
        assert other.dual_coef_.tobytes() == named.dual_coef_.tobytes()
        assert other.predict(samples).tolist() == named.predict(X).tolist()
    assert table.support_vectors_.size == 0
    folds = cross_val_score(named, X, y, cv=3), cross_val_score(table, values, y, cv=3)
    assert folds[0].tolist() == folds[1].tolist()
    assert not hasattr(table, "partial_fit")
    assert not hasattr(table, "learn_one")


@ignore_budget
def test_kernel_terms_that_fit_are_computed_once() -> None:
    rng = np.random.default_rng(0)
    X, y = _table(rng, n=1000, classes=2)
    options = {"degree": 2, "gamma": 1, "max_iter": 10}
    cached = KernelPerceptron(order="cyclic", **options).fit(X, y)
    plain = KernelPerceptron(order="cyclic", cache_size=0, **options).fit(X, y)
    assert cached.dual_coef_.tobytes() == plain.dual_coef_.tobytes()
    n_support = len(cached.support_)
    among = 10 * 1000 * dual_pass_module.BLOCK
    assert cached.n_kernel_terms_ <= n_support * 1000 + among
    assert cached.n_kernel_terms_ < plain.n_kernel_terms_
    naive = sum(1000 * e for e in np.cumsum(plain.history_.mistakes))
    assert plain.n_kernel_terms_ < naive / 3


@ignore_budget
def test_sample_weights() -> None:
    X, y = _table(np.random.default_rng(6), n=30, classes=2)
    weight = np.random.default_rng(0).integers(0, 3, size=30)
    primal = Perceptron(fit_intercept=False, max_iter=4, keep="average")
    dual = KernelPerceptron(kernel="linear", max_iter=4, keep="average")
    primal.fit(X, y, sample_weight=weight)
    dual.fit(X, y, sample_weight=weight)
    weights = dual.dual_coef_ @ dual.support_vectors_
    np.testing.assert_allclose(weights, primal.coef_, rtol=1e-12)
    assert not (weight[dual.support_] == 0).any()
    with pytest.raises(InputError, match="sample_weight is zero everywhere"):
        dual.fit(X, y, sample_weight=np.zeros(30))


@ignore_budget
@pytest.mark.parametrize("budget", [None, 5])
@pytest.mark.parametrize("store", [np.asarray, sp.csr_matrix])
def test_save_load_pickle_and_copy(
    budget: int | None, store: Callable[[Any], Any], tmp_path: Any
) -> None:
    X, y = _table(np.random.default_rng(9), classes=3)
    p = KernelPerceptron(degree=2, gamma=1, budget=budget, max_iter=3).fit(store(X), y)
    save(p, tmp_path / "model")
    before = p.decision_function(X).tobytes()
    others = [load(tmp_path / "model"), pickle.loads(pickle.dumps(p)), copy.copy(p)]
    for other in others:
        assert other.decision_function(X).tobytes() == before
        assert (other.outcome_, other.n_mistakes_) == (p.outcome_, p.n_mistakes_)
        assert list(other.history_) == list(p.history_)
    p.partial_fit(-X, y)
    for other in others:
        assert other.decision_function(X).tobytes() == before
        assert other.partial_fit(-X, y).dual_coef_.tobytes() == p.dual_coef_.tobytes()
    q = clone(p)
    assert q.get_params() == p.get_params()
    assert not hasattr(q, "classes_")


def test_callable_kernel_cannot_be_saved(tmp_path: Any) -> None:
    p = KernelPerceptron(kernel=lambda A, B: A @ B.T).fit([[1.0], [-1.0]], [0, 1])
    with pytest.raises(InputError, match=r"kernel=.* cannot be saved"):
        save(p, tmp_path / "model")


def test_inconsistent_model_file_is_rejected(tmp_path: Any) -> None:
    p = KernelPerceptron(kernel="linear").fit([[1.0], [-1.0]], [0, 1])
    for place, value in (
        (("hypothesis", "expansion", "squares"), {"list": []}),
        (("features", "features", "count"), 2),
        (("gamma",), {"float": "-0x1p0"}),
        (("classes", "classes", "is_open"), 3),
        (("n_seen",), -1),
    ):

        def spoil(document: dict, _tensors: dict, place: Any = place, value: Any = value) -> None:
            *parents, last = place
            part = document["learned"]["duallearned"]
            for name in parents:
                part = part[name]
            part[last] = value

        saved_with(p, tmp_path / "model", spoil)
        with pytest.raises(InputError, match="does not describe a model"):
            load(tmp_path / "model")


def test_failing_fit_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    _block(monkeypatch, 8)
    X, y = _table(np.random.default_rng(1), classes=2)
    calls: list[int] = []

    def kernel(A: Any, B: Any) -> Any:
        calls.append(len(B))
        if len(calls) == 6:
            raise KeyboardInterrupt
        return A @ B.T

    p = KernelPerceptron(kernel=kernel)
    p.partial_fit(X[:10], y[:10], classes=["a", "b"])
    before = p.dual_coef_.tobytes(), p.n_mistakes_, p.support_.tolist(), len(p.history_)
    calls[:] = [0, 0, 0]  # the first block of the next chunk is still learned from
    with pytest.raises(KeyboardInterrupt):
        p.partial_fit(X[10:], y[10:])
    assert before == (p.dual_coef_.tobytes(), p.n_mistakes_, p.support_.tolist(), len(p.history_))
    with pytest.raises(InputError, match="all text or all numbers"):
        p.partial_fit(X, np.resize([1, 2], len(X)))
    assert before == (p.dual_coef_.tobytes(), p.n_mistakes_, p.support_.tolist(), len(p.history_))


@pytest.mark.parametrize("budget", [None, 3])
def test_class_that_was_not_named(budget: int | None) -> None:
    X, y = _table(np.random.default_rng(1), classes=2)
    p = KernelPerceptron(kernel="linear", budget=budget).partial_fit(X, y, classes=["a", "b"])
    before = p.decision_function(X)
    p.learn_one(X[0], "z", sample_weight=0.0)
    assert p.classes_.tolist() == ["a", "b", "z"]
    zero = np.zeros_like(before)
    expected = np.column_stack([-before, before, zero])
    np.testing.assert_allclose(p.decision_function(X), expected, rtol=1e-12)
    for _ in range(3):
        p.learn_one(X[0], "z")
    assert p.predict_one(X[0]) == "z"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "cosine"}, "kernel='cosine' is not accepted: use 'linear', 'poly', 'rbf'"),
        ({"degree": 1.5}, "degree=1.5 is not accepted"),
        ({"gamma": 0}, "gamma=0 is not accepted"),
        ({"gamma": "auto-scale"}, "gamma='auto-scale' is not accepted"),
        ({"coef0": "1"}, "coef0='1' is not accepted"),
        ({"budget": 0}, "budget=0 is not accepted"),
        ({"keep": "best"}, "keep='best' is not accepted"),
        ({"budget": 3, "keep": "vote"}, "do not go together"),
        ({"max_iter": 0}, "max_iter=0 is not accepted"),
        ({"order": "sorted"}, "order='sorted' is not accepted"),
        ({"cache_size": -1}, "cache_size=-1 is not accepted"),
    ],
)
def test_bad_parameters(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        KernelPerceptron(**options).fit(XOR, [0, 1, 1, 0])


def test_bad_input() -> None:
    with pytest.raises(InputError, match="a square matrix"):
        KernelPerceptron(kernel="precomputed").fit(XOR, [0, 1, 1, 0])
    with pytest.raises(InputError, match="y has only one class"):
        KernelPerceptron().fit(XOR, [1, 1, 1, 1])
    with pytest.raises(InputError, match="gamma='scale' needs the variance"):
        KernelPerceptron(gamma="scale").partial_fit(XOR, [0, 1, 1, 0])
    with pytest.raises(InputError, match="returned an array of shape"):
        KernelPerceptron(kernel=lambda A, _: A).fit(XOR, [0, 1, 1, 0])
    with pytest.raises(
        InputError, match="the values of kernel='poly' are not finite for row 1 of X"
    ):
        KernelPerceptron(degree=3).fit([[1.0], [1e150]], [0, 1])
    p = KernelPerceptron(budget=2).partial_fit(XOR, [0, 1, 1, 0])
    with pytest.raises(InputError, match="budget=3 differs from the start of the stream: 2"):
        p.set_params(budget=3).partial_fit(XOR, [0, 1, 1, 0])
    with pytest.raises(InputError, match="the sample has 3 features"):
        p.predict_one([1, 2, 3])
    with pytest.raises(InputError, match="the sample contains NaN in column 0"):
        p.learn_one([np.nan, 1.0], 1)
    with pytest.raises(InputError, match="all text or all numbers"):
        p.set_params(budget=2).learn_one([0.0, 1.0], "one")
    assert KernelPerceptron().predict_one([1.0]) is None
