"""The largest margin, against support vector machines, exact margins and its own certificate."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from margin import max_margin_squared
from rosenblatt import InputError, MaxMargin, Outcome, Verdict, load, save, separate
from strategies import INTEGERS, labels, matrices

NO_MARGIN = "there is no margin to maximize"


def _chain(error: BaseException | None) -> str:
    """Return the messages of an error and its causes."""
    texts = []
    while error is not None:
        texts.append(str(error))
        error = error.__cause__ or error.__context__
    return "\n".join(texts)


@parametrize_with_checks([MaxMargin(), MaxMargin(margin="augmented", tolerance=1e-3)])
def test_estimator_checks(estimator: Any, check: Any) -> None:
    """Many checks fit inseparable labels, which MaxMargin must reject."""
    try:
        check(estimator)
    except Exception as error:
        if NO_MARGIN not in _chain(error):
            raise
        pytest.skip("the check's data is not separable, which is an error by design")


def separable(n: int = 60, d: int = 4, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    score = X @ rng.standard_normal(d) + 0.3
    kept = np.abs(score) > 0.2
    return X[kept], np.where(score[kept] > 0, "yes", "no")


@pytest.mark.parametrize("store", [np.asarray, sp.csr_matrix, lambda X: X.astype(np.float32)])
def test_equals_hard_margin_support_vector_machine(store: Any) -> None:
    X, y = separable()
    X = store(X)
    ours = MaxMargin(tolerance=1e-9).fit(X, y)
    theirs = SVC(kernel="linear", C=1e10, tol=1e-10).fit(X, y)
    their_coef = theirs.coef_.toarray() if sp.issparse(theirs.coef_) else theirs.coef_
    np.testing.assert_allclose(ours.coef_, their_coef, rtol=1e-5)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-5)
    assert ours.support_.tolist() == sorted(theirs.support_.tolist())
    dual = theirs.dual_coef_.toarray() if sp.issparse(theirs.dual_coef_) else theirs.dual_coef_
    np.testing.assert_allclose(ours.dual_coef_[0], dual[0][np.argsort(theirs.support_)], rtol=1e-3)
    np.testing.assert_allclose(ours.margin_.lower, 1 / np.linalg.norm(ours.coef_), rtol=1e-8)
    scores = ours.decision_function(X) * np.where(y == "yes", 1, -1)
    np.testing.assert_allclose(scores.min(), 1.0, rtol=1e-6)
    assert ours.outcome_ is Outcome.MAXIMUM
    assert ours.certificate_.verify(X, y, exact=True)
    assert (ours.predict(X) == y).all()


@pytest.mark.parametrize("margin", ["affine", "augmented"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_dual_gives_the_coefficients(margin: str, fit_intercept: bool) -> None:
    X, y = separable(seed=3)
    y = np.where(X @ [1, 2, 3, 4] > 0, "yes", "no") if not fit_intercept else y
    found = MaxMargin(margin=margin, fit_intercept=fit_intercept, tolerance=1e-9).fit(X, y)
    np.testing.assert_allclose(found.dual_coef_ @ X[found.support_], found.coef_, rtol=1e-5)
    if not fit_intercept:
        assert found.intercept_.tolist() == [0.0]


@given(data=st.data())
def test_the_interval_contains_the_exact_margin(data: st.DataObject) -> None:
    X = data.draw(matrices(INTEGERS, st.integers(2, 7), st.integers(1, 3)))
    y = data.draw(labels(len(X), [-1, 1]))
    assume(separate(X, y).verdict is Verdict.SEPARABLE)
    found = MaxMargin(margin="augmented").fit(X, y)
    true = max_margin_squared(np.column_stack([X, np.ones(len(X))]) * y[:, None])
    assert found.margin_.lower**2 <= float(true) * (1 + 1e-12)
    assert found.margin_.upper**2 >= float(true) * (1 - 1e-12)
    assert found.margin_.upper <= found.margin_.lower * (1 + 2e-6)
    affine = MaxMargin().fit(X, y)
    assert affine.margin_.upper >= found.margin_.lower


def test_no_separator_has_a_larger_margin() -> None:
    X, y = separable(seed=5)
    signs = np.where(y == "yes", 1, -1)
    best = MaxMargin().fit(X, y).margin_.upper
    rng = np.random.default_rng(0)
    centre = MaxMargin().fit(X, y).coef_[0]
    for _ in range(2000):
        w = centre + rng.standard_normal(4) * rng.choice([0.01, 0.1, 1.0]) * np.linalg.norm(centre)
        scores = X @ w
        gap = scores[signs > 0].min() - scores[signs < 0].max()
        assert gap / 2 / np.linalg.norm(w) <= best


def test_many_classes() -> None:
    X = np.array([[5, 0], [6, 1], [0, 5], [1, 6], [-5, -5], [-6, -4]])
    y = np.array(["a", "a", "b", "b", "c", "c"])
    found = MaxMargin().fit(X, y)
    assert found.coef_.shape == (3, 2)
    assert len(found.margin_) == len(found.certificate_) == 3
    assert (found.predict(X) == y).all()
    assert all(proof.verify(X, y) for proof in found.certificate_)
    np.testing.assert_allclose(found.dual_coef_ @ X[found.support_], found.coef_, rtol=1e-4)


def test_error_names_the_conflict() -> None:
    with pytest.raises(InputError, match="rows 0 and 2 are equal but have the labels"):
        MaxMargin().fit([[1.0], [2.0], [1.0]], ["a", "b", "b"])
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((3000, 40)), rng.integers(0, 2, 3000)
    with pytest.raises(InputError, match="undecided within time_limit=1e-09 seconds"):
        MaxMargin(time_limit=1e-9).fit(X, y)


def test_touching_hulls_raise() -> None:
    X = [[0.5, 1], [1, 0.5], [0.5, 0.5], [0.5, 0], [0, 0.5], [0.5, 0.5]]
    with pytest.raises(InputError, match=r"no hyperplane strictly separates .*: rows 1 and 4"):
        MaxMargin().fit(X, [0, 0, 1, 1, 0, 1])


def test_margin_too_small_for_floats_raises() -> None:
    up = np.nextafter
    X = [[0.1, 0.2], [0.1, up(0.2, 1)], [up(0.1, 1), up(0.2, 1)]]
    assert separate(X, [0, 1, 1]).certificate.verify(X, [0, 1, 1], exact=True)
    with pytest.raises(InputError, match="so small that rounding the hyperplane to float64"):
        MaxMargin().fit(X, [0, 1, 1])


def test_failed_fit_keeps_the_fitted_state() -> None:
    X, y = separable()
    found = MaxMargin().fit(X, y)
    before = found.coef_.copy()
    with pytest.raises(InputError):
        found.fit([[1.0], [1.0]], ["a", "b"])
    assert (found.coef_ == before).all()
    assert (found.predict(X) == y).all()


@pytest.mark.parametrize(
    "wrong",
    [
        {"margin": "wide"},
        {"tolerance": 0.0},
        {"tolerance": "1"},
        {"time_limit": -1},
        {"fit_intercept": "yes"},
    ],
)
def test_bad_parameters(wrong: dict[str, Any]) -> None:
    (name,) = wrong
    with pytest.raises(InputError, match=f"{name}="):
        MaxMargin(**wrong).fit([[0.0], [1.0]], [0, 1])


def test_models_are_saved(tmp_path: Path) -> None:
    X, y = separable()
    fitted = MaxMargin().fit(X, y)
    save(fitted, tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.coef_.tobytes() == fitted.coef_.tobytes()
    assert again.outcome_ is fitted.outcome_
    assert (again.predict(X) == fitted.predict(X)).all()
    assert again.certificate_ == fitted.certificate_
    assert again.certificate_.verify(X, y)
    assert again.margin_ == fitted.margin_
    assert again.history_ == fitted.history_
    assert (again.dual_coef_ == fitted.dual_coef_).all()


@pytest.mark.parametrize("size", [5e-324, 1e-310, 1e-200])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_numbers_too_close_to_zero_are_named(size: float, fit_intercept: bool) -> None:
    samples = np.array([[1.0], [2.0], [-1.0]]) * size
    with pytest.raises(InputError, match="too close to 0 or to each other for float64"):
        MaxMargin(fit_intercept=fit_intercept).fit(samples, [0, 0, 1])
