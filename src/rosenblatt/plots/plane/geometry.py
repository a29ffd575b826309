"""Lines, half planes, hulls and boxes; points are the rows of arrays with two columns."""

from typing import NamedTuple

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from rosenblatt.core.types import Floats


class Box(NamedTuple):
    """A rectangle: the part of the plane that a picture shows."""

    left: float
    right: float
    bottom: float
    top: float

    @property
    def corners(self) -> Floats:
        """The four corners, in order around the box."""
        left, right, bottom, top = self
        return np.array([[left, bottom], [right, bottom], [right, top], [left, top]])


class Line(NamedTuple):
    """The line ``coef[0]``·x + ``coef[1]``·y + ``intercept`` = 0."""

    coef: Floats
    intercept: float

    @property
    def length(self) -> float:
        """The length of the coefficient vector; 0 means that there is no line."""
        return float(np.hypot(*self.coef))

    def scores(self, points: Floats) -> Floats:
        """Return the score of each point: 0 on the line, positive on one side."""
        values: Floats = points @ self.coef + self.intercept
        return values

    def shifted(self, distance: float) -> "Line":
        """Return the parallel line at a distance on the positive side.

        >>> Line(np.array([3.0, 4.0]), 0.0).shifted(2.0).intercept
        -10.0
        """
        return Line(self.coef, self.intercept - distance * self.length)

    def nearest(self, point: Floats) -> Floats:
        """Return the point of the line closest to ``point``.

        >>> Line(np.array([0.0, 2.0]), -4.0).nearest(np.array([5.0, 7.0])).tolist()
        [5.0, 2.0]
        """
        direction = self.coef / self.length
        found: Floats = (
            point - (float(point @ direction) + self.intercept / self.length) * direction
        )
        return found

    def segment_in(self, box: Box) -> Floats | None:
        """Return both ends of the line's segment inside a box; None if the line misses the box.

        >>> Line(np.array([1.0, -1.0]), 0.0).segment_in(Box(-1, 2, 0, 5)).tolist()
        [[0.0, 0.0], [2.0, 2.0]]
        """
        if self.length == 0.0:
            return None
        corners = box.corners
        values = self.scores(corners)
        found = []
        for i in range(4):
            j = (i + 1) % 4
            if (values[i] < 0.0) != (values[j] < 0.0):
                share = values[i] / (values[i] - values[j])
                found.append(corners[i] + share * (corners[j] - corners[i]))
        return np.array(sorted(found, key=tuple)) if len(found) == 2 else None


def clipped(polygon: Floats, line: Line) -> Floats:
    """Return the part of a convex polygon where the line's scores are at least 0; it may be empty.

    >>> clipped(Box(0, 2, 0, 1).corners, Line(np.array([1.0, 0.0]), -1.0)).tolist()
    [[1.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0]]
    """
    values = line.scores(polygon)
    corners = []
    for i in range(len(polygon)):
        j = (i + 1) % len(polygon)
        if values[i] >= 0.0:
            corners.append(polygon[i])
        if values[i] * values[j] < 0.0:
            share = values[i] / (values[i] - values[j])
            corners.append(polygon[i] + share * (polygon[j] - polygon[i]))
    return np.reshape(corners, (-1, 2)).astype(np.float64)


def hull(points: Floats) -> Floats:
    """Return the corners of the convex hull in order: two or one if all points are on a line.

    >>> hull(np.array([[0.0, 0.0], [2.0, 2.0], [1.0, 1.0]])).tolist()
    [[0.0, 0.0], [2.0, 2.0]]
    """
    try:
        corners: Floats = points[ConvexHull(points).vertices]
    except (QhullError, ValueError):  # too few points, or all on a line
        corners = np.unique(points, axis=0)[[0, -1]]
        corners = corners if (corners[0] != corners[1]).any() else corners[:1]
    return corners


def box_around(points: Floats, *, equal: bool, padding: float = 0.1, aspect: float = 0.65) -> Box:
    """Return a box around all points, with padding.

    With ``equal`` scales, the shorter side is at least ``aspect`` of the longer one.

    >>> box_around(np.array([[0.0, 0.0], [20.0, 10.0]]), equal=False)
    Box(left=-2.0, right=22.0, bottom=-1.0, top=11.0)
    """
    low, high = points.min(axis=0), points.max(axis=0)
    size = high - low
    # If all points agree in one direction, use the other direction's size, or 1.
    size = np.where(size > 0.0, size, size.max() or 1.0) * (1.0 + 2.0 * padding)
    if equal:
        size = np.maximum(size, aspect * size.max())
    middle = (low + high) / 2
    (left, bottom), (right, top) = (middle - size / 2).tolist(), (middle + size / 2).tolist()
    return Box(left, right, bottom, top)


def has_similar_spread(points: Floats) -> bool:
    """Return whether both directions have similar enough ranges to share one scale.

    >>> [has_similar_spread(np.array([[0.0, 0.0], [1.0, height]])) for height in (5.0, 99.0)]
    [True, False]
    """
    small, large = np.sort(np.ptp(points, axis=0)).tolist()
    return bool(small == 0.0 or large <= 6.0 * small)
