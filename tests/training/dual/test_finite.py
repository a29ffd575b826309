"""Kernel values and scores that are not finite are refused with a clear error."""

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import InputError, KernelPerceptron
from rosenblatt.kernels.epochs.dual_terms import check_squares

X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
Y = [0, 1, 1, 0]


@pytest.mark.parametrize(
    ("options", "samples", "weight"),
    [
        ({"kernel": "linear"}, X * 1e5 + 1, 1e300),
        ({"kernel": "linear", "order": "random"}, X * 1e5 + 1, 1e300),
        ({"gamma": 1.0, "budget": 1}, X, 1e200),
        ({"gamma": 1.0, "budget": 3}, X, 1e200),
        ({"kernel": "rbf", "keep": "vote"}, X, 1e200),
    ],
)
def test_overflow_during_learning_is_refused(
    options: dict[str, Any], samples: Any, weight: float
) -> None:
    p = KernelPerceptron(**options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for store in (np.asarray, sp.csr_matrix):
            with pytest.raises(InputError, match="is not a finite number"):
                p.fit(store(samples), Y, sample_weight=[weight] * 4)
            with pytest.raises(InputError, match="is not a finite number"):
                p.partial_fit(store(samples), Y, sample_weight=[weight] * 4)
    assert not hasattr(p, "classes_")


def test_large_sample_weights_change_only_the_scale() -> None:
    plain = KernelPerceptron(gamma=1.0, degree=2).fit(X, Y)
    heavy = KernelPerceptron(gamma=1.0, degree=2).fit(X, Y, sample_weight=[2.0**400] * 4)
    assert heavy.sequences_[0].tolist() == plain.sequences_[0].tolist()
    assert heavy.outcome_ is plain.outcome_


@pytest.mark.parametrize("keep", ["last", "average", "vote"])
def test_overflow_in_prediction_is_refused(keep: str) -> None:
    p = KernelPerceptron(kernel="linear", keep=keep)
    p.partial_fit([[1.0], [-1.0]], [1, 0], sample_weight=[1e100] * 2)
    with pytest.raises(InputError, match="the score of row 1 of X is not a finite number"):
        p.predict([[1.0], [1e300]])


def test_sum_of_squared_lengths_must_be_finite() -> None:
    check_squares(np.array([1e308, 1e307]))
    with pytest.raises(InputError, match="squared length"):
        check_squares(np.array([1e308, 1e308]))


def test_kernel_values_must_be_finite() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for size in (1e-158, 1e160):
            for store in (np.asarray, sp.csr_matrix):
                p = KernelPerceptron(gamma="scale")
                with pytest.raises(InputError, match=r"gamma='scale' is .* scale X, or give gamma"):
                    p.fit(store(X * size), Y)
        with pytest.raises(InputError, match="kernel='linear' are not finite for row 3 of X"):
            KernelPerceptron(kernel="linear", gamma="scale").fit(X * 1e160, Y)
    small = KernelPerceptron(kernel="linear", gamma="scale").fit(X[:2] * 1e-158 - 1e-158, Y[:2])
    assert small.gamma_ == 1.0  # it is not used
    nothing = KernelPerceptron(kernel=lambda A, B: np.full((A.shape[0], B.shape[0]), np.nan))
    with pytest.raises(InputError, match="the function must return finite numbers"):
        nothing.fit(X, Y)
