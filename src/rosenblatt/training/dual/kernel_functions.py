"""Kernel functions: dot products in a feature space, without computing its vectors.

    linear  x·z
    poly    (gamma·x·z + coef0)^degree
    rbf     exp(-gamma·‖x - z‖²)

as scikit-learn defines them. Values are float64 for any type of samples, and computed in blocks, by
BLAS. On whole numbers (with a whole gamma and coef0) the first two are exact as long as they are below
2^53; otherwise they are rounded, and the last bits may depend on the shape of the block. Predictions do
not: see ``score_rounding``.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Floats, MatrixLike, is_sparse

NAMES = ("linear", "poly", "rbf", "precomputed")
"""The names of the kernels.

With "precomputed" a sample is the row of its kernel values with the training samples, and a support
sample is its row number: values are looked up, not computed.
"""


class KernelFunction(NamedTuple):
    """A kernel and its parameters; ``function`` is the user's function of two tables, or None.

    >>> KernelFunction("poly", degree=2, gamma=1.0, coef0=1.0).table([[1.0, 2.0]], [[3.0, 0.0]])
    array([[16.]])
    """

    name: str
    degree: float = 3
    gamma: float = 1.0
    coef0: float = 1.0
    function: Callable[[Any, Any], Any] | None = None

    def table(self, A: MatrixLike, B: Any) -> Floats:
        """Return the kernel of every row of A with every row of B."""
        if self.function is not None:
            return self._user_values(A, B)
        if self.name == "precomputed":
            return np.array(B[:, A[:, 0].astype(np.int64)].T, dtype=np.float64)
        A, B = _as_float64(A), _as_float64(B)
        squares = (_squares(A)[:, None], _squares(B)) if self.name == "rbf" else (None, None)
        return self.of_products(_products(A, B), *squares)

    @property
    def is_named(self) -> bool:
        """Whether the values are computed here, not precomputed or by the user's function."""
        return self.function is None and self.name != "precomputed"

    @property
    def is_whole(self) -> bool:
        """Whether the kernel of samples of whole numbers is a whole number."""
        whole = self.gamma == int(self.gamma) and self.coef0 == int(self.coef0)
        return self.name == "linear" or (self.name == "poly" and whole)

    def of_products(self, values: Floats, left: Any, right: Any) -> Floats:
        """Convert the products x·z to kernel values, in place.

        ``left`` and ``right`` are the squared lengths ‖x‖² and ‖z‖², needed only by "rbf".
        """
        if self.name == "poly":
            values *= self.gamma
            values += self.coef0
            _raise_to(values, self.degree)
        elif self.name == "rbf":
            values *= -2.0
            values += left
            values += right
            np.maximum(values, 0.0, out=values)
            values *= -self.gamma
            np.exp(values, out=values)
        return values

    def as_support(self, X: MatrixLike, rows: Counts) -> Any:
        """Return some samples of X as support samples."""
        return rows[:, None].astype(np.float64) if self.name == "precomputed" else X[rows]

    def _user_values(self, A: MatrixLike, B: Any) -> Floats:
        assert self.function is not None
        # Products of small integer types would overflow in the user's function.
        values = np.array(self.function(_as_float64(A), _as_float64(B)), dtype=np.float64)
        if values.shape != (A.shape[0], B.shape[0]):
            raise InputError(
                f"the kernel {self.function!r} returned an array of shape {values.shape} for "
                f"{A.shape[0]} and {B.shape[0]} samples: it must return one value for each pair"
            )
        return values


def _as_float64(A: MatrixLike) -> Any:
    return A.astype(np.float64, copy=False) if is_sparse(A) else np.asarray(A, dtype=np.float64)


def _products(A: MatrixLike, B: Any) -> Floats:
    values = A @ B.T
    return np.asarray(values.toarray() if is_sparse(values) else values, dtype=np.float64)


def _squares(A: MatrixLike) -> Floats:
    """Return the squared length of each row."""
    if is_sparse(A):
        return np.asarray(A.multiply(A).sum(axis=1), dtype=np.float64).ravel()
    return np.asarray(np.einsum("ij,ij->i", A, A))


def _raise_to(values: Floats, degree: float) -> None:
    """Raise the values to a power in place; whole powers by multiplication, which may be exact.

    >>> values = np.array([3.0])
    >>> _raise_to(values, 5)
    >>> values
    array([243.])
    """
    if degree != int(degree) or not 1 <= degree <= 64:
        np.power(values, degree, out=values)
        return
    base = values.copy()
    for bit in bin(int(degree))[3:]:
        values *= values
        if bit == "1":
            values *= base
