"""Lines of libsvm text, one field after another: a label, ``qid:3`` perhaps, then index:value pairs.

Conventions: fields are separated by blanks and tabs, lines end with LF or CR LF, indices ascend, and
what follows a ``#`` is overlooked. Whatever is not understood here, be it wrong or only unusual, such as
a number of a hundred digits, is left to the caller, who reads that one field, or says what is wrong.
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
"""What was last read where it is not a pair: nothing of a line yet, or its label."""

_BLANK, _TAB, _LF, _CR, _HASH, _COLON, _ZERO, _NINE = (ord(byte) for byte in " \t\n\r#:09")
_QID = int.from_bytes(b"qid:", "little")


@register_jitable
def _after_line(text: Bytes, place: int) -> int:
    """Return where the next line begins if nothing but a comment comes before it, else -1."""
    if byte_at(text, place) == _HASH:
        while byte_at(text, place) != _LF:
            place += 1
    elif byte_at(text, place) == _CR:
        place += 1
    return place + 1 if byte_at(text, place) == _LF else -1


@register_jitable
def _after_qid(text: Bytes, place: int) -> int:
    """Return the end of a qid, if blanks and one come next, else the same place."""
    begin = place
    while byte_at(text, begin) == _BLANK or byte_at(text, begin) == _TAB:
        begin += 1
    end = begin + 4
    if begin > place and word_at(text, begin) == _QID:
        while _ZERO <= byte_at(text, end) <= _NINE:
            end += 1
    return end if end > begin + 4 else place


@compiled(nogil=True, counts=False)
def read_libsvm_lines(text: Bytes, end: int, out: LineArrays) -> None:
    """Read from where the state says, and leave there what was reached.

    The text has whole lines up to ``end``, which end with LF, and `MARGIN` bytes more. Before ``end`` it
    stops only at a field that it does not understand, or where an array is full.
    """
    labels, lines, indptr, values, indices, state = out
    place, line, n_samples, n_stored, last = state[0], state[1], state[2], state[3], state[4]
    while place < end and n_stored < values.shape[0] and n_samples < labels.shape[0]:
        first = byte_at(text, place)
        is_blank = first == _BLANK
        if is_blank or first == _TAB:
            place += 1
            continue
        if first < _BLANK or first == _HASH:
            after = _after_line(text, place)
            if after < 0:
                break
            if last != LINE_BEGINS:
                lines[n_samples] = line
                n_samples += 1
                indptr[n_samples] = n_stored
            place, line, last = after, line + 1, LINE_BEGINS
            continue
        index, begin = LABEL, place
        window = window_at(text, place)
        if last != LINE_BEGINS:
            n = n_digits(window)
            index = eight_digits(text, place, n) if n <= 8 else sixteen_digits(text, place, n)
            begin = place + n + 1
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
        place, last = after, index
    state[0], state[1], state[2], state[3], state[4] = place, line, n_samples, n_stored, last
