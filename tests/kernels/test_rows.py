"""Storage of samples: dense and sparse rows give the same results, and needless copies are avoided."""

import gc
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from numba import njit

from naive import exact_dot
from rosenblatt import Perceptron
from rosenblatt.core.types import MatrixLike
from rosenblatt.kernels.exact_sum import new_digits, sign_of
from rosenblatt.kernels.row_operations import (
    accumulate,
    axpy,
    dot,
    dot_sq,
    first_look,
    length,
    size,
    sq,
)
from rosenblatt.kernels.rows import CSRRows, DenseRows, as_rows, n_rows

X = np.array([[3, 0, -2, 1, 5, 0, 1], [0, 0, 0, 0, 0, 0, 0], [1, 2, 3, -4, 5, 6, 0]], dtype=float)
WEIGHTS = np.array([2.0, -1, 4, 3, 1, 7, -5, 10])
KINDS = {
    "dense": lambda X: as_rows(X, 1.0),
    "float32": lambda X: as_rows(X.astype(np.float32), 1.0),
    "csr": lambda X: as_rows(sp.csr_matrix(X), 1.0),
    "csc": lambda X: as_rows(sp.csc_array(X), 1.0),
}
kinds = pytest.mark.parametrize("kind", KINDS)
_looked = njit(lambda *given: first_look(*given))


@kinds
def test_dense_and_sparse_primitives_agree(kind: str) -> None:
    rows = KINDS[kind](X)
    assert n_rows(rows) == 3
    for i, row in enumerate(X):
        extended = np.append(row, 1.0)
        assert dot(rows, i, WEIGHTS) == extended @ WEIGHTS
        assert dot_sq(rows, i, WEIGHTS) == (extended @ WEIGHTS, extended @ extended)
        assert sq(rows, i) == extended @ extended
        assert size(rows, i, WEIGHTS) == np.abs(extended * WEIGHTS).sum()
        assert length(rows, i) == np.sqrt(extended @ extended)
        weights = WEIGHTS.copy()
        axpy(rows, i, -3.0, weights)
        assert weights.tolist() == (WEIGHTS - 3 * extended).tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("scale", [1e-160, 1e-40, 1e-18, 1.0, 1e16, 1e25, 1e160])
def test_first_look_bounds_the_length(scale: float, form: Callable, dtype: type) -> None:
    if dtype is np.float32 and not 1e-45 < scale < 1e38:
        pytest.skip("float32 has no such numbers")
    X = (scale * np.random.default_rng(0).standard_normal((5, 40))).astype(dtype)
    for constant in (0.0, 1.0):
        rows = as_rows(form(X), constant)
        for i, row in enumerate(X.astype(np.float64)):
            true = math.hypot(*row, constant)
            score, bound = _looked(rows, i, np.ones(41))
            assert true * (1.0 - 1e-14) <= bound
            assert bound <= (true * (1.0 + 1e-5) + 1e-140 if true < 1e150 else math.inf)
            assert score == pytest.approx(row.sum() + constant)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_first_look_detects_rows_that_are_not_finite_or_do_not_fit(
    bad: float, form: Callable
) -> None:
    rows = as_rows(form(np.array([[1.0, 2.0, bad]])), 1.0)
    assert math.isnan(_looked(rows, 0, np.ones(4))[1])
    assert math.isnan(_looked(as_rows(form(np.ones((1, 3))), 1.0), 0, np.ones(3))[1])


@kinds
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_exact_score_is_right_where_the_float_score_is_not(kind: str, sign: float) -> None:
    rows = KINDS[kind](np.array([[1.0, 1.0, 1.0]]))
    weights = np.array([1e100, 1e-100, -1e100, 0.0])
    assert dot(rows, 0, weights) == 0.0
    digits = new_digits()
    accumulate(rows, 0, weights, sign, digits)
    assert sign_of(digits) == sign


@kinds
def test_without_intercept_the_last_weight_is_ignored(kind: str) -> None:
    rows = KINDS[kind](X)._replace(constant=0.0)
    weights = WEIGHTS.copy()
    assert dot(rows, 0, weights) == exact_dot(X[0], WEIGHTS[:-1])
    axpy(rows, 0, 1.0, weights)
    assert weights[-1] == WEIGHTS[-1]
    assert length(rows, 1) == dot_sq(rows, 1, weights)[1] == 0.0


@pytest.mark.parametrize(
    ("dtype", "stored"),
    [
        ("float32", "float32"),
        ("float16", "float32"),
        ("int8", "float32"),
        ("uint16", "float32"),
        ("bool", "float32"),
        ("int32", "float64"),
        ("int64", "float64"),
        ("float64", "float64"),
        (">f8", "float64"),
    ],
)
def test_every_number_type_is_stored_without_loss(dtype: str, stored: str) -> None:
    limits = {"i": 2**31 - 1, "u": 2**16 - 1, "b": 1, "f": 1.5}[np.dtype(dtype).kind]
    values = np.array([[limits if dtype != "int8" else 127, 0]]).astype(dtype)
    for data in (values, sp.csr_array(values) if dtype not in ("float16", ">f8") else values):
        rows = as_rows(data, 1.0)
        assert rows.values.dtype == np.dtype(stored)
        assert float(rows.values.ravel()[0]) == float(values[0, 0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_suitable_arrays_are_not_copied(dtype: type) -> None:
    dense = X.astype(dtype)
    assert np.shares_memory(as_rows(dense, 1.0).values, dense)
    sparse = sp.csr_array(dense)
    assert np.shares_memory(as_rows(sparse, 1.0).values, sparse.data)


def test_duplicate_and_unsorted_entries_are_resolved_in_a_copy() -> None:
    data, indices = np.array([1.0, 2.0, 4.0, 8.0]), np.array([3, 0, 3, 1])
    messy = sp.csr_matrix((data, indices, np.array([0, 3, 4])), shape=(2, 5))
    rows = as_rows(messy, 1.0)
    assert isinstance(rows, CSRRows)
    assert rows.values.tolist() == [2.0, 5.0, 8.0]
    assert rows.indices.tolist() == [0, 3, 1]
    assert messy.data.tolist() == [1.0, 2.0, 4.0, 8.0]
    assert messy.indices.tolist() == [3, 0, 3, 1]


def test_fortran_order_is_converted() -> None:
    rows = as_rows(np.asfortranarray(X), 0.0)
    assert isinstance(rows, DenseRows)
    assert rows.values.flags.c_contiguous
    assert rows.values.tolist() == X.tolist()


def _unaligned(X: np.ndarray) -> np.ndarray:
    array = np.zeros(X.nbytes + 1, dtype=np.uint8)[1:].view(X.dtype).reshape(X.shape)
    array[:] = X
    return array


@pytest.mark.parametrize(
    "stored",
    [
        lambda X: np.repeat(X, 3, axis=1)[:, ::3],
        lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
        lambda X: np.broadcast_to(X, (2, *X.shape))[1],
        lambda X: X.astype(">f8"),
        lambda X: X.astype(">i2"),
        lambda X: X.astype(np.longdouble),
        lambda X: X.astype(object),
        _unaligned,
    ],
)
def test_unusual_memory_layouts_are_converted(stored: Callable[[np.ndarray], np.ndarray]) -> None:
    rows = as_rows(stored(X), 1.0)
    flags = rows.values.flags
    assert flags.c_contiguous
    assert flags.aligned
    assert rows.values.dtype.isnative
    assert [dot(rows, i, WEIGHTS) for i in range(3)] == (X @ WEIGHTS[:-1] + WEIGHTS[-1]).tolist()


def test_memory_maps_are_not_read_into_memory(tmp_path: Path) -> None:
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="c")
    rows = as_rows(mapped, 1.0)
    assert np.shares_memory(rows.values, mapped)
    assert Perceptron().fit(X, [0, 1, 0]).predict(mapped).tolist() == [0, 1, 0]
    sparse = sp.csr_array(X)
    for name in ("data", "indices", "indptr"):
        np.save(tmp_path / f"{name}.npy", getattr(sparse, name))
        setattr(sparse, name, np.load(tmp_path / f"{name}.npy", mmap_mode="c"))
    assert np.shares_memory(as_rows(sparse, 1.0).indices, sparse.indices)
    assert Perceptron().fit(X, [0, 1, 0]).predict(sparse).tolist() == [0, 1, 0]


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csc_array])
def test_empty_arrays_are_valid_rows(kind: Callable[[np.ndarray], MatrixLike]) -> None:
    assert n_rows(as_rows(kind(np.zeros((0, 3))), 1.0)) == 0
    assert dot(as_rows(kind(np.zeros((2, 0))), 1.0), 1, np.array([7.0])) == 7.0


@pytest.mark.parametrize("sparse", [False, True])
def test_read_only_memory_is_used_without_a_copy(tmp_path: Path, sparse: bool) -> None:
    np.save(tmp_path / "X.npy", np.eye(3))
    X = np.load(tmp_path / "X.npy", mmap_mode="r")
    stored = sp.csr_array(X) if sparse else X
    if sparse:
        for part in (stored.data, stored.indices, stored.indptr):
            part.flags.writeable = False
    rows = as_rows(stored, 1.0)
    arrays = [part for part in rows if isinstance(part, np.ndarray)]
    assert all(part.flags.writeable for part in arrays)
    assert np.shares_memory(rows.values, stored.data if sparse else X)
    del X, stored
    gc.collect()
    assert rows.values.sum() == 3.0
