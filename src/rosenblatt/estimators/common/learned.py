"""What has been learned: an immutable value that checks itself when it is made.

An estimator has one, or None before it has learned; a fit, or a chunk of a stream, makes another and
assigns it at the end. So learning that fails, or is interrupted, leaves the estimator as it was.
"""

from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

import numpy as np

from rosenblatt.core.classes import Classes
from rosenblatt.core.types import Counts, Floats, Labels
from rosenblatt.training.deciders.average import Average, resized

Columns = dict[Any, int]
"""The column of each name, in order of appearance."""


@dataclass(frozen=True)
class Features:
    """How many features there are and, where the samples had names, which.

    ``names`` are those of a data frame's columns; a stream of dicts has the ``columns`` of its names.
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
        """The column of each name, or None if no names are known."""
        if self.columns is not None or self.names is None:
            return self.columns
        return {name: column for column, name in enumerate(self.names.tolist())}

    @property
    def texts(self) -> Labels | None:
        """The names in order, or None if there are none, or some are not text."""
        if self.names is not None or self.columns is None:
            return self.names
        if not all(isinstance(name, str) for name in self.columns):
            return None
        return np.array(list(self.columns), dtype=object)


class Kept(Protocol):
    """What is kept beside the last weights of each halfspace: an average, a pocket, a vote."""

    def deciding(self, weights: Floats, visits: Counts, /) -> Floats:
        """Return the weights that decide, given the last ones."""

    def chosen(self, rows: Counts, /) -> Self:
        """Return what is kept of the halfspaces in the given order."""

    def opened(self, origin: Floats, /, *, n_classes: int) -> Self:
        """Return what is kept of a stream that was closed, made ready for new classes."""

    def rescaled(self, factor: float, /) -> Self:
        """Return it in another unit of the weights."""

    def check(self, weights: Floats, /) -> None:
        """Raise ValueError unless it belongs to such weights."""


@dataclass(frozen=True)
class Learned:
    """What a linear learner has learned.

    ``weights`` has one row for each halfspace, the intercept last, in units of the learning ``rate``;
    ``visits`` and ``mistakes`` count those of each. ``origin`` is what the weights of classes that turn
    up start from, and those of all did. ``kept``, unless None, decides in the place of the last weights.
    """

    classes: Classes
    features: Features
    weights: Floats
    visits: Counts
    mistakes: Counts
    origin: Floats
    rate: float = 1.0
    kept: Kept | None = None

    def __post_init__(self) -> None:
        shape = (self.classes.n_halfspaces, self.features.count + 1)
        check_floats("the weights", self.weights, shape)
        check_floats("the start", self.origin, shape[1:])
        for name, counts in (("visits", self.visits), ("mistakes", self.mistakes)):
            if counts.shape != shape[:1] or counts.dtype != np.int64:
                raise ValueError(f"the counts of {name} do not fit the weights")
        if not (isinstance(self.rate, float) and 0 < self.rate < np.inf):
            raise ValueError("the learning rate must be a finite number above 0")
        if self.kept is not None:
            self.kept.check(self.weights)

    @classmethod
    def new(
        cls, classes: Classes, features: Features, origin: Floats, rate: float = 1.0
    ) -> "Learned":
        """Return the state before the first visit: all halfspaces have the weights of the origin."""
        nothing = np.zeros(classes.n_halfspaces, dtype=np.int64)
        weights = np.tile(origin, (len(nothing), 1))
        return cls(classes, features, weights, nothing, nothing, origin, rate)

    @property
    def deciding(self) -> Floats:
        """The weights that decide, those of the halfspaces that do."""
        used = self.classes.used
        if self.kept is None:
            return np.ascontiguousarray(self.weights[used])
        return self.kept.deciding(self.weights, self.visits)[used]

    @property
    def n_mistakes(self) -> int:
        """Updates made by the halfspaces that decide."""
        return int(self.mistakes[self.classes.used].sum())

    @property
    def norm(self) -> float:
        """The length of the last weights of the halfspaces that decide."""
        return self.rate * float(np.linalg.norm(self.weights[self.classes.used]))

    def rescaled(self, rate: float) -> Self:
        """Return the same with its weights in units of another learning rate."""
        factor = self.rate / rate
        kept = None if self.kept is None else self.kept.rescaled(factor)
        return replace(self, weights=self.weights * factor + 0.0, rate=rate, kept=kept)

    def opened(self) -> Self:
        """Return what a closed stream has learned, made ready for new classes.

        Of two classes the first one's halfspace is the second one's, turned round. Nothing is known of
        classes yet to come, so they start from the origin.
        """
        n_classes, weights = len(self.classes), self.weights
        visits, mistakes = self.visits, self.mistakes
        if n_classes == 2:
            weights = np.vstack([-weights, weights]) + 0.0
            visits, mistakes = np.tile([visits, mistakes], 2)
        return replace(
            self,
            classes=replace(self.classes, is_open=True),
            weights=np.vstack([weights, self.origin]),
            visits=np.append(visits, 0),
            mistakes=np.append(mistakes, 0),
            kept=None if self.kept is None else self.kept.opened(self.origin, n_classes=n_classes),
        )

    def closed(self) -> Self:
        """Return what an open stream has learned without its readiness for new classes."""
        if not self.classes.is_open:
            return self
        used = np.arange(self.classes.n_halfspaces)[self.classes.used]
        return self.started_from(used, replace(self.classes, is_open=False))

    def resized(self, features: Features) -> Self:
        """Return the same for another number of features, whose weights are 0 where they are new.

        Features that go must have the weight 0; what is kept must be an average, if anything.
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
        """Return what other classes have learned, each halfspace being a copy of one of these."""
        return replace(
            self,
            classes=classes,
            weights=self.weights[sources],
            visits=self.visits[sources],
            mistakes=self.mistakes[sources],
            kept=None if self.kept is None else self.kept.chosen(sources),
        )


def check_floats(name: str, array: Any, shape: tuple[int, ...]) -> None:
    """Raise ValueError unless an array has a shape, and finite numbers of type float64."""
    if array.shape != shape or array.dtype != np.float64:
        raise ValueError(
            f"{name} of shape {array.shape} and type {array.dtype} must have shape {shape} and type "
            "float64"
        )
    # A sum takes a third of the time that looking at each number takes, and tells most often.
    with np.errstate(over="ignore", invalid="ignore"):
        is_finite = np.isfinite(array.sum()) or np.isfinite(array).all()
    if not is_finite:
        raise ValueError(f"{name} are not finite")
