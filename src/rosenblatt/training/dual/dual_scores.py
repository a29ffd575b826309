"""The scores of samples under hypotheses in dual form, in blocks of bounded memory.

"last" is the last hypothesis, "average" the average over all visits, and "vote" the votes of the
hypotheses of all visits, as a fraction of the visits: from -1 to 1. No Python loop goes over hypotheses.
"""

import numpy as np

from rosenblatt.core.types import Counts, Flags, Floats, MatrixLike
from rosenblatt.kernels.epochs.dual_terms import add_votes, check_scores
from rosenblatt.training.dual.expansion import Expansion
from rosenblatt.training.dual.kernel_functions import KernelFunction
from rosenblatt.training.dual.score_rounding import blocks, sums_of, table_in_order

KEEPS = ("last", "average", "vote")


def coefficients_of(hypothesis: Expansion, keep: str) -> Floats:
    """Return the coefficient of each support sample in each last or average hypothesis."""
    if keep == "average":
        return hypothesis.average()
    return hypothesis.last()


def scores_of(
    kernel: KernelFunction,
    X: MatrixLike,
    hypothesis: Expansion,
    keep: str,
    halfspaces: slice = slice(None),
) -> Floats:
    """Return the scores of the samples of X, one column per halfspace.

    The decision about a sample does not depend on the other samples: see ``score_rounding``.

    >>> from rosenblatt.kernels.epochs.dual_terms import Mistakes
    >>> from rosenblatt.training.dual.support import new_support
    >>> e = Expansion(new_support(1, sparse=False), n_halfspaces=1)
    >>> e.support.add(np.array([[2.0]]))
    >>> e.add(Mistakes(np.array([0]), np.array([0]), np.array([-1.0])), moments=np.array([0]))
    >>> e.visits[:] = 4
    >>> scores_of(KernelFunction("linear"), np.array([[3.0]]), e, "last")
    array([[-6.]])
    >>> scores_of(KernelFunction("linear"), np.array([[3.0]]), e, "vote")
    array([[-1.]])
    """
    if keep == "vote":
        return _votes_of(kernel, X, hypothesis)[:, halfspaces]
    coefficients = coefficients_of(hypothesis, keep)[halfspaces]
    return sums_of(kernel, X, hypothesis.support, coefficients)


def _votes_of(kernel: KernelFunction, X: MatrixLike, expansion: Expansion) -> Floats:
    votes: Floats = np.zeros((X.shape[0], len(expansion.visits)))
    lifetimes, support = expansion.lifetimes(), expansion.support
    for rows, table, values in blocks(kernel, X, support):
        reach = values.sum_reach_in_sequence(len(expansion))
        block, doubtful = _votes(expansion, lifetimes, table, reach)
        if doubtful.any():
            table = table_in_order(kernel, X[rows[doubtful]], support)
            block[:, doubtful], _ = _votes(expansion, lifetimes, table, reach[doubtful])
        check_scores(block, rows)
        votes[rows] = block.T
    return votes


def _votes(
    expansion: Expansion, lifetimes: Counts, table: Floats, reach: Floats
) -> tuple[Floats, Flags]:
    """Return the votes on the samples of a block, and for which samples rounding could change one."""
    votes = np.zeros((len(expansion.visits), table.shape[1]))
    scores, doubtful = np.zeros_like(votes), np.zeros(table.shape[1], dtype=np.bool_)
    add_votes(table, expansion.mistakes(), lifetimes, reach, scores, votes, doubtful)
    votes /= np.maximum(expansion.visits, 1)[:, None]
    # A score that is not finite stays so to the end, and makes its votes NaN.
    return np.where(np.isfinite(scores), votes, np.nan), doubtful
