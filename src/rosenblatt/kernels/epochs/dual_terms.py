"""The dual perceptron, compiled: scores are sums of kernel terms, added in sequence.

A hypothesis is the sum of its mistakes, f(x) = Σ c_t·K(x_t, x); nothing else is needed from the feature
space. Every score is summed term by term in the sequence of the mistakes, so its bits do not depend on
how the kernel values were split into blocks.

Convention: a score of exactly 0 is a mistake for either label; a sample with sign 0 is not seen. Kernel
values are tables with one row per support sample and one column per sample of a block; scores have one
row per halfspace. They must stay finite: a score that is not has no side.

Reference: M. Aizerman, E. Braverman, L. Rozonoer, Theoretical foundations of the potential function
method in pattern recognition learning, 1964.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Flags, Floats, Signs
from rosenblatt.kernels.compiled import compiled


class Mistakes(NamedTuple):
    """A sequence of mistakes: for each its row in the table, its halfspace, and its coefficient."""

    places: Counts
    halfspaces: Counts
    coefficients: Floats


@compiled(nogil=True)
def add_terms(table: Floats, mistakes: Mistakes, first: int, seen: Counts, scores: Floats) -> None:
    """Add the terms of mistakes to the scores of a block, in place.

    ``first`` is the number of the first mistake; ``seen[j]`` is how many mistakes the score of sample j
    already includes.
    """
    for t in range(mistakes.places.shape[0]):
        row = table[mistakes.places[t]]
        out = scores[mistakes.halfspaces[t]]
        coefficient = mistakes.coefficients[t]
        number = first + t
        for j in range(row.shape[0]):
            if seen[j] <= number:
                out[j] += coefficient * row[j]


@compiled(nogil=True)
def visit_samples(
    gram: Floats,
    signs: Signs,
    steps: Floats,
    learning: Flags,
    scores: Floats,
    squares: Floats,
    found: Mistakes,
) -> int:
    """Visit the samples of a block one by one, update on every mistake, and return their number.

    ``gram`` is the kernel of the block with itself; ``signs`` has one row per sample and one column per
    halfspace. Changed in place: ``scores``, which in the end include all mistakes of the block, for
    every sample in it; ``squares``, the squared length of each hypothesis, which grows by
    2·c·f(x) + c²·K(x, x) for a mistake with coefficient c; ``found``, whose places are indices in the
    block.
    """
    n_found = 0
    for i in range(signs.shape[0]):
        for k in range(signs.shape[1]):
            if signs[i, k] == 0 or not learning[k] or signs[i, k] * scores[k, i] > 0.0:
                continue
            coefficient = signs[i, k] * steps[i]
            squares[k] += coefficient * (2.0 * scores[k, i] + coefficient * gram[i, i])
            for j in range(signs.shape[0]):
                scores[k, j] += coefficient * gram[i, j]
            found.places[n_found] = i
            found.halfspaces[n_found] = k
            found.coefficients[n_found] = coefficient
            n_found += 1
    return n_found


@compiled(nogil=True)
def add_votes(
    table: Floats,
    mistakes: Mistakes,
    lifetimes: Counts,
    reach: Floats,
    scores: Floats,
    votes: Floats,
    doubtful: Flags,
) -> None:
    """Let the hypothesis after each mistake vote as often as its lifetime.

    ``reach`` is how far each sample's score may be off per unit of Σ|c|; 0 if it is exact. Changed in
    place: ``scores``, initially zero, which go through all hypotheses; ``votes``, which gain or lose the
    lifetime of each; ``doubtful``, which becomes true for samples with a score that rounding could bring
    to the other side. A score of exactly 0 votes for the positive side, as in predictions.
    """
    totals = np.zeros(scores.shape[0])
    for t in range(mistakes.places.shape[0]):
        row = table[mistakes.places[t]]
        k = mistakes.halfspaces[t]
        coefficient = mistakes.coefficients[t]
        lifetime = lifetimes[t]
        totals[k] += abs(coefficient)
        for j in range(row.shape[0]):
            scores[k, j] += coefficient * row[j]
            beyond = reach[j] == 0.0 or abs(scores[k, j]) > totals[k] * reach[j]
            doubtful[j] |= lifetime > 0 and not beyond
            if scores[k, j] >= 0.0:
                votes[k, j] += lifetime
            else:
                votes[k, j] -= lifetime


@compiled(nogil=True)
def sum_terms(table: Floats, places: Counts, coefficients: Floats, scores: Floats) -> None:
    """Set the scores of the samples to the sums of their terms, in sequence.

    Each term has its row of the table in ``places``, and a coefficient.
    """
    scores[:] = 0.0
    for t in range(places.shape[0]):
        row = table[places[t]]
        for j in range(scores.shape[0]):
            scores[j] += coefficients[t] * row[j]


def check_scores(scores: Floats, rows: Counts) -> None:
    """Raise InputError unless the scores (halfspace, sample) of some rows of X are finite.

    >>> check_scores(np.array([[1.0, np.inf]]), np.array([4, 5]))
    Traceback (most recent call last):
    ...
    rosenblatt.core.errors.InputError: the score of row 5 of X is not a finite number: ...
    """
    finite = np.isfinite(scores)
    if not finite.all():
        row = int(rows[(~finite).any(axis=0).argmax()])
        raise InputError(
            f"the score of row {row} of X is not a finite number: a sum of kernel values times sample "
            "weights overflows float64; scale X, the kernel or sample_weight down"
        )


def check_squares(squares: Floats | Sequence[float] | float) -> None:
    """Raise InputError unless the squared lengths of hypotheses, and their sum, are finite.

    >>> check_squares([1.0, 2.0])
    """
    with np.errstate(over="ignore", invalid="ignore"):
        finite = np.isfinite(np.sum(squares))
    if not finite:
        raise InputError(
            "the squared length of a hypothesis is not a finite number: kernel values times squared "
            "sample weights overflow float64; scale X, the kernel or sample_weight down"
        )
