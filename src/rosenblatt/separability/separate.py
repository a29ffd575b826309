"""Is there a separating hyperplane, how large is its margin, and what proves it: `separate`."""

import math
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

import numpy as np

from rosenblatt.certificates import Digest, HullIntersection, SeparatingHyperplane
from rosenblatt.errors import InputError, check_choice
from rosenblatt.labels import signs_for
from rosenblatt.margins import Interval
from rosenblatt.rows import as_rows
from rosenblatt.separability.conflicts import (
    Conflict,
    equal_samples,
    mixed_samples,
    rival_samples,
    zero_sample,
)
from rosenblatt.separability.decide import Decision, decide
from rosenblatt.separability.door import as_samples, check_lengths, check_number, check_truth
from rosenblatt.separability.equal_rows import equal_rows
from rosenblatt.separability.exact_point import ExactPoint
from rosenblatt.separability.joint import JointRows, joint_rows, samples_and_rivals
from rosenblatt.separability.separation import Separation, Separations
from rosenblatt.separability.vectors import Vectors, whole_weights
from rosenblatt.separability.verdicts import Verdict
from rosenblatt.typing import Counts, Floats, Labels

MARGINS = ("augmented", "affine")

_Result = TypeVar("_Result")


def separate(
    X: Any,
    y: Any,
    *,
    fit_intercept: bool = True,
    margin: str = "augmented",
    tolerance: float = 1e-6,
    exact: bool = False,
    time_limit: float | None = None,
) -> Any:
    """Decide whether a hyperplane separates the classes, and prove it.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples, of any real type; float32 and float64 are used as they are.
    y : array of n_samples labels
        Two classes, or more.
    fit_intercept : bool, default=True
        Allow any hyperplane, not only those through the origin: each sample gets a constant
        feature of value 1.
    margin : {"augmented", "affine"}, default="augmented"
        "augmented" is the margin of the extended samples, which the perceptron's mistake bound speaks
        of; "affine" the distance of the samples from the hyperplane, the bias being free: half the
        distance between the hulls of both classes.
    tolerance : float, default=1e-6
        How closely the maximum margin is wanted: (upper - lower) / upper.
    exact : bool, default=False
        Find the square of the maximum margin as a rational number, or whole weights whose combination
        is exactly zero. Costs seconds at a support of 200 samples, minutes at 500; python-flint
        makes it faster.
    time_limit : float or None, default=None
        Seconds after which to end with what is proved so far.

    Returns
    -------
    Separation, or Separations for more than two classes.

    Examples
    --------
    >>> from rosenblatt import separate
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> s = separate(X, ["no", "no", "no", "yes"], exact=True)
    >>> print(s.verdict)
    SEPARABLE: a hyperplane has every sample strictly on its own side
    >>> s.squared_margin, s.mistake_bound
    (Fraction(1, 17), 51)
    >>> s.certificate.verify(X, ["no", "no", "no", "yes"], exact=True)
    True
    >>> separate(X, ["no", "yes", "yes", "no"]).conflicts[0].sentence
    "rows 0 and 3 of label 'no' and rows 1 and 2 of label 'yes' cross: 1/2·row 0 + 1/2·row 3 is the \
same point as 1/2·row 1 + 1/2·row 2"
    """
    task = _task(X, y, fit_intercept, margin, tolerance, exact, time_limit)
    if len(task.classes) == 2:
        return _one_against_rest(task, task.classes[1])
    # Time is shared out fairly: a question that is hard leaves the others theirs.
    task = task._replace(time_limit=task.time_limit / (len(task.classes) + 1))
    by_class = {label: _one_against_rest(task, label) for label in task.classes.tolist()}
    return Separations(task.classes, by_class, _all_jointly(task))


def separate_class(
    X: Any,
    y: Any,
    positive: Any,
    *,
    fit_intercept: bool = True,
    margin: str = "augmented",
    tolerance: float = 1e-6,
    exact: bool = False,
    time_limit: float | None = None,
) -> Separation:
    """Decide whether a hyperplane separates one class from all others; see `separate`.

    >>> separate_class([[0.0], [1.0], [2.0]], ["a", "b", "c"], "b").verdict.name
    'INSEPARABLE'
    """
    task = _task(X, y, fit_intercept, margin, tolerance, exact, time_limit)
    return _one_against_rest(task, positive)


def prove_weights(
    X: Any, y: Any, positive: Any, weights: Floats, counts: Floats, *, fit_intercept: bool = True
) -> SeparatingHyperplane | None:
    """Return the certificate of weights that separate a class from all others, whoever found them.

    ``counts``, at least 0, say how much each sample takes part in the combination that bounds the
    margin from above: the mistakes of a run, times its steps. Returned is None where the weights do
    not separate the samples, or by so little that floats cannot tell.

    >>> prove_weights([[-1.0], [2.0]], [0, 1], 1, np.array([1.0, 0.0]), np.array([1, 0]))
    <SeparatingHyperplane of 2 samples with 1 features, augmented margin in [1, 1.41421]>
    """
    task = _task(X, y, fit_intercept, "augmented", 0.5, False, None)
    vectors = _vectors(task, positive)
    lower = vectors.lower(weights, vectors.margins(weights))
    order = np.flatnonzero(counts)
    if lower <= 0.0 or len(order) == 0:
        return None
    interval = Interval(lower, math.inf)
    shares = counts[order].astype(np.float64)
    found = Decision(interval, order, shares, weights, exact=None, history=[])
    return _hyperplane(task, positive, vectors, found)


def _task(
    X: Any,
    y: Any,
    fit_intercept: bool,
    margin: str,
    tolerance: float,
    exact: bool,
    time_limit: float | None,
) -> "_Task":
    """Validate everything, and return it as one."""
    check_choice("margin", margin, MARGINS)
    check_truth("fit_intercept", fit_intercept)
    check_truth("exact", exact)
    if margin == "affine" and not fit_intercept:
        raise InputError("margin='affine' has a free bias: it needs fit_intercept=True")
    check_number("tolerance", tolerance, 0.0, 1.0)
    if time_limit is not None and time_limit != math.inf:
        check_number("time_limit", time_limit, 0.0, math.inf)
    X, y, classes = as_samples(X, y)
    return _Task(
        X=X,
        y=y,
        classes=classes,
        constant=1.0 if fit_intercept else 0.0,
        margin=margin,
        tolerance=tolerance,
        exact=exact,
        time_limit=math.inf if time_limit is None else float(time_limit),
        digest=_in_background(Digest.of, X, y),
    )


def _in_background(work: Callable[..., _Result], *arguments: Any) -> "Future[_Result]":
    """Start some work beside everything else; hashing leaves the interpreter free."""
    pool = ThreadPoolExecutor(1)
    future = pool.submit(work, *arguments)
    pool.shutdown(wait=False)
    return future


class _Task(NamedTuple):
    """The data, validated, and what is wanted."""

    X: Any
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

    def statement(self, positive: Any) -> dict[str, Any]:
        """Return what every certificate about this data says first."""
        return {
            "digest": self.digest.result(),
            "classes": tuple(self.classes.tolist()),
            "positive": _plain(positive),
            "constant": self.constant,
            "margin": "augmented" if positive is None else self.margin,
        }


def _one_against_rest(task: _Task, positive: Any) -> Separation:
    """Decide whether one class can be separated from the other, or from all others."""
    vectors = _vectors(task, positive)
    signs, name = vectors.signs, _plain(positive)
    pairs = equal_rows(vectors, signs)
    conflicts = [equal_samples(pair, _labels(task, pair)) for pair in pairs]
    if task.constant == 0.0:
        zeros = np.flatnonzero(vectors.lengths == 0.0).tolist()
        conflicts = [
            *(zero_sample(row) for row in zeros),
            *(conflict for conflict in conflicts if conflict.rows[0] not in zeros),
        ]
    if conflicts:
        combination = dict.fromkeys(conflicts[0].rows, 1)
        return _inseparable(task, positive, vectors, tuple(conflicts), combination)
    decision = task.decide(vectors)
    if not decision.is_zero:
        return _concluded(task, positive, vectors, decision)
    proof = _proof(decision)
    order = proof.order.tolist()
    conflict = mixed_samples(
        order,
        proof.numbers,
        ["+" if sign > 0 else "-" for sign in signs[order]],
        {"+": f"label {name!r}", "-": _others(task, name)},
        has_intercept=task.constant != 0.0,
    )
    combination = dict(zip(conflict.rows, conflict.weights, strict=True))
    return _inseparable(task, positive, vectors, (conflict,), combination, decision)


def _vectors(task: _Task, positive: Any) -> Vectors:
    """Return the samples of one class, and the negatives of all others."""
    if positive not in task.classes:
        raise InputError(f"positive={positive!r} is none of the labels in y")
    affine = task.margin == "affine"
    rows = as_rows(task.X, 0.0 if affine else task.constant)
    signs = signs_for(task.y, positive)
    vectors = Vectors(rows, signs, task.X.shape[1] + 1, 2 if affine else 1)
    check_lengths(vectors.lengths)
    return vectors


def _all_jointly(task: _Task) -> Separation:
    """Decide whether one weight vector for each class can give every sample its class."""
    codes = np.searchsorted(task.classes, task.y)
    base = as_rows(task.X, task.constant)
    rows = joint_rows(base, codes, len(task.classes))
    count = len(codes) * (len(task.classes) - 1)
    dimension = len(task.classes) * (task.X.shape[1] + 1)
    vectors = Vectors(rows, np.ones(count, dtype=np.int8), dimension)
    samples = Vectors(base, np.ones(len(codes), dtype=np.int8), task.X.shape[1] + 1)
    pairs = equal_rows(samples, codes)
    if pairs:
        conflicts = tuple(equal_samples(pair, _labels(task, pair)) for pair in pairs)
        (i, j) = pairs[0]
        combination = {(i, int(codes[j])): 1, (j, int(codes[i])): 1}
        return _inseparable(task, None, vectors, conflicts, combination)
    decision = task.decide(vectors)
    if not decision.is_zero:
        return _concluded(task, None, vectors, decision)
    proof = _proof(decision)
    keys = _keys(vectors, proof.order)
    conflict = rival_samples(keys, proof.numbers, task.classes.tolist())
    return _inseparable(
        task,
        None,
        vectors,
        (conflict,),
        dict(zip(keys, conflict.weights, strict=True)),
        decision,
    )


def _plain(label: Any) -> Any:
    """Return a label as one of Python's own."""
    return label.item() if isinstance(label, np.generic) else label


def _labels(task: _Task, pair: tuple[int, int]) -> tuple[Any, Any]:
    first, second = task.y[list(pair)].tolist()
    return first, second


def _others(task: _Task, positive: Any) -> str:
    """Return the labels other than the positive one, in words."""
    others = [label for label in task.classes.tolist() if label != positive]
    return f"label {others[0]!r}" if len(others) == 1 else "the other labels"


def _proof(decision: Decision) -> ExactPoint:
    assert decision.exact is not None
    return decision.exact


def _keys(vectors: Vectors, order: Counts) -> list[Any]:
    """Return what certificates call the vectors: a row, or a row and a rival class."""
    if isinstance(vectors.rows, JointRows):
        pairs = samples_and_rivals(vectors.rows, order)
        return list(zip(pairs.samples.tolist(), pairs.rivals.tolist(), strict=True))
    return list(order.tolist())


def _support(keys: list[Any]) -> Counts:
    """Return the rows that the keys name, sorted."""
    return np.unique([key[0] if isinstance(key, tuple) else key for key in keys]).astype(np.int64)


def _radius(task: _Task, vectors: Vectors) -> float:
    """Return the length of the longest vector, with the constant, rounded up."""
    longest = float(vectors.lengths.max())
    if vectors.n_groups == 2:
        longest = math.hypot(longest, task.constant)
    return math.nextafter(longest * (1.0 + (vectors.n_terms + 8) * 2.0**-52), math.inf)


def _inseparable(
    task: _Task,
    positive: Any,
    vectors: Vectors,
    conflicts: tuple[Conflict, ...],
    combination: dict[Any, int],
    decision: Decision | None = None,
) -> Separation:
    return Separation(
        verdict=Verdict.INSEPARABLE,
        margin=Interval(0.0, 0.0),
        squared_margin=Fraction(0),
        radius=_radius(task, vectors),
        mistake_bound=None,
        certificate=HullIntersection(**task.statement(positive), combination=combination),
        coef=None,
        intercept=None,
        support=_support(list(combination)),
        conflicts=conflicts,
        history_=[] if decision is None else decision.history,
    )


def _concluded(task: _Task, positive: Any, vectors: Vectors, decision: Decision) -> Separation:
    """Return the separation that a decision proves, if it does."""
    if decision.exact is not None:
        certificate = _exact_hyperplane(task, positive, vectors, decision.exact)
    elif decision.weights is not None:
        certificate = _hyperplane(task, positive, vectors, decision)
    else:
        return Separation(
            verdict=Verdict.UNDECIDED,
            margin=decision.interval,
            squared_margin=None,
            radius=_radius(task, vectors),
            mistake_bound=None,
            certificate=None,
            coef=None,
            intercept=None,
            support=_support(_keys(vectors, decision.order)),
            history_=decision.history,
        )
    radius = _radius(task, vectors)
    shape = (len(task.classes), -1) if isinstance(vectors.rows, JointRows) else (1, -1)
    weights = _rounded(certificate.weights).reshape(shape)
    coef, intercept = weights[:, :-1], weights[:, -1]
    binary = len(weights) == 1
    return Separation(
        verdict=Verdict.SEPARABLE,
        margin=Interval(certificate.lower, certificate.upper),
        squared_margin=None if decision.exact is None else decision.exact.squared_margin,
        radius=radius,
        mistake_bound=_mistake_bound(radius, certificate),
        certificate=certificate,
        coef=coef[0] if binary else coef,
        intercept=float(intercept[0]) if binary else intercept,
        support=_support(list(certificate.combination or ())),
        history_=decision.history,
    )


def _hyperplane(
    task: _Task, positive: Any, vectors: Vectors, decision: Decision
) -> SeparatingHyperplane:
    """Return the certificate of weights in floats."""
    assert decision.weights is not None
    weights, lower = decision.weights.copy(), decision.interval.lower
    if vectors.n_groups == 2:
        weights[-1], lower = vectors.biased(weights)
    order, numbers = whole_weights(vectors, decision.order, decision.shares)
    upper = vectors.upper(order, np.array(numbers, dtype=np.float64))
    return SeparatingHyperplane(
        **task.statement(positive),
        weights=weights,
        lower_squared=Fraction(lower) ** 2,
        combination=dict(zip(_keys(vectors, order), numbers, strict=True)),
        upper_squared=Fraction(upper) ** 2,
    )


def _exact_hyperplane(
    task: _Task, positive: Any, vectors: Vectors, point: ExactPoint
) -> SeparatingHyperplane:
    """Return the certificate of weights in whole numbers."""
    weights = point.weights
    if vectors.n_groups == 2:
        # The bias that gives both groups the same margin is half the difference of their floors.
        shift = max(0, -point.exponent)
        bias = (point.floors[1] - point.floors[0]) << (point.exponent + shift)
        weights = [*(number << (shift + 1) for number in weights[:-1]), bias]
    keys = _keys(vectors, point.order)
    return SeparatingHyperplane(
        **task.statement(positive),
        weights=tuple(weights),
        lower_squared=point.squared_margin,
        combination=dict(zip(keys, point.numbers, strict=True)),
        upper_squared=point.squared_margin,
    )


def _rounded(weights: Any) -> Floats:
    """Return weights as floats of moderate size."""
    if isinstance(weights, np.ndarray):
        return weights
    largest = max(abs(weight) for weight in weights)
    return np.array([float(Fraction(weight, largest)) for weight in weights])


def _mistake_bound(radius: float, certificate: SeparatingHyperplane) -> int:
    """Return (radius / margin)², rounded up, with the augmented margin of the hyperplane itself.

    Updates are rounded: M of them, each by at most u = 2**-53 of the weights' length, which is at most
    radius·√M, let the theorem's inequality slip by 5/3·M·u, which up to 2**51 mistakes is paid for by
    bound²/2**51. (Beyond, where no run will ever come, the bound is that of updates without rounding.) A
    hair above a whole number is rounding too, and mistakes are whole: then that number is the bound.
    """
    squared = certificate.lower_squared
    if certificate.margin == "affine":
        stored = certificate.weights
        plain = stored if isinstance(stored, tuple) else stored.tolist()
        weights = [Fraction(weight) for weight in plain]
        features = sum((weight * weight for weight in weights[:-1]), Fraction(0))
        squared = squared * features / (features + weights[-1] ** 2)
    bound = Fraction(radius) ** 2 / squared
    if bound < 2**51:
        bound += bound * bound / 2**51
    return math.floor(bound) if bound - math.floor(bound) < 1e-6 else math.ceil(bound)
