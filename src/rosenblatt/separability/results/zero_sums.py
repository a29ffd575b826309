"""Proofs of inseparability from a run that returned to earlier weights.

Each update adds a positive multiple of a signed sample, so updates that lead back to the same weights
are a combination of signed samples that is zero, unless one of them was rounded. The certificate itself
checks that exactly. Unlike other conflicts, this one may name more samples than necessary.
"""

import math
from fractions import Fraction

import numpy as np

from rosenblatt.certificates.combination import Combination
from rosenblatt.core.types import Counts, Floats, LabelLike, Marks
from rosenblatt.separability.question import Question
from rosenblatt.separability.results.conclusion import inseparable
from rosenblatt.separability.results.conflicts import Conflict, mixed_samples, rival_samples
from rosenblatt.separability.results.result import Separation
from rosenblatt.separability.signed_samples import Vectors


def zero_sum(
    question: Question, positive: LabelLike, counts: Counts | Marks, steps: Floats
) -> Separation | None:
    """Return the proof that one class is inseparable, or None unless the updates sum to exactly zero.

    Sample i was added ``counts[i]`` times, multiplied by ``steps[i]`` > 0.

    >>> from rosenblatt.separability.question import ask
    >>> question = ask([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> print(zero_sum(question, 1, np.array([3, 3, 3, 3]), np.ones(4)).conflicts[0])
    rows 0 and 3 with label 0 and rows 1 and 2 with label 1 overlap: 1/2·row 0 + 1/2·row 3 is the same \
point as 1/2·row 1 + 1/2·row 2
    >>> zero_sum(question, 1, np.array([3, 3, 3, 2]), np.ones(4)) is None
    True
    """
    vectors, scope = question.vectors(positive), question.scope(positive)
    rows = np.flatnonzero(counts).tolist()
    if scope.has_intercept and len(np.unique(vectors.signs[rows])) < 2:
        return None  # the constants have one sign, so the sum is zero only if updates were rounded
    weights = _as_integers(counts[rows], steps[rows])
    others = [label for label in question.classes.tolist() if label != scope.positive]
    conflict = mixed_samples(
        rows,
        weights,
        ["+" if sign > 0 else "-" for sign in vectors.signs[rows]],
        {
            "+": f"label {scope.positive!r}",
            "-": f"label {others[0]!r}" if len(others) == 1 else "other labels",
        },
        has_intercept=scope.has_intercept,
    )
    combination = dict(zip(rows, conflict.weights, strict=True))
    return _verified(question, positive, vectors, conflict, combination)


def joint_zero_sum(question: Question, counts: Counts | Marks, steps: Floats) -> Separation | None:
    """Do the same as `zero_sum` for classes that learn jointly.

    ``counts[r, i]`` is how often sample i was added to its own class and subtracted from the rival r.
    All are 0 if every mistake was for a class without samples: that proves nothing.

    >>> from rosenblatt.separability.question import ask
    >>> counts = np.array([[0, 2], [2, 0]])
    >>> print(joint_zero_sum(ask([[5], [5]], ["a", "b"]), counts, np.ones(2)).conflicts[0])
    no weights can score the class of row 1 above 'a' and the class of row 0 above 'b'
    """
    rivals, rows = np.nonzero(counts)
    if not len(rows):
        return None
    weights = _as_integers(counts[rivals, rows], steps[rows])
    pairs = list(zip(rows.tolist(), rivals.tolist(), strict=True))
    conflict = rival_samples(
        pairs, weights, question.classes.tolist(), has_intercept=question.constant != 0.0
    )
    combination = dict(zip(pairs, conflict.weights, strict=True))
    return _verified(question, None, question.joint_vectors(), conflict, combination)


def _as_integers(counts: Counts | Marks, steps: Floats) -> list[int]:
    """Return counts times steps as integers, in their largest common unit."""
    products = [
        count * Fraction(step) for count, step in zip(counts.tolist(), steps.tolist(), strict=True)
    ]
    unit = math.lcm(*(product.denominator for product in products))
    return [int(product * unit) for product in products]


def _verified(
    question: Question,
    positive: LabelLike,
    vectors: Vectors,
    conflict: Conflict,
    combination: Combination,
) -> Separation | None:
    """Return the result if its certificate verifies, else None."""
    result = inseparable(question, positive, vectors, (conflict,), combination)
    assert result.certificate is not None
    return result if result.certificate.verify(question.X, question.y) else None
