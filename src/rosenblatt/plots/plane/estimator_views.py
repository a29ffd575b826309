"""An estimator's decisions in the plane: from its weights, its scores, or predictions on a grid."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Floats, LabelsLike, MatrixLike
from rosenblatt.plots.plane.drawn_samples import DrawnSamples, drawn_samples, table_of
from rosenblatt.plots.plane.geometry import Box
from rosenblatt.plots.plane.views import View, view_by_score, view_of

_ROWS = 50
_GRID = 160


class Response(NamedTuple):
    """A grid and the decision at each point: a score (two classes), ±½ (no scores) or a class index."""

    xx0: Floats
    xx1: Floats
    values: Floats


class Decisions(NamedTuple):
    """An estimator, the samples to draw, and the rows that it misclassifies."""

    estimator: Any
    X: MatrixLike
    samples: DrawnSamples
    mistakes: Counts

    def view(self) -> View:
        """Return the samples as points, and the weights, if any, in the same coordinates."""
        table = self.samples.table
        linear = linear_weights(self.estimator, self.X, table)
        if linear is not None or table.shape[1] <= 2:
            return view_of(self.samples, *(linear or (None, None)))
        if len(self.estimator.classes_) != 2 or not hasattr(self.estimator, "decision_function"):
            name = type(self.estimator).__name__
            raise InputError(
                f"this {name} of {len(self.estimator.classes_)} classes and {table.shape[1]} features "
                "has no weights, so its regions cannot be drawn: give two features, or an estimator "
                "with a decision function for two classes"
            )
        return view_by_score(table, np.asarray(self.estimator.decision_function(self.X)))

    def response(self, box: Box, kind: str, n_points: int = _GRID) -> Response:
        """Return the decision at each point of a grid over the box."""
        horizontal = np.linspace(box.left, box.right, n_points)
        vertical = np.linspace(box.bottom, box.top, n_points if kind == "plane" else 2)
        xx0, xx1 = np.meshgrid(horizontal, vertical)
        columns = (xx0, xx1)[: self.samples.table.shape[1]]
        grid = _as_input_type(self.X, np.column_stack([column.ravel() for column in columns]))
        estimator = self.estimator
        if len(estimator.classes_) == 2 and hasattr(estimator, "decision_function"):
            values = np.asarray(estimator.decision_function(grid), dtype=np.float64)
        else:
            labels = np.asarray(estimator.predict(grid))
            indices = np.searchsorted(self.samples.classes, labels)
            middle = 0.5 if len(estimator.classes_) == 2 else 0.0
            values = indices.astype(np.float64) - middle
        return Response(xx0, xx1, values.reshape(xx0.shape))


def decisions(estimator: Any, X: MatrixLike, y: LabelsLike) -> Decisions:
    """Predict the samples with a fitted estimator.

    A pipeline is drawn in its own input if that is one or two columns of numbers. Otherwise its last
    step is drawn, in the features that the earlier steps compute.
    """
    name = type(estimator).__name__
    if not hasattr(estimator, "predict"):
        raise InputError(f"a {name} does not predict: give a classifier that has been fitted")
    if not hasattr(estimator, "classes_"):
        raise InputError(f"this {name} has no classes: give a classifier that has been fitted")
    if np.ndim(y) != 1:
        raise InputError(f"y has {np.ndim(y)} dimensions: give one label per sample")
    predicted = np.asarray(estimator.predict(X))
    if predicted.ndim != 1:
        raise InputError(f"this {name} predicts several labels per sample, but a picture shows one")
    if isinstance(estimator, Pipeline) and not _is_plane(X):
        X, estimator = estimator[:-1].transform(X), estimator[-1]
    names = getattr(estimator, "feature_names_in_", None)
    samples = drawn_samples(X, y, np.asarray(estimator.classes_), names)
    if len(samples.classes) != len(estimator.classes_):
        new = next(label for label in samples.classes if label not in estimator.classes_)
        raise InputError(f"y has the label {new!r}, which this {name} has not learned")
    if len(samples.classes) == 1:  # on the positive side of a hyperplane through the origin
        mistakes = np.flatnonzero(np.asarray(estimator.decision_function(X)) <= 0.0)
        samples = samples._replace(codes=samples.codes + 1, classes=["", *samples.classes])
    else:
        mistakes = np.flatnonzero(np.asarray(samples.classes)[samples.codes] != predicted)
    return Decisions(estimator, X, samples, mistakes)


def linear_weights(
    estimator: Any, X: MatrixLike, table: MatrixLike
) -> tuple[Floats, Floats] | None:
    """Return weights and intercepts, one row per halfspace; None if they do not yield the scores.

    Having ``coef_`` is not enough: a voting perceptron decides by many weight vectors, and ``coef_`` is
    one of them. So this compares the scores of the first samples.
    """
    coef, intercept = (getattr(estimator, name, None) for name in ("coef_", "intercept_"))
    if coef is None or intercept is None or not hasattr(estimator, "decision_function"):
        return None
    coef = np.atleast_2d(np.asarray(coef, dtype=np.float64))
    intercept = np.broadcast_to(np.asarray(intercept, dtype=np.float64), len(coef)).copy()
    if coef.shape[1] != table.shape[1]:
        return None
    scores = np.asarray(estimator.decision_function(X[:_ROWS])).reshape(-1, len(coef))
    expected = np.asarray(table[:_ROWS] @ coef.T) + intercept
    size = float(np.abs(expected).max()) or 1.0
    return (coef, intercept) if np.allclose(scores, expected, rtol=1e-3, atol=1e-5 * size) else None


def _is_plane(X: MatrixLike) -> bool:
    """Return whether the samples are one or two columns of numbers, which can be drawn directly."""
    try:
        return bool(table_of(X).shape[1] <= 2)
    except InputError:
        return False


def _as_input_type(X: MatrixLike, grid: Floats) -> MatrixLike:
    """Return the grid, as a data frame with the columns of X if X is a data frame."""
    columns = getattr(X, "columns", None)
    if columns is None:
        return grid
    return type(X)(dict(zip(columns, grid.T, strict=True)))
