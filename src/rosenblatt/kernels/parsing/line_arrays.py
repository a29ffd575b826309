"""The arrays that parsed lines are written to, and how they grow.

They start with a size that is likely to be enough, and grow when they are full: counting beforehand
would take another pass over the text.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.core.types import Counts, Floats

POSITION, LINE, N_SAMPLES, N_STORED, LAST = range(5)
"""The indices of the state's entries."""


class LineArrays(NamedTuple):
    """Samples as rows of a CSR matrix, and the parser's progress.

    ``lines`` has the line of each sample, from 0. ``state`` has the position in the text; the numbers of
    finished lines, samples and stored values; and the index that was read last.
    """

    labels: Floats
    lines: Counts
    indptr: NDArray[np.int32]
    values: Floats
    indices: NDArray[np.int32]
    state: Counts


def new_arrays(n_samples: int, n_stored: int) -> LineArrays:
    """Return arrays with these capacities.

    >>> new_arrays(2, 7).indptr.tolist()
    [0, 0, 0]
    """
    return LineArrays(
        np.empty(n_samples),
        np.empty(n_samples, dtype=np.int64),
        np.zeros(n_samples + 1, dtype=np.int32),
        np.empty(n_stored),
        np.empty(n_stored, dtype=np.int32),
        np.zeros(LAST + 1, dtype=np.int64),
    )


def have_grown(out: LineArrays) -> bool:
    """Enlarge the arrays that are full; return whether any were.

    >>> arrays = new_arrays(2, 7)
    >>> arrays.state[N_STORED] = 6
    >>> have_grown(arrays)
    False
    >>> arrays.state[N_STORED] = 7
    >>> have_grown(arrays), len(arrays.labels), len(arrays.values)
    (True, 2, 16)
    """
    n_samples, n_stored = len(out.labels), len(out.values)
    samples_are_full = int(out.state[N_SAMPLES]) == n_samples
    values_are_full = int(out.state[N_STORED]) == n_stored
    if samples_are_full or values_are_full:
        resize(
            out, n_samples << samples_are_full, 2 * (n_stored + 1) if values_are_full else n_stored
        )
    return samples_are_full or values_are_full


def resize(out: LineArrays, n_samples: int, n_stored: int) -> None:
    """Resize the arrays; shrinking costs nothing and frees memory."""
    for of_samples in (out.labels, out.lines):
        of_samples.resize(n_samples, refcheck=False)
    out.indptr.resize(n_samples + 1, refcheck=False)
    for of_values in (out.values, out.indices):
        of_values.resize(n_stored, refcheck=False)
