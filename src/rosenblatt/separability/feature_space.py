"""Decide whether a polynomial kernel separates the classes, exactly and with a certificate.

    (gamma·x·z + coef0)^degree = Σ c_a·x^a·z^a    over the monomials x^a of degree at most ``degree``,

where every c_a is positive if gamma and coef0 are (with coef0 = 0, only the monomials of exactly that
degree occur). So the kernel's features are the monomials, each times √c_a. Dividing a feature's weight
undoes multiplying the feature by a positive number, so separability does not depend on these factors,
nor on gamma and the size of coef0: plain monomials are enough, and monomials of integers are integers.
"""

import math
from itertools import combinations_with_replacement
from typing import TypedDict, Unpack

import numpy as np

from rosenblatt.core.checks import not_negative, whole_number
from rosenblatt.core.constants import WHOLE
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats, LabelsLike, MatrixLike, is_sparse
from rosenblatt.kernels.sparse_input import as_dense
from rosenblatt.separability.checked_input import exact_table
from rosenblatt.separability.results.result import Separation
from rosenblatt.separability.separate import separate

_MAX_NUMBERS = 50_000_000

# Only powers of -1, 0 and 1 are below 2^53 beyond degree 52, and they repeat.
_MAX_DEGREE = 100


class Options(TypedDict, total=False):
    """The options of `separate`."""

    fit_intercept: bool
    margin: str
    tolerance: float
    exact: bool
    time_limit: float | None


def separate_in_feature_space(
    X: MatrixLike, y: LabelsLike, *, degree: int, coef0: float = 1.0, **options: Unpack[Options]
) -> Separation:
    """Decide whether (x·z + coef0)^degree separates the classes, and prove it.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples: integers whose monomials are below 2^53.
    y : array of n_samples labels
        Two or more classes.
    degree : int
        The degree of the kernel.
    coef0 : float, default=1.0
        The kernel's constant, at least 0; it only matters whether it is 0.
    options
        Those of `separate`: ``tolerance``, ``exact`` and ``time_limit``. Not ``fit_intercept``: there is
        an intercept unless coef0 is 0.

    Returns
    -------
    Separation
        For more than two classes a `Separations`.
        It is about the samples `monomials(X, degree)`: the margin is theirs, not that of the kernel, and
        the certificate verifies on them.

    Examples
    --------
    XOR needs degree 2:

    >>> from rosenblatt import separate_in_feature_space
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> [separate_in_feature_space(X, y, degree=d).verdict.name for d in (1, 2)]
    ['INSEPARABLE', 'SEPARABLE']
    >>> s = separate_in_feature_space(X, y, degree=2)
    >>> s.certificate.verify(monomials(X, 2), y)
    True
    """
    if "fit_intercept" in options:
        raise InputError(
            f"fit_intercept={options['fit_intercept']!r} is not accepted: the kernel has an intercept "
            "if coef0 is above 0; use coef0=0 for a kernel without"
        )
    features = monomials(X, degree, coef0)
    options["fit_intercept"] = bool(coef0 > 0)
    return separate(features, y, **options)


def monomials(X: MatrixLike, degree: int, coef0: float = 1.0) -> Floats:
    """Return each sample's monomials of degrees 1 to ``degree``, or only of ``degree`` if coef0 is 0.

    The monomial 1 is omitted: it is the constant that `separate` adds for the intercept.

    >>> monomials([[2, 3]], 2)
    array([[2., 3., 4., 6., 9.]])
    >>> monomials([[2, 3]], 2, coef0=0)
    array([[4., 6., 9.]])
    """
    degree, coef0 = whole_number("degree", degree, 1, _MAX_DEGREE), not_negative("coef0", coef0)
    table = _integer_table(X)
    degrees = range(1, degree + 1) if coef0 > 0 else [degree]
    n_monomials = sum(math.comb(table.shape[1] + d - 1, d) for d in degrees)
    if n_monomials * len(table) > _MAX_NUMBERS:
        raise InputError(
            f"degree={degree} makes {n_monomials} monomials from {table.shape[1]} features for each of "
            f"{len(table)} samples: the limit is {_MAX_NUMBERS} numbers in total"
        )
    if max(1, int(np.abs(table).max(initial=0))) ** degree >= WHOLE:
        raise InputError(
            f"X contains numbers whose monomials of degree {degree} are not below 2^53, so float64 may "
            "not represent them exactly: use smaller numbers or a lower degree"
        )
    columns = [
        np.prod(table[:, list(chosen)], axis=1)
        for d in degrees
        for chosen in combinations_with_replacement(range(table.shape[1]), d)
    ]
    return np.column_stack(columns)


def _integer_table(X: MatrixLike) -> Floats:
    raw = as_dense(X) if is_sparse(X) else exact_table(X)
    if raw.ndim != 2 or 0 in raw.shape or raw.dtype.kind not in "biuf":
        raise InputError(f"X has shape {raw.shape} and type {raw.dtype}: give a table of integers")
    table = raw.astype(np.float64)
    bad = ~((table == np.floor(table)) & (np.abs(table) < WHOLE))
    if bad.any():
        i, j = (int(index) for index in np.argwhere(bad)[0])
        raise InputError(
            f"X contains {raw[i, j].item()!r} in row {i}, column {j}: give integers below 2^53, for "
            "instance by scaling X, because products of other numbers would be rounded"
        )
    return table
