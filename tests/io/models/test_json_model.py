"""Models survive the way to readable JSON and back, and JSON that is no model is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from made_tables import mixed_tables
from model_files import taken_apart
from rosenblatt import InputError, KernelPerceptron, MaxMargin, Perceptron, TableEncoder, Winnow
from rosenblatt.io.models.json_model import read_either, read_json, write_json
from rosenblatt.io.models.model_file import write
from strategies import MAGNITUDES, TENTHS, matrices

X = np.array([[0.1, 2.0], [1.5, 0.3], [-0.7, 0.2], [-1.0, -2.0]])
Y = ["yes", "yes", "no", "no"]
in_one_folder = settings(
    max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def check_round_trip(model: Any, folder: Path) -> None:
    """The model file of what comes back holds the same as that of the model."""
    notes = {"label_name": "kind", "array": 1, "float": [0.1, 1]}
    write(model, folder / "before", notes, record=True)
    write_json(model, folder / "model.json", notes)
    again, same_notes = read_either(folder / "model.json")
    write(again, folder / "after", same_notes, record=True)
    (document, tensors), (other, others) = map(taken_apart, (folder / "before", folder / "after"))
    assert repr(document) == repr(other)
    assert tensors.keys() == others.keys()
    for name, tensor in tensors.items():
        assert (tensor.dtype, tensor.shape) == (others[name].dtype, others[name].shape)
        assert tensor.tobytes() == others[name].tobytes()


@pytest.mark.filterwarnings("ignore:max_iter")
@given(
    samples=st.sampled_from([TENTHS, MAGNITUDES]).flatmap(
        lambda pool: matrices(pool, st.integers(2, 6), st.integers(1, 4))
    ),
    keep=st.sampled_from(["last", "average", "pocket", "vote"]),
    eta0=st.floats(1e-9, 1e9),
)
@in_one_folder
def test_every_bit_comes_back(tmp_path: Path, samples: np.ndarray, keep: str, eta0: float) -> None:
    y = np.arange(len(samples)) % 3
    model = Perceptron(keep=keep, eta0=eta0, max_iter=2, record=keep == "last").fit(samples, y)
    check_round_trip(model, tmp_path)


@pytest.mark.filterwarnings("ignore:max_iter")
@given(table=mixed_tables())
@in_one_folder
def test_tables_come_back(tmp_path: Path, table: Any) -> None:
    model = make_pipeline(
        TableEncoder(text=["note"]), StandardScaler(with_mean=False), Perceptron()
    )
    model.set_params(perceptron__max_iter=2).fit(table, np.arange(len(table)) % 2)
    check_round_trip(model, tmp_path)


MODELS: dict[str, Callable[[], Any]] = {
    "certified": lambda: Perceptron(certify=True).fit(X, Y),
    "not fitted": lambda: Perceptron(eta0=np.float64(0.5)),
    "kernel": lambda: KernelPerceptron(budget=2, kernel="rbf").partial_fit(sp.csr_matrix(X), Y),
    "Winnow": lambda: Winnow(variant="balanced").fit(X / 2, Y),
    "float32": lambda: MaxMargin().fit(X.astype(np.float32), Y),
    "dicts": lambda: Perceptron().learn_one({"ä": 1.0}, "a").learn_one({"b\n": 2.0}, "b"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_every_kind_of_model_comes_back(tmp_path: Path, model: Callable[[], Any]) -> None:
    check_round_trip(model(), tmp_path)


def test_people_find_the_weights_by_name(tmp_path: Path) -> None:
    model = Perceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "ja, ü"][::-1])
    write_json(model, tmp_path / "model.json", {"feature_names": ["length", "width"]})
    text = (tmp_path / "model.json").read_text()
    document = json.loads(text)
    (weights,) = document["weights"]
    assert weights["class"] == "no"
    assert weights["weights"] == [["length", model.coef_[0, 0]], ["width", model.coef_[0, 1]]]
    assert '"ja, ü"' in text


def forged(path: Path, *changes: tuple[tuple[Any, ...], Any]) -> None:
    """Change what is in a file of JSON."""
    document = json.loads(path.read_text())
    for (*places, last), value in changes:
        part = document
        for key in places:
            part = part[key]
        part[last] = value
    path.write_text(json.dumps(document))


WEIGHTS = ("model", "learned", "learned", "weights", "array")
INTERVAL = ("model", "run", "run", "margins", "list", 0, "interval", 1)


@pytest.mark.parametrize(
    ("place", "value", "complaint"),
    [
        (("format",), "other", "was not written by rosenblatt"),
        (("version",), "5", "version '5', but this rosenblatt reads version 4"),
        (("model",), [], "does not describe a model"),
        (("model", "class"), "os.system", "does not describe a model"),
        (("weights", 0, "intercept"), 7.0, '"weights" are there to be read'),
        ((*WEIGHTS, "values", 0, 0), 7.0, '"weights" are there to be read'),
        ((*WEIGHTS, "dtype"), "object", "an array of type 'object'"),
        ((*WEIGHTS, "dtype"), "float32", "does not describe a model"),
        ((*WEIGHTS, "dtype"), "int64", "do not have the shape"),
        ((*WEIGHTS, "shape"), [3, 1], "do not have the shape"),
        ((*WEIGHTS, "values"), [["1", 2.0, 3.0]], "do not have the shape"),
        ((*WEIGHTS, "values"), [["nan", 2.0, 3.0]], "not finite"),
        ((*WEIGHTS, "values"), [[1.0], [1.0, 2.0]], "does not describe a model"),
        ((*WEIGHTS, "unit"), 1.0, r"\['array'\] has 'unit', which says nothing"),
        (("weigths",), None, "document has 'weigths', which says nothing"),
        (INTERVAL, 2**60 + 1, r"is 1152921504606846977, which is read as 1\.152921504606847e\+18"),
        (INTERVAL, "1", "is '1', which is read as 1.0"),
    ],
)
def test_forged_json_is_refused(
    tmp_path: Path, place: tuple[Any, ...], value: Any, complaint: str
) -> None:
    path = tmp_path / "model.json"
    write_json(Perceptron(eta0=0.1).fit(X, Y), path, {})
    forged(path, (place, value))
    with pytest.raises(InputError, match=complaint):
        read_json(path)


def test_a_key_that_comes_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    write_json(Perceptron(order="cyclic").fit(X, Y), path, {})
    text = path.read_text().replace('"order": "cyclic"', '"order": "cyclic", "order": "shuffle"')
    path.write_text(text)
    with pytest.raises(
        InputError, match=r"model.json: this is not JSON \(the key 'order' comes twice"
    ):
        read_json(path)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"a": 1}', "null", '{"format": 1'])
def test_what_is_not_a_model_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "model.json").write_text(text)
    with pytest.raises(InputError, match=r"this is not JSON|was not written by rosenblatt"):
        read_json(tmp_path / "model.json")


def test_it_may_be_edited(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    write_json(Perceptron().fit(X, Y), path, {})
    forged(
        path,
        ((*WEIGHTS, "values"), [[4.0, 3.0, 2.5]]),
        (("weights", 0, "weights"), [["x0", 4.0], ["x1", 3.0]]),
        (("weights", 0, "intercept"), 2.5),
    )
    assert read_json(path)[0].coef_.tolist() == [[4.0, 3.0]]
