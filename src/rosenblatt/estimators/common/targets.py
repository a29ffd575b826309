"""From labelled samples to what each halfspace is to learn, and to classes that turn up later.

As in scikit-learn, the weight of a class counts in that class's own halfspace, and with two classes
the one halfspace has both weights. Of a matrix of labels every column is a halfspace, in which the
weight of its label counts for the samples that have it. Where classes learn jointly, the weight of a
class is that of its samples.

An open stream keeps one weight vector for each class, even for two, and a last one for the classes
yet to come, for which every sample so far is a negative one.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.core.labels import numbers_of, sign_table
from rosenblatt.core.types import Counts, Floats, Labels, Signs


class Samples(NamedTuple):
    """Labels, the weights of samples and classes, and what the rows are multiplied by.

    ``y`` has one label for each sample, or is a matrix with a column for each label. ``steps`` are the
    products of ``weights`` and ``scales``.
    """

    y: Labels
    weights: Floats
    scales: Floats
    steps: Floats
    by_class: Floats


class Vectors(NamedTuple):
    """The weights of many halfspaces, their drift where averages are kept, and their visits so far."""

    weights: Floats
    drift: Floats | None
    visits: Counts

    def chosen(self, rows: Counts) -> "Vectors":
        """Return the halfspaces in the given order."""
        drift = None if self.drift is None else self.drift[rows]
        return Vectors(self.weights[rows], drift, self.visits[rows])


class Targets(NamedTuple):
    """What halfspaces are to learn: see `Panel`."""

    signs: Signs
    steps: Floats
    masses: Floats
    factors: Floats


def targets(
    samples: Samples, classes: Labels, positives: Labels, n_halfspaces: int | None = None
) -> Targets:
    """Return what one halfspace for each of the positive classes is to learn.

    Halfspaces beyond those see only negative samples. A sample whose step is 0 is not seen.
    """
    if samples.y.ndim == 2:
        by_label = np.column_stack([np.ones(len(samples.by_class)), samples.by_class])
        return _seen(samples, (2 * samples.y - 1).astype(np.int8), by_label)
    height = len(positives) if n_halfspaces is None else n_halfspaces
    signs = sign_table(samples.y, positives, height)
    factors = np.ones((height, 2))
    for k, positive in enumerate(positives):
        factors[k, 1] = samples.by_class[classes == positive][0]
        if len(classes) == 2:
            factors[k, 0] = samples.by_class[classes != positive][0]
    return _seen(samples, signs, factors)


def _seen(samples: Samples, signs: Signs, factors: Floats) -> Targets:
    """Return what is to be learned; the signs of samples whose step is 0 are set to 0."""
    steps = samples.steps
    if not steps.all():
        signs[steps == 0.0] = 0
    for k in np.flatnonzero((factors != 1.0).any(axis=1)).tolist():
        own = steps * np.where(signs[:, k] > 0, factors[k, 1], factors[k, 0])
        signs[own == 0.0, k] = 0
    return Targets(signs, steps, samples.weights, factors)


def owners(samples: Samples, classes: Labels) -> Counts:
    """Return the number of each sample's class, -1 where its step is 0: for classes that learn jointly.

    >>> weights, ones = np.array([1.0, 0.0, 1.0]), np.ones(3)
    >>> samples = Samples(np.array(list("bac")), weights, ones, weights, np.array([1.0, 2.0, 0.0]))
    >>> owners(samples, np.array(list("abc")))
    array([ 1, -1, -1])
    """
    own = numbers_of(samples.y, classes)
    own[samples.steps * samples.by_class[own] == 0.0] = -1
    return own


def opened(
    vectors: Vectors, mistakes: Counts, origin: Floats, *, n_classes: int
) -> tuple[Vectors, Counts]:
    """Return the weights and mistake counts of a stream that was closed, made ready for new classes.

    Of two classes the first one's halfspace is the second one's, turned round. Nothing is known of
    classes yet to come, so they start from the origin.
    """
    weights, drift, visits = vectors
    if n_classes == 2:
        weights, mistakes, visits = (
            np.vstack([-weights, weights]) + 0.0,
            *np.tile([mistakes, visits], 2),
        )
        drift = None if drift is None else np.vstack([-drift, drift]) + 0.0
    to_come = None if drift is None else np.vstack([drift, np.zeros_like(origin)])
    return Vectors(np.vstack([weights, origin]), to_come, np.append(visits, 0)), np.append(
        mistakes, 0
    )


def sources(known: Labels, classes: Labels) -> Counts:
    """Return, for each of the classes and the last row, the row of the open stream it starts from.

    >>> sources(np.array(["b"]), np.array(["a", "b"]))
    array([1, 0, 1])
    """
    last = len(known)
    rows = np.where(np.isin(classes, known), np.searchsorted(known, classes), last)
    return np.append(rows, last)
