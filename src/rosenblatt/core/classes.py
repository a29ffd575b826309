"""The classes of a learner, and the halfspaces that separate them."""

from dataclasses import dataclass

import numpy as np

from rosenblatt.core.labels import positive_classes
from rosenblatt.core.types import Labels


@dataclass(frozen=True)
class Classes:
    """The sorted labels, and whether new ones may appear.

    Two closed classes share one halfspace; three or more have one each. If ``is_open`` (a stream in
    which new classes may appear), every class has its own, even if there are two, and a last halfspace
    stands for "none of these": each new class starts from it. If ``multilabel``, the labels are the
    columns of a matrix, a sample may have any number of them, and each label has its own halfspace.

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
            raise ValueError("is_open must be a bool")
        if not isinstance(self.multilabel, bool):
            raise ValueError("multilabel must be a bool")
        numbers = np.arange(len(self.labels))
        if self.multilabel and (self.is_open or not np.array_equal(self.labels, numbers)):
            raise ValueError("the labels are not the columns of a matrix")

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def positives(self) -> Labels:
        """The positive class of each halfspace, except "none of these"."""
        every = self.is_open or self.multilabel
        return self.labels if every else positive_classes(self.labels)

    @property
    def n_halfspaces(self) -> int:
        """The number of halfspaces that are learned."""
        return len(self.positives) + self.is_open

    @property
    def used(self) -> slice:
        """The halfspaces that predictions use."""
        if not self.is_open:
            return slice(None)
        return slice(1, 2) if len(self.labels) == 2 else slice(len(self.labels))


def _is_unsorted(labels: Labels) -> bool:
    return bool((labels[1:] <= labels[:-1]).any())
