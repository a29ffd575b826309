"""Gardner's capacity against the integral that defines it, its inverse, and `separate`."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from rosenblatt import InputError, separate
from rosenblatt.capacity import gardner_capacity, gardner_margin

ORACLES = {
    0.0: 2.0,
    0.1: 1.709632,
    0.25: 1.364643,
    0.5: 0.961205,
    0.75: 0.697230,
    1.0: 0.519572,
    1.5: 0.309871,
    2.0: 0.200231,
    3.0: 0.100002,
}


@pytest.mark.parametrize(("margin", "capacity"), ORACLES.items())
def test_oracles(margin: float, capacity: float) -> None:
    assert gardner_capacity(margin) == pytest.approx(capacity, abs=6e-7)
    assert gardner_margin(gardner_capacity(margin)) == pytest.approx(margin, abs=1e-13)


@settings(max_examples=20)
@given(st.floats(0, 6))
def test_it_is_the_integral(margin: float) -> None:
    def integrand(t: float) -> float:
        return (t + margin) ** 2 * math.exp(-t * t / 2) / math.sqrt(2 * math.pi)

    integral, _ = quad(integrand, -margin, 12)
    assert 1 / gardner_capacity(margin) == pytest.approx(integral, rel=1e-7)


@settings(max_examples=60)
@given(st.floats(1e-12, 2.0))
def test_the_inverse(load: float) -> None:
    margin = gardner_margin(load)
    assert margin >= 0
    assert gardner_capacity(margin) == pytest.approx(load, rel=1e-13)


def test_ends() -> None:
    assert gardner_margin(2) == 0.0
    assert gardner_capacity(0) == 2.0
    assert gardner_margin(1e-100) == pytest.approx(1e50)


@pytest.mark.slow
@pytest.mark.parametrize("load", [0.5, 1.0, 1.5])
def test_random_samples_have_that_margin(load: float) -> None:
    n_dimensions, seeds = 60, 12
    margins = []
    for seed in range(seeds):
        generator = np.random.default_rng(seed)
        X = generator.standard_normal((int(load * n_dimensions), n_dimensions))
        y = generator.integers(2, size=len(X))
        margins.append(separate(X, y, fit_intercept=False).margin.lower)
    allowed = 3 / math.sqrt(n_dimensions * seeds)
    assert np.mean(margins) == pytest.approx(gardner_margin(load), abs=allowed)


@pytest.mark.parametrize("value", [-0.1, math.nan, math.inf, "1", True])
def test_wrong_margins(value: object) -> None:
    with pytest.raises(InputError, match="margin="):
        gardner_capacity(value)


@pytest.mark.parametrize("value", [0.0, -1, 2.0000001, math.nan, math.inf, "1"])
def test_wrong_loads(value: object) -> None:
    with pytest.raises(InputError, match="load="):
        gardner_margin(value)
