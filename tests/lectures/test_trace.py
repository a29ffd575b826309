"""Traces show the run that `fit` makes, visit for visit."""

import json
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import InputError, Outcome, Perceptron, trace
from rosenblatt.lectures.trace import worked_example
from strategies import INTEGERS, labels, matrices

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


def test_the_lectures_table_to_the_digit() -> None:
    assert worked_example().table() == WORKED_EXAMPLE


def test_the_clean_epoch_is_in_the_data() -> None:
    run = worked_example()
    assert [visit.epoch for visit in run] == [1] * 6 + [2] * 6 + [3] * 6
    assert not any(visit.update for visit in run.visits[12:])
    assert run.outcome is Outcome.SEPARATED
    assert json.loads(json.dumps(run.to_dict()))["weights"] == [0, 2, -1]


@pytest.mark.parametrize("order", ["cyclic", "shuffle", "random"])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_a_trace_is_the_fit(order: str, fit_intercept: bool) -> None:
    rng = np.random.default_rng(7)
    X = rng.integers(-5, 6, size=(20, 3)).astype(float)
    X = X[X[:, 0] + 2 * X[:, 1] != 0]
    y = np.where(X[:, 0] + 2 * X[:, 1] > 0, "b", "a")
    parameters = {
        "order": order,
        "fit_intercept": fit_intercept,
        "random_state": 3,
    }
    fitted = Perceptron(record=True, **parameters).fit(X, y)
    run = trace(sp.csr_matrix(X), y, **parameters)
    mistakes = [visit.row for visit in run if visit.update]
    assert mistakes == fitted.ledger_.sequences[0].tolist()
    assert run.outcome is fitted.outcome_ is Outcome.SEPARATED
    assert run.visits[-1].epoch == fitted.n_iter_
    coef = list(fitted.coef_[0])
    assert list(run.weights) == ([fitted.intercept_[0], *coef] if fit_intercept else coef)
    for before, after in zip(run.visits, run.visits[1:], strict=False):
        assert before.weights_after == after.weights_before
        assert before.update or before.weights_after == before.weights_before


def test_more_than_two_classes_are_refused() -> None:
    with pytest.raises(InputError, match="3 classes: a trace shows two"):
        trace([[0], [1], [2]], ["a", "b", "c"])


def test_equations_read_as_people_write_them() -> None:
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
        ((0, [0, 0]), "Final weights (0, 0, 0): no line, for every score is 0."),
        (
            (2, [0, 0]),
            "Final weights (2, 0, 0): no line, for every sample is on the positive side.",
        ),
        (
            (-1, [0, 0]),
            "Final weights (-1, 0, 0): no line, for every sample is on the negative side.",
        ),
        ((0, [0, 3]), "Final weights (0, 0, 3): the line 3·x2 = 0."),
    ],
)
def test_weights_without_a_line_are_not_said_to_have_one(
    weights: tuple[float, list[float]], ending: str
) -> None:
    end = replace(worked_example(), weights=(weights[0], *weights[1]))
    assert end.table().splitlines()[-1] == ending
