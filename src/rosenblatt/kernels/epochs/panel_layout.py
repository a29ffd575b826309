"""The memory layout of many weight vectors, so that one visit to a sample serves them all.

A panel has float64 weight vectors in the layout that measured fastest. For sparse rows it goes feature
by feature, so that the weights of all vectors for one stored value are next to each other, in one or two
cache lines, and are scored from there.

For dense rows it goes vector by vector, and the weights may have a *shadow*: a copy rounded to float32,
which is only there to be read fast. It does not pay if everything is in a near cache anyway, nor if many
scores are too close to 0 for float32; nor for sparse rows, where an update would access two distant
places instead of the weights that were just read. Then the panel is its own shadow. A single vector is
laid out as for dense rows.

A score is wrong by at most `score_band`, which allows for the rounding of weights and values to the
shadow's type and for that of every product and sum. It never decides: better bounds decide scores within
that band.
"""

import math
from typing import TypeVar

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from rosenblatt.core.types import Data, Floats, Singles
from rosenblatt.kernels.row_operations import axpy, move, n_terms, primitive
from rosenblatt.kernels.rows import FEW, CSRRows, DenseRows, Rows
from rosenblatt.kernels.signs import error_band
from rosenblatt.kernels.simd.dense_strips import strip_scores
from rosenblatt.kernels.simd.sparse_lanes import lane_scores, lane_update, n_lanes
from rosenblatt.kernels.simd.vector_code import CACHE_LINE, LANES

TWO_SINGLE_ROUNDOFFS = 2.0**-23

# Up to this length of weights and samples no float32 product or sum can overflow, and underflow costs
# less than this for each term.
LARGE = 1e15
VANISHING = 1e-29

_SECOND_CACHE = 2**20

Number = TypeVar("Number", np.float32, np.float64)

NEAR = 100_000
"""Numbers that stay in the processor's cache from one epoch to the next."""


def new_panel(rows: Rows, vectors: Floats) -> Floats:
    """Return a panel with a copy of the weight vectors, which are the rows of an array.

    >>> new_panel(DenseRows(np.ones((1, 2)), 1.0), np.zeros((5, 3))).shape
    (5, 3)
    """
    if isinstance(rows, DenseRows) or len(vectors) == 1:
        return vectors.copy()
    n_vectors, width = vectors.shape
    panel = _aligned((width, n_lanes(n_vectors)), np.float64)
    if vectors.any():  # the panel is already zero, and untouched memory costs nothing
        panel[:, :n_vectors] = vectors.T
    return panel


def most_vectors(rows: Rows, n_vectors: int, width: int) -> int:
    """Return how many of ``n_vectors`` a panel should have at most.

    Small data is read again for each of a few vectors: it comes from a cache, and no panel kernel needs
    to be compiled. If the weights for sparse rows exceed a processor's second-level cache, more than two
    cache lines of them per feature cost more than reading the samples again.

    >>> many = np.broadcast_to(1.0, (1_000_000, 2))
    >>> most_vectors(DenseRows(many[:5], 1.0), 10, 3), most_vectors(DenseRows(many, 1.0), 10, 3)
    (1, 10)
    """
    if rows.values.size <= FEW and n_vectors * rows.values.size <= 4 * FEW:
        return 1
    if isinstance(rows, DenseRows) or n_vectors * width * 8 <= _SECOND_CACHE:
        return n_vectors
    return LANES


def vectors_of(rows: Rows, panel: Floats, n_vectors: int) -> Floats:
    """Return a view of a panel with one weight vector per row."""
    is_transposed = not isinstance(rows, DenseRows) and n_vectors > 1
    return panel[:, :n_vectors].T if is_transposed else panel


def new_shadow(rows: Rows, panel: Floats) -> Data:
    """Return memory for the shadow of a panel, or the panel itself if a shadow does not pay.

    Each vector of a shadow begins at a cache line, so that no vector load crosses two of them.
    """
    if not isinstance(rows, DenseRows) or rows.values.size <= NEAR:
        return panel
    n_vectors, width = panel.shape
    return _aligned((n_vectors, _padded(width)), np.float32)


def shadow_of(rows: Rows, vectors: Floats) -> Singles:
    """Return weight vectors, given as the rows of an array, in float32 and laid out for the samples.

    >>> shadow_of(DenseRows(np.ones((1, 2)), 1.0), np.ones((3, 3))).shape
    (3, 16)
    """
    n_vectors, width = vectors.shape
    if isinstance(rows, DenseRows):
        shadow = _aligned((n_vectors, _padded(width)), np.float32)
        shadow[:, :width] = vectors
    else:
        shadow = _aligned((width, n_lanes(n_vectors)), np.float32)
        shadow[:, :n_vectors] = vectors.T
    return shadow


def _padded(width: int) -> int:
    """Return the width rounded up to whole cache lines of float32."""
    line = CACHE_LINE // 4
    return -(-width // line) * line


def _aligned(shape: tuple[int, ...], number: type[Number]) -> NDArray[Number]:
    """Return an array of zeros that begins at a cache line."""
    spare = CACHE_LINE // np.dtype(number).itemsize
    memory = np.zeros(math.prod(shape) + spare, dtype=number)
    first = -memory.ctypes.data % CACHE_LINE // memory.itemsize
    return memory[first : first + math.prod(shape)].reshape(shape)


def _score_panel_dense(rows: DenseRows, i: int, next_row: int, shadow: Data, out: Data) -> None:
    strip_scores(rows.values, i, next_row, shadow, out)
    for k in range(shadow.shape[0]):
        out[k] += out.dtype.type(rows.constant) * shadow[k, rows.values.shape[1]]


def _score_panel_csr(rows: CSRRows, i: int, _next_row: int, panel: Data, out: Data) -> None:
    lane_scores(rows.values, rows.indices, rows.indptr[i], rows.indptr[i + 1], panel, out)
    for k in range(panel.shape[1]):
        out[k] += out.dtype.type(rows.constant) * panel[-1, k]


score_panel = primitive(_score_panel_dense, _score_panel_csr, counted=False)
"""``score_panel(rows, i, next_row, shadow, out)``: write the scores of row i by all vectors to ``out``.

They have the shadow's type. Row ``next_row``, if it is another one, is prefetched.
"""


@register_jitable(forceinline=True)
def copy_to_shadow(panel: Floats, shadow: Data) -> None:
    """Copy the panel, rounded, to its shadow, unless it is its own shadow."""
    if shadow.itemsize == panel.itemsize:
        return
    # In loops: compiling a slice assignment takes longer than all the rest.
    for k in range(panel.shape[0]):
        for j in range(panel.shape[1]):
            shadow[k, j] = panel[k, j]


@register_jitable(forceinline=True, _nrt=False)
def score_band(rows: Rows, i: int, length: float, scores: Data) -> tuple[float, float]:
    """Return bounds on the error of row i's scores: a factor of the weights' length, and a constant.

    ``length`` is that of the row; the weights' length must be passed through `trusted`.
    """
    terms = n_terms(rows, i)
    if scores.itemsize == 8:
        return error_band(length, terms), error_band(0.0, terms)
    safe = length if length < LARGE else math.inf
    return (terms + 8) * TWO_SINGLE_ROUNDOFFS * safe, (terms + 8) * VANISHING


@register_jitable
def trusted(reach: float, scores: Data) -> float:
    """Return a bound on the length of weights, or infinity if such scores could overflow."""
    return math.inf if scores.itemsize == 4 and not reach < LARGE else reach


def _add_to_panel_dense(rows: DenseRows, i: int, steps: Floats, panel: Floats) -> None:
    for k in range(panel.shape[0]):
        if steps[k] != 0.0:
            axpy(rows, i, steps[k], panel[k])


def _add_to_panel_csr(rows: CSRRows, i: int, steps: Floats, panel: Floats) -> None:
    if panel.size == 0:
        return
    lane_update(rows.values, rows.indices, rows.indptr[i], rows.indptr[i + 1], panel, steps)
    for k in range(panel.shape[1]):
        panel[-1, k] += steps[k] * rows.constant


add_to_panel = primitive(_add_to_panel_dense, _add_to_panel_csr, counted=False)
"""``add_to_panel(rows, i, steps, panel)``: add ``steps[k]`` times row i to each vector k in place.

One rounded product and one rounded addition per coordinate, as in `row_operations.axpy`; a step of 0
changes nothing, and an empty panel is skipped. There is one step per lane of the panel.
"""


def _update_panel_dense(
    rows: DenseRows, i: int, steps: Floats, panel: Floats, shadow: Data
) -> None:
    for k in range(panel.shape[0]):
        if steps[k] != 0.0:
            move(rows, i, steps[k], panel[k], shadow[k])


def _update_panel_csr(rows: CSRRows, i: int, steps: Floats, panel: Floats, _shadow: Data) -> None:
    add_to_panel(rows, i, steps, panel)


update_panel = primitive(_update_panel_dense, _update_panel_csr, counted=False)
"""``update_panel(rows, i, steps, panel, shadow)``: as `add_to_panel`, and update the shadow."""
