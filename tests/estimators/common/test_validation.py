"""Errors for bad parameters and bad input."""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from rosenblatt import (
    InputError,
    KernelPerceptron,
    MaxMargin,
    PassiveAggressive,
    Perceptron,
    separate,
)

X = [[1.0, 2.0], [-1.0, 3.0], [0.0, 1.0]]
y = [1, 0, 1]

BAD_PARAMETERS = {
    "fit_intercept": ["yes", 1, None],
    "max_iter": [0, -1, 1.5, True, "10", None],
    "eta0": [0, -0.5, np.nan, np.inf, "1", True, None],
    "order": ["sorted", 1, None],
    "ties": ["zero", 0, None],
    "class_weight": ["heavy", 5, {0: -1.0, 1: 1.0}, {0: np.nan}, {0: "much"}],
    "random_state": ["seed", 1.5],
    "record": [1, "all"],
}
CASES = [(name, value) for name, values in BAD_PARAMETERS.items() for value in values]


@pytest.mark.parametrize(("name", "value"), CASES)
@pytest.mark.parametrize("method", ["fit", "partial_fit", "learn_one"])
def test_bad_parameters(name: str, value: object, method: str) -> None:
    p = Perceptron(**{name: value})
    samples = (X[0], y[0]) if method == "learn_one" else (X, y)
    with pytest.raises(ValueError, match=name) as caught:
        getattr(p, method)(*samples)
    assert "\n" not in str(caught.value)
    assert not hasattr(p, "classes_")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"coef_init": [[1.0]]}, r"coef_init has shape \(1, 1\), but this data needs \(1, 2\)"),
        ({"coef_init": [[np.nan, 1.0]]}, "coef_init and intercept_init must be finite"),
        ({"intercept_init": [1.0, 2.0]}, r"intercept_init has shape \(2,\)"),
        ({"intercept_init": [np.inf]}, "coef_init and intercept_init must be finite"),
        ({"sample_weight": [1.0, 2.0]}, r"sample_weight has shape \(2,\), but X has 3 rows"),
        ({"sample_weight": [1.0, -2.0, 1.0]}, "sample_weight must be finite and at least 0"),
        ({"sample_weight": [1.0, np.nan, 1.0]}, "sample_weight must be finite and at least 0"),
        ({"sample_weight": [0.0, 0.0, 0.0]}, "sample_weight is zero everywhere"),
    ],
)
def test_bad_arguments(given: dict, message: str) -> None:
    p = Perceptron()
    with pytest.raises(InputError, match=message):
        p.fit(X, y, **given)
    assert not hasattr(p, "classes_")


UNKNOWN = r"class_weight has the key 'c', but the classes are \['a', 'b'\]"


@pytest.mark.parametrize("class_weight", [{"c": 2.0}, {"a": 1.0, "b": 1.0, "c": 2.0}])
def test_weight_of_an_unknown_class(class_weight: dict) -> None:
    p = Perceptron(class_weight=class_weight)
    with pytest.raises(InputError, match=UNKNOWN):
        p.fit(X, ["a", "b", "a"])
    with pytest.raises(InputError, match=UNKNOWN):
        p.partial_fit(X, ["a", "b", "a"], classes=["a", "b"])
    assert not hasattr(p, "classes_")
    p.partial_fit(X, ["a", "b", "a"], classes=["a", "b", "c"])
    with pytest.raises(InputError, match=r"the key 2, but the classes are \[0, 1\]"):
        Perceptron(class_weight={2: 1.0}).fit(X, [[0, 1], [1, 0], [1, 1]])


def test_streams_accept_weights_of_future_classes() -> None:
    stream = Perceptron(class_weight={"c": 2.0}).partial_fit(X, ["a", "b", "a"])
    began_open = Perceptron().partial_fit(X, ["a", "b", "a"]).set_params(class_weight={"c": 2.0})
    for p in (stream, began_open):
        p.partial_fit(X[:1], ["a"]).learn_one(X[0], "b").learn_one(X[1], "c")
        assert p.classes_.tolist() == ["a", "b", "c"]


def test_intercept_init_without_intercept() -> None:
    with pytest.raises(InputError, match="fit_intercept=False learns no intercept"):
        Perceptron(fit_intercept=False).fit(X, y, intercept_init=[1.0])


def test_one_class_is_not_enough() -> None:
    with pytest.raises(InputError, match=r"y has only one class, .*needs at least two classes"):
        Perceptron().fit(X, ["rock"] * 3)


@pytest.mark.parametrize("n_features", [1, 3])
def test_other_features_at_prediction(n_features: int) -> None:
    p = Perceptron().fit(X, y)
    with pytest.raises(ValueError, match=f"{n_features} features, but Perceptron is expecting 2"):
        p.predict(np.ones((1, n_features)))
    with pytest.raises(InputError, match=f"{n_features} features, but Perceptron is expecting 2"):
        p.predict_one(np.ones(n_features))


def test_step_too_large_for_float64() -> None:
    p = Perceptron(max_iter=1)
    with pytest.raises(InputError):
        p.fit([[1.0], [1e10]], [1, 0], sample_weight=[1.0, 1e300])


TEXTS = pd.DataFrame({"age": [1.0, 2.0, 3.0], "town": ["Rome", "Oslo", "Rome"]})
FRAMES = [
    TEXTS,
    TEXTS.astype({"town": "category"}),
    TEXTS.assign(town=pd.date_range("2020-01-01", periods=3)),
    pa.Table.from_pandas(TEXTS),
]


@pytest.mark.parametrize("frame", FRAMES)
def test_text_columns_point_to_the_encoder(frame: Any) -> None:
    message = "column 'town' of X contains text or dates: .*TableEncoder"
    for learner in (Perceptron(), MaxMargin(), KernelPerceptron(), PassiveAggressive()):
        with pytest.raises(InputError, match=message):
            learner.fit(frame, y)
    with pytest.raises(InputError, match=message):
        Perceptron().partial_fit(frame, y)
    with pytest.raises(InputError, match=message):
        separate(frame, y)
    with pytest.raises(InputError, match="TableEncoder"):
        Perceptron().fit(TEXTS.to_numpy(), y)
