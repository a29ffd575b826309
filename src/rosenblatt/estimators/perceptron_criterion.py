"""The perceptron criterion of given weights, for whoever wants to look at it."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_X_y

from rosenblatt.core.errors import InputError, not_finite
from rosenblatt.core.labels import as_labels, distinct, signs_for
from rosenblatt.core.types import Floats, Labels, LabelsLike, MatrixLike, Signs, WeightsLike
from rosenblatt.estimators.common.linear_classifier import tie_sign
from rosenblatt.estimators.common.validation import check_targets, converted, weights_of_samples
from rosenblatt.kernels.epochs.criterion_gradient import measure_criterion
from rosenblatt.kernels.rows import as_rows


class Criterion(NamedTuple):
    """The criterion of some weights, its gradient there, and the number of mistaken samples."""

    value: float
    gradient: Floats
    n_mistakes: int


def perceptron_criterion(
    weights: Any,
    X: MatrixLike,
    y: LabelsLike,
    *,
    ties: str = "mistake",
    sample_weight: WeightsLike = None,
) -> Criterion:
    """Return the perceptron criterion E(w) = −Σ y·w·x over the mistaken samples, and its gradient.

    The gradient is −Σ y·x over the mistaken samples. Where a score is exactly 0, the criterion has a
    kink: such a sample adds 0 to E, and its −y·x to the gradient if ``ties`` makes it a mistake, which
    is one of the subgradients there. Everywhere else the gradient is the only one.

    Parameters
    ----------
    weights : array of shape (n_features,) or (n_features + 1,)
        The weights w. If there is one more than X has features, the last one is the intercept: the
        weight of a constant feature of value 1.
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples.
    y : array of shape (n_samples,)
        The labels: +1 and -1, or any two, of which the greater one stands for +1.
    ties : {"mistake", "positive", "negative"}, default="mistake"
        What a score of exactly 0 stands for.
    sample_weight : array of shape (n_samples,), float or None, default=None
        How often each sample counts.

    Returns
    -------
    Criterion
        ``value``, ``gradient`` (of the shape of the weights) and ``n_mistakes``, decided by the exact
        sign of each score.

    Examples
    --------
    The lectures' six samples, at the weights that their example starts from:

    >>> from rosenblatt import perceptron_criterion
    >>> X = [[1, 1], [1, -1], [0, -1], [-1, -1], [-1, 1], [0, 1]]
    >>> perceptron_criterion([0, 0, 1], X, [1, 1, 1, -1, -1, -1])
    Criterion(value=3.0, gradient=array([-2.,  1.,  3.]), n_mistakes=3)
    """
    tie = tie_sign(ties)
    X, y = check_X_y(converted(X), as_labels(y), accept_sparse="csr", dtype="numeric")
    w = np.array(weights, dtype=np.float64)
    n_features = int(X.shape[1])
    if w.shape not in ((n_features,), (n_features + 1,)) or not np.isfinite(w).all():
        raise InputError(
            f"weights has shape {w.shape}: give {n_features} finite numbers, one for each feature of X, "
            "or one more for the intercept"
        )
    has_intercept = len(w) > n_features
    steps = weights_of_samples(sample_weight, len(y))
    signs = _signs(y)
    signs[steps == 0.0] = 0
    full = w if has_intercept else np.append(w, 0.0)
    gradient = np.empty(n_features + 1)
    rows = as_rows(X, 1.0 if has_intercept else 0.0)
    value, n_mistakes, stuck_at = measure_criterion(rows, signs, steps, tie, full, gradient)
    if stuck_at >= 0:
        raise not_finite(stuck_at)
    return Criterion(value, gradient[: len(w)], n_mistakes)


def _signs(y: Labels) -> Signs:
    """Return the sign of each label: +1 and -1 as they are, else +1 for the greater one of two."""
    check_targets(y)
    classes = distinct(y)
    if y.dtype.kind in "if" and np.isin(classes, [-1, 1]).all():
        return y.astype(np.int8)
    if len(classes) != 2:
        raise InputError(
            f"y has the labels {classes.tolist()!r}: the criterion is that of two classes, "
            "+1 and -1, or any two labels"
        )
    return signs_for(y, classes[1])
