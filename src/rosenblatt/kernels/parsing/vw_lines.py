"""Lines of Vowpal Wabbit's text: ``[label [importance]] [tag]|namespace[:scale] feature[:value] …``.

Conventions: the word that touches the first bar, or begins with ', is a tag, which is overlooked. A
feature without a value has the value 1, and one without a name is known by its place in its namespace.
Values are multiplied by the namespace's scale. Columns are hashes (see ``name_hash``), of which the last
bits are taken; in a sample they ascend, and the values of equal ones are added in the order of the text.
Empty lines are overlooked. Whatever is not understood here is left to the caller, line by line.
"""

import numpy as np
from numba.extending import register_jitable

from rosenblatt.core.types import Bytes, Counts
from rosenblatt.kernels.compiled import compiled
from rosenblatt.kernels.parsing.decimal_numbers import number_at
from rosenblatt.kernels.parsing.line_arrays import LineArrays
from rosenblatt.kernels.parsing.name_hash import name_hash, name_length
from rosenblatt.kernels.parsing.text_words import (
    AT_ONCE,
    byte_at,
    n_digits,
    sixteen_digits,
    window_at,
    without,
)

_BLANK, _TAB, _LF, _CR, _COLON, _BAR, _QUOTE = (ord(byte) for byte in " \t\n\r:|'")
_LOW = 2**32 - 1
_DIGIT = 6  # bits that are sorted by at once: few counts are quickly set to 0
_N_COUNTS = 2**_DIGIT


def new_keys(longest_line: int) -> Counts:
    """Return room to sort the columns of lines that are not longer: keys twice, and counts.

    >>> len(new_keys(100))
    164
    """
    return np.empty(longest_line + _N_COUNTS, dtype=np.int64)


@register_jitable
def _before_bar(text: Bytes, place: int) -> tuple[float, float, int]:
    """Return label and importance, and where the first bar is, or the end of an empty line, else -1."""
    label, weight = np.nan, 1.0
    n_numbers = 0
    while True:
        first = byte_at(text, place)
        if first == _BLANK:
            place += 1
            continue
        if first == _BAR or (first < _BLANK and n_numbers == 0):
            return label, weight, place
        value, end = number_at(text, place, window_at(text, place))
        is_weight = n_numbers == 1
        if end < 0 or byte_at(text, end) != _BLANK or n_numbers == 2 or (is_weight and value < 0.0):
            break
        label, weight = (label, value) if is_weight else (value, weight)
        n_numbers += 1
        place = end
    while byte_at(text, place) > _BLANK and byte_at(text, place) != _BAR:
        place += 1
    while first == _QUOTE and byte_at(text, place) == _BLANK:
        place += 1
    return label, weight, place if byte_at(text, place) == _BAR else -1


@register_jitable
def _after_line(text: Bytes, place: int) -> int:
    """Return where the next line begins, if this one ends here, else -1."""
    if byte_at(text, place) == _CR:
        place += 1
    return place + 1 if byte_at(text, place) == _LF else -1


@register_jitable
def _sorted_row(keys: Counts, out: LineArrays, start: int, stop: int, bits: int) -> int:
    """Sort a row by its columns, add the values of equal ones, and return its end.

    It is -1 where there is no room for that, or where a sum is not finite.

    Keys, of a column and a place, are sorted by some bits of the column after the others, which keeps
    the order of equal ones. The values are copied behind the row meanwhile.
    """
    values, indices = out.values, out.indices
    n = stop - start
    room = (keys.shape[0] - _N_COUNTS) // 2
    if n > room or stop + n > values.shape[0]:
        return -1
    source, target, counts = 0, room, 2 * room
    for k in range(n):
        keys[k] = np.int64(indices[start + k]) << 32 | k
        values[stop + k] = values[start + k]
    for shift in range(32, 32 + bits, _DIGIT):
        for k in range(counts, counts + _N_COUNTS):
            keys[k] = 0
        for k in range(source, source + n):
            keys[counts + ((keys[k] >> shift) & (_N_COUNTS - 1))] += 1
        total = target
        for k in range(counts, counts + _N_COUNTS):
            keys[k], total = total, total + keys[k]
        for k in range(source, source + n):
            at = counts + ((keys[k] >> shift) & (_N_COUNTS - 1))
            keys[keys[at]] = keys[k]
            keys[at] += 1
        source, target = target, source
    at, last, is_finite = start - 1, -1, True
    for k in range(source, source + n):
        column, value = keys[k] >> 32, values[stop + (keys[k] & _LOW)]
        if column == last:
            values[at] += value
            is_finite = is_finite and -np.inf < values[at] < np.inf
        else:
            at += 1
            indices[at], values[at] = column, value
        last = column
    return at + 1 if is_finite else -1


@register_jitable
def _after_bar(
    text: Bytes, place: int, mask: int, out: LineArrays, n_stored: int
) -> tuple[int, int, bool]:
    """Read all features from the first bar on, and return where the next line begins.

    Also returned are the end of the row, and whether its columns ascend. The place is -1 where something
    is not understood, or arrays are full.
    """
    values, indices = out.values, out.indices
    namespace, scale, n_nameless, last, ascends, is_finite = 0, 1.0, 0, -1, True, True
    while True:
        kind = byte_at(text, place)
        is_bar, is_tab = kind == _BAR, kind == _TAB
        if not (is_bar or is_tab or kind == _BLANK):
            break
        place += 1
        window = window_at(text, place)
        n = n_digits(window)
        seed = 0 if is_bar else namespace
        after = byte_at(text, place + n)
        is_colon = after == _COLON
        if n <= AT_ONCE and (is_colon or after <= _BLANK or after == _BAR):
            column = seed + sixteen_digits(text, place, n)
            window = without(window, n + 1)
        else:
            n = name_length(text, place)
            column = name_hash(text, place, n, seed)
            window = window_at(text, place + n + 1)
        place += n
        number = 1.0
        is_colon = byte_at(text, place) == _COLON
        if is_colon:
            number, place = number_at(text, place + 1, window)
        is_wrong = is_bar and is_colon and n == 0
        if place < 0 or is_wrong or n_stored == values.shape[0]:
            return -1, n_stored, ascends
        if is_bar:
            namespace, scale, n_nameless = column & _LOW, number, 0
        elif is_colon or n > 0:
            column = (column + (n_nameless if n == 0 else 0)) & mask
            n_nameless += n == 0
            number *= scale
            is_finite = is_finite and -np.inf < number < np.inf
            values[n_stored], indices[n_stored] = number, column
            n_stored += 1
            ascends = ascends and last < column
            last = column
    return (_after_line(text, place) if is_finite else -1), n_stored, ascends


@compiled(nogil=True, counts=False)
def read_vw_lines(text: Bytes, end: int, bits: int, keys: Counts, out: LineArrays) -> None:
    """Read from where the state says, and leave there what was reached: `read_libsvm_lines` tells more.

    It stops at the beginning of a line that it does not understand, or that might not have room.
    """
    place, line, n_samples, n_stored = out.state[0], out.state[1], out.state[2], out.state[3]
    while place < end and n_samples < out.labels.shape[0]:
        label, weight, after = _before_bar(text, place)
        if after < 0:
            break
        stop, ascends, is_sample = n_stored, True, byte_at(text, after) == _BAR
        if is_sample:
            after, stop, ascends = _after_bar(text, after, (1 << bits) - 1, out, n_stored)
        else:
            after = _after_line(text, after)
        if not ascends and after >= 0:
            stop = _sorted_row(keys, out, n_stored, stop, bits)
        if after < 0 or stop < 0:
            break
        place = after
        if is_sample:
            out.labels[n_samples], out.weights[n_samples] = label, weight
            out.lines[n_samples] = line
            n_samples, n_stored = n_samples + 1, stop
            out.indptr[n_samples] = n_stored
        line += 1
    out.state[0], out.state[1], out.state[2], out.state[3] = place, line, n_samples, n_stored
