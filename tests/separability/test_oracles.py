"""Comparison with known answers and other solvers: tables, theorems, brute force, HiGHS, NNLS."""

from fractions import Fraction
from itertools import permutations, product
from math import comb, exp, pi, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, linprog, nnls
from scipy.stats import norm

from hulls import affine_gamma_squared, gamma_squared, signed
from rosenblatt import HullIntersection, SeparatingHyperplane, Verdict, separate
from separation_checks import SETTINGS
from strategies import INTEGERS, labels, matrices

TABLE = np.array(list(product([0, 1], repeat=2)), dtype=float)
WORKED = [
    # gate, coding, labels of 00 01 10 11, γ*², bound, direction of w, weights of the rows
    ("AND", "±1", [0, 0, 0, 1], Fraction(1, 3), 9, (1, 1, -1), {1: 1, 2: 1, 3: 1}),
    ("OR", "±1", [0, 1, 1, 1], Fraction(1, 3), 9, (1, 1, 1), {0: 1, 1: 1, 2: 1}),
    ("NAND", "±1", [1, 1, 1, 0], Fraction(1, 3), 9, (-1, -1, 1), {1: 1, 2: 1, 3: 1}),
    ("AND", "0/1", [0, 0, 0, 1], Fraction(1, 17), 51, (2, 2, -3), {1: 5, 2: 5, 3: 7}),
    ("OR", "0/1", [0, 1, 1, 1], Fraction(1, 9), 27, (2, 2, -1), {0: 5, 1: 2, 2: 2}),
    ("NAND", "0/1", [1, 1, 1, 0], Fraction(1, 17), 51, (-2, -2, 3), {1: 5, 2: 5, 3: 7}),
]


def _coded(coding: str) -> np.ndarray:
    return TABLE if coding == "0/1" else 2 * TABLE - 1


def _direction(weights: tuple[int, ...]) -> tuple[Fraction, ...]:
    return tuple(Fraction(weight, abs(weights[0])) for weight in weights)


def _shares(combination: dict[int, int]) -> dict[int, Fraction]:
    total = sum(combination.values())
    return {row: Fraction(count, total) for row, count in combination.items()}


def _contains(interval: tuple[float, float], squared: Fraction) -> bool:
    lower, upper = map(Fraction, interval)
    return lower >= 0 and lower**2 <= squared <= upper**2


@pytest.mark.parametrize(
    ("gate", "coding", "y", "squared", "bound", "weights", "counts"),
    WORKED,
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_truth_tables(
    gate: str,
    coding: str,
    y: list[int],
    squared: Fraction,
    bound: int,
    weights: tuple[int, ...],
    counts: dict[int, int],
) -> None:
    X = _coded(coding)
    s = separate(X, y, exact=True)
    assert s.verdict is Verdict.SEPARABLE, gate
    assert s.squared_margin == squared
    assert s.mistake_bound == bound
    assert _direction(s.certificate.weights) == _direction(weights)
    assert _shares(s.certificate.combination) == _shares(counts)
    assert s.support.tolist() == sorted(counts)
    assert s.certificate.lower_squared == s.certificate.upper_squared == squared
    assert s.certificate.verify(X, y, exact=True)
    # In floats: the same number, within the tolerance, and the same bound.
    f = separate(X, y)
    assert _contains(f.margin, squared)
    assert f.margin.upper - f.margin.lower <= 1e-6 * f.margin.upper
    assert f.mistake_bound == bound


@pytest.mark.parametrize("coding", ["±1", "0/1"])
@pytest.mark.parametrize("options", SETTINGS[1:], ids=str)
@pytest.mark.parametrize("y", [[0, 1, 1, 0], [1, 0, 0, 1]], ids=["XOR", "XNOR"])
def test_xor_needs_all_four_rows_equally(coding: str, options: dict, y: list[int]) -> None:
    s = separate(_coded(coding), y, **options)
    assert s.verdict is Verdict.INSEPARABLE
    assert s.certificate.combination == {0: 1, 1: 1, 2: 1, 3: 1}
    assert s.conflicts[0].rows == (0, 1, 2, 3)
    assert s.support.tolist() == [0, 1, 2, 3]
    assert s.certificate.verify(_coded(coding), y)


def test_li_hang() -> None:
    X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    s = separate(X, y, exact=True)
    assert s.squared_margin == Fraction(2, 9)
    assert _direction(s.certificate.weights) == _direction((1, 1, -4))
    assert _shares(s.certificate.combination) == {0: Fraction(5, 18), 2: Fraction(13, 18)}
    assert s.radius**2 == pytest.approx(26, rel=1e-12)
    assert s.mistake_bound == 117
    # The hulls are the points (3, 3) and (1, 1): half their distance is √2.
    assert separate(X, y, exact=True, margin="affine").squared_margin == 2


@pytest.mark.parametrize("n", [2, 3, 5, 16])
def test_orthonormal_rows(n: int) -> None:
    signs = np.array([1, -1] * n)[:n]
    s = separate(np.eye(n) * signs[:, None], signs, fit_intercept=False, exact=True)
    assert s.squared_margin == Fraction(1, n)
    assert s.mistake_bound == n
    assert _shares(s.certificate.combination) == dict.fromkeys(range(n), Fraction(1, n))


@pytest.mark.parametrize("n", [1, 3, 5, 7])
def test_the_majority_of_an_odd_number_of_inputs(n: int) -> None:
    X = np.array(list(product([-1.0, 1.0], repeat=n)))
    y = X.sum(axis=1) > 0
    s = separate(X, y, fit_intercept=False, exact=True)
    assert s.squared_margin == Fraction(1, n)
    assert s.mistake_bound == n**2
    assert len(set(s.certificate.weights[:n])) == 1
    assert _contains(separate(X, y, fit_intercept=False).margin, Fraction(1, n))


@pytest.mark.parametrize("e", [0.5, 1e-3, 1e-8, 1e-12, 1e-15, 1e-100, 1e-200])
def test_two_rows_that_nearly_cancel(e: float) -> None:
    X, y = [[1.0, e], [1.0, -e]], [1, 0]
    s = separate(X, y, fit_intercept=False)
    assert s.verdict is Verdict.SEPARABLE
    assert _contains(s.margin, Fraction(e) ** 2)
    assert s.margin.upper - s.margin.lower <= 1e-6 * s.margin.upper
    exact = separate(X, y, fit_intercept=False, exact=True)
    assert exact.squared_margin == Fraction(e) ** 2
    assert _shares(exact.certificate.combination) == {0: Fraction(1, 2), 1: Fraction(1, 2)}
    assert separate(X, y, margin="affine", exact=True).squared_margin == Fraction(e) ** 2


# Brute force in rational arithmetic.


@st.composite
def tiny(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    X = draw(matrices(INTEGERS, st.integers(2, 6), st.integers(1, 3)))
    return X, draw(labels(len(X), [0, 1]))


def _brute(X: np.ndarray, y: np.ndarray, options: dict) -> Fraction:
    signs = np.where(y == 1, 1, -1).tolist()
    if options.get("margin") == "affine":
        return affine_gamma_squared(X, signs)
    return gamma_squared(signed(X, signs, constant=options.get("fit_intercept", True)))


def _check_against_brute_force(X: np.ndarray, y: np.ndarray, options: dict) -> None:
    squared = _brute(X, y, options)
    exact = separate(X, y, exact=True, **options)
    assert exact.squared_margin == squared
    assert (exact.verdict is Verdict.SEPARABLE) == (squared > 0)
    floats = separate(X, y, **options)
    assert floats.verdict is exact.verdict
    assert _contains(floats.margin, squared)
    kind = SeparatingHyperplane if squared > 0 else HullIntersection
    for s in (exact, floats):
        assert isinstance(s.certificate, kind)
        assert s.certificate.verify(X, y)
        assert s.certificate.verify(X, y, exact=True)


@given(tiny(), st.sampled_from(SETTINGS))
def test_brute_force(problem: tuple[np.ndarray, np.ndarray], options: dict) -> None:
    _check_against_brute_force(*problem, options)


@pytest.mark.slow
@settings(max_examples=800)
@given(tiny(), st.sampled_from(SETTINGS))
def test_brute_force_on_many_examples(
    problem: tuple[np.ndarray, np.ndarray], options: dict
) -> None:
    _check_against_brute_force(*problem, options)


# HiGHS and NNLS: other people's solvers, on many random problems.


def _random_problem(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return integers with many ties, or Gaussian numbers; about half of the sets are separable."""
    d = int(rng.integers(1, 9))
    n = int(rng.integers(2, 3 * d + 3))
    shape = (n, d)
    X = rng.integers(-3, 4, shape).astype(float) if rng.random() < 0.7 else rng.normal(size=shape)
    y = rng.integers(0, 2, n)
    if rng.random() < 0.3:
        y = (X @ rng.integers(-2, 3, d) > 0).astype(int)
    y[:2] = [0, 1]
    return X, y


def _highs_separates(Z: np.ndarray) -> bool:
    ones = np.ones(len(Z))
    status = linprog(np.zeros(Z.shape[1]), A_ub=-Z, b_ub=-ones, bounds=(None, None)).status
    assert status in (0, 2)  # a solution, or none exists
    return bool(status == 0)


def _nnls_margin(Z: np.ndarray) -> float:
    u, residual = nnls(np.vstack([Z.T, np.ones(len(Z))]), np.append(np.zeros(Z.shape[1]), 1.0))
    return float(np.linalg.norm(Z.T @ u) / u.sum()) if residual > 1e-9 else 0.0


def _compare_with_others(n_problems: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_separable = 0
    for k in range(n_problems):
        X, y = _random_problem(rng)
        intercept = bool(k % 2)
        Z = np.column_stack([X, np.ones(len(X))]) if intercept else X
        Z = Z * np.where(y, 1.0, -1.0)[:, None]
        s = separate(X, y, fit_intercept=intercept)
        case = (X.tolist(), y.tolist(), intercept)
        assert s.verdict is not Verdict.UNDECIDED, case
        assert (s.verdict is Verdict.SEPARABLE) == _highs_separates(Z), case
        margin = _nnls_margin(Z)
        assert s.margin.lower * (1 - 1e-9) <= margin <= s.margin.upper * (1 + 1e-6), case
        assert s.certificate.verify(X, y), case
        n_separable += s.verdict is Verdict.SEPARABLE
    assert 0.2 * n_problems < n_separable < 0.8 * n_problems


def test_highs_and_nnls_agree() -> None:
    _compare_with_others(500, seed=0)


@pytest.mark.slow
def test_highs_and_nnls_agree_on_many_problems() -> None:
    _compare_with_others(4000, seed=1)


def test_highs_agrees_on_larger_problems() -> None:
    rng = np.random.default_rng(2)
    verdicts = set()
    for n, d in [(300, 40), (90, 60), (2000, 12), (60, 300)]:
        X = rng.normal(size=(n, d))
        for y in (rng.integers(0, 2, n), (X[:, 0] > 0.1).astype(int)):
            Z = np.column_stack([X, np.ones(n)]) * np.where(y, 1.0, -1.0)[:, None]
            s = separate(X, y)
            assert (s.verdict is Verdict.SEPARABLE) == _highs_separates(Z)
            assert s.margin.lower * (1 - 1e-9) <= _nnls_margin(Z) <= s.margin.upper * (1 + 1e-6)
            verdicts.add(s.verdict)
    assert verdicts == {Verdict.SEPARABLE, Verdict.INSEPARABLE}


# Gardner's capacity and Cover's count.


def _capacity(kappa: float) -> float:
    density = exp(-(kappa**2) / 2) / sqrt(2 * pi)
    return float(1 / ((1 + kappa**2) * norm.cdf(kappa) + kappa * density))


@pytest.mark.parametrize("alpha", [0.5, 1.0, 1.5])
def test_gardners_capacity(alpha: float) -> None:
    d, n_seeds = 80, 20
    kappa = brentq(lambda k: _capacity(k) - alpha, 0.0, 3.0)
    margins = []
    for seed in range(n_seeds):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(round(alpha * d), d))
        margins.append(separate(X, rng.integers(0, 2, len(X)), fit_intercept=False).margin.upper)
    assert abs(np.mean(margins) - kappa) < 3 / sqrt(d * n_seeds)


def test_above_the_capacity_almost_nothing_is_separable_and_below_almost_all_is() -> None:
    d = 60
    for alpha, expected in [(1.5, Verdict.SEPARABLE), (2.5, Verdict.INSEPARABLE)]:
        found = 0
        for seed in range(20):
            rng = np.random.default_rng(seed)
            X = rng.normal(size=(round(alpha * d), d))
            found += (
                separate(X, rng.integers(0, 2, len(X)), fit_intercept=False).verdict is expected
            )
        assert found >= 18, alpha


def _cover(n: int, d: int) -> int:
    return 2 * sum(comb(n - 1, k) for k in range(d))


@pytest.mark.parametrize(("n", "d"), [(8, 3), (7, 2), (6, 4), (5, 1)])
def test_cover_counts_the_dichotomies_through_the_origin(n: int, d: int) -> None:
    points = np.random.default_rng(n * d).normal(size=(n, d))
    y = np.arange(n) % 2
    separable = 0
    for signs in product([-1, 1], repeat=n):
        # Negating a sample and its label changes nothing, so y can stay the same.
        turned = points * (np.array(signs) * np.where(y, 1, -1))[:, None]
        separable += separate(turned, y, fit_intercept=False).verdict is Verdict.SEPARABLE
    assert separable == _cover(n, d)


@pytest.mark.parametrize("margin", ["augmented", "affine"])
def test_cover_counts_the_dichotomies_with_an_intercept(margin: str) -> None:
    n, d = 8, 3
    points = np.random.default_rng(7).normal(size=(n, d))
    separable = 2  # all samples on one side
    for y in product([0, 1], repeat=n):
        if 0 < sum(y) < n:
            separable += separate(points, y, margin=margin).verdict is Verdict.SEPARABLE
    assert separable == _cover(n, d + 1) == 128


def _count_threshold_functions(n: int) -> int:
    X = np.array(list(product([0, 1], repeat=n)), dtype=np.int8)
    count = 1
    for bits in range(1, 2 ** (len(X) - 1)):  # the others are their complements
        y = bits >> np.arange(len(X)) & 1
        count += separate(X, y).verdict is Verdict.SEPARABLE
    return 2 * count


@pytest.mark.parametrize(("n", "count"), [(1, 4), (2, 14), (3, 104)])
def test_the_number_of_threshold_functions(n: int, count: int) -> None:
    assert _count_threshold_functions(n) == count


def test_the_number_of_threshold_functions_of_four_inputs_up_to_symmetry() -> None:
    # Inputs may be permuted and negated, and so may the output: one of each kind is decided.
    X = np.array(list(product([0, 1], repeat=4)))
    powers = 1 << np.arange(4)[::-1]
    moves = [
        (X[:, list(order)] ^ np.array(flips)) @ powers
        for order in permutations(range(4))
        for flips in product([0, 1], repeat=4)
    ]
    weights = 1 << np.arange(16)
    seen: set[int] = set()
    kinds = count = 0
    for bits in range(1, 2**16 - 1):
        if bits not in seen:
            y = bits >> np.arange(16) & 1
            turned = {int(y[move] @ weights) for move in moves}
            orbit = turned | {2**16 - 1 - other for other in turned}
            seen |= orbit
            kinds += 1
            count += len(orbit) * (separate(X, y).verdict is Verdict.SEPARABLE)
    assert kinds == 221  # and the constants
    assert count + 2 == 1882


@pytest.mark.slow
def test_the_number_of_threshold_functions_of_four_inputs() -> None:
    assert _count_threshold_functions(4) == 1882
