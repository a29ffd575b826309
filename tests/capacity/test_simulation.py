"""The experiment: what it counts, and that it counts the same again."""

import math

import pytest

from rosenblatt import InputError
from rosenblatt.capacity import separable_fraction, simulate


@pytest.mark.parametrize(("n_points", "n_dimensions"), [(4, 2), (10, 5), (12, 5), (8, 5)])
def test_it_is_near_the_theorem(n_points: int, n_dimensions: int) -> None:
    done = simulate(n_points, n_dimensions, trials=200)
    expected = separable_fraction(n_points, n_dimensions, exact=False)
    assert done.undecided == 0
    allowed = 4 * math.sqrt(expected * (1 - expected) / 200)
    assert done.fraction == pytest.approx(expected, abs=allowed)


@pytest.mark.parametrize("n_points", [1, 2, 5])
def test_few_points_are_always_separable(n_points: int) -> None:
    assert simulate(n_points, 5, trials=30).separable == 30


def test_many_points_on_a_line_hardly_ever_are() -> None:
    assert simulate(40, 1, trials=30).separable == 0


def test_the_seed_decides() -> None:
    assert simulate(6, 3, trials=30, seed=1) == simulate(6, 3, trials=30, seed=1)
    counts = {simulate(6, 3, trials=30, seed=seed).separable for seed in range(6)}
    assert len(counts) > 1


def test_wrong_input() -> None:
    for name in ("n_points", "n_dimensions", "trials", "seed"):
        with pytest.raises(InputError, match=f"{name}=-1"):
            simulate(**{"n_points": 4, "n_dimensions": 2, name: -1})
