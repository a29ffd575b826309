"""The convergence proof along runs: its quantities match the run, and its inequalities hold."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bundled import sonar_arrays
from rosenblatt import InputError, Perceptron, bounds, convergence, separate, trace
from rosenblatt.lectures.convergence import odd_max_bit
from rosenblatt.lectures.trace import Trace, worked_example
from strategies import Separable, separable

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

RATES = st.sampled_from([1.0, 0.25, 8.0])
STARTS = st.none() | st.integers(-9, 9)


def _exact_quantities(run: Trace, separator: list[float]) -> tuple[list[Fraction], list[Fraction]]:
    """Return the products with a separator of any length, and the squared norms, from the visits."""
    after = [run.visits[0].weights_before]
    after += [visit.weights_after for visit in run if visit.update]
    exact = [[Fraction(w) for w in weights] for weights in after]
    return (
        [sum(w * Fraction(u) for w, u in zip(ws, separator, strict=True)) for ws in exact],
        [sum(w * w for w in ws) for ws in exact],
    )


@settings(max_examples=30)
@given(separable(), RATES, STARTS, st.sampled_from(["cyclic", "shuffle"]))
def test_the_quantities_match_the_weights(
    made: Separable, eta0: float, start: int | None, order: str
) -> None:
    """With whole numbers, so that updates are exact, from zero and from a given start."""
    coef_init = None if start is None else np.full(made.X.shape[1], float(start))
    options = {"fit_intercept": False, "eta0": eta0, "order": order, "max_iter": 50}
    run = trace(made.X, made.signs, coef_init=coef_init, **options)
    proof = convergence(run, (made.truth, 0.0))
    products, squares = _exact_quantities(run, made.truth.tolist())
    norm = math.sqrt(made.truth_squared)
    assert np.allclose(proof.products, [float(p) / norm for p in products], rtol=1e-12, atol=1e-9)
    assert np.allclose(proof.squared_norms, [float(s) for s in squares], rtol=1e-12, atol=1e-9)
    assert proof.holds
    assert proof.mistakes == sum(visit.update for visit in run)
    assert proof.visits == len(run)
    # The same run, as a recorded fit.
    p = Perceptron(record=True, **options).fit(made.X, made.signs, coef_init=coef_init)
    for X in (made.X, sp.csr_array(made.X)):
        same = convergence(p, (made.truth, 0.0), X, made.signs)
        assert same.rows.tolist() == proof.rows.tolist()
        assert same.epochs is not None
        assert proof.epochs is not None
        assert same.epochs.tolist() == proof.epochs.tolist()
        assert np.allclose(same.squared_norms, proof.squared_norms, rtol=1e-12, atol=1e-9)
        assert same.visits == proof.visits
        assert same.mistake_bound == proof.mistake_bound
        assert same.holds


@given(separable(), RATES, STARTS)
@example(Separable(np.array([[1, 0], [-1, 0]]), np.array([1, -1]), np.array([1, 0]), 1), 1.0, None)
def test_the_bounds_match_the_theorem(made: Separable, eta0: float, start: int | None) -> None:
    coef_init = None if start is None else np.full(made.X.shape[1], float(start))
    run = trace(
        made.X, made.signs, coef_init=coef_init, fit_intercept=False, eta0=eta0, max_iter=10**4
    )
    proof = convergence(run, (made.truth, 0.0))
    options = {"fit_intercept": False}
    bound = bounds.mistake_bound(
        bounds.radius(made.X, **options),
        bounds.geometric_margin(made.X, made.signs, made.truth, **options),
        start_norm=proof.start_norm,
        eta0=eta0,
    )
    assert proof.mistake_bound in (math.floor(bound), math.floor(bound * (1 - 1e-12)))
    assert proof.mistakes <= proof.mistake_bound
    assert proof.visit_bound == bounds.visit_bound(proof.mistake_bound, len(made.X))
    assert proof.epoch_bound == bounds.epoch_bound(proof.mistake_bound)
    assert len(run) <= proof.visit_bound


def test_a_run_may_visit_more_than_bound_times_samples() -> None:
    run = trace([[1, 0], [-1, 0]], [1, -1], fit_intercept=False)
    proof = convergence(run)
    assert (proof.mistake_bound, proof.visits, proof.visit_bound) == (1, 4, 4)


PARAMETERS = [
    {},
    {"fit_intercept": False, "eta0": 0.3},
    {"class_weight": {1: 2.5}},
    {"order": "random"},
    {"margin": 0.5},
    {"margin": 3.0, "eta0": 0.25, "class_weight": {1: 2.5}},
]


def _made() -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).normal(size=(60, 3)).round(2)
    X += 0.3 * np.sign(X[:, :1])
    return X, np.where(X[:, 0] > 0, 1, -1)


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_the_proof_holds_for_every_run(parameters: dict) -> None:
    _check_run(parameters)


@pytest.mark.parametrize("eta0", [1.0, 0.1])
def test_the_proof_holds_from_a_random_start(eta0: float) -> None:
    intercept, *coef = np.random.default_rng(1).standard_normal(4)
    _check_run({"eta0": eta0}, coef_init=coef, intercept_init=intercept)


def _check_run(parameters: dict, **start: object) -> None:
    X, y = _made()
    p = Perceptron(record=True, **parameters).fit(X, y, **start)
    proof, of_trace = (
        convergence(p, None, X, y),
        convergence(trace(X, y, **{"order": "shuffle", **parameters, **start})),
    )
    weights = np.append(p.coef_, p.intercept_)
    assert math.isclose(proof.squared_norms[-1], weights @ weights, rel_tol=1e-12)
    for each in (proof, of_trace):
        assert each.holds
        assert (each.cosines[1:] >= each.cosines_floor[1:] - 1e-12).all()
    assert np.allclose(proof.products, of_trace.products, rtol=1e-5)  # two searches for w*
    assert (proof.visit_bound is None) == (parameters.get("order") == "random")


def test_the_cosine_may_fall_but_its_lower_bound_rises() -> None:
    proof = convergence(trace([[3, 3], [4, 3], [1, 1]], [1, 1, -1]), ([1, 1], -4))
    assert (np.diff(proof.cosines[1:]) < 0).any()
    assert (np.diff(proof.cosines_floor[1:]) > 0).all()
    assert math.isnan(proof.cosines[0])
    assert math.isnan(proof.cosines_floor[0])


def test_a_start_on_the_wrong_side() -> None:
    """The lower bound of the products is then negative, and that of the cosine is -1."""
    proof = convergence(worked_example(coef_init=[-9, 0]), ([2, -1], 0))
    assert proof.products_floor[0] == proof.products[0] < 0.0
    assert proof.cosines_floor[0] == -1.0
    assert proof.squared_norms_floor[0] == 0.0
    assert proof.holds


def test_false_records_do_not_hold() -> None:
    """The inequalities are checked, not assumed: they fail if updates are made up."""
    run = worked_example()
    last = run.visits[-1]
    made_up = Trace(
        [*run.visits, *[type(last)(**{**vars(last), "update": True})] * 20],
        run.outcome,
        run.weights,
        run.has_intercept,
        run.eta0,
    )
    assert not convergence(made_up, ([2, -1], 0)).holds


def test_the_proof_holds_for_many_updates_on_sonar() -> None:
    X, y = sonar_arrays()
    s = separate(X, y, tolerance=0.1)
    p = Perceptron(keep="last", record=True, max_iter=2000).fit(X, y)
    proof = convergence(p, s, X, y)
    assert proof.mistakes > 10_000
    assert proof.holds
    weights = np.append(p.coef_, p.intercept_)
    assert math.isclose(proof.squared_norms[-1], weights @ weights, rel_tol=1e-9)


X, Y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
FITTED = Perceptron(record=True).fit(X, Y)


def test_the_margin_of_the_run_is_used_not_the_current_parameter() -> None:
    p = Perceptron(margin=5, record=True, order="cyclic").fit(X, Y)
    before = convergence(p, None, X, Y)
    p.margin = 0
    after = convergence(p, None, X, Y)
    assert (after.required, after.mistake_bound) == (5.0, before.mistake_bound)


def test_samples_of_weight_0_are_not_part_of_the_proof() -> None:
    rows, labels = [*X, [9, 9]], [*Y, -1]
    weighted = Perceptron(record=True).fit(rows, labels, sample_weight=[1, 1, 1, 0])
    proof = convergence(weighted, None, rows, labels)
    assert (proof.n_samples, proof.holds) == (3, True)
    one_class = Perceptron(record=True, class_weight={1: 0, -1: 1}, fit_intercept=False)
    proof = convergence(one_class.fit(rows, labels), None, rows, labels)
    assert (proof.n_samples, proof.holds) == (2, True)


@pytest.mark.parametrize("scale", [5e-324, 1e-310, 4.4e307])
def test_separators_of_any_length(scale: float) -> None:
    plain = convergence(trace(X, Y), ([1, 1], -4))
    scaled = convergence(trace(X, Y), ([scale, scale], -4 * scale))
    assert abs(scaled.margin / plain.margin - 1) < 1e-14
    assert scaled.mistake_bound == plain.mistake_bound


@pytest.mark.parametrize(
    ("run", "given_", "message"),
    [
        (worked_example(), (([1, 0], 0),), "row 2 has the margin 0"),
        (worked_example(), (([1, 0, 0], 0),), "3 weights, but the samples of the run have 2"),
        (worked_example(fit_intercept=False), (([2, -1], 1),), "the run has none"),
        (trace([[0], [1], [2]], [1, -1, 1], max_iter=3), (), "INSEPARABLE: no weights of the"),
        (FITTED, (), "X or y is missing"),
        (FITTED, (None, X, [1, -1, 1]), "not the data of the run"),
        (Perceptron().fit(X, Y), (None, X, Y), "record=True"),
        (Perceptron(record=True), (None, X, Y), "has no ledger_"),
        (Perceptron(record=True).fit(X, [1, 2, 3]), (None, X, [1, 2, 3]), "3 halfspaces"),
        (3, (), "this int has no ledger_"),
    ],
)
def test_invalid_arguments_are_refused(run: object, given_: tuple, message: str) -> None:
    with pytest.raises(InputError, match=message):
        convergence(run, *given_)


@pytest.mark.parametrize(
    ("n", "margin", "mistakes"), [(3, 0.2, 23), (5, 0.079, 137), (7, 0.030, 849)]
)
def test_the_margin_of_odd_max_bit_is_exponentially_small(
    n: int, margin: float, mistakes: int
) -> None:
    X, y = odd_max_bit(n)
    found = separate(X, y)
    assert round(found.margin.lower, 3) == round(found.margin.upper, 3) == margin
    p = Perceptron(order="cyclic").fit(X, y)
    assert p.n_mistakes_ == mistakes <= found.mistake_bound


@pytest.mark.parametrize("n", range(1, 9))
def test_odd_max_bit_matches_its_definition(n: int) -> None:
    X, y = odd_max_bit(n)
    for number, (row, label) in enumerate(zip(X.tolist(), y.tolist(), strict=True)):
        assert sum(digit << place for place, digit in enumerate(row)) == number
        assert label == (1 if number.bit_length() % 2 == 1 else -1)
    # Weights that alternate in sign and double; the -1 is for the sample 0.
    weights = [-((-2) ** (place + 1)) for place in range(n)]
    assert (np.sign(X @ weights - 1) == y).all()
