"""Is there a separating hyperplane, how large is its margin, and what proves it: `separate`."""

import math
from typing import Any

import numpy as np

from rosenblatt.certificates import SeparatingHyperplane
from rosenblatt.core.labels import numbers_of
from rosenblatt.core.types import Floats, LabelLike, LabelsLike, MatrixLike
from rosenblatt.kernels.rows import as_rows
from rosenblatt.separability.conclusion import concluded, hyperplane, inseparable, keys_of
from rosenblatt.separability.conflicts import (
    equal_samples,
    mixed_samples,
    rival_samples,
    zero_sample,
)
from rosenblatt.separability.decide import Decision
from rosenblatt.separability.equal_rows import equal_rows
from rosenblatt.separability.problem import Question, ask, plain
from rosenblatt.separability.result import Separation, Separations
from rosenblatt.separability.signed_samples import Vectors
from rosenblatt.separability.solvers.exact_active_set import ExactPoint
from rosenblatt.separability.solvers.kesler_rows import Pairs, joint_rows, rows_of
from rosenblatt.training.margins import Interval


def separate(
    X: MatrixLike,
    y: LabelsLike,
    *,
    fit_intercept: bool = True,
    margin: str = "augmented",
    tolerance: float = 1e-6,
    exact: bool = False,
    time_limit: float | None = None,
) -> Any:
    """Decide whether a hyperplane separates the classes, and prove it.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples, of any real type; float32 and float64 are used as they are.
    y : array of n_samples labels
        Two classes, or more.
    fit_intercept : bool, default=True
        Allow any hyperplane, not only those through the origin: each sample gets a constant
        feature of value 1.
    margin : {"augmented", "affine"}, default="augmented"
        "augmented" is the margin of the extended samples, which the perceptron's mistake bound speaks
        of; "affine" the distance of the samples from the hyperplane, the bias being free: half the
        distance between the hulls of both classes.
    tolerance : float, default=1e-6
        How closely the maximum margin is wanted: (upper - lower) / upper.
    exact : bool, default=False
        Find the square of the maximum margin as a rational number, or whole weights whose combination
        is exactly zero. Costs seconds at a support of 200 samples, minutes at 500; python-flint
        makes it faster.
    time_limit : float or None, default=None
        Seconds after which to end with what is proved so far. A pass over the samples or a solution in
        whole numbers that has begun is finished first; none is begun that looks too long.

    Returns
    -------
    Separation, or Separations for more than two classes.
        Printed, it says what was decided, and about which weights: with ``fit_intercept=False`` only
        hyperplanes through the origin are spoken of, and only their margins.

    Examples
    --------
    >>> from rosenblatt import separate
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> s = separate(X, ["no", "no", "no", "yes"], exact=True)
    >>> print(s)
    SEPARABLE: a hyperplane has every sample strictly on its own side
    >>> s.squared_margin, s.mistake_bound
    (Fraction(1, 17), 51)
    >>> s.certificate.verify(X, ["no", "no", "no", "yes"], exact=True)
    True
    >>> separate(X, ["no", "yes", "yes", "no"]).conflicts[0].sentence
    "rows 0 and 3 of label 'no' and rows 1 and 2 of label 'yes' cross: 1/2·row 0 + 1/2·row 3 is the \
same point as 1/2·row 1 + 1/2·row 2"
    """
    question = ask(X, y, fit_intercept, margin, tolerance, exact, time_limit)
    if len(question.classes) == 2:
        return _one_against_rest(question, question.classes[1])
    # Time is shared out fairly: a question that is hard leaves the others theirs.
    question = question._replace(time_limit=question.time_limit / (len(question.classes) + 1))
    by_class = {label: _one_against_rest(question, label) for label in question.classes.tolist()}
    return Separations(question.classes, by_class, _all_jointly(question))


def separate_class(
    X: MatrixLike,
    y: LabelsLike,
    positive: LabelLike,
    *,
    fit_intercept: bool = True,
    margin: str = "augmented",
    tolerance: float = 1e-6,
    exact: bool = False,
    time_limit: float | None = None,
) -> Separation:
    """Decide whether a hyperplane separates one class from all others; see `separate`.

    >>> separate_class([[0.0], [1.0], [2.0]], ["a", "b", "c"], "b").verdict.name
    'INSEPARABLE'
    """
    question = ask(X, y, fit_intercept, margin, tolerance, exact, time_limit)
    return _one_against_rest(question, positive)


def prove_weights(
    X: MatrixLike,
    y: LabelsLike,
    positive: LabelLike,
    weights: Floats,
    counts: Floats,
    *,
    fit_intercept: bool = True,
) -> SeparatingHyperplane | None:
    """Return the certificate of weights that separate a class from all others, whoever found them.

    ``counts``, at least 0, say how much each sample takes part in the combination that bounds the
    margin from above: the mistakes of a run, times its steps. Returned is None where the weights do
    not separate the samples, or by so little that floats cannot tell.

    >>> prove_weights([[-1.0], [2.0]], [0, 1], 1, np.array([1.0, 0.0]), np.array([1, 0]))
    <SeparatingHyperplane of 2 samples with 1 features: the maximum margin (augmented) is in \
[0.999999, 1.41422]>
    """
    question = ask(X, y, fit_intercept, "augmented", 0.5, False, None)
    vectors = question.vectors(positive)
    lower = vectors.lower(weights, vectors.margins(weights))
    order = np.flatnonzero(counts)
    if lower <= 0.0 or len(order) == 0:
        return None
    interval = Interval(lower, math.inf)
    shares = counts[order].astype(np.float64)
    found = Decision(interval, order, shares, weights, exact=None, history=[])
    return hyperplane(question, positive, vectors, found)


def separate_jointly(X: MatrixLike, y: LabelsLike, *, fit_intercept: bool = True) -> Separation:
    """Decide whether one weight vector for each class can give every sample its class; see `separate`.

    >>> separate_jointly([[0.0], [1.0], [2.0]], ["a", "b", "c"]).verdict.name
    'SEPARABLE'
    """
    return _all_jointly(ask(X, y, fit_intercept, "augmented", 1e-6, False, None))


def prove_joint_weights(
    X: MatrixLike, y: LabelsLike, weights: Floats, counts: Floats, *, fit_intercept: bool = True
) -> SeparatingHyperplane | None:
    """Do as `prove_weights` for weights that have a row for each class, sorted.

    ``counts[r, i]``, at least 0, says how much sample i against the rival r takes part.

    >>> X, y, weights = [[-1.0], [0.0], [1.0]], ["a", "b", "c"], np.array([[-2, -1], [0, 0], [2, -1]])
    >>> prove_joint_weights(X, y, weights.astype(float), np.ones((3, 3)) - np.eye(3))
    <SeparatingHyperplane of 3 samples with 1 features: the maximum margin (joint, augmented) is in \
[0.316227, 0.707107]>
    """
    question = ask(X, y, fit_intercept, "augmented", 0.5, False, None)
    vectors, flat = _joint_vectors(question), weights.ravel()
    lower = vectors.lower(flat, vectors.margins(flat))
    rivals, samples = np.nonzero(counts)
    if lower <= 0.0 or len(samples) == 0:
        return None
    own = numbers_of(question.y, question.classes)
    order = rows_of(own, Pairs(samples, rivals), len(question.classes))
    shares = counts[rivals, samples].astype(np.float64)
    found = Decision(Interval(lower, math.inf), order, shares, flat, exact=None, history=[])
    return hyperplane(question, None, vectors, found)


def _one_against_rest(question: Question, positive: LabelLike) -> Separation:
    """Decide whether one class can be separated from the other, or from all others."""
    vectors = question.vectors(positive)
    signs, name = vectors.signs, plain(positive)
    pairs = equal_rows(vectors, signs)
    conflicts = [equal_samples(pair, _labels(question, pair)) for pair in pairs]
    if question.constant == 0.0:
        zeros = np.flatnonzero(vectors.lengths == 0.0).tolist()
        conflicts = [
            *(zero_sample(row) for row in zeros),
            *(conflict for conflict in conflicts if conflict.rows[0] not in zeros),
        ]
    if conflicts:
        combination = dict.fromkeys(conflicts[0].rows, 1)
        return inseparable(question, positive, vectors, tuple(conflicts), combination)
    decision = question.decide(vectors)
    if not decision.is_zero:
        return concluded(question, positive, vectors, decision)
    proof = _proof(decision)
    order = proof.order.tolist()
    conflict = mixed_samples(
        order,
        proof.numbers,
        ["+" if sign > 0 else "-" for sign in signs[order]],
        {"+": f"label {name!r}", "-": _others(question, name)},
        has_intercept=question.constant != 0.0,
    )
    combination = dict(zip(conflict.rows, conflict.weights, strict=True))
    return inseparable(question, positive, vectors, (conflict,), combination, decision)


def _all_jointly(question: Question) -> Separation:
    """Decide whether one weight vector for each class can give every sample its class."""
    vectors = _joint_vectors(question)
    codes, base = vectors.rows.classes, vectors.rows.base
    samples = Vectors(base, np.ones(len(codes), dtype=np.int8), question.X.shape[1] + 1)
    pairs = equal_rows(samples, codes)
    if pairs:
        conflicts = tuple(equal_samples(pair, _labels(question, pair)) for pair in pairs)
        (i, j) = pairs[0]
        combination = {(i, int(codes[j])): 1, (j, int(codes[i])): 1}
        return inseparable(question, None, vectors, conflicts, combination)
    decision = question.decide(vectors)
    if not decision.is_zero:
        return concluded(question, None, vectors, decision)
    proof = _proof(decision)
    keys = keys_of(vectors, proof.order)
    conflict = rival_samples(
        keys,
        proof.numbers,
        question.classes.tolist(),
        has_intercept=question.constant != 0.0,
    )
    return inseparable(
        question,
        None,
        vectors,
        (conflict,),
        dict(zip(keys, conflict.weights, strict=True)),
        decision,
    )


def _joint_vectors(question: Question) -> Vectors:
    """Return every sample against every rival of its class."""
    codes = numbers_of(question.y, question.classes)
    base = as_rows(question.X, question.constant)
    rows = joint_rows(base, codes, len(question.classes))
    count = len(codes) * (len(question.classes) - 1)
    dimension = len(question.classes) * (question.X.shape[1] + 1)
    return Vectors(rows, np.ones(count, dtype=np.int8), dimension)


def _labels(question: Question, pair: tuple[int, int]) -> tuple[Any, Any]:
    first, second = question.y[list(pair)].tolist()
    return first, second


def _others(question: Question, positive: LabelLike) -> str:
    """Return the labels other than the positive one, in words."""
    others = [label for label in question.classes.tolist() if label != positive]
    return f"label {others[0]!r}" if len(others) == 1 else "the other labels"


def _proof(decision: Decision) -> ExactPoint:
    assert decision.exact is not None
    return decision.exact
