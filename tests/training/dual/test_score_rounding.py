"""A kernel perceptron's prediction for a sample does not depend on how its score was rounded."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import KernelPerceptron, Outcome
from rosenblatt.training.dual.kernel_functions import KernelFunction
from rosenblatt.training.dual.score_rounding import is_doubtful, table_in_order, values_in
from rosenblatt.training.dual.support import new_support

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

# In exact tenths some sample is on the boundary; in floats it may be on either side.
ON_THE_BOUNDARY = [
    (
        "-9 -5 -9 4, -2 -1 4 -9, -1 -9 1 -4, 0 -8 -7 4, 8 -1 -6 3, 9 3 -9 -9, 2 -2 -6 3, -9 8 -9 8",
        [0, 0, 0, 1, 0, 0, 0, 1],
    ),
    (
        "0 7 -6, -3 7 8, 3 -3 0, 8 -3 7, 8 -8 2, -2 -5 -8, -3 3 1, -9 -6 2, 0 -4 -8, 1 -9 -8, "
        "-5 -4 -2, 8 -8 -5",
        [0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0],
    ),
]


def _decisions(p: KernelPerceptron, X: Any) -> list[list[Any]]:
    """Return the predictions for all samples, each alone, among other samples, and stored sparse."""
    n = X.shape[0]
    ways = [
        p.predict(X).tolist(),
        [p.predict(X[i : i + 1]).item() for i in range(n)],
        [p.predict_one(X[i]) for i in range(n)],
        p.predict(np.vstack([X[::-1], X, X]))[n : 2 * n].tolist(),
    ]
    if p.kernel != "precomputed" and not callable(p.kernel):
        ways.append(p.predict(sp.csr_matrix(X)).tolist())
    return ways


@pytest.mark.parametrize(("tenths", "y"), ON_THE_BOUNDARY)
def test_separated_boundary_samples_are_predicted_correctly(tenths: str, y: list[int]) -> None:
    X = np.array([row.split() for row in tenths.split(",")], dtype=float) / 10
    p = KernelPerceptron(kernel="linear", max_iter=1000).fit(X, y)
    assert p.outcome_ is Outcome.SEPARATED
    assert _decisions(p, X) == [y] * 5


@st.composite
def _tenths(draw: st.DrawFn, classes: int = 2) -> tuple[Any, Any]:
    n, d = draw(st.integers(2, 10)), draw(st.integers(1, 5))
    cells = draw(st.lists(st.integers(-9, 9), min_size=n * d, max_size=n * d))
    y = draw(st.lists(st.integers(0, classes - 1), min_size=n, max_size=n))
    return np.array(cells).reshape(n, d) / 10, np.array(y)


def _own(A: Any, B: Any) -> Any:
    values = A @ B.T
    return values.toarray() if sp.issparse(values) else values


@given(
    data=_tenths(classes=3),
    kernel=st.sampled_from(["linear", "poly", "rbf", _own]),
    keep=st.sampled_from(["last", "average", "vote"]),
    order=st.sampled_from(["cyclic", "random"]),
    budget=st.sampled_from([None, None, 3]),
    number=st.sampled_from([np.float64, np.float32]),
    store=st.sampled_from([np.asarray, sp.csr_matrix]),
)
def test_separated_samples_are_predicted_correctly(
    data: tuple[Any, Any],
    kernel: Any,
    keep: str,
    order: str,
    budget: int | None,
    number: Any,
    store: Any,
) -> None:
    X, y = data[0].astype(number), data[1]
    if len(set(y.tolist())) < 2:
        return
    keep = "last" if budget else keep
    options: Any = {"kernel": kernel, "keep": keep, "order": order, "budget": budget}
    p = KernelPerceptron(max_iter=30, random_state=0, **options).fit(store(X), y)
    ways = _decisions(p, X)
    assert all(way == ways[0] for way in ways)
    if p.outcome_ is Outcome.SEPARATED:
        assert ways[0] == y.tolist()
        assert p.score(X, y) == 1.0


@pytest.mark.parametrize("keep", ["last", "average", "vote"])
def test_stream_predicts_samples_alone_and_among_others_alike(keep: str) -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        X = rng.integers(-9, 10, size=(12, 3)) / 10
        y = rng.integers(0, 3, size=12)
        p = KernelPerceptron(kernel="linear", keep=keep).partial_fit(X, y)
        ways = _decisions(p, X)
        assert all(way == ways[0] for way in ways)


@pytest.mark.parametrize("name", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("scale", [1e-160, 1e-3, 1.0, 30.0])
@pytest.mark.parametrize("degree", [1, 3, 70])
def test_errors_of_kernel_values_are_within_the_bound(name: str, scale: float, degree: int) -> None:
    rng = np.random.default_rng(degree)
    samples = scale * rng.normal(size=(200, 40))
    support = new_support(40, sparse=False)
    support.add(scale * rng.normal(size=(30, 40)))
    kernel = KernelFunction(name, degree, gamma=0.01, coef0=0.5)
    blas = kernel.table(support.take(np.arange(30)), samples)
    ordered = table_in_order(kernel, samples, support)
    off = np.abs(blas - ordered).max(axis=0)
    values = values_in(kernel, samples, support, blas)
    assert (off <= 2 * values.error).all()
    assert (np.abs(ordered).max(axis=0) <= values.largest).all()
    alone = [table_in_order(kernel, samples[j : j + 1], support) for j in range(200)]
    assert np.hstack(alone).tobytes() == ordered.tobytes()


def test_whole_numbers_have_exact_values() -> None:
    rng = np.random.default_rng(0)
    samples, coefficients = rng.integers(-3, 4, size=(50, 6)), rng.integers(-2, 3, size=(3, 20))
    support = new_support(6, sparse=False)
    support.add(rng.integers(-3, 4, size=(20, 6)))
    kernel = KernelFunction("poly", 2, 1.0, 1.0)
    table = kernel.table(support.take(np.arange(20)), samples)
    values = values_in(kernel, samples, support, table)
    assert not values.error.any()
    assert not is_doubtful(coefficients @ table, values.reach_of(coefficients)).any()
    assert values.reach_of(coefficients / 3).all()
    for other in (KernelFunction("poly", 2, 0.5, 1.0), KernelFunction("rbf")):
        assert values_in(other, samples, support, table).error.all()
