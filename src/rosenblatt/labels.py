"""From the user's labels to signs: which halfspace sees a sample on which side.

Convention: two classes make one halfspace, positive for the greater class; more classes make one
halfspace each, that class against the rest.
"""

from typing import Any

import numpy as np

from rosenblatt.typing import Labels, Signs

_FEW = 1000


def distinct(y: Labels) -> Labels:
    """Return the labels that occur, sorted.

    >>> distinct(np.array([1, -1, 1]))
    array([-1,  1])
    """
    if y.dtype.kind in "iu" and y.size:  # small whole numbers are counted, not sorted
        least, greatest = int(y.min()), int(y.max())
        if greatest - least < max(_FEW, y.size) and greatest < 2**62:
            counts = np.bincount(y.astype(np.int64) - least)
            return (np.flatnonzero(counts) + least).astype(y.dtype)
    return np.unique(y)


def positive_classes(classes: Labels) -> Labels:
    """Return the class that each halfspace is positive for.

    >>> positive_classes(np.array(["mine", "rock"]))
    array(['rock'], dtype='<U4')
    """
    return classes[1:] if len(classes) == 2 else classes


def signs_for(y: Labels, positive: Any) -> Signs:
    """Return +1 where y is the positive class and -1 elsewhere.

    >>> signs_for(np.array(["rock", "mine"]), "rock")
    array([ 1, -1], dtype=int8)
    """
    signs = np.asarray(y == positive, dtype=np.int8)
    signs *= 2
    signs -= 1
    return signs
