"""Linear dependence among points modulo a prime, in machine numbers.

What is independent modulo a prime is independent. What is dependent modulo a prime need not be: the
caller is to look again.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from rosenblatt.core.types import Counts

# Products of two residues stay below 2**62.
_LARGEST = 2**31 - 1


def primes() -> Iterator[int]:
    """Yield primes for residues, the largest first.

    >>> next(primes()) == 2**31 - 1
    True
    """
    for number in range(_LARGEST, 2, -2):
        if all(number % divisor for divisor in range(3, math.isqrt(number) + 1, 2)):
            yield number


def dependent_subset(rows: Sequence[Sequence[int]], prime: int) -> list[int] | None:
    """Return some of the rows, as many as they have columns or fewer, that are dependent; or None.

    Given are whole numbers of any size, more rows than columns.

    >>> dependent_subset([[1, 2], [0, 1], [2, 4]], 7)
    [0, 2]
    >>> dependent_subset([[1, 2], [0, 1], [2, 3]], 7) is None
    True
    """
    table = np.array([[number % prime for number in row] for row in rows], dtype=np.int64)
    n_rows, width = table.shape
    if 2 * width <= n_rows:
        return _first_dependent(table, prime)
    dual = _dual(table, prime)
    if dual is None:
        return list(range(width))
    found = _first_dependent(dual, prime)
    if found is None:
        return None
    # Rows of the dual are dependent if and only if so are the points that are not among them.
    fill = [i for i in range(n_rows) if i not in found]
    return fill[len(fill) - width :]


def _first_dependent(table: Counts, prime: int) -> list[int] | None:
    """Return the first dependent rows, no more than there are columns."""
    zeros = np.flatnonzero(~table.any(axis=1))
    if len(zeros):
        return [int(zeros[0])]
    if table.shape[1] == 1:
        return None
    if table.shape[1] == 2:
        return _same_line(table, np.zeros(len(table), dtype=np.int64), prime)
    if table.shape[1] == 3:
        return _first_in_space(table, prime)
    for i in range(len(table) - 1):
        found = _first_dependent(_projected(table, i, prime), prime)
        if found is not None:
            return [i, *(i + 1 + j for j in found)]
    return None


def _first_in_space(table: Counts, prime: int) -> list[int] | None:
    """Do as `_first_dependent` for three columns, all projections at once."""
    parts = [_projected(table, i, prime) for i in range(len(table) - 1)]
    if not parts:
        return None
    flat = np.concatenate(parts)
    first, second = np.triu_indices(len(table), 1)
    zeros = np.flatnonzero(~flat.any(axis=1))
    if len(zeros):
        return [int(first[zeros[0]]), int(second[zeros[0]])]
    pair = _same_line(flat, first, prime)
    if pair is None:
        return None
    return [int(first[pair[0]]), *sorted(int(second[j]) for j in pair)]


def _projected(table: Counts, i: int, prime: int) -> Counts:
    """Return the rows after row i along row i: in one dimension less."""
    x = table[i]
    place = int(np.flatnonzero(x)[0])
    factors = table[i + 1 :, place] * pow(int(x[place]), -1, prime) % prime
    rest = (table[i + 1 :] - factors[:, None] * x % prime) % prime
    return np.delete(rest, place, axis=1)


def _same_line(table: Counts, groups: Counts, prime: int) -> list[int] | None:
    """Return two rows of the same group, of two numbers each, not both 0, with the same ratio."""
    ratios = table[:, 0] * _inverses(table[:, 1], prime) % prime
    keys = groups << 32 | np.where(table[:, 1] == 0, prime, ratios)
    order = np.argsort(keys, kind="stable")
    equal = np.flatnonzero(keys[order[1:]] == keys[order[:-1]])
    return None if len(equal) == 0 else sorted(order[equal[0] : equal[0] + 2].tolist())


def _inverses(values: Counts, prime: int) -> Counts:
    """Return 1/value for each residue, by Fermat's theorem; 0 for 0."""
    out, power = np.ones_like(values), values
    exponent = prime - 2
    while exponent:
        if exponent & 1:
            out = out * power % prime
        power = power * power % prime
        exponent >>= 1
    return out


def _dual(table: Counts, prime: int) -> Counts | None:
    """Return one row for each point: its coefficients in a basis of all dependences among the points.

    None where the points do not span the space, so that any choice of as many as it has dimensions
    is dependent.
    """
    work = table.T.copy()
    n_rows, n_points = work.shape
    pivots: list[int] = []
    for k in range(n_rows):
        columns = np.flatnonzero(work[k])
        if len(columns) == 0:
            return None
        pivot = int(columns[0])
        work[k] = work[k] * pow(int(work[k, pivot]), -1, prime) % prime
        factors = work[:, pivot].copy()
        factors[k] = 0
        work = (work - factors[:, None] * work[k] % prime) % prime
        pivots.append(pivot)
    free = [j for j in range(n_points) if j not in pivots]
    dual = np.zeros((n_points, len(free)), dtype=np.int64)
    dual[pivots] = -work[:, free] % prime
    dual[free] = np.eye(len(free), dtype=np.int64)
    return dual
