"""The same bits for any storage of the same numbers, in batches or streams, in any chunks."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import Perceptron
from strategies import labels, samples

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

NAMES = [[0, 1], ["rock", "mine"], ["d", "bb", "a"], [3, -1, 7, 2], [True, False], [2.0, 0.0, 1.0]]


def _read_only(X: np.ndarray) -> np.ndarray:
    X = X.copy()
    X.flags.writeable = False
    return X


def _long_indices(X: np.ndarray) -> sp.csr_array:
    sparse = sp.csr_array(X)
    sparse.indices, sparse.indptr = sparse.indices.astype(np.int64), sparse.indptr.astype(np.int64)
    return sparse


def _with_zeros(X: np.ndarray) -> sp.csr_matrix:
    """Store all numbers, including zeros, in reverse order in each row."""
    n, d = X.shape
    indices = np.tile(np.arange(d)[::-1], n)
    return sp.csr_matrix((X[:, ::-1].ravel(), indices, np.arange(n + 1) * d), shape=X.shape)


STORAGE = {
    "list": lambda X: X.tolist(),
    "fortran": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "strided": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "reversed": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "read-only": _read_only,
    "big-endian": lambda X: X.astype(">f8"),
    "csr": sp.csr_matrix,
    "csr_array": sp.csr_array,
    "csr float32": lambda X: sp.csr_array(X.astype(np.float32)),
    "csr long": _long_indices,
    "csr messy": _with_zeros,
    "csc": sp.csc_matrix,
    "coo": sp.coo_array,
}


@st.composite
def problems(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, dict]:
    """Draw samples exact in float32, labels in any order, and parameters of a Perceptron."""
    X = np.clip(draw(samples()), -1e17, 1e17).astype(np.float32).astype(np.float64)
    names = draw(st.sampled_from(NAMES))
    y = draw(labels(len(X), names))
    parameters = draw(
        st.fixed_dictionaries(
            {
                "fit_intercept": st.booleans(),
                "eta0": st.sampled_from([1.0, 0.1]),
                "ties": st.sampled_from(["mistake", "positive", "negative"]),
                "random_state": st.just(5),
            }
        )
    )
    if draw(st.booleans()):
        parameters["class_weight"] = {
            label: draw(st.sampled_from([1.0, 2.0, 0.3])) for label in np.unique(y).tolist()
        }
    return X, y, parameters


def _learned(p: Perceptron) -> tuple:
    return (p.classes_.tolist(), p.n_mistakes_, p.coef_.tobytes(), p.intercept_.tobytes())


def _check_storage(problem: tuple[np.ndarray, np.ndarray, dict]) -> None:
    X, y, parameters = problem
    p = Perceptron(max_iter=3, **parameters)
    expected = (_learned(p.fit(X, y)), p.predict(X).tolist(), p.ledger_.mistake_counts.tolist())
    for name, store in STORAGE.items():
        stored = store(X)
        p = Perceptron(max_iter=3, **parameters).fit(stored, y)
        found = (_learned(p), p.predict(stored).tolist(), p.ledger_.mistake_counts.tolist())
        assert found == expected, name


def _check_stream(
    problem: tuple[np.ndarray, np.ndarray, dict], cuts: list[int], weight: list[float]
) -> None:
    X, y, parameters = problem
    weight = np.resize(weight, len(X))
    batch = Perceptron(order="cyclic", max_iter=1, **parameters).fit(X, y, sample_weight=weight)
    expected = _learned(batch)
    chunks = np.split(np.arange(len(X)), sorted(c for c in set(cuts) if 0 < c < len(X)))

    for classes in (None, np.unique(y)):
        stream = Perceptron(**parameters)
        for chunk in chunks:
            stream.partial_fit(X[chunk], y[chunk], classes=classes, sample_weight=weight[chunk])
        assert _learned(stream) == expected
        assert stream.predict(X).tolist() == batch.predict(X).tolist()

    sparse = Perceptron(**parameters)
    for chunk in chunks:
        sparse.partial_fit(sp.csr_array(X)[chunk], y[chunk], sample_weight=weight[chunk])
    assert _learned(sparse) == expected

    for rows in (X, X.astype(np.float32), X.tolist(), sp.csr_matrix(X)):
        single = Perceptron(**parameters)
        for i, label in enumerate(y):
            single.learn_one(rows[i], label, sample_weight=weight[i])
        assert _learned(single) == expected
        assert [single.predict_one(rows[i]) for i in range(len(X))] == batch.predict(X).tolist()


@given(problems())
def test_storage(problem: tuple[np.ndarray, np.ndarray, dict]) -> None:
    _check_storage(problem)


@given(problems(), st.lists(st.integers(1, 7)), st.lists(st.sampled_from([1.0, 0.3]), min_size=1))
def test_stream(problem: tuple, cuts: list[int], weight: list[float]) -> None:
    _check_stream(problem, cuts, weight)


@pytest.mark.slow
@settings(max_examples=1000)
@given(problems(), st.lists(st.integers(1, 7)), st.lists(st.sampled_from([1.0, 0.3]), min_size=1))
def test_many_examples(problem: tuple, cuts: list[int], weight: list[float]) -> None:
    _check_storage(problem)
    _check_stream(problem, cuts, weight)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_wide_rows_that_fill_many_lanes(n_classes: int) -> None:
    rng = np.random.default_rng(n_classes)
    X = rng.standard_normal((60, 67)).astype(np.float32).astype(np.float64)
    X[rng.random(X.shape) < 0.5] = 0.0
    y = rng.integers(n_classes, size=60)
    _check_storage((X, y, {}))
    _check_stream((X, y, {}), [1, 7, 30], [1.0, 0.3, 0.7])


@pytest.mark.parametrize(
    "dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint64", "float16", "object"]
)
def test_number_types(dtype: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, size=(30, 5))
    y = rng.integers(3, size=30)
    expected = _learned(Perceptron(max_iter=4).fit(X.astype(np.float64), y))
    assert _learned(Perceptron(max_iter=4).fit(X.astype(dtype), y)) == expected
    assert _learned(Perceptron(max_iter=4).fit(X.astype(dtype), y.astype("int8"))) == expected


def test_start_weights_too_small_for_float64() -> None:
    X, y = np.array([[0.0, 1.0], [0.0, -1.0]]), [1, 0]
    bits = [
        Perceptron(eta0=2.0, fit_intercept=False)
        .fit(store(X), y, coef_init=[[-5e-324, 0.0]])
        .coef_.tobytes()
        for store in (np.asarray, sp.csr_array)
    ]
    assert bits[0] == bits[1]
