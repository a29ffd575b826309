"""The proof of the convergence theorem, followed along a run, update by update.

Let w* be a separator of length 1, γ = min y·w*·x its margin on the samples, and R the length of the
longest sample. Every update adds eta0·y·x to the weights, so

- w·w* grows by at least eta0·γ: the weights grow in the direction of the separator;
- ‖w‖² grows by at most eta0²·R², because the cross term 2·eta0·y·w·x of a mistake is not positive: the
  weights do not grow fast in any direction;
- w·w* ≤ ‖w‖ by Cauchy and Schwarz, so the two curves must meet: after k updates
  w0·w* + k·eta0·γ ≤ ‖w‖ ≤ √(‖w0‖² + k·eta0²·R²), which is false for every k above the mistake bound.

If visits with scores up to a margin m > 0 count as mistakes, the cross term is at most 2·eta0·m.

The cosine of the angle between w and w* need not grow at each update, but its lower bound, the quotient
of the two curves, does. With an intercept, x means the extended sample (x, 1). With sample weights, x is
multiplied by its weight: a perceptron with sample weights is a perceptron without them on such samples.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.bounds.hyperplane import Hyperplane
from rosenblatt.bounds.mistakes import epoch_bound, mistake_bound, visit_bound
from rosenblatt.bounds.runs import check_data
from rosenblatt.core.checks import whole_number
from rosenblatt.core.constants import ROUNDOFF
from rosenblatt.core.errors import InputError
from rosenblatt.core.html import html_table
from rosenblatt.core.labels import positive_classes, signs_for
from rosenblatt.core.types import Counts, Floats, LabelsLike, MatrixLike
from rosenblatt.lectures.trace import Trace, aligned
from rosenblatt.separability.results.result import Separation
from rosenblatt.separability.separate import separate
from rosenblatt.training.ledger import Ledger

_HEAD = (
    "update", "epoch", "row", "w·w*", "at least", "‖w‖²", "at least", "at most", "cos θ", "at least",
)  # fmt: skip

# How far the inequalities may be violated, relative to the largest ‖w‖. Rounding of millions of updates
# adds up to far less; a false proof violates them by far more.
_TOLERANCE = 1e-9

_NUMBERS_AT_ONCE = 4_000_000


@dataclass(frozen=True, eq=False, repr=False)
class Convergence:
    """The quantities of the convergence proof, after each update of a run.

    Attributes
    ----------
    rows, epochs : arrays of ``mistakes`` numbers
        The row of each update, counted from 0, and its epoch; no epochs (None) if they are not recorded.
    products, products_floor : arrays of ``mistakes`` + 1 numbers
        w·w* at the start and after each update, and its lower bound w0·w* + k·eta0·margin.
    squared_norms, squared_norms_ceiling, squared_norms_floor : arrays of ``mistakes`` + 1 numbers
        ‖w‖², its upper bound ‖w0‖² + k·(eta0²·radius² + 2·eta0·required), and its lower bound,
        the square of ``products_floor`` (0 if that is negative).
    cosines, cosines_floor : arrays of ``mistakes`` + 1 numbers
        The cosine of the angle between w and w*, and its lower bound; NaN if w is 0.
    radius, margin : float
        The length of the longest sample, rounded up, and the smallest y·w*·x, rounded down.
    eta0, start_norm, required : float
        The learning rate, ‖w0‖, and the score up to which a visit counts as a mistake.
    n_samples, visits, mistakes : int
        The samples per epoch, and the visits and updates of the run.
    mistake_bound : int
        The largest number of mistakes that the theorem allows: see `rosenblatt.bounds.mistake_bound`.
    is_complete : bool
        Whether the run ended with an epoch without a mistake. If not, it was cut short.
    visit_bound, epoch_bound : int, or None
        The largest number of visits and epochs that a run can need; None if an epoch may skip samples
        (``order="random"``).
    holds : bool
        Whether every inequality of the proof holds, within 1e-9 times the largest ‖w‖.

    >>> from rosenblatt import trace
    >>> proof = convergence(trace([[3, 3], [4, 3], [1, 1]], [1, 1, -1]), ([1, 1], -4))
    >>> print(proof)
    7 mistakes, at most 117 by the theorem (radius 5.09902, margin 0.471405): every inequality holds.
    >>> proof.products.round(3)
    array([0.   , 0.471, 0.943, 1.414, 1.886, 2.357, 2.828, 3.3  ])
    """

    rows: Counts
    epochs: Counts | None
    products: Floats
    products_floor: Floats
    squared_norms: Floats
    squared_norms_ceiling: Floats
    radius: float
    margin: float
    eta0: float
    start_norm: float
    required: float
    n_samples: int
    visits: int
    is_complete: bool
    mistake_bound: int
    visit_bound: int | None
    epoch_bound: int | None

    @property
    def mistakes(self) -> int:
        """The number of updates."""
        return len(self.rows)

    @property
    def squared_norms_floor(self) -> Floats:
        """The lower bound of ‖w‖²."""
        return np.maximum(self.products_floor, 0.0) ** 2

    @property
    def cosines(self) -> Floats:
        """The cosine of the angle between w and w*."""
        return np.clip(_quotient(self.products, self.squared_norms), -1.0, 1.0)

    @property
    def cosines_floor(self) -> Floats:
        """The lower bound of the cosine."""
        floor = _quotient(self.products_floor, self.squared_norms_ceiling)
        return np.where(self.products_floor < 0.0, -1.0, floor)

    @property
    def holds(self) -> bool:
        """Whether every inequality of the proof holds.

        Checks the number of mistakes against its bound, exactly. At the start and after each update,
        checks that w·w* is at least its lower bound, ‖w‖ at most its upper bound, and w·w* ≤ ‖w‖, each
        within 1e-9 times the largest ‖w‖ of the run, to allow for rounding.
        """
        norms = np.sqrt(self.squared_norms)
        slack = _TOLERANCE * float(norms.max())
        return bool(
            self.mistakes <= self.mistake_bound
            and (self.products >= self.products_floor - slack).all()
            and (norms <= np.sqrt(self.squared_norms_ceiling) + slack).all()
            and (self.products <= norms + slack).all()
        )

    def __str__(self) -> str:
        verdict = "every inequality holds" if self.holds else "an inequality does not hold"
        return (
            f"{self.mistakes} mistakes, at most {self.mistake_bound} by the theorem (radius "
            f"{self.radius:.6g}, margin {self.margin:.6g}): {verdict}."
        )

    def __repr__(self) -> str:
        return f"<Convergence: {self.mistakes} mistakes of at most {self.mistake_bound}>"

    def _repr_html_(self) -> str:
        rows = [*self._lines(range(self.mistakes + 1))]
        return html_table(str(self), _HEAD, rows, lambda row: row)

    def table(self, max_lines: int = 40) -> str:
        """Return one line per update, or of long runs only the first and last ones.

        >>> from rosenblatt.lectures.trace import worked_example
        >>> print(convergence(worked_example(), ([2, -1], 0)).table())
        update  epoch  row  w·w*      at least  ‖w‖²  at least  at most  cos θ     at least
        ------  -----  ---  --------  --------  ----  --------  -------  --------  --------
        0                   0         0         1     0         1        0         0
        1       1      3    0.447214  0.447214  2     0.2       4        0.316228  0.223607
        2       1      4    1.78885   0.894427  5     0.8       7        0.8       0.338062
        3       2      2    2.23607   1.34164   5     1.8       10       1         0.424264
        """
        n = self.mistakes + 1
        if n <= max_lines:
            return aligned([_HEAD, *self._lines(range(n))])
        ellipsis = ("…",) * len(_HEAD)
        first, last = range(max_lines // 2), range(n - max_lines // 2, n)
        return aligned([_HEAD, *self._lines(first), ellipsis, *self._lines(last)])

    def _lines(self, numbers: range) -> Iterator[tuple[str, ...]]:
        squares = (self.squared_norms, self.squared_norms_floor, self.squared_norms_ceiling)
        columns = (
            self.products, self.products_floor, *squares, self.cosines, self.cosines_floor,
        )  # fmt: skip
        for k in numbers:
            epoch = "" if self.epochs is None or k == 0 else str(self.epochs[k - 1])
            row = "" if k == 0 else str(self.rows[k - 1])
            yield (str(k), epoch, row, *(f"{column[k]:.6g}" for column in columns))


def convergence(
    run: Any, separator: Any = None, X: MatrixLike = None, y: LabelsLike = None
) -> Convergence:
    """Return the quantities of the convergence proof after each update of a run.

    ``run`` is a `Trace`, or a `Perceptron` with ``record=True`` fitted on two classes, together with the
    X and y that it was fitted on. ``separator`` is the w* of the proof, of any length: a `Hyperplane`,
    an estimator fitted on two classes, a `Separation`, or a tuple (coef, intercept). By default it is
    the maximum-margin separator found by `separate`.
    """
    recorded = _record_of_trace(run) if isinstance(run, Trace) else _record_of_fit(run, X, y)
    direction = _direction(recorded, separator)
    unit = direction / np.abs(direction).max()
    unit /= math.hypot(*unit.tolist())
    samples, sequence, eta0 = recorded.samples, recorded.sequence, recorded.eta0
    margin, radius = _margin_and_radius(recorded, unit)
    products, squares = _products_and_squares(samples, sequence, recorded.start, unit)
    # The required margin refers to samples times their weights.
    required = recorded.required / eta0 * recorded.largest_weight
    count = np.arange(len(sequence) + 1.0)
    start_norm = math.hypot(*recorded.start.tolist())
    bound = mistake_bound(radius, margin, start_norm=start_norm, required=required)
    max_mistakes = math.floor(bound)
    return Convergence(
        rows=recorded.rows[sequence],
        epochs=recorded.epochs,
        products=eta0 * products,
        products_floor=eta0 * (products[0] + count * margin),
        squared_norms=eta0**2 * squares,
        squared_norms_ceiling=eta0**2 * (squares[0] + count * (radius**2 + 2.0 * required)),
        radius=radius,
        margin=margin,
        eta0=eta0,
        start_norm=eta0 * start_norm,
        required=recorded.required,
        n_samples=recorded.n_samples,
        visits=recorded.n_samples * recorded.n_epochs,
        is_complete=recorded.is_complete,
        mistake_bound=max_mistakes,
        visit_bound=visit_bound(max_mistakes, recorded.n_samples) if recorded.visits_all else None,
        epoch_bound=epoch_bound(max_mistakes) if recorded.visits_all else None,
    )


def odd_max_bit(n: int) -> tuple[Counts, Counts]:
    """Return separable samples with an exponentially small margin: the perceptron takes very long.

    The samples are the numbers from 0 to 2**n - 1 in binary, lowest digit first. The label is 1 if the
    highest digit 1 is at an odd position, counted from 1; otherwise, and for 0, it is -1. Separating
    weights have alternating signs, and each outweighs all previous ones together, so the maximum margin
    shrinks exponentially.

    >>> from rosenblatt import Perceptron, separate
    >>> for n in (3, 5, 7):
    ...     X, y = odd_max_bit(n)
    ...     p = Perceptron(order="cyclic").fit(X, y)
    ...     print(n, round(separate(X, y).margin.lower, 3), p.n_mistakes_)
    3 0.2 23
    5 0.079 137
    7 0.03 849
    """
    n = whole_number("n", n, 1, 20)
    numbers = np.arange(2**n)
    X = (numbers[:, None] >> np.arange(n)) & 1
    highest = np.where(X, np.arange(1, n + 1), 0).max(axis=1)
    return X, np.where(highest % 2 == 1, 1, -1)


class _Recorded(NamedTuple):
    """A run as the proof needs it: in units of eta0, with the constant last.

    ``samples`` are the visited samples as updates add them: signed, extended, and times their weights.
    ``rows`` are their rows in X; ``sequence`` has one index into ``samples`` per update.
    """

    samples: Any
    rows: Counts
    sequence: Counts
    epochs: Counts | None
    start: Floats
    eta0: float
    required: float
    largest_weight: float
    n_samples: int
    n_epochs: int
    is_complete: bool
    visits_all: bool
    has_intercept: bool


def _record_of_trace(run: Trace) -> _Recorded:
    shift = -1 if run.has_intercept else 0
    first = {visit.row: visit for visit in reversed(run.visits)}
    rows = np.array(sorted(first))
    weights = np.array([first[row].step for row in rows.tolist()]) / run.eta0
    samples = np.roll([first[row].sample for row in rows.tolist()], shift, axis=1)
    updates = [visit for visit in run if visit.update]
    n_epochs = run.visits[-1].epoch
    return _Recorded(
        samples=sp.csr_array(samples * weights[:, None]),
        rows=rows,
        sequence=np.searchsorted(rows, [visit.row for visit in updates]),
        epochs=np.array([visit.epoch for visit in updates], dtype=np.int64),
        start=np.roll(run.visits[0].weights_before, shift) / run.eta0,
        eta0=run.eta0,
        required=run.margin,
        largest_weight=float(weights.max()),
        n_samples=len(run) // n_epochs,
        n_epochs=n_epochs,
        is_complete=not updates or updates[-1].epoch < n_epochs,
        visits_all=len({(visit.epoch, visit.row) for visit in run}) == len(run),
        has_intercept=run.has_intercept,
    )


def _record_of_fit(run: Any, X: MatrixLike, y: LabelsLike) -> _Recorded:
    ledger = getattr(run, "ledger_", None)
    if not isinstance(ledger, Ledger):
        raise InputError(
            f"this {type(run).__name__} has no ledger_ of a recorded run: give a Trace, or a fitted "
            "Perceptron(record=True) that was not continued by a stream"
        )
    if len(ledger.mistake_counts) != 1:
        raise InputError(
            f"the run has {len(ledger.mistake_counts)} halfspaces: give a run with two classes"
        )
    if X is None or y is None:
        raise InputError("X or y is missing: give the data that the Perceptron was fitted on")
    check_data(ledger, X, y)
    (sequence,) = ledger.sequences or []
    signs = signs_for(np.asarray(y), positive_classes(ledger.classes)[0])
    factors = signs * np.asarray(ledger.steps[0])
    rows = np.flatnonzero(factors)
    samples: Any = sp.csr_array(X, dtype=np.float64)
    samples = samples[rows]
    if ledger.fit_intercept:
        samples = sp.hstack([samples, sp.csr_array(np.ones((len(rows), 1)))])
    per_epoch = run.history_.updates
    is_whole = per_epoch.sum() == len(sequence)
    return _Recorded(
        samples=sp.csr_array(sp.diags_array(factors[rows]) @ samples),
        rows=rows,
        sequence=np.searchsorted(rows, sequence),
        epochs=np.repeat(np.arange(1, len(per_epoch) + 1), per_epoch) if is_whole else None,
        start=ledger.start[0] if ledger.fit_intercept else ledger.start[0][:-1],
        eta0=ledger.eta0,
        required=ledger.margin,
        largest_weight=float(np.abs(factors).max()),
        n_samples=len(rows),
        n_epochs=len(per_epoch),
        is_complete=bool(per_epoch[-1] == 0),
        visits_all=(ledger.order or run.order) != "random",
        has_intercept=ledger.fit_intercept,
    )


def _direction(recorded: _Recorded, separator: Any) -> Floats:
    """Return w*, of any length, with the intercept (if any) last."""
    if separator is None:
        found = separate(recorded.samples, np.ones(len(recorded.rows)), fit_intercept=False)
        assert isinstance(found, Separation)
        if found.coef is None:
            raise InputError(f"the proof needs a separator, but none was found: {found.verdict}")
        return found.coef
    plane = Hyperplane.of(separator)
    if plane.intercept != 0.0 and not recorded.has_intercept:
        raise InputError(
            f"the separator has the intercept {plane.intercept!r}, but the run has none: give a "
            "hyperplane through the origin"
        )
    n_features = len(recorded.start) - recorded.has_intercept
    if len(plane.coef) != n_features:
        raise InputError(
            f"the separator has {len(plane.coef)} weights, but the samples of the run have "
            f"{n_features} features"
        )
    return np.append(plane.coef, plane.intercept) if recorded.has_intercept else plane.coef


def _margin_and_radius(recorded: _Recorded, unit: Floats) -> tuple[float, float]:
    """Return γ, rounded down, and R, rounded up; raise unless w* separates the samples."""
    samples = recorded.samples
    lengths = np.sqrt(samples.multiply(samples).sum(axis=1))
    along = samples @ unit
    slack = (len(unit) + 16) * ROUNDOFF
    least = along - slack * lengths
    worst = int(np.argmin(least))
    if not least[worst] > 0.0:
        raise InputError(
            f"the separator does not separate the samples of the run: row {recorded.rows[worst]} has "
            f"the margin {along[worst]:.6g}, but the proof needs positive margins"
        )
    return float(least[worst]), float(lengths.max()) * (1.0 + slack)


def _products_and_squares(
    samples: Any, sequence: Counts, start: Floats, unit: Floats
) -> tuple[Floats, Floats]:
    """Return w·w* and ‖w‖² at the start and after each update."""
    weights = start
    products, squares = [np.array([start @ unit])], [np.array([start @ start])]
    at_once = max(1, _NUMBERS_AT_ONCE // len(start))
    for first in range(0, len(sequence), at_once):
        added = samples[sequence[first : first + at_once]].toarray()
        path = weights + np.cumsum(added, axis=0)
        products.append(path @ unit)
        squares.append(np.einsum("ij,ij->i", path, path))
        weights = path[-1]
    return np.concatenate(products), np.concatenate(squares)


def _quotient(products: Floats, squares: Floats) -> Floats:
    """Return products divided by the square roots of squares, NaN for a square of 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(squares > 0.0, products / np.sqrt(squares), np.nan)
