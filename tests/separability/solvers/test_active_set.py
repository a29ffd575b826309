"""Wolfe's method against NNLS and brute force; its factors; how it stops and continues."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

from hulls import affine_gamma_squared, gamma_squared
from rosenblatt.separability.solvers.active_set import (
    NEAREST,
    STEPS,
    STUCK,
    Corral,
    descend,
    new_corral,
    point_of,
)
from strategies import INTEGERS, matrices

TOLERANCE = 1e-9


def _start(Z: np.ndarray, groups: np.ndarray) -> Corral:
    scale = float(np.linalg.norm(Z, axis=1).mean()) or 1.0
    return new_corral(len(Z), Z.shape[1], int(groups.max()) + 1, scale)


def _one_group(Z: np.ndarray) -> np.ndarray:
    return np.zeros(len(Z), dtype=np.int64)


def _solve(Z: np.ndarray, groups: np.ndarray, tolerance: float = TOLERANCE) -> Corral:
    corral = _start(Z, groups)
    status, _ = descend(Z, groups, corral, tolerance, 10_000)
    assert status in (NEAREST, STUCK)
    return corral


def _check_corral(Z: np.ndarray, groups: np.ndarray, corral: Corral) -> None:
    """Check that members are distinct, weights are shares, and Q·R is the corral."""
    s, m = corral.size, corral.n_groups
    members, weights = corral.members[:s], corral.weights[:s]
    assert len(set(members.tolist())) == s
    assert (weights >= 0).all()
    for g in range(m):
        assert weights[groups[members] == g].sum() == pytest.approx(1 / m, rel=1e-9)
    extended = np.zeros((s, m + Z.shape[1]))
    extended[np.arange(s), groups[members]] = corral.scale
    extended[:, m:] = Z[members]
    Q, R = corral.Q[:s], np.tril(corral.R[:s, :s]).T
    np.testing.assert_allclose(Q @ Q.T, np.eye(s), atol=1e-10)
    np.testing.assert_allclose(R.T @ Q, extended, atol=1e-10 * corral.scale)


def _nnls_distance(Z: np.ndarray) -> float:
    u, _ = nnls(np.vstack([Z.T, np.ones(len(Z))]), np.append(np.zeros(Z.shape[1]), 1.0))
    return float(np.linalg.norm(Z.T @ u) / u.sum())


@pytest.mark.parametrize(("n", "d"), [(3, 2), (30, 5), (200, 3), (40, 60), (300, 40)])
@pytest.mark.parametrize("shift", [0.0, 1.0, 10.0])
def test_the_nearest_point_of_a_cloud(n: int, d: int, shift: float) -> None:
    rng = np.random.default_rng(n * d)
    Z = rng.normal(size=(n, d)) + shift
    corral = _solve(Z, _one_group(Z))
    _check_corral(Z, _one_group(Z), corral)
    assert corral.size <= d + 1
    found = float(np.linalg.norm(point_of(Z, corral)))
    assert found == pytest.approx(_nnls_distance(Z), rel=1e-8, abs=1e-12)
    if found > 1e-9:
        assert (Z @ point_of(Z, corral)).min() >= found**2 * (1 - 1e-8)


@pytest.mark.parametrize(("n", "d"), [(4, 1), (30, 3), (100, 20), (30, 50)])
@pytest.mark.parametrize("shift", [0.0, 0.5, 5.0])
def test_two_groups_find_half_the_distance_of_two_hulls(n: int, d: int, shift: float) -> None:
    rng = np.random.default_rng(n + d)
    X = rng.normal(size=(n, d))
    groups = (np.arange(n) % 2).astype(np.int64)
    X[groups == 0, 0] += shift
    Z = np.where(groups == 0, 1.0, -1.0)[:, None] * X
    corral = _solve(Z, groups)
    _check_corral(Z, groups, corral)
    differences = (X[groups == 0][:, None, :] - X[groups == 1][None]).reshape(-1, d)
    found = float(np.linalg.norm(point_of(Z, corral)))
    assert found == pytest.approx(_nnls_distance(differences) / 2, rel=1e-7, abs=1e-12)


@given(matrices(INTEGERS, st.integers(1, 7), st.integers(1, 3)))
def test_one_group_of_integers(Z: np.ndarray) -> None:
    corral = _solve(Z, _one_group(Z))
    _check_corral(Z, _one_group(Z), corral)
    squared = gamma_squared([[Fraction(value) for value in z] for z in Z.tolist()])
    found = point_of(Z, corral)
    assert float(found @ found) == pytest.approx(float(squared), rel=1e-7, abs=1e-18)


@given(matrices(INTEGERS, st.integers(2, 7), st.integers(1, 2)), st.integers(1, 6))
def test_two_groups_of_integers(X: np.ndarray, n_positive: int) -> None:
    signs = np.where(np.arange(len(X)) < min(n_positive, len(X) - 1), 1, -1)
    groups = (signs < 0).astype(np.int64)
    Z = X * signs[:, None]
    corral = _solve(Z, groups)
    _check_corral(Z, groups, corral)
    found = point_of(Z, corral)
    squared = affine_gamma_squared(X, signs.tolist())
    assert float(found @ found) == pytest.approx(float(squared), rel=1e-7, abs=1e-18)


@pytest.mark.parametrize("margin", [1e-4, 1e-6, 1e-8])
def test_small_margins_are_accurate(margin: float) -> None:
    # z = (±1, …, margin): the nearest point is (0, …, margin).
    rng = np.random.default_rng(0)
    half = rng.normal(size=(20, 6))
    Z = np.column_stack([np.vstack([half, -half]), np.full(40, margin)])
    corral = _solve(Z, _one_group(Z), tolerance=1e-6)
    assert np.linalg.norm(point_of(Z, corral)) == pytest.approx(margin, rel=1e-6)


def test_corral_continues_from_its_state() -> None:
    rng = np.random.default_rng(1)
    Z = rng.normal(size=(400, 30)) + 0.4
    groups = _one_group(Z)
    as_integers = _solve(Z, groups)
    parts = _start(Z, groups)
    calls = 0
    while True:
        status, steps = descend(Z, groups, parts, TOLERANCE, 3)
        calls += 1
        _check_corral(Z, groups, parts)
        if status != STEPS:
            break
        assert steps == 3
    assert status == NEAREST
    assert calls > 3
    np.testing.assert_allclose(point_of(Z, parts), point_of(Z, as_integers), rtol=1e-7, atol=1e-9)


def test_each_step_decreases_the_distance() -> None:
    rng = np.random.default_rng(2)
    Z = rng.normal(size=(200, 15)) + 0.6
    groups, corral = _one_group(Z), _start(Z, _one_group(Z))
    lengths = []
    while descend(Z, groups, corral, TOLERANCE, 1)[0] == STEPS:
        # The last point to enter has no weight yet.
        lengths.append(np.linalg.norm(point_of(Z, corral)))
    assert len(lengths) > 5
    assert (np.diff(lengths) <= 1e-12).all()
    assert lengths[-1] < lengths[0]


@pytest.mark.parametrize("copies", [2, 500])
def test_repeated_points_do_not_enter_twice(copies: int) -> None:
    Z = np.repeat(np.array([[3.0, 4.0], [5.0, 0.0], [0.0, 6.0]]), copies, axis=0)
    corral = _solve(Z, _one_group(Z))
    _check_corral(Z, _one_group(Z), corral)
    squared = gamma_squared(
        [[Fraction(3), Fraction(4)], [Fraction(5), Fraction(0)], [0, Fraction(6)]]
    )
    assert np.linalg.norm(point_of(Z, corral)) ** 2 == pytest.approx(float(squared))


def test_single_point_and_the_origin() -> None:
    for z in ([3.0, -4.0], [0.0, 0.0]):
        Z = np.array([z])
        corral = _solve(Z, _one_group(Z))
        assert corral.size == 1
        assert point_of(Z, corral).tolist() == z


def test_a_looser_tolerance_takes_fewer_steps() -> None:
    rng = np.random.default_rng(3)
    Z = rng.normal(size=(2000, 40)) + 0.8
    groups = _one_group(Z)
    steps = []
    for tolerance in (0.3, 1e-10):
        status, taken = descend(Z, groups, _start(Z, groups), tolerance, 10_000)
        assert status == NEAREST
        steps.append(taken)
    assert steps[0] < steps[1]


# If hulls touch, rounding hides whether a step decreases the distance: corrals once repeated forever.

TOUCHING = np.array([[0.5, 1], [1, 0.5], [0.5, 0.5], [0.5, 0], [0, 0.5], [0.5, 0.5]])
SIDES = np.array([0, 0, 1, 1, 0, 1])


def test_corrals_do_not_cycle() -> None:
    Z = np.where(SIDES == 1, 1.0, -1.0)[:, None] * TOUCHING
    corral = _start(Z, SIDES)
    status, steps = descend(Z, SIDES, corral, TOLERANCE, 1_000_000)
    assert status in (NEAREST, STUCK)
    assert steps < 1000
    assert np.linalg.norm(point_of(Z, corral)) < 1e-12


@given(matrices([0.5, 1.0], st.integers(2, 8), st.integers(1, 4)), st.data())
def test_every_descent_ends(Z: np.ndarray, data: st.DataObject) -> None:
    signs = data.draw(st.lists(st.booleans(), min_size=len(Z), max_size=len(Z)))
    groups = np.array(signs, dtype=np.int64)
    if len(set(signs)) < 2:
        groups[:] = 0
    Z = np.where(groups == 1, 1.0, -1.0)[:, None] * Z
    corral, steps = _start(Z, groups), 0
    while (
        descend(Z, groups, corral, 0.0, 1)[0] == STEPS
    ):  # the corral keeps its nearest distance between calls
        steps += 1
        assert steps < 1000
    _check_corral(Z, groups, corral)
