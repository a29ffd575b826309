"""Visits for all halfspaces at once: same bits as the naive twin; refused samples change nothing."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import naive
from rosenblatt.kernels.epochs.single_sample import (
    MISTAKES,
    RULE,
    UPDATES,
    VISITS,
    compiled_for,
    decide_features,
    visit_features,
    visit_rows,
)
from rosenblatt.kernels.rows import CSRRows, Rows, as_rows
from strategies import samples

STORES = {"dense": np.asarray, "csr": sp.csr_array, "float32": lambda X: X.astype(np.float32)}


class Panel:
    """The arrays that visits change in place."""

    def __init__(self, n_halfspaces: int, width: int, *, averaged: bool) -> None:
        self.weights = np.zeros((n_halfspaces, width))
        self.drift = np.zeros((n_halfspaces if averaged else 0, width if averaged else 0))
        self.tallies = np.zeros((3, n_halfspaces), dtype=np.int64)
        self.squares = np.zeros((n_halfspaces, 2))

    def visit(self, rows: Rows, *given: np.ndarray, tie: int = 0, required: float = 0.0) -> int:
        return visit_rows(rows, *given, tie, required, *vars(self).values())

    @property
    def visits(self) -> np.ndarray:
        return self.tallies[VISITS]

    @property
    def updates(self) -> np.ndarray:
        return self.tallies[UPDATES]

    def bits(self) -> list[bytes]:
        return [array.tobytes() for array in vars(self).values()]


def drift_by_hand(
    X: np.ndarray, signs: np.ndarray, steps: np.ndarray, mistakes: list[int]
) -> np.ndarray:
    """Return the sum of the updates, each multiplied by the number of visits before it."""
    drift = np.zeros(X.shape[1] + 1)
    seen = np.cumsum(np.asarray(signs) != 0) - 1
    for i in mistakes:
        factor = signs[i] * (steps[i] * seen[i])
        drift = drift + factor * naive.extended(X[[i]], 1.0)[0]
    return drift


@pytest.mark.parametrize("store", STORES)
@given(
    data=st.data(),
    tie=st.sampled_from([-1, 0, 1]),
    averaged=st.booleans(),
    required=st.sampled_from([0.0, 0.1, 3.0]),
)
def test_visits_equal_the_naive_twin(
    store: str, data: st.DataObject, tie: int, averaged: bool, required: float
) -> None:
    X = np.clip(data.draw(samples()), -1e17, 1e17).astype(np.float32).astype(np.float64)
    n, k = len(X), data.draw(st.integers(1, 3))
    side = st.sampled_from([-1, 0, 1])
    signs = np.array(data.draw(st.lists(side, min_size=n * k, max_size=n * k)), dtype=np.int8)
    signs = signs.reshape(n, k)
    steps = np.array(data.draw(st.lists(st.sampled_from([1.0, 0.3]), min_size=n, max_size=n)))
    factors = np.array(
        data.draw(st.lists(st.sampled_from([1.0, 0.7]), min_size=2 * k, max_size=2 * k))
    )
    factors = factors.reshape(k, 2)
    panel = Panel(k, X.shape[1] + 1, averaged=averaged)
    rows = as_rows(STORES[store](X), 1.0)
    assert panel.visit(rows, signs, steps, factors, tie=tie, required=required) == -1
    for h in range(k):
        own = steps * np.where(signs[:, h] > 0, factors[h, 1], factors[h, 0])
        weights, mistakes = naive.learn(
            X, signs[:, h], range(n), tie=tie, steps=own, required=required
        )
        assert panel.weights[h].tobytes() == weights.tobytes()
        assert panel.updates[h] == len(mistakes)
        if required == 0.0:
            assert (panel.tallies[UPDATES] == panel.tallies[MISTAKES]).all()
        # It is updated incrementally, so its largest value on the way determines its accuracy.
        longest = float(n**2 * (1.0 + required + np.square(X).sum(axis=1).max()))
        close = pytest.approx(weights @ weights, rel=1e-9, abs=1e-9 * longest)
        assert panel.squares[h, 0] == close
        if averaged:
            assert panel.visits[h] == np.count_nonzero(signs[:, h])
            drift = drift_by_hand(X, signs[:, h].astype(float), own, mistakes)
            assert (panel.drift[h] == drift).all()


def unsorted() -> CSRRows:
    return CSRRows(np.ones(4), np.array([0, 1, 1, 0]), np.array([0, 2, 4]), 1.0)


def beyond() -> CSRRows:
    return CSRRows(np.ones(3), np.array([0, 1, 2]), np.array([0, 2, 3]), 1.0)


@pytest.mark.parametrize(
    "rows",
    [
        as_rows(np.array([[1.0, 2.0], [np.nan, 1.0]]), 1.0),
        as_rows(np.array([[1.0, 2.0], [np.inf, 1.0]]), 1.0),
        as_rows(np.array([[1.0, 2.0], [1e200, 1.0]]), 1.0),
        as_rows(sp.csr_array([[1.0, 2.0], [1e140, 1.0]]), 1.0),
        unsorted(),
        beyond(),
    ],
)
def test_refused_samples_change_nothing(rows: Rows) -> None:
    panel = Panel(2, 3, averaged=True)
    before = panel.bits()
    signs = np.array([[1, -1], [-1, 1]], dtype=np.int8)
    assert panel.visit(rows, signs, np.ones(2), np.ones((2, 2))) == 1
    assert panel.bits() == before


@pytest.mark.parametrize("steps", [[1.0, -1.0], [1.0, np.nan], [1.0, 1e200]])
def test_invalid_steps_are_refused(steps: list[float]) -> None:
    panel = Panel(1, 3, averaged=False)
    signs = np.array([[1], [-1]], dtype=np.int8)
    assert panel.visit(as_rows(np.eye(2), 1.0), signs, np.array(steps), np.ones((1, 2))) == 1
    assert not panel.weights.any()


def test_sample_with_factor_zero_is_not_seen() -> None:
    panel = Panel(2, 3, averaged=True)
    signs, factors = np.array([[1, -1]], dtype=np.int8), np.array([[1.0, 0.0], [1.0, 0.0]])
    assert panel.visit(as_rows(np.ones((1, 2)), 1.0), signs, np.ones(1), factors) == -1
    assert panel.visits.tolist() == panel.updates.tolist() == [0, 1]


def test_squared_length_is_summed_again_regularly() -> None:
    rng = np.random.default_rng(0)
    X = sp.random(2000, 300, density=0.02, format="csr", random_state=0)
    panel = Panel(1, 301, averaged=False)
    signs = np.where(rng.random((2000, 1)) < 0.5, 1, -1).astype(np.int8)
    assert panel.visit(as_rows(X, 1.0), signs, np.ones(2000), np.ones((1, 2))) == -1
    weights = panel.weights[0]
    assert panel.updates[0] > 500
    assert panel.squares[0, 1] < 301
    assert panel.squares[0, 0] == pytest.approx(weights @ weights, rel=1e-14)


def buffer(values: list[float], columns: list[int]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([*values, 99.0]), np.array([0, len(columns), *columns, 99])


@pytest.mark.parametrize("averaged", [False, True])
@pytest.mark.parametrize("required", [0.0, 0.7])
def test_buffer_is_learned_like_a_row(averaged: bool, required: float) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, (50, 4)) / 10
    signs = np.where(rng.random((50, 3)) < 0.5, 1, -1).astype(np.int8)
    panel = Panel(3, 5, averaged=averaged)
    rows = as_rows(X, 1.0)
    assert panel.visit(rows, signs, np.ones(50), np.ones((3, 2)), required=required) == -1
    store, tallies = np.zeros((1 + averaged, 3, 8)), np.zeros((4, 3), dtype=np.int64)
    tallies[RULE] = [0, 0, 3]
    squares = np.zeros((3, 2))
    for row, pulls in zip(X.tolist(), signs.astype(float), strict=True):
        values, columns = buffer([*row[::-1], 1.0], [3, 2, 1, 0, 4])
        assert visit_features(values, columns, pulls, 1.0, required, store, tallies, squares)
    assert store[0, :, :5].tobytes() == panel.weights.tobytes()
    assert not store[:, :, 5:].any()
    assert tallies[UPDATES, :3].tolist() == panel.updates.tolist()
    deciding = panel.weights
    if averaged:
        assert store[1, :, :5].tobytes() == panel.drift.tobytes()
        deciding = panel.weights - panel.drift / panel.visits[:, None]
    for row in X.tolist():
        scores = [naive.exact_dot([*row, 1.0], w) for w in deciding.tolist()]
        values, columns = buffer([1.0, *row], [4, 0, 1, 2, 3])
        tallies[RULE] = [0, 0, 3]
        assert decide_features(values, columns, store, tallies) == scores.index(max(scores))
        tallies[RULE] = [-1, 1, 2]
        assert decide_features(values, columns, store, tallies) == (scores[1] > 0)


def test_refused_buffers_change_nothing() -> None:
    store, tallies = np.zeros((1, 1, 4)), np.zeros((4, 3), dtype=np.int64)
    squares, pulls = np.zeros((1, 2)), np.ones(1)
    for value in (np.nan, np.inf, 1e140):
        values, columns = buffer([value, 1.0], [0, 1])
        assert not visit_features(values, columns, pulls, 1.0, 0.0, store, tallies, squares)
    values, columns = buffer([1.0, 1.0], [0, 1])
    for weight in (-1.0, np.nan, np.inf):
        assert not visit_features(values, columns, pulls, weight, 0.0, store, tallies, squares)
    assert not store.any()
    assert not tallies[:RULE].any()
    tallies[RULE] = [0, 0, 1]
    assert decide_features(*buffer([1.0], [7]), store, tallies) == -1
    assert decide_features(*buffer([np.nan], [0]), store, tallies) == -1


def test_compiled_for_returns_the_same_kernel() -> None:
    store, tallies = np.zeros((1, 1, 4)), np.zeros((4, 3), dtype=np.int64)
    tallies[RULE] = [0, 0, 1]
    arguments = (*buffer([1.0, 1.0], [0, 1]), store, tallies)
    assert compiled_for(decide_features, arguments)(*arguments) == decide_features(*arguments) == 1
