"""The checker rejects numbers that it would have to round."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import HullIntersection
from rosenblatt.certificates import Digest
from rosenblatt.core.types import MatrixLike

BEYOND = 2**53


@pytest.mark.parametrize(
    "X",
    [
        np.array([[BEYOND], [BEYOND + 1]]),
        [[2**60], [2**60 + 1]],
        [[2**70], [2**70 + 1]],
        sp.csr_array(np.array([[BEYOND], [BEYOND + 1]])),
        np.array([[1], [1 + np.longdouble(2) ** -60]], dtype=np.longdouble),
        [[Fraction(1, 3)], [Fraction(1, 3) + Fraction(1, 10**30)]],
    ],
    ids=["int64", "list", "long list", "sparse", "longdouble", "Fraction"],
)
def test_different_numbers_that_round_to_one_are_rejected(X: MatrixLike) -> None:
    rounded = np.array([[1.0], [1.0]])
    claim = HullIntersection(Digest.of(rounded, [0, 1]), (0, 1), 1, 1.0, "augmented", {0: 1, 1: 1})
    assert claim.verify(rounded, [0, 1])
    falsehood = claim.falsehood(X, [0, 1])
    assert falsehood is not None
    assert "float64 cannot represent exactly" in falsehood
    assert not claim.verify(X, [0, 1], exact=True)
