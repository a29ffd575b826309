"""New classes in mid-stream: the start of their halfspaces.

An open stream has one halfspace per class and a last one for "none of these", which has seen every
sample as negative. A new class starts as a copy of it, with the same bits as if it had been known from
the beginning. A fit, or a stream with named classes, has no such halfspace: it is opened first, and the
new class starts from the start weights.
"""

from typing import Protocol, Self, TypeVar

import numpy as np

from rosenblatt.core.classes import Classes
from rosenblatt.core.errors import InputError
from rosenblatt.core.labels import merged_classes
from rosenblatt.core.types import Counts, Labels


class Extensible(Protocol):
    """A learned state to which classes can be added."""

    @property
    def classes(self) -> Classes:
        """The classes so far."""

    def opened(self) -> Self:
        """Return the state extended to accept new classes."""

    def started_from(self, sources: Counts, classes: Classes, /) -> Self:
        """Return the state for other classes, whose halfspaces are copies of these ``sources``."""


def check_named(labels: Labels, known: Labels, named: Labels) -> None:
    """Raise InputError if one of the labels is neither known nor named.

    >>> check_named(np.array(["a", "b"]), np.array(["a"]), np.array(["a"]))
    Traceback (most recent call last):
    ...
    rosenblatt.core.errors.InputError: y contains 'b', but classes=['a'] does not: name all of them
    """
    new = np.setdiff1d(labels, merged_classes(known, named, "classes"))
    if len(new):
        raise InputError(
            f"y contains {new.tolist()[0]!r}, but classes={named.tolist()!r} does not: name all of them"
        )


AnyLearned = TypeVar("AnyLearned", bound=Extensible)


def with_new_classes(learned: AnyLearned, labels: Labels, place: str = "y") -> AnyLearned:
    """Return the state with a halfspace for each new class among the labels.

    >>> from rosenblatt.estimators.common.learned import Features, Learned
    >>> learned = Learned(
    ...     Classes(np.array(["a", "c"])), Features(1), np.array([[2.0, 1.0]]),
    ...     np.array([5]), np.array([3]), np.array([3]), np.zeros(2))
    >>> with_new_classes(learned, np.array(["b"])).weights.tolist()
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
