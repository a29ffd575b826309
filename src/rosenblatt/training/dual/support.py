"""Support samples: the samples of a hypothesis's terms, in the order in which they were added."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.core.types import Counts, Floats, MatrixLike, is_sparse
from rosenblatt.kernels.rows import as_rows
from rosenblatt.kernels.scoring import lengths
from rosenblatt.kernels.sparse_input import as_csr
from rosenblatt.training.dual.growing_array import Growing


class DenseSupport:
    """Samples as rows of a float64 table.

    ``longest`` is the greatest length of any sample so far; ``is_whole`` says that all samples so far
    consist of whole numbers.

    >>> support = DenseSupport(2)
    >>> support.add(np.array([[1.0, 2.0], [3.0, 4.0]]))
    >>> support.add(np.array([[5.0, 6.0]]))
    >>> support.take(np.array([2, 0]))
    array([[5., 6.],
           [1., 2.]])
    """

    def __init__(self, n_features: int) -> None:
        self._table = Growing(np.float64, (n_features,))
        self.longest = 0.0
        self.is_whole = True

    def __len__(self) -> int:
        return len(self._table)

    def add(self, X: MatrixLike) -> None:
        """Add the rows of X."""
        first = len(self._table)
        self._table.add(X.toarray() if is_sparse(X) else X)
        new = self._table.view(first)
        if len(new):
            self.longest = max(self.longest, _greatest_length(new))
            self.is_whole = self.is_whole and bool((new == np.rint(new)).all())

    def take(self, places: Counts) -> Floats:
        """Return samples by index, without a copy if the indices are consecutive."""
        table: Floats = self._table.view()
        if len(places) and (np.diff(places) == 1).all():
            return table[places[0] : places[-1] + 1]
        return table[places]

    def chosen(self, places: Counts) -> "DenseSupport":
        """Return a copy of some samples, by index."""
        chosen = DenseSupport(self.n_features)
        chosen.add(self.take(places))
        return chosen

    def branch(self) -> "DenseSupport":
        """Return samples that share their memory with these; add to only one of the two."""
        branch = DenseSupport(0)
        branch._table, branch.longest = self._table.branch(), self.longest
        branch.is_whole = self.is_whole
        return branch

    @property
    def n_features(self) -> int:
        """The number of features."""
        return int(self._table.view().shape[1])

    @property
    def parts(self) -> tuple[Any, ...]:
        """The samples as arrays; `support_of` reverses this."""
        return (self._table.view().copy(),)


class SparseSupport:
    """Samples as rows of a CSR matrix, kept in pieces until they are needed.

    ``longest`` is the greatest length of any sample so far.

    >>> support = SparseSupport(3)
    >>> support.add(sp.csr_matrix([[0.0, 2.0, 0.0]]))
    >>> support.take(np.array([0])).toarray()
    array([[0., 2., 0.]])
    """

    def __init__(self, n_features: int) -> None:
        self._pieces: list[Any] = [sp.csr_matrix((0, n_features))]
        self._size = 0
        self.longest = 0.0

    def __len__(self) -> int:
        return self._size

    def add(self, X: MatrixLike) -> None:
        """Add the rows of X."""
        self._pieces.append(sp.csr_matrix(X, dtype=np.float64))
        self._size += X.shape[0]
        if X.shape[0]:
            self.longest = max(self.longest, _greatest_length(self._pieces[-1]))

    def take(self, places: Counts) -> Any:
        """Return samples by index."""
        return self._joined()[places]

    def chosen(self, places: Counts) -> "SparseSupport":
        """Return a copy of some samples, by index."""
        chosen = SparseSupport(self.n_features)
        chosen.add(self.take(places))
        return chosen

    def branch(self) -> "SparseSupport":
        """Return samples that can grow independently, without a copy."""
        branch = SparseSupport(0)
        branch._pieces, branch._size = list(self._pieces), self._size
        branch.longest = self.longest
        return branch

    def _joined(self) -> Any:
        if len(self._pieces) > 1:
            self._pieces = [sp.vstack(self._pieces, format="csr")]
        return self._pieces[0]

    @property
    def n_features(self) -> int:
        """The number of features."""
        return int(self._pieces[0].shape[1])

    @property
    def parts(self) -> tuple[Any, ...]:
        """The samples as arrays; `support_of` reverses this."""
        joined = self._joined()
        width = np.array([joined.shape[1]])
        return joined.data.copy(), joined.indices.copy(), joined.indptr.copy(), width


def _greatest_length(X: MatrixLike) -> float:
    return float(lengths(as_rows(X, 0.0), X.shape[0]).max())


Support = DenseSupport | SparseSupport


def new_support(n_features: int, *, sparse: bool) -> Support:
    """Return empty support samples.

    >>> len(new_support(3, sparse=True))
    0
    """
    return SparseSupport(n_features) if sparse else DenseSupport(n_features)


def support_of(parts: tuple[Any, ...]) -> Support:
    """Return the samples that ``parts`` returned as arrays; raise ValueError if they are invalid.

    >>> support = DenseSupport(1)
    >>> support.add(np.array([[7.0]]))
    >>> support_of(support.parts).take(np.array([0]))
    array([[7.]])
    """
    if not np.isfinite(parts[0]).all():
        raise ValueError("the support samples are not finite")
    if len(parts) == 1:
        (samples,) = parts
    else:
        data, indices, indptr, width = parts
        if (indptr[1:] < indptr[:-1]).any():  # SciPy does not notice if the last one is 0
            raise ValueError("the rows of the support samples overlap")
        samples = sp.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, int(width[0])))
        samples = as_csr(samples)
    support = new_support(samples.shape[1], sparse=len(parts) > 1)
    support.add(samples)
    return support
