"""The perceptron in its dual form, compiled: scores are sums of kernel terms, added in sequence.

A hypothesis is the sum of its mistakes, f(x) = Σ c_t·K(x_t, x), and nothing else is ever needed of the
feature space. Every score below is summed term by term in the sequence of the mistakes, so its bits do
not depend on the blocks in which the kernel values came.

Convention: a score of exactly 0 is a mistake for either label; a sample with sign 0 is not seen. Kernel
values are tables with a row for each support sample and a column for each sample of a block; scores have
a row for each halfspace. They must stay finite: one that is not has no side.

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
    """A sequence of mistakes: the row of each in the table, its halfspace, and its coefficient."""

    places: Counts
    halfspaces: Counts
    coefficients: Floats


@compiled(nogil=True)
def add_terms(table: Floats, mistakes: Mistakes, first: int, seen: Counts, scores: Floats) -> None:
    """Add the terms of mistakes to the scores of a block.

    Given: the mistakes of number ``first`` and on; ``seen[j]``, how many mistakes the score of sample j
    has already. Changed in place: ``scores``.
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
    """Visit the samples of a block one after the other, and update on every mistake.

    Given: the kernel of the block with itself; signs (sample, halfspace), steps, and the halfspaces
    that are still learning. Changed in place: ``scores``, which in the end have all mistakes of the
    block, for every sample in it; ``squares``, the squared length of each hypothesis, which grows by
    2·c·f(x) + c²·K(x, x) for a mistake of coefficient c; ``found``, whose places are those in the
    block. Returned: the number of mistakes.
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
    """Let the hypothesis after each mistake vote as often as it was visited.

    Given: how far each sample's score may be off, for each unit of Σ|c|; 0 if not at all. Changed in
    place: ``scores``, zero before, which go through all hypotheses; ``vote``, which gain or lose the
    lifetime of each; ``doubtful``, which becomes true of samples with a score that rounding could bring
    to the other side. A score of exactly 0 votes for the positive side, as it decides.
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
def sum_terms(
    table: Floats, places: Counts, coefficients: Floats, first: int, scores: Floats
) -> None:
    """Set the scores of the samples ``first`` and on to the sums of their terms, in sequence.

    Given: the row of each term in the table, and its coefficient. Changed in place: ``scores``.
    """
    scores[first:] = 0.0
    for t in range(places.shape[0]):
        row = table[places[t]]
        for j in range(first, scores.shape[0]):
            scores[j] += coefficients[t] * row[j]


def check_scores(scores: Floats, rows: Counts) -> None:
    """Raise unless the scores (halfspace, sample) of some rows of X are finite.

    >>> check_scores(np.array([[1.0, np.inf]]), np.array([4, 5]))
    Traceback (most recent call last):
    ...
    rosenblatt.core.errors.InputError: the score of row 5 of X is not a finite number: ...
    """
    finite = np.isfinite(scores)
    if not finite.all():
        row = int(rows[(~finite).any(axis=0).argmax()])
        raise InputError(
            f"the score of row {row} of X is not a finite number: it is a sum of kernel values times "
            "steps that float64 cannot hold; scale X, the kernel or sample_weight down"
        )


def check_squares(squares: Floats | Sequence[float] | float) -> None:
    """Raise unless the squared lengths of hypotheses, and their sum, are finite.

    >>> check_squares([1.0, 2.0])
    """
    with np.errstate(over="ignore", invalid="ignore"):
        finite = np.isfinite(np.sum(squares))
    if not finite:
        raise InputError(
            "the squared length of a hypothesis is not a finite number: float64 cannot hold the kernel "
            "values times the squares of steps; scale X, the kernel or sample_weight down"
        )
