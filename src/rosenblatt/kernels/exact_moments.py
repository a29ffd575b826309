"""Exact sums of float64 numbers and of their squares, independent of the order of the numbers.

A float64 is an integer of at most 53 bits times a power of two. Numbers with the same power are added as
integers, in one row per power: nothing is rounded until the rows are combined. An integer is split into
halves of 27 and 26 bits, and their three products into halves of 32 bits, so that no entry overflows
before it contains `MOST` numbers of weight `HEAVIEST`.

This takes a sixth of the time of `exact_sum`, which carries from digit to digit.
"""

import numpy as np
from numpy.typing import NDArray

from rosenblatt.core.types import Counts, Data, Floats
from rosenblatt.kernels.compiled import compiled

N_POWERS, N_PARTS = 2047, 8
LOW_BITS, SHORT_BITS = 27, 32
HEAVIEST = 2**8 - 1
MOST = 2**22
UNIT = 1074
"""The smallest positive float64 is 2**-UNIT, and all others are multiples of it."""

_FRACTION = np.uint64(2**52 - 1)
_LEADING = np.uint64(2**52)
_LOW = np.uint64(2**LOW_BITS - 1)
_SHORT = 2**SHORT_BITS - 1


@compiled(nogil=True, counts=False)
def add_moments(
    values: Floats, bits: NDArray[np.uint64], times: NDArray[np.uint8], parts: Counts
) -> tuple[int, float, float, int, int]:
    """Add at most `MOST` numbers to the parts; NaN is skipped, infinity is not allowed.

    ``bits`` are those of the values, ``times`` says how often each counts. Row e of the parts is for
    numbers with the exponent bits e: the low and the high half of their integers, with sign; then the
    squares low·low, low·high and high·high, each as a low and a high half. Return the number of values,
    the lowest and the highest value, and the first and the last row that was used.
    """
    n_values, lowest, highest = 0, np.inf, -np.inf
    first, last = np.int64(N_POWERS), np.int64(-1)
    for k in range(values.shape[0]):
        value = values[k]
        if value != value:
            continue
        lowest, highest = min(lowest, value), max(highest, value)
        n = np.int64(times[k])
        n_values += int(n)
        if value == 0.0:
            continue
        power = np.int64((bits[k] >> np.uint64(52)) & np.uint64(2047))
        first, last = min(first, power), max(last, power)
        whole = bits[k] & _FRACTION
        if power > 0:  # subnormal numbers have no leading 1
            whole |= _LEADING
        low, high = np.int64(whole & _LOW), np.int64(whole >> np.uint64(LOW_BITS))
        signed = -n if value < 0.0 else n
        parts[power, 0] += signed * low
        parts[power, 1] += signed * high
        square = low * low
        parts[power, 2] += n * (square & _SHORT)
        parts[power, 3] += n * (square >> SHORT_BITS)
        square = low * high
        parts[power, 4] += n * (square & _SHORT)
        parts[power, 5] += n * (square >> SHORT_BITS)
        square = high * high
        parts[power, 6] += n * (square & _SHORT)
        parts[power, 7] += n * (square >> SHORT_BITS)
    return n_values, lowest, highest, int(first), int(last)


def exact_totals(
    values: Data, times: NDArray[np.uint8] | None = None
) -> tuple[int, float, float, int, int]:
    """Return the number of values, the lowest, the highest, the exact sum and that of the squares.

    There may be at most `MOST` values; NaN is skipped. The sums are in units of 2**-UNIT and of its
    square.

    >>> exact_totals(np.array([1.0, 3.0]))[3] == 4 << UNIT
    True
    """
    # a read-only array would be compiled for separately
    numbers: Floats = np.require(values, dtype=np.float64, requirements=["C", "W"])
    if times is None:
        times = np.ones(len(numbers), np.uint8)
    parts = np.zeros((N_POWERS, N_PARTS), np.int64)
    n, lowest, highest, first, last = add_moments(numbers, numbers.view(np.uint64), times, parts)
    total = squares = 0
    for power, (low, high, *halves) in enumerate(parts[first : last + 1].tolist(), first):
        position = max(power - 1, 0)
        total += (low + (high << LOW_BITS)) << position
        of_low, of_both, of_high = (
            halves[k] + (halves[k + 1] << SHORT_BITS) for k in range(0, len(halves), 2)
        )
        square = of_low + (of_both << LOW_BITS + 1) + (of_high << 2 * LOW_BITS)
        squares += square << 2 * position
    return n, lowest, highest, total, squares
