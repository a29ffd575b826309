"""What workers are told: which samples are to be separated how, and by which weights.

All of it is small, but for the weights, and none of it holds a sample.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from rosenblatt.certificates import Digest
from rosenblatt.certificates.certificate import Subject
from rosenblatt.certificates.rounding import Weights
from rosenblatt.certificates.scope import Scope
from rosenblatt.core.labels import positive_classes
from rosenblatt.core.types import Counts, Floats, Labels, MatrixLike
from rosenblatt.kernels.rows import as_rows
from rosenblatt.separability.question import subject_of
from rosenblatt.separability.signed_samples import Vectors, joint_vectors


class Chunk(NamedTuple):
    """Some samples: the codes of their classes, and their numbers among all samples, from 0."""

    X: MatrixLike
    codes: Counts
    numbers: Counts


@dataclass(frozen=True)
class Asked:
    """What is asked about the samples of some classes, sorted: see `separate`.

    ``constant`` is 1.0 with an intercept and 0.0 without.
    """

    classes: Labels
    constant: float
    margin: str = "augmented"
    unit_length: bool = False

    def scope(self, positive: int | None) -> Scope:
        """Return which weights, and which margin of theirs, are asked about.

        >>> Asked(np.array(["no", "yes"]), 1.0).scope(1).separable
        "a hyperplane separates 'yes' from the rest"
        """
        label = None if positive is None else self.classes.tolist()[positive]
        margin = "augmented" if positive is None else self.margin
        return Scope(label, self.constant, margin, len(self.classes) > 1, self.unit_length)

    def subject(self, positive: int | None, digest: Digest) -> Subject:
        """Return which data and which weights a certificate speaks of."""
        return subject_of(digest, self.classes, self.scope(positive))

    def samples(self, X: MatrixLike) -> Vectors:
        """Return samples as they are, with the constant."""
        rows = as_rows(X, self.constant)
        return Vectors(rows, np.ones(X.shape[0], dtype=np.int8), X.shape[1] + 1)

    def vectors(self, samples: Vectors, codes: Counts, positive: int | None) -> Vectors:
        """Return samples of one class and the negatives of all others, or each against all rivals."""
        if positive is None:
            n_classes, own = len(self.classes), codes.astype(np.int64)
            return joint_vectors(samples.rows, samples.dimension, own, n_classes)
        signs = np.where(codes == positive, 1, -1).astype(np.int8)
        return Vectors(samples.rows, signs, samples.dimension)


@dataclass(frozen=True, eq=False)
class Claim:
    """Weights that are to separate a class, by its code, from all others; None: all classes jointly.

    The weights are those of a certificate: one for each feature, and the last for the constant; jointly,
    one such block after the other. ``lower_squared``, if given, is the square of the margin that they
    are to have.
    """

    positive: int | None
    weights: Weights
    lower_squared: Fraction | None = None


def halfspace_claims(classes: Labels, weights: Floats) -> list[Claim]:
    """Return the claims of learned weights, a row for each halfspace: two classes share one.

    >>> [claim.positive for claim in halfspace_claims(np.array(["no", "yes"]), np.ones((1, 3)))]
    [1]
    """
    first = len(classes) - len(positive_classes(classes))
    return [Claim(first + k, row.copy()) for k, row in enumerate(weights)]


def joint_claim(weights: Floats) -> Claim:
    """Return the claim of weights that were learned jointly, a row for each class."""
    return Claim(None, weights.ravel())
