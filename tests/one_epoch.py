"""One compiled epoch of one halfspace, with a minimal setup."""

from typing import NamedTuple

import numpy as np

from rosenblatt.kernels.epochs.one_halfspace import learn_halfspace
from rosenblatt.kernels.epochs.panel_types import (
    ENERGY,
    EXACT,
    Memory,
    Record,
    Samples,
    Task,
    new_tallies,
)
from rosenblatt.kernels.exact_sum import new_digits
from rosenblatt.kernels.rows import Rows


class EpochResult(NamedTuple):
    """The result of an epoch; mistakes are in sequence, counts are per sample."""

    mistakes: np.ndarray
    counts: np.ndarray
    energy: float
    n_exact: int
    stuck_at: int


def learn_once(
    rows: Rows,
    signs: np.ndarray,
    order: np.ndarray,
    weights: np.ndarray,
    *,
    norms: np.ndarray | None = None,
    steps: np.ndarray | None = None,
    tie: int = 0,
    shadowed: bool = False,
) -> EpochResult:
    """Learn for one epoch, and change the weights in place."""
    n, one = len(signs), np.ones(1)
    panel = weights.reshape(1, -1)
    shadow = np.zeros((1, -(-len(weights) // 16) * 16), np.float32) if shadowed else panel
    counts, events = np.zeros((1, n), dtype=np.int32), np.empty(len(order), dtype=np.int64)
    tallies = new_tallies(1, 1)
    _, n_mistakes, stuck_at = learn_halfspace(
        Samples(rows, np.full(n, -1.0) if norms is None else norms),
        Task(signs.reshape(-1, 1), one if steps is None else steps, np.ones((1, 2)), tie, False),
        order,
        0,
        Memory(panel, np.zeros((0, 0)), shadow),
        Record(np.zeros(1, dtype=np.int64), counts, events, tallies),
        new_digits(),
    )
    n_exact = int(tallies[0, EXACT, 0])
    return EpochResult(events[:n_mistakes], counts[0], tallies[0, ENERGY, 0], n_exact, stuck_at)
