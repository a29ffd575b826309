"""The JSON of a model has all its numbers, and its weights by name."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline

from model_files import parts_of_file
from rosenblatt import KernelPerceptron, MaxMargin, Perceptron, TableEncoder, Winnow
from rosenblatt.io.models.json_model import write_json
from rosenblatt.io.models.model_file import write

X = np.array([[0.1, 2.0], [1.5, 0.3], [-0.7, 0.2], [-1.0, -2.0]])
Y = ["yes", "yes", "no", "no"]

MODELS: dict[str, Callable[[], Any]] = {
    "certified": lambda: Perceptron(certify=True).fit(X, Y),
    "not fitted": lambda: Perceptron(eta0=np.float64(0.5)),
    "kernel": lambda: KernelPerceptron(budget=2, kernel="rbf").partial_fit(sp.csr_matrix(X), Y),
    "Winnow": lambda: Winnow(variant="balanced").fit(X / 2, Y),
    "float32": lambda: MaxMargin().fit(X.astype(np.float32), Y),
    "not finite": lambda: make_pipeline(TableEncoder(missing=[float("nan")]), Perceptron()),
    "dicts": lambda: Perceptron().learn_one({"ä": 1.0}, "a").learn_one({"b\n": 2.0}, "b"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_json_has_every_array_of_the_model_file(tmp_path: Path, model: Callable[[], Any]) -> None:
    learner = model()
    write(learner, tmp_path / "model", {}, record=True)
    write_json(learner, tmp_path / "model.json", {})
    text = (tmp_path / "model.json").read_text()
    found = arrays_in(json.loads(text, parse_constant=pytest.fail))
    _, tensors = parts_of_file(tmp_path / "model")
    assert sorted(map(repr, found)) == sorted(
        repr((one.dtype.name, one.shape, one.tobytes())) for one in tensors.values()
    )


def arrays_in(value: Any) -> list[tuple[str, tuple[int, ...], bytes]]:
    """Return all arrays in a document."""
    if isinstance(value, list):
        return [found for part in value for found in arrays_in(part)]
    if not isinstance(value, dict):
        return []
    if value.keys() == {"dtype", "shape", "values"}:
        array = np.array(value["values"], value["dtype"]).reshape(value["shape"])
        return [(value["dtype"], array.shape, array.tobytes())]
    return arrays_in(list(value.values()))


def test_weights_by_name(tmp_path: Path) -> None:
    model = Perceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "ja, ü"][::-1])
    write_json(model, tmp_path / "model.json", {"feature_names": ["length", "width"]})
    text = (tmp_path / "model.json").read_text()
    document = json.loads(text)
    (weights,) = document["weights"]
    assert weights["class"] == "no"
    assert weights["weights"] == [["length", model.coef_[0, 0]], ["width", model.coef_[0, 1]]]
    assert '"ja, ü"' in text
