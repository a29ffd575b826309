"""Counting votes: every weight vector of a run votes for the side on which it has a sample.

A vote counts as often as the weight vector's lifetime. The scores of a sample by all weight vectors are
the partial sums of the updates' scores, so one product with the samples of the mistakes, and a running
sum, give all of them.

Votes are exact: each is the exact sign of w·x, where w are the weights as the run had them, bit by bit.
The running sum s differs from that score for three reasons, all bounded in terms of the sum A of the
lengths of the start and of the updates up to w, times ‖x‖ (u = 2**-53, w made by j updates, d features
and the constant): the products' own rounding, at most (d + 2)·u; that of the running sum, at most
(j + 1)·u; and that of the run itself, in which every update was rounded twice, at most 2·j·u. So s has
the right sign if |s| exceeds (d + 3·j + 11)·u·A·‖x‖; twice that is used, to cover rounding in A and ‖x‖
themselves. For all other votes the run is repeated, and an exact sum decides (see ``signs``).

A score of exactly 0 is no vote, unless a tie stands for a label; votes are whole numbers.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.core.constants import SMALL_PRODUCT, TWO_ROUNDOFFS
from rosenblatt.core.types import Counts, Floats
from rosenblatt.kernels.epochs.replay import sides_of_votes
from rosenblatt.kernels.finite import not_finite
from rosenblatt.kernels.rows import DenseRows, Rows, n_rows, part
from rosenblatt.kernels.scoring import lengths, score_all
from rosenblatt.training.deciders.vote_record import Piece, Votes, as_matrix

# The most scores in memory at once.
_NUMBERS_AT_ONCE = 1_000_000


class Voters(NamedTuple):
    """All weight vectors of one halfspace: the start, updated with each sample in ``places`` by a step.

    ``lifetimes`` are theirs, that of the start first; ``reach`` bounds their lengths.
    """

    start: Floats
    places: Counts
    steps: Floats
    lifetimes: Counts
    reach: Floats


def voters(votes: Votes, piece: Piece, norms: Floats, k: int) -> Voters:
    """Return the voters of halfspace k; ``norms`` are the lengths of the samples in the piece."""
    own = piece.columns == k
    places, steps = piece.places[own], piece.steps[own]
    ends = np.concatenate([[0], piece.before[own], votes.visits[k : k + 1]])
    start = votes.start[k]
    with np.errstate(over="ignore", invalid="ignore"):
        moved = np.abs(steps) * norms[places]
        reach = np.cumsum(np.append(np.linalg.norm(start), moved))
    return Voters(start, places, steps, np.diff(ends), reach)


def poll(votes: Votes, rows: Rows, tie: int, halfspaces: slice) -> Counts:
    """Return the vote of some halfspaces on each sample: positive lifetimes minus negative ones.

    ``tie`` is the sign of a score of exactly 0; 0: it does not vote. Raise `InputError` if a sample is
    not finite.

    >>> start = np.zeros((1, 2))
    >>> from rosenblatt.training.deciders.vote_record import Events
    >>> sample, zero = DenseRows(np.array([[2.0]]), 1.0), np.zeros(1, dtype=np.int64)
    >>> votes = Votes.new(start, 1.0).grown(sample, Events(zero, zero, np.ones(1), zero), zero + 5)
    >>> poll(votes, DenseRows(np.array([[1.0], [-1.0], [-0.5]]), 1.0), 0, slice(None)).tolist()
    [[5], [-5], [0]]
    """
    piece = votes.whole()
    support = piece.rows(votes.constant)
    norms = lengths(support, len(piece.numbers))
    every = [voters(votes, piece, norms, k) for k in range(*halfspaces.indices(len(votes.start)))]
    out = np.zeros((n_rows(rows), len(every)), dtype=np.int64)
    longest = max([len(piece.numbers), *(len(one.lifetimes) for one in every)])
    step = max(1, _NUMBERS_AT_ONCE // longest)
    for first in range(0, len(out), step):
        block = part(rows, first, first + step)
        products = score_products(block, support, votes.width)
        for c, one in enumerate(every):
            out[first : first + step, c] = _poll(one, support, block, products, tie, first)
    return out


def score_products(block: Rows, support: Rows, width: int) -> Floats:
    """Return the float dot product of each row with each support row, including the constants."""
    ours, theirs = as_matrix(block, width), as_matrix(support, width)
    with np.errstate(over="ignore", invalid="ignore"):
        if isinstance(block, DenseRows) and not isinstance(support, DenseRows):
            found = (theirs.astype(np.float64) @ ours.T.astype(np.float64)).T
        else:
            found = ours.astype(np.float64, copy=False) @ theirs.T.astype(np.float64)
        dense: Floats = np.asarray(found if isinstance(found, np.ndarray) else found.toarray())
        return dense + block.constant * support.constant


def _poll(
    one: Voters, support: Rows, block: Rows, products: Floats, tie: int, first: int
) -> Floats:
    """Return the vote of one halfspace on each row of a block."""
    n_samples, n_voters = len(products), len(one.lifetimes)
    scores = np.empty((n_samples, n_voters))
    score_all(block, one.start, scores[:, 0])
    n_terms = len(one.start) + 3.0 * np.arange(n_voters) + 11.0
    with np.errstate(over="ignore", invalid="ignore"):
        steps = 1.0 + np.append(0.0, np.cumsum(np.abs(one.steps)))
        np.multiply(products[:, one.places], one.steps, out=scores[:, 1:])
        np.cumsum(scores, axis=1, out=scores)
        bands = np.outer(lengths(block, n_samples), one.reach) * (n_terms * TWO_ROUNDOFFS)
        bands += SMALL_PRODUCT * steps  # a product that underflowed was multiplied by the step
    sides = np.where(scores > bands, 1.0, np.where(scores < -bands, -1.0, 0.0))
    numbers, samples = np.nonzero(((sides == 0.0) & (one.lifetimes > 0)).T)
    if len(numbers):
        found = np.zeros(len(numbers))
        sequence = (one.places, one.steps, one.start.copy())
        stuck_at = sides_of_votes(support, *sequence, block, numbers, samples, tie, found)
        if stuck_at >= 0:
            raise not_finite(block, stuck_at, first)
        sides[samples, numbers] = found
    vote: Floats = np.rint(sides @ one.lifetimes.astype(np.float64))
    return vote
