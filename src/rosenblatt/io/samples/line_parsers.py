"""Whole lines of text become arrays: compiled code reads them, and Python what that does not understand.

Threads may parse at the same time: compiled code lets the others work.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.core.checks import whole
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Bytes, Counts, Floats
from rosenblatt.io.samples.lines.libsvm_fields import label_at, line_error, pair_at
from rosenblatt.io.samples.lines.vw_fields import read_vw_line
from rosenblatt.kernels.parsing.libsvm_lines import LABEL, LINE_BEGINS, read_libsvm_lines
from rosenblatt.kernels.parsing.line_arrays import (
    LAST,
    LINE,
    N_SAMPLES,
    N_STORED,
    PLACE,
    LineArrays,
    have_grown,
    new_arrays,
    resize,
)
from rosenblatt.kernels.parsing.text_words import MARGIN
from rosenblatt.kernels.parsing.vw_lines import new_keys, read_vw_lines

_HEAD = 2**15
_SPARE = 64
_LONG_LINE = 2**14
_MOST_BITS = 31


class ParsedLines(NamedTuple):
    """Samples of a text: labels, and rows of a CSR matrix.

    A label is NaN where a line has none. Columns are as written, or hashed. ``weights`` is None where
    all are 1. ``n_lines`` counts all lines, ``lines`` has that of each sample, from 0; None where
    sample k is on line k.
    """

    labels: Floats
    values: Floats
    indices: NDArray[np.int32]
    indptr: NDArray[np.int32]
    weights: Floats | None
    n_lines: int
    lines: Counts | None


def parse_libsvm(data: bytes, path: str, first_line: int) -> ParsedLines:
    r"""Parse lines of libsvm text, the last of which may lack its end.

    An `InputError` names the path, and a line, which count from ``first_line``.

    >>> parsed = parse_libsvm(b"+1 1:0.5 3:2\n# none\n-1 2:-1e-3", "data", 1)
    >>> parsed.labels.tolist(), parsed.values.tolist(), parsed.indices.tolist()
    ([1.0, -1.0], [0.5, 2.0, -0.001], [1, 3, 2])
    >>> parsed.indptr.tolist(), parsed.n_lines, parsed.lines.tolist()
    ([0, 2, 3], 3, [0, 2])
    """
    out = new_arrays(_about(data, b"\n"), _about(data, b":"))
    state = out.state
    state[LAST] = LINE_BEGINS
    for part, text, end in _parts(data):
        state[PLACE] = 0
        while state[PLACE] < end:
            read_libsvm_lines(text, end, out)
            if state[PLACE] < end and not (have_grown(out, 1) or _read_field(part, out)):
                line = _line(part, int(state[PLACE]))
                raise line_error(path, first_line + int(state[LINE]), line)
    return _finished(out, has_weights=False)


def parse_vw(data: bytes, path: str, first_line: int, bits: int) -> ParsedLines:
    r"""Parse lines of Vowpal Wabbit's text, as `parse_libsvm` does; there are ``2**bits`` columns.

    Names are hashed as by Vowpal Wabbit's own default, ``--hash strings``: a number is added to the hash
    of its namespace, and of other names MurmurHash3 is taken, with that hash as the seed. The columns of
    a sample ascend; the values of equal ones are added. Before the first bar there may be a label, then
    an importance, then a tag; a third number, the base, is refused.

    >>> parsed = parse_vw(b"1 2.5 'tag |f 7 3:0.5 7\n|f 7:2\n", "data", 1, bits=18)
    >>> parsed.labels.tolist(), parsed.weights.tolist(), parsed.indptr.tolist()
    ([1.0, nan], [2.5, 1.0], [0, 2, 3])
    >>> parsed.values.tolist(), (parsed.indices - parsed.indices[0]).tolist()
    ([0.5, 2.0, 2.0], [0, 4, 4])
    """
    bits = whole("bits", bits, 1, _MOST_BITS)
    out = new_arrays(_about(data, b"\n"), _about(data, b" ") + _LONG_LINE)
    state, longest = out.state, _LONG_LINE
    keys = new_keys(longest)
    for part, text, end in _parts(data):
        state[PLACE] = 0
        while state[PLACE] < end:
            read_vw_lines(text, end, bits, keys, out)
            if state[PLACE] < end:
                line = _line(part, int(state[PLACE]))
                if len(line) > longest:
                    longest = len(line)
                    keys = new_keys(longest)
                elif not have_grown(out, len(line)):
                    _read_sample(line, path, first_line, bits, out)
    return _finished(out, has_weights=True)


def _about(data: bytes, byte: bytes) -> int:
    """Return about how often a byte occurs, rather too much than too little."""
    head = data[:_HEAD]
    return head.count(byte) * len(data) * 17 // (16 * len(head) + 1) + _SPARE


def _parts(data: bytes) -> Iterator[tuple[bytes, Bytes, int]]:
    """Yield data in two parts of whole lines, up to an end after which there is a margin."""
    end = data.rfind(b"\n", 0, max(0, len(data) - MARGIN)) + 1
    rest = data[end:]
    if rest and not rest.endswith(b"\n"):
        rest += b"\n"
    for part, size in ((data, end), (rest + bytes(MARGIN), len(rest))):
        yield part, np.frombuffer(part, dtype=np.uint8), size


def _line(text: bytes, place: int) -> bytes:
    """Return the whole line that a place is in."""
    return text[text.rfind(b"\n", 0, place) + 1 : text.index(b"\n", place) + 1]


def _read_field(text: bytes, out: LineArrays) -> bool:
    """Read the libsvm field that comes next, if it is one, and say whether it is."""
    state = out.state
    place, last = int(state[PLACE]), int(state[LAST])
    if last == LINE_BEGINS:
        label = label_at(text, place)
        if label is None:
            return False
        out.labels[state[N_SAMPLES]], state[PLACE] = label
        state[LAST] = LABEL
        return True
    pair = pair_at(text, place, last)
    if pair is None:
        return False
    k = state[N_STORED]
    state[LAST], out.values[k], state[PLACE] = pair
    out.indices[k] = state[LAST]
    state[N_STORED] += 1
    return True


def _read_sample(line: bytes, path: str, first_line: int, bits: int, out: LineArrays) -> None:
    """Read a whole line of Vowpal Wabbit's text."""
    state = out.state
    try:
        sample = read_vw_line(line.removesuffix(b"\n").removesuffix(b"\r"), bits)
    except InputError as fault:
        raise InputError(f"{path}, line {first_line + int(state[LINE])}: {fault}") from fault
    row, start = int(state[N_SAMPLES]), int(state[N_STORED])
    stop = start + len(sample.columns)
    out.labels[row], out.weights[row], out.lines[row] = sample.label, sample.weight, state[LINE]
    out.indptr[row + 1] = stop
    out.indices[start:stop], out.values[start:stop] = sample.columns, sample.values
    state[:LAST] += (len(line), 1, 1, len(sample.columns))


def _finished(out: LineArrays, *, has_weights: bool) -> ParsedLines:
    n_lines, n_samples = int(out.state[LINE]), int(out.state[N_SAMPLES])
    resize(out, n_samples, int(out.state[N_STORED]))
    lines = None if n_samples == n_lines else out.lines
    weights = out.weights if has_weights and (out.weights != 1.0).any() else None
    return ParsedLines(out.labels, out.values, out.indices, out.indptr, weights, n_lines, lines)
