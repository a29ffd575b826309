"""A validated data set with the options of `separate`, shared by the decisions about all classes."""

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rosenblatt.certificates import Digest
from rosenblatt.certificates.certificate import Subject
from rosenblatt.certificates.scope import MARGINS, Scope
from rosenblatt.core import checks
from rosenblatt.core.checks import between, check_choice, check_flag
from rosenblatt.core.compiling import working_time
from rosenblatt.core.errors import InputError
from rosenblatt.core.labels import class_indices, signs_for
from rosenblatt.core.types import LabelLike, Labels, LabelsLike, MatrixLike
from rosenblatt.kernels.rows import as_rows
from rosenblatt.separability.checked_input import as_samples, check_lengths
from rosenblatt.separability.decide import Decision, decide
from rosenblatt.separability.equal_rows import EqualPairs, equal_pairs
from rosenblatt.separability.signed_samples import Vectors, joint_vectors


@dataclass(frozen=True, eq=False)
class Question:
    """The validated data, the options, and the digest, which is computed in the background."""

    X: MatrixLike
    y: Labels
    classes: Labels
    constant: float
    margin: str
    tolerance: float
    exact: bool
    time_limit: float
    digest: "Future[Digest]"

    def decide(self, vectors: Vectors) -> Decision:
        """Decide whether vectors made from this data are separable."""
        deadline = working_time() + self.time_limit
        return decide(vectors, self.tolerance, deadline, wants_exact=self.exact)

    def subject(self, positive: LabelLike) -> Subject:
        """Return the fields that name a certificate's data and weights."""
        scope = self.scope(positive)
        return {
            "digest": self.digest.result(),
            "classes": tuple(self.classes.tolist()),
            "positive": scope.positive,
            "constant": scope.constant,
            "margin": scope.margin,
        }

    def scope(self, positive: LabelLike) -> Scope:
        """Return which weights and which margin a decision is about."""
        label = positive.item() if isinstance(positive, np.generic) else positive
        margin = "augmented" if positive is None else self.margin
        return Scope(label, self.constant, margin, has_others=len(self.classes) > 1)

    @cached_property
    def samples(self) -> Vectors:
        """All samples, not negated; without the constant for the affine margin, whose bias is free."""
        rows = as_rows(self.X, 0.0 if self.margin == "affine" else self.constant)
        return Vectors(rows, np.ones(len(self.y), dtype=np.int8), self.X.shape[1] + 1)

    @cached_property
    def equal_pairs(self) -> EqualPairs:
        """How many pairs of equal samples have different labels."""
        return equal_pairs(self.samples, class_indices(self.y, self.classes))

    def vectors(self, positive: LabelLike) -> Vectors:
        """Return the samples of one class, and the negatives of all others."""
        if positive not in self.classes:
            raise InputError(f"positive={positive!r} is not one of the labels in y")
        check_lengths(self.samples.lengths, self.X)
        n_groups = 2 if self.margin == "affine" else 1
        return self.samples.signed(signs_for(self.y, positive), n_groups=n_groups)

    def joint_vectors(self) -> Vectors:
        """Return one vector per sample and rival class."""
        n_classes, codes = len(self.classes), class_indices(self.y, self.classes)
        rows = self.samples.rows._replace(constant=self.constant)
        return joint_vectors(rows, self.samples.dimension, codes, n_classes)


def ask(
    X: MatrixLike,
    y: LabelsLike,
    *,
    fit_intercept: bool = True,
    margin: str = "augmented",
    tolerance: float = 1e-6,
    exact: bool = False,
    time_limit: float | None = None,
) -> Question:
    """Validate the data and the options of `separate`, and start hashing the data."""
    check_choice("margin", margin, MARGINS)
    check_flag("fit_intercept", fit_intercept)
    check_flag("exact", exact)
    if margin == "affine" and not fit_intercept:
        raise InputError("margin='affine' needs an intercept: use fit_intercept=True")
    between("tolerance", tolerance, 0, 1)
    limit = checks.time_limit("time_limit", time_limit)
    X, y, classes = as_samples(X, y, accepts_one_label=not fit_intercept)
    constant = 1.0 if fit_intercept else 0.0
    digest = _digest_in_background(X, y)
    return Question(X, y, classes, constant, margin, tolerance, exact, limit, digest)


def _digest_in_background(X: MatrixLike, y: Labels) -> "Future[Digest]":
    """Hash the data in another thread; hashing releases the interpreter's lock."""
    pool = ThreadPoolExecutor(1)
    future = pool.submit(Digest.of, X, y)
    pool.shutdown(wait=False)
    return future
