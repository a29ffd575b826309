"""libsvm files: a label, then index:value pairs, ascending; what is not named is zero.

scikit-learn reads the lines, each of which is checked beforehand, and counted: there must be as many
samples as lines that are neither blank nor a comment.

Conventions: indices begin at 1, or at 0 in a file that has an index 0; labels are integers when all are
whole numbers, else the numbers as text. A ``qid`` after the label is ignored.
"""

import re
from array import array
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file

from rosenblatt.core.errors import InputError, quoted
from rosenblatt.core.number_syntax import NUMBER, number_fault
from rosenblatt.core.types import Counts, Floats, Labels, MatrixLike
from rosenblatt.io.samples.sample_places import known_places
from rosenblatt.io.samples.table import Expected, Table, check_width
from rosenblatt.io.samples.text_file import BinaryFile, byte_lines, open_bytes

_SAMPLE = re.compile(
    rf"[ \t]*(?:{NUMBER}(?:[ \t]+qid:[0-9]+)?(?:[ \t]+[0-9]+:{NUMBER})*)?[ \t]*(?:#.*|\r?\n?)".encode(),
    re.DOTALL,
)
# In lines of these characters scikit-learn accepts what _SAMPLE matches, unless an index has a sign; to
# look at the characters is four times as fast as to match.
_PLAIN = b"0123456789.:+-eE \n"
_LARGEST_INDEX = 2**31 - 1

# A model has a weight for every index up to the largest, which a single line can make as large as it
# likes. kdd2010, one of the widest sets there are, has 30 million features, in a file of gigabytes.
_MOST_FEATURES = 2**25


class _Lines:
    """The lines of a file, checked as scikit-learn asks for them, and where each sample is."""

    def __init__(self, path: Path, file: BinaryFile) -> None:
        self.path, self._file = path, file
        self.numbers = array("q")
        self.n_bytes = 0
        self.number, self.line = 0, b""

    def read(self) -> bytes:
        """Do nothing: scikit-learn iterates over whatever has this method."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[bytes]:
        for line in byte_lines(self.path, self._file):
            self.line = line
            self.number += 1
            self.n_bytes += len(line)
            is_plain = not (line.translate(None, _PLAIN) or b" +" in line or b" -" in line)
            if not is_plain and _SAMPLE.fullmatch(line) is None:
                raise self.error()
            if line.partition(b"#")[0].strip():
                self.numbers.append(self.number)
            yield line

    def error(self) -> InputError:
        """Return the error that says what is wrong with the line that was read last."""
        return _line_error(self.path, self.number, self.line)


def read_libsvm(path: Path, expect: Expected | None = None) -> Table:
    """Read a libsvm file as a sparse matrix."""
    with open_bytes(path) as file:
        lines = _Lines(path, file)
        try:
            X, y = load_svmlight_file(lines, dtype=np.float64, zero_based=True)
        except InputError:
            raise
        except (ValueError, OverflowError) as error:
            raise lines.error() from error
    if not lines.numbers:
        raise InputError(f"{path}: the file is empty; give one sample per line, its label first")
    if X.shape[0] != len(lines.numbers):
        raise InputError(
            f"{path}: {X.shape[0]:,} samples were read, but {len(lines.numbers):,} lines have one"
        )
    _check_finite(X, y, lines)
    smallest = int(X.indices.min()) if X.nnz else 1
    first = min(smallest, 1) if expect is None else expect.first_index
    if smallest < first:
        raise InputError(
            f"{path}: there is an index 0, but the model has learned from indices 1, 2, …"
        )
    n_features = X.shape[1] - first
    if expect is None:
        _check_largest_index(X, lines)
    else:
        if n_features > expect.n_features:
            check_width(path, n_features, expect.n_features)
        n_features = expect.n_features
    kind = np.int32 if max(X.nnz, n_features) < 2**31 else np.int64
    indices, indptr = (X.indices - first).astype(kind), X.indptr.astype(kind)
    X = sp.csr_matrix((X.data, indices, indptr), shape=(X.shape[0], n_features))
    return Table(X, _labels(y, lines), known_places(lines.numbers), first_index=first)


def _check_finite(X: MatrixLike, y: Floats, lines: _Lines) -> None:
    places = np.flatnonzero(~np.isfinite(X.data))[:1]
    rows = [*_rows(X, places), *np.flatnonzero(~np.isfinite(y))[:1].tolist()]
    if rows:
        raise _line_error(lines.path, *_line_of(min(rows), lines))


def _check_largest_index(X: MatrixLike, lines: _Lines) -> None:
    """Raise if a model would have far more weights than the file has bytes."""
    most = max(_MOST_FEATURES, lines.n_bytes)
    if X.shape[1] - 1 > most:
        (row,) = _rows(X, X.indices.argmax(keepdims=True))
        raise InputError(
            f"{lines.path}, line {lines.numbers[row]}: the index {X.indices.max()} is too large for a "
            f"file of {lines.n_bytes:,} bytes: a model has a weight for every index, and at most "
            f"{most:,} are accepted"
        )


def _labels(y: Floats, lines: _Lines) -> Labels:
    large = np.abs(y) >= 2**53
    if not large.any() and (y == np.round(y)).all():
        return y.astype(np.int64)
    if large.any():
        _check_whole(y, lines)
    return np.array([repr(label).removesuffix(".0") for label in y.tolist()])


def _check_whole(y: Floats, lines: _Lines) -> None:
    """Raise if a label is a whole number that float64 rounds to another one."""
    with open_bytes(lines.path) as file:
        rows = dict(zip(lines.numbers, y.tolist(), strict=True))
        for number, line in enumerate(byte_lines(lines.path, file), start=1):
            text = line.partition(b"#")[0].split()[0].decode() if number in rows else ""
            if re.fullmatch(r"[+-]?[0-9]+", text) and Decimal(text) != Decimal(rows[number]):
                raise InputError(
                    f"{lines.path}, line {number}: the label {quoted(text)} is so large that float64 "
                    f"rounds it to another number; give whole numbers of at most {2**53}"
                )


def _rows(X: MatrixLike, places: Counts) -> list[int]:
    """Return the rows in which some of the values are."""
    rows: list[int] = (np.searchsorted(X.indptr, places, side="right") - 1).tolist()
    return rows


def _line_of(row: int, lines: _Lines) -> tuple[int, bytes]:
    """Return the number of a sample's line and, read once more, the line."""
    number = lines.numbers[row]
    with open_bytes(lines.path) as file:
        return number, next(islice(byte_lines(lines.path, file), number - 1, None))


def _line_error(path: Path, number: int, line: bytes) -> InputError:
    """Return the error that says what is wrong with a line."""
    text = line.removesuffix(b"\n").removesuffix(b"\r").partition(b"#")[0]
    if b"\r" in text:
        fault = "a carriage return (CR) is inside the line; lines must end with LF or CR LF"
    else:
        fault = _fault([field.decode("utf-8", "backslashreplace") for field in text.split()])
    return InputError(f"{path}, line {number}: {fault}")


def _fault(fields: list[str]) -> str:
    fault = number_fault(fields[0]) if fields else None
    if fault:
        return f"the label: {fault}"
    last = -1
    for place, pair in enumerate(fields[1:]):
        if re.fullmatch(r"qid:[0-9]+", pair):
            if place > 0:
                return f"{quoted(pair)} must come directly after the label"
            continue
        index, colon, value = pair.partition(":")
        if not (colon and re.fullmatch(r"[0-9]+", index)):
            return f"{quoted(pair)} is not an index:value pair, such as 3:0.5"
        if not value:
            return f"{quoted(pair)} has no value after the colon; a number is expected"
        fault = number_fault(value)
        if fault:
            return f"{quoted(pair)}: after the colon, {fault}"
        if len(index) > 18 or int(index) > _LARGEST_INDEX:
            return f"the index {quoted(index)} is larger than {_LARGEST_INDEX}"
        if int(index) <= last:
            return f"index {index} follows index {last}; they must ascend"
        last = int(index)
    return "this is not a label and index:value pairs, separated by blanks"
