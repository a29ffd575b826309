"""Inputs of a kernel perceptron: storage formats, changed parameters, NumPy numbers, classes."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import InputError, KernelPerceptron, load, save, separate_in_feature_space
from rosenblatt.estimators.common.kernel_parameters import gamma_for
from rosenblatt.separability.feature_space import monomials

ignore_budget = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
Y = [0, 1, 1, 0]
SMALL = np.array([[0, 50], [100, 0], [7, 7], [120, 3]], dtype=np.int8)


@pytest.mark.parametrize("store", [sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize(
    "table", [SMALL, SMALL > 5, SMALL.astype(np.float32), SMALL + 1e8, SMALL * 1e-9 + 1]
)
def test_gamma_scale_uses_the_variance_of_the_dense_table(store: Any, table: Any) -> None:
    expected = 1 / (2 * np.var(table.astype(float)))
    assert gamma_for("scale", store(table)) == pytest.approx(expected, rel=1e-12)
    assert gamma_for("scale", table) == pytest.approx(expected, rel=1e-12)


def test_duplicate_entries_are_summed_first() -> None:
    parts = sp.csr_matrix((np.array([1.0, 2.0]), np.array([0, 0]), np.array([0, 2])), shape=(1, 2))
    assert gamma_for("scale", parts) == gamma_for("scale", np.array([[3.0, 0.0]]))
    assert parts.nnz == 2  # the user's matrix is unchanged


@ignore_budget
@pytest.mark.parametrize("number", [np.int8, np.bool_, np.float32])
@pytest.mark.parametrize("store", [np.asarray, sp.csr_matrix])
def test_user_kernels_get_float64(number: Any, store: Any) -> None:
    def kernel(A: Any, B: Any) -> Any:
        assert A.dtype == B.dtype == np.float64
        values = A @ B.T
        return values.toarray() if sp.issparse(values) else values

    table = SMALL.astype(number)
    options = {"max_iter": 5}
    own = KernelPerceptron(kernel=kernel, **options).fit(store(table), Y)
    named = KernelPerceptron(kernel="linear", **options).fit(table.astype(float), Y)
    assert own.dual_coef_.tolist() == named.dual_coef_.tolist()
    assert own.decision_function(store(table)).tolist() == named.decision_function(table).tolist()


@pytest.mark.parametrize("budget", [None, 2])
@pytest.mark.parametrize(
    "change", [{"kernel": "rbf"}, {"degree": 2}, {"gamma": 0.25}, {"coef0": 2.0}]
)
def test_changed_kernel_parameters_are_refused(
    change: dict[str, Any], budget: int | None, tmp_path: Any
) -> None:
    p = KernelPerceptron(budget=budget).partial_fit(X, Y)
    save(p, tmp_path / "model")
    (name,) = change
    before = {name: getattr(p, name)}
    for q in (p, copy.copy(p), pickle.loads(pickle.dumps(p)), load(tmp_path / "model")):
        scores = q.decision_function(X).tolist()
        q.set_params(**change)
        for act in (
            lambda q: q.partial_fit(X, Y),
            lambda q: q.learn_one(X[0], 0),
            lambda q: q.decision_function(X),
        ):
            with pytest.raises(InputError, match=f"{name}=.* differs from the start of learning"):
                act(q)
        q.set_params(**before)
        assert q.decision_function(X).tolist() == scores
        assert q.partial_fit(X, Y).n_iter_ == 2
    p.set_params(gamma="auto", degree=np.int64(3), coef0=1).learn_one(X[0], 0)  # the same


@ignore_budget
def test_fit_accepts_another_kernel() -> None:
    p = KernelPerceptron(degree=1, max_iter=2).fit(X, Y).set_params(degree=2, max_iter=100)
    p.fit(X, Y)
    assert p.predict(X).tolist() == Y
    scaled = KernelPerceptron(gamma="scale", degree=2).fit(X, Y)
    assert scaled.partial_fit(X, Y).gamma_ == gamma_for("scale", X)


def test_numpy_numbers_are_valid_parameters() -> None:
    for size in (np.int64(200), np.float32(0.5)):
        assert KernelPerceptron(degree=2, cache_size=size).fit(X, Y).predict(X).tolist() == Y
    for size in (True, np.True_, np.nan, "200"):
        with pytest.raises(InputError, match=r"cache_size=.* is not accepted"):
            KernelPerceptron(cache_size=size).fit(X, Y)
    for coef0 in (np.float32(1), np.int8(1)):
        s = separate_in_feature_space(X, Y, degree=np.int8(2), coef0=coef0)
        assert s.verdict.name == "SEPARABLE"
    with pytest.raises(InputError, match="coef0=True is not accepted"):
        monomials(X, 2, coef0=True)
    with pytest.raises(InputError, match="monomials of degree 30 are not below 2"):
        monomials(X * 1000, np.int64(30))  # an integer power would wrap around to a small number


def test_feature_space_takes_its_intercept_from_coef0() -> None:
    for flag in (True, False):
        with pytest.raises(InputError, match=r"fit_intercept=.* is not accepted: .* use coef0=0"):
            separate_in_feature_space(X, Y, degree=2, fit_intercept=flag)


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        (3, "classes=3 is not accepted: give a list"),
        ("ab", "classes='ab' is not accepted"),
        ([[0, 1]], "is not accepted: give a list"),
        ([0.0, 1.0, np.nan], "contains NaN or None"),
        (np.array(["a", None], dtype=object), "contains NaN or None"),
        ([], "classes is empty"),
    ],
)
def test_invalid_classes_are_refused(classes: Any, message: str) -> None:
    p = KernelPerceptron()
    with pytest.raises(InputError, match=message):
        p.partial_fit(X, Y, classes=classes)
    assert not hasattr(p, "classes_")
    assert p.partial_fit(X, Y, classes=(1, 0)).classes_.tolist() == [0, 1]
