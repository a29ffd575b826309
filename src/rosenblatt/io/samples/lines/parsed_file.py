"""A whole file of lines, parsed piece by piece on two threads, each of which takes the next piece."""

from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.files import check_readable
from rosenblatt.core.threads import share_out
from rosenblatt.core.types import Floats, Indices, Numbers
from rosenblatt.io.samples.line_parsers import ParsedLines
from rosenblatt.io.samples.text_file import pieces

_PIECE = 2**22
_N_THREADS = 2

Parse = Callable[[bytes, str, int], ParsedLines]
"""From lines, the file they are of, and the number of the first one."""


@dataclass(frozen=True)
class ParsedFile:
    """All samples of a file, as in `ParsedLines`; their lines count from 1, as everybody does."""

    labels: Floats
    values: Floats
    indices: Indices
    indptr: Indices
    weights: Floats | None
    lines: Sequence[int]
    n_bytes: int

    def row_of(self, k: int) -> int:
        """Return the sample that a stored value belongs to."""
        return int(np.searchsorted(self.indptr, k, side="right")) - 1


class _Pieces:
    """Pieces that several threads take, until there are no more, or one is wrong."""

    def __init__(self, path: Path, parse: Parse, texts: Iterator[bytes]) -> None:
        self._path, self._parse, self._texts = str(path), parse, enumerate(texts)
        self._lock = Lock()
        self._done: dict[int, ParsedLines | bytes] = {}
        self._error: InputError | None = None
        self.n_bytes = 0

    def work(self) -> None:
        """Parse pieces."""
        while True:
            with self._lock:
                number, text = self._next()
                self.n_bytes += len(text)
            if not text:
                return
            try:
                self._done[number] = self._parse(text, self._path, 1)
            except InputError:
                self._done[number] = text
                self._texts = enumerate(())

    def _next(self) -> tuple[int, bytes]:
        try:
            return next(self._texts, (0, b""))
        except InputError as error:  # the file cannot be read on
            self._error = error
            return 0, b""

    def parsed(self) -> list[ParsedLines]:
        """Return all pieces in order; the first that is wrong is parsed again, to name its line."""
        found: list[ParsedLines] = []
        n_lines = 0
        for number in sorted(self._done):
            piece = self._done[number]
            if isinstance(piece, bytes):
                piece = self._parse(piece, self._path, 1 + n_lines)
            found.append(piece)
            n_lines += piece.n_lines
        if self._error:
            raise self._error
        return found


def parse_file(path: Path, parse: Parse) -> ParsedFile:
    """Parse a text file, compressed or not, of lines that each stand for themselves."""
    n_threads = 1 if check_readable(path) <= _PIECE else _N_THREADS
    with closing(pieces(path, _PIECE)) as texts:
        all_pieces = _Pieces(path, parse, texts)
        share_out([all_pieces.work] * n_threads, n_threads)
    return _joined(all_pieces.parsed(), all_pieces.n_bytes)


def _joined(parsed: Sequence[ParsedLines], n_bytes: int) -> ParsedFile:
    n_stored = sum(len(one.values) for one in parsed)
    kind = np.int32 if n_stored <= np.iinfo(np.int32).max else np.int64
    starts = np.cumsum([0, *(len(one.values) for one in parsed)], dtype=kind)
    indptr = [one.indptr[1:] + starts[k] for k, one in enumerate(parsed)]
    weights = None
    if any(one.weights is not None for one in parsed):
        weights = _concatenated(
            [np.ones(len(one.labels)) if one.weights is None else one.weights for one in parsed]
        )
    return ParsedFile(
        _concatenated([one.labels for one in parsed]),
        _concatenated([one.values for one in parsed]),
        _concatenated([one.indices for one in parsed], np.int32),
        np.concatenate([starts[:1], *indptr]),
        weights,
        _lines(parsed),
        n_bytes,
    )


def _concatenated(arrays: Sequence[Numbers], kind: type = np.float64) -> Numbers:
    return arrays[0] if len(arrays) == 1 else np.concatenate([np.empty(0, dtype=kind), *arrays])


def _lines(parsed: Sequence[ParsedLines]) -> Sequence[int]:
    """Return the line of each sample, from 1."""
    if all(one.lines is None for one in parsed):
        return range(1, 1 + sum(one.n_lines for one in parsed))
    lines = array("q")
    first = 1
    for one in parsed:
        own = np.arange(one.n_lines) if one.lines is None else one.lines
        lines.frombytes((own + first).tobytes())
        first += one.n_lines
    return lines
