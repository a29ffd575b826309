"""The data as the checker reads it: rows of floats, dense or compressed, and the samples' classes.

Numbers are read as float32 if float32 represents every value of their type, otherwise as float64. In
sparse matrices duplicates are summed, stored zeros are dropped, and the columns of each row are sorted.
Dense data is converted block by block, never as a whole.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.certificates.label_codes import Codes, Label, classes_and_codes
from rosenblatt.core.constants import WHOLE
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, LabelsLike, MatrixLike, Numbers

DType = np.dtype[np.generic]
"""The type of an array's numbers."""

_BLOCK = 1 << 20
"""Values in a block of dense rows that is compressed at a time."""


class Compressed(NamedTuple):
    """The nonzero values of rows: row i has ``values[indptr[i]:indptr[i + 1]]``."""

    indptr: Numbers
    indices: Numbers
    values: Numbers


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples and their classes.

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
        """Read a 2-d array-like or sparse matrix and its labels, without a copy if possible."""
        stored, shape = _read_sparse(X) if sp.issparse(X) else _read_dense(X)
        classes, codes = classes_and_codes(y)
        if len(codes) != shape[0]:
            raise InputError(
                f"X has {shape[0]} rows, but y has {len(codes)} labels: give one label per row"
            )
        return cls(stored, shape[0], shape[1], classes, codes)

    @property
    def storage(self) -> str:
        """How the values are stored: "dense" or "sparse"."""
        return "sparse" if isinstance(self.stored, Compressed) else "dense"

    @property
    def dtype(self) -> DType:
        """The type in which the values are read: float32 or float64."""
        values = self.stored.values if isinstance(self.stored, Compressed) else self.stored
        return read_as(values.dtype)

    @property
    def is_float64_array(self) -> bool:
        """Whether the rows are stored as a C-ordered float64 array."""
        values = self.stored
        return not isinstance(values, Compressed) and bool(
            values.dtype == np.float64 and values.flags.c_contiguous and values.dtype.isnative
        )

    def dense(self, start: int, stop: int) -> Numbers:
        """Return rows from start to stop as a C-ordered array of ``dtype``, a view if possible."""
        if not isinstance(self.stored, Compressed):
            return np.ascontiguousarray(self.stored[start:stop], dtype=self.dtype)
        block = np.zeros((stop - start, self.n_features), dtype=self.dtype)
        part = self.span(start, stop)
        rows = np.repeat(np.arange(stop - start), np.diff(part.indptr))
        block[rows, part.indices] = part.values
        return block

    def span(self, start: int, stop: int) -> Compressed:
        """Return rows from start to stop as float64, compressed."""
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
        """Return the chosen rows as float64, compressed."""
        if not isinstance(self.stored, Compressed):
            return _compress(self.stored[rows].astype(np.float64))
        indptr, indices, values = self.stored
        starts = indptr[rows].astype(np.int64)
        sizes = indptr[rows + 1] - starts
        ends = np.concatenate([[0], np.cumsum(sizes)])
        positions = np.arange(ends[-1]) + np.repeat(starts - ends[:-1], sizes)
        return Compressed(ends, indices[positions], values[positions].astype(np.float64))

    def compressed(self) -> Compressed:
        """Return all rows in their stored type, compressed."""
        if isinstance(self.stored, Compressed):
            return self.stored
        spans = chunk_ranges(self.n_samples, _BLOCK // max(1, self.n_features))
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
    """Return float32 if it represents every number of a type, else float64.

    >>> read_as(np.dtype("int8")).name, read_as(np.dtype("int32")).name
    ('float32', 'float64')
    """
    return np.dtype(np.float32 if np.can_cast(dtype, np.float32, "safe") else np.float64)


def chunk_ranges(length: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each chunk; a size below 1 counts as 1.

    >>> list(chunk_ranges(5, 2))
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
        raise InputError("X has masked values: give a table without missing values")
    try:
        if hasattr(X, "__arrow_c_stream__") and hasattr(X, "columns") and not hasattr(X, "astype"):
            import pyarrow as pa

            X = pa.table(X)  # polars rounds decimals, dates and large numbers; Arrow does not
        given = np.asarray(X)
        values = given.astype(np.float64) if given.dtype.kind == "O" else given
        if not hasattr(X, "dtype") and _may_be_rounded(values):
            # A data frame converts all columns to one type before NumPy sees them, so convert it here.
            given = np.asarray(X.astype(object) if hasattr(X, "astype") else X, dtype=np.object_)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"X is not a table of numbers ({error})") from error
    _check_exact(given)
    if values.dtype.kind not in "biuf":
        raise InputError(f"X is an array of {values.dtype}: give numbers")
    if values.ndim != 2:
        raise InputError(f"X has {values.ndim} dimensions: give a table with one row per sample")
    return values, (values.shape[0], values.shape[1])


def _may_be_rounded(values: Numbers) -> bool:
    """Return whether NumPy may have rounded large integers in a list that also has floats."""
    return values.dtype.kind == "f" and bool((np.abs(values) >= WHOLE).any())


def _check_exact(values: Numbers) -> None:
    """Raise InputError unless float64 represents the numbers exactly.

    Otherwise different numbers might be rounded to the same one.
    """
    if values.dtype.kind not in "biufO" or values.dtype == np.float64 or values.dtype.itemsize < 8:
        return
    if values.dtype.kind in "iu":
        exact = int(values.max(initial=0)) <= WHOLE and int(values.min(initial=0)) >= -WHOLE
    else:
        with np.errstate(all="ignore"):
            rounded = values.astype(np.float64)
        if values.dtype.kind == "O":
            exact = all(map(_is_exact, values.ravel().tolist(), rounded.ravel().tolist()))
        else:
            exact = bool(((values == rounded) | np.isnan(values)).all())
    if not exact:
        raise InputError(
            "X contains numbers that float64 cannot represent exactly; convert them first"
        )


def _is_exact(value: object, rounded: float) -> bool:
    """Return whether rounding did not change a value; None and NaN count as unchanged."""
    if isinstance(value, np.generic):  # NumPy would round it for the comparison
        value = value.item()
    return value is None or bool(value != value) or bool(value == rounded)


def _read_sparse(X: MatrixLike) -> tuple[Compressed, tuple[int, int]]:
    if X.dtype.kind not in "biuf" or len(X.shape) != 2:
        raise InputError(
            f"X is a sparse array of {X.dtype} with {len(X.shape)} dimensions: "
            "give a table of numbers with one row per sample"
        )
    shape = int(X.shape[0]), int(X.shape[1])
    matrix = _as_csr(X) if _is_convertible(X, shape) else None
    if matrix is None or not _is_sound(
        Compressed(matrix.indptr, matrix.indices, matrix.data), shape
    ):
        raise InputError("X is not a valid sparse matrix: an index is out of range")
    _check_exact(matrix.data)
    stored = Compressed(matrix.indptr, matrix.indices, matrix.data)
    n_stored = int(stored.indptr[-1])
    stored = Compressed(stored.indptr, stored.indices[:n_stored], stored.values[:n_stored])
    if not _is_canonical(stored):
        # A new matrix: SciPy remembers that a matrix was sorted even after its indices have changed.
        tidy = sp.csr_array((stored.values, stored.indices, stored.indptr), shape=shape, copy=True)
        tidy.sum_duplicates()
        tidy.eliminate_zeros()
        stored = Compressed(tidy.indptr, tidy.indices, tidy.data)
    _check_exact(stored.values)  # again, because duplicates have been summed
    return stored, shape


def _as_csr(X: MatrixLike) -> sp.csr_array:
    # SciPy has no arithmetic for float16.
    matrix: sp.csr_array = (X.astype(np.float32) if X.dtype == np.float16 else X).tocsr()
    return matrix


def _is_convertible(X: MatrixLike, shape: tuple[int, int]) -> bool:
    """Return whether SciPy, which checks no index, can safely convert X to CSR."""
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
    height, width = X.data.shape[1:]
    blocks = Compressed(X.indptr, X.indices, X.data)
    divides = bool(shape[0] % height == 0 == shape[1] % width)
    return divides and _is_sound(blocks, (shape[0] // height, shape[1] // width))


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
