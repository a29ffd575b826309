"""Many halfspaces in one pass: the same bits as each one alone, and as exact arithmetic."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from one_epoch import learn_once
from rosenblatt.core.errors import InputError
from rosenblatt.kernels.epochs import panel_layout as layout
from rosenblatt.kernels.rows import as_rows
from rosenblatt.training.blocks import Blocks
from rosenblatt.training.panel import Panel
from rosenblatt.training.problem import Problem
from strategies import samples


@st.composite
def tables(draw: st.DrawFn, n: int, max_height: int = 20) -> np.ndarray:
    """Signs of n samples for some halfspaces; 0 for samples that a halfspace does not see."""
    height = draw(st.integers(1, max_height))
    cells = st.sampled_from([-1, 1, 1, -1, 0])
    flat = draw(st.lists(cells, min_size=n * height, max_size=n * height))
    return np.array(flat, np.int8).reshape(n, height)


def learned(
    X: Any, table: np.ndarray, *, n_jobs: int = 1, tie: int = 0, far: bool = False, **options: Any
) -> Panel:
    """Return a panel after three epochs; ``far`` treats the samples as too large for the CPU cache.

    The halfspaces share each pass over the samples, unless they learn ``apart``.
    """
    apart = options.pop("apart", False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "NEAR", 0 if far else layout.NEAR)
        patch.setattr(layout, "FEW", layout.FEW if apart else -1)
        return _learned(X, table, n_jobs=n_jobs, tie=tie, **options)


def _learned(X: Any, table: np.ndarray, *, n_jobs: int, tie: int, **options: Any) -> Panel:
    n, height = table.shape
    options.setdefault("factors", np.ones((height, 2)))
    steps = options.pop("steps", np.ones(n))
    width = X.shape[1] + 1
    drift = np.zeros((height, width)) if options.pop("average", False) else None
    start = options.pop("start", np.zeros((height, width)))
    factors = options.pop("factors")
    problem = Problem(as_rows(X, 1.0), table, steps, factors, tie, **options)
    panel = Panel(problem, start, drift, record=True)
    blocks = Blocks(panel, n_jobs)
    for _ in range(3):
        blocks.visit(np.arange(n))
    blocks.write_back()
    return panel


@settings(max_examples=30)
@given(st.data(), samples(max_columns=9), st.sampled_from([-1, 0, 1]), st.integers(1, 3))
def test_halfspaces_learn_as_they_would_alone(
    data: st.DataObject, X: np.ndarray, tie: int, n_jobs: int
) -> None:
    table = data.draw(tables(len(X)))
    height = table.shape[1]
    factors = np.array(
        data.draw(st.lists(st.sampled_from([1.0, 0.3]), min_size=2 * height, max_size=2 * height))
    ).reshape(height, 2)
    narrow = np.clip(X, -1e30, 1e30).astype(np.float32)
    forms = [X, narrow, sp.csr_array(X), sp.csr_array(narrow)]
    form = data.draw(st.sampled_from(forms))
    far = data.draw(st.booleans())
    apart = data.draw(st.booleans())
    panel = learned(form, table, tie=tie, n_jobs=n_jobs, far=far, apart=apart, factors=factors)
    stored = form.toarray() if sp.issparse(form) else form
    for k in range(height):
        signs = table[:, k]
        steps = np.where(signs > 0, factors[k, 1], factors[k, 0])
        order = [*range(len(X))] * 3
        weights, mistakes = naive.learn(stored, signs, order, tie=tie, steps=steps)
        assert panel.weights[k].tobytes() == weights.tobytes()
        recorded = [i for part in panel.sequences[k] for i in part.tolist()]
        assert recorded == mistakes
        assert panel.counts[k].tolist() == np.bincount(mistakes, minlength=len(X)).tolist()
        assert panel.mistakes[k] == len(mistakes)
        assert panel.visits[k] == 3 * np.count_nonzero(signs)


@settings(max_examples=40)
@given(st.data(), samples())
def test_averages_match_the_definition(data: st.DataObject, X: np.ndarray) -> None:
    table = data.draw(tables(len(X), 9))
    form = data.draw(st.sampled_from([np.asarray, sp.csr_array]))(X)
    panel = learned(form, table, average=True, apart=data.draw(st.booleans()))
    for k in range(table.shape[1]):
        signs = table[:, k]
        weights = np.zeros(X.shape[1] + 1)
        drift = np.zeros_like(weights)
        visits = 0
        for i in [*range(len(X))] * 3:
            if signs[i] == 0:
                continue
            moved, mistakes = naive.learn(X, signs, [i], start=weights)
            if mistakes:
                row = naive.extended(X[[i]], 1.0)[0]
                drift = drift + (signs[i] * float(visits)) * row
            weights, visits = moved, visits + 1
        assert panel.drift[k].tobytes() == drift.tobytes()


@pytest.mark.parametrize("height", [1, 2, 3, 4, 5, 8, 9, 10, 16, 17, 40])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("far", [False, True])
def test_any_number_of_halfspaces_on_realistic_data(
    height: int, form: Any, dtype: Any, far: bool
) -> None:
    rng = np.random.default_rng(height)
    X = (rng.standard_normal((300, 37)) * (rng.random((300, 37)) < 0.4)).astype(dtype)
    table = np.where(rng.random((300, height)) < 0.5, 1, -1).astype(np.int8)
    panel = learned(form(X), table, n_jobs=2, far=far)
    rows = as_rows(X, 1.0)
    for k in range(height):
        weights, norms = np.zeros(38), np.full(300, -1.0)
        counts, signs = np.zeros(300, np.int64), np.ascontiguousarray(table[:, k])
        for _ in range(3):
            counts += learn_once(rows, signs, np.arange(300), weights, norms=norms).counts
        assert panel.weights[k].tobytes() == weights.tobytes()
        assert panel.counts[k].tolist() == counts.tolist()


@pytest.mark.parametrize("size", [1e-200, 1e-30, 1e16, 1e30, 1e100])
def test_numbers_beyond_single_precision(size: float) -> None:
    rng = np.random.default_rng(0)
    X = size * rng.integers(-9, 10, (40, 5)).astype(float)
    table = np.where(rng.random((40, 3)) < 0.5, 1, -1).astype(np.int8)
    for form, far in ((X, False), (X, True), (sp.csr_array(X), False)):
        panel = learned(form, table, far=far)
        for k in range(3):
            weights, _ = naive.learn(X, table[:, k], [*range(40)] * 3)
            assert panel.weights[k].tobytes() == weights.tobytes()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_row_that_is_not_finite_is_named_even_if_unseen(bad: float, form: Any, n_jobs: int) -> None:
    X = np.ones((4, 3))
    X[2, 1] = bad
    table = np.ones((4, 5), np.int8)
    table[2] = 0
    with pytest.raises(InputError, match=r"X contains (NaN|infinity) in row 2, column 1"):
        learned(form(X), table, n_jobs=n_jobs)


def test_scores_that_float32_rounds_to_the_wrong_sign() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 30))
    X[1::2] = -X[::2] * (1 + 1e-9 * rng.standard_normal((200, 30)))
    table = np.where(rng.random((400, 9)) < 0.5, 1, -1).astype(np.int8)
    start = 1e4 * rng.standard_normal((9, 31))
    X[:, 0] -= (X @ start[0, :-1] + start[0, -1]) / start[0, 0]  # on the boundary, up to rounding
    steps = np.full(400, 1e-13)  # so that they stay there
    panel = learned(X, table, far=True, start=start.copy(), steps=steps)
    for k in range(9):
        order = [*range(400)] * 3
        weights, _ = naive.learn(X, table[:, k], order, start=start[k], steps=steps)
        assert panel.weights[k].tobytes() == weights.tobytes()


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_unseen_samples_must_be_finite(n_jobs: int, form: Any, apart: bool) -> None:
    X = np.ones((4, 2))
    X[2, 1] = np.nan
    table = np.array([[1, -1, 1], [-1, 1, 1], [0, 0, 0], [1, 1, -1]], dtype=np.int8)
    with pytest.raises(InputError, match="2"):
        learned(form(X), table, n_jobs=n_jobs, apart=apart)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_longest_samples_whose_squared_length_is_finite(form: Any) -> None:
    X, table = np.array([[1e153], [-1e153]]), np.array([[1], [-1]], dtype=np.int8)
    assert learned(form(X), table).mistakes.tolist() == [1]
