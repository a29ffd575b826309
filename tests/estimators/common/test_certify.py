"""Certificates of fits, and guarantees before learning."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import (
    HullIntersection,
    Outcome,
    Perceptron,
    SeparatingHyperplane,
    Verdict,
    load,
    save,
)
from rosenblatt.estimators.evaluation.guarantee import guarantee
from rosenblatt.estimators.evaluation.held_out import Split
from strategies import INTEGERS, labels, matrices, samples

SQUARE = [[0, 0], [0, 1], [1, 0], [1, 1]]
AND, XOR = ["no", "no", "no", "yes"], ["no", "yes", "yes", "no"]

quietly = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_separated_fit_is_certified_by_its_weights() -> None:
    found = Perceptron(certify=True).fit(SQUARE, AND)
    assert found.outcome_ is Outcome.SEPARATED
    assert isinstance(found.certificate_, SeparatingHyperplane)
    assert found.certificate_.weights.tolist() == [*found.coef_[0], *found.intercept_]
    assert found.certificate_.verify(SQUARE, AND, exact=True)
    assert found.conflicts_ == []
    np.testing.assert_allclose(found.certificate_.lower, found.margin_.lower, rtol=1e-12)
    np.testing.assert_allclose(found.certificate_.upper, found.margin_.upper, rtol=1e-12)


def test_inseparable_fit_stops_with_conflicts() -> None:
    with pytest.warns(
        ConvergenceWarning,
        match="no hyperplane strictly separates 'yes' from all other samples, because rows 0 and 3",
    ):
        found = Perceptron(keep="last", certify=True, max_iter=10**9).fit(SQUARE, XOR)
    assert found.outcome_ is Outcome.INSEPARABLE
    assert isinstance(found.certificate_, HullIntersection)
    assert found.certificate_.verify(SQUARE, XOR, exact=True)
    assert found.n_iter_ == 10
    assert "overlap" in found.conflicts_[0]


def test_without_certify_nothing_changes() -> None:
    X = np.random.default_rng(0).integers(-3, 4, (60, 3))
    y = X @ [1, 2, 3] > 0
    plain, certified = Perceptron().fit(X, y), Perceptron(certify=True).fit(X, y)
    assert plain.coef_.tobytes() == certified.coef_.tobytes()
    assert plain.history_.mistakes.tolist() == certified.history_.mistakes.tolist()
    assert not hasattr(plain, "certificate_")


def test_run_ended_by_max_iter_still_proves_separability() -> None:
    X = np.array([[1.0, 1e-3], [-1.0, 1e-3], [1.0, 2e-3]])
    y = [1, 1, 1]
    X, y = np.vstack([X, -X]), np.array([*y, 0, 0, 0])
    with pytest.warns(ConvergenceWarning, match="max_iter=12"):
        found = Perceptron(
            keep="last", certify=True, max_iter=12, order="shuffle", random_state=3
        ).fit(np.column_stack([X, np.roll(X, 1, axis=0)]) + 5.0, y)
    assert found.outcome_ is Outcome.BUDGET
    assert isinstance(found.certificate_, SeparatingHyperplane)


@quietly
@given(data=st.data())
def test_every_certificate_is_true(data: st.DataObject) -> None:
    X = data.draw(samples())
    y = data.draw(labels(len(X), data.draw(st.sampled_from([list("ab"), list("abc")]))))
    parameters = data.draw(
        st.fixed_dictionaries(
            {
                "fit_intercept": st.booleans(),
                "order": st.sampled_from(["cyclic", "shuffle", "random"]),
            }
        )
    )
    found = Perceptron(certify=True, max_iter=30, random_state=0, **parameters).fit(X, y)
    proofs = found.certificate_ if isinstance(found.certificate_, list) else [found.certificate_]
    verdicts = set()
    for proof in proofs:
        assert proof is None or proof.falsehood(X, y) is None
        assert proof is None or proof.falsehood(sp.csr_matrix(X), y, exact=True) is None
        verdicts.add(type(proof))
    assert (HullIntersection in verdicts) == (found.outcome_ is Outcome.INSEPARABLE)
    if found.outcome_ is Outcome.SEPARATED:
        assert verdicts == {SeparatingHyperplane}


@quietly
def test_inseparable_class_does_not_stop_the_others() -> None:
    X = np.array([[0.0], [1.0], [2.0], [10.0]])
    y = ["a", "b", "a", "c"]
    found = Perceptron(certify=True, max_iter=10_000).fit(X, y)
    assert found.outcome_ is Outcome.INSEPARABLE
    kinds = [type(proof) for proof in found.certificate_]
    assert kinds == [HullIntersection, HullIntersection, SeparatingHyperplane]
    assert all(proof.verify(X, y) for proof in found.certificate_)


@quietly
def test_certificate_leaves_out_samples_of_weight_zero() -> None:
    weight = np.array([1.0, 1.0, 1.0, 1.0, 0.0])
    X, y = [*SQUARE, [1, 1]], [*AND, "no"]
    found = Perceptron(certify=True).fit(X, y, sample_weight=weight)
    assert found.outcome_ is Outcome.SEPARATED
    assert found.certificate_.verify(SQUARE, AND)
    assert Perceptron(certify=True).fit(X, y).outcome_ is Outcome.INSEPARABLE


@quietly
def test_certificates_are_saved_and_dropped_by_a_stream(tmp_path: Path) -> None:
    found = Perceptron(certify=True).fit(SQUARE, XOR)
    save(found, tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.certificate_ == found.certificate_
    assert again.conflicts_ == found.conflicts_
    again.partial_fit(SQUARE, XOR)
    assert not hasattr(again, "certificate_")


@quietly
@given(data=st.data())
def test_guarantee_holds(data: st.DataObject) -> None:
    X = data.draw(matrices(INTEGERS, st.integers(2, 8), st.integers(1, 3)))
    y = data.draw(labels(len(X), data.draw(st.sampled_from([[0, 1], [0, 1, 2]]))))
    learner = Perceptron(
        eta0=data.draw(st.sampled_from([1.0, 0.1, 7.0])),
        order=data.draw(st.sampled_from(["cyclic", "shuffle"])),
        fit_intercept=data.draw(st.booleans()),
        random_state=0,
        max_iter=5000,
    )
    guaranteed = guarantee(learner, X, y)
    if guaranteed.verdict is not Verdict.SEPARABLE:
        return
    found = learner.fit(X, y)
    assert guaranteed.mistake_bound is not None
    assert found.outcome_ is Outcome.SEPARATED
    assert found.n_mistakes_ <= guaranteed.mistake_bound


def test_guarantee_of_inseparable_classes() -> None:
    assert guarantee(Perceptron(), SQUARE, np.array(XOR)).verdict is Verdict.INSEPARABLE
    assert guarantee(Perceptron(), SQUARE, np.array(XOR)).mistake_bound is None
    three = guarantee(Perceptron(), [[0.0], [1.0], [2.0]], np.array(["a", "b", "c"]))
    assert [one.verdict.name for one in three.separations] == [
        "SEPARABLE",
        "INSEPARABLE",
        "SEPARABLE",
    ]


def test_held_out_samples_are_not_learned() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((300, 2)), rng.integers(0, 2, 300)

    class Memory:
        """A learner that memorizes its training samples."""

        def get_params(self, deep: bool = True) -> dict[str, object]:
            assert deep in (True, False)
            return {}

        def fit(self, X: np.ndarray, y: np.ndarray) -> "Memory":
            self.known = {x.tobytes(): label for x, label in zip(X, y, strict=True)}
            return self

        def predict(self, X: np.ndarray) -> np.ndarray:
            return np.array([self.known.get(x.tobytes(), -1) for x in X])

    split = Split.drawn(X, y, 0)
    assert split is not None
    found = split.measured(split.predicted(Memory()))
    assert found.samples == 60
    assert found.error == 1.0
    assert found.risk == 1.0
