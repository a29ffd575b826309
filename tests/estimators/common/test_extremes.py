"""Extreme values of float64: clear errors, and no warnings from NumPy."""

import numpy as np
import pytest

from rosenblatt import InputError, Perceptron

X, y = np.eye(2), [1, 0]


def test_start_weights_whose_square_overflows() -> None:
    with pytest.raises(InputError, match=r"not all below 1e\+150 times eta0=1\.0"):
        Perceptron(fit_intercept=False).fit(X, y, coef_init=[[1e200, -1e200]])


def test_start_weights_infinite_in_units_of_eta0() -> None:
    with pytest.raises(InputError, match="eta0"):
        Perceptron(eta0=1e-100).fit(X, y, coef_init=[[1e60, -1.0]])


def test_extreme_change_of_eta0_in_mid_stream() -> None:
    p = Perceptron(eta0=1e100).partial_fit(X, y)
    before = p.coef_
    p.set_params(eta0=1e-100)
    with pytest.raises(InputError, match="eta0"):
        p.partial_fit(X, y)
    assert p.coef_.tobytes() == before.tobytes()


def test_eta0_that_makes_the_weights_infinite() -> None:
    with pytest.raises(InputError, match="eta0"):
        Perceptron(eta0=1e300).fit(X * 1e10, y)


@pytest.mark.parametrize(
    ("x", "label"),
    [([1.0, 2.0], [1, 2]), ([1j, 2.0], 1), (["a", "b"], 1), ([], 1), ([1.0, 2.0], None)],
    ids=["two labels", "complex", "text", "empty", "no label"],
)
def test_invalid_first_sample(x: list, label: object) -> None:
    p = Perceptron()
    with pytest.raises(InputError):
        p.learn_one(x, label)
    assert not hasattr(p, "classes_")


def test_ties_are_validated_again_at_prediction() -> None:
    p = Perceptron().fit(X, y).set_params(ties="bogus")
    with pytest.raises(InputError, match="ties='bogus' is not accepted"):
        p.predict(X)
