"""Scores of one dense row, compared with the same sums in NumPy's float64."""

import numpy as np
import pytest
from numba import njit

from rosenblatt.kernels.simd.dense_strips import strip_scores

_compiled = njit(lambda *given: strip_scores(*given))


@pytest.mark.parametrize("number", [np.float32, np.float64])
@pytest.mark.parametrize("shadow_type", [np.float32, np.float64])
@pytest.mark.parametrize("n_features", [1, 15, 16, 33, 200])
def test_scores_are_within_their_rounding(n_features: int, shadow_type: type, number: type) -> None:
    rng = np.random.default_rng(n_features)
    values = rng.standard_normal((4, n_features)).astype(number)
    values[[0, 1, 3]] = np.nan  # only row 2 may be read, not the prefetched one
    for n_vectors in (*range(1, 10), 17):
        shadow = rng.standard_normal((n_vectors, n_features + 3)).astype(shadow_type)
        shadow[:, n_features:] = np.nan
        row = values[2].astype(np.float64)
        exact = shadow[:, :n_features].astype(np.float64) @ row
        sizes = np.abs(shadow[:, :n_features]).astype(np.float64) @ np.abs(row)
        for score in (_compiled, strip_scores):
            out = np.full(n_vectors + 2, 7.0, dtype=shadow_type)
            score(values, 2, 3, shadow, out[1:-1])
            error = np.abs(out[1:-1] - exact)
            assert (error <= (n_features + 8) * np.finfo(shadow_type).eps * sizes).all()
            assert out[[0, -1]].tolist() == [7.0, 7.0]
