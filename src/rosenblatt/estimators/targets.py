"""From labelled samples to what each halfspace is to learn, and to classes that turn up later.

As in scikit-learn, the weight of a class counts in that class's own halfspace, and with two classes
the one halfspace has both weights.

An open stream keeps one weight vector for each class, even for two, and a last one for the classes
yet to come, for which every sample so far is a negative one.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.labels import signs_for
from rosenblatt.loop import Halfspace
from rosenblatt.typing import Counts, Floats, Labels


class Samples(NamedTuple):
    """Labels, the weights of samples and classes, and what the rows are multiplied by."""

    y: Labels
    weights: Floats
    scales: Floats
    by_class: Floats


def targets(
    panel: Floats, samples: Samples, classes: Labels, positives: Labels, *, record: bool = False
) -> list[Halfspace]:
    """Return a halfspace for each row of the panel, to be learned in place.

    ``positives`` names the positive class of each row; rows beyond it see only negative samples.
    """
    y = samples.y
    steps = samples.weights * samples.scales
    weighted = not (samples.by_class == 1.0).all()
    unseen = not steps.all() or weighted
    halfspaces = []
    for k, weights in enumerate(panel):
        has_class = k < len(positives)
        signs = signs_for(y, positives[k]) if has_class else np.full(len(y), -1, dtype=np.int8)
        own_steps = steps
        if has_class and weighted:
            own = samples.by_class[classes == positives[k]]
            others = samples.by_class[classes != positives[k]] if len(classes) == 2 else 1.0
            own_steps = steps * np.where(signs > 0, own, others)
        if unseen:
            signs[own_steps == 0.0] = 0
        counts = np.zeros(len(y), dtype=np.int64)
        halfspaces.append(Halfspace(weights, signs, own_steps, counts, [] if record else None))
    return halfspaces


def opened(
    panel: Floats, mistakes: Counts, origin: Floats, *, n_classes: int
) -> tuple[Floats, Counts]:
    """Return the weights and mistake counts of a stream that was closed, made ready for new classes.

    Of two classes the first one's halfspace is the second one's, turned round. Nothing is known of
    classes yet to come, so they start from the origin.
    """
    if n_classes == 2:
        panel, mistakes = np.vstack([-panel, panel]) + 0.0, np.tile(mistakes, 2)
    return np.vstack([panel, origin]), np.append(mistakes, 0)


def sources(known: Labels, classes: Labels) -> Counts:
    """Return, for each of the classes and the last row, the row of the open stream it starts from.

    >>> sources(np.array(["b"]), np.array(["a", "b"]))
    array([1, 0, 1])
    """
    last = len(known)
    rows = np.where(np.isin(classes, known), np.searchsorted(known, classes), last)
    return np.append(rows, last)
