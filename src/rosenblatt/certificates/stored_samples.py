"""The data as the checker reads it: rows of floats, dense or compressed, and the samples' classes.

Smaller numbers than float32 are read as float32, float32 stays, all others are read as float64. Sparse
matrices are read with duplicates summed, without stored zeros, columns ascending in each row. Dense
data is converted block by block, never as a whole.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.certificates.label_codes import Codes, Label, coded
from rosenblatt.core.constants import WHOLE
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, LabelsLike, MatrixLike, Numbers

DType = np.dtype[np.generic]
"""The type of an array's numbers."""

_BLOCK = 1 << 20
"""Values in a block of dense rows that is compressed at once."""


class Compressed(NamedTuple):
    """Rows as what is not zero in them: row i holds ``values[indptr[i]:indptr[i + 1]]``."""

    indptr: Numbers
    indices: Numbers
    values: Numbers


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples and their classes, read once.

    >>> samples = Samples.of([[0, 1], [2, 0]], ["no", "yes"])
    >>> samples.storage, samples.dtype.name, samples.classes, samples.codes.tolist()
    ('dense', 'float64', ('no', 'yes'), [0, 1])
    """

    stored: Numbers | Compressed
    n_samples: int
    n_features: int
    classes: tuple[Label, ...]
    codes: Codes

    @classmethod
    def of(cls, X: MatrixLike, y: LabelsLike) -> "Samples":
        """Read a 2-d array-like or sparse matrix and its labels; nothing that fits is copied."""
        stored, shape = _read_sparse(X) if sp.issparse(X) else _read_dense(X)
        classes, codes = coded(y)
        if len(codes) != shape[0]:
            raise InputError(
                f"X has {shape[0]} rows, but y has {len(codes)} labels: one a row is accepted"
            )
        return cls(stored, shape[0], shape[1], classes, codes)

    @property
    def storage(self) -> str:
        """How the values lie in memory: "dense" or "sparse"."""
        return "sparse" if isinstance(self.stored, Compressed) else "dense"

    @property
    def dtype(self) -> DType:
        """What the values are read as: float32 or float64."""
        held = self.stored.values if isinstance(self.stored, Compressed) else self.stored
        return read_as(held.dtype)

    @property
    def as_is(self) -> bool:
        """Whether the rows lie in memory as a C-ordered array of float64."""
        held = self.stored
        return not isinstance(held, Compressed) and bool(
            held.dtype == np.float64 and held.flags.c_contiguous and held.dtype.isnative
        )

    def dense(self, start: int, stop: int) -> Numbers:
        """Return some rows as a C-ordered array of ``dtype``; a view where that is how they lie."""
        if not isinstance(self.stored, Compressed):
            return np.ascontiguousarray(self.stored[start:stop], dtype=self.dtype)
        block = np.zeros((stop - start, self.n_features), dtype=self.dtype)
        part = self.span(start, stop)
        rows = np.repeat(np.arange(stop - start), np.diff(part.indptr))
        block[rows, part.indices] = part.values
        return block

    def span(self, start: int, stop: int) -> Compressed:
        """Return consecutive rows of float64, compressed."""
        if not isinstance(self.stored, Compressed):
            return _compress(self.dense(start, stop).astype(np.float64, copy=False))
        indptr, indices, values = self.stored
        low, high = int(indptr[start]), int(indptr[stop])
        return Compressed(
            indptr[start : stop + 1] - indptr[start],
            indices[low:high],
            values[low:high].astype(np.float64, copy=False),
        )

    def chosen(self, rows: Counts) -> Compressed:
        """Return the chosen rows of float64, compressed."""
        if not isinstance(self.stored, Compressed):
            return _compress(self.stored[rows].astype(np.float64))
        indptr, indices, values = self.stored
        starts = indptr[rows].astype(np.int64)
        sizes = indptr[rows + 1] - starts
        ends = np.concatenate([[0], np.cumsum(sizes)])
        places = np.arange(ends[-1]) + np.repeat(starts - ends[:-1], sizes)
        return Compressed(ends, indices[places], values[places].astype(np.float64))

    def compressed(self) -> Compressed:
        """Return all rows, compressed, in the type that they are stored in."""
        if isinstance(self.stored, Compressed):
            return self.stored
        spans = steps(self.n_samples, _BLOCK // max(1, self.n_features))
        parts = [_compress(self.dense(start, stop)) for start, stop in spans]
        if not parts:
            return _compress(self.dense(0, 0))
        sizes = np.concatenate([np.diff(part.indptr) for part in parts])
        return Compressed(
            np.concatenate([[0], np.cumsum(sizes)]),
            np.concatenate([part.indices for part in parts]),
            np.concatenate([part.values for part in parts]),
        )


def read_as(dtype: DType) -> DType:
    """Return the type that numbers of a type are read as.

    >>> read_as(np.dtype("int8")).name, read_as(np.dtype("int32")).name
    ('float32', 'float64')
    """
    return np.dtype(np.float32 if np.can_cast(dtype, np.float32, "safe") else np.float64)


def steps(length: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each step of a size, at least 1, over a length.

    >>> list(steps(5, 2))
    [(0, 2), (2, 4), (4, 5)]
    """
    size = max(1, size)
    for start in range(0, length, size):
        yield start, min(start + size, length)


def _compress(block: Numbers) -> Compressed:
    rows, indices = np.nonzero(block)
    sizes = np.bincount(rows, minlength=len(block))
    return Compressed(np.concatenate([[0], np.cumsum(sizes)]), indices, block[rows, indices])


def _read_dense(X: MatrixLike) -> tuple[Numbers, tuple[int, int]]:
    if np.ma.is_masked(X):
        raise InputError("X has masked values: a table without gaps is accepted")
    try:
        given = np.asarray(X)
        values = given.astype(np.float64) if given.dtype.kind == "O" else given
        if not hasattr(X, "dtype") and _may_be_rounded(values):
            # A frame is asked itself, for it makes one type of all columns before NumPy sees them.
            given = np.asarray(X.astype(object) if hasattr(X, "astype") else X, dtype=np.object_)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"X is no table of numbers ({error})") from error
    _check_exact(given)
    if values.dtype.kind not in "biuf":
        raise InputError(f"X is an array of {values.dtype}: numbers are accepted")
    if values.ndim != 2:
        raise InputError(f"X has {values.ndim} dimensions: a table, one row a sample, is accepted")
    return values, (values.shape[0], values.shape[1])


def _may_be_rounded(values: Numbers) -> bool:
    """Say whether NumPy may have rounded large whole numbers, making floats of a list of both."""
    return values.dtype.kind == "f" and bool((np.abs(values) >= WHOLE).any())


def _check_exact(values: Numbers) -> None:
    """Raise unless float64 holds the numbers exactly: rounded, different ones might look equal."""
    if values.dtype.kind not in "biufO" or values.dtype == np.float64 or values.dtype.itemsize < 8:
        return
    if values.dtype.kind in "iu":
        exact = int(values.max(initial=0)) <= WHOLE and int(values.min(initial=0)) >= -WHOLE
    else:
        with np.errstate(all="ignore"):
            near = values.astype(np.float64)
        if values.dtype.kind == "O":
            exact = all(map(_is_exact, values.ravel().tolist(), near.ravel().tolist()))
        else:
            exact = bool(((values == near) | np.isnan(values)).all())
    if not exact:
        raise InputError("X has numbers that float64 cannot hold exactly: others are accepted")


def _is_exact(value: object, near: float) -> bool:
    """Say whether an object is the number that was made of it; None stands for NaN."""
    if isinstance(value, np.generic):  # which would be rounded itself, to be compared
        value = value.item()
    return value is None or bool(value != value) or bool(value == near)


def _read_sparse(X: MatrixLike) -> tuple[Compressed, tuple[int, int]]:
    if X.dtype.kind not in "biuf" or len(X.shape) != 2:
        raise InputError(
            f"X is a sparse array of {X.dtype} with {len(X.shape)} dimensions: "
            "a table of numbers, one row a sample, is accepted"
        )
    shape = int(X.shape[0]), int(X.shape[1])
    matrix = _as_csr(X) if _is_convertible(X, shape) else None
    if matrix is None or not _is_sound(
        Compressed(matrix.indptr, matrix.indices, matrix.data), shape
    ):
        raise InputError("X is no valid sparse matrix: its indices point outside of what it stores")
    _check_exact(matrix.data)
    stored = Compressed(matrix.indptr, matrix.indices, matrix.data)
    n_stored = int(stored.indptr[-1])
    stored = Compressed(stored.indptr, stored.indices[:n_stored], stored.values[:n_stored])
    if not _is_canonical(stored):
        # Built anew: SciPy remembers of a matrix that it was sorted, even when that is over.
        tidy = sp.csr_array((stored.values, stored.indices, stored.indptr), shape=shape, copy=True)
        tidy.sum_duplicates()
        tidy.eliminate_zeros()
        stored = Compressed(tidy.indptr, tidy.indices, tidy.data)
    _check_exact(stored.values)  # as they are summed
    return stored, shape


def _as_csr(X: MatrixLike) -> sp.csr_array:
    # SciPy has no arithmetic for float16.
    matrix: sp.csr_array = (X.astype(np.float32) if X.dtype == np.float16 else X).tocsr()
    return matrix


def _is_convertible(X: MatrixLike, shape: tuple[int, int]) -> bool:
    """Say whether SciPy, which checks no index, can make a CSR matrix of X."""
    if X.format == "coo":
        return all(
            len(along) == len(X.data) and _are_within(along, size)
            for along, size in zip(X.coords, shape, strict=True)
        )
    if X.format == "lil":
        sizes = [len(row) for row in X.rows]
        return len(sizes) == shape[0] and sizes == [len(values) for values in X.data]
    if X.format == "dia":
        return bool(np.shape(X.offsets) == np.shape(X.data)[:-1])
    if X.format == "csc":
        return _is_sound(Compressed(X.indptr, X.indices, X.data), shape[::-1])
    if X.format != "bsr":
        return True
    high, wide = X.data.shape[1:]
    blocks = Compressed(X.indptr, X.indices, X.data)
    fills = bool(shape[0] % high == 0 == shape[1] % wide)
    return fills and _is_sound(blocks, (shape[0] // high, shape[1] // wide))


def _are_within(numbers: Numbers, size: int) -> bool:
    return len(numbers) == 0 or bool(numbers.min() >= 0 and numbers.max() < size)


def _is_sound(stored: Compressed, shape: tuple[int, ...]) -> bool:
    indptr, indices, values = stored
    if not (
        indptr.dtype.kind in "iu"
        and indices.dtype.kind in "iu"
        and indptr.ndim == indices.ndim == 1
    ):
        return False
    if len(indptr) != shape[0] + 1 or indptr[0] != 0 or (indptr[1:] < indptr[:-1]).any():
        return False
    if indptr[-1] > min(len(indices), len(values)):
        return False
    return _are_within(indices[: indptr[-1]], shape[1])


def _is_canonical(stored: Compressed) -> bool:
    indptr, indices, values = stored
    ascends = np.ones(len(indices) + 1, dtype=np.bool_)
    if len(indices):
        np.greater(indices[1:], indices[:-1], out=ascends[1:-1])
    ascends[indptr] = True
    return bool(ascends.all()) and int(np.count_nonzero(values)) == len(values)
