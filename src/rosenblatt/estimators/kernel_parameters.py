"""Which kernel function the parameters of an estimator stand for: as in scikit-learn's SVC."""

import math
import numbers
from typing import Any

import numpy as np

from rosenblatt.dual.functions import NAMES, KernelFunction
from rosenblatt.errors import InputError, check_choice
from rosenblatt.rows import is_sparse


def check_kernel(kernel: object, degree: object, gamma: object, coef0: object) -> None:
    """Raise, naming it, for the first parameter of a kernel whose value is not accepted.

    >>> check_kernel("poly", 0, None, 1.0)
    Traceback (most recent call last):
    ...
    rosenblatt.errors.InputError: degree=0 is not accepted: use a whole number of at least 1
    """
    if not callable(kernel) and not (isinstance(kernel, str) and kernel in NAMES):
        choices = ", ".join(repr(name) for name in NAMES)
        raise InputError(
            f"kernel={kernel!r} is not accepted: use {choices} or a function of two tables"
        )
    if isinstance(degree, bool) or not isinstance(degree, numbers.Integral) or degree < 1:
        raise InputError(f"degree={degree!r} is not accepted: use a whole number of at least 1")
    if isinstance(gamma, str):
        check_choice("gamma", gamma, ["scale", "auto"])
    elif gamma is not None and not _is_number(gamma, 0.0):
        raise InputError(
            f"gamma={gamma!r} is not accepted: use 'scale', 'auto', None or a number above 0"
        )
    if not _is_number(coef0):
        raise InputError(f"coef0={coef0!r} is not accepted: use a finite number")


def _is_number(value: object, above: float = -math.inf) -> bool:
    return (
        not isinstance(value, bool)
        and isinstance(value, numbers.Real)
        and above < float(value) < math.inf
    )


def gamma_for(gamma: Any, X: Any) -> float:
    """Return the number that gamma stands for, as in SVC, where None is "auto".

    "scale" is one over the number of features times their variance, "auto" one over their number.

    >>> gamma_for("scale", np.array([[0.0, 2.0]])), gamma_for("auto", np.array([[0.0, 2.0]]))
    (0.5, 0.5)
    """
    if gamma is None or gamma == "auto":
        return 1.0 / int(X.shape[1])
    if gamma == "scale":
        variance = _variance(X)
        return 1.0 / (int(X.shape[1]) * variance) if variance > 0.0 else 1.0
    return float(gamma)


def _variance(X: Any) -> float:
    if is_sparse(X):
        return float(X.multiply(X).mean() - X.mean() ** 2)
    return float(np.var(X, dtype=np.float64))


def kernel_function(kernel: Any, degree: Any, gamma: float, coef0: Any) -> KernelFunction:
    """Return the kernel function that the parameters stand for.

    >>> kernel_function("poly", 2, 1.0, 1.0).name
    'poly'
    """
    if callable(kernel):
        return KernelFunction("callable", function=kernel)
    return KernelFunction(kernel, int(degree), gamma, float(coef0))
