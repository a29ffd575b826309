"""Exact solutions of linear systems of integers, digit by digit in base p.

The inverse C of the matrix A modulo a prime p is computed once, with machine integers. If x solves A·x =
b modulo p^k, then the next digit is C·(b - A·x)/p^k modulo p: a product of a matrix and a vector. With
enough digits, Euclid's algorithm recovers the fractions, which are then checked exactly.

J. Dixon, Exact solution of linear equations using p-adic expansions (1982).
"""

import math

import numpy as np

from rosenblatt.core.types import Counts

Matrix = list[list[int]]

_PRIMES = (2_147_483_647, 2_147_483_629, 2_147_483_587)

# Products of a digit below 2**31 and a limb of this width can be summed a thousand times in an int64.
_LIMB = 22


def solve_by_digits(matrix: Matrix, right: list[int]) -> tuple[list[int], int] | None:
    """Return numerators n and d > 0 with matrix · n = d · right; None if the matrix looks singular.

    A regular matrix may look singular by bad luck; a solution is never wrong.

    >>> solve_by_digits([[2, 1], [0, 3]], [1, 1])
    ([1, 1], 3)
    >>> solve_by_digits([[1, 1], [1, 1]], [1, 1]) is None
    True
    """
    for prime in _PRIMES:
        inverse = _inverse(matrix, prime)
        if inverse is not None:
            return _lift(matrix, right, prime, inverse)
    return None


def _lift(
    matrix: Matrix, right: list[int], prime: int, inverse: Counts
) -> tuple[list[int], int] | None:
    limbs = _limbs(matrix)
    high, low = inverse >> 16, inverse & 0xFFFF
    values, residual, modulus = [0] * len(right), list(right), 1
    most = _max_digits(matrix, right, prime)
    look = 8
    for k in range(1, most + 1):
        r = np.array([entry % prime for entry in residual])
        digits = ((high @ r) % prime * 65536 + low @ r) % prime
        values = [
            value + modulus * digit for value, digit in zip(values, digits.tolist(), strict=True)
        ]
        modulus *= prime
        products = _product(limbs, digits)
        residual = [(a - b) // prime for a, b in zip(residual, products, strict=True)]
        if k in (look, most):
            look *= 2
            found = _fractions(values, modulus)
            if found is not None and _is_solution(matrix, right, *found):
                return found
    return None


def _max_digits(matrix: Matrix, right: list[int], prime: int) -> int:
    """Return a number of digits that is always enough, by Hadamard's bound on determinants."""
    bits = sum(
        0.5 * math.log2(1 + sum(entry * entry for entry in row)) + math.log2(1 + abs(b))
        for row, b in zip(matrix, right, strict=True)
    )
    return int((2 * bits + 4) / math.log2(prime)) + 2


def _inverse(matrix: Matrix, prime: int) -> Counts | None:
    """Return the inverse modulo a prime, or None if the matrix is singular."""
    n = len(matrix)
    work = np.zeros((n, 2 * n), dtype=np.int64)
    work[:, :n] = [[entry % prime for entry in row] for row in matrix]
    work[:, n:] = np.eye(n, dtype=np.int64)
    for k in range(n):
        nonzero = np.flatnonzero(work[k:, k])
        if len(nonzero) == 0:
            return None
        pivot = k + int(nonzero[0])
        work[[k, pivot]] = work[[pivot, k]]
        work[k] = work[k] * pow(int(work[k, k]), -1, prime) % prime
        factors = work[:, k].copy()
        factors[k] = 0
        rows = np.flatnonzero(factors)
        work[rows, k:] = (work[rows, k:] - factors[rows, None] * work[k, k:]) % prime
    return work[:, n:]


def _limbs(matrix: Matrix) -> list[Counts]:
    """Split a matrix into matrices of small numbers, to be multiplied by powers of 2**22."""
    parts: list[Counts] = []
    rest = np.array(matrix, dtype=object)
    while rest.any():
        sign = np.where(rest < 0, -1, 1)
        size = np.abs(rest)
        parts.append((sign * (size & ((1 << _LIMB) - 1))).astype(np.int64))
        rest = sign * (size >> _LIMB)
    return parts


def _product(limbs: list[Counts], digits: Counts) -> list[int]:
    """Return the exact product of a matrix and digits."""
    total = [0] * len(digits)
    for place, part in enumerate(limbs):
        sums = (part @ digits).tolist()
        total = [t + (s << (_LIMB * place)) for t, s in zip(total, sums, strict=True)]
    return total


def _fractions(values: list[int], modulus: int) -> tuple[list[int], int] | None:
    """Return numerators and a common denominator, all below √(modulus/2), or None."""
    limit = math.isqrt(modulus // 2)
    common = 1
    numerators: list[tuple[int, int]] = []
    for value in values:
        scaled = value * common % modulus
        if scaled > modulus // 2:
            scaled -= modulus
        if abs(scaled) > limit:
            fraction = _fraction(scaled % modulus, modulus, limit)
            if fraction is None:
                return None
            scaled, factor = fraction
            common *= factor
        numerators.append((scaled, common))
    if common > limit:
        return None
    *whole_numbers, divisor = _primitive(
        [*(numerator * (common // own) for numerator, own in numerators), common]
    )
    return whole_numbers, divisor


def _fraction(value: int, modulus: int, limit: int) -> tuple[int, int] | None:
    """Return the small fraction that equals a value modulo ``modulus`` (P. Wang, 1981), or None."""
    before, after = (modulus, 0), (value, 1)
    while after[0] > limit:
        quotient = before[0] // after[0]
        before, after = after, (before[0] - quotient * after[0], before[1] - quotient * after[1])
    numerator, denominator = after
    if denominator == 0 or abs(denominator) > limit:
        return None
    return (numerator, denominator) if denominator > 0 else (-numerator, -denominator)


def _primitive(numbers: list[int]) -> list[int]:
    factor = math.gcd(*numbers)
    return [number // factor for number in numbers]


def _is_solution(matrix: Matrix, right: list[int], numbers: list[int], divisor: int) -> bool:
    return all(
        sum(map(int.__mul__, row, numbers)) == divisor * b
        for row, b in zip(matrix, right, strict=True)
    )
