"""What is asked of a data set, once it has come in through the door."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

import numpy as np

from rosenblatt.certificates import Digest
from rosenblatt.certificates.scope import Scope
from rosenblatt.core import checks
from rosenblatt.core.checks import between, check_choice, check_flag
from rosenblatt.core.errors import InputError
from rosenblatt.core.labels import signs_for
from rosenblatt.core.types import LabelLike, Labels, LabelsLike, MatrixLike
from rosenblatt.kernels.rows import as_rows
from rosenblatt.separability.checked_input import as_samples, check_lengths
from rosenblatt.separability.decide import Decision, decide
from rosenblatt.separability.signed_samples import Vectors

MARGINS = ("augmented", "affine")

_Result = TypeVar("_Result")


class Question(NamedTuple):
    """The data, validated, and what is wanted."""

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
        """Decide about some vectors made of this data."""
        deadline = time.perf_counter() + self.time_limit
        return decide(vectors, self.tolerance, deadline, wants_exact=self.exact)

    def statement(self, positive: LabelLike) -> dict[str, Any]:
        """Return what every certificate about this data says first."""
        return {
            "digest": self.digest.result(),
            "classes": tuple(self.classes.tolist()),
            **self.scope(positive)._asdict(),
        }

    def scope(self, positive: LabelLike) -> Scope:
        """Return which weights, and which margin of theirs, are asked about."""
        margin = "augmented" if positive is None else self.margin
        return Scope(plain(positive), self.constant, margin)

    def vectors(self, positive: LabelLike) -> Vectors:
        """Return the samples of one class, and the negatives of all others."""
        if positive not in self.classes:
            raise InputError(f"positive={positive!r} is none of the labels in y")
        affine = self.margin == "affine"
        rows = as_rows(self.X, 0.0 if affine else self.constant)
        signs = signs_for(self.y, positive)
        vectors = Vectors(rows, signs, self.X.shape[1] + 1, 2 if affine else 1)
        check_lengths(vectors.lengths)
        return vectors


def ask(
    X: MatrixLike,
    y: LabelsLike,
    fit_intercept: bool,
    margin: str,
    tolerance: float,
    exact: bool,
    time_limit: float | None,
) -> Question:
    """Validate everything, and return it as one."""
    check_choice("margin", margin, MARGINS)
    check_flag("fit_intercept", fit_intercept)
    check_flag("exact", exact)
    if margin == "affine" and not fit_intercept:
        raise InputError("margin='affine' has a free bias: it needs fit_intercept=True")
    between("tolerance", tolerance, 0, 1)
    limit = checks.time_limit("time_limit", time_limit)
    X, y, classes = as_samples(X, y)
    return Question(
        X=X,
        y=y,
        classes=classes,
        constant=1.0 if fit_intercept else 0.0,
        margin=margin,
        tolerance=tolerance,
        exact=exact,
        time_limit=limit,
        digest=_in_background(Digest.of, X, y),
    )


def _in_background(work: Callable[..., _Result], *arguments: Any) -> "Future[_Result]":
    """Start some work beside everything else; hashing leaves the interpreter free."""
    pool = ThreadPoolExecutor(1)
    future = pool.submit(work, *arguments)
    pool.shutdown(wait=False)
    return future


def plain(label: LabelLike) -> Any:
    """Return a label as one of Python's own."""
    return label.item() if isinstance(label, np.generic) else label
