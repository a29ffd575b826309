"""The average of the weights over all visits, at the cost of one addition per mistake, not per visit.

An update made after t of T visits is missing from the first t of the averaged weights, so the average
is w - drift/T, where the drift is the sum of all updates, each multiplied by its t (H. Daumé, 2006).
"""

from dataclasses import dataclass, replace

import numpy as np

from rosenblatt.core.types import Counts, Floats


@dataclass(frozen=True)
class Average:
    """Averages of the weights of some halfspaces, as drift = visits · (weights − average).

    The average makes the predictions, unless ``decides`` is false: then the last weights do, and the
    average is only kept so that learning can continue.

    >>> Average(np.array([[6.0]])).deciding(np.array([[5.0]]), np.array([2]))
    array([[2.]])
    """

    drift: Floats
    decides: bool = True

    def deciding(self, weights: Floats, visits: Counts) -> Floats:
        """Return the weights that make the predictions."""
        if not self.decides:
            return weights
        return np.asarray(weights - self.drift / np.maximum(visits, 1)[:, None])

    def chosen(self, rows: Counts) -> "Average":
        """Return the averages of these halfspaces, in this order."""
        return replace(self, drift=self.drift[rows])

    def resized(self, width: int) -> "Average":
        """Return the averages for vectors of another width; the constant's entry stays last."""
        return replace(self, drift=resized(self.drift, width))

    def opened(self, origin: Floats, *, n_classes: int) -> "Average":
        """Return the averages of a closed stream, prepared for new classes."""
        drift = np.vstack([-self.drift, self.drift]) + 0.0 if n_classes == 2 else self.drift
        return replace(self, drift=np.vstack([drift, np.zeros_like(origin)]))

    def rescaled(self, factor: float) -> "Average":
        """Return the averages in another unit of the weights."""
        return replace(self, drift=self.drift * factor + 0.0)

    def check(self, weights: Floats) -> None:
        """Raise ValueError if the averages do not match the weights."""
        drift = self.drift
        fits = drift.shape == weights.shape and drift.dtype == np.float64
        if not fits or type(self.decides) is not bool or not np.isfinite(drift).all():
            raise ValueError("the average does not fit the weights")


def resized(vectors: Floats, width: int) -> Floats:
    """Return vectors of another width: entries are added (as 0) or removed before the constant's.

    >>> resized(np.array([1.0, 2.0, 9.0]), 5)
    array([1., 2., 0., 0., 9.])
    """
    out = np.zeros((*vectors.shape[:-1], width))
    shared = min(vectors.shape[-1], width) - 1
    out[..., :shared] = vectors[..., :shared]
    out[..., -1] = vectors[..., -1]
    return out
