"""Decisions and passes of the compiled kernels equal rational arithmetic and the naive twin."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from one_epoch import learn_once
from rosenblatt.kernels.decisions import choose_highest, choose_side
from rosenblatt.kernels.epochs.replay import replay
from rosenblatt.kernels.exact_sum import new_digits
from rosenblatt.kernels.rows import Rows, as_rows
from rosenblatt.kernels.scoring import count_mistakes, lengths, scores
from strategies import INTEGERS, MAGNITUDES, TENTHS, matrices, samples

STORAGE = {
    "dense": lambda X: X,
    "csr": sp.csr_array,
    "dense32": lambda X: X.astype(np.float32),
    "csr32": lambda X: sp.csr_array(X.astype(np.float32)),
}
storage = pytest.mark.parametrize("kind", STORAGE)
pools = st.sampled_from([INTEGERS, TENTHS, MAGNITUDES])


def _stored(kind: str, X: np.ndarray, constant: float) -> tuple[Rows, np.ndarray]:
    """Return the rows and the numbers that they actually store."""
    held = X.astype(np.float32).astype(np.float64) if kind.endswith("32") else X
    return as_rows(STORAGE[kind](X), constant), held


def _highest(rows: Rows, panel: np.ndarray, out: np.ndarray) -> int:
    return choose_highest(rows, panel, out, np.zeros(len(panel), dtype=bool), new_digits())


def _single(X: np.ndarray) -> np.ndarray:
    """Return the numbers rounded to float32, limited to 1e30."""
    return np.clip(X, -1e30, 1e30).astype(np.float32).astype(np.float64)


@st.composite
def canceling(draw: st.DrawFn, *, single: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """A row and weights with a score within one ulp of zero; ``single``: the row fits in float32."""
    pool = [
        float(np.float32(v)) if single else v for v in draw(pools) if not single or abs(v) < 1e30
    ]
    row = draw(matrices(pool, st.just(1), st.integers(1, 9)))[0]
    weights = draw(st.lists(st.sampled_from(pool), min_size=len(row), max_size=len(row)))
    closing = -float(naive.exact_dot(row, weights))
    closing = draw(
        st.sampled_from([closing, np.nextafter(closing, np.inf), np.nextafter(closing, -np.inf)])
    )
    place = draw(st.integers(0, len(row)))
    return np.insert(row, place, 1.0), np.insert(weights, place, closing)


def _side(rows: Rows, weights: np.ndarray) -> int:
    """Return the exact sign, found with both conventions for ties."""
    out = np.empty(1, dtype=np.int64)
    assert choose_side(rows, weights, 1, out, new_digits()) == -1
    not_negative = out[0]
    assert choose_side(rows, weights, -1, out, new_digits()) == -1
    return int(not_negative + out[0] - 1)


@storage
@pytest.mark.parametrize("shadowed", [False, True])
@given(problem=canceling(single=True), sign=st.sampled_from([-1, 1]))
def test_learning_uses_the_exact_sign(
    kind: str, problem: tuple[np.ndarray, np.ndarray], sign: int, shadowed: bool
) -> None:
    row, weights = problem
    shadowed = shadowed and kind.startswith("dense")
    exact = naive.exact_dot(row, weights)
    rows, start = _stored(kind, row[None, :], 0.0)[0], np.append(weights, 0.0)
    signs = np.array([sign], dtype=np.int8)
    found = learn_once(rows, signs, np.zeros(1, np.int64), start, shadowed=shadowed)
    assert (found.counts.tolist() == [1]) == (sign * exact <= 0)


@storage
@given(problem=canceling(single=True), with_intercept=st.booleans())
def test_side_is_the_exact_sign(
    kind: str, problem: tuple[np.ndarray, np.ndarray], with_intercept: bool
) -> None:
    row, weights = problem
    if with_intercept:  # the constant instead of the last feature ends the sum
        X, constant, panel = row[None, :-1], 1.0, np.append(weights[:-1], weights[-1] * row[-1])
    else:
        X, constant, panel = row[None, :], 0.0, np.append(weights, 123.0)
    rows, held = _stored(kind, X, constant)
    exact = naive.sign(naive.exact_dot(naive.extended(held, constant)[0], panel))
    assert _side(rows, panel) == exact


@given(problem=canceling())
def test_side_is_exact_with_1e_100_and_1e100_in_one_row(
    problem: tuple[np.ndarray, np.ndarray],
) -> None:
    row, weights = problem
    exact = naive.sign(naive.exact_dot(row, weights))
    weights = np.append(weights, 0.0)
    assert _side(as_rows(row[None, :], 0.0), weights) == exact
    assert _side(as_rows(sp.csr_array(row[None, :]), 0.0), weights) == exact


@storage
@pytest.mark.parametrize(
    ("row", "weights", "side"),
    [
        ([1.0, 1.0, 1.0], [1.0, -1.0, 5e-324], 1),
        ([1.0, 1.0, 1.0], [1.0, -1.0, -5e-324], -1),
        ([1.0, 1.0, 1.0], [1.0, -1.0, 0.0], 0),
        ([1e-30, 1e-30, 0.0], [1e-300, -1e-300, 0.0], 0),
        ([1e-30, -1e-30, 0.0], [1e-300, np.nextafter(1e-300, 0), 0.0], 1),
        ([1e-30, 0.0, 0.0], [-5e-324, 0.0, 0.0], -1),
        ([0.0, 0.0, 0.0], [1.0, 1.0, 1.0], 0),
        # Rounded, the first product is 5e-324 and the others are 0.
        ([0.6, 0.4, 0.4], [5e-324, -5e-324, -5e-324], -1),
    ],
)
def test_only_exact_zeros_are_ties(
    kind: str, row: list[float], weights: list[float], side: int
) -> None:
    rows, _ = _stored(kind, np.array([row]), 0.0)
    assert _side(rows, np.array([*weights, 0.0])) == side


@st.composite
def nearly_equal(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """A row, and weight vectors that differ by an ulp here and there, in any order."""
    pool = draw(pools)
    row = draw(matrices(pool, st.just(1), st.integers(1, 6)))
    weights = draw(matrices(pool, st.just(1), st.just(row.shape[1] + 1)))[0]
    panel = [weights]
    for _ in range(draw(st.integers(1, 4))):
        other = weights.copy()
        for j in draw(st.lists(st.integers(0, len(weights) - 1), max_size=2)):
            other[j] = np.nextafter(other[j], draw(st.sampled_from([np.inf, -np.inf])))
        panel.append(other)
    return row, np.array(draw(st.permutations(panel)))


@st.composite
def shuffled(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """A row of ones, and the same weights in any order: equal scores that round differently."""
    large = draw(st.lists(st.sampled_from([1e17, 3e16, 0.1, 0.7]), min_size=1, max_size=3))
    small = draw(st.lists(st.sampled_from([1.0, 0.3, -0.3]), min_size=1, max_size=2))
    weights = large + [-w for w in large] + small
    panel = np.array([draw(st.permutations(weights)) for _ in range(4)])
    k, j = draw(st.integers(0, 3)), draw(st.integers(0, len(weights) - 1))
    panel[k, j] = np.nextafter(panel[k, j], draw(st.sampled_from([np.inf, -np.inf, panel[k, j]])))
    return np.ones((1, len(weights) - 1)), panel


@given(nearly_equal() | shuffled())
def test_highest_exact_score_wins_and_the_first_in_a_tie(
    problem: tuple[np.ndarray, np.ndarray],
) -> None:
    row, panel = problem
    exact = [naive.exact_dot(np.append(row[0], 1.0), weights) for weights in panel]
    out = np.empty(1, dtype=np.int64)
    for X in (row, sp.csr_array(row)):
        assert _highest(as_rows(X, 1.0), panel, out) == -1
        assert out[0] == exact.index(max(exact))


@st.composite
def passes(draw: st.DrawFn) -> dict:
    """The arguments of a pass."""
    X = _single(draw(samples()))
    n = len(X)
    column = {"min_size": n, "max_size": n}
    pool = draw(st.sampled_from([INTEGERS, TENTHS]))
    return {
        "X": X,
        "signs": np.array(draw(st.lists(st.sampled_from([-1, -1, 0, 1, 1]), **column)), np.int8),
        "steps": np.array(draw(st.lists(st.sampled_from([1.0, 1.0, 0.1, 3.0, 0.7]), **column))),
        "order": np.array(draw(st.lists(st.integers(0, n - 1), max_size=30)), dtype=np.int64),
        "tie": draw(st.sampled_from([0, 1, -1])),
        "constant": draw(st.sampled_from([0.0, 1.0])),
        "start": draw(matrices(pool, st.just(1), st.just(X.shape[1] + 1)))[0],
    }


def _check_pass(kind: str, given: dict, *, shadowed: bool = False) -> None:
    X, signs, steps, order = (given[name] for name in ("X", "signs", "steps", "order"))
    options = {name: given[name] for name in ("constant", "tie")}
    expected, sequence = naive.learn(X, signs, order, steps=steps, start=given["start"], **options)

    rows, held = _stored(kind, X, given["constant"])
    assert (held == X).all()
    weights = given["start"].copy()
    norms = np.full(len(X), -1.0)
    rule = {"steps": steps, "tie": given["tie"], "shadowed": shadowed}
    learned = learn_once(rows, signs, order, weights, norms=norms, **rule)
    mistakes = learned.mistakes
    assert learned.stuck_at == -1
    assert order[mistakes].tolist() == sequence
    assert weights.tobytes() == expected.tobytes()
    assert learned.counts.tolist() == np.bincount(sequence, minlength=len(X)).tolist()
    assert 0 <= learned.n_exact <= len(order)
    squares = (naive.extended(X, given["constant"]) ** 2).sum(axis=1)
    energy = sum(steps[i] ** 2 * squares[i] for i in sequence)
    assert energy * (1.0 - 1e-12) <= learned.energy <= energy * (1.0 + 1e-5) + 1e-290

    # Again, now that the norms are known.
    later, sequence = naive.learn(X, signs, order, steps=steps, start=weights, **options)
    end = weights.copy()
    assert len(learn_once(rows, signs, order, end, norms=norms, **rule).mistakes) == len(sequence)
    assert end.tobytes() == later.tobytes()

    again = given["start"].copy()
    replay(rows, signs, steps, order[mistakes], again)
    assert again.tobytes() == expected.tobytes()

    _, left = naive.learn(X, signs, range(len(X)), start=weights, steps=0 * steps, **options)
    assert count_mistakes(rows, signs, given["tie"], weights) == len(left)


@storage
@given(passes())
def test_pass_equals_the_naive_twin_bit_for_bit(kind: str, given: dict) -> None:
    _check_pass(kind, given)


@pytest.mark.parametrize("kind", ["dense", "dense32"])
@given(passes())
def test_pass_with_float32_scores_equals_the_naive_twin(kind: str, given: dict) -> None:
    _check_pass(kind, given, shadowed=True)


@pytest.mark.slow
@storage
@settings(max_examples=500)
@given(passes())
def test_many_passes_equal_the_naive_twin(kind: str, given: dict) -> None:
    _check_pass(kind, given)


@storage
@pytest.mark.parametrize("shuffled", [False, True])
def test_large_data_is_learned_like_small_data(kind: str, shuffled: bool) -> None:
    # Beyond the size of a cache, rows are prefetched: the bits stay the same.
    rng = np.random.default_rng(0)
    X = rng.integers(-9, 10, size=(3000, 50)) / 10
    X[rng.random(X.shape) < 0.3] = 0.0
    signs = np.where(X @ rng.standard_normal(50) > 0, 1, -1).astype(np.int8)
    order = rng.permutation(3000) if shuffled else np.arange(3000)
    rows, _ = _stored(kind, X, 1.0)
    whole, parts = np.zeros(51), np.zeros(51)

    learn_once(rows, signs, order, whole)
    for part in np.split(order, 30):
        learn_once(_stored(kind, X[part], 1.0)[0], signs[part], np.arange(100), parts)
    assert whole.tobytes() == parts.tobytes()


@storage
def test_products_and_sums_are_not_fused(kind: str) -> None:
    # If fused, 0.1 * 10 - 1 would be the rounding error of 0.1 instead of 0.
    x, step = (0.1, 10.0) if kind in ("dense", "csr") else (float(np.float32(0.1)), 1 / 3)
    rows, _ = _stored(kind, np.full((1, 9), x), 0.0)
    weights = np.full(10, -(step * x))
    replay(rows, np.ones(1, np.int8), np.array([step]), np.zeros(1, np.int64), weights)
    assert weights[:-1].tolist() == [0.0] * 9
    assert Fraction(step) * Fraction(x) != Fraction(step * x)


@storage
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 3e38])
def test_score_that_is_not_finite_stops_the_pass(kind: str, bad: float) -> None:
    X = np.ones((5, 6))
    X[3, 4] = bad
    rows, _ = _stored(kind, X, 1.0)
    weights = np.full(7, 1e300)
    out = np.full(5, 7, dtype=np.int64)
    assert choose_side(rows, weights, 0, out, new_digits()) == 3
    assert out[:3].tolist() == [1, 1, 1]
    assert _highest(rows, np.array([weights, -weights]), out) == 3
    order = np.array([0, 4, 3, 1], dtype=np.int64)
    learned = learn_once(rows, -np.ones(5, dtype=np.int8), order, weights)
    assert (len(learned.mistakes), learned.stuck_at) == (2, 3)
    assert learned.counts.tolist() == [1, 0, 0, 0, 1]


@storage
@given(X=samples(), seed=st.integers(0, 99))
def test_float_scores_are_within_their_error_band(kind: str, X: np.ndarray, seed: int) -> None:
    rows, held = _stored(kind, _single(X), 1.0)
    weights = np.random.default_rng(seed).standard_normal(X.shape[1] + 1)
    out, bands = scores(rows, np.arange(len(X)), weights)
    for row, score, band in zip(naive.extended(held, 1.0), out, bands, strict=True):
        assert abs(naive.exact_dot(row, weights) - Fraction(score)) <= Fraction(band)


@storage
def test_lengths_include_the_constant(kind: str) -> None:
    rows, _ = _stored(kind, np.array([[2.0, 2.0, 0.0], [0.0, 0.0, 0.0], [0.0, 4.0, 8.0]]), 1.0)
    assert lengths(rows, 3).tolist() == [3.0, 1.0, 9.0]
