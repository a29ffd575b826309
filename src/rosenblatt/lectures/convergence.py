"""The proof of the convergence theorem, followed along a run: what it bounds, update by update.

Let w* be a separator of length 1, γ = min y·w*·x its margin on the samples, R the length of the longest
one. Every update adds eta0·y·x to the weights, so

- w·w* gains at least eta0·γ: the weights grow in the direction of the separator;
- ‖w‖² gains at most eta0²·R², for the cross term 2·eta0·y·w·x of a mistake is not positive: the weights
  do not grow fast in any direction;
- w·w* ≤ ‖w‖ by Cauchy and Schwarz, so the two curves must meet: after k updates
  w0·w* + k·eta0·γ ≤ ‖w‖ ≤ √(‖w0‖² + k·eta0²·R²), which holds for no k beyond the mistake bound.

Where a mistake is a visit that finds y·w·x ≤ m, with a margin m above 0, the cross term adds up to
2·eta0·m.

The cosine of the angle between w and w* need not rise at each update; its lower bound, the quotient of
the two, does.

With an intercept all samples are the extended ones, (x, 1); samples with weights
are taken as they are added, for a perceptron with sample weights is the one without, on samples that are
multiplied by them.

Rounding: the quantities are sums over the updates in floats. What `Convergence.holds` grants them is a
bound on the rounding of these sums, of each score in them and of the updates themselves: see ``_Slack``.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.bounds.hyperplane import Hyperplane
from rosenblatt.bounds.mistakes import epoch_bound, mistake_bound, visit_bound
from rosenblatt.core.checks import whole
from rosenblatt.core.constants import ROUNDOFF, SMALL_PRODUCT
from rosenblatt.core.errors import InputError
from rosenblatt.core.html import html_table
from rosenblatt.core.types import Counts, Floats, LabelsLike, MatrixLike, is_sparse
from rosenblatt.kernels.epochs.replay import replay_scores
from rosenblatt.kernels.rows import n_rows
from rosenblatt.kernels.scoring import lengths, scores
from rosenblatt.lectures.recorded_run import RecordedRun, run_of_estimator, run_of_trace
from rosenblatt.lectures.trace import Trace
from rosenblatt.lectures.trace_formats import aligned
from rosenblatt.separability.results.result import Separation
from rosenblatt.separability.separate import separate

_HEAD = (
    "update", "epoch", "row", "w·w*", "at least", "‖w‖²", "at least", "at most", "cos θ", "at least",
)  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Convergence:
    """The quantities of the convergence proof, after each update of a run.

    Arrays of ``mistakes`` + 1 numbers begin with the start and have one more for each update.

    Attributes
    ----------
    rows, epochs : arrays of ``mistakes`` numbers
        The sample of each update, counted from 0, and the epoch; None where the run does not tell.
    products, products_floor : arrays of ``mistakes`` + 1 numbers
        w·w*, where w* has length 1, and what it is at least: w0·w* + k·eta0·margin.
    squared_norms, squared_norms_ceiling, squared_norms_floor : arrays of ``mistakes`` + 1 numbers
        ‖w‖², what it is at most: ‖w0‖² + k·(eta0²·radius² + 2·eta0·required), and what it is at least:
        the square of the floor of the products, where that is above 0.
    cosines, cosines_floor : arrays of ``mistakes`` + 1 numbers
        The cosine of the angle between w and w*, and what it is at least; NaN where w is 0.
    gains : array of ``mistakes`` numbers
        How much the update raised y·w·x for its own sample: eta0·‖x‖².
    radius, margin : float
        The length of the longest sample, rounded up, and the least y·w*·x, rounded down.
    eta0, start_norm, required : float
        The learning rate, ‖w0‖, and the score up to which a visit was a mistake.
    n_samples, visits, mistakes : int
        The samples of an epoch, the visits of the run and its updates.
    mistake_bound : int
        The most mistakes that the theorem allows: see `rosenblatt.bounds.mistake_bound`.
    visit_bound, epoch_bound : int, or None
        The most visits and epochs that a run needs whose epochs visit every sample; None where an epoch
        may miss samples (``order="random"``).
    holds : bool
        Whether every inequality of the proof holds, within the rounding of the numbers above.

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
    squared_norms_floor: Floats
    cosines: Floats
    cosines_floor: Floats
    gains: Floats
    radius: float
    margin: float
    eta0: float
    start_norm: float
    required: float
    n_samples: int
    visits: int
    mistake_bound: int
    visit_bound: int | None
    epoch_bound: int | None
    holds: bool

    @property
    def mistakes(self) -> int:
        """The number of updates."""
        return len(self.rows)

    def __str__(self) -> str:
        verdict = "every inequality holds" if self.holds else "an inequality does not hold"
        return (
            f"{self.mistakes} mistakes, at most {self.mistake_bound} by the theorem (radius "
            f"{self.radius:.6g}, margin {self.margin:.6g}): {verdict}."
        )

    def __repr__(self) -> str:
        return f"<Convergence: {self.mistakes} mistakes of at most {self.mistake_bound}>"

    def _repr_html_(self) -> str:
        return html_table(str(self), _HEAD, range(self.mistakes + 1), lambda k: _row(self, k))

    def table(self, most: int = 40) -> str:
        """Return a line for each update, of long runs the first and the last ones only.

        >>> from rosenblatt.lectures.trace import worked_example
        >>> print(convergence(worked_example(), ([2, -1], 0)).table())
        update  epoch  row  w·w*      at least  ‖w‖²  at least  at most  cos θ     at least
        ------  -----  ---  --------  --------  ----  --------  -------  --------  --------
        0                   0         0         1     0         1        0         0
        1       1      3    0.447214  0.447214  2     0.2       4        0.316228  0.223607
        2       1      4    1.78885   0.894427  5     0.8       7        0.8       0.338062
        3       2      2    2.23607   1.34164   5     1.8       10       1         0.424264
        """
        return "\n".join("  ".join(cells).rstrip() for cells in aligned(_cells(self, most)))

    def to_dict(self) -> dict[str, object]:
        """Return everything as plain data, ready for JSON; None where there is no number."""
        return {
            name: _plain(value) for name, value in {**vars(self), "mistakes": self.mistakes}.items()
        }


def convergence(
    run: Any, separator: Any = None, X: MatrixLike = None, y: LabelsLike = None
) -> Convergence:
    """Return what the convergence proof says of a run, update by update.

    ``run`` is a `Trace`, or a fitted `Perceptron` of two classes with ``record=True``, then with the X
    and y that it was fitted on. ``separator`` is the w* of the proof, of any length: a `Hyperplane`, an
    estimator of two classes, a `Separation`, or coef and intercept as a tuple. By default it is the one
    of maximum margin, which `separate` finds.
    """
    recorded = run_of_trace(run) if isinstance(run, Trace) else run_of_estimator(run, X, y)
    return _proof(recorded, _direction(recorded, separator))


def odd_max_bit(n: int) -> tuple[Counts, Counts]:
    """Return samples of exponentially small margin: separable, but the perceptron takes very long.

    They are the numbers from 0 to 2**n - 1 in binary, the lowest digit first. The label is 1 if the
    highest digit 1 is at an odd place, counted from 1, else -1, also for 0. Weights of alternating signs
    separate them if each outweighs all those before it, so the maximum margin falls exponentially.

    >>> from rosenblatt import Perceptron, separate
    >>> for n in (3, 5, 7):
    ...     X, y = odd_max_bit(n)
    ...     p = Perceptron(order="cyclic").fit(X, y)
    ...     print(n, round(separate(X, y).margin.lower, 3), p.n_mistakes_)
    3 0.2 23
    5 0.079 137
    7 0.03 849
    """
    n = whole("n", n, 1, 20)
    numbers = np.arange(2**n)
    X = (numbers[:, None] >> np.arange(n)) & 1
    highest = np.where(X, np.arange(1, n + 1), 0).max(axis=1)
    return X, np.where(highest % 2 == 1, 1, -1)


def _direction(recorded: RecordedRun, separator: Any) -> Floats:
    """Return w*, of any length, with a weight for each column of the rows and one for the constant."""
    width = len(recorded.start) - 1
    if separator is None:
        return _maximum_margin(recorded)
    plane = Hyperplane.of(separator)
    if plane.intercept != 0.0 and not recorded.has_intercept:
        raise InputError(
            f"the separator has the intercept {plane.intercept!r}, but the run learned none: give a "
            "hyperplane through the origin"
        )
    n_features = width - (recorded.leading and recorded.has_intercept)
    if len(plane.coef) != n_features:
        raise InputError(
            f"the separator has {len(plane.coef)} weights, but the samples of the run have "
            f"{n_features} features"
        )
    if not recorded.leading:
        return np.append(plane.coef, plane.intercept)
    first = [plane.intercept] if recorded.has_intercept else []
    return np.concatenate([first, plane.coef, [0.0]])


def _maximum_margin(recorded: RecordedRun) -> Floats:
    """Return the direction of maximum margin on the samples as they are added."""
    factors, has_constant, X = recorded.factors, recorded.rows.constant != 0.0, recorded.X
    if is_sparse(X):
        X = sp.hstack([X, sp.csr_array(np.ones((X.shape[0], 1)))]) if has_constant else X
        signed = sp.csr_array(sp.diags_array(factors) @ sp.csr_array(X))[factors != 0.0]
    else:
        X = np.asarray(X, dtype=np.float64)
        X = np.column_stack([X, np.ones(len(X))]) if has_constant else X
        signed = (factors[:, None] * X)[factors != 0.0]
    found = separate(signed, np.ones(signed.shape[0]), fit_intercept=False)
    assert isinstance(found, Separation)
    if found.coef is None:
        raise InputError(f"no separator is known, and the proof needs one: {found.verdict}")
    return found.coef if has_constant else np.append(found.coef, 0.0)


class _Measured(NamedTuple):
    """The samples as they are added: their lengths, their products with w*, and γ and R."""

    sizes: Floats
    along: Floats
    margin: float
    radius: float


def _measured(recorded: RecordedRun, unit: Floats) -> _Measured:
    """Return what the proof needs to know of the samples; raise unless w* separates them."""
    rows, factors = recorded.rows, recorded.factors
    sizes = np.abs(factors) * lengths(rows, n_rows(rows))
    along, bands = scores(rows, np.arange(n_rows(rows)), unit)
    along, least = factors * along, factors * along - np.abs(factors) * bands
    seen = np.flatnonzero(factors)
    worst = seen[np.argmin(least[seen])]
    slack = (len(unit) + 16) * ROUNDOFF
    if not least[worst] > 0.0:
        raise InputError(
            f"the separator does not separate the samples of the run: row {recorded.numbers[worst]} has "
            f"the margin {along[worst]:.6g}, and the proof needs all above 0"
        )
    radius = float(sizes[seen].max()) * (1.0 + slack)
    return _Measured(sizes, along, float(least[worst]) * (1.0 - slack), radius)


def _proof(recorded: RecordedRun, direction: Floats) -> Convergence:
    """Return the proof's quantities, which are summed in units of eta0, as the weights are."""
    # Its largest number is made about 1 first: lengths of very small or large ones would be rounded.
    unit = np.ldexp(direction, -math.frexp(float(np.abs(direction).max()))[1])
    unit /= math.hypot(*unit.tolist())
    samples = _measured(recorded, unit)
    sequence, start, eta0 = recorded.sequence, recorded.start, recorded.eta0
    moves = recorded.factors[sequence]
    before, energies = np.empty(len(sequence)), np.empty(len(sequence))
    replay_scores(recorded.rows, moves, sequence, start.copy(), before, energies)
    gains = energies * moves**2
    # What is required of the samples is required of those as they are added times their weights.
    required = recorded.required / eta0 * float(np.abs(recorded.factors).max())
    start_norm, counted = math.hypot(*start.tolist()), np.arange(len(sequence) + 1.0)
    products = _sums(float(start @ unit), samples.along[sequence])
    squares = np.maximum(_sums(start_norm**2, gains + 2.0 * moves * before), 0.0)
    floor = products[0] + counted * samples.margin
    ceiling = squares[0] + counted * (samples.radius**2 + 2.0 * required)
    norms = np.sqrt(squares)
    with np.errstate(invalid="ignore", divide="ignore"):
        cosines = np.where(squares > 0.0, np.clip(products / norms, -1.0, 1.0), np.nan)
        cosines_floor = np.where(floor >= 0.0, floor / np.sqrt(ceiling), -1.0)
    bound = mistake_bound(samples.radius, samples.margin, start_norm=start_norm, required=required)
    most = math.floor(bound)
    slack = _Slack.of(norms, samples.sizes[sequence], products, len(unit))
    reach = np.maximum(products - slack.products, 0.0)
    holds = (
        len(sequence) <= bound
        and (products >= floor - slack.products).all()
        and (squares <= ceiling + slack.squares).all()
        and (reach**2 <= squares + slack.squares).all()
    )
    return Convergence(
        rows=recorded.numbers[sequence],
        epochs=recorded.epochs,
        products=eta0 * products,
        products_floor=eta0 * floor,
        squared_norms=eta0**2 * squares,
        squared_norms_ceiling=eta0**2 * ceiling,
        squared_norms_floor=(eta0 * np.maximum(floor, 0.0)) ** 2,
        cosines=cosines,
        cosines_floor=cosines_floor,
        gains=eta0 * gains,
        radius=samples.radius,
        margin=samples.margin,
        eta0=eta0,
        start_norm=eta0 * start_norm,
        required=recorded.required,
        n_samples=recorded.n_samples,
        visits=recorded.n_samples * recorded.n_epochs,
        mistake_bound=most,
        visit_bound=visit_bound(most, recorded.n_samples) if recorded.sees_all else None,
        epoch_bound=epoch_bound(most) if recorded.sees_all else None,
        holds=bool(holds),
    )


def _sums(first: float, terms: Floats) -> Floats:
    """Return first, and first with one term after the other added."""
    return np.cumsum(np.append(first, terms))


class _Slack(NamedTuple):
    """How far the rounded sums may be from those of exact arithmetic, after each update."""

    products: Floats
    squares: Floats

    @classmethod
    def of(cls, norms: Floats, sizes: Floats, products: Floats, n_terms: int) -> "_Slack":
        """Return bounds on the rounding, each about twice as wide as it need be.

        With u = 2**-53 and d terms a score of weights w and a sample z is wrong by at most about
        d·u·‖w‖·‖z‖, a square of ‖z‖ by d·u·‖z‖²; a sum is rounded by u times itself at each addition.
        """
        unit = 4 * (n_terms + 16) * ROUNDOFF
        # An update rounds each weight twice, so the weights drift away from their exact sum, and the
        # scores with them: at each update by at most 2·u times the lengths of both.
        drift = _sums(0.0, 4 * ROUNDOFF * (norms[:-1] + 2.0 * sizes))
        by_score = 2.0 * sizes * (unit * norms[:-1] + drift[:-1])
        of_products = _sums(0.0, unit * sizes + 2 * ROUNDOFF * np.abs(products[1:]))
        of_squares = _sums(0.0, by_score + unit * sizes**2 + 2 * ROUNDOFF * norms[1:] ** 2)
        tiny = SMALL_PRODUCT * np.arange(1.0, len(norms) + 1.0)
        return cls(of_products + unit * norms[0] + tiny, of_squares + unit * norms[0] ** 2 + tiny)


def _cells(proof: Convergence, most: int) -> Iterator[tuple[str, ...]]:
    yield _HEAD
    n = proof.mistakes + 1
    shown = [*range(n)] if n <= most else [*range(most // 2), -1, *range(n - most // 2, n)]
    for k in shown:
        yield ("…",) * len(_HEAD) if k < 0 else _row(proof, k)


def _row(proof: Convergence, k: int) -> tuple[str, ...]:
    """Return what is known after k updates."""
    columns = (
        proof.products,
        proof.products_floor,
        proof.squared_norms,
        proof.squared_norms_floor,
        proof.squared_norms_ceiling,
        proof.cosines,
        proof.cosines_floor,
    )
    epoch = "" if proof.epochs is None or k == 0 else str(proof.epochs[k - 1])
    row = "" if k == 0 else str(proof.rows[k - 1])
    return (str(k), epoch, row, *(f"{column[k]:.6g}" for column in columns))


def _plain(value: object) -> object:
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.kind == "i":
        return value.tolist()
    return [number if math.isfinite(number) else None for number in value.tolist()]
