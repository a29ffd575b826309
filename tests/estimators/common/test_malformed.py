"""Malformed input is rejected before it reaches compiled code, which does not check bounds."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from model_files import saved_with
from rosenblatt import (
    InputError,
    KernelPerceptron,
    MaxMargin,
    PassiveAggressive,
    Perceptron,
    Winnow,
    bounds,
    cross_validate,
    load,
    save,
    separate,
    separate_in_feature_space,
    trace,
)
from rosenblatt.bounds import mistake_bound
from rosenblatt.lectures.criterion import perceptron_criterion
from rosenblatt.lectures.general_position import in_general_position, separable_dichotomies
from rosenblatt.separability.question import ask
from rosenblatt.separability.separate import separate_jointly

LABELS = [0, 1, 0]


def _far() -> sp.csr_matrix:
    """Return a matrix of four samples that SciPy accepts."""
    return sp.csr_matrix((np.ones(5), [0, 2**40, 0, 1, 2], [0, 2, 3, 4, 5]), shape=(4, 3))


def _flagged() -> sp.csr_array:
    """Return a matrix that is flagged in SciPy as sorted."""
    X = sp.csr_array((np.ones(7), [0, 1, 2, 0, 1, 0, 2], [0, 3, 5, 6, 7]), shape=(4, 3))
    assert X.has_canonical_format
    X.indices[1] = 2**30
    return X


def _backwards() -> sp.csr_array:
    X = sp.csr_array(np.eye(4)[:, :3])
    X.indptr[:] = [0, 3, 10**9, 2, 3]
    return X


def _columns() -> sp.csc_array:
    X = sp.csc_array(np.eye(4)[:, :3])
    X.indices[1] = -(10**6)
    return X


DAMAGED = [_far, _flagged, _backwards, _columns]
GOOD = np.array([[1.0, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
TWO, THREE = [0, 1, 0, 1], [0, 1, 2, 1]


def _learners() -> list[Any]:
    return [
        *(Perceptron(keep=keep, max_iter=3) for keep in ("last", "average", "pocket", "vote")),
        Perceptron(multiclass="joint", max_iter=3),
        Perceptron(order="random", random_state=0, max_iter=3),
        Perceptron(certify=True, max_iter=3),
        PassiveAggressive(max_iter=3),
        Winnow(max_iter=3),
        KernelPerceptron(kernel="rbf", max_iter=3),
        KernelPerceptron(kernel="linear", budget=2, max_iter=3),
        MaxMargin(),
    ]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("damaged", DAMAGED)
@pytest.mark.parametrize("learner", _learners(), ids=lambda learner: str(learner))
def test_learners_reject_indices_outside_the_matrix(learner: Any, damaged: Any) -> None:
    for y in (TWO, THREE):
        with pytest.raises(InputError, match="not a valid sparse matrix"):
            clone(learner).fit(damaged(), y)
        model = clone(learner).fit(GOOD, y)
        methods = [model.predict, model.decision_function, partial(model.score, y=y)]
        if hasattr(model, "partial_fit"):
            stream = model.partial_fit(GOOD, y, classes=[0, 1, 2][: len(set(y))])
            methods.append(partial(stream.partial_fit, y=y))
        for method in methods:
            with pytest.raises(InputError, match="not a valid sparse matrix"):
                method(damaged())


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("learner", _learners(), ids=lambda learner: str(learner))
def test_single_samples_with_bad_indices_are_rejected(learner: Any) -> None:
    model = clone(learner).fit(GOOD, TWO)
    one = sp.csr_array((np.ones(3), [0, 2**30, 2], [0, 3]), shape=(1, 3))
    flat = sp.csr_array(np.array([1.0, 1, 1]))
    flat.indices[1] = 2**30
    column = sp.csc_array(np.ones((1, 3)))
    column.indices[1] = 2**30
    short = sp.csr_array(np.ones((1, 3)))
    short.indptr[1] = 2**30
    beyond = sp.csr_array(np.ones((1, 3)))
    assert beyond.has_canonical_format
    beyond.indices[2] = 3  # the column of the intercept
    for x in (one, flat, column, short, beyond):
        if hasattr(model, "predict_one"):
            model.predict_one(GOOD[0])
            with pytest.raises(InputError, match="not a valid sparse matrix"):
                model.predict_one(x)
        if hasattr(model, "learn_one"):
            with pytest.raises(InputError, match="not a valid sparse matrix"):
                model.learn_one(x, 1)
            model.learn_one(GOOD[0], 0)


ENTRIES = {
    "cross_validate": lambda X: cross_validate(Perceptron(), X, TWO, cv=2),
    "cross_validate, fold by fold": lambda X: cross_validate(Winnow(), X, TWO, cv=2),
    "separate": lambda X: separate(X, TWO),
    "separate, affine": lambda X: separate(X, TWO, margin="affine"),
    "separate, three classes": lambda X: separate(X, THREE),
    "separate_jointly": lambda X: separate_jointly(ask(X, THREE)),
    "separate_in_feature_space": lambda X: separate_in_feature_space(X, TWO, degree=2),
    "trace": lambda X: trace(X, TWO, max_iter=2),
    "perceptron_criterion": lambda X: perceptron_criterion([1, 1, 1], X, TWO),
    "ledger": lambda X: Perceptron(record=True).fit(GOOD, TWO).ledger_.replay(X, TWO),
    "lengths": bounds.sample_lengths,
    "geometric_margin": lambda X: bounds.geometric_margin(X, TWO, [1, 1, 1]),
    "deviations": lambda X: bounds.deviations(X, TWO, [1, 1, 1], margin=1.0),
    "margin_class": lambda X: bounds.margin_class(X, TWO, 0.1),
    "in_general_position": in_general_position,
    "separable_dichotomies": lambda X: list(separable_dichotomies(X)),
    "labels": lambda X: Perceptron().fit(GOOD, X),
    "labels of a stream": lambda X: Perceptron().partial_fit(GOOD, X),
}


@pytest.mark.parametrize("damaged", DAMAGED)
@pytest.mark.parametrize("entry", ENTRIES)
def test_functions_reject_bad_indices(entry: str, damaged: Any) -> None:
    with pytest.raises(InputError, match="not a valid sparse matrix"):
        ENTRIES[entry](damaged())


@pytest.mark.parametrize("damaged", DAMAGED)
def test_certificate_checker_rejects_bad_indices(damaged: Any) -> None:
    certificate = separate(GOOD, TWO).certificate
    assert "not a valid sparse matrix" in certificate.falsehood(damaged(), TWO)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("classes.labels", np.array([1, 0])),
        ("classes.labels", np.array([[0, 1]])),
        ("mistakes", np.array([1.0])),
        ("origin", np.zeros(9)),
        ("weights", np.zeros((1, 9))),
        ("classes.is_open", 1),
        ("rate", {"float": "-0x1p0"}),
    ],
)
def test_inconsistent_model_file(tmp_path: Path, place: str, value: Any) -> None:
    def change(document: dict, tensors: dict) -> None:
        if isinstance(value, np.ndarray):
            tensors[f"learned.{place}"] = value
        else:
            learned = document["learned"]["learned"]
            part = learned["classes"]["classes"] if "classes" in place else learned
            part[place.rpartition(".")[2]] = value

    saved_with(Perceptron().fit(np.eye(3), LABELS), tmp_path / "model", change)
    with pytest.raises(InputError, match="does not describe a model"):
        load(tmp_path / "model")


@pytest.mark.parametrize("steps", [np.ones((1, 0)), np.ones((2, 3)), np.ones((1, 3), np.float32)])
def test_inconsistent_ledger(steps: np.ndarray) -> None:
    ledger = Perceptron(record=True).fit(np.eye(3), LABELS).ledger_
    with pytest.raises(InputError, match="do not fit together"):
        type(ledger)(**{**vars(ledger), "steps": steps})
    with pytest.raises(InputError, match="do not fit together"):
        type(ledger)(**{**vars(ledger), "sequences": [np.array([99])]})


def test_ledger_is_replayed_only_on_its_labels() -> None:
    ledger = Perceptron(record=True).fit(np.eye(3), LABELS).ledger_
    with pytest.raises(InputError, match="'0', which the recorded run did not have"):
        ledger.replay(np.eye(3), ["0", "1", "0"])
    with pytest.raises(InputError, match="3 features"):
        Perceptron(record=True).fit(np.eye(3)[:, :2], LABELS).ledger_.replay(np.eye(3), LABELS)


@pytest.mark.parametrize("value", [10**400, -(10**400)])
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (Perceptron, "eta0"),
        (PassiveAggressive, "C"),
        (PassiveAggressive, "tol"),
        (Winnow, "promotion"),
        (Winnow, "threshold"),
        (KernelPerceptron, "gamma"),
        (KernelPerceptron, "coef0"),
        (KernelPerceptron, "cache_size"),
        (MaxMargin, "tolerance"),
        (MaxMargin, "time_limit"),
    ],
)
def test_integers_beyond_float64(kind: type, name: str, value: int) -> None:
    with pytest.raises(InputError, match=f"^{name}=.* is not accepted"):
        kind(**{name: value}).fit(np.eye(3), LABELS)


def test_integers_beyond_float64_in_other_functions() -> None:
    with pytest.raises(InputError, match=r"class_weight=.* is not accepted"):
        Perceptron(class_weight={0: 10**400}).fit(np.eye(3), LABELS)
    with pytest.raises(InputError, match=r"tolerance=.* is not accepted"):
        separate(np.eye(3), LABELS, tolerance=10**400)
    with pytest.raises(InputError, match="is not accepted"):
        mistake_bound(10**400, 1.0)


def test_zero_weights_everywhere() -> None:
    with pytest.raises(InputError, match="there is nothing to learn"):
        Perceptron(class_weight={0: 0, 1: 0}).fit(np.eye(3), LABELS)
    with pytest.raises(InputError, match="classes is empty"):
        Perceptron().partial_fit(np.eye(3), LABELS, classes=[])
    assert Perceptron(class_weight={}).partial_fit(np.eye(3), LABELS).n_mistakes_ > 0


def test_history_counts_the_mistakes_of_each_call() -> None:
    p = Perceptron(fit_intercept=False)
    p.partial_fit([[1.0]], ["a"]).partial_fit([[-1.0]], ["b"])
    p.partial_fit([[2.0]], ["c"])
    assert ((p.history_.mistakes >= 0) & (p.history_.mistakes <= 3)).all()


def test_prediction_does_not_depend_on_later_parameters() -> None:
    p = Perceptron().fit([[1.0], [2.0], [5.0]], [0, 0, 1])
    before = p.predict([[1.0], [4.9]]).tolist()
    assert p.set_params(fit_intercept=False).predict([[1.0], [4.9]]).tolist() == before


def test_labels_in_another_byte_order(tmp_path: Path) -> None:
    model = Perceptron().fit(np.eye(3), np.array([1, 2, 3], dtype=">i8"))
    save(model, tmp_path / "model")
    assert load(tmp_path / "model").predict(np.eye(3)).tolist() == [1, 2, 3]
