"""The average of the weights: against the plain definition, scikit-learn, and itself in chunks."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import SGDClassifier

from rosenblatt import InputError, Outcome, Perceptron, load, save
from strategies import labels, samples

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def average_by_hand(X: np.ndarray, signs: np.ndarray, epochs: int) -> np.ndarray:
    """Return the mean of the weights after each visit, in plain NumPy."""
    E = np.column_stack([X, np.ones(len(X))])
    w, total, visits = np.zeros(E.shape[1]), np.zeros(E.shape[1]), 0
    for _ in range(epochs):
        mistakes = 0
        for x, sign in zip(E, signs, strict=True):
            if sign * (w @ x) <= 0:
                w = w + sign * x
                mistakes += 1
            total += w
            visits += 1
        if mistakes == 0:
            break
    return total / visits


def noisy(n: int = 200, n_classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.integers(-5, 6, (n, 4)).astype(float)
    return X, rng.integers(0, n_classes, n)


def test_average_is_the_mean_over_all_visits() -> None:
    X, y = noisy()
    found = Perceptron(order="cyclic", keep="average", max_iter=3).fit(X, y)
    by_hand = average_by_hand(X, np.where(y == 1, 1, -1), 3)
    np.testing.assert_allclose(np.append(found.coef_[0], found.intercept_), by_hand, rtol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_average_equals_scikit_learns(n_classes: int) -> None:
    X, y = noisy(n_classes=n_classes)
    ours = Perceptron(order="cyclic", keep="average", max_iter=4).fit(X, y)
    theirs = SGDClassifier(
        loss="perceptron",
        average=True,
        learning_rate="constant",
        eta0=1.0,
        penalty=None,
        shuffle=False,
        max_iter=4,
        tol=None,
    ).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-12)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-11)


@given(data=st.data(), epochs=st.integers(1, 3))
def test_same_bits_in_any_chunks_and_storage(data: st.DataObject, epochs: int) -> None:
    X = data.draw(samples())
    y = data.draw(labels(len(X), list("abc")))
    whole = Perceptron(order="cyclic", keep="average", max_iter=epochs).fit(X, y)
    sparse = Perceptron(order="cyclic", keep="average", max_iter=epochs).fit(sp.csr_matrix(X), y)
    assert sparse.coef_.tobytes() == whole.coef_.tobytes()
    if whole.n_iter_ < epochs or (whole.history_.mistakes == 0).any():
        return  # in fit clean halfspaces stop early, in a stream they do not
    chunked, single = Perceptron(keep="average"), Perceptron(keep="average")
    for _ in range(epochs):
        cut = data.draw(st.integers(1, len(X)))
        for start, stop in ((0, cut), (cut, len(X))):
            if stop > start:
                chunked.partial_fit(X[start:stop], y[start:stop], classes=np.unique(y))
        for x, label in zip(X, y, strict=True):
            single.learn_one(x, label)
    assert single.coef_.tobytes() == _of_all_classes(chunked, X, y, epochs).tobytes()


def _of_all_classes(chunked: Perceptron, X: np.ndarray, y: np.ndarray, epochs: int) -> np.ndarray:
    """Learn with one partial_fit per pass, without naming the classes."""
    assert chunked.n_iter_ >= epochs
    again = Perceptron(keep="average")
    for _ in range(epochs):
        again.partial_fit(X, y)
    return again.coef_


def test_stream_resumes_from_a_file(tmp_path: Path) -> None:
    X, y = noisy(n_classes=3)
    whole = Perceptron(keep="average").partial_fit(X, y).partial_fit(X[::-1], y[::-1])
    half = Perceptron(keep="average").partial_fit(X, y)
    save(half, tmp_path / "model")
    resumed = load(tmp_path / "model").partial_fit(X[::-1], y[::-1])
    assert resumed.coef_.tobytes() == whole.coef_.tobytes()
    assert resumed.n_mistakes_ == whole.n_mistakes_


def test_average_makes_the_predictions() -> None:
    X, y = noisy()
    found = Perceptron(keep="average", max_iter=3).fit(X, y)
    scores = X @ found.coef_[0] + found.intercept_[0]
    assert (found.predict(X) == (scores >= 0)).all()
    last = Perceptron(keep="last", max_iter=3).fit(X, y)
    assert (found.coef_ != last.coef_).any()
    assert found.n_mistakes_ == last.n_mistakes_


def test_samples_of_weight_zero_are_not_visits() -> None:
    X, y = noisy()
    weight = np.ones(len(X))
    weight[::3] = 0.0
    seen = weight > 0
    with_zeros = Perceptron(order="cyclic", keep="average", max_iter=3).fit(
        X, y, sample_weight=weight
    )
    without = Perceptron(order="cyclic", keep="average", max_iter=3).fit(X[seen], y[seen])
    assert with_zeros.coef_.tobytes() == without.coef_.tobytes()


@pytest.mark.parametrize("keep", ["average", "pocket"])
@pytest.mark.parametrize("eta0", [0.1, 3.0])
def test_learning_rate_cancels(eta0: float, keep: str) -> None:
    X, y = noisy()
    one = Perceptron(keep=keep, max_iter=3).fit(X, y)
    other = Perceptron(keep=keep, max_iter=3, eta0=eta0).fit(X, y)
    assert (other.coef_ == eta0 * one.coef_).all()


def test_keep_cannot_change_in_mid_stream() -> None:
    X, y = noisy()
    stream = Perceptron(keep="average").partial_fit(X, y)
    stream.keep = "last"
    with pytest.raises(InputError, match="keep='last' differs from the start of the stream"):
        stream.partial_fit(X, y)
    with pytest.raises(InputError, match="keep='best' is not accepted"):
        Perceptron(keep="best").fit(X, y)


def test_separated_outcome_requires_the_average_to_separate() -> None:
    X = np.random.default_rng(5).normal(size=(60, 4))
    y = X[:, 0] > 0
    found = Perceptron(order="cyclic", keep="average").fit(X, y)
    assert Perceptron(order="cyclic").fit(X, y).outcome_ is Outcome.SEPARATED
    assert found.score(X, y) < 1.0
    assert found.outcome_ is Outcome.AVERAGED
    easy = Perceptron(order="cyclic", keep="average").fit([[-1.0], [1.0]], [0, 1])
    assert easy.outcome_ is Outcome.SEPARATED
    assert easy.score([[-1.0], [1.0]], [0, 1]) == 1.0


def test_new_class_in_mid_stream_gives_the_same_bits() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.integers(-4, 5, (60, 3)).astype(float), np.array(list("ab" * 15 + "abc" * 10))
    stream: Any = Perceptron(keep="average")
    for x, label in zip(X, y, strict=True):
        stream.learn_one(x, label)
    known = Perceptron(keep="average").partial_fit(X, y, classes=["a", "b", "c"])
    assert stream.coef_.tobytes() == known.coef_.tobytes()
