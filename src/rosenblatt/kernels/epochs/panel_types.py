"""The arguments of an epoch of a panel: its task, the memory it changes, and its record.

``signs[i, k]`` is the side of sample i for halfspace k (0: it does not see it); an update moves the
weights by ``steps[i]`` times ``factors[k, 1]`` for a positive sample, and ``factors[k, 0]`` for a
negative one.

Similar data is one array with named rows: every array costs time when a kernel is called, and more when
it is compiled.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.core.types import Counts, Data, Flags, Floats, Marks, Signs
from rosenblatt.kernels.exact_sum import new_digits
from rosenblatt.kernels.rows import Rows

UPDATES, MASS, ENERGY, DOUBT, EXACT, SQUARES, MISSED, MISTAKES = range(8)
"""The rows of a tally, which has one column per halfspace and describes one epoch.

The updates; their mass, the sum of their steps; their energy, the largest increase of the weights'
squared length that they can cause (Novikoff's inequality): ‖step·x‖² + 2·step·required each; the visits
whose float score was in doubt, and those that an exact sum decided; the squared length of the weights at
the end; in the first column for all halfspaces together, the samples that were misclassified before they
were learned from (see `Task.since`); and the mistakes, the updates that began on the wrong side. Without
a required margin every update is a mistake.
"""


def new_tallies(n_epochs: int, n_halfspaces: int) -> Floats:
    """Return empty tallies for some epochs."""
    return np.zeros((n_epochs, 8, n_halfspaces))


_MOST_PENDING = 2**14  # updates that are counted at once
_NOT_COUNTED = np.zeros(0, dtype=np.int64)
_NO_MARK = np.zeros((0, 0))


class Samples(NamedTuple):
    """The samples, and bounds on their lengths, -1 if unknown so far."""

    rows: Rows
    norms: Floats


class Task(NamedTuple):
    """The task of a panel's halfspaces: an update for each visit with y·w·x ≤ ``required``.

    ``tie`` is the sign of a score of 0 or, with a required margin, of one at the margin. ``steps`` has
    one number per sample, or one for all. ``partial`` says that some signs are 0. ``since``, unless it
    is empty, counts as missed the samples that the highest score misclassifies: it has the visit after
    which the class of each column is known. If it is empty, a sample is missed if it is on the wrong
    side of any of the halfspaces.
    """

    signs: Signs
    steps: Floats
    factors: Floats
    tie: int
    partial: bool
    since: Counts = _NOT_COUNTED
    required: float = 0.0


class Memory(NamedTuple):
    """The state of a panel: its ``weights``, laid out to suit the samples (see ``panel_layout``).

    ``drift`` is visits · (weights - average) in the same layout, or empty if no averages are kept.
    ``shadow`` is memory for the weights rounded to the type of the scores. ``mark`` has the weights of
    an earlier epoch in the same layout, or is empty: epochs end when a vector is back at its mark.
    """

    weights: Floats
    drift: Floats
    shadow: Data
    mark: Floats = _NO_MARK


class Record(NamedTuple):
    """The record of some epochs.

    ``visits[k]`` counts the samples that halfspace k has seen, ``counts[k, i]`` its updates on sample
    i; ``events``, if it is longer than 1, gets ``visit · n + k`` of each update in sequence, n being
    the number of halfspaces. There is one tally per epoch, initially zero.
    """

    visits: Counts
    counts: Marks
    events: Counts
    tallies: Floats


class Workspace(NamedTuple):
    """Memory for an epoch of several halfspaces, so that kernels allocate nothing.

    ``vectors`` is a view of the weights with one vector per row; ``scores`` are those of a sample;
    ``floats`` has numbers for each halfspace (see ``one_vs_rest``); ``digits`` is for exact sums;
    ``pending`` has the updates still to be counted; ``flags`` has one flag per vector.
    """

    vectors: Floats
    scores: Data
    floats: Floats
    digits: Counts
    pending: Counts
    flags: Flags


def new_workspace(vectors: Floats, n_lanes: int, number: type) -> Workspace:
    """Return a workspace for the vectors of a panel, whose scores have the given type."""
    return Workspace(
        vectors,
        np.zeros(n_lanes, dtype=number),
        np.zeros((7, n_lanes)),
        new_digits(),
        np.empty(_MOST_PENDING + n_lanes, dtype=np.int64),
        np.zeros(n_lanes, dtype=np.bool_),
    )
