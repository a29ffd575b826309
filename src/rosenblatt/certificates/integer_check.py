"""The exact half of a check: Python integers, no rounding and no square roots.

Every float is m·2ᵉ with an integer m. A row is written in units of its smallest exponent, so its margin
is an integer times a power of two. The weights may be multiplied by any positive number without changing
what is claimed, so they are written as integers. Sums over rows use the smallest exponent of all.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.certificates.rounding import Weights
from rosenblatt.certificates.scope import Setting
from rosenblatt.certificates.stored_samples import Compressed, Samples
from rosenblatt.core.types import Counts, Floats

_BLOCK = 1 << 14
"""Values that are converted to Python integers at a time: few, because these can be long."""
_LONG = 1 << 13
"""A value counts once more toward the block for each 1 KiB (this many bits) of its factor."""

_LEAST_EXPONENT = -1074
"""The exponent of the smallest positive float64 number."""

Integers = NDArray[np.object_]
"""An array of Python integers."""


class Term(NamedTuple):
    """A multiple of an extended sample, in one block of coordinates."""

    row: int
    block: int
    times: int


def margin_falsehood(
    setting: Setting, weights: Weights, lower_squared: Fraction, rows: Counts
) -> str | None:
    """Return a sentence about the first row that is too near or on the wrong side, or None.

    None means that (w·z)² ≥ lower_squared·‖w‖² and w·z > 0, exactly, for every given row.
    """
    if len(rows) == 0:
        return None
    panel = integer_weights(weights).reshape(setting.n_blocks, setting.width)
    required = _RequiredSquares(setting, panel, lower_squared)
    bits = max(weight.bit_length() for weight in panel.ravel().tolist())
    for chosen, part in _parts(setting.samples, rows, np.full(len(rows), bits)):
        bad = _infinite_row(part)
        if bad is not None:
            return f"row {chosen[bad]} contains NaN or infinity"
        rows_of_part = _integer_rows(part, setting.constant)
        scores = _scores(rows_of_part, panel)
        squares = required.for_exponents(rows_of_part.exponents)
        for row, row_scores, square in zip(chosen.tolist(), scores, squares, strict=True):
            false = _row_falsehood(setting, row, row_scores, square)
            if false is not None:
                return false
    return None


def exact_sum(
    samples: Samples, terms: list[Term], constant: int, width: int
) -> tuple[dict[int, int], int] | str:
    """Return the exact sum of the terms: an integer per coordinate, and the exponent of 2 for all.

    Coordinate j of block b has the number b·width + j. For a row with NaN or infinity the result is a
    sentence that names it.
    """
    sums: dict[int, int] = {}
    lowest = 0
    rows = np.array([term.row for term in terms], dtype=np.int64)
    position = 0
    bits = np.array([term.times.bit_length() for term in terms], dtype=np.int64)
    for chosen, part in _parts(samples, rows, bits):
        bad = _infinite_row(part)
        if bad is not None:
            return f"row {chosen[bad]} contains NaN or infinity"
        some = terms[position : position + len(chosen)]
        position += len(chosen)
        columns, numbers, exponent = _sum_part(part, some, width)
        if exponent < lowest:
            sums = {column: number << (lowest - exponent) for column, number in sums.items()}
            lowest = exponent
        for column, number in zip(columns, numbers, strict=True):
            sums[column] = sums.get(column, 0) + (number << (exponent - lowest))
    if constant:
        for _, block, times in terms:
            column = block * width + width - 1
            sums[column] = sums.get(column, 0) + (times << -lowest)
    return sums, lowest


def integer_weights(weights: Weights) -> Integers:
    """Return the weights as integers, divided by a common power of two.

    >>> integer_weights(np.array([0.5, 3.0, 0.0])).tolist()
    [1, 6, 0]
    """
    if isinstance(weights, tuple):
        return _objects(list(weights))
    numbers, exponents = float_parts(weights)
    exponents -= exponents.min(where=numbers != 0, initial=2000)
    exponents[numbers == 0] = 0
    return _shifted(numbers, exponents)


def float_parts(values: Floats) -> tuple[Counts, Counts]:
    """Return integers (odd or 0) and exponents: value = integer · 2**exponent.

    >>> [part.tolist() for part in float_parts(np.array([0.75, -6.0, 0.0]))]
    [[3, -3, 0], [-2, 1, -53]]
    """
    fractions, exponents = np.frexp(values)
    numbers = np.ldexp(fractions, 53).astype(np.int64)
    # The lowest set bit is a power of two, so float64 represents it exactly.
    zeros = np.frexp((numbers & -numbers).astype(np.float64))[1] - 1
    zeros = np.maximum(zeros, 0).astype(np.int64)
    return numbers >> zeros, exponents.astype(np.int64) - 53 + zeros


def _objects(numbers: list[int]) -> Integers:
    array = np.empty(len(numbers), dtype=np.object_)
    array[:] = numbers
    return array


def _shifted(numbers: Counts, places: Counts) -> Integers:
    """Return numbers·2^places, places ≥ 0, as Python integers."""
    if not places.any():
        return numbers.astype(np.object_)
    return np.asarray(np.left_shift(numbers.astype(np.object_), places.astype(np.object_)))


def _parts(samples: Samples, rows: Counts, bits: Counts) -> Iterator[tuple[Counts, Compressed]]:
    """Yield chosen rows, compressed, with a bounded number of values at a time.

    Each row will be multiplied by factors of ``bits`` bits: the longer they are, the fewer values.
    """
    if isinstance(samples.stored, Compressed):
        sizes = np.diff(samples.stored.indptr)[rows]
    else:
        sizes = np.full(len(rows), samples.n_features)
    ends = np.cumsum((sizes + 1) * (1 + bits // _LONG))
    start = 0
    while start < len(rows):
        done = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, done + _BLOCK, side="right")))
        yield rows[start:stop], samples.chosen(rows[start:stop])
        start = stop


def _infinite_row(part: Compressed) -> int | None:
    positions = np.flatnonzero(~np.isfinite(part.values))
    if len(positions) == 0:
        return None
    return int(np.searchsorted(part.indptr, positions[0], side="right")) - 1


class _IntegerRows(NamedTuple):
    """Rows and their constants as integers, in units of 2 to the row's exponent."""

    numbers: Integers
    exponents: Counts
    constants: Integers
    part: Compressed

    def sums(self, values: Integers) -> Integers:
        """Return the sum over each row of the values, one per stored number."""
        filled = np.diff(self.part.indptr) > 0
        sums = np.zeros(len(filled), dtype=np.object_)
        starts = self.part.indptr[:-1][filled]
        if len(starts):
            sums[filled] = np.add.reduceat(values, starts)
        return sums


def _integer_rows(part: Compressed, constant: int) -> _IntegerRows:
    numbers, exponents = float_parts(part.values)
    sizes = np.diff(part.indptr)
    filled = sizes > 0
    starts = part.indptr[:-1][filled]
    least = np.zeros(len(sizes), dtype=np.int64)
    if len(starts):
        least[filled] = np.minimum.reduceat(exponents, starts)
    if constant:
        least = np.minimum(least, 0)
        constants = np.asarray(np.left_shift(1, (-least).astype(np.object_)))
    else:
        constants = np.zeros(len(sizes), dtype=np.object_)
    return _IntegerRows(
        _shifted(numbers, exponents - np.repeat(least, sizes)), least, constants, part
    )


def _scores(rows: _IntegerRows, panel: Integers) -> list[list[int]]:
    """Return each row's scores, one per block of weights, in units of 2 to the row's exponent."""
    scores = np.zeros((len(rows.exponents), len(panel)), dtype=np.object_)
    for block, weights in enumerate(panel):
        scores[:, block] = rows.sums(rows.numbers * weights[rows.part.indices])
        if weights[-1]:
            scores[:, block] += weights[-1] * rows.constants
    listed: list[list[int]] = scores.tolist()
    return listed


class _RequiredSquares:
    """The smallest squared margin that a row may have, in units of 2 to its exponent e.

    That is lower_squared·‖w‖²/4ᵉ, rounded up to an integer.
    """

    def __init__(self, setting: Setting, panel: Integers, lower_squared: Fraction) -> None:
        counted = panel[:, :-1] if setting.margin == "affine" else panel
        squares = sum(weight * weight for weight in counted.ravel().tolist())
        over = lower_squared.numerator * squares
        # Long numbers are divided only once: ⌊⌊a·4ᵏ⌋/4ᵏ⌋ = ⌊a⌋, and no row has an exponent below that of
        # the smallest float. Everything is negated because ⌊-a⌋ = -⌈a⌉.
        self._negated = -(over << -2 * _LEAST_EXPONENT) // lower_squared.denominator

    def for_exponents(self, exponents: Counts) -> list[int]:
        """Return the required squares of rows with these exponents."""
        return [
            -(self._negated >> 2 * (exponent - _LEAST_EXPONENT)) for exponent in exponents.tolist()
        ]


def _row_falsehood(setting: Setting, row: int, scores: list[int], square: int) -> str | None:
    code = int(setting.samples.codes[row])
    too_near = f"the claimed lower bound on the margin is too high: row {row} is nearer"
    if setting.positive is not None:
        margin = scores[0] if code == setting.positive else -scores[0]
        if margin < 0:
            return f"row {row} is on the wrong side of the hyperplane"
        if margin == 0:
            return f"row {row} is on the hyperplane itself"
        return too_near if margin * margin < square else None
    for rival, score in enumerate(scores):
        margin = scores[code] - score
        if rival == code:
            continue
        if margin <= 0:
            own, other = setting.describe_class(code), setting.describe_class(rival)
            return f"row {row} does not score its own {own} above {other}"
        if margin * margin < square:
            return f"{too_near} to {setting.describe_class(rival)}"
    return None


def _sum_part(part: Compressed, terms: list[Term], width: int) -> tuple[list[int], list[int], int]:
    """Return the coordinates, their sums and the common exponent for the rows of one part."""
    if len(part.values) == 0:
        return [], [], 0
    sizes = np.diff(part.indptr)
    numbers, exponents = float_parts(part.values)
    least = int(exponents.min())
    counts = np.repeat(_objects([term.times for term in terms]), sizes)
    products = _shifted(numbers, exponents - least) * counts
    blocks = np.array([term.block for term in terms], dtype=np.int64)
    columns = part.indices.astype(np.int64) + np.repeat(blocks * width, sizes)
    order = np.argsort(columns, kind="stable")
    columns, products = columns[order], products[order]
    starts = np.flatnonzero(np.diff(columns, prepend=-1))
    sums = np.add.reduceat(products, starts)
    return columns[starts].tolist(), sums.tolist(), least
