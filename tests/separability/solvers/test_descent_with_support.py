"""Coordinate descent, the method for many samples in many dimensions."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

from hulls import affine_gamma_squared, gamma_squared, signed
from rosenblatt import Verdict, separate
from rosenblatt.core.compiling import working_time
from rosenblatt.core.types import MatrixLike
from rosenblatt.kernels.rows import as_rows
from rosenblatt.separability.search import Search
from rosenblatt.separability.signed_samples import Vectors
from rosenblatt.separability.solvers.coordinate_descent import descend
from rosenblatt.separability.solvers.descent_with_support import descend_all
from strategies import INTEGERS, TENTHS, labels, matrices

SETTINGS = [{"fit_intercept": False}, {"fit_intercept": True}, {"margin": "affine"}]


def _search(X: MatrixLike, signs: np.ndarray, *, affine: bool, tolerance: float = 1e-6) -> Search:
    rows = as_rows(X, 0.0 if affine else 1.0)
    vectors = Vectors(rows, signs.astype(np.int8), X.shape[1] + 1, 2 if affine else 1)
    return Search(vectors, tolerance, math.inf)


def _distance(Z: np.ndarray) -> float:
    u, _ = nnls(np.vstack([Z.T, np.ones(len(Z))]), np.append(np.zeros(Z.shape[1]), 1.0))
    return float(np.linalg.norm(Z.T @ u) / u.sum())


def _margin(X: np.ndarray, signs: np.ndarray, *, affine: bool) -> float:
    if affine:
        plus, minus = X[signs > 0], X[signs < 0]
        return _distance((plus[:, None] - minus[None]).reshape(-1, X.shape[1])) / 2
    return _distance(np.column_stack([X, np.ones(len(X))]) * signs[:, None])


@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("n", "d"), [(10, 3), (60, 5), (60, 90), (150, 30)])
def test_the_interval_closes_around_the_margin(n: int, d: int, sparse: bool, affine: bool) -> None:
    rng = np.random.default_rng(n + d)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < (0.4 if sparse else 1.0))
    signs = np.where(np.arange(n) % 2, 1, -1)
    X[:, 0] = signs * rng.uniform(0.5, 2.0, n) + 0.2
    search = _search(sp.csr_matrix(X) if sparse else X, signs, affine=affine)
    descend_all(search)
    assert search.is_closed
    assert search.history
    expected = _margin(X, signs, affine=affine)
    assert search.lower * (1 - 1e-9) <= expected <= search.upper * (1 + 1e-7)
    assert (search.shares > 0).all()


@pytest.mark.parametrize("affine", [False, True])
def test_inseparable_vectors_have_an_upper_end_near_zero(affine: bool) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 6))
    search = _search(X, np.where(rng.random(120) < 0.5, 1, -1), affine=affine)
    descend_all(search)
    assert search.lower == 0.0
    assert search.weights is None
    assert search.upper < 1e-10


def test_a_deadline_ends_the_descent() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 400))
    search = _search(X, np.where(rng.random(3000) < 0.5, 1, -1), affine=False)
    search.deadline = working_time()
    descend_all(search)
    assert len(search.history) == 1
    assert 0.0 <= search.lower < search.upper < math.inf


def test_one_pass_by_hand() -> None:
    # z = (2, 0) and (0, 4): a = (1/4, 1/16), w = (1/2, 1/4), and everything has margin 1.
    rows = as_rows(np.array([[2.0, 0.0], [0.0, -4.0]]), 0.0)
    signs, multipliers, weights = np.array([1, -1], dtype=np.int8), np.zeros(2), np.zeros(3)
    worst = descend(rows, signs, np.array([4.0, 16.0]), np.arange(2), multipliers, weights)
    assert worst == 1.0
    assert multipliers.tolist() == [0.25, 0.0625]
    assert weights.tolist() == [0.5, 0.25, 0.0]
    assert descend(rows, signs, np.array([4.0, 16.0]), np.arange(2), multipliers, weights) == 0.0


def test_a_pass_lowers_the_dual_and_keeps_the_sum() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 6))
    signs = np.where(X[:, 0] > 0, 1, -1).astype(np.int8)
    rows, squares = as_rows(X, 0.0), (X**2).sum(axis=1)
    multipliers, weights = np.zeros(40), np.zeros(7)
    values = []
    for _ in range(30):
        descend(rows, signs, squares, rng.permutation(40), multipliers, weights)
        assert (multipliers >= 0).all()
        np.testing.assert_allclose(weights[:6], (multipliers * signs) @ X, atol=1e-9)
        values.append(weights @ weights / 2 - multipliers.sum())
    assert (np.diff(values) <= 1e-9).all()
    assert values[-1] < values[0]


def test_zero_vectors_are_skipped() -> None:
    rows = as_rows(np.zeros((2, 3)), 0.0)
    multipliers, weights = np.zeros(2), np.zeros(4)
    descend(rows, np.ones(2, dtype=np.int8), np.zeros(2), np.arange(2), multipliers, weights)
    assert not multipliers.any()
    assert not weights.any()


# Through `separate`, with the other method disabled.


def _forced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rosenblatt.separability.decide.WIDEST", 1)


@st.composite
def tiny(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    pool = draw(st.sampled_from([INTEGERS, TENTHS]))
    X = draw(matrices(pool, st.integers(2, 6), st.integers(1, 2)))
    return X, draw(labels(len(X), [0, 1]))


@given(tiny(), st.sampled_from(SETTINGS), st.booleans())
def test_brute_force(problem: tuple[np.ndarray, np.ndarray], options: dict, sparse: bool) -> None:
    X, y = problem
    signs = np.where(y == 1, 1, -1).tolist()
    data = sp.csr_matrix(X) if sparse else X
    with pytest.MonkeyPatch.context() as patch:
        _forced(patch)
        s = separate(data, y, **options)
        e = separate(data, y, exact=True, **options)
    if options.get("margin") == "affine":
        expected = affine_gamma_squared(X, signs)
    else:
        expected = gamma_squared(signed(X, signs, constant=options["fit_intercept"]))
    lower, upper = map(Fraction, s.margin)
    assert lower**2 <= expected <= upper**2
    assert s.verdict is (Verdict.SEPARABLE if expected else Verdict.INSEPARABLE)
    assert s.certificate.verify(data, y)
    assert e.squared_margin == expected
    methods = {r.method for r in s.history_}
    assert "constraint generation" not in methods
    assert "coordinate descent" in methods or expected == 0


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_both_methods_agree(options: dict, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    problems = []
    for n, d, density in [(200, 20, 1.0), (80, 100, 0.2), (300, 30, 0.3)]:
        X = rng.normal(size=(n, d)) * (rng.random((n, d)) < density)
        X[:, 0] += 0.01
        problems.append((sp.csr_matrix(X), rng.integers(0, 2, n)))
        problems.append((sp.csr_matrix(X), (X @ rng.normal(size=d) > 0).astype(int)))
    generated = [separate(X, y, **options) for X, y in problems]
    _forced(monkeypatch)
    verdicts = set()
    for (X, y), other in zip(problems, generated, strict=True):
        s = separate(X, y, **options)
        assert s.verdict is other.verdict
        assert s.margin.lower <= other.margin.upper
        assert other.margin.lower <= s.margin.upper
        assert s.margin.upper - s.margin.lower <= 1e-6 * s.margin.upper
        assert s.certificate.verify(X, y)
        verdicts.add(s.verdict)
    assert verdicts == {Verdict.SEPARABLE, Verdict.INSEPARABLE}


def test_many_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(90, 6))
    y = (X @ rng.normal(size=(6, 3))).argmax(axis=1)
    expected = separate(X, y)
    _forced(monkeypatch)
    s = separate(sp.csr_matrix(X), y)
    assert s.joint.verdict is expected.joint.verdict is Verdict.SEPARABLE
    assert s.joint.margin.lower <= expected.joint.margin.upper
    assert expected.joint.margin.lower <= s.joint.margin.upper
    assert s.joint.certificate.verify(X, y)
    assert "coordinate descent" in {r.method for r in s.joint.history_}


# Data with many dimensions.


def _wide(separable: bool) -> tuple[MatrixLike, np.ndarray]:
    rng = np.random.default_rng(5)
    n, d = 1800, 2500
    X = sp.random_array((n, d), density=0.004, format="lil", rng=rng)
    y = rng.integers(0, 2, n)
    if separable:
        X[:, 0] = np.where(y == 1, 1.0, -1.0)[:, None] * rng.uniform(0.5, 1.0, (n, 1))
    else:
        X[:3] = 0.0
        X[0, 7], X[1, 9], X[2, 7], X[2, 9] = 0.5, 0.75, 0.25, 0.375
        y[:3] = [0, 0, 1]
    return sp.csr_matrix(X), y


@pytest.mark.parametrize("margin", ["augmented", "affine"])
def test_wide_sparse_data_that_is_separable(margin: str) -> None:
    X, y = _wide(separable=True)
    s = separate(X, y, margin=margin)
    assert s.verdict is Verdict.SEPARABLE
    assert "coordinate descent" in {r.method for r in s.history_}
    assert s.margin.upper - s.margin.lower <= 1e-6 * s.margin.upper
    assert s.certificate.falsehood(X, y) is None
    assert ((X @ s.coef + s.intercept > 0) == (y == 1)).all()
    assert s.margin.lower >= 0.35  # a planted hyperplane has 0.5, or less with the constant


@pytest.mark.parametrize("margin", ["augmented", "affine"])
def test_wide_sparse_data_with_a_contradiction(margin: str) -> None:
    # Row 2 is between rows 0 and 1, which have the other label; this is the only conflict.
    X, y = _wide(separable=False)
    s = separate(X, y, margin=margin)
    assert s.verdict is Verdict.INSEPARABLE
    assert "coordinate descent" in {r.method for r in s.history_}
    assert s.conflicts[0].rows == (0, 1, 2)
    assert s.conflicts[0].weights == (1, 1, 2)
    assert s.certificate.verify(X, y)
