"""Classes that turn up in mid-stream: where every learner's new halfspaces start from.

An open stream has a halfspace for each class and one, the last, for "none of these", which has seen
every sample as a negative one: a new class starts from it, and so has what it would have if it had been
known from the beginning. A stream whose classes were named, or a fit, has no such halfspace: it is
opened first, and the new class starts from the start weights.
"""

from typing import Protocol, Self, TypeVar

import numpy as np

from rosenblatt.core.classes import Classes
from rosenblatt.core.labels import merged_classes
from rosenblatt.core.types import Counts, Labels


class Extensible(Protocol):
    """What has been learned about classes, to which others may be added."""

    @property
    def classes(self) -> Classes:
        """The classes so far."""

    def opened(self) -> Self:
        """Return the same, made ready for new classes."""

    def started_from(self, sources: Counts, classes: Classes, /) -> Self:
        """Return what other classes have learned, each halfspace being a copy of one of these."""


AnyLearned = TypeVar("AnyLearned", bound=Extensible)


def admitted(learned: AnyLearned, labels: Labels, place: str = "y") -> AnyLearned:
    """Return what has been learned, with a halfspace for each new class among the labels.

    >>> from rosenblatt.estimators.common.learned import Features, Learned
    >>> learned = Learned(
    ...     Classes(np.array(["a", "c"])), Features(1), np.array([[2.0, 1.0]]),
    ...     np.array([5]), np.array([3]), np.zeros(2))
    >>> admitted(learned, np.array(["b"])).weights.tolist()
    [[-2.0, -1.0], [0.0, 0.0], [2.0, 1.0], [0.0, 0.0]]
    """
    known = learned.classes.labels
    labels = merged_classes(known, labels, place)
    if len(labels) == len(known):
        return learned
    if not learned.classes.is_open:
        learned = learned.opened()
    rows = np.where(np.isin(labels, known), np.searchsorted(known, labels), len(known))
    return learned.started_from(np.append(rows, len(known)), Classes(labels, is_open=True))
