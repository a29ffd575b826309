"""ONNX graphs give the same labels and scores as the models that they represent."""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)

from rosenblatt import (
    InputError,
    KernelPerceptron,
    MaxMargin,
    PassiveAggressive,
    Perceptron,
    TableEncoder,
    Winnow,
)
from rosenblatt.io.models.onnx_model import to_onnx

SCALERS = [
    StandardScaler(),
    StandardScaler(with_mean=False, with_std=False),
    MinMaxScaler((-1, 2), clip=True),
    MinMaxScaler(),
    MaxAbsScaler(),
    RobustScaler(),
    Normalizer("l1"),
    Normalizer("l2"),
    Normalizer("max"),
]
LEARNERS = [
    Perceptron(max_iter=3, keep="last"),
    Perceptron(max_iter=3, ties="negative", fit_intercept=False, keep="last"),
    Perceptron(max_iter=3, keep="average"),
    Perceptron(max_iter=3, keep="pocket"),
    PassiveAggressive(max_iter=3),
]
pytestmark = pytest.mark.extra("onnx", "onnxruntime")

WHOLE = hnp.arrays(
    np.float64, st.tuples(st.integers(4, 9), st.integers(1, 4)), elements=st.integers(-3, 3)
)


def session_of(model: Any) -> Any:
    import onnxruntime

    return onnxruntime.InferenceSession(to_onnx(model).SerializeToString())


def outputs(model: Any, feed: dict[str, Any]) -> list[Any]:
    session = session_of(model)
    found: list[Any] = session.run(["label", "scores"], feed)
    return found


def check_same(model: Any, X: np.ndarray) -> None:
    labels, scores = outputs(model, {"X": X})
    own = model.decision_function(X)
    assert np.allclose(scores, own, rtol=1e-9, atol=1e-9)
    assert scores.shape == own.shape
    # labels may differ only where rounding may have decided
    gap = np.abs(own)
    if own.ndim == 2 and labels.ndim == 1:
        highest = np.sort(own, axis=1)
        gap = highest[:, -1] - highest[:, -2]
    sure = gap > 1e-6 * (1.0 + np.abs(own).max())
    assert labels[sure].tolist() == model.predict(X)[sure].tolist()


def labels_of(n: int, kind: str) -> Any:
    y = np.arange(n) % (3 if kind == "three" else 2)
    return {
        "int": y - 1,
        "three": np.array(["a", "b", "c"])[y],
        "bool": y == 1,
        "float": y - 2.0,
        "text": np.array(["nein", "ja", ""], dtype=object)[y],
        "columns": np.column_stack([y, 1 - y]),
    }[kind]


@pytest.mark.filterwarnings("ignore")
@given(
    X=WHOLE,
    kind=st.sampled_from(["int", "three", "bool", "float", "text", "columns"]),
    learner=st.sampled_from([one for one in LEARNERS[:4] if one.keep != "average"]),
)
@settings(max_examples=40)
def test_whole_numbers_are_decided_exactly(X: np.ndarray, kind: str, learner: Any) -> None:
    model = learner.fit(X, labels_of(len(X), kind))
    labels, scores = outputs(model, {"X": X})
    predicted = model.predict(X)
    assert labels.tolist() == predicted.tolist()
    assert scores.tolist() == model.decision_function(X).tolist()
    assert labels.dtype == predicted.dtype or labels.dtype == object


@pytest.mark.filterwarnings("ignore")
@given(
    X=WHOLE.map(lambda X: X / 7),
    kind=st.sampled_from(["int", "three", "columns"]),
    learner=st.sampled_from(LEARNERS),
    scaler=st.sampled_from([*SCALERS, *(TableEncoder(scale=s) for s in ("standard", "unit"))]),
)
@settings(max_examples=50)
def test_scaled_numbers_are_decided_as_ours(
    X: np.ndarray, kind: str, learner: Any, scaler: Any
) -> None:
    if kind == "columns" and not isinstance(learner, Perceptron):
        kind = "three"
    assume((X[0] != X).any())  # at least one column is not excluded
    check_same(make_pipeline(scaler, learner).fit(X, labels_of(len(X), kind)), X)


def test_other_learners() -> None:
    X = np.array([[0.1, 0.9], [0.8, 0.3], [0.2, 0.2], [0.9, 1.0]])
    y = [0, 1, 0, 1]
    check_same(MaxMargin().fit(X, y), X)
    check_same(Winnow().fit(X, y), X)
    check_same(Perceptron(multiclass="joint").fit(X, [0, 1, 2, 1]), X)
    check_same(Perceptron().partial_fit(X, ["a", "a", "a", "b"]), X)


@pytest.mark.filterwarnings("ignore")
@given(
    X=hnp.arrays(
        np.float64,
        st.tuples(st.integers(4, 9), st.just(3)),
        elements=st.sampled_from([np.nan, -9.0, 0.5, 1.0, 40.0, 41.0]),
    )
)
@settings(max_examples=40)
def test_missing_numbers(X: np.ndarray) -> None:
    encoder = TableEncoder(missing={"x1": [-9, "none", 40.0]}, ignore=["x2"])
    model = make_pipeline(encoder, Perceptron(max_iter=3))
    X[0, :2], X[1, :2] = 0.5, [1.0, 41.0]
    check_same(model.fit(X, np.arange(len(X)) % 2), X)


def test_column_names_that_clash_with_graph_names() -> None:
    table = pd.DataFrame({"label": list("aabb"), "t1": [1.0, 2.0, 3.0, 1.5], "X": [4.0, 0, 1, 2]})
    model = make_pipeline(TableEncoder(min_count=1), Perceptron()).fit(table, [0, 0, 1, 1])
    session = session_of(model)
    feed = {name: table[[name]].to_numpy() for name in ("t1", "X")}
    feed["label"] = table[["label"]].astype(object).to_numpy()
    assert session.run(["label_"], feed)[0].tolist() == model.predict(table).tolist()


def test_categories_are_text_inputs() -> None:
    table = pd.DataFrame(
        {
            "town": ["Rome", "Oslo", None, "Rome", "Oslo", "Bern"],
            "size": [1.0, np.nan, 3.0, 40.0, 5.0, 6.0],
            "id": [f"row {k}" for k in range(6)],
            "state": ["x", "y", "x", "z", "z", "y"],
        }
    )
    model = make_pipeline(TableEncoder(min_count=2, missing={"state": ["y"]}), Perceptron())
    model.fit(table, ["a", "b", "c", "a", "b", "c"])
    table.loc[6] = ["Paris", 2.0, "new", "x"]  # an unknown category

    def feed() -> dict[str, Any]:
        texts = table[["town", "state"]].fillna("?").astype(object)
        return {
            "size": table[["size"]].to_numpy(),
            "town": texts[["town"]].to_numpy(),
            "state": texts[["state"]].to_numpy(),
        }

    labels, scores = outputs(model, feed())
    assert labels.tolist() == model.predict(table).tolist()
    assert np.allclose(scores, model.decision_function(table))


X = np.array([[0.1, 2.0], [1.5, 0.3], [-0.7, 0.2], [-1.0, -2.0]])
Y = [0, 0, 1, 1]


REFUSED: dict[str, Callable[[], Any]] = {
    "has not learned anything yet": Perceptron,
    "all hypotheses of its run vote": lambda: Perceptron(keep="vote").fit(X, Y),
    "a sum over support samples": lambda: KernelPerceptron().fit(X, Y),
    "is not one of rosenblatt's learners": lambda: StandardScaler().fit(X),
    "'polynomialfeatures', of the class PolynomialFeatures, mixes": lambda: make_pipeline(
        PolynomialFeatures(), Perceptron()
    ).fit(X, Y),
    "column 'x0' is free text": lambda: make_pipeline(TableEncoder(text=["x0"]), Perceptron()).fit(
        [["one word"], ["one more"], ["two words"], ["two more"]], Y
    ),
    "labels of type uint64": lambda: Perceptron().fit(
        X, np.array([2**63] * 2 + [1] * 2, np.uint64)
    ),
}


@pytest.mark.parametrize(("complaint", "model"), REFUSED.items(), ids=REFUSED)
def test_models_that_onnx_cannot_represent_are_refused(
    complaint: str, model: Callable[[], Any]
) -> None:
    with pytest.raises(InputError, match=complaint):
        to_onnx(model())


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(InputError, match=r"pip install 'rosenblatt\[onnx\]'"):
        to_onnx(Perceptron().fit(X, Y))
