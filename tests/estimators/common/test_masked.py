"""Masked entries are hidden, so no learner learns from the numbers behind the mask."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from rosenblatt import (
    InputError,
    KernelPerceptron,
    MaxMargin,
    PassiveAggressive,
    Perceptron,
    TableEncoder,
    Winnow,
    decide_and_learn,
    separate,
    separate_in_feature_space,
)
from rosenblatt.bounds import radius

X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
MASKED = np.ma.masked_array(X, mask=[[0, 1], [0, 0], [0, 0], [0, 0]])
Y = [1, 0, 1, 0]

CALLS: dict[str, Any] = {
    "Perceptron": lambda X: Perceptron().fit(X, Y),
    "joint": lambda X: Perceptron(multiclass="joint").fit(X, Y),
    "MaxMargin": lambda X: MaxMargin().fit(X, Y),
    "PassiveAggressive": lambda X: PassiveAggressive().fit(X, Y),
    "Winnow": lambda X: Winnow().fit(X, Y),
    "KernelPerceptron": lambda X: KernelPerceptron().fit(X, Y),
    "partial_fit": lambda X: Perceptron().partial_fit(X, Y, classes=[0, 1]),
    "few rows": lambda X: Perceptron().fit(np.asarray(X), Y).partial_fit(X[:1], Y[:1]),
    "learn_one": lambda X: Perceptron().learn_one(X[0], 1),
    "fit_stream": lambda X: Perceptron().fit_stream([(X, Y)]),
    "predict": lambda X: Perceptron().fit(np.asarray(X), Y).predict(X),
    "predict_one": lambda X: Perceptron().fit(np.asarray(X), Y).predict_one(X[0]),
    "separate": lambda X: separate(X, Y),
    "in feature space": lambda X: separate_in_feature_space(X, Y, degree=2),
    "decide_and_learn": lambda X: decide_and_learn(X, Y),
    "TableEncoder": lambda X: TableEncoder().fit(list(X)),
    "radius": radius,
}


@pytest.mark.parametrize("call", CALLS)
def test_masked_samples_are_refused(call: str) -> None:
    with pytest.raises(InputError, match="has masked values: fill them in, or leave"):
        CALLS[call](MASKED)


@pytest.mark.parametrize("call", sorted(CALLS.keys() - {"few rows", "learn_one", "predict_one"}))
def test_lists_of_masked_rows_are_refused(call: str) -> None:
    with pytest.raises(InputError, match="X has masked values"):
        CALLS[call](list(MASKED))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("call", CALLS)
def test_a_mask_that_hides_nothing_changes_nothing(call: str) -> None:
    CALLS[call](np.ma.masked_array(X, mask=False))


def test_masked_labels_and_weights_are_refused() -> None:
    hidden = np.ma.masked_array(Y, mask=[1, 0, 0, 0])
    with pytest.raises(InputError, match="y has masked values"):
        Perceptron().fit(X, hidden)
    with pytest.raises(InputError, match="y has masked values"):
        separate(X, hidden)
    with pytest.raises(InputError, match="sample_weight has masked values"):
        Perceptron().fit(X, Y, sample_weight=hidden)


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64, object, "M8[ns]", "U9"])
def test_masked_cells_of_a_table_are_missing(kind: Any) -> None:
    values = np.array([[5, 1], [7, 2], [6, 3], [5, 3]]).astype(
        "M8[ns]" if kind == "M8[ns]" else kind
    )
    table = np.ma.masked_array(values, mask=[[1, 0], [0, 0], [0, 0], [0, 0]])
    plain = pd.DataFrame(values, columns=[0, 1]).astype(object)
    plain.iloc[0, 0] = None
    encoder = TableEncoder(scale="none").fit(table)
    assert encoder.missing_counts_ == {"x0": 1}
    expected = TableEncoder(scale="none").fit(plain.infer_objects()).transform(plain)
    np.testing.assert_array_equal(encoder.transform(table), expected)


def test_a_learned_encoder_does_not_pass_masked_cells_through() -> None:
    encoder = TableEncoder(scale="none").fit(X)
    assert encoder.transform(MASKED)[0].tolist() == [1.0, 0.5]
