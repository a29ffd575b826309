"""Replay of recorded runs, compiled: the same updates in the same order give the same weights."""

from rosenblatt.core.types import Counts, Floats, Signs
from rosenblatt.kernels.compiled import compiled
from rosenblatt.kernels.exact_sum import new_digits
from rosenblatt.kernels.row_operations import axpy, fits
from rosenblatt.kernels.rows import Rows
from rosenblatt.kernels.signs import OVERFLOW, side_of


@compiled()
def replay(rows: Rows, signs: Signs, steps: Floats, sequence: Counts, weights: Floats) -> None:
    """Repeat the updates of a recorded sequence of mistakes, on the weights in place.

    A row that does not fit the weights is skipped: it cannot have been part of the run.
    """
    for t in range(sequence.shape[0]):
        i = sequence[t]
        if not fits(rows, i, weights):
            continue
        axpy(rows, i, signs[i] * steps[i], weights)


@compiled()
def replay_jointly(
    rows: Rows, own: Counts, steps: Floats, samples: Counts, rivals: Counts, vectors: Floats
) -> None:
    """Repeat the updates of a recorded sequence of mistakes, on the rows of ``vectors`` in place.

    Sample ``samples[t]`` was mistaken for class ``rivals[t]``. A row that does not fit the weights, and
    a sample that is its own rival, are skipped: they cannot have been part of the run.
    """
    for t in range(samples.shape[0]):
        i, rival = samples[t], rivals[t]
        if rival != own[i] and fits(rows, i, vectors[rival]):
            axpy(rows, i, steps[i], vectors[own[i]])
            axpy(rows, i, -steps[i], vectors[rival])


@compiled(nogil=True)
def sides_of_votes(
    support: Rows,
    places: Counts,
    steps: Floats,
    weights: Floats,
    rows: Rows,
    numbers: Counts,
    samples: Counts,
    tie: int,
    out: Floats,
) -> int:
    """Write the exact side of some samples by some weights of a run, ``tie`` for a score of 0.

    Entry t of ``out`` is the side of sample ``samples[t]`` of the rows by weights ``numbers[t]``, which
    must ascend. The weights are computed again from the start, which is in ``weights`` and changed in
    place, by the steps on the support's rows at ``places``. Return -1, or the sample whose score was not
    finite.
    """
    digits = new_digits()
    made = 0
    for t in range(numbers.shape[0]):
        while made < numbers[t]:
            axpy(support, places[made], steps[made], weights)
            made += 1
        side = side_of(rows, samples[t], weights, digits)
        if side == OVERFLOW:
            return int(samples[t])
        out[t] = tie if side == 0 else side
    return -1
