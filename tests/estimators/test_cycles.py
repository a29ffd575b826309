"""Runs that return to the weights of an earlier epoch are detected exactly."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import naive
from rosenblatt import Outcome, Perceptron, cross_validate, load, save, trace
from strategies import labels, samples

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

# Crossing squares, and one more sample: four epochs repeat, starting with the sixth.
X = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [3, 1]], dtype=float)
Y = np.array([0, 1, 1, 0, 1])


def ends(X: np.ndarray, signs: np.ndarray, n_epochs: int, **options: Any) -> list[list[float]]:
    """Return the weights before the first epoch and after each epoch."""
    found = [[0.0] * (X.shape[1] + 1)]
    for _ in range(n_epochs):
        weights, _ = naive.learn(X, signs, range(len(X)), start=found[-1], **options)
        found.append(weights.tolist())
    return found


def test_the_first_repetition_by_hand() -> None:
    assert trace(X, Y).cycle == (6, 10)
    p = Perceptron(order="cyclic").fit(X, Y)
    assert p.cycle_ == (8, 12)
    assert (p.outcome_, p.n_iter_) == (Outcome.CYCLING, 12)
    assert str(p.cycle_) == "epoch 12 repeats epoch 8: the run would repeat forever"
    # By hand: the extended samples of label 1, times 3, 1 and 1, sum to those of label 0, times 1 and 4.
    assert p.certificate_.combination == {0: 1, 1: 3, 2: 1, 3: 4, 4: 1}
    assert p.conflicts_[0].startswith(
        "rows 0 and 3 with label 0 and rows 1, 2 and 4 with label 1 overlap"
    )


@given(st.data(), st.sampled_from([2, 3]), st.sampled_from(["last", "pocket"]), st.booleans())
def test_every_halfspace_cycles_like_its_twin(
    data: st.DataObject, n_classes: int, keep: str, is_sparse: bool
) -> None:
    X = np.clip(data.draw(samples(max_rows=6, max_columns=2)), -1e17, 1e17)
    y = data.draw(labels(len(X), ["b", "a", "c"][:n_classes]))
    weight = data.draw(st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=len(X), max_size=len(X)))
    p = Perceptron(order="cyclic", keep=keep, max_iter=40)
    p.fit(sp.csr_matrix(X) if is_sparse else X, y, sample_weight=weight)
    classes = sorted(set(y.tolist()))
    cycles = getattr(p, "cycle_", None)
    cycles = cycles if isinstance(cycles, list) else [cycles] * len(p.ledger_.mistake_counts)
    assert (p.outcome_ is Outcome.CYCLING) == any(cycles)
    for k, positive in enumerate(classes[1:] if len(classes) == 2 else classes):
        signs = np.where(y == positive, 1, -1)
        _, epochs = naive.learn_cyclic(X, signs, 40, steps=weight)
        weights = ends(X, signs, len(epochs), steps=weight)
        returns = [
            first
            for first in (0, *(2**n for n in range(6)))
            if first < len(epochs) <= max(1, 2 * first) and weights[first] == weights[-1]
        ]
        expected = [(first, len(epochs)) for first in returns if epochs[-1]]
        assert ([] if cycles[k] is None else [cycles[k]]) == expected
        if cycles[k]:
            _check_proof(p, k, X, np.asarray(weight), signs, epochs[cycles[k].first :])


def _check_proof(
    p: Perceptron,
    k: int,
    X: np.ndarray,
    weight: np.ndarray,
    signs: np.ndarray,
    turn: list[list[int]],
) -> None:
    """Check that there is a certificate if and only if the updates of the cycle sum to zero exactly."""
    total = [Fraction(0)] * (X.shape[1] + 1)
    for i in (i for epoch in turn for i in epoch):
        row = [*X[i].tolist(), 1.0]
        step = int(signs[i]) * Fraction(weight[i])
        total = [s + step * Fraction(value) for s, value in zip(total, row, strict=True)]
    certificates = p.certificate_ if isinstance(p.certificate_, list) else [p.certificate_]
    assert (certificates[k] is None) == any(total)
    if certificates[k] is not None:
        assert set(certificates[k].rows) == {i for epoch in turn for i in epoch}


@given(st.data(), st.sampled_from([1, 3]))
def test_a_trace_names_the_first_repetition(data: st.DataObject, eta0: float) -> None:
    X = np.clip(data.draw(samples(max_rows=5, max_columns=2)), -1e17, 1e17)
    y = data.draw(labels(len(X), [0, 1]))
    run = trace(X, y, max_iter=20, eta0=eta0)
    weights = ends(X, 2 * y - 1, run.visits[-1].epoch)
    assert all(weights[e] not in weights[:e] for e in range(len(weights) - 1))
    if run.outcome is Outcome.CYCLING:
        assert run.cycle == (weights.index(weights[-1]), len(weights) - 1)
        assert run.to_dict()["cycle"] == run.cycle._asdict()
        assert f"poch {run.cycle.again} " in run.table()
    else:
        assert run.cycle is None
        assert run.outcome is Outcome.SEPARATED or weights[-1] not in weights[:-1]


def test_classes_that_learn_jointly_have_one_cycle() -> None:
    y = np.array([0, 1, 1, 0, 2])
    p = Perceptron(order="cyclic", multiclass="joint").fit(X, y)
    start, weights = np.zeros((3, 3)), []
    for _ in range(p.n_iter_):
        start, _ = naive.learn_jointly(X, y, range(len(X)), start=start)
        weights.append(start.tolist())
    assert p.outcome_ is Outcome.CYCLING
    assert p.cycle_.again == p.n_iter_
    assert weights[p.cycle_.first - 1] == weights[-1]
    assert p.certificate_.verify(X, y)
    assert p.conflicts_


def test_mistakes_for_a_class_without_a_sample_prove_nothing() -> None:
    p = Perceptron(multiclass="joint", order="cyclic", fit_intercept=False)
    p.fit(np.zeros((3, 1)), [0, 1, 2], sample_weight=[0.0, 1.0, 1.0])
    assert (p.outcome_, p.certificate_) == (Outcome.CYCLING, None)
    p.set_params(certify=True).fit(np.zeros((3, 1)), [0, 1, 2], sample_weight=[0.0, 1.0, 1.0])
    assert p.outcome_ is Outcome.INSEPARABLE
    assert p.certificate_.verify(np.zeros((2, 1)), [1, 2])


def test_cycle_is_the_proof_with_certify() -> None:
    p = Perceptron(order="cyclic", certify=True).fit(X, Y)
    assert p.outcome_ is Outcome.INSEPARABLE
    assert p.certificate_.verify(X, Y)


def test_cycle_with_rounded_updates_has_no_certificate() -> None:
    # 1e17 + 1 is 1e17 in float64: mistakes do not change the weights.
    p = Perceptron(order="cyclic", fit_intercept=False).fit(
        [[1.0, 0.0], [0.0, 1.0]], [1, 0], coef_init=[[-1e17, -1.0]]
    )
    assert (p.outcome_, p.cycle_) == (Outcome.CYCLING, (0, 1))
    assert p.certificate_ is None
    assert p.conflicts_ == []


@pytest.mark.parametrize(
    "parameters", [{"order": "shuffle"}, {"keep": "average"}, {"keep": "vote"}, {"shards": 2}]
)
def test_runs_that_do_not_repeat_continue(parameters: dict) -> None:
    p = Perceptron(**{"order": "cyclic", "max_iter": 20, **parameters}).fit(X, Y)
    assert p.n_iter_ == 20
    assert not hasattr(p, "cycle_")


def test_callback_sees_the_same_run() -> None:
    class Patience:
        patient = False
        n_seen = 0

        def epoch_begins(self) -> None:
            pass

        def epoch_ends(self, _epoch: object, n_epochs: int) -> bool:
            self.n_seen += n_epochs
            return False

    watch = Patience()
    p = Perceptron(order="cyclic").fit_watched(X, Y, watch)
    assert (watch.n_seen, p.cycle_) == (12, (8, 12))


def test_folds_cycle_like_separate_fits() -> None:
    rows = np.vstack([X, X, [[5.0, 5.0], [6.0, 5.0]]])
    y = np.concatenate([Y, Y, [1, 1]])
    folds = [(np.arange(5), np.arange(5, 12)), (np.arange(4, 12), np.arange(4))]
    found = cross_validate(Perceptron(order="cyclic"), rows, y, cv=folds, return_estimator=True)[
        "estimator"
    ]
    for (part, _), model in zip(folds, found, strict=True):
        alone = Perceptron(order="cyclic").fit(rows[part], y[part])
        assert alone.outcome_ is Outcome.CYCLING
        assert model.cycle_ == alone.cycle_
        assert model.n_iter_ == alone.n_iter_
        assert model.certificate_ == alone.certificate_
        assert model.coef_.tobytes() == alone.coef_.tobytes()


def test_model_file_keeps_the_cycle(tmp_path: Path) -> None:
    p = Perceptron(order="cyclic").fit(np.vstack([X, [[9, 9]]]), [*Y, 2])
    assert p.cycle_[2] is None
    save(p, tmp_path / "model")
    q = load(tmp_path / "model")
    assert (q.cycle_, q.outcome_) == (p.cycle_, Outcome.CYCLING)
    assert q.certificate_ == p.certificate_


def test_many_samples_in_one_block_cycle_the_same() -> None:
    # Enough numbers that three halfspaces share one reading of the samples.
    wide = np.hstack([np.tile(X, (100, 1)), np.zeros((500, 2998))])
    y = np.where(np.tile(X[:, 0] == 3, 100), 2, np.tile(Y, 100))
    p = Perceptron(order="cyclic", max_iter=40).fit(wide, y)
    assert p.cycle_[0] is not None
    for k in range(3):
        alone = Perceptron(order="cyclic", max_iter=40).fit(wide, np.where(y == k, 1, 0))
        assert p.cycle_[k] == getattr(alone, "cycle_", None)


@pytest.mark.parametrize("margin", [0.0, "auto"])
def test_updates_that_vanish_by_rounding_prove_nothing(margin: float | str) -> None:
    X = [[0.013], [0.69], [0.94], [0.1], [-0.23], [-1.18], [0.97], [-1.9], [0.82], [1.5], [1.2]]
    y = [0, 1, 1, 1, 0, 1, 0, 0, 0, 0, 1]
    p = Perceptron(order="cyclic", max_iter=200, margin=margin, class_weight={0: 1e-300}).fit(X, y)
    assert p.outcome_.name == "CYCLING"
    assert p.certificate_ is None
