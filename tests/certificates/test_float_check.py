"""Floats certify only what is true: canceling, underflowing and overflowing rows against fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from margin import dot
from proofs import exact, margin_squared, vectors
from rosenblatt.certificates.combination import terms_of
from rosenblatt.certificates.float_check import is_clearly_short, undecided_rows
from rosenblatt.certificates.rounding import (
    Weights,
    float_weights,
    scaled_weights,
    sqrt_down,
    sqrt_up,
)
from rosenblatt.certificates.scope import Setting
from rosenblatt.certificates.stored_samples import Samples
from rosenblatt.core.types import LabelsLike, MatrixLike
from strategies import labels, samples


def _setting(
    X: MatrixLike,
    y: LabelsLike,
    *,
    joint: bool = False,
    constant: int = 1,
    margin: str = "augmented",
):
    read = Samples.of(X, y)
    positive = None if joint else len(read.classes) - 1
    return Setting(read, positive, constant, margin)


def _true_of(
    setting: Setting, X: np.ndarray, y: np.ndarray, weights: Weights, g2: Fraction
) -> set[int]:
    positive = None if setting.positive is None else setting.samples.classes[setting.positive]
    rows: dict[int, bool] = {}
    w = exact(weights)
    counted = w[:-1] if setting.margin == "affine" else w
    for key, z in vectors(X, y, positive, setting.constant).items():
        row = key[0] if isinstance(key, tuple) else key
        score = dot(w, z)
        holds = score > 0 and score**2 >= g2 * dot(counted, counted)
        rows[row] = rows.get(row, True) and holds
    return {row for row, holds in rows.items() if holds}


NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@given(samples(), st.data())
def test_rows_certified_by_floats_are_true(X: np.ndarray, data: st.DataObject) -> None:
    y = data.draw(labels(len(X), ["a", "b", "c"]))
    kind = data.draw(st.sampled_from(["augmented", "affine", "joint"]))
    setting = _setting(
        data.draw(st.sampled_from([X, sp.csr_array(X)])),
        y,
        joint=kind == "joint",
        constant=1 if kind == "affine" else data.draw(st.integers(0, 1)),
        margin="affine" if kind == "affine" else "augmented",
    )
    size = setting.n_blocks * setting.width
    pool = st.one_of(NUMBERS, st.sampled_from([0.0, 1.0, -1.0, 0.1, 2.0**-1074]))
    weights: Weights = np.array(data.draw(st.lists(pool, min_size=size, max_size=size)))
    if data.draw(st.booleans()):
        weights = tuple(int(Fraction(weight) * 2**70) for weight in weights.tolist())
    assume(any(weights))
    g2 = data.draw(st.fractions(min_value=Fraction(1, 10**30), max_value=10))
    certified = set(range(len(X))) - set(undecided_rows(setting, weights, g2).tolist())
    assert certified <= _true_of(setting, X, y, weights, g2)


@given(st.integers(0, 10**6), st.integers(1, 40), st.sampled_from([1.0, 1e-300, 1e280]))
def test_scores_that_cancel_to_an_ulp(seed: int, d: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    w = rng.normal(size=d + 1) * 10.0 ** rng.integers(-3, 4, size=d + 1)
    X = rng.normal(size=(20, d)) * 10.0 ** rng.integers(-3, 4, size=d)
    # The last feature makes the score as close to 0 as float64 allows, on either side.
    w[-2] = 1.0
    X[:, -1] = -(X[:, :-1] @ w[:-2] + w[-1])
    X[::2, -1] = np.nextafter(X[::2, -1], np.inf)
    y = np.arange(20) % 2
    setting = _setting(X, y)
    weights = w * scale
    assert np.isfinite(weights).all()
    g2 = Fraction(1, 10**40)
    certified = set(range(20)) - set(undecided_rows(setting, weights, g2).tolist())
    assert certified <= _true_of(setting, X, y, weights, g2)


@pytest.mark.parametrize(
    ("x", "w"),
    [
        ([2.0**-80, -(2.0**1023)], [2.0**1000, 2.0**-100]),  # the second weight underflows
        ([2.0**-70, -(2.0**1000)], [1.0, 2.0**-1071]),
        ([1.7e308, 1.7e308, -1.7e308, -1.7e308], [1.0, 1.0, 1.0, 1.0]),  # partial sums overflow
        ([1e200, -1e200, 1e-200], [1e200, 1e200, -1e200]),
        ([2.0**-1074, -(2.0**-1073)], [1.0, 1.0]),  # squares underflow
        ([2.0**-600, -(2.0**-600), 0.0], [1.0, 1.0, 1.0]),
        # Terms that underflow one by one outweigh, together, the one that does not.
        ([2.0**-1070, *[-0.9 * 2.0**-575] * 64], [1.0, *[2.0**-500] * 64]),
        ([np.nan, 1.0], [0.0, 1.0]),
        ([np.inf, 1.0], [1.0, 1.0]),
    ],
)
@pytest.mark.parametrize("sparse", [False, True])
def test_extreme_rows_stay_undecided(x: list[float], w: list[float], sparse: bool) -> None:
    X: MatrixLike = np.array([x])
    setting = _setting(sp.csr_array(X) if sparse else X, [1], constant=0)
    weights = np.array([*w, 0.0])
    assert undecided_rows(setting, weights, Fraction(1, 10**700)).tolist() == [0]


@pytest.mark.parametrize("power", [-200, -600, -1040, -1074, -3000])
def test_tiny_feature_weights_have_a_length(power: int) -> None:
    X, y = np.array([[1.0], [0.0]]), [1, 1]
    weights: Weights = (1, 1 << -power) if power < -1074 else np.array([2.0**power, 1.0])
    setting = _setting(X, y, margin="affine")
    assert undecided_rows(setting, weights, Fraction(4) ** (-power + 1)).tolist() == [0, 1]
    if power > -1000:
        assert undecided_rows(setting, weights, Fraction(4) ** (-power - 1)).tolist() == []


def test_integer_weights_beyond_floats() -> None:
    X = np.array([[1.0, 2.0], [-1.0, 0.5]])
    weights = (3 << 5000, (1 << 5000) + 1, -1)
    setting = _setting(X, [1, 0])
    assert undecided_rows(setting, weights, Fraction(1, 4)).tolist() == []
    assert undecided_rows(setting, weights, Fraction(7)).tolist() == [0, 1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
@pytest.mark.parametrize("joint", [False, True])
def test_clear_rows_are_certified_in_any_storage(dtype: type, joint: bool) -> None:
    rng = np.random.default_rng(1)
    X = (100 * rng.normal(size=(30_000, 20))).astype(dtype)
    panel = rng.normal(size=(3, 21))
    y = (X @ panel[:, :-1].T + panel[:, -1]).argmax(axis=1)
    weights = panel.ravel()
    if not joint:
        y, weights = np.where(X @ panel[0, :-1] + panel[0, -1] > 0, 1, 0), panel[0]
    y[17] = 1 - y[17] if y[17] < 2 else 0
    for storage in (X, np.asfortranarray(X), sp.csr_array(X), sp.coo_array(X)):
        left = undecided_rows(_setting(storage, y, joint=joint), weights, Fraction(1, 10**16))
        assert 17 in left
        assert len(left) < 5


def test_one_long_row_does_not_leave_others_undecided() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(1000, 5))
    X[7] *= 1e17
    w = rng.normal(size=6)
    y = X @ w[:-1] + w[-1] > 0
    for storage in (X, sp.csr_array(X)):
        assert undecided_rows(_setting(storage, y), w, Fraction(1, 10**12)).tolist() == []


@given(st.fractions(min_value=0))
def test_square_roots_round_down_and_up(square: Fraction) -> None:
    for scale in (Fraction(1), Fraction(1, 10**400), Fraction(1, 10**650), Fraction(10**600)):
        value = square * scale
        down, up = sqrt_down(value), sqrt_up(value)
        assert Fraction(down) ** 2 <= value
        assert up in (down, math.nextafter(down, math.inf))
        assert up == np.inf or Fraction(up) ** 2 >= value
    assert sqrt_down(-square) == 0.0
    assert sqrt_up(square**2) >= square
    assert sqrt_down(Fraction(10) ** 700) == np.finfo(float).max


@given(st.lists(st.one_of(st.integers(), st.integers(-(2**3000), 2**3000)), min_size=1))
def test_scaled_weights_are_accurate(weights: list[int]) -> None:
    assume(any(weights))
    scaled = scaled_weights(tuple(weights))
    assert 1 <= np.abs(scaled).max() <= 2
    scale = 2 ** (max(weight.bit_length() for weight in weights) - 1)
    for weight, float_ in zip(weights, scaled.tolist(), strict=True):
        gap = abs(Fraction(weight, scale) - Fraction(float_))
        assert gap <= Fraction(2, 2**53) * abs(Fraction(weight, scale)) + Fraction(1, 2**1074)
    assert np.isfinite(float_weights(tuple(weights))).all()
    assert np.array_equal(float_weights((3, -5)), [3.0, -5.0])
    assert np.array_equal(float_weights((0, 0)), [0.0, 0.0])


def test_margins_of_the_slow_twin() -> None:
    z = vectors(np.array([[3.0, 3.0], [1.0, 1.0]]), np.array([1, -1]), 1, 1)
    assert margin_squared(z, (1, 1, -4), "augmented") == Fraction(2, 9)
    assert margin_squared(z, (1, 1, -4), "affine") == 2


@given(samples(), st.data())
def test_combinations_accepted_by_floats_are_short(X: np.ndarray, data: st.DataObject) -> None:
    n = len(X)
    y = np.array([0, 1] * n)[:n]
    constant = data.draw(st.sampled_from([0, 1]))
    stored = data.draw(st.sampled_from([X, sp.csr_array(X)]))
    setting = Setting(Samples.of(stored, y), 1, constant, "augmented")
    counts = data.draw(st.lists(st.integers(1, 2**60), min_size=n, max_size=n))
    combination = dict(enumerate(counts))
    total = [Fraction(0)] * (X.shape[1] + 1)
    for row, (count, label) in enumerate(zip(counts, y.tolist(), strict=True)):
        extended = [Fraction(value) for value in X[row].tolist()] + [Fraction(constant)]
        for j, value in enumerate(extended):
            total[j] += (1 if label else -1) * count * value
    mass = sum(counts)
    true = sum((value * value for value in total), Fraction(0)) / mass**2
    terms = terms_of(setting, combination)
    for factor in (Fraction(1, 2), 1 - Fraction(1, 10**15), Fraction(1), 1 + Fraction(1, 10**16)):
        if is_clearly_short(setting, terms, mass, true * factor):
            assert factor >= 1


@given(st.integers(0, 1000))
def test_floats_accept_combinations_that_are_slightly_short(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((20, 5)), np.array([0, 1] * 10)
    for stored in (X, sp.csr_array(X), X.astype(np.float32)):
        counts = dict.fromkeys(range(20), 3)
        signed = np.where(y == 1, 1.0, -1.0) @ np.column_stack([stored @ np.eye(5), np.ones(20)])
        setting = Setting(Samples.of(stored, y), 1, 1, "augmented")
        terms = terms_of(setting, counts)
        square = Fraction(float(signed @ signed)) / 20**2
        assert is_clearly_short(setting, terms, 60, square * (1 + Fraction(1, 10**6)))
        assert not is_clearly_short(setting, terms, 60, square * (1 - Fraction(1, 10**6)))
