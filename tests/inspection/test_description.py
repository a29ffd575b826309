"""Descriptions of models: parameters, run, columns and weights."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Perceptron as OtherPerceptron
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from rosenblatt import InputError, KernelPerceptron, Perceptron, TableEncoder, describe
from strategies import TENTHS, matrices

TABLE = pd.DataFrame(
    {
        "size": [1.0, np.nan, 300.0, 5.0],
        "town": ["Rome", "Oslo", "Rome", "Bern"],
        "day": ["2020-01-01", "2020-02-01", "2020-03-01", "2020-03-01"],
        "note": ["one word", "two words", "one word", ""],
        "name": ["a", "b", "c", "d"],
    }
)
Y = ["yes", "no", "yes", "no"]


def test_a_pipeline_is_described() -> None:
    encoder = TableEncoder(text=["note"], min_count=2)
    model = make_pipeline(encoder, StandardScaler(with_mean=False), Perceptron(eta0=0.5))
    found = describe(model.fit(TABLE, Y), {"samples": 4, "seconds": 0.5, "other": 1})
    assert (found.name, found.parameters) == ("Perceptron", {"eta0": 0.5})
    assert [step["class"] for step in found.steps] == ["TableEncoder", "StandardScaler"]
    assert found.steps[0]["parameters"] == {"text": ["note"], "min_count": 2}
    assert found.run["outcome"] == "SEPARATED"
    assert (found.run["samples"], found.run["seconds"]) == (4, 0.5)
    columns: Any = {column["name"]: column for column in found.columns}
    assert columns["size"]["fill"] == 102.0
    assert columns["size"]["missing"] == 1
    assert (columns["town"]["values"], columns["town"]["rare"]) == (("Rome",), ("Bern", "Oslo"))
    assert columns["day"]["dates"] == "ISO 8601"
    assert columns["note"]["width"] == columns["note"]["words"] > 0
    assert columns["name"]["reason"].startswith("an id: ")
    (weights,) = found.weights
    assert set(weights.features) == set(encoder.get_feature_names_out().tolist())
    assert found.n_features == len(weights.features)


@pytest.mark.filterwarnings("ignore:max_iter")
@given(
    X=matrices(TENTHS, st.integers(3, 6), st.integers(1, 5)),
    n_classes=st.integers(2, 3),
    has_names=st.booleans(),
)
@settings(max_examples=40)
def test_weights_are_complete_and_sorted(X: np.ndarray, n_classes: int, has_names: bool) -> None:
    model = Perceptron(max_iter=2).fit(X, np.arange(len(X)) % n_classes)
    names = [f"column {k}" for k in range(X.shape[1])]
    found = describe(model, {"feature_names": names} if has_names else {})
    assert len(found.weights) == (1 if n_classes == 2 else 3)
    for k, one in enumerate(found.weights):
        assert one.label == (1 if n_classes == 2 else k)
        assert (np.diff(np.abs(one.values)) <= 0.0).all()
        index = {(names[j] if has_names else f"x{j}"): j for j in range(X.shape[1])}
        assert [model.coef_[k, index[name]] for name in one.features] == one.values.tolist()
        assert one.intercept == model.intercept_[k]


def test_models_without_weights_say_why() -> None:
    X, y = [[0.0], [1.0]], [0, 1]
    found = describe(KernelPerceptron().fit(X, y))
    assert found.weights == []
    assert "a sum over support samples" in found.no_weights
    assert found.facts()["no_weights"] == found.no_weights
    assert "vote" in describe(Perceptron(keep="vote").fit(X, y)).no_weights


def test_learners_and_steps_of_other_libraries() -> None:
    X, y = [[0.0], [1.0]], [0, 1]
    with pytest.raises(InputError, match="not one of rosenblatt's learners"):
        describe(OtherPerceptron().fit(X, y))
    found = describe(make_pipeline(PolynomialFeatures(), Perceptron()).fit(X, y))
    assert "'polynomialfeatures', of the class PolynomialFeatures" in found.no_weights


def test_unfitted_models_are_refused() -> None:
    with pytest.raises(InputError, match="this Pipeline has not learned anything yet"):
        describe(make_pipeline(StandardScaler(), Perceptron()))
