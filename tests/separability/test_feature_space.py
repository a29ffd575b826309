"""Separability by a polynomial kernel, decided by its monomials."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import InputError, KernelPerceptron, Outcome, Verdict, separate_in_feature_space
from rosenblatt.core.types import MatrixLike
from rosenblatt.separability.feature_space import monomials

XOR = [[0, 0], [0, 1], [1, 0], [1, 1]]


@pytest.mark.parametrize("code", [0, -1])
@pytest.mark.parametrize("n_bits", [2, 3])
def test_parity_of_n_bits_needs_degree_n(n_bits: int, code: int) -> None:
    X = np.array(list(itertools.product([code, 1], repeat=n_bits)))
    y = (X == 1).sum(axis=1) % 2
    for degree in range(1, n_bits + 1):
        s = separate_in_feature_space(X, y, degree=degree, exact=True)
        wanted = Verdict.SEPARABLE if degree == n_bits else Verdict.INSEPARABLE
        assert s.verdict is wanted
        assert s.certificate.verify(monomials(X, degree), y, exact=True)


def test_without_a_constant_only_the_highest_degree_counts() -> None:
    X, y = [[1], [-1]], [0, 1]
    assert separate_in_feature_space(X, y, degree=2, coef0=0).verdict is Verdict.INSEPARABLE
    assert separate_in_feature_space(X, y, degree=3, coef0=0).verdict is Verdict.SEPARABLE
    assert separate_in_feature_space(X, y, degree=2).verdict is Verdict.SEPARABLE


@settings(max_examples=15, deadline=None)
@given(data=st.data(), coef0=st.sampled_from([0.0, 1.0, 3.0]), degree=st.sampled_from([1, 2, 3]))
def test_the_kernel_is_a_positive_combination_of_the_monomials(
    data: MatrixLike, coef0: float, degree: int
) -> None:
    row = st.lists(st.integers(-3, 3), min_size=2, max_size=2)
    X = np.array(data.draw(st.lists(row, min_size=3, max_size=5)))
    features = monomials(X, degree, coef0)
    if coef0 > 0:
        features = np.column_stack([features, np.ones(len(X))])
    K = (X @ X.T + coef0) ** degree
    products = features[:, None, :] * features[None, :, :]
    known = products.reshape(-1, products.shape[2]).astype(float)
    shares, *_ = np.linalg.lstsq(known, K.reshape(-1).astype(float), rcond=None)
    np.testing.assert_allclose(known @ shares, K.reshape(-1), atol=1e-6)


@settings(max_examples=15, deadline=None)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@given(seed=st.integers(0, 1000), degree=st.sampled_from([1, 2, 3]))
def test_verdict_agrees_with_a_kernel_perceptron(seed: int, degree: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-2, 3, size=(7, 2)), np.resize([0, 1], 7)
    verdict = separate_in_feature_space(X, y, degree=degree, exact=True).verdict
    p = KernelPerceptron(degree=degree, gamma=1, coef0=1, max_iter=1000).fit(X, y)
    assert verdict is not Verdict.UNDECIDED
    if p.outcome_ is Outcome.SEPARATED:
        assert verdict is Verdict.SEPARABLE
    if verdict is Verdict.INSEPARABLE:
        assert p.outcome_ is Outcome.BUDGET


def test_sparse_samples_are_the_same() -> None:
    dense = monomials(XOR, 2)
    assert monomials(sp.csr_matrix(XOR), 2).tolist() == dense.tolist()


@pytest.mark.parametrize(
    ("X", "options", "message"),
    [
        ([[0.5], [1.0]], {"degree": 2}, "X contains 0.5 in row 0, column 0: give integers"),
        ([[np.nan], [1.0]], {"degree": 2}, "X contains nan in row 0"),
        ([["a"], ["b"]], {"degree": 2}, "give a table of integers"),
        ([[2**30], [1]], {"degree": 2}, "are not below 2"),
        ([[1] * 3000, [2] * 3000], {"degree": 3}, "the limit is 50000000 numbers"),
        (XOR[:2], {"degree": 0}, "degree=0 is not accepted"),
        (XOR[:2], {"degree": 10**9}, "degree=1000000000 is not accepted"),
        (XOR[:2], {"degree": 2, "coef0": -1}, "coef0=-1 is not accepted"),
    ],
)
def test_data_that_cannot_be_decided_exactly_is_rejected(
    X: MatrixLike, options: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        separate_in_feature_space(X, [0, 1], **options)
