"""Scores in lanes, compared with the same sums in NumPy's float64."""

import numpy as np
import pytest
import scipy.sparse as sp
from numba import njit

from rosenblatt.kernels.epochs.panel_layout import score_panel
from rosenblatt.kernels.rows import as_rows
from rosenblatt.kernels.simd.sparse_lanes import lane_scores, n_lanes

_compiled = njit(lambda *given: lane_scores(*given))
_lanes_of_row = njit(lambda *given: score_panel(*given))


@pytest.mark.parametrize("number", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("n_halfspaces", [1, 5, 9, 17, 33])
def test_lanes_equal_the_sums_of_their_columns(
    n_halfspaces: int, number: type, index: type
) -> None:
    rng = np.random.default_rng(n_halfspaces)
    lanes = n_lanes(n_halfspaces)
    assert n_halfspaces <= lanes
    shadow = rng.standard_normal((31, lanes)).astype(np.float32)
    values = rng.standard_normal(60).astype(number)
    indices = rng.integers(0, 31, size=60).astype(index)
    for start, end in [(0, 0), (3, 3), (5, 6), (5, 7), (20, 35), (0, 60)]:
        terms = values[start:end, None].astype(np.float64) * shadow[indices[start:end]]
        band = 1e-5 * np.abs(terms).sum(axis=0)
        for score in (_compiled, lane_scores):
            out = np.full(lanes + 2, 7.0, dtype=np.float32)
            score(values, indices, np.uint64(start), end, shadow, out[1:-1])
            assert (np.abs(out[1:-1] - terms.sum(axis=0)) <= band).all()
            assert out[[0, -1]].tolist() == [7.0, 7.0]


def test_only_the_given_range_is_read() -> None:
    shadow = np.ones((3, 4), dtype=np.float32)
    shadow[2] = np.nan
    out = np.zeros(4, dtype=np.float32)
    values = np.array([np.nan, 2.0, 3.0, 4.0, np.inf])
    _compiled(values, np.array([2, 0, 1, 0, 2]), 1, 4, shadow, out)
    assert out.tolist() == [9.0] * 4


def test_values_beyond_float32_overflow() -> None:
    shadow = np.array([[1.0, -1.0, 2.0, 0.5]], dtype=np.float32)
    out = np.zeros(4, dtype=np.float32)
    _compiled(np.array([1e300]), np.array([0]), 0, 1, shadow, out)
    assert out.tolist() == [np.inf, -np.inf, np.inf, np.inf]


def test_last_weights_belong_to_the_constant() -> None:
    rows = as_rows(sp.csr_array([[0.0, 2.0], [0.0, 0.0]]), 1.0)
    shadow = np.arange(12, dtype=np.float32).reshape(3, 4)
    out = np.zeros(4, dtype=np.float32)
    for score in (_lanes_of_row, score_panel):
        for i, row in enumerate([[0.0, 2.0, 1.0], [0.0, 0.0, 1.0]]):
            score(rows, i, i, shadow, out)
            assert out.tolist() == (row @ shadow).tolist()
