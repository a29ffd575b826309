"""Constraint generation: solve for a few vectors, add the vectors that violate the solution, repeat.

The nearest point of some vectors, found by ``active_set``, bounds the margin of all vectors from above;
one pass over all vectors bounds it from below and shows which ones are below the point's plane. The
worst of these join the working vectors, and the corral continues from its current state. A dozen passes
are enough.
"""

import numpy as np
import scipy.linalg

from rosenblatt.core.types import Counts, Floats
from rosenblatt.separability.search import Search
from rosenblatt.separability.solvers.active_set import STEPS, Corral, descend, new_corral

WIDEST = 1500
"""The largest dimension for a corral's factors; above it, see ``descent_with_support``."""

_METHOD = "constraint generation"

# Vectors with up to this many numbers are all used from the start.
_FEW = 100_000

# The minimum number of working vectors: 300, 1000, 2000 and 4000 were measured.
_BATCH = 2000

# The clock is checked after work on this many numbers, about a tenth of a second; a step has a fixed
# cost of _STEP numbers.
_NUMBERS = 100_000_000
_STEP = 10_000


def generate(search: Search, weights: Floats) -> None:
    """Narrow the interval of a search as far as floats can, starting with the worst vectors for weights.

    It terminates: a round that does not decrease the distance is the last, and distances are floats,
    which decrease finitely often.
    """
    vectors = search.vectors
    working = _first(search, weights)
    complete = len(working) == vectors.count
    Z = vectors.unpacked(working)
    if complete and vectors.dimension > max(WIDEST, vectors.count):
        Z = _isometric(Z)
    scale = float(vectors.lengths.mean()) or 1.0
    corral = new_corral(vectors.count, Z.shape[1], vectors.n_groups, scale)
    while True:
        before, corral.stalls = corral.nearest, 0
        _descend(search, Z, vectors.groups[working], corral)
        size = corral.size
        support, shares = working[corral.members[:size]], corral.weights[:size]
        search.offer_shares(support, shares.copy())
        weights = vectors.combined(support, shares)
        margins = vectors.margins(weights)
        search.offer_weights(weights, margins)
        search.record(_METHOD, len(working))
        stalled = not corral.nearest < before
        if complete or stalled or search.is_over or search.is_tiny:
            return
        floors = np.bincount(
            vectors.groups[support],
            weights=vectors.n_groups * shares * margins[support],
            minlength=vectors.n_groups,
        )
        heights = margins - floors[vectors.groups]
        lowest = _lowest(heights, _batch(search))
        if np.isin(lowest[heights[lowest] < 0.0], working).all():
            return
        # The corral's members come first, so that their positions are known.
        corral.members[: len(support)] = np.arange(len(support))
        working = np.concatenate([support, np.setdiff1d(lowest, support)])
        Z = vectors.unpacked(working)


def _first(search: Search, weights: Floats) -> Counts:
    """Return the vectors to start with: all of them if they are few, else the worst of each group."""
    vectors = search.vectors
    if vectors.count * vectors.dimension <= _FEW or vectors.count <= WIDEST:
        return np.arange(vectors.count)
    margins = vectors.margins(weights)
    parts = []
    for group in range(vectors.n_groups):
        own = np.flatnonzero(vectors.groups == group)
        parts.append(own[_lowest(margins[own], _batch(search))])
    return np.concatenate(parts)


def _batch(search: Search) -> int:
    return max(_BATCH, 2 * search.vectors.dimension)


def _lowest(values: Floats, size: int) -> Counts:
    """Return the indices of the lowest values, at most ``size`` of them."""
    if len(values) <= size:
        return np.arange(len(values))
    return np.argpartition(values, size)[:size]


def _isometric(Z: Floats) -> Floats:
    """Return vectors of the same lengths and products, in as many dimensions as there are vectors."""
    used = Z[:, Z.any(axis=0)]
    (triangle,) = scipy.linalg.qr(used.T, mode="r", check_finite=False)
    return np.ascontiguousarray(triangle[: used.shape[0]].T)


def _descend(search: Search, Z: Floats, groups: Counts, corral: Corral) -> None:
    """Find the nearest point of the working vectors, as far as rounding and time allow."""
    factors = len(corral.members) * Z.shape[1]
    steps = max(1, _NUMBERS // (Z.size + 4 * factors + _STEP))
    while True:
        status, _ = descend(Z, groups, corral, search.tolerance / 4, steps)
        if status != STEPS or search.is_over:
            return
