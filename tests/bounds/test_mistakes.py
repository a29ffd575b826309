"""The mistake bounds hold on every run on integers, where runs are exact."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from margin import max_margin_squared
from naive import exact_dot, extended
from rosenblatt import InputError, Outcome, Perceptron, bounds
from strategies import INTEGERS, TENTHS, labels, matrices

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

RATES = st.sampled_from([1.0, 0.5, 4.0])
ORDERS = st.sampled_from(["cyclic", "shuffle"])
TIES = st.sampled_from(["mistake", "positive", "negative"])

SQUARE = [[0, 0], [0, 1], [1, 0], [1, 1]]
PLUS_MINUS = [[-1, -1], [-1, 1], [1, -1], [1, 1]]


def _bound(X: object, y: object, coef: object, intercept: float = 0.0, **options: bool) -> int:
    margin = bounds.geometric_margin(X, y, coef, intercept, **options)
    return math.floor(bounds.mistake_bound(bounds.radius(X, **options), margin))


def test_the_textbook_example_makes_7_of_117() -> None:
    X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    assert _bound(X, y, [1, 1], -4) == 117
    assert Perceptron(order="cyclic").fit(X, y).n_mistakes_ == 7


@pytest.mark.parametrize("n", range(2, 40))
def test_on_orthonormal_samples_the_bound_is_attained(n: int) -> None:
    y = np.arange(n) % 2
    p = Perceptron(fit_intercept=False).fit(np.eye(n), y)
    assert p.n_mistakes_ == n
    assert _bound(np.eye(n), y, 2 * y - 1, fit_intercept=False) == n
    margin = 1 / math.sqrt(n)
    assert math.floor(bounds.mistake_bound(1.0, margin)) == n
    assert math.floor(bounds.instance_mistake_bound(np.ones(n), margin)) == n


@pytest.mark.parametrize(
    ("X", "y", "weights", "bound", "mistakes"),
    [
        (PLUS_MINUS, [0, 0, 0, 1], (1, 1, -1), 9, 1),
        (PLUS_MINUS, [0, 1, 1, 1], (1, 1, 1), 9, 3),
        (SQUARE, [0, 0, 0, 1], (2, 2, -3), 51, 18),
        (SQUARE, [0, 1, 1, 1], (2, 2, -1), 27, 9),
        (SQUARE, [1, 1, 1, 0], (-2, -2, 3), 51, 18),
    ],
)
def test_truth_tables(
    X: list, y: list, weights: tuple[int, int, int], bound: int, mistakes: int
) -> None:
    assert _bound(X, y, weights[:2], weights[2]) == bound
    assert Perceptron(order="cyclic").fit(X, y).n_mistakes_ == mistakes


@pytest.mark.parametrize("n", [1, 3, 5, 7])
def test_the_majority_of_n_votes_has_the_bound_n_squared(n: int) -> None:
    X = np.array(list(product([-1, 1], repeat=n)))
    assert _bound(X, X.sum(axis=1) > 0, np.ones(n), fit_intercept=False) == n**2


@st.composite
def problems(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Integers with any labels; rarely separable."""
    X = draw(
        hnp.arrays(
            np.int64, st.tuples(st.integers(2, 9), st.integers(1, 3)), elements=st.integers(-5, 5)
        )
    )
    return X, draw(labels(len(X), ["left", "right"]))


@st.composite
def directions(draw: st.DrawFn, size: int) -> np.ndarray:
    """A nonzero vector."""
    vector = draw(hnp.arrays(np.int64, size, elements=st.integers(-4, 4)))
    assume(vector.any())
    return vector


starts = st.lists(st.integers(-9, 9), min_size=4, max_size=4)


@given(problems(), st.data(), starts | st.just([0] * 4), RATES, ORDERS | st.just("random"), TIES)
def test_separable_samples(
    problem: tuple, data: st.DataObject, start: list, eta0: float, order: str, ties: str
) -> None:
    X, _ = problem
    truth = data.draw(directions(X.shape[1] + 1))
    scores = X @ truth[:-1] + truth[-1]
    X, y = X[scores != 0], np.sign(scores[scores != 0])
    assume(len(set(y.tolist())) == 2)
    p = Perceptron(max_iter=100_000, eta0=eta0, order=order, ties=ties, random_state=0)
    p.fit(X, y, coef_init=[start[: X.shape[1]]], intercept_init=[start[-1]])
    assert p.outcome_ is Outcome.SEPARATED
    begin = {"start_norm": math.hypot(*start[: X.shape[1]], start[-1]), "eta0": eta0}
    margin = bounds.geometric_margin(X, y, truth[:-1], truth[-1])
    assert p.n_mistakes_ <= math.floor(bounds.mistake_bound(bounds.radius(X), margin, **begin))
    sharper = bounds.instance_mistake_bound(
        bounds.sample_lengths(X), margin, counts=p.ledger_.mistake_counts, **begin
    )
    assert p.n_mistakes_ <= math.floor(sharper)


@given(problems(), st.data(), starts | st.just([0] * 4), RATES, ORDERS, TIES, st.booleans())
def test_any_samples_any_direction_any_margin(
    problem: tuple,
    data: st.DataObject,
    start: list,
    eta0: float,
    order: str,
    ties: str,
    intercept: bool,
) -> None:
    X, y = problem
    truth = data.draw(directions(X.shape[1] + 1))
    if not intercept:
        truth[-1] = start[-1] = 0
        assume(truth.any())
    margin = data.draw(st.sampled_from([0.1, 0.5, 1.0, 3.0, 20.0]))
    epochs = data.draw(st.integers(1, 12))
    p = Perceptron(
        fit_intercept=intercept, max_iter=epochs, eta0=eta0, order=order, ties=ties, random_state=0
    )
    offset = {"intercept_init": [start[-1]]} if intercept else {}
    p.fit(X, y, coef_init=[start[: X.shape[1]]], **offset)
    begin = {"start_norm": math.hypot(*start[: X.shape[1]], start[-1]), "eta0": eta0}
    lacking = bounds.deviations(X, y, truth[:-1], truth[-1], margin=margin, fit_intercept=intercept)
    radius = bounds.radius(X, fit_intercept=intercept) or 1.0
    for bound in (bounds.mistake_bound_with_deviations, bounds.mistake_bound_with_hinge):
        a_priori = bound(radius, margin, lacking, epochs=p.n_iter_, **begin)
        of_mistakes = bound(radius, margin, lacking, counts=p.ledger_.mistake_counts, **begin)
        assert p.n_mistakes_ <= math.floor(of_mistakes) <= math.floor(a_priori)


@given(problems(), st.data(), st.integers(1, 9))
def test_visits_with_repetition_count_by_mistakes(
    problem: tuple, data: st.DataObject, seed: int
) -> None:
    X, y = problem
    truth = data.draw(directions(X.shape[1] + 1))
    p = Perceptron(max_iter=9, order="random", random_state=seed).fit(X, y)
    lacking = bounds.deviations(X, y, truth[:-1], truth[-1], margin=0.7)
    for bound in (bounds.mistake_bound_with_deviations, bounds.mistake_bound_with_hinge):
        value = bound(bounds.radius(X), 0.7, lacking, counts=p.ledger_.mistake_counts)
        assert p.n_mistakes_ <= math.floor(value)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 50])
def test_one_sample_with_both_labels_nearly_attains_the_hinge_bound(n: int) -> None:
    # Every visit is a mistake, because the weights alternate between 0 and x; u = x and γ = 1.
    X, y = np.array([[1.0], [1.0]] * n), np.array([1, 0] * n)
    p = Perceptron(order="cyclic", fit_intercept=False, max_iter=1).fit(X, y)
    lacking = bounds.deviations(X, y, [1.0], margin=1.0, fit_intercept=False)
    assert lacking.tolist() == pytest.approx([0.0, 2.0] * n)
    bound = bounds.mistake_bound_with_hinge(1.0, 1.0, lacking)
    assert p.n_mistakes_ == 2 * n <= bound
    assert bound == pytest.approx(2 * n + 0.5 + math.sqrt(2 * n + 0.25))


def test_without_deviations_all_bounds_are_the_convergence_theorem() -> None:
    for radius, margin, start in [(1.0, 0.25, 0.0), (3.0, 0.1, 2.0), (7.0, 7.0, 0.5)]:
        expected = bounds.mistake_bound(radius, margin, start_norm=start, eta0=0.3)
        for bound in (bounds.mistake_bound_with_deviations, bounds.mistake_bound_with_hinge):
            value = bound(radius, margin, [0.0, 0.0], epochs=5, start_norm=start, eta0=0.3)
            assert value == pytest.approx(expected, rel=1e-13)


lengths = st.floats(1e-3, 1e6)


@given(lengths, lengths, st.floats(0, 1e3), st.floats(1e-3, 1e3))
def test_the_bound_is_not_below_the_formula(a: float, b: float, start: float, eta0: float) -> None:
    margin, radius = sorted([a, b])
    exact = (Fraction(radius) / Fraction(margin)) ** 2 + 2 * Fraction(start) / (
        Fraction(eta0) * Fraction(margin)
    )
    value = bounds.mistake_bound(radius, margin, start_norm=start, eta0=eta0)
    assert exact <= Fraction(value) <= exact * (1 + Fraction(1, 10**14))


@given(
    st.lists(lengths, min_size=1, max_size=6), lengths, lengths, st.integers(1, 9), st.floats(0, 9)
)
def test_the_deviation_bounds_are_not_below_their_formulas(
    lacking: list[float], radius: float, margin: float, epochs: int, start: float
) -> None:
    with localcontext() as context:
        context.prec = 60
        d = [Decimal(value) for value in lacking]
        R, g, s = Decimal(radius), Decimal(margin), Decimal(start)
        D = (epochs * sum(v * v for v in d)).sqrt()
        L = epochs * sum(d) / g
        B = (R / g) ** 2 + 2 * s / g
        squares = ((D + (R * R + 2 * g * s).sqrt()) / g) ** 2
        hinge = L + (B + (B * B + 4 * L * (R / g) ** 2).sqrt()) / 2
        for bound, exact in [
            (bounds.mistake_bound_with_deviations, squares),
            (bounds.mistake_bound_with_hinge, hinge),
        ]:
            value = Decimal(bound(radius, margin, lacking, epochs=epochs, start_norm=start))
            assert exact <= value <= exact * (1 + Decimal("1e-13"))


@st.composite
def awkward(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    pool = draw(st.sampled_from([INTEGERS, TENTHS]))
    X = draw(matrices(pool, st.integers(2, 6), st.integers(1, 4)))
    weights = draw(hnp.arrays(np.float64, X.shape[1] + 1, elements=st.sampled_from(TENTHS)))
    assume(weights.any())
    return X, draw(labels(len(X), [3, 7])), weights


@given(awkward(), st.sampled_from([0.1, 1.0, 7.5]), st.integers(-300, 300))
def test_lengths_margins_and_deviations_are_rounded_safely(
    problem: tuple, margin: float, exponent: int
) -> None:
    X, y, weights = problem
    given_weights = np.ldexp(weights, exponent)
    lacking = bounds.deviations(X, y, given_weights[:-1], given_weights[-1], margin=margin)
    least = bounds.geometric_margin(X, y, given_weights[:-1], given_weights[-1])
    lengths = bounds.sample_lengths(X)
    with localcontext() as context:
        context.prec = 60
        norm = _root(exact_dot(weights, weights))
        exact = []
        for x, label, value, length in zip(extended(X, 1.0), y, lacking, lengths, strict=True):
            exact.append(_decimal((1 if label == 7 else -1) * exact_dot(x, weights)) / norm)
            truth = max(Decimal(0), Decimal(margin) - exact[-1])
            assert truth <= Decimal(float(value)) <= truth + Decimal("1e-13")
            assert _root(exact_dot(x, x)) <= Decimal(float(length))
        truth = max(Decimal(0), min(exact))
        assert truth - Decimal("1e-13") <= Decimal(least) <= truth


def _decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)


def _root(number: Fraction) -> Decimal:
    return _decimal(number).sqrt()


@given(awkward(), st.booleans())
def test_storage_does_not_matter(problem: tuple, intercept: bool) -> None:
    X, y, weights = problem
    if not intercept:
        weights[-1] = 0.0
        assume(weights.any())
    X = X.astype(np.float32)
    options = {"fit_intercept": intercept}
    kinds = [X, X.astype(np.float64), sp.csr_array(X), sp.coo_matrix(X), X.tolist()]
    radii = {bounds.radius(kind, **options) for kind in kinds}
    assert len(radii) == 1
    coef = [weights[:-1]]
    for function, extra in [(bounds.deviations, {"margin": 0.4}), (bounds.geometric_margin, {})]:
        values = [function(kind, y, coef, [weights[-1]], **options, **extra) for kind in kinds]
        for value in values:
            np.testing.assert_allclose(value, values[0], rtol=1e-13, atol=1e-13)


def test_the_margin_of_the_best_weights_is_the_maximum_margin() -> None:
    X, y = np.array([[3, 3], [4, 3], [1, 1]]), np.array([1, 1, -1])
    squared = max_margin_squared(extended(X, 1.0) * y[:, None])
    margin = bounds.geometric_margin(X, y, [1, 1], -4)
    assert margin**2 == pytest.approx(float(squared), rel=1e-14)
    assert Fraction(margin) ** 2 <= squared
    p = Perceptron().fit(X, y)
    assert p.n_mistakes_ <= bounds.mistake_bound(bounds.radius(X), p.margin_.lower)


def test_extreme_numbers_give_bounds_or_infinity() -> None:
    assert bounds.mistake_bound(1.0, 1e-200) == math.inf
    assert bounds.mistake_bound_with_hinge(1.0, 1e-200, [0.0]) == math.inf
    assert bounds.mistake_bound_with_deviations(1.0, 1e-200, [0.0]) == math.inf
    assert bounds.mistake_bound_with_hinge(1.0, 1.0, [1e308], epochs=9) == math.inf
    assert bounds.instance_mistake_bound([1e200], 1e200) == pytest.approx(1.0)
    assert bounds.radius([[1e-200]], fit_intercept=False) == pytest.approx(1e-200, rel=1e-13)
    assert bounds.radius([[1e200]]) == pytest.approx(1e200, rel=1e-13)
    assert bounds.geometric_margin([[1e308] * 3, [-1e308] * 3], [1, 0], [1, 1, 1]) == 0.0


X, Y = [[1.0, 2.0], [3.0, 4.0]], [0, 1]
DAMAGED = sp.csr_array(np.ones((2, 2)))
DAMAGED.indices[3] = 7


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: bounds.mistake_bound(0, 1),
            "radius=0 is not accepted: use a finite number above 0",
        ),
        (lambda: bounds.mistake_bound(1, -1), "margin=-1 is not accepted"),
        (lambda: bounds.mistake_bound(1, math.nan), "margin=nan is not accepted"),
        (lambda: bounds.mistake_bound(1, True), "margin=True is not accepted"),
        (lambda: bounds.mistake_bound("1", 1), "radius='1' is not accepted"),
        (lambda: bounds.mistake_bound(1, 2), "margin=2 is above radius=1"),
        (lambda: bounds.mistake_bound(1, 1, start_norm=-1), "start_norm=-1 is not accepted"),
        (lambda: bounds.mistake_bound(1, 1, eta0=0), "eta0=0 is not accepted"),
        (lambda: bounds.instance_mistake_bound([[1.0]], 1), "lengths has shape"),
        (lambda: bounds.instance_mistake_bound([-1.0], 1), "lengths must be finite and at least 0"),
        (lambda: bounds.instance_mistake_bound([1.0], 1, counts=[1, 2]), "counts has shape"),
        (lambda: bounds.instance_mistake_bound([1.0], 1, counts=[0.5]), "counts has shape"),
        (lambda: bounds.instance_mistake_bound([1.0], 1, counts=[-1]), "counts has shape"),
        (lambda: bounds.mistake_bound_with_hinge(1, 1, []), "deviations has shape"),
        (lambda: bounds.mistake_bound_with_hinge(1, 1, [math.inf]), "deviations must be finite"),
        (lambda: bounds.mistake_bound_with_deviations(1, 1, [1.0], epochs=0), "epochs=0"),
        (
            lambda: bounds.mistake_bound_with_deviations(1, 1, [1.0], counts=[1], epochs=2),
            "counts and epochs=2 are both given",
        ),
        (lambda: bounds.mistake_bound(1, 1, shards=10**400), "shards"),
        (lambda: bounds.mistake_bound_with_hinge(1, 1, [1.0], epochs=10**400), "epochs"),
        (lambda: bounds.radius([1.0, 2.0]), "X has shape (2,)"),
        (lambda: bounds.radius(np.zeros((0, 2))), "X has shape (0, 2)"),
        (lambda: bounds.radius([[1j]]), "X has shape (1, 1) and type complex128"),
        (lambda: bounds.radius([["a"]]), "X has shape (1, 1) and type <U1"),
        (lambda: bounds.radius([[0.0], [math.nan]]), "row 1 of X has no finite length"),
        (lambda: bounds.radius([[math.inf]]), "row 0 of X has no finite length"),
        (lambda: bounds.radius(DAMAGED), "X is not a valid sparse matrix"),
        (lambda: bounds.geometric_margin(X, Y, [1.0]), "but X has 2 features"),
        (lambda: bounds.geometric_margin(X, Y, [0.0, 0.0]), "not all zero"),
        (lambda: bounds.geometric_margin(X, Y, ["a", "b"]), "must be numbers"),
        (lambda: bounds.geometric_margin(X, [0], [1, 1]), "y has shape (1,), but X has 2 rows"),
        (lambda: bounds.geometric_margin(X, [1, 1], [1, 1]), "y has 1 classes"),
        (
            lambda: bounds.geometric_margin(X, Y, [1, 1], 1, fit_intercept=False),
            "fit_intercept=False has no intercept",
        ),
        (lambda: bounds.deviations(X, Y, [1, 1], margin=0), "margin=0 is not accepted"),
        (
            lambda: bounds.deviations([[1e308] * 3] * 2, Y, [1, 1, 1], margin=1),
            "the scores of X are not finite",
        ),
    ],
)
def test_errors_name_the_invalid_argument(call: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert message in str(caught.value)
