"""The mean squared length of samples, summed exactly: the default required margin.

With b = R², the mean of ‖x‖² over the extended samples, an update is due until a sample's margin exceeds
what one average update adds to it. The sum is exact, so it depends on neither the order of the samples
nor their storage, and parts of it can be added up in any grouping.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rosenblatt.core.types import Floats
from rosenblatt.kernels.exact_moments import UNIT, exact_totals
from rosenblatt.kernels.rows import CSRRows, DenseRows, Rows, n_rows

_AT_ONCE = 2**20


@dataclass
class SquaredLengths:
    """The number of samples, and the exact sum of their squared lengths without the constant.

    >>> from rosenblatt.kernels.rows import as_rows
    >>> lengths = SquaredLengths()
    >>> lengths.add(as_rows([[1.0, 2.0], [3.0, 0.0], [9.0, 9.0]], 1.0), np.array([1.0, 2.0, 0.0]))
    >>> lengths.mean(1.0)
    8.0
    """

    n: int = 0
    total: int = 0

    def add(self, rows: Rows, weights: Floats) -> None:
        """Add the samples of weight above 0, unweighted."""
        seen = np.ones(1, dtype=bool) if weights.strides == (0,) else weights > 0.0
        everything = bool(seen.all())
        self.n += n_rows(rows) if everything else int(np.count_nonzero(seen))
        if isinstance(rows, DenseRows):
            at_once = max(1, _AT_ONCE // max(1, rows.values.shape[1]))
            for start in range(0, len(rows.values), at_once):
                some = rows.values[start : start + at_once]
                own = some if everything else some[seen[start : start + at_once]]
                self.total += exact_totals(own.ravel())[-1]
            return
        self.total += self._of_stored(rows, None if everything else seen)

    @staticmethod
    def _of_stored(rows: CSRRows, seen: np.ndarray | None) -> int:
        """Return the exact sum of the squares of the stored values of the seen rows."""
        first, last = int(rows.indptr[0]), int(rows.indptr[-1])
        values = rows.values[first:last]
        if seen is not None:
            values = values[np.repeat(seen, np.diff(rows.indptr))]
        return sum(
            exact_totals(values[start : start + _AT_ONCE])[-1]
            for start in range(0, len(values), _AT_ONCE)
        )

    def join(self, others: "SquaredLengths") -> None:
        """Add the samples of another sum."""
        self.n += others.n
        self.total += others.total

    def mean(self, constant: float) -> float:
        """Return the mean of ‖x‖² + constant², rounded once; without samples only the constant's."""
        exact = Fraction(self.total, max(self.n, 1) << 2 * UNIT) + Fraction(constant) ** 2
        try:
            return float(exact)
        except OverflowError:
            return math.inf
