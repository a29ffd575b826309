"""Input that lies about itself is refused before compiled code, which checks no bounds, believes it."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import (
    AssociationLayer,
    CriterionDescent,
    InputError,
    KernelPerceptron,
    MaxMargin,
    PassiveAggressive,
    Perceptron,
    Winnow,
    load,
    save,
    separate,
)
from rosenblatt.bounds import mistake_bound
from rosenblatt.model_file import write

LABELS = [0, 1, 0]


def _with_indices(*indices: int) -> sp.csr_array:
    return sp.csr_array((np.array([1.0, 2, 3]), np.array(indices), np.arange(4)), shape=(3, 2))


@pytest.mark.parametrize("indices", [(0, 1, 10**8), (0, 77, 1), (0, -5, 1), (0, 1, 2)])
def test_columns_that_are_not_there(indices: tuple[int, ...]) -> None:
    X = _with_indices(*indices)
    model = Perceptron().fit(np.eye(3)[:, :2], LABELS)
    many = Perceptron().fit(np.eye(3)[:, :2], [0, 1, 2])
    for order in ("cyclic", "random"):
        with pytest.raises(InputError, match="columns that X does not have"):
            Perceptron(order=order, random_state=0).fit(X, LABELS)
    for refuse in (Perceptron().partial_fit, model.partial_fit):
        with pytest.raises(InputError, match="columns that X does not have"):
            refuse(X, LABELS)
    for predict in (model.predict, many.predict):
        with pytest.raises(InputError, match="columns that X does not have"):
            predict(X)


def test_rows_that_are_not_there() -> None:
    X = _with_indices(0, 1, 0)
    X.indptr[1] = 10**9
    with pytest.raises(InputError, match="no valid CSR matrix"):
        Perceptron().fit(X, LABELS)


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("classes_", np.array([1, 0])),
        ("classes_", np.array([[0, 1]])),
        ("_mistakes", np.array([1.0])),
        ("_open", 1),
        ("_origin", np.zeros(9)),
        ("_weights", np.zeros((1, 9))),
        ("_unit", -1.0),
    ],
)
def test_a_model_file_whose_parts_do_not_fit(tmp_path: Path, attribute: str, value: object) -> None:
    model = Perceptron().fit(np.eye(3), LABELS)
    del model.ledger_
    setattr(model, attribute, value)
    write(model, tmp_path / "model", {}, record=True)
    with pytest.raises(InputError, match="does not describe a model"):
        load(tmp_path / "model")


@pytest.mark.parametrize("steps", [np.ones((1, 0)), np.ones((2, 3)), np.ones((1, 3), np.float32)])
def test_a_ledger_whose_parts_do_not_fit(steps: np.ndarray) -> None:
    ledger = Perceptron(record=True).fit(np.eye(3), LABELS).ledger_
    with pytest.raises(InputError, match="do not fit together"):
        type(ledger)(**{**vars(ledger), "steps": steps})
    with pytest.raises(InputError, match="do not fit together"):
        type(ledger)(**{**vars(ledger), "sequences": [np.array([99])]})


def test_a_ledger_is_replayed_on_its_own_labels() -> None:
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
        (CriterionDescent, "tol"),
        (AssociationLayer, "threshold"),
    ],
)
def test_a_whole_number_that_no_float_can_hold(kind: type, name: str, value: int) -> None:
    with pytest.raises(InputError, match=f"^{name}=.* is not accepted"):
        kind(**{name: value}).fit(np.eye(3), LABELS)


def test_such_numbers_elsewhere() -> None:
    with pytest.raises(InputError, match=r"class_weight=.* is not accepted"):
        Perceptron(class_weight={0: 10**400}).fit(np.eye(3), LABELS)
    with pytest.raises(InputError, match=r"tolerance=.* is not accepted"):
        separate(np.eye(3), LABELS, tolerance=10**400)
    with pytest.raises(InputError, match="is not accepted"):
        mistake_bound(10**400, 1.0)


def test_weights_that_leave_nothing_to_learn() -> None:
    with pytest.raises(InputError, match="there is nothing to learn"):
        Perceptron(class_weight={0: 0, 1: 0}).fit(np.eye(3), LABELS)
    with pytest.raises(InputError, match="classes is empty"):
        Perceptron().partial_fit(np.eye(3), LABELS, classes=[])
    assert Perceptron(class_weight={}).partial_fit(np.eye(3), LABELS).n_mistakes_ > 0


def test_the_history_counts_what_each_call_did() -> None:
    p = Perceptron(start="random", random_state=2, fit_intercept=False)
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
