"""Predictions by vote, and the mistakes that they are based on.

The vote of a halfspace on a sample is the sum of lifetimes on its positive side, minus those on the
other side, divided by all its visits: from -1 to 1. With two classes its sign decides, with more the
highest vote, the first in case of a tie. A halfspace that had a clean epoch is no longer visited, so
its vote is over fewer visits. Votes are compared as floats, which is exact below 2**26 visits.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.core.types import Counts, Floats
from rosenblatt.kernels.predict import measure
from rosenblatt.kernels.rows import Rows
from rosenblatt.training.deciders.vote_counts import poll, score_products
from rosenblatt.training.deciders.vote_record import Votes


class Influence(NamedTuple):
    """The samples that a halfspace was mistaken on, and what they add to the average score of another.

    ``samples`` are their numbers, ``influences`` what each adds; ``start`` is what the weights before
    the first visit add. The influences and the start sum to the average score, up to rounding.
    """

    samples: Counts
    influences: Floats
    start: float


def shares(votes: Votes, rows: Rows, tie: int, halfspaces: slice) -> Floats:
    """Return each halfspace's vote on each sample, as a share of its visits."""
    visits = np.maximum(votes.visits[halfspaces], 1)
    found: Floats = poll(votes, rows, tie, halfspaces) / visits
    return found


def elected(found: Floats, tie: int) -> Counts:
    """Return the number of the class that wins each vote, given the shares.

    >>> elected(np.array([[0.5], [0.0], [-0.1]]), 0), elected(np.array([[-1.0, 0.5, 0.5]]), 0)
    (array([1, 1, 0]), array([1]))
    """
    if found.shape[1] == 1:
        return sides(found, tie)[:, 0]
    return np.asarray(found.argmax(axis=1))


def sides(found: Floats, tie: int) -> Counts:
    """Return 1 for positive votes, and for 0 unless a tie is negative; else 0."""
    positive = found >= 0.0 if tie >= 0 else found > 0.0
    return positive.astype(np.int64)


def influence(votes: Votes, row: Rows, k: int) -> Influence:
    """Return what each mistake of halfspace k adds to the average score of ``row``, a single row.

    The average score is the mean over all visits of w·x, w being the weights after the visit. A mistake
    with v visits before it, of V in all, is part of the last V - v of them, so it adds
    step·(x'·x)·(V - v)/V, x' being its sample. The mistakes on one sample are summed.
    """
    piece = votes.whole()
    visits = max(int(votes.visits[k]), 1)
    products = score_products(row, piece.rows(votes.constant), votes.width)[0]
    own = piece.columns == k
    shares_left = piece.steps[own] * ((visits - piece.before[own]) / visits)
    totals = np.bincount(piece.places[own], weights=shares_left, minlength=len(products))
    mistaken = np.unique(piece.places[own])
    influences = totals[mistaken] * products[mistaken]
    start = measure(row, votes.start[k : k + 1], 1)[0, 0]
    return Influence(piece.numbers[mistaken], influences, float(start))
