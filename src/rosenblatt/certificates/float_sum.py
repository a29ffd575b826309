"""The fast half of a check of a combination: floats may show that its sum is clearly short enough.

With shares f = count / Σ counts, each coordinate of Σ f·z is a float sum of k products: it differs from
the true one by at most (k + 8)·u·Σ|f·z_j| (see ``float_check``), so the whole vector by at most that
factor times Σ f·‖z‖, by the triangle inequality.
"""

import math
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from rosenblatt.certificates.integer_check import Term
from rosenblatt.certificates.rounding import sqrt_down
from rosenblatt.certificates.setting import Setting
from rosenblatt.certificates.stored_samples import Compressed, Samples
from rosenblatt.core.types import Counts, Floats

_UNIT_ROUNDOFF = 2.0**-53
_VANISHING = 2.0**-1020


def is_clearly_short(
    setting: Setting, terms: list[Term], mass: int, upper_squared: Fraction
) -> bool:
    """Say whether floats prove ‖Σ count·z‖ ≤ √upper_squared·Σ count; False leaves it open.

    The counts of both sides of an affine margin are known to be alike.
    """
    squares = spread = 0.0
    with np.errstate(all="ignore"):
        for block in range(setting.n_blocks):
            own = [term for term in terms if term.block == block]
            rows = np.array([term.row for term in own], dtype=np.int64)
            shares = np.array([term.times / mass for term in own])
            summed, lengths = _sum(setting.samples, rows, shares)
            squares += float(summed @ summed)
            if setting.margin != "affine":
                squares += (setting.constant * float(shares.sum())) ** 2
            spread += float(np.abs(shares) @ (lengths + setting.constant))
        length = math.sqrt(squares) * (1.0 + (setting.width + 16) * _UNIT_ROUNDOFF)
        slack = (len(terms) + 8) * 1.01 * _UNIT_ROUNDOFF * spread
        vanished = (len(terms) + setting.width) * setting.n_blocks * math.sqrt(_VANISHING)
        bound = (length + slack + vanished) * (1.0 + 8 * _UNIT_ROUNDOFF)
    return bound <= sqrt_down(upper_squared)


def _sum(samples: Samples, rows: Counts, shares: Floats) -> tuple[Floats, Floats]:
    """Return Σ share·x over some rows, and the length of each, rounded up."""
    if isinstance(samples.stored, Compressed):
        part = samples.chosen(rows)
        shape = (len(rows), samples.n_features)
        matrix = sp.csr_array((part.values, part.indices, part.indptr), shape=shape)
        squares = np.asarray(matrix.multiply(matrix).sum(axis=1)).reshape(-1)
        summed = np.asarray(matrix.T @ shares).reshape(-1)
    else:
        block = samples.stored[rows].astype(np.float64)
        squares = np.square(block).sum(axis=1)
        summed = shares @ block
    return summed, 1.001 * np.sqrt(squares) + math.sqrt(_VANISHING)
