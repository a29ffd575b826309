"""The scores of samples under hypotheses in dual form, in blocks of bounded memory.

"last" is the last hypothesis, "average" the average over all visits, and "vote" the votes of the
hypotheses of all visits, as a fraction of them: from -1 to 1. No loop goes over hypotheses in Python.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from rosenblatt.dual.expansion import Expansion
from rosenblatt.dual.forgetron import Forgetron
from rosenblatt.dual.functions import KernelFunction
from rosenblatt.dual.gram import Gram
from rosenblatt.dual.terms import add_votes, check_scores
from rosenblatt.typing import Counts, Floats

KEEPS = ("last", "average", "vote")

_AT_ONCE = 2**22
_MOST_ROWS = 1024


def coefficients_of(hypothesis: Expansion | Forgetron, keep: str) -> Floats:
    """Return the coefficient of each support sample in each halfspace: the last, or the average."""
    if keep == "average" and isinstance(hypothesis, Expansion):
        return hypothesis.average()
    return hypothesis.last()


def scores_of(
    kernel: KernelFunction, X: Any, hypothesis: Expansion | Forgetron, keep: str
) -> Floats:
    """Return the scores of the samples of X, one column for each halfspace.

    >>> from rosenblatt.dual.terms import Mistakes
    >>> from rosenblatt.dual.support import new_support
    >>> e = Expansion(new_support(1, sparse=False), n_halfspaces=1)
    >>> e.support.add(np.array([[2.0]]))
    >>> e.add(Mistakes(np.array([0]), np.array([0]), np.array([-1.0])), moments=np.array([0]))
    >>> e.visits[:] = 4
    >>> scores_of(KernelFunction("linear"), np.array([[3.0]]), e, "last")
    array([[-6.]])
    >>> scores_of(KernelFunction("linear"), np.array([[3.0]]), e, "vote")
    array([[-1.]])
    """
    n_support = len(hypothesis.support)
    scores: Floats = np.zeros((X.shape[0], len(hypothesis.visits)))
    if n_support == 0:
        return scores
    gram = Gram(kernel, X, hypothesis.support)
    scored: Callable[[Floats], Floats]
    if keep == "vote" and isinstance(hypothesis, Expansion):
        scored = partial(_votes, hypothesis, hypothesis.lifetimes())
    else:
        scored = partial(np.matmul, coefficients_of(hypothesis, keep))
    height = min(max(_AT_ONCE // n_support, 1), _MOST_ROWS)
    for start in range(0, X.shape[0], height):
        rows = np.arange(start, min(start + height, X.shape[0]))
        table = gram.between(np.arange(n_support), rows)
        with np.errstate(over="ignore", invalid="ignore"):
            block = scored(table)
        check_scores(block, rows)
        scores[rows] = block.T
    return scores


def _votes(expansion: Expansion, lifetimes: Counts, table: Floats) -> Floats:
    votes = np.zeros((len(expansion.visits), table.shape[1]))
    scores = np.zeros_like(votes)
    add_votes(table, expansion.mistakes(), lifetimes, scores, votes)
    votes /= np.maximum(expansion.visits, 1)[:, None]
    # A score that was not finite once is so to the end, and its votes count nothing.
    return np.where(np.isfinite(scores), votes, np.nan)
