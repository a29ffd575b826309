"""What an epoch of a panel of halfspaces is given, what it changes, and what it reports.

``signs[i, k]`` says on which side halfspace k has sample i (0: it does not see it); a mistake moves the
weights by ``steps[i]`` times ``factors[k, 1]`` for a positive sample, and ``factors[k, 0]`` for a
negative one, and ``masses[i]`` times the same factor is its weight.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.core.types import Counts, Data, Floats, Marks, Signs
from rosenblatt.kernels.rows import Rows


class Tally(NamedTuple):
    """What one epoch did, for each halfspace.

    Its ``mistakes``, and their ``mass``, each with the weight of its sample; its ``energy``, the sum of
    the squared lengths of its updates, by Novikoff's inequality at least what the weights' squared
    length has gained; the visits that its score left in ``doubt``, and those that an ``exact`` sum
    decided; and the ``squares`` of its weights at the end, summed.
    """

    mistakes: Counts
    mass: Floats
    energy: Floats
    doubt: Counts
    exact: Counts
    squares: Floats


def new_tally(*shape: int) -> Tally:
    """Return a tally of nothing, for a number of halfspaces, or of epochs and halfspaces."""
    return Tally(
        np.zeros(shape, dtype=np.int64),
        np.zeros(shape),
        np.zeros(shape),
        np.zeros(shape, dtype=np.int64),
        np.zeros(shape, dtype=np.int64),
        np.zeros(shape),
    )


class Samples(NamedTuple):
    """The samples, and their float lengths: -1 where a length is not known yet."""

    rows: Rows
    norms: Floats


class Memory(NamedTuple):
    """What a panel learns: its ``weights``, laid out as the samples want it (see ``panel_layout``).

    ``drift`` is visits · (weights - average), or empty: then no averages are kept. ``shadow`` is room
    for the weights rounded to the type that scores are computed in.
    """

    weights: Floats
    drift: Floats
    shadow: Data


class Record(NamedTuple):
    """What is written down of an epoch, for each halfspace k.

    ``visits[k]`` grows by the samples seen, ``counts[k, i]`` by one for each mistake on sample i; the
    ``tally`` says what this epoch did; ``events``, unless it is empty, gets ``visit · n + k`` of each
    mistake in sequence, n being the number of halfspaces.
    """

    visits: Counts
    counts: Marks
    tally: Tally
    events: Counts


class Task(NamedTuple):
    """What the halfspaces of a panel are to learn; ``tie`` is the sign that a score of 0 stands for.

    The signs are those of the panel's halfspaces, and zeros up to the next number of lanes; ``partial``
    says that there are zeros among the others.
    """

    signs: Signs
    steps: Floats
    masses: Floats
    factors: Floats
    tie: int
    partial: bool
