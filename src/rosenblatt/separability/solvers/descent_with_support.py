"""The margin of many sparse vectors: coordinate descent, finished by a solution on its support.

If there are too many dimensions for the factors of a corral, coordinate descent solves the dual, one
vector at a time (``coordinate_descent``). Once the support is found it converges slowly, but then the
support alone decides: with its Gram matrix G, the multipliers are the solution of G·a = 1. That solution
is tried whenever the support is small enough, negative multipliers are dropped, and descent continues.

If nothing separates the vectors, the multipliers of a few contradictory vectors grow forever and stand
out: ``constraint_generation``, the method for few vectors, then finds their nearest point.

With two groups the signed multipliers must sum to 0, which changing a single coordinate cannot preserve.
The method of multipliers (M. Hestenes; M. Powell, 1969) handles that: a constant feature measures the
sum, and after each round the bias is corrected by it.
"""

import numpy as np
import scipy.linalg

from rosenblatt.core.types import Counts, Floats
from rosenblatt.separability.search import Search
from rosenblatt.separability.signed_samples import Vectors
from rosenblatt.separability.solvers.constraint_generation import generate
from rosenblatt.separability.solvers.coordinate_descent import descend

_METHOD = "coordinate descent"
_SEED = 0

# Passes over the support after each pass over all vectors, and the limit of the latter.
_INNER = 15
_PASSES = 4000

_LARGEST_GRAM = 4000

# The first solution is tried after this many passes: descent alone may have finished by then.
_FIRST = 20

# The work per term of a Cholesky factor, relative to a term of a sparse score, which is less regular.
_SOLUTION_WORK = 1 / 60

# While no separating weights are known: {pass: how many vectors to search separately after it}.
_FEW = {10: 50, 20: 200, 50: 500, 100: 1500, 300: 1500, 1000: 1500}


def descend_all(search: Search) -> None:
    """Narrow the interval of a search until it is closed, time is up, or the passes are used up."""
    vectors, signs = search.vectors, search.vectors.signs
    rng = np.random.default_rng(_SEED)
    # With two groups the constant feature is as long as a vector; otherwise the vectors include their
    # own.
    constant = float(vectors.lengths.mean()) if vectors.n_groups == 2 else 0.0
    rows = vectors.rows._replace(constant=constant) if constant else vectors.rows
    squares = vectors.lengths**2 + constant**2
    multipliers = np.zeros(vectors.count)
    weights = np.zeros(vectors.dimension)
    bias = 0.0
    # Solutions may take as much work as descent: counted, not timed, so that results are reproducible.
    terms = vectors.rows.values.size / vectors.count + 1.0
    work = last_solution = 0.0
    for turn in range(_PASSES):
        descend(rows, signs, squares, rng.permutation(vectors.count), multipliers, weights)
        work += 2 * vectors.count * terms
        for _ in range(_INNER):
            active = rng.permutation(np.flatnonzero(multipliers))
            worst = descend(rows, signs, squares, active, multipliers, weights)
            work += len(active) * terms
            if worst < search.tolerance / 4:
                break
        active = np.flatnonzero(multipliers)
        _offer(search, active, multipliers[active])
        affordable = len(active) <= _LARGEST_GRAM and work >= last_solution
        if turn >= _FIRST and search.lower > 0.0 and affordable:
            multipliers, bias = _with_solution(search, active, multipliers, bias)
            active = np.flatnonzero(multipliers)
            work, last_solution = 0.0, _SOLUTION_WORK * len(active) ** 3
        if search.lower <= 0.0 and turn in _FEW:
            _search_few(search, _FEW[turn])
        search.record(_METHOD, len(active))
        if search.is_over or search.is_tiny:
            return
        weights = vectors.combined(active, multipliers[active])
        if constant:
            measured = constant**2 * float(multipliers @ signs)
            bias += measured
            weights[-1] = (bias + measured) / constant


def _search_few(search: Search, size: int) -> None:
    """Search for the nearest point of the vectors with the largest shares, by constraint generation."""
    vectors = search.vectors
    few = np.sort(search.order[np.argsort(-search.shares)[:size]])
    inner = Search(vectors.chosen(few), search.tolerance, search.deadline)
    generate(inner, np.zeros(inner.vectors.dimension))
    if inner.upper < search.upper:
        search.upper, search.order, search.shares = inner.upper, few[inner.order], inner.shares


def _offer(search: Search, active: Counts, multipliers: Floats) -> None:
    search.offer_shares(active, multipliers)
    weights = search.vectors.combined(active, multipliers)
    search.offer_weights(weights, search.vectors.margins(weights))


def _with_solution(
    search: Search, active: Counts, multipliers: Floats, bias: float
) -> tuple[Floats, float]:
    """Return better multipliers and bias from a solution on the support, or the given ones.

    The final support is not larger than the dimension, so only that many vectors are used.
    """
    vectors = search.vectors
    largest = active[np.argsort(-multipliers[active], kind="stable")[: vectors.dimension]]
    chosen, own_bias = _solution(vectors, largest, multipliers[largest], bias)
    _offer(search, largest, chosen)
    before = search.distance(active, multipliers[active])
    if search.distance(largest, chosen) >= before:
        return multipliers, bias
    solved = np.zeros(vectors.count)
    solved[largest] = chosen
    return solved, own_bias


def _solution(
    vectors: Vectors, order: Counts, multipliers: Floats, bias: float
) -> tuple[Floats, float]:
    """Return multipliers for which all given vectors have the same margin, and their bias.

    Negative multipliers become 0, which is usually an improvement.
    """
    signs = vectors.signs[order].astype(np.float64)
    try:
        factor = scipy.linalg.cho_factor(vectors.gram(order))
    except np.linalg.LinAlgError:
        return multipliers, bias
    right = np.column_stack([np.ones(len(order)), signs])
    solution, along = np.asarray(scipy.linalg.cho_solve(factor, right)).T
    if vectors.n_groups == 2:
        bias = float((signs @ solution) / (signs @ along))
        solution = solution - bias * along
    return np.maximum(solution, 0.0), bias
