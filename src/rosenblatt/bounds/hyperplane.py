"""A hyperplane, and the four kinds of margins of samples.

The hyperplane w·x + b = 0 is the same for all positive multiples of w and b. A sample's margins are,
with y its sign,

- functional: y·(w·x + b), which grows with w;
- geometric: that divided by ‖w‖, the distance from the hyperplane, negative on the wrong side;
- augmented: the functional margin divided by ‖(w, b)‖, the distance of the extended sample (x, 1) from
  the hyperplane through the origin with weights (w, b): the margin in the convergence theorem;
- cosine: the augmented margin divided by ‖(x, 1)‖, the cosine of the angle between (w, b) and y·(x, 1),
  which is the augmented margin of the extended sample scaled to length 1.

Through the origin (b = 0) samples are not extended by default: the augmented margin is then the
geometric one, and the cosine that of w and y·x.

Rounding: a score is an exact sum, rounded once, so that the signs of margins are correct; norms,
quotients and products are rounded once or twice more. For proofs, `bounds.geometric_margin` rounds the
smallest augmented margin of a set down.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.bounds.sample_radius import checked_rows, one_label_each
from rosenblatt.core.checks import as_float
from rosenblatt.core.errors import InputError
from rosenblatt.core.labels import signs_for
from rosenblatt.core.types import Floats, LabelsLike, MatrixLike
from rosenblatt.kernels.rows import Rows, n_rows, widened
from rosenblatt.kernels.scoring import lengths, nearest_scores
from rosenblatt.separability.results.result import Separation


class _Scaled(NamedTuple):
    """A number times 2**power, so that lengths of weights of any size keep their bits."""

    number: float
    power: int


class LeastMargins(NamedTuple):
    """The smallest margin of each kind over a set of samples."""

    functional: float
    geometric: float
    augmented: float
    cosine: float


class LeastRows(NamedTuple):
    """The first sample with the smallest margin of each kind."""

    functional: int
    geometric: int
    augmented: int
    cosine: int


@dataclass(frozen=True, eq=False)
class Margins:
    """The margins of samples, one number per sample and kind; negative on the wrong side.

    >>> m = Hyperplane([3.0, 4.0], -5.0).margins([[3.0, 4.0], [0.0, 0.0]], [1, -1])
    >>> m.functional, m.geometric
    (array([20.,  5.]), array([4., 1.]))
    >>> m.smallest.geometric, m.rows.geometric
    (1.0, 1)
    """

    functional: Floats
    geometric: Floats
    augmented: Floats
    cosine: Floats

    @property
    def smallest(self) -> LeastMargins:
        """The smallest margin of each kind; NaN if a sample of length 0 has no cosine."""
        return LeastMargins(*(float(each.min()) for each in self._kinds()))

    @property
    def rows(self) -> LeastRows:
        """The first sample with the smallest margin of each kind."""
        return LeastRows(*(int(each.argmin()) for each in self._kinds()))

    def _kinds(self) -> tuple[Floats, Floats, Floats, Floats]:
        return self.functional, self.geometric, self.augmented, self.cosine


@dataclass(frozen=True, eq=False)
class Hyperplane:
    """The points x with w·x + b = 0, and the samples' distances from them.

    >>> h = Hyperplane([3.0, 4.0], -5.0)
    >>> h.distance_to_origin
    1.0
    >>> h.distances([[3.0, 4.0], [0.0, 0.0], [1.0, 0.5]])
    array([4., 1., 0.])
    """

    coef: Floats
    intercept: float = 0.0

    def __post_init__(self) -> None:
        try:
            coef = np.array(self.coef, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(
                "coef contains a value that is not a number: give one number per feature"
            ) from error
        coef = coef[0] if coef.ndim == 2 and len(coef) == 1 else coef
        intercept = np.asarray(self.intercept)
        offset = as_float(intercept.item()) if intercept.size == 1 else math.nan
        if coef.ndim != 1 or not np.isfinite(coef).all() or not math.isfinite(offset):
            raise InputError(
                f"coef has shape {coef.shape} and intercept is {self.intercept!r}: give one finite "
                "number per feature, and a finite intercept"
            )
        if not coef.any():
            raise InputError("the weights in coef are all zero: they define no hyperplane")
        coef.flags.writeable = False
        object.__setattr__(self, "coef", coef)
        object.__setattr__(self, "intercept", offset)

    @classmethod
    def of(cls, thing: Any) -> "Hyperplane":
        """Return the hyperplane of an estimator of two classes, a `Separation`, or (coef, intercept).

        >>> from rosenblatt import separate
        >>> round(Hyperplane.of(separate([[1.0], [3.0]], [0, 1], margin="affine")).distance_to_origin, 9)
        2.0
        """
        if isinstance(thing, Hyperplane):
            return thing
        if isinstance(thing, Separation):
            if thing.coef is None:
                raise InputError(f"the separation has no hyperplane: {thing.sentence}")
            thing = (thing.coef, thing.intercept)
        elif hasattr(thing, "coef_"):
            thing = (thing.coef_, thing.intercept_)
        if not (isinstance(thing, tuple | list) and len(thing) == 2):
            raise InputError(
                f"{type(thing).__name__} has no hyperplane: give an estimator of two classes, a "
                "Separation, a Hyperplane, or coef and intercept as a tuple"
            )
        return cls(*thing)

    @property
    def distance_to_origin(self) -> float:
        """``|b|/‖w‖``, the distance of the hyperplane from the origin."""
        norm = _norm(self.coef)
        with np.errstate(over="ignore"):
            return float(np.ldexp(abs(self.intercept), -norm.power) / norm.number)

    def distances(self, X: MatrixLike) -> Floats:
        """Return ``|w·x + b|/‖w‖``, the distance of each sample, dense or sparse."""
        scores, power = self._scores(self._rows(X))
        return np.abs(_quotient(scores, power, _norm(self.coef)))

    def margins(self, X: MatrixLike, y: LabelsLike, *, extended: bool | None = None) -> Margins:
        """Return the margins of samples, dense or sparse, given their labels.

        Of two labels the greater one is the positive side; a single label is positive. ``extended`` says
        whether the cosine is that of the extended samples (x, 1); None means yes, unless the hyperplane
        goes through the origin. Use ``extended=True`` for a run with an intercept that ended at 0.
        """
        rows = self._rows(X)
        labels, classes = one_label_each(y, n_rows(rows))
        if len(classes) > 2:
            raise InputError(f"y has {len(classes)} classes: give the labels of two classes")
        if extended is None:
            extended = self.intercept != 0.0
        scores, power = self._scores(rows)
        scores *= signs_for(labels, classes[-1])
        augmented = _quotient(scores, power, _norm(np.append(self.coef, self.intercept)))
        sizes = lengths(rows if extended else rows._replace(constant=0.0), n_rows(rows))
        with np.errstate(invalid="ignore"):  # 0 / 0, which is NaN
            cosine = augmented / sizes
        geometric = _quotient(scores, power, _norm(self.coef))
        return Margins(np.ldexp(scores, power), geometric, augmented, cosine)

    def _rows(self, X: MatrixLike) -> Rows:
        rows = widened(checked_rows(X, fit_intercept=True))
        if np.shape(X)[1] != len(self.coef):
            raise InputError(
                f"X has {np.shape(X)[1]} features, but the hyperplane has {len(self.coef)} weights"
            )
        return rows

    def _scores(self, rows: Rows) -> tuple[Floats, int]:
        """Return the scores, each an exact sum rounded once, and a power: multiply them by 2**power.

        Small weights are scaled up, which is exact, so that scores of small samples do not underflow.
        """
        weights, out = np.append(self.coef, self.intercept), np.empty(n_rows(rows))
        power = min(0, math.frexp(float(np.abs(weights).max()))[1])
        bad = nearest_scores(rows, np.ldexp(weights, -power), out)
        if bad >= 0:
            raise InputError(
                f"row {bad} of X contains NaN or infinity, or its length overflows float64: give finite "
                "numbers, and scale large ones down"
            )
        if not np.isfinite(out).all():
            row = int(np.flatnonzero(~np.isfinite(out))[0])
            raise InputError(
                f"the score of row {row} of X overflows float64: scale the samples or coef down"
            )
        return out, power


def _norm(vector: Floats) -> _Scaled:
    """Return the length of a vector that is not zero."""
    power = math.frexp(float(np.abs(vector).max()))[1]
    return _Scaled(math.hypot(*np.ldexp(vector, -power).tolist()), power)


def _quotient(scores: Floats, power: int, norm: _Scaled) -> Floats:
    """Return scores times 2**power, divided by a length."""
    with np.errstate(over="ignore"):
        out: Floats = np.ldexp(scores / norm.number, power - norm.power)
    return out
