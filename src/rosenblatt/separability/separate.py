"""`separate`: decide whether a separating hyperplane exists, find its margin, and prove it."""

import math
from dataclasses import fields, replace

import numpy as np

from rosenblatt.certificates import SeparatingHyperplane
from rosenblatt.certificates.label_codes import Label
from rosenblatt.core.types import Counts, Floats, LabelLike, LabelsLike, MatrixLike, Signs
from rosenblatt.separability.decide import Decision
from rosenblatt.separability.equal_rows import equal_rows
from rosenblatt.separability.question import Question, ask
from rosenblatt.separability.results.conclusion import concluded, hyperplane, inseparable, pairs_of
from rosenblatt.separability.results.conflicts import (
    Conflict,
    equal_samples,
    mixed_samples,
    rival_samples,
    zero_sample,
)
from rosenblatt.separability.results.result import Separation, Separations
from rosenblatt.separability.signed_samples import Vectors
from rosenblatt.separability.solvers.kesler_rows import Pairs, rows_of
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
) -> Separation:
    """Decide whether a hyperplane separates the classes, and prove it.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples, of any real type; float32 and float64 are used as they are.
    y : array of n_samples labels
        Two or more classes. Without an intercept one class is enough: the question is then whether a
        hyperplane through the origin has all samples on its positive side.
    fit_intercept : bool, default=True
        Allow any hyperplane, not only those through the origin: each sample gets a constant
        feature of value 1.
    margin : {"augmented", "affine"}, default="augmented"
        "augmented" is the margin of the extended samples, which is the margin in the perceptron's
        mistake bound; "affine" is the distance of the samples from the hyperplane, with a free bias:
        half the distance between the convex hulls of the two classes.
    tolerance : float, default=1e-6
        The largest relative width of the margin's interval: (upper - lower) / upper.
    exact : bool, default=False
        Find the square of the maximum margin as a rational number, or integer weights whose combination
        is exactly zero. Takes seconds for a support of 200 samples, minutes for 500; python-flint makes
        it faster.
    time_limit : float or None, default=None
        Seconds after which the search stops and reports what it has proved so far. It finishes a pass
        over the samples or an exact solution that it has started, and starts none that may take too
        long.

    Returns
    -------
    Separation
        For more than two classes a `Separations`: the joint separation, and in ``by_class`` each
        class's separation from all others.
        Printed, it says what was decided, and about which weights: with ``fit_intercept=False`` it is
        only about hyperplanes through the origin and their margins.

    Examples
    --------
    >>> from rosenblatt import separate
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> s = separate(X, ["no", "no", "no", "yes"], exact=True)
    >>> print(s)
    SEPARABLE: a separating hyperplane exists
    >>> s.squared_margin, s.mistake_bound
    (Fraction(1, 17), 51)
    >>> s.certificate.verify(X, ["no", "no", "no", "yes"], exact=True)
    True
    >>> separate(X, ["no", "yes", "yes", "no"]).conflicts[0].sentence
    "rows 0 and 3 with label 'no' and rows 1 and 2 with label 'yes' overlap: 1/2·row 0 + 1/2·row 3 is \
the same point as 1/2·row 1 + 1/2·row 2"

    Through the origin, negating a sample and its label changes nothing, so one class is enough:

    >>> print(separate([[1, 2], [2, 1]], ["yes", "yes"], fit_intercept=False))
    SEPARABLE: a hyperplane through the origin puts every sample strictly on its positive side
    >>> around = separate([[1, 0], [-1, 2], [-1, -2]], ["yes", "yes", "yes"], fit_intercept=False)
    >>> around.conflicts[0].sentence
    'no hyperplane through the origin has rows 0, 1 and 2 on one side: 1/2·row 0 + 1/4·row 1 + \
1/4·row 2 is the origin'

    Through the origin, the margin of samples of length 1 is the smallest cosine:

    >>> s = separate([[0.6, 0.8], [0, 1]], [1, 0], fit_intercept=False)
    >>> s
    <SEPARABLE through the origin: the maximum margin (through the origin) is in [0.316227, 0.316228]>
    >>> s.mistake_bound
    10
    """
    question = ask(
        X,
        y,
        fit_intercept=fit_intercept,
        margin=margin,
        tolerance=tolerance,
        exact=exact,
        time_limit=time_limit,
    )
    if len(question.classes) <= 2:
        return separate_class(question, question.classes[-1])
    # Each question gets the same share of the time, so a hard one cannot use up that of the others.
    question = replace(question, time_limit=question.time_limit / (len(question.classes) + 1))
    by_class = {label: separate_class(question, label) for label in question.classes.tolist()}
    joint = separate_jointly(question)
    facts = {one.name: getattr(joint, one.name) for one in fields(joint)}
    return Separations(**facts, classes=question.classes, by_class=by_class, joint=joint)


def separate_class(question: Question, positive: LabelLike) -> Separation:
    """Decide whether a hyperplane separates one class from all others.

    If there is no other class, decide whether it can have all samples on its positive side.

    >>> separate_class(ask([[0.0], [1.0], [2.0]], ["a", "b", "c"]), "b").verdict.name
    'INSEPARABLE'
    """
    vectors, scope = question.vectors(positive), question.scope(positive)
    conflicts = _equal_samples(question, vectors.signs)
    has_equal = bool(conflicts)
    if not scope.has_intercept:
        zeros = np.flatnonzero(vectors.lengths == 0.0).tolist()
        conflicts = [
            *(zero_sample(row) for row in zeros),
            *(conflict for conflict in conflicts if conflict.rows[0] not in zeros),
        ]
    if conflicts:
        combination = dict.fromkeys(conflicts[0].rows, 1)
        found = inseparable(question, positive, vectors, tuple(conflicts), combination)
        return replace(found, equal_pairs=question.equal_pairs if has_equal else None)
    decision = question.decide(vectors)
    proof = decision.zero
    if proof is None:
        return concluded(question, positive, vectors, decision)
    others = [label for label in question.classes.tolist() if label != scope.positive]
    conflict = mixed_samples(
        proof.order.tolist(),
        proof.numbers,
        ["+" if sign > 0 else "-" for sign in vectors.signs[proof.order]],
        {
            "+": f"label {scope.positive!r}",
            "-": f"label {others[0]!r}" if len(others) == 1 else "other labels",
        },
        has_intercept=scope.has_intercept,
    )
    combination = dict(zip(conflict.rows, conflict.weights, strict=True))
    return inseparable(question, positive, vectors, (conflict,), combination, decision)


def separate_jointly(question: Question) -> Separation:
    """Decide whether one weight vector per class can give every sample its own class.

    >>> separate_jointly(ask([[0.0], [1.0], [2.0]], ["a", "b", "c"])).verdict.name
    'SEPARABLE'
    """
    vectors = question.joint_vectors()
    codes = vectors.rows.classes
    conflicts = _equal_samples(question, codes)
    if conflicts:
        i, j = conflicts[0].rows
        combination = {(i, int(codes[j])): 1, (j, int(codes[i])): 1}
        found = inseparable(question, None, vectors, tuple(conflicts), combination)
        return replace(found, equal_pairs=question.equal_pairs)
    decision = question.decide(vectors)
    proof = decision.zero
    if proof is None:
        return concluded(question, None, vectors, decision)
    pairs = pairs_of(vectors.rows, proof.order)
    conflict = rival_samples(
        pairs, proof.numbers, question.classes.tolist(), has_intercept=question.constant != 0.0
    )
    combination = dict(zip(pairs, conflict.weights, strict=True))
    return inseparable(question, None, vectors, (conflict,), combination, decision)


def prove_weights(
    question: Question, positive: LabelLike, weights: Floats, counts: Floats
) -> SeparatingHyperplane | None:
    """Return the certificate for given weights that separate a class from all others, or None.

    ``counts``, at least 0, are the samples' weights in the combination that bounds the margin from
    above: a run's mistakes times its steps. Return None if the weights do not separate the samples, or
    by so little that floats cannot tell.

    >>> question = ask([[-1.0], [2.0]], [0, 1])
    >>> prove_weights(question, 1, np.array([1.0, 0.0]), np.array([1, 0]))
    <SeparatingHyperplane of 2 samples with 1 features: the maximum margin (augmented) is in \
[0.999999, 1.41422]>
    """
    vectors = question.vectors(positive)
    order = np.flatnonzero(counts)
    return _proved(question, positive, vectors, weights, order, counts[order])


def prove_joint_weights(
    question: Question, weights: Floats, counts: Floats
) -> SeparatingHyperplane | None:
    """Do the same as `prove_weights` for weights with one row per class, sorted.

    ``counts[r, i]``, at least 0, is the weight of sample i against the rival r.

    >>> question = ask([[-1.0], [0.0], [1.0]], ["a", "b", "c"])
    >>> weights = np.array([[-2.0, -1.0], [0.0, 0.0], [2.0, -1.0]])
    >>> prove_joint_weights(question, weights, np.ones((3, 3)) - np.eye(3))
    <SeparatingHyperplane of 3 samples with 1 features: the maximum margin (joint, augmented) is in \
[0.316227, 0.707107]>
    """
    vectors = question.joint_vectors()
    rivals, samples = np.nonzero(counts)
    order = rows_of(vectors.rows.classes, Pairs(samples, rivals), len(question.classes))
    return _proved(question, None, vectors, weights.ravel(), order, counts[rivals, samples])


def _proved(
    question: Question,
    positive: LabelLike,
    vectors: Vectors,
    weights: Floats,
    order: Counts,
    counts: Floats,
) -> SeparatingHyperplane | None:
    """Return the certificate, or None if floats cannot prove that the weights separate the vectors."""
    lower = vectors.lower(weights, vectors.margins(weights))
    if lower <= 0.0 or len(order) == 0:
        return None
    interval, shares = Interval(lower, math.inf), counts.astype(np.float64)
    found = Decision(interval, order, shares, weights, exact=None, history=[])
    return hyperplane(question, positive, vectors, found)


def _equal_samples(question: Question, codes: Counts | Signs) -> list[Conflict]:
    """Return the conflicts of equal samples with different codes.

    Conflicts with a class that is not in an earlier conflict come first.
    """
    labels, seen = question.y, set[Label]()
    first: list[Conflict] = []
    others: list[Conflict] = []
    for pair in equal_rows(question.samples, codes):
        two = tuple(labels[list(pair)].tolist())
        (others if seen.issuperset(two) else first).append(equal_samples(pair, two))
        seen.update(two)
    return first + others
