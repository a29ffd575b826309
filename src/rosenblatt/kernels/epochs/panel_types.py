"""What an epoch of a panel of halfspaces is given, what it changes, and what it reports.

``signs[i, k]`` says on which side halfspace k has sample i (0: it does not see it); a mistake moves the
weights by ``steps[i]`` times ``factors[k, 1]`` for a positive sample, and ``factors[k, 0]`` for a
negative one.

What is alike is one array with named rows: every array costs when a kernel is called, and more when it
is compiled.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.core.types import Counts, Data, Flags, Floats, Marks, Signs
from rosenblatt.kernels.exact_sum import new_digits
from rosenblatt.kernels.rows import Rows

MISTAKES, MASS, ENERGY, DOUBT, EXACT, SQUARES, MISSED = range(7)
"""The rows of a tally, which has a column for each halfspace: what one epoch did.

Its mistakes, and their mass, the sum of their steps; its energy, the sum of the squared
lengths of its updates, by Novikoff's inequality at least what the weights' squared length has gained;
the visits that its score left in doubt, and those that an exact sum decided; the squares of its
weights at the end, summed; and, for all halfspaces together and in the first column, the samples that
were put in a wrong class, where somebody asks.
"""


def new_tallies(n_epochs: int, n_halfspaces: int) -> Floats:
    """Return room for the tallies of some epochs."""
    return np.zeros((n_epochs, 7, n_halfspaces))


_HITS = 2**14  # mistakes that are counted at once
_NOBODY_ASKS = np.zeros(0, dtype=np.int64)
_NO_MARK = np.zeros((0, 0))


class Samples(NamedTuple):
    """The samples, and bounds on their lengths: -1 where a length is not known yet."""

    rows: Rows
    norms: Floats


class Task(NamedTuple):
    """What the halfspaces of a panel are to learn; ``tie`` is the sign that a score of 0 stands for.

    Steps have one number for each sample, or one that stands for all. ``partial`` says that
    there are zeros among the signs. ``since``, unless it is empty, asks for the samples that the highest
    score puts in a wrong class: it says after which visit the class of each column is known.
    """

    signs: Signs
    steps: Floats
    factors: Floats
    tie: int
    partial: bool
    since: Counts = _NOBODY_ASKS


class Memory(NamedTuple):
    """What a panel learns: its ``weights``, laid out as the samples want it (see ``panel_layout``).

    ``drift`` is visits · (weights - average), laid out likewise, or empty: then no averages are kept.
    ``shadow`` is room for the weights rounded to the type that scores are computed in. ``mark`` are
    weights of an earlier epoch, laid out likewise, or empty: epochs end when a vector is back at them.
    """

    weights: Floats
    drift: Floats
    shadow: Data
    mark: Floats = _NO_MARK


class Record(NamedTuple):
    """What is written down of epochs.

    ``visits[k]`` grows by the samples that halfspace k has seen, ``counts[k, i]`` by one for each of its
    mistakes on sample i; ``events``, unless it has room for one only, gets ``visit · n + k`` of each
    mistake in sequence, n being the number of halfspaces. There is a tally for each epoch, of zeros
    before.
    """

    visits: Counts
    counts: Marks
    events: Counts
    tallies: Floats


class Room(NamedTuple):
    """Room that an epoch of several halfspaces works in, so that nothing is allocated on the way.

    ``vectors`` views the weights with one vector in each row; then the ``scores`` of a sample, numbers
    for each halfspace (see ``one_vs_rest``), ``digits`` for exact sums, where the mistakes are to be
    counted, and a flag for each vector.
    """

    vectors: Floats
    scores: Data
    floats: Floats
    digits: Counts
    hits: Counts
    flags: Flags


def new_room(vectors: Floats, n_lanes: int, number: type) -> Room:
    """Return room for the vectors of a panel, whose scores are of a type, in lanes."""
    return Room(
        vectors,
        np.zeros(n_lanes, dtype=number),
        np.zeros((7, n_lanes)),
        new_digits(),
        np.empty(_HITS + n_lanes, dtype=np.int64),
        np.zeros(n_lanes, dtype=np.bool_),
    )
