"""The classes that a learner tells apart, and the halfspaces that it does it with."""

from dataclasses import dataclass

import numpy as np

from rosenblatt.core.labels import positive_classes
from rosenblatt.core.types import Labels


@dataclass(frozen=True)
class Classes:
    """The labels, sorted, and whether there may be others.

    Two closed classes share one halfspace, more have one each. ``is_open``: a stream in which others may
    turn up has one for each class, even for two, and a last one, "none of these", which every class that
    turns up starts from. ``multilabel``: the labels are the columns of a matrix, a sample may have any
    number of them, and each has a halfspace.

    >>> Classes(np.array(["a", "b"])).n_halfspaces, Classes(np.array(["a", "b"]), is_open=True).used
    (1, slice(1, 2, None))
    """

    labels: Labels
    is_open: bool = False
    multilabel: bool = False

    def __post_init__(self) -> None:
        if self.labels.ndim != 1 or not len(self.labels) or _is_unsorted(self.labels):
            raise ValueError("the classes are not sorted")
        if not isinstance(self.is_open, bool):
            raise ValueError("a stream must be open or closed: is_open must be a bool")
        if not isinstance(self.multilabel, bool):
            raise ValueError("multilabel must be a bool")
        numbers = np.arange(len(self.labels))
        if self.multilabel and (self.is_open or not np.array_equal(self.labels, numbers)):
            raise ValueError("the labels are not the columns of a matrix")

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def positives(self) -> Labels:
        """The class that each halfspace, "none of these" left out, is positive for."""
        every = self.is_open or self.multilabel
        return self.labels if every else positive_classes(self.labels)

    @property
    def n_halfspaces(self) -> int:
        """How many halfspaces are learned."""
        return len(self.positives) + self.is_open

    @property
    def used(self) -> slice:
        """Which halfspaces decide."""
        if not self.is_open:
            return slice(None)
        return slice(1, 2) if len(self.labels) == 2 else slice(len(self.labels))


def _is_unsorted(labels: Labels) -> bool:
    return bool((labels[1:] <= labels[:-1]).any())
