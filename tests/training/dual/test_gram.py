"""Kernel values in blocks: cached values are the same, counted correctly, and memory is bounded."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics.pairwise import pairwise_kernels

from rosenblatt import KernelPerceptron
from rosenblatt.training.dual.gram import Gram
from rosenblatt.training.dual.kernel_functions import KernelFunction
from rosenblatt.training.dual.support import DenseSupport, Support, new_support, support_of


def _samples(n: int, d: int = 3) -> Any:
    return np.random.default_rng(n).integers(-3, 4, size=(n, d)).astype(float)


@pytest.mark.parametrize("degree", [1, 2, 3, 5, 8, 65])
def test_powers(degree: int) -> None:
    A, B = _samples(4) / 8, _samples(5) / 8
    ours = KernelFunction("poly", degree, 0.5, 1.5).table(A, B)
    theirs = pairwise_kernels(A, B, metric="poly", degree=degree, gamma=0.5, coef0=1.5)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@pytest.mark.parametrize("name", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("left", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("right", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("number", [np.float32, np.int8])
def test_dense_and_sparse_samples_can_be_mixed(
    name: str, left: Any, right: Any, number: Any
) -> None:
    A, B = _samples(4), _samples(5)
    kernel = KernelFunction(name, 2, 0.5, 1.0)
    table = kernel.table(left(A.astype(number)), right(B.astype(number)))
    assert table.dtype == np.float64
    np.testing.assert_allclose(table, kernel.table(A, B), rtol=1e-14)


@given(data=st.data(), n_kept=st.integers(0, 7))
def test_cache_changes_only_the_number_of_computed_values(data: st.DataObject, n_kept: int) -> None:
    X = _samples(8)
    support = DenseSupport(3)
    support.add(_samples(6))
    kernel = KernelFunction("poly", 2)
    gram = Gram(kernel, X, support, cache_bytes=n_kept * 8 * 9)
    requested: set[tuple[int, int]] = set()
    n_requested = 0
    for _ in range(data.draw(st.integers(1, 6))):
        places = np.array(sorted(data.draw(st.sets(st.integers(0, 5), min_size=1))))
        rows = np.array(data.draw(st.lists(st.integers(0, 7), min_size=1, max_size=8)))
        values = gram.between(places, rows)
        assert values.tolist() == kernel.table(support.take(places), X[rows]).tolist()
        requested |= {(int(p), int(r)) for p in places for r in rows}
        n_requested += values.size
    assert len(requested) <= gram.n_terms <= n_requested
    if n_kept == 0:
        assert gram.n_terms == n_requested


def test_cached_rows_are_computed_once() -> None:
    X, support = _samples(8), DenseSupport(3)
    support.add(_samples(2))
    gram = Gram(KernelFunction("rbf"), X, support, cache_bytes=8 * 9)  # holds only the first row
    for _ in range(3):
        gram.between(np.arange(2), np.arange(8))
    assert gram.n_terms == 8 + 3 * 8


@pytest.mark.parametrize("sparse", [False, True])
def test_support_samples_are_returned_unchanged(sparse: bool) -> None:
    support: Support = new_support(3, sparse=sparse)
    X = _samples(9)
    for start in range(0, 9, 2):
        support.add(X[start : start + 2])
    assert len(support) == 9
    assert support.n_features == 3
    for places in ([0, 1, 2], [8, 3, 3], [4]):
        taken = support.take(np.array(places))
        assert (taken.toarray() if sparse else taken).tolist() == X[places].tolist()
    again = support_of(support.parts)
    branch = support.branch()
    branch.add(X[:1])
    assert (len(support), len(branch), len(again)) == (9, 10, 9)
    taken = branch.take(np.array([3, 9]))
    assert (taken.toarray() if sparse else taken).tolist() == X[[3, 0]].tolist()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("keep", ["last", "vote"])
def test_memory_is_bounded(keep: str) -> None:
    rng = np.random.default_rng(0)
    n = 6000
    X, y = rng.standard_normal((n, 5)), rng.integers(0, 2, size=n)
    p = KernelPerceptron(kernel="rbf", gamma=1.0, keep=keep, max_iter=1, cache_size=0)
    p.fit(X[:50], y[:50]).predict(X[:50])
    tracemalloc.start()
    p.fit(X, y).predict(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(p.support_) > 2000
    assert peak < n * len(p.support_) * 8 * 0.8  # the full table of kernel values would be more
    assert peak < 120e6
