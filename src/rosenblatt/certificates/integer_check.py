"""The exact half of a check: whole numbers of any size, no rounding and no square roots.

Every float is m·2ᵉ with whole m. A row is brought to its own least exponent, so that its margin is a
whole number times a power of two; a positive scale of the weights changes no claim, so they are simply
whole numbers. Sums over rows use the least exponent of all.
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
"""Values that are turned into Python's whole numbers at once: few, for those can be long."""
_LONG = 1 << 13
"""Bits of a factor, 1 KiB, for which a value counts once more."""

_LEAST_EXPONENT = -1074
"""That of the least positive float64 number."""

Whole = NDArray[np.object_]
"""Python's whole numbers."""


class Term(NamedTuple):
    """A multiple of an extended sample, in one block of coordinates."""

    row: int
    block: int
    times: int


def margin_falsehood(
    setting: Setting, weights: Weights, lower_squared: Fraction, rows: Counts
) -> str | None:
    """Return what is false about the first of the rows that lies too near, or on the wrong side.

    None means that (w·z)² ≥ lower_squared·‖w‖² and w·z > 0, exactly, for every one of the rows.
    """
    if len(rows) == 0:
        return None
    panel = whole_weights(weights).reshape(setting.n_blocks, setting.width)
    least = _LeastSquares(setting, panel, lower_squared)
    bits = max(weight.bit_length() for weight in panel.ravel().tolist())
    for chosen, part in _parts(setting.samples, rows, np.full(len(rows), bits)):
        bad = _infinite_row(part)
        if bad is not None:
            return f"row {chosen[bad]} contains NaN or infinity"
        rows_of_part = _whole_rows(part, setting.constant)
        scores = _scores(rows_of_part, panel)
        needed = least.of(rows_of_part.exponents)
        for row, own, square in zip(chosen.tolist(), scores, needed, strict=True):
            false = _row_falsehood(setting, row, own, square)
            if false is not None:
                return false
    return None


def total(
    samples: Samples, terms: list[Term], constant: int, width: int
) -> tuple[dict[int, int], int] | str:
    """Return the exact sum of the terms: whole numbers by coordinate, times 2 to an exponent.

    Coordinate j of block b is numbered b·width + j. Rows without a finite value give a sentence.
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
            sums = {place: number << (lowest - exponent) for place, number in sums.items()}
            lowest = exponent
        for place, number in zip(columns, numbers, strict=True):
            sums[place] = sums.get(place, 0) + (number << (exponent - lowest))
    if constant:
        for _, block, times in terms:
            place = block * width + width - 1
            sums[place] = sums.get(place, 0) + (times << -lowest)
    return sums, lowest


def whole_weights(weights: Weights) -> Whole:
    """Return the weights as whole numbers, up to a power of two that they share.

    >>> whole_weights(np.array([0.5, 3.0, 0.0])).tolist()
    [1, 6, 0]
    """
    if isinstance(weights, tuple):
        return _objects(list(weights))
    numbers, exponents = whole(weights)
    exponents -= exponents.min(where=numbers != 0, initial=2000)
    exponents[numbers == 0] = 0
    return _shifted(numbers, exponents)


def whole(values: Floats) -> tuple[Counts, Counts]:
    """Return whole numbers, odd or 0, and the exponents that make them the values.

    >>> [part.tolist() for part in whole(np.array([0.75, -6.0, 0.0]))]
    [[3, -3, 0], [-2, 1, -53]]
    """
    fractions, exponents = np.frexp(values)
    numbers = np.ldexp(fractions, 53).astype(np.int64)
    # The lowest bit that is set is a power of two, so float64 has its exponent.
    zeros = np.frexp((numbers & -numbers).astype(np.float64))[1] - 1
    zeros = np.maximum(zeros, 0).astype(np.int64)
    return numbers >> zeros, exponents.astype(np.int64) - 53 + zeros


def _objects(numbers: list[int]) -> Whole:
    array = np.empty(len(numbers), dtype=np.object_)
    array[:] = numbers
    return array


def _shifted(numbers: Counts, places: Counts) -> Whole:
    """Return numbers·2^places, places ≥ 0, as Python's whole numbers."""
    if not places.any():
        return numbers.astype(np.object_)
    return np.asarray(np.left_shift(numbers.astype(np.object_), places.astype(np.object_)))


def _parts(samples: Samples, rows: Counts, bits: Counts) -> Iterator[tuple[Counts, Compressed]]:
    """Yield chosen rows, compressed, a bounded number of values at a time.

    Each row is to be multiplied by factors of ``bits`` bits: the longer, the fewer values at a time.
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
    places = np.flatnonzero(~np.isfinite(part.values))
    if len(places) == 0:
        return None
    return int(np.searchsorted(part.indptr, places[0], side="right")) - 1


class _WholeRows(NamedTuple):
    """Rows as whole numbers, each row times 2 to an exponent of its own; so is the constant of each."""

    numbers: Whole
    exponents: Counts
    constants: Whole
    part: Compressed

    def sums(self, values: Whole) -> Whole:
        """Return the sum over each row of values that belong to its numbers."""
        filled = np.diff(self.part.indptr) > 0
        sums = np.zeros(len(filled), dtype=np.object_)
        starts = self.part.indptr[:-1][filled]
        if len(starts):
            sums[filled] = np.add.reduceat(values, starts)
        return sums


def _whole_rows(part: Compressed, constant: int) -> _WholeRows:
    numbers, exponents = whole(part.values)
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
    return _WholeRows(
        _shifted(numbers, exponents - np.repeat(least, sizes)), least, constants, part
    )


def _scores(rows: _WholeRows, panel: Whole) -> list[list[int]]:
    """Return for each row its scores by block of weights, over 2 to its exponent."""
    scores = np.zeros((len(rows.exponents), len(panel)), dtype=np.object_)
    for block, weights in enumerate(panel):
        scores[:, block] = rows.sums(rows.numbers * weights[rows.part.indices])
        if weights[-1]:
            scores[:, block] += weights[-1] * rows.constants
    listed: list[list[int]] = scores.tolist()
    return listed


class _LeastSquares:
    """The least square that a row's margin, over 2 to its exponent e, may have.

    That is the least whole number that is not below lower_squared·‖w‖²/4ᵉ.
    """

    def __init__(self, setting: Setting, panel: Whole, lower_squared: Fraction) -> None:
        counted = panel[:, :-1] if setting.margin == "affine" else panel
        squares = sum(weight * weight for weight in counted.ravel().tolist())
        over = lower_squared.numerator * squares
        # Long numbers are divided once: ⌊⌊a·4ᵏ⌋/4ᵏ⌋ = ⌊a⌋, and no row has an exponent below that of the
        # least float. Of the negative, ⌊⌋ is the negative of ⌈⌉.
        self._finest = -(over << -2 * _LEAST_EXPONENT) // lower_squared.denominator

    def of(self, exponents: Counts) -> list[int]:
        """Return it for rows of these exponents."""
        return [
            -(self._finest >> 2 * (exponent - _LEAST_EXPONENT)) for exponent in exponents.tolist()
        ]


def _row_falsehood(setting: Setting, row: int, scores: list[int], needed: int) -> str | None:
    code = int(setting.samples.codes[row])
    near = f"the claimed lower bound on the margin is too high: row {row} is nearer"
    if setting.positive is not None:
        margin = scores[0] if code == setting.positive else -scores[0]
        if margin < 0:
            return f"row {row} is on the wrong side of the hyperplane"
        if margin == 0:
            return f"row {row} is on the hyperplane, not beside it"
        return near if margin * margin < needed else None
    for rival, score in enumerate(scores):
        margin = scores[code] - score
        if rival == code:
            continue
        if margin <= 0:
            own, other = setting.describe_class(code), setting.describe_class(rival)
            return f"row {row} does not score its own {own} above {other}"
        if margin * margin < needed:
            return f"{near} to {setting.describe_class(rival)}"
    return None


def _sum_part(part: Compressed, terms: list[Term], width: int) -> tuple[list[int], list[int], int]:
    """Return coordinates, their sums and the exponent, for the rows of one part."""
    if len(part.values) == 0:
        return [], [], 0
    sizes = np.diff(part.indptr)
    numbers, exponents = whole(part.values)
    least = int(exponents.min())
    counts = np.repeat(_objects([term.times for term in terms]), sizes)
    products = _shifted(numbers, exponents - least) * counts
    blocks = np.array([term.block for term in terms], dtype=np.int64)
    places = part.indices.astype(np.int64) + np.repeat(blocks * width, sizes)
    order = np.argsort(places, kind="stable")
    places, products = places[order], products[order]
    starts = np.flatnonzero(np.diff(places, prepend=-1))
    sums = np.add.reduceat(products, starts)
    return places[starts].tolist(), sums.tolist(), least
