"""The risk bounds on numbers: against brute force, exact enumeration and the published examples."""

import math
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import nnls
from scipy.stats import beta

from rosenblatt import InputError, bounds
from rosenblatt.bounds.tail_probabilities import kl_inverse, level_of, log_binomial, tail_inverse

deltas = st.sampled_from([1e-9, 0.01, 0.05, 0.5, 0.99])


@st.composite
def parts(draw: st.DrawFn, most: int = 2000) -> tuple[int, int]:
    n = draw(st.integers(1, most))
    return draw(st.integers(0, n)), n


def _kl(k: int, n: int, p: Decimal) -> Decimal:
    ups = k * (Decimal(k) / n / p).ln() if k else Decimal(0)
    downs = (n - k) * (Decimal(n - k) / n / (1 - p)).ln() if k < n else Decimal(0)
    return ups + downs


@given(parts(), deltas)
def test_the_kl_inverse_is_the_least_upper_end(part: tuple[int, int], delta: float) -> None:
    k, n = part
    value = bounds.kl_risk_bound(k, n, delta)
    assert k / n <= value <= 1.0
    with localcontext() as context:
        context.prec = 50
        level = (Decimal(n + 1) / Decimal(delta)).ln()
        if value < 1.0:
            assert _kl(k, n, Decimal(value)) >= level
        below = Decimal(k) / n + (Decimal(value) - Decimal(k) / n) * (1 - Decimal("1e-9"))
        if 0 < below < 1:
            assert _kl(k, n, below) < level


@given(parts(60), deltas)
def test_the_kl_inverse_against_a_grid(part: tuple[int, int], delta: float) -> None:
    k, n = part
    grid = np.linspace(k / n, 1, 20_001)[1:-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = (k * np.log(k / n / grid) if k else 0.0) + (n - k) * np.log(
            (1 - k / n) / (1 - grid)
        )
    beyond = grid[entropy > math.log((n + 1) / delta)]
    brute = beyond[0] if beyond.size and k < n else 1.0
    assert bounds.kl_risk_bound(k, n, delta) == pytest.approx(brute, abs=1e-4)


def _tail(k: int, n: int, p: Fraction) -> Fraction:
    return sum((math.comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(k + 1)), Fraction(0))


@given(parts(40), deltas)
def test_the_tail_inverse_against_exact_sums(part: tuple[int, int], delta: float) -> None:
    k, n = part
    value = Fraction(bounds.held_out_risk_bound(k, n, delta))
    if k == n:
        assert value == 1
        return
    assert _tail(k, n, value) <= Fraction(delta)
    assert _tail(k, n, value * (1 - Fraction(1, 10**9))) > Fraction(delta)


@given(parts(), deltas)
def test_the_tail_inverse_is_the_quantile_of_a_beta(part: tuple[int, int], delta: float) -> None:
    k, n = part
    assume(k < n)
    expected = beta.isf(delta, k + 1, n - k)
    assert bounds.held_out_risk_bound(k, n, delta) == pytest.approx(expected, rel=1e-8)


@given(parts(), st.floats(1e-3, 1e4))
def test_the_tail_is_sharper_than_the_relative_entropy(part: tuple[int, int], level: float) -> None:
    k, n = part
    assert tail_inverse(k, n, level) <= kl_inverse(k, n, level) * (1 + 1e-9)


@given(parts())
def test_the_logarithm_of_a_binomial_is_not_too_small(part: tuple[int, int]) -> None:
    k, n = part
    with localcontext() as context:
        context.prec = 40
        exact = Decimal(math.comb(n, k)).ln()
        assert exact <= Decimal(log_binomial(n, k)) <= exact * (1 + Decimal("2e-12"))


@given(deltas, st.integers(1, 10**12))
def test_a_level_is_not_too_small(delta: float, choices: int) -> None:
    with localcontext() as context:
        context.prec = 40
        exact = (Decimal(choices) / Decimal(delta)).ln()
        assert exact <= Decimal(level_of(delta, choices)) <= exact * (1 + Decimal("1e-14"))


def test_levels_beyond_float64() -> None:
    # 1/(n choose k) is far below the smallest float64 here.
    assert bounds.compression_risk_bound(50_000, 100_000, 1e-300) == pytest.approx(0.75, abs=0.01)
    assert bounds.kl_risk_bound(0, 10**9, 1e-300) < 1e-6
    assert bounds.held_out_risk_bound(0, 1, 1e-300) == 1.0


def test_compression_with_errors_against_exact_sums() -> None:
    n, k, e, delta = 500, 120, 50, 0.05
    value = Fraction(bounds.compression_risk_bound(k, n, delta, n_errors=e))
    level = Fraction(delta) / ((n + 1) * math.comb(n, k))
    assert _tail(e, n - k, value) <= level
    assert _tail(e, n - k, value * (1 - Fraction(1, 10**9))) > level


@pytest.mark.parametrize(
    ("n", "k", "expected"), [(12665, 80, 0.0385), (60000, 300, 0.0313), (1000, 1000, 1.0)]
)
def test_the_examples_of_the_compression_bound(n: int, k: int, expected: float) -> None:
    assert round(bounds.compression_risk_bound(k, n, 0.05), 4) == expected


@given(parts(300), deltas)
def test_compression_without_errors_has_a_closed_form(part: tuple[int, int], delta: float) -> None:
    k, n = part
    assume(k < n)
    level = math.log(math.comb(n, k)) + math.log((n + 1) / delta)
    expected = -math.expm1(-level / (n - k))
    value = bounds.compression_risk_bound(k, n, delta)
    assert expected * (1 - 1e-15) <= value <= expected * (1 + 1e-9)


def test_azuma_is_the_formula() -> None:
    assert bounds.azuma_risk_bound(25, 400, 0.1) == pytest.approx(
        25 / 400 + math.sqrt(math.log(10) / 800), rel=1e-13
    )
    assert bounds.azuma_risk_bound(4, 4, 0.1) == 1.0


@given(parts(), deltas)
def test_risk_is_a_probability_and_increases_with_the_mistakes(
    part: tuple[int, int], delta: float
) -> None:
    k, n = part
    assume(k < n)
    for bound in (
        bounds.azuma_risk_bound,
        bounds.kl_risk_bound,
        bounds.held_out_risk_bound,
        bounds.compression_risk_bound,
    ):
        value, more = bound(k, n, delta), bound(k + 1, n, delta)
        assert 0.0 < value <= 1.0
        assert value <= more or bound is bounds.compression_risk_bound


ATOMS = [((1, 0), 1), ((1, 2), 1), ((1, -1), -1), ((1, 2), -1)]
"""Samples and labels of a distribution on four points, one of them with both labels."""

CHANCES = [Fraction(2, 10), Fraction(4, 10), Fraction(3, 10), Fraction(1, 10)]


def _is_wrong(weights: tuple[int, int], atom: tuple) -> bool:
    x, sign = atom
    return sign * (weights[0] * x[0] + weights[1] * x[1]) <= 0


def _hypotheses(sequence: tuple) -> list[tuple[int, int]]:
    """Return the weights before the first visit, and after each."""
    weights = (0, 0)
    seen = [weights]
    for x, sign in sequence:
        if _is_wrong(weights, (x, sign)):
            weights = (weights[0] + sign * x[0], weights[1] + sign * x[1])
        seen.append(weights)
    return seen


def _risk(weights: tuple[int, int]) -> Fraction:
    wrong = zip(ATOMS, CHANCES, strict=True)
    return sum((chance for atom, chance in wrong if _is_wrong(weights, atom)), Fraction(0))


def _sequences(n: int) -> list[tuple[tuple, Fraction]]:
    pairs = list(zip(ATOMS, CHANCES, strict=True))
    return [
        (tuple(atom for atom, _ in draws), math.prod(chance for _, chance in draws))
        for draws in product(pairs, repeat=n)
    ]


def _mistakes(sequence: tuple, seen: list) -> int:
    return sum(_is_wrong(w, atom) for w, atom in zip(seen, sequence, strict=False))


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_the_expected_risk_is_exact_on_an_enumerated_distribution(n: int) -> None:
    mean = sum(
        chance * _mistakes(sequence, _hypotheses(sequence)) for sequence, chance in _sequences(n)
    )
    drawn = voted = Fraction(0)
    for sequence, chance in _sequences(n - 1):
        seen = _hypotheses(sequence)
        drawn += chance * sum(_risk(w) for w in seen) / n
        for atom, one_more in zip(ATOMS, CHANCES, strict=True):
            if 2 * sum(_is_wrong(w, atom) for w in seen) >= n:
                voted += chance * one_more
    assert drawn == mean / n
    assert bounds.expected_risk(float(mean), n) == pytest.approx(float(drawn))
    assert float(voted) <= bounds.expected_risk(float(mean), n, vote=True)


@cache
def _passes(n: int) -> list[tuple[int, Fraction, Fraction]]:
    """Return the mistakes, the mean risk and the probability of every pass over n samples."""
    passes = []
    for sequence, chance in _sequences(n):
        seen = _hypotheses(sequence)[:-1]
        passes.append((_mistakes(sequence, seen), sum(_risk(w) for w in seen) / n, chance))
    return passes


@pytest.mark.parametrize("bound", [bounds.azuma_risk_bound, bounds.kl_risk_bound])
@pytest.mark.parametrize("delta", [0.05, 0.3, 0.6, 0.9])
def test_the_bounds_for_one_pass_on_an_enumerated_distribution(bound: object, delta: float) -> None:
    n = 6
    limits = [bound(k, n, delta) for k in range(n + 1)]
    failures = sum(chance for k, risk, chance in _passes(n) if risk > limits[k])
    assert failures <= delta


def _maximum_margin(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return w with least margin 1 and the least length, and its coefficients (Lawson and Hanson)."""
    system = np.vstack([Z.T, np.ones(len(Z))])
    target = np.zeros(len(system))
    target[-1] = 1.0
    solution, _ = nnls(system, target)
    alpha = solution / solution.sum()
    w = Z.T @ alpha
    return w / (w @ w), alpha


@pytest.mark.parametrize("seed", range(25))
def test_leaving_one_out_of_the_maximum_margin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, d = 20, 3
    Z = rng.normal(size=(n, d))
    Z[:, 0] = np.abs(Z[:, 0]) + 0.05
    w, alpha = _maximum_margin(Z)
    wrong = sum(Z[i] @ _maximum_margin(np.delete(Z, i, axis=0))[0] <= 0 for i in range(n))
    margin = 1 / np.linalg.norm(w)
    radius = float(np.linalg.norm(Z, axis=1).max())
    by_support = bounds.leave_one_out_bound(n, n_support=int((alpha > 1e-12).sum()))
    by_margin = bounds.leave_one_out_bound(n, radius=radius, margin=float(margin))
    both = bounds.leave_one_out_bound(
        n, n_support=int((alpha > 1e-12).sum()), radius=radius, margin=float(margin)
    )
    assert wrong / n <= both == min(by_support, by_margin) <= 1.0


def test_a_wide_margin_leaves_out_less_than_the_support() -> None:
    assert bounds.leave_one_out_bound(10, n_support=9, radius=1.0, margin=0.5) == pytest.approx(0.4)
    assert bounds.leave_one_out_bound(10, radius=1.0, margin=0.01) == 1.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: bounds.kl_risk_bound(3, 2, 0.1),
            "n_mistakes=3 is not accepted: use a whole number",
        ),
        (lambda: bounds.kl_risk_bound(-1, 2, 0.1), "from 0 to 2"),
        (lambda: bounds.kl_risk_bound(1.0, 2, 0.1), "n_mistakes=1.0"),
        (lambda: bounds.kl_risk_bound(True, 2, 0.1), "n_mistakes=True"),
        (lambda: bounds.kl_risk_bound(0, 0, 0.1), "n_samples=0"),
        (
            lambda: bounds.kl_risk_bound(0, 2, 0),
            "delta=0 is not accepted: use a number above 0 and",
        ),
        (lambda: bounds.azuma_risk_bound(0, 2, 1.0), "delta=1.0"),
        (lambda: bounds.azuma_risk_bound(0, 2, True), "delta=True"),
        (lambda: bounds.azuma_risk_bound(0, 2, "5%"), "delta='5%'"),
        (lambda: bounds.azuma_risk_bound(0, 2, math.nan), "delta=nan"),
        (lambda: bounds.held_out_risk_bound(5, 4, 0.1), "n_errors=5"),
        (lambda: bounds.compression_risk_bound(5, 4, 0.1), "n_support=5"),
        (lambda: bounds.compression_risk_bound(3, 4, 0.1, n_errors=2), "from 0 to 1"),
        (lambda: bounds.expected_risk(5, 4), "mean_mistakes=5 is above n_samples=4"),
        (lambda: bounds.expected_risk(-1, 4), "mean_mistakes=-1"),
        (lambda: bounds.held_out_risk_bound(3, 10**400, 0.05), "n_samples of 256 bits or more"),
        (lambda: bounds.held_out_risk_bound(10**12, 10**13, 0.05), "n_errors=1000000000000"),
        (lambda: bounds.azuma_risk_bound(3, 10**5000, 0.05), "from 1 to 9007199254740992"),
        (lambda: bounds.kl_risk_bound(3, 10**17, 0.05), "n_samples=100000000000000000 is not"),
        (lambda: bounds.compression_risk_bound(10**12, 10**13, 0.1), "n_support=1000000000000"),
        (lambda: bounds.expected_risk(3, 10**400), "n_samples"),
        (lambda: bounds.leave_one_out_bound(10**400, n_support=3), "n_samples"),
        (lambda: bounds.leave_one_out_bound(4), "neither n_support nor radius"),
        (lambda: bounds.leave_one_out_bound(4, radius=1.0), "margin=None is not accepted"),
        (lambda: bounds.leave_one_out_bound(4, n_support=5), "n_support=5"),
    ],
)
def test_errors_name_the_invalid_argument(call: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert message in str(caught.value)


def test_the_enumerated_distribution_is_one() -> None:
    assert sum(CHANCES) == 1
    assert sum(chance for _, chance in _sequences(3)) == 1
    assert Counter(x for x, _ in ATOMS)[1, 2] == 2
