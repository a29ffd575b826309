"""The learned state of linear learners: an immutable value that validates itself.

An estimator has one, or None before learning; a fit, or a chunk of a stream, builds a new one and
assigns it at the end. So learning that fails or is interrupted leaves the estimator unchanged.
"""

from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

import numpy as np

from rosenblatt.core.checks import LARGEST_RATE, SMALLEST_RATE
from rosenblatt.core.classes import Classes
from rosenblatt.core.constants import LARGEST
from rosenblatt.core.types import Counts, Floats, Labels
from rosenblatt.training.deciders.average import Average, resized

Columns = dict[Any, int]
"""The column of each name, in order of appearance."""


@dataclass(frozen=True)
class Features:
    """The number of features and, if known, their names.

    ``names`` holds the column names of a data frame; a stream of dicts has ``columns`` instead.
    """

    count: int
    names: Labels | None = None
    columns: Columns | None = None

    def __post_init__(self) -> None:
        if type(self.count) is not int or self.count < 0:
            raise ValueError("the number of features must be a whole number")
        if self.names is not None and self.names.shape != (self.count,):
            raise ValueError("the names of the features do not fit their number")
        if self.columns is not None and (
            not isinstance(self.columns, dict)
            or list(self.columns.values()) != list(range(self.count))
        ):
            raise ValueError("the names of the features do not fit the weights")

    @property
    def places(self) -> Columns | None:
        """The column of each name, or None if the names are unknown."""
        if self.columns is not None or self.names is None:
            return self.columns
        return {name: column for column, name in enumerate(self.names.tolist())}

    @property
    def texts(self) -> Labels | None:
        """The names in order, or None unless all are known and text."""
        if self.names is not None or self.columns is None:
            return self.names
        if not all(isinstance(name, str) for name in self.columns):
            return None
        return np.array(list(self.columns), dtype=object)


class Kept(Protocol):
    """An average, a pocket or a vote, which decides instead of the last weights."""

    def deciding(self, weights: Floats, visits: Counts, /) -> Floats:
        """Return the weights that decide, given the last ones."""

    def chosen(self, rows: Counts, /) -> Self:
        """Return the same for the halfspaces with these numbers, in this order."""

    def opened(self, origin: Floats, /, *, n_classes: int) -> Self:
        """Return the same for a closed stream that is extended to accept new classes."""

    def rescaled(self, factor: float, /) -> Self:
        """Return the same in another unit of the weights."""

    def check(self, weights: Floats, /) -> None:
        """Raise ValueError unless it fits the weights."""


@dataclass(frozen=True)
class Learned:
    """The learned state of a linear learner.

    ``weights`` has one row per halfspace, with the intercept last, in units of the learning ``rate``;
    ``visits``, ``updates`` and ``mistakes`` have one count per halfspace. ``origin`` is the start of all
    weights, including those of new classes. ``kept``, unless None, decides instead of the last weights.
    ``margin`` is the score up to which a visit is an update, ``step_limit`` the C of passive-aggressive
    learning.
    """

    classes: Classes
    features: Features
    weights: Floats
    visits: Counts
    updates: Counts
    mistakes: Counts
    origin: Floats
    rate: float = 1.0
    kept: Kept | None = None
    margin: float = 0.0
    step_limit: float = 1.0

    def __post_init__(self) -> None:
        shape = (self.classes.n_halfspaces, self.features.count + 1)
        check_floats("the weights", self.weights, shape)
        check_floats("the start", self.origin, shape[1:])
        for name in ("visits", "updates", "mistakes"):
            counts = getattr(self, name)
            if counts.shape != shape[:1] or counts.dtype != np.int64:
                raise ValueError(f"the counts of {name} do not fit the weights")
        if not (isinstance(self.rate, float) and SMALLEST_RATE <= self.rate <= LARGEST_RATE):
            raise ValueError("the learning rate must be a number from 1e-100 to 1e100")
        if not (isinstance(self.margin, float) and 0 <= self.margin < LARGEST):
            raise ValueError("the margin must be a finite number, at least 0")
        if not (isinstance(self.step_limit, float) and 0 < self.step_limit < LARGEST):
            raise ValueError("the step limit must be a finite number above 0")
        if self.kept is not None:
            self.kept.check(self.weights)

    @classmethod
    def new(
        cls, classes: Classes, features: Features, origin: Floats, rate: float = 1.0
    ) -> "Learned":
        """Return the state before the first visit, with all weights at the origin."""
        nothing = np.zeros(classes.n_halfspaces, dtype=np.int64)
        weights = np.tile(origin, (len(nothing), 1))
        return cls(classes, features, weights, nothing, nothing, nothing, origin, rate)

    @property
    def deciding(self) -> Floats:
        """The deciding weights of the deciding halfspaces."""
        used = self.classes.used
        if self.kept is None:
            return np.ascontiguousarray(self.weights[used])
        return self.kept.deciding(self.weights, self.visits)[used]

    @property
    def n_updates(self) -> int:
        """The updates of the deciding halfspaces."""
        return int(self.updates[self.classes.used].sum())

    @property
    def n_mistakes(self) -> int:
        """The mistakes of the deciding halfspaces."""
        return int(self.mistakes[self.classes.used].sum())

    @property
    def norm(self) -> float:
        """The length of the last weights of the deciding halfspaces."""
        return self.rate * float(np.linalg.norm(self.weights[self.classes.used]))

    def rescaled(self, rate: float) -> Self:
        """Return the same state with its weights in units of another learning rate."""
        factor = self.rate / rate
        kept = None if self.kept is None else self.kept.rescaled(factor)
        return replace(self, weights=self.weights * factor + 0.0, rate=rate, kept=kept)

    def opened(self) -> Self:
        """Return the state of a closed stream, extended to accept new classes.

        With two classes, the first one's halfspace is minus the second one's. Future classes start from
        the origin.
        """
        n_classes, weights = len(self.classes), self.weights
        counts = np.stack([self.visits, self.updates, self.mistakes])
        if n_classes == 2:
            weights = np.vstack([-weights, weights]) + 0.0
            counts = np.tile(counts, 2)
        visits, updates, mistakes = np.pad(counts, [(0, 0), (0, 1)])
        return replace(
            self,
            classes=replace(self.classes, is_open=True),
            weights=np.vstack([weights, self.origin]),
            visits=visits,
            updates=updates,
            mistakes=mistakes,
            kept=None if self.kept is None else self.kept.opened(self.origin, n_classes=n_classes),
        )

    def closed(self) -> Self:
        """Return the state without the halfspace that new classes start from."""
        if not self.classes.is_open:
            return self
        used = np.arange(self.classes.n_halfspaces)[self.classes.used]
        return self.started_from(used, replace(self.classes, is_open=False))

    def resized(self, features: Features) -> Self:
        """Return the state for another number of features; new ones have the weight 0.

        Dropped features must have the weight 0; ``kept`` must be None or an average.
        """
        if features.count == self.features.count:
            return replace(self, features=features)
        return replace(
            self,
            features=features,
            weights=resized(self.weights, features.count + 1),
            origin=resized(self.origin, features.count + 1),
            kept=self.kept.resized(features.count + 1) if isinstance(self.kept, Average) else None,
        )

    def started_from(self, sources: Counts, classes: Classes) -> Self:
        """Return the state for other classes, whose halfspaces are copies of these ``sources``."""
        return replace(
            self,
            classes=classes,
            weights=self.weights[sources],
            visits=self.visits[sources],
            updates=self.updates[sources],
            mistakes=self.mistakes[sources],
            kept=None if self.kept is None else self.kept.chosen(sources),
        )


def check_floats(name: str, array: Any, shape: tuple[int, ...]) -> None:
    """Raise ValueError unless an array has this shape and finite float64 numbers."""
    if array.shape != shape or array.dtype != np.float64:
        raise ValueError(
            f"{name} of shape {array.shape} and type {array.dtype} must have shape {shape} and type "
            "float64"
        )
    # A sum takes a third of the time of testing each number, and usually suffices.
    with np.errstate(over="ignore", invalid="ignore"):
        is_finite = np.isfinite(array.sum()) or np.isfinite(array).all()
    if not is_finite:
        raise ValueError(f"{name} are not finite")
