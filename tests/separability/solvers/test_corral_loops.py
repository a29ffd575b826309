"""The compiled loops of a corral against NumPy and against slow versions."""

import numpy as np
import pytest

from rosenblatt.separability.solvers.active_set import Corral, new_corral
from rosenblatt.separability.solvers.corral_loops import (
    add_rows,
    affine_weights,
    leave,
    move_weights,
    worst_candidate,
)

SIZE, WIDTH = 7, 12


def _filled(n_groups: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, Corral]:
    """Return points, their groups, and a corral with some of the points and their weights."""
    rng = np.random.default_rng(seed)
    Z, groups = rng.normal(size=(20, WIDTH)) + 0.5, np.arange(20) % n_groups
    corral = new_corral(len(Z), WIDTH, n_groups, 2.0)
    for i in rng.permutation(len(Z))[:SIZE].tolist():
        assert corral.enter(Z[i], groups[i], i)
    corral.weights[:SIZE] = rng.random(SIZE)
    return Z, groups, corral


def _extended(Z: np.ndarray, groups: np.ndarray, corral: Corral, members: np.ndarray) -> np.ndarray:
    return np.column_stack([corral.scale * np.eye(corral.n_groups)[groups[members]], Z[members]])


@pytest.mark.parametrize("n_groups", [1, 2])
@pytest.mark.parametrize("k", [0, 3, SIZE - 1])
def test_factors_are_correct_after_a_point_leaves(n_groups: int, k: int) -> None:
    Z, groups, corral = _filled(n_groups)
    members, weights = corral.members[:SIZE].copy(), corral.weights[:SIZE].copy()
    leave(corral.members, corral.groups, corral.weights, corral.Q, corral.R, SIZE, k)
    s = SIZE - 1
    left = np.delete(members, k)
    assert corral.members[:s].tolist() == left.tolist()
    assert corral.groups[:s].tolist() == groups[left].tolist()
    assert corral.weights[:s].tolist() == np.delete(weights, k).tolist()
    Q, R = corral.Q[:s], corral.R[:s, :s]
    assert (np.triu(R, 1) == 0.0).all()
    assert (np.diag(R) > 0.0).all()
    np.testing.assert_allclose(Q @ Q.T, np.eye(s), atol=1e-12)
    np.testing.assert_allclose(R @ Q, _extended(Z, groups, corral, left), atol=1e-12)


@pytest.mark.parametrize("n_groups", [1, 2])
def test_weights_of_the_nearest_point_of_an_affine_hull(n_groups: int) -> None:
    Z, groups, corral = _filled(n_groups)
    assert affine_weights(corral.groups, corral.Q, corral.R, corral.parts, SIZE)
    found, members = corral.parts[0, :SIZE], corral.members[:SIZE]
    belongs = (groups[members] == np.arange(n_groups)[:, None]).astype(float)
    zeros = np.zeros((n_groups, n_groups))
    system = np.block([[Z[members] @ Z[members].T, belongs.T], [belongs, zeros]])
    right = np.append(np.zeros(SIZE), np.full(n_groups, 1 / n_groups))
    np.testing.assert_allclose(found, np.linalg.solve(system, right)[:SIZE], rtol=1e-8)


def test_no_weights_that_sum_to_one() -> None:
    corral = _filled(1)[2]
    corral.Q[:SIZE, 0] = 0.0
    with np.errstate(invalid="ignore"):
        assert not affine_weights(corral.groups, corral.Q, corral.R, corral.parts, SIZE)
    before = corral.weights.copy()
    size, has_moved = move_weights(
        corral.members, corral.groups, corral.weights, corral.Q, corral.R, corral.parts, SIZE
    )
    assert (size, has_moved) == (SIZE, False)
    assert corral.weights.tolist() == before.tolist()


@pytest.mark.parametrize("n_groups", [1, 2])
@pytest.mark.parametrize("seed", range(5))
def test_moved_weights_are_above_zero_and_nearest(n_groups: int, seed: int) -> None:
    Z, groups, corral = _filled(n_groups, seed)
    own = corral.groups[:SIZE]
    corral.weights[:SIZE] /= n_groups * np.bincount(own, weights=corral.weights[:SIZE])[own]
    before = set(corral.members[:SIZE].tolist())
    assert corral.move_weights()
    s = corral.size
    members, weights = corral.members[:s], corral.weights[:s]
    assert set(members.tolist()) <= before
    assert (weights > 0.0).all()
    point = weights @ Z[members]
    for g in range(n_groups):
        mine = groups[members] == g
        assert weights[mine].sum() == pytest.approx(1 / n_groups)
        # At the nearest point of an affine hull all members have the same product with it.
        assert np.ptp(Z[members[mine]] @ point) < 1e-9


def test_rows_are_added_in_order() -> None:
    Z, _, corral = _filled(1)
    out, slow = np.zeros(WIDTH), [0.0] * WIDTH
    add_rows(Z, corral.members, corral.weights, SIZE, out)
    for i, weight in zip(corral.members[:SIZE].tolist(), corral.weights.tolist(), strict=False):
        slow = [total + weight * value for total, value in zip(slow, Z[i].tolist(), strict=True)]
    assert out.tolist() == slow


@pytest.mark.parametrize("n_groups", [1, 2])
def test_worst_candidate_is_farthest_below_its_plane(n_groups: int) -> None:
    Z, groups, corral = _filled(n_groups)
    point = np.random.default_rng(1).normal(size=WIDTH)
    members, weights = corral.members[:SIZE], corral.weights[:SIZE]
    floors = [
        Z[members[np.where(groups[members] == g, weights, -1.0).argmax()]] @ point
        for g in range(n_groups)
    ]
    ahead = Z @ point - np.array(floors)[groups]
    given = (Z, groups, point, corral.members, corral.weights, SIZE)
    for candidates in (np.arange(20), np.flatnonzero(ahead > ahead.min())):
        entering, worst = worst_candidate(*given, candidates)
        assert entering == candidates[ahead[candidates].argmin()]
        assert worst == pytest.approx(ahead[candidates].min())
    assert worst_candidate(*given, np.flatnonzero(ahead > 1e-9)) == (-1, 0.0)
