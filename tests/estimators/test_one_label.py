"""One label without an intercept: samples as in proofs, with the negative ones negated."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import (
    HullIntersection,
    InputError,
    Outcome,
    Perceptron,
    SeparatingHyperplane,
    cross_validate,
    decide_and_learn,
    load,
    save,
    trace,
)
from strategies import labels, samples

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

# Lecture 001: the set C of its proof, without the constant.
C = np.array([[1, 1], [1, -1], [0, -1]], dtype=float)


@given(
    st.data(),
    st.sampled_from(["cyclic", "shuffle", "random"]),
    st.sampled_from(["last", "average", "pocket"]),
)
def test_same_run_as_two_labels(data: st.DataObject, order: str, keep: str) -> None:
    X = np.clip(data.draw(samples(max_rows=6, max_columns=3)), -1e17, 1e17)
    y = data.draw(labels(len(X), [-1, 1]))
    parameters = {
        "fit_intercept": False,
        "order": order,
        "keep": keep,
        "max_iter": 6,
        "record": True,
    }
    two = Perceptron(**parameters).fit(X, y)
    turned = y[:, None] * X + 0.0
    one = Perceptron(**parameters).fit(sp.csr_matrix(turned), ["yes"] * len(X))
    assert one.coef_.tobytes() == two.coef_.tobytes()
    assert one.outcome_ is two.outcome_
    assert one.ledger_.sequences[0].tolist() == two.ledger_.sequences[0].tolist()
    assert list(one.margin_) == pytest.approx(list(two.margin_), rel=1e-9)
    assert getattr(one, "cycle_", None) == getattr(two, "cycle_", None)
    assert one.classes_.tolist() == ["yes"]
    assert one.predict(X).tolist() == ["yes"] * len(X)
    assert one.decision_function(turned).tolist() == (y * two.decision_function(X) + 0.0).tolist()
    replayed, _ = one.ledger_.replay(turned, ["yes"] * len(X))
    if keep == "last":
        assert replayed.tobytes() == one.coef_.tobytes()


def test_trace_accepts_one_label() -> None:
    run = trace(C, ["yes"] * 3, fit_intercept=False)
    assert run.outcome is Outcome.SEPARATED
    assert run.weights == (2.0, -1.0)
    assert all(visit.score > 0 for visit in run.visits[-3:])


def test_both_outcomes_are_certified() -> None:
    p = Perceptron(fit_intercept=False, certify=True).fit(C, [1, 1, 1])
    assert isinstance(p.certificate_, SeparatingHyperplane)
    assert p.certificate_.verify(C, [1, 1, 1])
    opposite = np.vstack([C, -C[:1]])
    for order in ("cyclic", "shuffle"):
        q = Perceptron(fit_intercept=False, certify=True, order=order).fit(opposite, [1] * 4)
        assert q.outcome_ is Outcome.INSEPARABLE
        assert isinstance(q.certificate_, HullIntersection)
        assert q.certificate_.verify(opposite, [1] * 4)


def test_error_with_an_intercept() -> None:
    sentence = "y has only one class, 'a': .* or one without an intercept, fit_intercept=False"
    with pytest.raises(InputError, match=sentence):
        Perceptron().fit(C, ["a"] * 3)
    with pytest.raises(InputError, match=sentence):
        trace(C, ["a"] * 3)


def test_folds_with_one_label_equal_separate_fits() -> None:
    X, y = np.vstack([C, -C[:1]]), np.array([1, 1, 1, 0])
    parts = [(np.arange(3), np.array([3])), (np.array([0, 3]), np.array([1, 2]))]
    learner = Perceptron(fit_intercept=False, order="cyclic")
    found = cross_validate(learner, X, y, cv=parts, return_estimator=True)
    for model, (train, _) in zip(found["estimator"], parts, strict=True):
        alone = Perceptron(fit_intercept=False, order="cyclic").fit(X[train], y[train])
        assert model.coef_.tobytes() == alone.coef_.tobytes()
        assert model.classes_.tolist() == alone.classes_.tolist()


def test_decide_and_learn_accepts_one_label() -> None:
    report = decide_and_learn(C, ["a"] * 3, Perceptron(fit_intercept=False))
    assert report.learner.outcome_ is Outcome.SEPARATED
    assert report.learner.n_mistakes_ <= report.guarantee.mistake_bound
    with pytest.raises(InputError, match="only one class"):
        decide_and_learn(C, ["a"] * 3, Perceptron())


def test_model_file_and_stream(tmp_path: Path) -> None:
    p = Perceptron(keep="last", fit_intercept=False).fit(C, ["a"] * 3)
    save(p, tmp_path / "model")
    q = load(tmp_path / "model")
    assert q.coef_.tobytes() == p.coef_.tobytes()
    assert q.predict(C).tolist() == ["a"] * 3
    q.partial_fit(C, ["a"] * 3)
    assert q.classes_.tolist() == ["a"]
    assert q.coef_.tobytes() == p.coef_.tobytes()
