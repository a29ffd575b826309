"""libsvm files: a label, then index:value pairs with increasing indices; all other values are zero.

Indices begin at 1, or at 0 in a file that has an index 0. Labels are integers if all are whole numbers,
otherwise the numbers as text. A ``qid`` after the label is ignored.

Two threads parse a file piece by piece.
"""

import re
from array import array
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from threading import Lock

import numpy as np
import scipy.sparse as sp

from rosenblatt.core.constants import WHOLE
from rosenblatt.core.errors import InputError, quoted
from rosenblatt.core.files import check_readable
from rosenblatt.core.threads import run_in_threads
from rosenblatt.core.types import Floats, Indices, Labels, Numbers
from rosenblatt.io.samples.libsvm_parser import ParsedLines, parse_libsvm
from rosenblatt.io.samples.sample_places import places_at_lines
from rosenblatt.io.samples.table import Expected, Table, check_width
from rosenblatt.io.samples.text_file import byte_lines, open_bytes, pieces

# A model has a weight for every index up to the largest, so a single bad line could fill the memory.
# kdd2010, one of the widest public data sets, has 30 million features in a file of gigabytes.
MOST_FEATURES = 2**25
"""The limit on the number of columns, unless the caller gives it or the file has more bytes."""

_PIECE = 2**22
_N_THREADS = 2


def read_libsvm(path: Path, expect: Expected | None = None) -> Table:
    """Read a libsvm file as a sparse matrix."""
    found = _parsed(path)
    if not len(found.labels):
        raise InputError(
            f"{path}: the file is empty; give one sample per line, starting with its label"
        )
    n_stored = len(found.indices)
    smallest = int(found.indices.min()) if n_stored else 1
    largest = int(found.indices.max()) if n_stored else 0
    first = min(smallest, 1) if expect is None else expect.first_index
    if smallest < first:
        raise InputError(f"{path}: there is an index 0, but the model's indices start at 1")
    n_features = largest + 1 - first
    if expect is None:
        if largest > MOST_FEATURES:
            row = int(np.searchsorted(found.indptr, found.indices.argmax(), side="right")) - 1
            check_largest_index(f"{path}, line {found.lines[row]}", largest, found.n_bytes)
    else:
        if n_features > expect.n_features:
            check_width(path, n_features, expect.n_features)
        n_features = expect.n_features
    indices = found.indices
    indices -= first
    X = sp.csr_matrix((found.values, indices, found.indptr), shape=(len(found.labels), n_features))
    y = _typed_labels(path, found.labels, found.lines)
    return Table(X, y, places_at_lines(found.lines), first_index=first)


def check_largest_index(place: str, largest: int, n_bytes: int) -> None:
    """Raise InputError if a model would have far more weights than the file has bytes."""
    most = max(MOST_FEATURES, n_bytes)
    if largest > most:
        raise InputError(
            f"{place}: the index {largest} is too large: a model has a weight for every index, and the "
            f"limit is {most:,}"
        )


def _typed_labels(path: Path, y: Floats, lines: Sequence[int]) -> Labels:
    """Return labels as integers if all are whole numbers, else as text."""
    large = np.abs(y) >= WHOLE
    if not large.any() and (y == np.round(y)).all():
        return y.astype(np.int64)
    if large.any():
        _check_whole(path, y, lines)
    return np.array([repr(label).removesuffix(".0") for label in y.tolist()])


def _check_whole(path: Path, y: Floats, lines: Sequence[int]) -> None:
    """Raise InputError if float64 rounded a whole-number label to another number."""
    with open_bytes(path) as file:
        rows = dict(zip(lines, y.tolist(), strict=True))
        for number, line in enumerate(byte_lines(path, file), start=1):
            text = line.partition(b"#")[0].split()[0].decode() if number in rows else ""
            if re.fullmatch(r"[+-]?[0-9]+", text) and Decimal(text) != Decimal(rows[number]):
                raise InputError(
                    f"{path}, line {number}: the label {quoted(text)} is so large that float64 "
                    f"rounds it to another number; give whole numbers up to {WHOLE}"
                )


@dataclass(frozen=True)
class _ParsedFile:
    """All samples of a file, as in `ParsedLines`; ``lines`` has line numbers from 1."""

    labels: Floats
    values: Floats
    indices: Indices
    indptr: Indices
    lines: Sequence[int]
    n_bytes: int


class _Pieces:
    """Pieces of a file that several threads parse, until none is left or one is malformed."""

    def __init__(self, path: Path, texts: Iterator[bytes]) -> None:
        self._path, self._texts = str(path), enumerate(texts)
        self._lock = Lock()
        self._done: dict[int, ParsedLines | bytes] = {}
        self._error: InputError | None = None
        self.n_bytes = 0

    def work(self) -> None:
        """Parse the next piece until there are no more; each thread runs this."""
        while True:
            with self._lock:
                number, text = self._next()
                self.n_bytes += len(text)
            if not text:
                return
            try:
                self._done[number] = parse_libsvm(text, self._path, 1)
            except InputError:
                self._done[number] = text
                self._texts = enumerate(())

    def _next(self) -> tuple[int, bytes]:
        try:
            return next(self._texts, (0, b""))
        except InputError as error:  # the rest of the file cannot be read
            self._error = error
            return 0, b""

    def parsed(self) -> list[ParsedLines]:
        """Return all pieces in order; parse the first malformed one again, to name its line."""
        found: list[ParsedLines] = []
        n_lines = 0
        for number in sorted(self._done):
            piece = self._done[number]
            if isinstance(piece, bytes):
                piece = parse_libsvm(piece, self._path, 1 + n_lines)
            found.append(piece)
            n_lines += piece.n_lines
        if self._error:
            raise self._error
        return found


def _parsed(path: Path) -> _ParsedFile:
    """Parse a file, compressed or not."""
    n_threads = 1 if check_readable(path) <= _PIECE else _N_THREADS
    with closing(pieces(path, _PIECE)) as texts:
        all_pieces = _Pieces(path, texts)
        run_in_threads([all_pieces.work] * n_threads, n_threads)
    return _joined(all_pieces.parsed(), all_pieces.n_bytes)


def _joined(parsed: Sequence[ParsedLines], n_bytes: int) -> _ParsedFile:
    n_stored = sum(len(piece.values) for piece in parsed)
    kind = np.int32 if n_stored <= np.iinfo(np.int32).max else np.int64
    starts = np.cumsum([0, *(len(piece.values) for piece in parsed)], dtype=kind)
    indptr = [piece.indptr[1:] + starts[k] for k, piece in enumerate(parsed)]
    return _ParsedFile(
        _concatenated([piece.labels for piece in parsed]),
        _concatenated([piece.values for piece in parsed]),
        _concatenated([piece.indices for piece in parsed], np.int32),
        np.concatenate([starts[:1], *indptr]),
        _lines(parsed),
        n_bytes,
    )


def _concatenated(arrays: Sequence[Numbers], kind: type = np.float64) -> Numbers:
    return arrays[0] if len(arrays) == 1 else np.concatenate([np.empty(0, dtype=kind), *arrays])


def _lines(parsed: Sequence[ParsedLines]) -> Sequence[int]:
    """Return the line of each sample, from 1."""
    if all(piece.lines is None for piece in parsed):
        return range(1, 1 + sum(piece.n_lines for piece in parsed))
    lines = array("q")
    first = 1
    for piece in parsed:
        own = np.arange(piece.n_lines) if piece.lines is None else piece.lines
        lines.frombytes((own + first).tobytes())
        first += piece.n_lines
    return lines
