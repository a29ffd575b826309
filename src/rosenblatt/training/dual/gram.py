"""Kernel values in blocks, some of them cached.

The cache has a row for each of the first support samples, as many as fit, with its kernel values with
all samples of a run. A row is used if its values are known for all samples of the block. Rows are never
evicted: a run needs them in cycles, epoch after epoch, so evicting the least recently used one would
evict each just before it is needed. The values of a block's samples with each other are not cached, but
computed each time the block has a mistake.
"""

from typing import Any

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Flags, Floats, MatrixLike
from rosenblatt.training.dual.kernel_functions import KernelFunction
from rosenblatt.training.dual.support import Support

_BYTES = 9  # one value, and whether it is known


class Gram:
    """Kernel values of support samples with rows of X; ``n_terms`` counts those computed.

    >>> from rosenblatt.training.dual.support import DenseSupport
    >>> support = DenseSupport(1)
    >>> support.add(np.array([[2.0]]))
    >>> gram = Gram(KernelFunction("linear"), np.array([[1.0], [3.0]]), support, cache_bytes=18)
    >>> gram.between(np.array([0]), np.array([0, 1]))
    array([[2., 6.]])
    >>> gram.between(np.array([0]), np.array([1])), gram.n_terms
    (array([[6.]]), 2)
    """

    def __init__(
        self, kernel: KernelFunction, X: MatrixLike, support: Support, cache_bytes: float = 0
    ) -> None:
        self.kernel, self.X, self.support = kernel, X, support
        self.n_terms = 0
        self._n_kept = min(int(cache_bytes // (_BYTES * X.shape[0])), X.shape[0])
        # Pages that are never written to take no memory.
        self._values: Floats = np.empty((self._n_kept, X.shape[0]))
        self._known: Flags = np.zeros((self._n_kept, X.shape[0]), dtype=np.bool_)

    def between(self, places: Counts, rows: Counts) -> Floats:
        """Return the kernel of support samples, by index, with rows of X."""
        kept = np.flatnonzero(places < self._n_kept)
        if len(kept):
            cells = _cells(places[kept], rows)
            known = self._known[cells].all(axis=1)
            if known.any():
                return self._completed(places, rows, kept[known])
        return self._computed(places, rows)

    def among(self, rows: Counts) -> Floats:
        """Return the kernel of rows of X with each other."""
        return self._checked(self.kernel.as_support(self.X, rows), rows)

    def _completed(self, places: Counts, rows: Counts, known: Counts) -> Floats:
        table = np.empty((len(places), len(rows)))
        table[known] = self._values[_cells(places[known], rows)]
        missing = np.ones(len(places), dtype=np.bool_)
        missing[known] = False
        if missing.any():
            table[missing] = self._computed(places[missing], rows)
        return table

    def _computed(self, places: Counts, rows: Counts) -> Floats:
        table = self._checked(self.support.take(places), rows)
        kept = places < self._n_kept
        if kept.any():
            cells = _cells(places[kept], rows)
            self._values[cells] = table[kept]
            self._known[cells] = True
        return table

    def _checked(self, samples: Any, rows: Counts) -> Floats:
        with np.errstate(over="ignore", invalid="ignore"):
            table = self.kernel.table(samples, self.X[rows])
        _check_values(table, rows, self.kernel.function or self.kernel.name)
        self.n_terms += table.size
        return table


def _cells(places: Counts, rows: Counts) -> Any:
    """Return an index for the values of support samples with rows; a slice for consecutive rows."""
    if (np.diff(rows) == 1).all():
        return places, slice(int(rows[0]), int(rows[-1]) + 1)
    return np.ix_(places, rows)


def _check_values(table: Floats, rows: Counts, kernel: Any) -> None:
    """Raise unless the kernel's values with some rows of X, one column each, are finite.

    >>> _check_values(np.array([[np.inf]]), np.array([7]), "linear")
    Traceback (most recent call last):
    ...
    rosenblatt.core.errors.InputError: the values of kernel='linear' are not finite for row 7 of X: ...
    """
    finite = np.isfinite(table)
    if not finite.all():
        row = int(rows[(~finite).sum(axis=0).argmax()])
        why = (
            "the function must return finite numbers"
            if callable(kernel)
            else "float64 cannot represent them; scale X down, or use a smaller gamma or degree"
        )
        raise InputError(
            f"the values of kernel={kernel!r} are not finite for row {row} of X: {why}"
        )
