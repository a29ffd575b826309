"""Views: samples with any number of features as points in the plane.

Two features are drawn directly, and a single one as a strip with one height per class. More features are
projected. For one hyperplane w·x + b = 0, the horizontal axis is the signed distance (w·x + b)/‖w‖, and
the vertical axis is the direction perpendicular to w in which the samples vary most: their first
principal component after removing w. The hyperplane becomes a vertical line, and the picture shows every
decision correctly. For several classes, the two directions are those in which the classes' weights
differ most; with three classes, every decision is still shown correctly.

Directions are computed from at most 1,000 random samples, in a fraction of a second; sparse samples stay
sparse.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh

from rosenblatt.core.types import Counts, Floats, MatrixLike, is_sparse
from rosenblatt.plots.plane.drawn_samples import DrawnSamples
from rosenblatt.plots.plane.geometry import Line
from rosenblatt.plots.style import shown_name

_ROWS = 1_000


class View(NamedTuple):
    """Samples as points in the plane, and the halfspaces' weights in its coordinates.

    ``coef`` and ``intercept`` have one row per halfspace, like an estimator's; they are missing (None)
    if the decision is not linear. ``kind`` is "plane", "strip" (one feature) or "projection".
    """

    points: Floats
    kind: str
    xlabel: str
    ylabel: str
    coef: Floats | None = None
    intercept: Floats | None = None

    @property
    def line(self) -> Line | None:
        """The separator, if there is exactly one."""
        if self.coef is None or self.intercept is None or len(self.coef) != 1:
            return None
        line = Line(self.coef[0], float(self.intercept[0]))
        return line if line.length else None

    def distances(self, codes: Counts) -> Floats | None:
        """Return each sample's distance from the separator, negative on the wrong side."""
        line = self.line
        if line is None:
            return None
        signs = np.where(codes == 1, 1.0, -1.0)
        return np.asarray(signs * line.scores(self.points) / line.length)

    def margin(self, codes: Counts) -> float | None:
        """Return the distance of the nearest sample; None if any is on the wrong side."""
        distances = self.distances(codes)
        nearest = 0.0 if distances is None else float(distances.min())
        return nearest if nearest > 0.0 else None


def view_of(samples: DrawnSamples, coef: Floats | None, intercept: Floats | None) -> View:
    """Return the samples as points: the plane itself, a strip, or a projection chosen by the weights.

    Without weights, the projection shows the direction between the means of the first and last class.
    """
    table, names = samples.table, [shown_name(name) for name in samples.names[:2]]
    n_features = table.shape[1]
    if n_features == 1:
        points = np.column_stack([_dense(table)[:, 0], samples.codes.astype(np.float64)])
        coef = None if coef is None else np.column_stack([coef, np.zeros(len(coef))])
        return View(points, "strip", names[0], "", coef, intercept)
    if n_features == 2:
        return View(_dense(table), "plane", names[0], names[1], coef, intercept)
    if coef is None or intercept is None:
        return _project_on(table, _between_means(samples), "direction between the class means")
    if len(coef) > 1:
        return _project_on_differences(table, coef, intercept)
    length = float(np.linalg.norm(coef))
    if length == 0.0:
        return _project_on(table, coef[0], "")._replace(coef=np.zeros((1, 2)), intercept=intercept)
    view = _project_on(table, coef[0], "signed distance to the separator")
    view.points[:, 0] += intercept[0] / length
    return view._replace(coef=np.array([[length, 0.0]]), intercept=np.zeros(1))


def view_by_score(table: MatrixLike, scores: Floats) -> View:
    """Return a view with the scores on one axis and the first principal component on the other."""
    direction, share = widest_direction(table)
    points = np.column_stack([scores, _product(table, direction)])
    ylabel = _widest_label("of the samples", share)
    return View(points, "projection", "score", ylabel, np.array([[1.0, 0.0]]), np.zeros(1))


def _project_on(table: MatrixLike, direction: Floats, xlabel: str) -> View:
    """Project on a direction (the widest one if it is zero) and the widest one perpendicular to it."""
    length = float(np.linalg.norm(direction))
    if length == 0.0:
        normal, share = widest_direction(table)
        xlabel = _widest_label("of the samples", share)
    else:
        normal = direction / length
    other, share = widest_direction(table, normal)
    points = np.column_stack([_product(table, normal), _product(table, other)])
    return View(points, "projection", xlabel, _widest_label("of the rest", share))


def _between_means(samples: DrawnSamples) -> Floats:
    first, last = (
        np.asarray(samples.table[samples.codes == code].mean(axis=0)).ravel()
        for code in (samples.codes.min(), samples.codes.max())
    )
    return np.asarray(last - first, dtype=np.float64)


def _project_on_differences(table: MatrixLike, coef: Floats, intercept: Floats) -> View:
    """Project on the two directions in which the classes' weights differ most.

    The regions are drawn for the plane through the samples' mean. With three classes every parallel
    plane has the same regions; with more it may not.
    """
    basis = np.linalg.svd(coef - coef.mean(axis=0), full_matrices=False)[2][:2]
    mean = np.asarray(table.mean(axis=0), dtype=np.float64).ravel()
    rest = mean - basis.T @ (basis @ mean)
    points = np.column_stack([_product(table, direction) for direction in basis])
    labels = tuple(f"{which} direction of the classes' weights" for which in ("first", "second"))
    return View(points, "projection", labels[0], labels[1], coef @ basis.T, intercept + coef @ rest)


def widest_direction(table: MatrixLike, normal: Floats | None = None) -> tuple[Floats, float]:
    """Return the direction of largest variance, and its share of the total variance.

    Given a unit vector ``normal``, only directions perpendicular to it are considered. If the samples do
    not vary at all, the direction is zero and its share 1.

    >>> direction, share = widest_direction(np.array([[9.0, 0, 0], [0, 3, 4], [0, 6, 8]]), np.eye(3)[0])
    >>> direction.round(6).tolist(), round(share, 6)
    ([0.0, 0.6, 0.8], 1.0)
    """
    n_rows, n_features = table.shape
    if n_rows > _ROWS:
        chosen = np.random.RandomState(0).choice(n_rows, _ROWS, replace=False)
        table = table[np.sort(chosen)]
    normal = np.zeros(n_features) if normal is None else normal
    find = _widest_sparse if is_sparse(table) else _widest_dense
    direction, largest, total = find(table.astype(np.float64), normal)
    if largest <= 1e-12 * total or not direction.any():
        return np.zeros(n_features), 1.0
    direction = direction - (direction @ normal) * normal
    direction /= np.linalg.norm(direction)
    # The sign is arbitrary: make the largest component positive, so that pictures are reproducible.
    direction *= np.sign(direction[np.abs(direction).argmax()])
    return direction, min(1.0, largest / total)


def _widest_dense(table: Floats, normal: Floats) -> tuple[Floats, float, float]:
    """Return the direction (any length), its variance and the total one, both times the row count."""
    rest = table - table.mean(axis=0)
    size = float(np.abs(rest).max())
    rest -= np.outer(rest @ normal, normal)
    if np.abs(rest).max() <= 1e-12 * size:
        return np.zeros(len(normal)), 0.0, 0.0
    if rest.shape[1] <= rest.shape[0]:
        return _largest(rest.T @ rest)
    shares, largest, total = _largest(rest @ rest.T)
    return shares @ rest, largest, total


def _widest_sparse(table: MatrixLike, normal: Floats) -> tuple[Floats, float, float]:
    """Like `_widest_dense`, but from the samples' inner products, so the table stays sparse."""
    along = np.asarray(table @ normal).ravel()
    products = (table @ table.T).toarray() - np.outer(along, along)
    means = products.mean(axis=0)
    shares, largest, total = _largest(products - means - means[:, None] + means.mean())
    return np.asarray(table.T @ shares).ravel(), largest, total


def _largest(products: Floats) -> tuple[Floats, float, float]:
    """Return the eigenvector of the largest eigenvalue, that eigenvalue, and the sum of all."""
    last = len(products) - 1
    values, vectors = eigh(products, subset_by_index=(last, last))
    return vectors[:, 0], float(values[0]), float(np.trace(products))


def _product(table: MatrixLike, direction: Floats) -> Floats:
    return np.asarray(table @ direction, dtype=np.float64).ravel()


def _dense(table: MatrixLike) -> Floats:
    return np.asarray(table.toarray() if is_sparse(table) else table, dtype=np.float64)


def _widest_label(subject: str, share: float) -> str:
    return f"widest direction {subject} ({share:.0%} of its variance)".replace("%", " %")
