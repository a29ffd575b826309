"""libsvm text parsed into arrays: by compiled code, and by Python for unusual fields.

Threads can parse in parallel: the compiled code releases the GIL.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.core.types import Bytes, Counts, Floats
from rosenblatt.io.samples.libsvm_fields import label_at, line_error, pair_at
from rosenblatt.kernels.parsing.libsvm_lines import LABEL, LINE_BEGINS, read_libsvm_lines
from rosenblatt.kernels.parsing.line_arrays import (
    LAST,
    LINE,
    N_SAMPLES,
    N_STORED,
    POSITION,
    LineArrays,
    have_grown,
    new_arrays,
    resize,
)
from rosenblatt.kernels.parsing.text_words import MARGIN

_HEAD = 2**15
_SPARE = 64


class ParsedLines(NamedTuple):
    """The samples in a text: labels, and a CSR matrix whose columns are the indices as written.

    ``n_lines`` counts all lines. ``lines`` has the line of each sample, from 0; None: sample k is on
    line k.
    """

    labels: Floats
    values: Floats
    indices: NDArray[np.int32]
    indptr: NDArray[np.int32]
    n_lines: int
    lines: Counts | None


def parse_libsvm(data: bytes, path: str, first_line: int) -> ParsedLines:
    r"""Parse lines of libsvm text; the last line needs no line end.

    An `InputError` names the path and the line; lines are numbered from ``first_line``.

    >>> parsed = parse_libsvm(b"+1 1:0.5 3:2\n# none\n-1 2:-1e-3", "data", 1)
    >>> parsed.labels.tolist(), parsed.values.tolist(), parsed.indices.tolist()
    ([1.0, -1.0], [0.5, 2.0, -0.001], [1, 3, 2])
    >>> parsed.indptr.tolist(), parsed.n_lines, parsed.lines.tolist()
    ([0, 2, 3], 3, [0, 2])
    """
    out = new_arrays(_estimated_count(data, b"\n"), _estimated_count(data, b":"))
    state = out.state
    state[LAST] = LINE_BEGINS
    for part, text, end in _parts(data):
        state[POSITION] = 0
        while state[POSITION] < end:
            read_libsvm_lines(text, end, out)
            if state[POSITION] < end and not (have_grown(out) or _read_field(part, out)):
                line = _line(part, int(state[POSITION]))
                raise line_error(path, first_line + int(state[LINE]), line)
    n_lines, n_samples = int(state[LINE]), int(state[N_SAMPLES])
    resize(out, n_samples, int(state[N_STORED]))
    lines = None if n_samples == n_lines else out.lines
    return ParsedLines(out.labels, out.values, out.indices, out.indptr, n_lines, lines)


def _estimated_count(data: bytes, byte: bytes) -> int:
    """Estimate how often a byte occurs, erring on the high side."""
    head = data[:_HEAD]
    return head.count(byte) * len(data) * 17 // (16 * len(head) + 1) + _SPARE


def _parts(data: bytes) -> Iterator[tuple[bytes, Bytes, int]]:
    """Yield data in two parts of whole lines, each with its end and padding after it."""
    end = data.rfind(b"\n", 0, max(0, len(data) - MARGIN)) + 1
    rest = data[end:]
    if rest and not rest.endswith(b"\n"):
        rest += b"\n"
    for part, size in ((data, end), (rest + bytes(MARGIN), len(rest))):
        yield part, np.frombuffer(part, dtype=np.uint8), size


def _line(text: bytes, position: int) -> bytes:
    """Return the whole line around a position."""
    return text[text.rfind(b"\n", 0, position) + 1 : text.index(b"\n", position) + 1]


def _read_field(text: bytes, out: LineArrays) -> bool:
    """Read the next field and return True, or return False if it is malformed."""
    state = out.state
    position, last = int(state[POSITION]), int(state[LAST])
    if last == LINE_BEGINS:
        label = label_at(text, position)
        if label is None:
            return False
        out.labels[state[N_SAMPLES]], state[POSITION] = label
        state[LAST] = LABEL
        return True
    pair = pair_at(text, position, last)
    if pair is None:
        return False
    k = state[N_STORED]
    state[LAST], out.values[k], state[POSITION] = pair
    out.indices[k] = state[LAST]
    state[N_STORED] += 1
    return True
