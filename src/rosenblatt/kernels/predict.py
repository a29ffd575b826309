"""Predictions for many samples: choose the fastest way to score, and divide the work among threads.

Every way decides exactly, so they all agree. One halfspace is scored in float64, as fast as memory
delivers the samples. Of several halfspaces, the highest is found by float32 scores (see ``argmax``): in
lanes if the samples are sparse or the halfspaces few, otherwise by BLAS, a block of samples at a time.
For few samples a shadow of the weights does not pay.

``n_jobs`` threads share the samples, except with BLAS, which has its own threads: ``n_jobs`` does not
limit them, and they keep spinning for a while after they are done, which slows down other threads. The
samples are not copied, except for one block at a time for BLAS if they are float64.
"""

from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np

from rosenblatt.core.threads import run_in_threads
from rosenblatt.core.types import Counts, Floats
from rosenblatt.kernels.argmax import (
    choose_by_shadow,
    near_one,
    new_argmax_workspace,
    prepare,
    score_by_lanes,
)
from rosenblatt.kernels.decisions import choose_highest, choose_side
from rosenblatt.kernels.exact_sum import new_digits
from rosenblatt.kernels.rows import DenseRows, Rows, checked_rows, n_rows, n_values, part
from rosenblatt.kernels.scoring import score_all
from rosenblatt.kernels.simd.sparse_lanes import n_lanes
from rosenblatt.kernels.simd.vector_code import LANES

_ROWS_FOR_A_SHADOW = 4
_NUMBERS_FOR_BLAS = 8_000_000  # samples and scores of one block
_NUMBERS_FOR_A_THREAD = 100_000
_PARTS_OF_A_THREAD = 4  # so that other threads can take over parts of a slow one

Work = Callable[[int, int], int]
"""Processes the samples from start to stop; returns the sample where it got stuck, or -1."""


def choose(rows: Rows, panel: Floats, tie: int, n_jobs: int) -> tuple[Counts, int]:
    """Return the number of each sample's class, and -1.

    ``panel`` has one row of weights per class, and the highest score wins, the first in case of a tie.
    Or it has one row for two classes, and the sign decides; 0 counts as positive unless ``tie`` is -1.
    If scores are not finite, return the first such sample instead of -1.

    The rows may be unchecked (see `unchecked_rows`): each is checked before it is read, and if one is
    out of order, all are sorted.

    >>> from rosenblatt.kernels.rows import as_rows
    >>> choose(as_rows([[1.0], [-1.0]], 1.0), np.array([[2.0, 0.0], [0.0, 1.0]]), 0, 1)
    (array([0, 1]), -1)
    """
    chosen, stuck_at = _choose(rows, panel, tie, n_jobs)
    if stuck_at >= 0:
        checked = checked_rows(rows, panel.shape[1] - 1)
        if checked is not rows:
            return _choose(checked, panel, tie, n_jobs)
    return chosen, stuck_at


def _choose(rows: Rows, panel: Floats, tie: int, n_jobs: int) -> tuple[Counts, int]:
    n_samples = n_rows(rows)
    out = np.empty(n_samples, dtype=np.int64)
    if len(panel) == 1:
        weights = panel[0]

        def work(start: int, stop: int) -> int:
            some = part(rows, start, stop)
            return choose_side(some, weights, tie, out[start:stop], new_digits())

    elif n_values(rows) < _ROWS_FOR_A_SHADOW * panel.shape[1]:
        contenders = np.zeros(len(panel), dtype=np.bool_)
        return out, choose_highest(rows, panel, out, contenders, new_digits())
    elif isinstance(rows, DenseRows) and len(panel) > LANES:
        return out, _choose_by_blas(rows, panel, out)
    else:
        shadowed, no_scores = prepare(rows, panel), np.empty((0, 0), dtype=np.float32)

        def work(start: int, stop: int) -> int:
            some, workspace = part(rows, start, stop), new_argmax_workspace(shadowed)
            return choose_by_shadow(some, shadowed, no_scores, out[start:stop], workspace)

    return out, _share(work, n_samples, n_values(rows), n_jobs)


def measure(rows: Rows, panel: Floats, n_jobs: int) -> Floats:
    """Return the float score of each sample for each row of the panel.

    BLAS sums scores of dense samples, in the samples' own type; scores of sparse ones are float64.

    >>> from rosenblatt.kernels.rows import as_rows
    >>> measure(as_rows([[1.0], [-1.0]], 1.0), np.array([[2.0, 0.0], [0.0, 1.0]]), 1).tolist()
    [[2.0, 1.0], [-2.0, 1.0]]
    """
    if isinstance(rows, DenseRows):
        return _measure_by_blas(rows, panel)
    out = np.empty((n_rows(rows), len(panel)))
    shadow = np.zeros((panel.shape[1], n_lanes(len(panel))))
    shadow[:, : len(panel)] = panel.T

    def work(start: int, stop: int) -> int:
        if len(panel) == 1:
            score_all(part(rows, start, stop), panel[0], out[start:stop, 0])
        else:
            scores = np.zeros(shadow.shape[1])
            score_by_lanes(part(rows, start, stop), shadow, out[start:stop], scores)
        return -1

    _share(work, len(out), n_values(rows), n_jobs)
    return out


def _measure_by_blas(rows: DenseRows, panel: Floats) -> Floats:
    scaled, power = near_one(panel)
    values = rows.values
    with np.errstate(over="ignore", invalid="ignore"):
        scores = np.matmul(values, scaled[:, :-1].T.astype(values.dtype))
        out: Floats = scores + rows.constant * scaled[:, -1]
        out *= power
    if values.dtype == np.float32 and not np.isfinite(out).all():
        return _measure_by_blas(DenseRows(values.astype(np.float64), rows.constant), panel)
    return out


def _choose_by_blas(rows: DenseRows, panel: Floats, out: Counts) -> int:
    shadowed = prepare(rows, panel)
    workspace = new_argmax_workspace(shadowed)
    weights = shadowed.shadow[:, : panel.shape[1]].T
    step = max(1, _NUMBERS_FOR_BLAS // (panel.shape[1] + len(panel)))
    scores = np.empty((min(step, len(out)), len(panel)), dtype=np.float32)
    for start in range(0, len(out), step):
        block, chosen = part(rows, start, start + step), out[start : start + step]
        some = scores[: len(chosen)]
        with np.errstate(over="ignore", invalid="ignore"):  # choose_by_shadow finds such rows
            np.matmul(block.values.astype(np.float32, copy=False), weights[:-1], out=some)
            some += np.float32(rows.constant) * weights[-1]
        stuck_at = choose_by_shadow(block, shadowed, some, chosen, workspace)
        if stuck_at >= 0:
            return start + stuck_at
    return -1


def _share(work: Work, n_samples: int, n_numbers: int, n_jobs: int) -> int:
    """Let threads process all samples; return the first sample where one got stuck, or -1."""
    n_jobs = min(n_jobs, n_samples, n_numbers // _NUMBERS_FOR_A_THREAD)
    if n_jobs <= 1:
        return work(0, n_samples)
    n_parts = min(n_jobs * _PARTS_OF_A_THREAD, n_samples)
    ends = [n_samples * k // n_parts for k in range(n_parts + 1)]
    works = [partial(work, start, stop) for start, stop in pairwise(ends)]
    results = run_in_threads(works, n_jobs)
    stuck = [start + at for start, at in zip(ends[:-1], results, strict=True) if at >= 0]
    return min(stuck, default=-1)
