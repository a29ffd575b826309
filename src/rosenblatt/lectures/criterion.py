"""The perceptron criterion E(w) = −Σ y·w·x over the misclassified samples, and its gradient.

E is convex and never negative, and E(c·w) = c·E(w) for every c > 0. E is 0 at w = 0, and wherever no
score has the wrong sign. The gradient g(w) = −Σ y·x over the misclassified samples does not depend on
the length of w, and g·w = E(w).

A score of exactly 0 counts as misclassified. Such a sample adds nothing to E, which has a kink there,
but adds −y·x to g, so that descent can leave w = 0. If g is 0 although samples are misclassified, no
weights separate the samples: the misclassified ones, each times its label, sum to 0.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.labels import as_labels, distinct, signs_for
from rosenblatt.core.types import Floats, LabelsLike, MatrixLike
from rosenblatt.kernels.sparse_input import as_dense


class Criterion(NamedTuple):
    """The criterion at some weights, its gradient, and the number of misclassified samples."""

    value: float
    gradient: Floats
    n_mistakes: int


def perceptron_criterion(weights: Any, X: MatrixLike, y: LabelsLike) -> Criterion:
    """Return the perceptron criterion, its gradient, and the number of misclassified samples.

    Parameters
    ----------
    weights : array of shape (n_features,) or (n_features + 1,)
        If there is one more weight than features, the last one is the intercept.
    X, y : samples and their labels
        Labels are +1 and -1, or any two labels; the greater one counts as +1.

    Examples
    --------
    The six samples of the lecture, at the start weights of its example:

    >>> X = [[1, 1], [1, -1], [0, -1], [-1, -1], [-1, 1], [0, 1]]
    >>> perceptron_criterion([0, 0, 1], X, [1, 1, 1, -1, -1, -1])
    Criterion(value=3.0, gradient=array([-2.,  1.,  3.]), n_mistakes=3)
    """
    w = np.array(weights, dtype=np.float64)
    signed = signed_samples(X, y, fit_intercept=w.size > np.shape(X)[-1])
    if w.shape != signed.shape[1:] or not np.isfinite(w).all():
        raise InputError(
            f"weights has shape {w.shape}: give one finite number for each feature of X, or one more "
            "for the intercept"
        )
    scores = signed @ w
    wrong = scores <= 0.0
    gradient: Floats = -signed[wrong].sum(axis=0) + 0.0  # no -0.0
    return Criterion(0.0 - float(scores[wrong].sum()), gradient, int(wrong.sum()))


def signed_samples(X: MatrixLike, y: LabelsLike, *, fit_intercept: bool) -> Floats:
    """Return the samples times their signs: correct weights give each a positive score.

    With an intercept, a constant 1 is appended to each sample first.
    """
    samples = np.asarray(as_dense(X), dtype=np.float64)
    labels = np.asarray(as_labels(y))
    if samples.ndim != 2 or labels.shape != samples.shape[:1] or not np.isfinite(samples).all():
        raise InputError(
            f"X has shape {samples.shape} and y {labels.shape}: give one row of finite numbers and one "
            "label per sample"
        )
    classes = distinct(labels)
    if labels.dtype.kind in "if" and np.isin(classes, [-1, 1]).all():
        signs = labels.astype(np.float64)
    elif len(classes) == 2:
        signs = signs_for(labels, classes[1]).astype(np.float64)
    else:
        raise InputError(
            f"y has the labels {classes.tolist()!r}: give +1 and -1, or any two labels"
        )
    if fit_intercept:
        samples = np.column_stack([samples, np.ones(len(samples))])
    signed: Floats = samples * signs[:, None]
    return signed
