"""Traces have the same visits as `fit`, and their CSV reproduces the weights exactly."""

import csv
import io
import json
import re
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import InputError, Outcome, Perceptron, trace
from rosenblatt.lectures.trace import worked_example
from strategies import INTEGERS, labels, matrices, samples

WORKED_EXAMPLE = """\
epoch  sample       weights before  w·x  update  weights after  w·x after
-----  -----------  --------------  ---  ------  -------------  ---------
1      (1, 1, 1)    (1, 0, 0)       1    no      (1, 0, 0)      1
1      (1, 1, -1)   (1, 0, 0)       1    no      (1, 0, 0)      1
1      (1, 0, -1)   (1, 0, 0)       1    no      (1, 0, 0)      1
1      (-1, 1, 1)   (1, 0, 0)       -1   yes     (0, 1, 1)      2
1      (-1, 1, -1)  (0, 1, 1)       0    yes     (-1, 2, 0)     3
1      (-1, 0, -1)  (-1, 2, 0)      1    no      (-1, 2, 0)     1
2      (1, 1, 1)    (-1, 2, 0)      1    no      (-1, 2, 0)     1
2      (1, 1, -1)   (-1, 2, 0)      1    no      (-1, 2, 0)     1
2      (1, 0, -1)   (-1, 2, 0)      -1   yes     (0, 2, -1)     1
2      (-1, 1, 1)   (0, 2, -1)      1    no      (0, 2, -1)     1
2      (-1, 1, -1)  (0, 2, -1)      3    no      (0, 2, -1)     3
2      (-1, 0, -1)  (0, 2, -1)      1    no      (0, 2, -1)     1

An update raises w·x by ‖x‖².
Epoch 3 changes nothing.
Final weights (0, 2, -1): the line 2·x1 - x2 = 0."""


def test_the_table_of_the_lecture() -> None:
    assert worked_example().table() == WORKED_EXAMPLE


def test_the_last_epoch_is_in_the_data() -> None:
    run = worked_example()
    assert [visit.epoch for visit in run] == [1] * 6 + [2] * 6 + [3] * 6
    assert not any(visit.update for visit in run.visits[12:])
    assert run.outcome is Outcome.SEPARATED
    assert json.loads(json.dumps(run.to_dict()))["weights"] == [0, 2, -1]


@given(
    X=samples(),
    data=st.data(),
    parameters=st.fixed_dictionaries(
        {
            "order": st.sampled_from(["cyclic", "shuffle", "random"]),
            "ties": st.sampled_from(["mistake", "positive", "negative"]),
            "eta0": st.sampled_from([1.0, 0.25, 0.1]),
            "margin": st.sampled_from([0.0, 0.0, 1.5]),
            "fit_intercept": st.booleans(),
            "class_weight": st.sampled_from([None, {"b": 2.5}]),
            "random_state": st.integers(0, 9),
        }
    ),
)
def test_a_trace_has_the_visits_of_fit(
    X: np.ndarray, data: st.DataObject, parameters: dict
) -> None:
    y = data.draw(labels(len(X), ["a", "b"]))
    intercept = parameters["fit_intercept"]
    start = {"coef_init": data.draw(st.none() | st.just(np.linspace(-1, 1, X.shape[1])))}
    fitted = Perceptron(keep="last", record=True, max_iter=6, **parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted.fit(X, y, **start)
    run = trace(sp.csr_matrix(X), y, max_iter=6, **parameters, **start)
    mistakes, fitted_mistakes = [v.row for v in run if v.update], fitted.ledger_.sequences[0]
    if run.cycle is None:
        coef = list(fitted.coef_[0])
        assert mistakes == fitted_mistakes.tolist()
        assert list(run.weights) == ([fitted.intercept_[0], *coef] if intercept else coef)
        assert (run.outcome, run.visits[-1].epoch) == (fitted.outcome_, fitted.n_iter_)
    else:  # a fit may continue: it does not remember the weights of all epochs
        assert mistakes == fitted_mistakes[: len(mistakes)].tolist()
    for before, after in zip(run.visits, run.visits[1:], strict=False):
        assert before.weights_after == after.weights_before
        assert before.update or before.weights_after == before.weights_before


def test_more_than_two_classes_are_refused() -> None:
    with pytest.raises(InputError, match="3 classes: give samples of two classes"):
        trace([[0], [1], [2]], ["a", "b", "c"])


def test_equations_of_points_and_lines() -> None:
    plain = trace([[2.0], [-2.0]], [1, -1], fit_intercept=False)
    assert plain.table().endswith("Final weights (2): the point 2·x1 = 0.")
    shifted = trace([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    assert shifted.table().endswith("Final weights (-3, 1, 1): the line x1 + x2 - 3 = 0.")


@given(st.data(), st.sampled_from([1.0, 0.5, 4.0]))
def test_an_update_raises_the_score_by_the_rate_times_the_squared_length(
    data: st.DataObject, eta0: float
) -> None:
    X = data.draw(matrices(INTEGERS, st.integers(2, 6), st.integers(1, 3)))
    y = data.draw(labels(len(X), [0, 1]))
    run = trace(X, y, max_iter=4, eta0=eta0)
    for visit in run:
        squared = sum(value * value for value in visit.sample)
        assert visit.score_after == visit.score + eta0 * squared * visit.update
    rate = {1.0: "", 0.5: "0.5·", 4.0: "4·"}[eta0]
    assert (f"An update raises w·x by {rate}‖x‖²." in run.table()) == any(v.update for v in run)


@pytest.mark.parametrize(
    ("weights", "ending"),
    [
        ((0, [0, 0]), "Final weights (0, 0, 0): no line, because every score is 0."),
        (
            (2, [0, 0]),
            "Final weights (2, 0, 0): no line, because every sample is on the positive side.",
        ),
        (
            (-1, [0, 0]),
            "Final weights (-1, 0, 0): no line, because every sample is on the negative side.",
        ),
        ((0, [0, 3]), "Final weights (0, 0, 3): the line 3·x2 = 0."),
    ],
)
def test_the_summary_of_weights_without_a_line(
    weights: tuple[float, list[float]], ending: str
) -> None:
    end = replace(worked_example(), weights=(weights[0], *weights[1]))
    assert end.table().splitlines()[-1] == ending


def replayed(lines: list[dict[str, str]], eta0: float) -> np.ndarray:
    """Return the weights after applying the perceptron rule to all updates in a CSV file."""
    coordinates = [name.removeprefix("x") for name in lines[0] if name.startswith("x")]

    def vector(line: dict[str, str], name: str) -> np.ndarray:
        return np.array([float(line[f"{name}{k}"]) for k in coordinates])

    units = vector(lines[0], "before") / eta0
    for line in lines:
        assert (vector(line, "before") == eta0 * units).all()
        if line["update"] == "true":
            units = units + vector(line, "x")
        assert (vector(line, "after") == eta0 * units).all()
    return eta0 * units


@given(
    data=st.data(),
    X=samples(),
    eta0=st.sampled_from([1.0, 0.25, 0.1]),
    intercept=st.booleans(),
    order=st.sampled_from(["cyclic", "shuffle", "random"]),
)
def test_replaying_the_csv_yields_the_final_weights(
    data: st.DataObject,
    X: np.ndarray,
    eta0: float,
    intercept: bool,
    order: str,
) -> None:
    y = data.draw(labels(len(X), ["a", "b"]))
    run = trace(
        X,
        y,
        max_iter=3,
        eta0=eta0,
        fit_intercept=intercept,
        order=order,
        random_state=1,
    )
    text = run.to_csv()
    assert not re.search(r"-0\.0[,\n]", text)
    assert "\r" not in text
    lines = list(csv.DictReader(io.StringIO(text)))
    assert replayed(lines, eta0).tolist() == list(run.weights)
    assert [(int(line["epoch"]), int(line["row"])) for line in lines] == [
        (visit.epoch, visit.row) for visit in run
    ]
    assert [float(line["score"]) for line in lines] == [visit.score for visit in run]
    assert [float(line["score_after"]) for line in lines] == [visit.score_after for visit in run]


def test_replaying_the_csv_from_a_given_start() -> None:
    run = trace([[0.3], [-0.1]], [1, 0], eta0=0.1, coef_init=[-0.7], intercept_init=0.2)
    lines = list(csv.DictReader(io.StringIO(run.to_csv())))
    assert (lines[0]["before0"], lines[0]["before1"]) == ("0.2", "-0.7")
    assert sum(line["update"] == "true" for line in lines) > 1
    assert replayed(lines, 0.1).tolist() == list(run.weights)


def test_pandas_infers_the_types_of_the_csv() -> None:
    frame = pd.read_csv(io.StringIO(worked_example().to_csv()))
    names = (
        "epoch row update score x0 x1 x2 before0 before1 before2 after0 after1 after2 score_after"
    )
    assert " ".join(frame) == names
    assert (len(frame), frame["update"].dtype, frame["row"].dtype) == (18, bool, np.int64)
    assert frame.loc[frame["update"], "row"].tolist() == [3, 4, 2]
    assert frame.iloc[-1, -4:].tolist() == [0.0, 2.0, -1.0, 1.0]


def test_a_run_without_mistakes_has_an_empty_table() -> None:
    run = worked_example(coef_init=[2, -1])
    assert len(run) == 6
    assert "yes" not in run.table()
    assert "Epoch 1 changes nothing." in run.table()


def test_overflowing_scores_are_refused() -> None:
    with pytest.raises(
        InputError, match=r"score of row 0 of X overflows float64 with eta0=1e\+100"
    ):
        trace([[1e120], [-1e120]], [1, -1], eta0=1e100)


def test_nan_is_reported_with_its_row() -> None:
    with pytest.raises(InputError, match="X contains NaN in row 1, column 0"):
        trace([[1.0], [float("nan")]], [1, -1])


def test_shards_are_refused() -> None:
    with pytest.raises(InputError, match="shards=2 learn in parallel, but a trace shows one visit"):
        trace([[1], [-1]], [1, -1], shards=2)


def test_visits_share_their_vectors() -> None:
    first, second = worked_example().visits[:2]
    assert first.weights_after is first.weights_before is second.weights_before
