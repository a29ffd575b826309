"""Parse lines of libsvm text: a label, an optional ``qid:3``, then index:value pairs.

Fields are separated by blanks and tabs, lines end with LF or CR LF, indices ascend, and anything after a
``#`` is ignored. The parser stops at a field that it cannot read, invalid or just unusual, such as a
number with a hundred digits: the caller reads that field or reports the error.
"""

from numba.extending import register_jitable

from rosenblatt.core.types import Bytes
from rosenblatt.kernels.compiled import compiled
from rosenblatt.kernels.parsing.decimal_numbers import number_at
from rosenblatt.kernels.parsing.line_arrays import LineArrays
from rosenblatt.kernels.parsing.text_words import (
    byte_at,
    eight_digits,
    n_digits,
    sixteen_digits,
    window_at,
    without,
    word_at,
)

LARGEST_INDEX = 2**31 - 1
_MOST_DIGITS = 10

LINE_BEGINS, LABEL = -2, -1
"""Values of the state's last index when no pair was read: at the start of a line, or after its label."""

_BLANK, _TAB, _LF, _CR, _HASH, _COLON, _ZERO, _NINE = (ord(byte) for byte in " \t\n\r#:09")
_QID = int.from_bytes(b"qid:", "little")


@register_jitable
def _after_line(text: Bytes, position: int) -> int:
    """Return the start of the next line if the rest of this one is empty or a comment, else -1."""
    if byte_at(text, position) == _HASH:
        while byte_at(text, position) != _LF:
            position += 1
    elif byte_at(text, position) == _CR:
        position += 1
    return position + 1 if byte_at(text, position) == _LF else -1


@register_jitable
def _after_qid(text: Bytes, position: int) -> int:
    """Return the end of a qid if blanks and a qid come next, else the same position."""
    begin = position
    while byte_at(text, begin) == _BLANK or byte_at(text, begin) == _TAB:
        begin += 1
    end = begin + 4
    if begin > position and word_at(text, begin) == _QID:
        while _ZERO <= byte_at(text, end) <= _NINE:
            end += 1
    return end if end > begin + 4 else position


@compiled(nogil=True, counts=False)
def read_libsvm_lines(text: Bytes, end: int, out: LineArrays) -> None:
    """Parse from the state's position on, and update the state.

    The text has complete lines, ending with LF, up to ``end``, and `MARGIN` more bytes. Parsing stops
    before ``end`` only at a field that it cannot read, or when an array is full.
    """
    labels, lines, indptr, values, indices, state = out
    position, line, n_samples, n_stored, last = state[0], state[1], state[2], state[3], state[4]
    while position < end and n_stored < values.shape[0] and n_samples < labels.shape[0]:
        first = byte_at(text, position)
        is_blank = first == _BLANK
        if is_blank or first == _TAB:
            position += 1
            continue
        if first < _BLANK or first == _HASH:
            after = _after_line(text, position)
            if after < 0:
                break
            if last != LINE_BEGINS:
                lines[n_samples] = line
                n_samples += 1
                indptr[n_samples] = n_stored
            position, line, last = after, line + 1, LINE_BEGINS
            continue
        index, begin = LABEL, position
        window = window_at(text, position)
        if last != LINE_BEGINS:
            n = n_digits(window)
            index = eight_digits(text, position, n) if n <= 8 else sixteen_digits(text, position, n)
            begin = position + n + 1
            window = without(window, n + 1)
            is_index = 0 < n <= _MOST_DIGITS and last < index <= LARGEST_INDEX
            if not is_index or byte_at(text, begin - 1) != _COLON:
                break
        value, after = number_at(text, begin, window)
        if after < 0:
            break
        if index == LABEL:
            labels[n_samples] = value
            after = _after_qid(text, after)
        else:
            values[n_stored] = value
            indices[n_stored] = index
            n_stored += 1
        position, last = after, index
    state[0], state[1], state[2], state[3], state[4] = position, line, n_samples, n_stored, last
