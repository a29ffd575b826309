"""Which halfspace sees a class on which side, and what its step is multiplied by there."""

import numpy as np

from rosenblatt.core.labels import signs_for
from rosenblatt.core.types import Floats, Labels, Signs


def signs_of(classes: Labels, positives: Labels, n_halfspaces: int) -> Signs:
    """Return the side of each class in each halfspace; those without a positive class see the other.

    >>> signs_of(np.array(["mine", "rock"]), np.array(["mine", "rock"]), 3)
    array([[ 1, -1, -1],
           [-1,  1, -1]], dtype=int8)
    """
    signs = np.full((len(classes), n_halfspaces), -1, dtype=np.int8)
    for k, positive in enumerate(positives):
        signs[:, k] = signs_for(classes, positive)
    return signs


def factors_of(by_class: Floats, signs: Signs) -> Floats:
    """Return what a step is multiplied by on a negative and on a positive sample, by halfspace.

    As in scikit-learn, the weight of a class counts in that class's own halfspace, and with two classes
    the halfspace of either has both weights.
    """
    factors = np.ones((signs.shape[1], 2))
    for k, side in enumerate(signs.T):
        own = side > 0
        if own.any():
            factors[k, 1] = by_class[own][0]
            if len(by_class) == 2:
                factors[k, 0] = by_class[~own][0]
    return factors
