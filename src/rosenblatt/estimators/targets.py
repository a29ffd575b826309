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


class Panel(NamedTuple):
    """The weights of many halfspaces, their drift where averages are kept, and their visits so far."""

    weights: Floats
    drift: Floats | None
    visits: Counts

    def chosen(self, rows: Counts) -> "Panel":
        """Return the halfspaces in the given order."""
        drift = None if self.drift is None else self.drift[rows]
        return Panel(self.weights[rows], drift, self.visits[rows])


def targets(
    panel: Panel, samples: Samples, classes: Labels, positives: Labels, *, record: bool = False
) -> list[Halfspace]:
    """Return a halfspace for each row of the panel, to be learned in place.

    ``positives`` names the positive class of each row; rows beyond it see only negative samples.
    """
    y = samples.y
    steps = samples.weights * samples.scales
    weighted = not (samples.by_class == 1.0).all()
    unseen = not steps.all() or weighted
    halfspaces = []
    for k, weights in enumerate(panel.weights):
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
        halfspaces.append(
            Halfspace(
                weights,
                signs,
                own_steps,
                counts,
                [] if record else None,
                drift=None if panel.drift is None else panel.drift[k],
                visits=int(panel.visits[k]),
            )
        )
    return halfspaces


def opened(
    panel: Panel, mistakes: Counts, origin: Floats, *, n_classes: int
) -> tuple[Panel, Counts]:
    """Return the weights and mistake counts of a stream that was closed, made ready for new classes.

    Of two classes the first one's halfspace is the second one's, turned round. Nothing is known of
    classes yet to come, so they start from the origin.
    """
    weights, drift, visits = panel
    if n_classes == 2:
        weights, mistakes, visits = (
            np.vstack([-weights, weights]) + 0.0,
            *np.tile([mistakes, visits], 2),
        )
        drift = None if drift is None else np.vstack([-drift, drift]) + 0.0
    to_come = None if drift is None else np.vstack([drift, np.zeros_like(origin)])
    return Panel(np.vstack([weights, origin]), to_come, np.append(visits, 0)), np.append(
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
