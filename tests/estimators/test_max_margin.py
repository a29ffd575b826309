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

NO_MARGIN = "there is no margin to maximise"


def _chain(error: BaseException | None) -> str:
    """Return all messages that led to an error."""
    texts = []
    while error is not None:
        texts.append(str(error))
        error = error.__cause__ or error.__context__
    return "\n".join(texts)


@parametrize_with_checks([MaxMargin(), MaxMargin(margin="augmented", tolerance=1e-3)])
def test_estimator_checks(estimator: Any, check: Any) -> None:
    """Many checks fit labels that no hyperplane separates: refusing those is the contract here."""
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
def test_it_is_the_hard_margin_support_vector_machine(store: Any) -> None:
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


def test_it_says_why_there_is_no_margin() -> None:
    with pytest.raises(InputError, match="rows 0 and 2 are equal and carry the opposite labels"):
        MaxMargin().fit([[1.0], [2.0], [1.0]], ["a", "b", "b"])
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((3000, 40)), rng.integers(0, 2, 3000)
    with pytest.raises(InputError, match=r"could not be decided .* time_limit=1e-09 seconds"):
        MaxMargin(time_limit=1e-9).fit(X, y)


def test_hulls_that_touch_are_an_error_too() -> None:
    X = [[0.5, 1], [1, 0.5], [0.5, 0.5], [0.5, 0], [0, 0.5], [0.5, 0.5]]
    with pytest.raises(InputError, match=r"no hyperplane strictly separates .*: rows 1 and 4"):
        MaxMargin().fit(X, [0, 0, 1, 1, 0, 1])


def test_a_margin_that_floats_cannot_hold_is_an_error() -> None:
    up = np.nextafter
    X = [[0.1, 0.2], [0.1, up(0.2, 1)], [up(0.1, 1), up(0.2, 1)]]
    assert separate(X, [0, 1, 1]).certificate.verify(X, [0, 1, 1], exact=True)
    with pytest.raises(InputError, match="so small that the hyperplane, rounded to float64"):
        MaxMargin().fit(X, [0, 1, 1])


def test_a_failed_fit_leaves_the_fitted_state() -> None:
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
        {"alpha": 1.0},
        {"time_limit": -1},
        {"fit_intercept": "yes"},
    ],
)
def test_wrong_parameters_are_named(wrong: dict[str, Any]) -> None:
    (name,) = wrong
    with pytest.raises(InputError, match=f"{name}="):
        MaxMargin(**wrong).fit([[0.0], [1.0]], [0, 1])


def test_models_are_saved(tmp_path: Path) -> None:
    X, y = separable()
    for found in (MaxMargin().fit(X, y), MaxMargin().partial_fit(X, y, classes=["no", "yes"])):
        save(found, tmp_path / "model")
        again = load(tmp_path / "model")
        assert again.coef_.tobytes() == found.coef_.tobytes()
        assert again.outcome_ is found.outcome_
        assert (again.predict(X) == found.predict(X)).all()
    fitted = MaxMargin().fit(X, y)
    save(fitted, tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.certificate_ == fitted.certificate_
    assert again.certificate_.verify(X, y)
    assert again.margin_ == fitted.margin_
    assert again.history_ == fitted.history_
    assert (again.dual_coef_ == fitted.dual_coef_).all()


def unit_length(X: np.ndarray) -> np.ndarray:
    extended = np.column_stack([X, np.ones(len(X))])
    return extended / np.linalg.norm(extended, axis=1, keepdims=True)


@pytest.mark.parametrize("alpha", [0.5, 0.3])
@pytest.mark.parametrize("store", [np.asarray, sp.csr_matrix])
def test_the_stream_keeps_what_alma_promises(store: Any, alpha: float) -> None:
    for seed in range(5):
        X, y = separable(80, 3, seed)
        Z = unit_length(X)
        largest = separate(Z, y, fit_intercept=False).margin
        stream = MaxMargin(alpha=alpha)
        before = -1
        while before != (stream.n_corrections_ if before >= 0 else -2):
            before = stream.n_corrections_ if before >= 0 else 0
            stream.partial_fit(store(X), y, classes=["no", "yes"])
        bound = 2 / largest.upper**2 * (2 / alpha - 1) ** 2 + 8 / alpha - 4
        assert 0 < stream.n_corrections_ <= bound
        w = np.append(stream.coef_[0], stream.intercept_)
        margins = np.where(y == "yes", 1, -1) * (Z @ w)
        assert margins.min() / np.linalg.norm(w) >= (1 - alpha) * largest.lower
        assert np.linalg.norm(w) <= 1 + 1e-9
        assert stream.outcome_ is Outcome.STREAM


def alma(Z: np.ndarray, signs: np.ndarray, alpha: float) -> tuple[np.ndarray, int]:
    """The algorithm as Gentile writes it, in plain NumPy."""
    w, k = np.zeros(Z.shape[1]), 1
    for z, sign in zip(Z, signs, strict=True):
        if sign * (w @ z) <= (1 - alpha) * np.sqrt(8) / alpha / np.sqrt(k):
            w = w + np.sqrt(2) / np.sqrt(k) * sign * z
            w = w / max(1.0, float(np.linalg.norm(w)))
            k += 1
    return w, k - 1


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_the_stream_is_alma_in_any_chunks(size: int) -> None:
    X, y = separable(120, 5, 1)
    stream = MaxMargin(alpha=0.2)
    for start in range(0, len(X), size):
        stream.partial_fit(X[start : start + size], y[start : start + size], classes=["no", "yes"])
    w, corrections = alma(unit_length(X), np.where(y == "yes", 1, -1), 0.2)
    np.testing.assert_allclose(np.append(stream.coef_[0], stream.intercept_), w, rtol=1e-9)
    assert stream.n_corrections_ == corrections


def test_a_stream_names_its_classes_first() -> None:
    with pytest.raises(InputError, match="classes is missing"):
        MaxMargin().partial_fit([[0.0], [1.0]], [0, 1])
    stream = MaxMargin().partial_fit([[0.0], [1.0]], [0, 1], classes=[0, 1])
    before = stream.coef_.copy()
    with pytest.raises(InputError, match="all text or all numbers"):
        stream.partial_fit([[0.0], [1.0]], ["0", "5"])
    assert (stream.coef_ == before).all()
    stream.partial_fit([[5.0]] * 3, [5] * 3)
    assert stream.classes_.tolist() == [0, 1, 5]
    assert stream.predict([[5.0]]) == [5]


def test_fit_and_streams_do_not_mix() -> None:
    X, y = separable()
    fresh = MaxMargin().partial_fit(X, y, classes=["no", "yes"])
    after_fit = MaxMargin().fit(X, y).partial_fit(X, y, classes=["no", "yes"])
    assert (after_fit.coef_ == fresh.coef_).all()
    assert not hasattr(after_fit, "certificate_")
    fitted = fresh.fit(X, y)
    assert not hasattr(fitted, "_stream")
