"""Contributions add up to the score for all kinds of models and tables."""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, Normalizer, PolynomialFeatures, StandardScaler

from made_tables import mixed_tables
from rosenblatt import (
    InputError,
    KernelPerceptron,
    MaxMargin,
    PassiveAggressive,
    Perceptron,
    TableEncoder,
    explain,
)
from rosenblatt.tables.columns import LeftOut
from strategies import TENTHS, matrices

X = np.array([[0.1, 2.0], [1.5, 0.3], [-0.7, 0.2], [-1.0, -2.0]])


def check_sum(model: Any, table: Any, row: int) -> None:
    found = explain(model, table, row)
    amounts = [one.amount for one in found.contributions] + [found.intercept]
    assert sum(amounts) == pytest.approx(found.score, rel=1e-9, abs=1e-9 * max(map(abs, amounts)))
    scores = model.decision_function(table)[row]
    assert list(found.scores.values()) == pytest.approx(np.atleast_1d(scores).tolist(), abs=1e-9)
    assert found.prediction == model.predict(table)[row]
    if len(found.scores) > 1:
        first, second = sorted(found.scores.values(), reverse=True)[:2]
        assert found.lead == pytest.approx(first - second)
        assert found.scores[found.rival] == second


@pytest.mark.filterwarnings("ignore:max_iter")
@given(
    samples=matrices(TENTHS, st.integers(3, 6), st.integers(1, 5)),
    n_classes=st.integers(2, 3),
    scaler=st.sampled_from([None, StandardScaler(), MinMaxScaler(), Normalizer()]),
    sparse=st.booleans(),
    data=st.data(),
)
@settings(max_examples=50)
def test_contributions_of_numbers_add_up(
    samples: np.ndarray, n_classes: int, scaler: Any, sparse: bool, data: st.DataObject
) -> None:
    learner = Perceptron(max_iter=2, keep=data.draw(st.sampled_from(["last", "average"])))
    model = learner if scaler is None else make_pipeline(scaler, learner)
    model.fit(samples, np.arange(len(samples)) % n_classes)
    table = sp.csr_array(samples) if sparse and scaler is None else samples
    check_sum(model, table, data.draw(st.integers(0, len(samples) - 1)))


@pytest.mark.filterwarnings("ignore:max_iter")
@pytest.mark.parametrize(
    "form", ["pandas", pytest.param("polars", marks=pytest.mark.extra("polars")), "arrow"]
)
@given(table=mixed_tables())
@settings(max_examples=40)
def test_contributions_of_columns_add_up(table: pd.DataFrame, form: str) -> None:
    encoder = TableEncoder(text=["note"], min_count=1)
    model = make_pipeline(encoder, Perceptron(max_iter=2)).fit(table, np.arange(len(table)) % 3)
    given_as: Any = table
    if form != "pandas":
        arrow = pa.Table.from_pandas(table.iloc[:, ::-1], preserve_index=False)
        given_as = arrow
    if form == "polars":
        given_as = pytest.importorskip("polars").from_arrow(arrow)
    check_sum(model, given_as, len(table) - 1)
    found = explain(model, given_as, 0)
    used = [one.name for one in encoder.columns_ if not isinstance(one, LeftOut)]
    assert "id" not in used
    assert [one.column for one in found.contributions] == used
    assert isinstance(found.facts()["contributions"], list)


def test_other_learners() -> None:
    check_sum(MaxMargin().fit(X, [0, 0, 1, 1]), X, 1)
    check_sum(PassiveAggressive().fit(X, list("abcc")), X.tolist(), 1)
    check_sum(Perceptron().partial_fit(X, list("abcc")), X, 0)


def test_with_two_classes_the_score_is_that_of_the_second() -> None:
    found = explain(Perceptron().fit(X, ["yes", "yes", "no", "no"]), X, 2)
    assert (found.prediction, found.label, found.rival, found.lead) == ("no", "yes", "no", None)
    assert found.score < 0.0


def test_models_and_rows_that_cannot_be_explained() -> None:
    y = [0, 0, 1, 1]
    with pytest.raises(InputError, match="row=4 is not accepted: use a whole number from 0 to 3"):
        explain(Perceptron().fit(X, y), X, 4)
    with pytest.raises(InputError, match="a sum over support samples"):
        explain(KernelPerceptron().fit(X, y), X, 0)
    with pytest.raises(InputError, match="all hypotheses of its run vote"):
        explain(Perceptron(keep="vote").fit(X, y), X, 0)
    with pytest.raises(InputError, match="several labels"):
        explain(Perceptron().fit(X, np.column_stack([y, y])), X, 0)
    with pytest.raises(InputError, match="mixes columns"):
        explain(make_pipeline(PolynomialFeatures(), Perceptron()).fit(X, y), X, 0)


@pytest.mark.parametrize("scaler", [[], [StandardScaler(with_mean=False)]])
def test_words_of_a_text_add_up_to_its_column(scaler: list[Any]) -> None:
    table = pd.DataFrame(
        {"note": ["win a prize", "so soon", "win soon, win"], "age": [1.0, 2.0, 3.0]}
    )
    model = make_pipeline(TableEncoder(text=["note"], min_count=1), *scaler, Perceptron())
    model.fit(table, ["spam", "ham", "spam"])
    new = pd.DataFrame({"note": ["soon win a yacht"], "age": [1.0]})
    found = explain(model, new, 0)
    note, age = found.contributions
    assert {word for word, _ in note.words} == {"win", "soon"}  # never learned: yacht
    assert sum(amount for _, amount in note.words) == pytest.approx(note.amount)
    assert abs(note.words[0][1]) >= abs(note.words[1][1])
    assert age.words is None
    facts = {one["column"]: one for one in found.facts()["contributions"]}
    assert facts["note"]["words"] == [{"word": w, "contribution": c} for w, c in note.words]
    assert "words" not in facts["age"]
