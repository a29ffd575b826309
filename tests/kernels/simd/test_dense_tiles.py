"""Scores in tiles against the same sums in NumPy's float64."""

import numpy as np
import pytest
from numba import njit

from rosenblatt.kernels.simd.dense_tiles import FEWEST_LANES, TILE_ROWS, tile_roundings, tile_scores
from rosenblatt.kernels.simd.sparse_lanes import n_lanes

_compiled = njit(lambda *given: tile_scores(*given))


@pytest.mark.parametrize("number", [np.float32, np.float64])
@pytest.mark.parametrize("n_halfspaces", [1, 5, 9, 17])
@pytest.mark.parametrize("n_features", [1, 255, 256, 600])
def test_tiles_are_sums_within_their_roundings(
    n_halfspaces: int, n_features: int, number: type
) -> None:
    rng = np.random.default_rng(n_features)
    lanes = n_lanes(n_halfspaces, FEWEST_LANES)
    values = rng.standard_normal((30, n_features)).astype(number)
    shadow = rng.standard_normal((n_features + 1, lanes)).astype(np.float32)
    for start, stop in [(0, 1), (3, 3 + TILE_ROWS), (5, 25), (29, 30), (7, 7)]:
        for score in (_compiled, tile_scores):
            out = np.full((24, lanes), 7.0, dtype=np.float32)
            score(values, start, stop, shadow, out)
            rows = values[start:stop].astype(np.float64)
            exact = rows @ shadow[:-1] + 7.0
            sizes = np.abs(rows) @ np.abs(shadow[:-1]) + 7.0
            error = np.abs(out[: stop - start] - exact)
            assert (error <= 2.0**-24 * tile_roundings(n_features) * 1.01 * sizes).all()
            assert (out[-(-(stop - start) // TILE_ROWS) * TILE_ROWS :] == 7.0).all()


def test_only_the_rows_asked_for_are_read() -> None:
    values = np.full((4, 3), np.nan)
    values[1:3] = 1.0
    out = np.zeros((TILE_ROWS, 4), dtype=np.float32)
    _compiled(values, 1, 3, np.ones((3, 4), dtype=np.float32), out)
    assert (out[:2] == 3.0).all()
