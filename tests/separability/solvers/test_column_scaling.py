"""Columns of very different sizes: the verdict is found on balanced columns, proved on the originals."""

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import Verdict, separate
from rosenblatt.kernels.rows import as_rows
from rosenblatt.separability.signed_samples import Vectors
from rosenblatt.separability.solvers.column_scaling import balanced
from rosenblatt.separability.solvers.kesler_rows import joint_rows


def wide(n: int, d: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) * 10.0 ** rng.integers(-8, 8, d)


@pytest.mark.parametrize("store", [np.asarray, sp.csr_matrix])
def test_scores_carry_over(store: type) -> None:
    X = wide(20, 5, 0)
    signs = np.where(np.arange(20) % 2, 1, -1).astype(np.int8)
    vectors = Vectors(as_rows(store(X), 1.0), signs, 6)
    found = balanced(vectors)
    assert found is not None
    even, factors = found
    weights = np.random.default_rng(1).standard_normal(6)
    np.testing.assert_allclose(
        even.margins(weights), vectors.margins(weights * factors), rtol=1e-12
    )
    assert (np.frexp(factors)[0] == 0.5).all()
    sizes = np.abs(even.unpacked(np.arange(20))).max(axis=0)
    assert sizes.max() < 4 * sizes.min()


def test_scores_carry_over_for_many_classes() -> None:
    X = wide(12, 4, 0)
    codes = np.arange(12) % 3
    rows = joint_rows(as_rows(X, 1.0), codes, 3)
    vectors = Vectors(rows, np.ones(24, dtype=np.int8), 15)
    found = balanced(vectors)
    assert found is not None
    even, factors = found
    weights = np.random.default_rng(1).standard_normal(15)
    np.testing.assert_allclose(even.margins(weights), vectors.margins(weights * factors), rtol=1e-9)


def test_similar_columns_are_not_scaled() -> None:
    X = np.random.default_rng(0).standard_normal((20, 5))
    assert balanced(Vectors(as_rows(X, 1.0), np.ones(20, dtype=np.int8), 6)) is None
    assert balanced(Vectors(as_rows(np.zeros((3, 2)), 1.0), np.ones(3, dtype=np.int8), 3)) is None


@pytest.mark.parametrize("margin", ["augmented", "affine"])
def test_inseparable_data_of_wide_columns_is_proved_quickly(margin: str) -> None:
    X = wide(200, 25, 3)
    y = np.random.default_rng(0).integers(0, 2, 200)
    found = separate(X, y, margin=margin)
    assert found.verdict is Verdict.INSEPARABLE
    assert found.certificate.verify(X, y, exact=True)


@pytest.mark.parametrize("margin", ["augmented", "affine"])
@pytest.mark.parametrize("store", [np.asarray, sp.csr_matrix])
def test_separable_data_of_wide_columns_is_proved(margin: str, store: type) -> None:
    X = wide(120, 12, 5)
    scaled = X / np.abs(X).max(axis=0)
    y = (scaled @ np.random.default_rng(1).standard_normal(12) > 0).astype(int)
    X = store(X)
    found = separate(X, y, margin=margin)
    assert found.verdict is Verdict.SEPARABLE
    assert found.certificate.falsehood(X, y) is None
    assert found.certificate.falsehood(X, y, exact=True) is None


def test_columns_of_denormal_numbers_are_scaled_without_overflow() -> None:
    X = np.array([[1e-310, 5e-324, -5e-324], [1e-310, 2e-308, -5e-324]])
    _, factors = balanced(Vectors(as_rows(X, 1.0), np.ones(2, dtype=np.int8), 4)) or ((), ())
    assert np.isfinite(factors).all()
    assert separate(X, [0, 1]).verdict is Verdict.SEPARABLE
