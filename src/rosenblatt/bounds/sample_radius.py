"""The arguments of the mistake bounds: lengths, margins and deviations, rounded in the safe direction.

With an intercept all of these are for the extended samples (x, 1).

Rounding: a float length or score is off by a known multiple of the unit roundoff (see ``signs``);
lengths and deviations are moved up by that much and margins down.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt.core.checks import check_unmasked, positive
from rosenblatt.core.constants import ROUNDOFF
from rosenblatt.core.errors import InputError
from rosenblatt.core.labels import as_labels, distinct, signs_for
from rosenblatt.core.types import Floats, Labels, LabelsLike, MatrixLike, Signs, is_sparse
from rosenblatt.kernels.rows import Rows, as_rows, n_rows
from rosenblatt.kernels.scoring import lengths, scores
from rosenblatt.training.margins import lower_bound


def sample_lengths(X: MatrixLike, *, fit_intercept: bool = True) -> Floats:
    """Return the length of each sample, extended if there is an intercept, rounded up.

    >>> sample_lengths([[3.0, 4.0], [0.0, 0.0]], fit_intercept=False).round(12)
    array([5., 0.])
    """
    return _lengths(checked_rows(X, fit_intercept), np.shape(X)[1])


def radius(X: MatrixLike, *, fit_intercept: bool = True) -> float:
    """Return the length of the longest sample, extended if there is an intercept, rounded up.

    >>> round(radius([[3, 3], [4, 3], [1, 1]]) ** 2, 12)
    26.0
    """
    return float(sample_lengths(X, fit_intercept=fit_intercept).max())


def geometric_margin(
    X: MatrixLike,
    y: LabelsLike,
    coef: ArrayLike,
    intercept: ArrayLike = 0.0,
    *,
    fit_intercept: bool = True,
) -> float:
    """Return the smallest y_i·w·x_i/‖w‖ over the samples, rounded down; 0 if w does not separate them.

    ``coef`` and ``intercept`` are w, of any length above 0; of the two labels in y the greater one is
    the positive one. ‖w‖ includes the intercept, as in the theorems: this is the smallest ``augmented``
    margin of `rosenblatt.Hyperplane.margins`, which also gives each sample's own margins, the distance
    from the hyperplane, and negative margins on the wrong side.

    >>> round(geometric_margin([[3, 3], [4, 3], [1, 1]], [1, 1, -1], [1, 1], -4) ** 2, 12)
    0.222222222222
    """
    rows = checked_rows(X, fit_intercept)
    weights = _weights(coef, intercept, np.shape(X)[1], fit_intercept=fit_intercept)
    signs = two_signs(y, n_rows(rows))
    _lengths(rows, np.shape(X)[1])
    with np.errstate(over="ignore", invalid="ignore"):
        return lower_bound(rows, signs, weights)


def deviations(
    X: MatrixLike,
    y: LabelsLike,
    coef: ArrayLike,
    intercept: ArrayLike = 0.0,
    *,
    margin: float,
    fit_intercept: bool = True,
) -> Floats:
    """Return max(0, γ - y_i·w·x_i/‖w‖) for each sample, its shortfall from the margin γ, rounded up.

    ``coef`` and ``intercept`` are w, of any length above 0; of the two labels in y the greater one is
    the positive one. Divided by γ these are the hinge losses of the direction of w.

    >>> deviations([[2.0], [-3.0], [0.5]], [1, 0, 0], [1.0], margin=1.0, fit_intercept=False).round(9)
    array([0. , 0. , 1.5])
    """
    gamma = positive("margin", margin)
    rows = checked_rows(X, fit_intercept)
    n_features = np.shape(X)[1]
    weights = _weights(coef, intercept, n_features, fit_intercept=fit_intercept)
    signs = two_signs(y, n_rows(rows))
    _lengths(rows, n_features)
    # The largest weight is near 1, so underflowing squares do not matter.
    norm = float(np.linalg.norm(weights))
    slack = (len(weights) + 8) * ROUNDOFF
    out, bands = scores(rows, np.arange(len(signs)), weights)
    with np.errstate(over="ignore", invalid="ignore"):
        least = signs * out - bands
    if not np.isfinite(least).all():
        raise InputError("the scores of X are not finite numbers: scale the samples down")
    longest, shortest = norm * (1.0 + slack), norm * (1.0 - slack)
    along = np.where(least > 0.0, least / longest, least / shortest)
    shortfall = gamma - along
    return np.maximum(0.0, shortfall + 8 * ROUNDOFF * (gamma + np.abs(along)))


def checked_rows(X: MatrixLike, fit_intercept: bool) -> Rows:
    """Return the rows of a matrix; raise InputError unless it has real numbers."""
    check_unmasked(X, "X")
    sparse = is_sparse(X)
    values = X if sparse else np.asarray(X)
    if len(values.shape) != 2 or 0 in values.shape or values.dtype.kind not in "biuf":
        raise InputError(
            f"X has shape {values.shape} and type {values.dtype}: give a matrix of real numbers, "
            "one row per sample"
        )
    return as_rows(values, 1.0 if fit_intercept else 0.0)


def _lengths(rows: Rows, n_features: int) -> Floats:
    """Return the lengths of the rows, rounded up; raise InputError unless all are finite."""
    with np.errstate(over="ignore"):
        out: Floats = lengths(rows, n_rows(rows)) * (1.0 + (n_features + 16) * ROUNDOFF)
    if not np.isfinite(out).all():
        row = int(np.flatnonzero(~np.isfinite(out))[0])
        raise InputError(
            f"row {row} of X has no finite length: give finite values, scaled down if necessary"
        )
    return out


def _weights(
    coef: ArrayLike, intercept: ArrayLike, n_features: int, *, fit_intercept: bool
) -> Floats:
    """Return w, scaled by a power of two so that its largest entry is near 1."""
    try:
        parts = np.asarray(coef, dtype=np.float64), np.asarray(intercept, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError("coef and intercept must be numbers") from error
    if parts[0].size != n_features or parts[1].size != 1:
        raise InputError(
            f"coef has shape {parts[0].shape} and intercept {parts[1].shape}, but X has {n_features} "
            "features: give one weight per feature and one intercept"
        )
    weights = np.append(parts[0], parts[1])
    if weights[-1] != 0.0 and not fit_intercept:
        raise InputError("intercept is given, but fit_intercept=False has no intercept")
    largest = float(np.abs(weights).max())
    if not 0.0 < largest < math.inf:
        raise InputError(
            "coef and intercept must be finite and not all zero: they define a direction"
        )
    return np.ldexp(weights, 1 - math.frexp(largest)[1])


def two_signs(y: LabelsLike, n_samples: int) -> Signs:
    """Return the samples' signs, +1 for the greater label; raise InputError unless there are two."""
    labels, classes = one_label_each(y, n_samples)
    if len(classes) != 2:
        raise InputError(f"y has {len(classes)} classes: this bound is for two")
    return signs_for(labels, classes[1])


def one_label_each(y: LabelsLike, n_samples: int) -> tuple[Labels, Labels]:
    """Return the labels and the distinct labels, sorted; raise InputError unless y has one per row."""
    labels = np.asarray(as_labels(y))
    if labels.shape != (n_samples,):
        raise InputError(
            f"y has shape {labels.shape}, but X has {n_samples} rows: give one label per row"
        )
    return labels, distinct(labels)
