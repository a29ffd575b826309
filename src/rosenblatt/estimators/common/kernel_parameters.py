"""From the parameters of an estimator to its kernel function, as in scikit-learn's SVC."""

import math
from typing import Any

import numpy as np

from rosenblatt.core.checks import check_choice, number, whole_number
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import MatrixLike, is_sparse
from rosenblatt.training.dual.kernel_functions import NAMES, KernelFunction


def check_kernel(kernel: object, degree: object, gamma: object, coef0: object) -> None:
    """Raise InputError for the first kernel parameter with an invalid value.

    >>> check_kernel("poly", 0, None, 1.0)
    Traceback (most recent call last):
    ...
    rosenblatt.core.errors.InputError: degree=0 is not accepted: use a whole number of at least 1
    """
    if not callable(kernel) and not (isinstance(kernel, str) and kernel in NAMES):
        choices = ", ".join(repr(name) for name in NAMES)
        raise InputError(
            f"kernel={kernel!r} is not accepted: use {choices} or a function of two tables"
        )
    whole_number("degree", degree, 1)
    if isinstance(gamma, str):
        check_choice("gamma", gamma, ["scale", "auto"])
    elif gamma is not None:
        number("gamma", gamma, "'scale', 'auto', None or a number above 0", above=0.0)
    number("coef0", coef0, "a finite number")


def gamma_for(gamma: Any, X: MatrixLike, *, used: bool = True) -> float:
    """Return gamma as a number, as in SVC, but with None as "auto".

    "scale" is one over the number of features times their variance, "auto" one over their number. If
    the kernel has no gamma (``used`` is False), a "scale" that float64 cannot represent becomes 1.

    >>> gamma_for("scale", np.array([[0.0, 2.0]])), gamma_for("auto", np.array([[0.0, 2.0]]))
    (0.5, 0.5)
    """
    if gamma is None or gamma == "auto":
        return 1.0 / int(X.shape[1])
    if gamma == "scale":
        return _scale(X, used=used)
    return float(gamma)


def _scale(X: MatrixLike, *, used: bool) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        variance = _variance(X)
    if variance == 0.0:
        return 1.0
    gamma = 1.0 / (int(X.shape[1]) * variance)
    if 0.0 < gamma < math.inf:
        return gamma
    if used:
        raise InputError(
            f"gamma='scale' is 1 / (n_features · X.var()), but X.var() is {variance!r}, so gamma "
            "is not a finite number above 0: scale X, or give gamma as a number"
        )
    return 1.0


def _variance(X: MatrixLike) -> float:
    """Return the variance of all values, including the zeros of a sparse matrix.

    >>> import scipy.sparse as sp
    >>> _variance(sp.csr_matrix(np.array([[0, 100]], dtype=np.int8)))
    2500.0
    """
    if not is_sparse(X):
        return float(np.var(X, dtype=np.float64))
    table = X.astype(np.float64)
    table.sum_duplicates()
    size = int(X.shape[0]) * int(X.shape[1])
    mean = table.data.sum() / size
    squares = np.square(table.data - mean).sum() + (size - len(table.data)) * np.square(mean)
    return float(squares / size)


def kernel_function(kernel: Any, degree: Any, gamma: float, coef0: Any) -> KernelFunction:
    """Return the kernel function for checked parameters.

    >>> kernel_function("poly", 2, 1.0, 1.0).name
    'poly'
    """
    if callable(kernel):
        return KernelFunction("callable", function=kernel)
    return KernelFunction(kernel, int(degree), gamma, float(coef0))
