"""`fit_stream`: the same bits as `fit` in any chunks, and predictions before learning."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from rosenblatt import (
    InputError,
    KernelPerceptron,
    Outcome,
    PassiveAggressive,
    Perceptron,
    Winnow,
    load,
    save,
)

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def _progressive_mistakes(X: Any, y: Any) -> int:
    """Count them plainly: one weight vector per class, and one for future classes."""
    weights: dict[int, Any] = {}
    none, n_mistakes = np.zeros(X.shape[1] + 1), 0
    for row, label in zip(X, y.tolist(), strict=True):
        x, is_new = np.append(row, 1.0), label not in weights
        weights.setdefault(label, none.copy())
        labels = sorted(weights)
        if len(labels) <= 2:
            sign = 1 if label == labels[-1] else -1
            n_mistakes += sign * (weights[labels[-1]] @ x) <= 0
        else:
            rivals = [one for one in labels if not (is_new and one == label)]
            best = max(rivals, key=lambda one: (weights[one] @ x, -one))
            n_mistakes += best != label
        for one in labels:
            sign = 1 if one == label else -1
            if sign * (weights[one] @ x) <= 0:
                weights[one] += sign * x
        if none @ x >= 0:
            none -= x
    return n_mistakes


@st.composite
def streams(draw: st.DrawFn) -> tuple[Any, Any, list[tuple[Any, Any]]]:
    """Draw small integers, labels, and the same in chunks, dense or sparse."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, width, n_classes = (
        draw(st.integers(2, 50)),
        draw(st.integers(1, 5)),
        draw(st.integers(2, 5)),
    )
    X = rng.integers(-3, 4, size=(n, width)).astype(np.float64)
    y = rng.integers(0, n_classes, size=n)
    y[:2] = 0, 1
    if draw(st.booleans()):
        y = np.sort(y)
    matrix = sp.csr_matrix(X) if draw(st.booleans()) else X
    cuts = sorted(draw(st.lists(st.integers(0, n), max_size=4)))
    ends = zip([0, *cuts], [*cuts, n], strict=True)
    return X, y, [(matrix[a:b], y[a:b]) for a, b in ends if b > a]


@given(streams(), st.sampled_from(["last", "average"]), st.integers(1, 5))
def test_stream_gives_the_same_bits_as_fit(stream: Any, keep: str, passes: int) -> None:
    X, y, chunks = stream
    batch = Perceptron(keep=keep, order="cyclic", max_iter=passes).fit(X, y)
    assume(batch.outcome_ is not Outcome.CYCLING)  # here fit stops, but a stream continues
    p = Perceptron(keep=keep).fit_stream(chunks, passes=passes)
    assert p.coef_.tobytes() == batch.coef_.tobytes()
    assert p.intercept_.tobytes() == batch.intercept_.tobytes()
    assert (p.n_iter_, p.n_mistakes_) == (batch.n_iter_, batch.n_mistakes_)
    n_mistakes = _progressive_mistakes(X, y)
    assert (p.progressive_.samples, p.progressive_.mistakes) == (len(y), n_mistakes)
    once = Perceptron(keep=keep).fit_stream(
        chunk for chunk in chunks
    )  # which cannot be iterated again
    first = Perceptron(keep=keep, order="cyclic", max_iter=1).fit(X, y)
    assert once.coef_.tobytes() == first.coef_.tobytes()
    assert once.progressive_ == p.progressive_


@given(streams(), st.integers(1, 4))
def test_learners_with_fit_stream(stream: Any, passes: int) -> None:
    X, y, chunks = stream
    cyclic = {"order": "cyclic", "max_iter": passes}
    batch = Perceptron(keep="last", multiclass="joint", **cyclic).fit(X, y)
    if batch.outcome_ is not Outcome.CYCLING:  # here fit stops, but a stream continues
        joint = Perceptron(keep="last", multiclass="joint").fit_stream(chunks, passes=passes)
        assert joint.coef_.tobytes() == batch.coef_.tobytes()
    pa = PassiveAggressive(tol=0.0).fit_stream(chunks, passes=passes)
    assert pa.coef_.tobytes() == PassiveAggressive(tol=0.0, **cyclic).fit(X, y).coef_.tobytes()
    whole = PassiveAggressive().fit_stream([(X, y)])
    assert whole.progressive_ == pa.progressive_
    small = [(abs(part) / 3.0, labels) for part, labels in chunks]
    winnow = Winnow().fit_stream(small, passes=passes)
    assert winnow.coef_.tobytes() == Winnow(**cyclic).fit(abs(X) / 3.0, y).coef_.tobytes()


@given(st.integers(0, 2**32))
def test_new_features_at_any_time(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = sp.random(40, 30, density=0.2, format="csr", random_state=rng)
    y = rng.integers(0, 3, size=40)
    chunks = []
    for start in range(0, 40, 7):
        some = X[start : start + 7]
        width = int(some.indices.max()) + 1 if some.nnz else 1
        chunks.append((some[:, :width], y[start : start + 7]))
    batch = Perceptron(order="cyclic", keep="average", max_iter=2).fit(X, y)
    p = Perceptron(keep="average").fit_stream(chunks, passes=2)
    assert p.n_features_in_ == max(part.shape[1] for part, _ in chunks)
    assert p.coef_.tobytes() == batch.coef_[:, : p.n_features_in_].tobytes()


def test_several_passes_need_repeatable_chunks() -> None:
    with pytest.raises(InputError, match="give a list of chunks"):
        Perceptron().fit_stream(((X, [0, 1]) for X in [np.eye(2)]), passes=2)
    with pytest.raises(InputError, match="no samples"):
        Perceptron().fit_stream([])


def test_unsupported_streams_are_rejected() -> None:
    narrow, wide = sp.csr_matrix(np.eye(2)), sp.csr_matrix(np.eye(3))
    chunks = [(narrow, [0, 1]), (wide, [0, 1, 0])]
    with pytest.raises(InputError, match="give n_features"):
        Winnow().fit_stream(chunks)
    with pytest.raises(InputError, match="only sparse chunks"):
        Perceptron().fit_stream([(part.toarray(), y) for part, y in chunks])
    with pytest.raises(InputError, match="name all of them"):
        Perceptron().fit_stream([(narrow, ["a", "b"]), (narrow, ["a", "c"])], classes=["a", "b"])
    assert Winnow().fit_stream(chunks, n_features=3).n_features_in_ == 3


@pytest.mark.parametrize("shards", [1, 2])
@pytest.mark.parametrize("margin", [0.0, "auto"])
@pytest.mark.parametrize("keep", ["auto", "average"])
def test_the_average_of_several_passes_is_tested(
    shards: int, margin: float | str, keep: str
) -> None:
    X = np.array([[2, 0, 2, 1], [1, 0, 2, 0], [0, 0, 0, 1], [0, 1, 1, 0], [2, 1, 2, 0]]) / 2
    X = np.vstack([X, np.array([[1, 1, 0, 1], [0, 1, 1, 1], [1, 1, 1, 1], [0, 1, 0, 0]]) / 2])
    y = np.array([0, 0, 1, 1, 0, 0, 1, 1, 1])
    options = {"fit_intercept": False, "shards": shards, "margin": margin}
    chunks = [(np.zeros((0, 4)), []), (X[:5], y[:5]), (X[5:], y[5:])]
    for passes in (2, 30):
        p = Perceptron(keep=keep, **options).fit_stream(chunks, passes=passes)
        fit = Perceptron(keep="average", order="cyclic", max_iter=passes, **options).fit(X, y)
        assert p.outcome_ is fit.outcome_
        if p.outcome_ in (Outcome.SEPARATED, Outcome.AVERAGED):
            assert (p.predict(X) == y).all() == (p.outcome_ is Outcome.SEPARATED)
    p = PassiveAggressive(keep="average").fit_stream(chunks, passes=2)
    assert (p.predict(X) == y).all() == (p.outcome_ is Outcome.SEPARATED)
    assert p.outcome_ in (Outcome.SEPARATED, Outcome.AVERAGED)


def test_failing_stream_changes_nothing() -> None:
    def failing() -> Iterator[tuple[Any, Any]]:
        yield np.eye(2), ["a", "b"]
        raise OSError("the disk is gone")

    p = Perceptron().fit(np.eye(2), ["a", "b"])
    before = p.coef_.tobytes()
    with pytest.raises(OSError, match="gone"):
        p.fit_stream(failing())
    assert p.coef_.tobytes() == before
    assert p.outcome_ is Outcome.SEPARATED


def test_sample_weights_and_matrices_of_labels() -> None:
    X, weights = np.arange(12.0).reshape(6, 2), [1.0, 0.0, 2.0, 1.0, 0.5, 1.0]
    y = np.array([0, 1, 1, 0, 1, 1])
    batch = Perceptron(order="cyclic", max_iter=1).fit(X, y, sample_weight=weights)
    p = Perceptron().fit_stream([(X[:4], y[:4], weights[:4]), (X[4:], y[4:], weights[4:])])
    assert p.coef_.tobytes() == batch.coef_.tobytes()
    assert p.progressive_.samples == 5
    labels = np.column_stack([y, 1 - y])
    both = Perceptron().fit_stream([(X[:3], labels[:3]), (X[3:], labels[3:])])
    assert both.coef_.tobytes() == (
        Perceptron(order="cyclic", max_iter=1).fit(X, labels).coef_.tobytes()
    )


def test_weights_of_late_classes() -> None:
    X, weights = np.arange(16.0).reshape(8, 2) % 5, {0: 1.0, 1: 2.0, 2: 0.5}
    y = np.array([0, 1, 0, 1, 2, 2, 1, 0])
    batch = Perceptron(class_weight=weights, order="cyclic", max_iter=2).fit(X, y)
    chunks = [(X[:4], y[:4]), (X[4:4], y[4:4]), (X[4:], y[4:])]
    p = Perceptron(class_weight=weights).fit_stream(chunks, passes=2)
    assert p.coef_.tobytes() == batch.coef_.tobytes()
    with pytest.raises(InputError, match="zero everywhere"):
        Perceptron().fit_stream([(X, y, np.zeros(8))], passes=2)
    chunk: Any = X
    with pytest.raises(InputError, match="give \\(X, y\\)"):
        Perceptron().fit_stream([chunk])


@given(streams())
def test_winnow_progressive_count_in_any_chunks(stream: Any) -> None:
    X, y, chunks = stream
    small = [(abs(part) / 3.0, labels) for part, labels in chunks]
    whole = Winnow().fit_stream([(abs(X) / 3.0, y)]).progressive_
    assert Winnow().fit_stream(small).progressive_ == whole
    assert Winnow().fit_stream(chunk for chunk in small).progressive_ == whole


def test_progressive_count_is_saved(tmp_path: Any) -> None:
    p = Perceptron().fit_stream([(np.eye(2), ["a", "b"])])
    save(p, tmp_path / "model")
    assert load(tmp_path / "model").progressive_ == p.progressive_


def test_kernel_perceptron_learns_in_one_pass() -> None:
    X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
    p = KernelPerceptron(degree=2).fit_stream([(X[:2], y[:2]), (X[2:], y[2:])])
    q = KernelPerceptron(degree=2).partial_fit(X, y)
    assert p.n_mistakes_ == q.n_mistakes_
    with pytest.raises(InputError, match="one pass"):
        p.fit_stream([(X, y)], passes=2)
