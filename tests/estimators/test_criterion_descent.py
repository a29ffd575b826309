"""Gradient descent on the perceptron criterion: its theorems, its streams, scikit-learn's contract."""

import pickle
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import rosenblatt.training.rules.criterion_rule
from model_files import saved_with
from rosenblatt import (
    CriterionDescent,
    InputError,
    Outcome,
    Perceptron,
    load,
    perceptron_criterion,
    save,
)
from rosenblatt.training.rules.criterion_rule import Step
from strategies import INTEGERS, TENTHS, labels, matrices

ROOT = Path(__file__).parents[2]

ignore_mistakes = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SIX = np.array([[1, 1], [1, -1], [0, -1], [-1, -1], [-1, 1], [0, 1]], dtype=float)
SIDES = np.array([1, 1, 1, -1, -1, -1])
CENTRED_XOR = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]])


@ignore_mistakes
@parametrize_with_checks(
    [
        CriterionDescent(),
        CriterionDescent(
            schedule="decaying", start="random", random_state=0, eta0=0.1, ties="negative"
        ),
    ],
)
def test_estimator_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def from_the_lecture(**parameters: Any) -> CriterionDescent:
    """Return a descent from the weights that the lectures' example starts from."""
    return CriterionDescent(**parameters).fit(SIX, SIDES, coef_init=[0, 0], intercept_init=1)


def naive_descent(
    X: Any, signs: Any, rates: Any, *, ties: str = "mistake", start: Any = None
) -> tuple[Any, list[tuple[float, int]]]:
    """Return the weights, extended, and the criterion and mistakes found before each step."""
    w = np.zeros(X.shape[1] + 1) if start is None else np.asarray(start, dtype=float)
    found = []
    for rate in rates:
        here = perceptron_criterion(w, X, signs, ties=ties)
        found.append((here.value, here.n_mistakes))
        if not here.gradient.any():  # none is mistaken, or they cancel
            break
        w = w - rate * here.gradient
    return w, found


@ignore_mistakes
@pytest.mark.parametrize("store", [np.asarray, sp.csr_array, lambda X: X.astype(np.float32)])
@given(data=st.data(), ties=st.sampled_from(["mistake", "positive", "negative"]))
@settings(max_examples=30)
def test_fit_equals_the_slow_twin_on_integers(store: Any, data: st.DataObject, ties: str) -> None:
    X = data.draw(matrices(INTEGERS, st.integers(2, 8), st.integers(1, 4)))
    y = data.draw(labels(len(X), list("abc")[: data.draw(st.sampled_from([2, 3]))]))
    d = CriterionDescent(max_iter=12, ties=ties).fit(store(X), y)
    positives = d.classes_[1:] if len(d.classes_) == 2 else d.classes_
    twins = [naive_descent(X, np.where(y == p, 1, -1), [1.0] * 12, ties=ties) for p in positives]
    assert d.coef_.tolist() == [w[:-1].tolist() for w, _ in twins]
    assert d.intercept_.tolist() == [w[-1] for w, _ in twins]
    assert d.n_mistakes_ == sum(n for _, found in twins for _, n in found)
    assert d.history_[0].criterion == 0.0
    assert d.history_[0].mistakes == sum(found[0][1] for _, found in twins)


@given(data=st.data())
@settings(max_examples=30)
def test_separable_samples_are_separated_within_the_bound(data: st.DataObject) -> None:
    X = data.draw(matrices(INTEGERS, st.integers(2, 7), st.integers(1, 3)))
    w = data.draw(st.lists(st.sampled_from(INTEGERS), min_size=X.shape[1], max_size=X.shape[1]))
    scores = X @ w + 0.5
    y = np.sign(scores).astype(int)
    if len(set(y.tolist())) == 1:
        return
    extended = np.column_stack([X, np.ones(len(X))])
    margin = np.abs(scores).min() / np.linalg.norm([*w, 0.5])  # of one separator: good enough
    bound = len(X) * (np.linalg.norm(extended, axis=1).max() / margin) ** 2
    d = CriterionDescent(max_iter=10**6).fit(X, y)
    assert d.outcome_ is Outcome.SEPARATED
    assert d.predict(X).tolist() == y.tolist()
    assert d.n_iter_ - 1 <= bound  # the last look makes no step
    for step in d.history_[:-1]:
        assert step.gradient >= margin * step.mistakes * (1 - 1e-12)
    assert d.history_[-1][:3] == (0.0, 0.0, 0)


@ignore_mistakes
@given(data=st.data(), eta0=st.sampled_from([0.01, 0.5, 7.0]), schedule=st.booleans())
@settings(max_examples=30)
def test_each_step_changes_the_squared_length_by_what_the_criterion_says(
    data: st.DataObject, eta0: float, schedule: bool
) -> None:
    X = data.draw(matrices(TENTHS, st.integers(2, 8), st.integers(1, 3)))
    y = data.draw(labels(len(X), [-1, 1]))
    kind = "decaying" if schedule else "fixed"
    d = CriterionDescent(eta0=eta0, schedule=kind, start="random", random_state=3, max_iter=20).fit(
        X, y
    )
    for t, (now, later) in enumerate(zip(d.history_, d.history_[1:], strict=False), start=1):
        assert now.rate == pytest.approx(eta0 / np.sqrt(t) if schedule else eta0)
        expected = now.norm**2 - 2 * now.rate * now.criterion + (now.rate * now.gradient) ** 2
        assert later.norm**2 == pytest.approx(expected, rel=1e-9, abs=1e-9)


@ignore_mistakes
@pytest.mark.parametrize("schedule", ["fixed", "decaying"])
def test_from_a_zero_start_the_rate_cancels(schedule: str) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 3)), rng.integers(0, 3, 30)
    one = CriterionDescent(schedule=schedule, max_iter=40).fit(X, y)
    other = CriterionDescent(schedule=schedule, max_iter=40, eta0=0.3).fit(X, y)
    assert [step.mistakes for step in one.history_] == [step.mistakes for step in other.history_]
    assert (0.3 * one.coef_).tobytes() == other.coef_.tobytes()
    assert one.predict(X).tolist() == other.predict(X).tolist()


def test_rates_that_are_too_small_and_too_large() -> None:
    slow, right, fast = (from_the_lecture(eta0=eta0) for eta0 in (0.001, 0.5, 100.0))
    assert (slow.n_iter_, right.n_iter_, fast.n_iter_) == (335, 4, 3)
    criteria = [step.criterion for step in slow.history_]
    assert criteria == sorted(criteria, reverse=True)  # always down, a little at a time
    assert max(step.criterion for step in right.history_) == 3.0
    assert fast.history_[1].criterion == pytest.approx(398.0)  # beyond the valley, and far up
    for d in (slow, right, fast):
        assert d.outcome_ is Outcome.SEPARATED
        assert d.score(SIX, SIDES) == 1.0


def test_a_gradient_of_zero_with_mistakes_left() -> None:
    d = CriterionDescent()
    with pytest.warns(UserWarning, match=r"no longer than tol=0.0, but 4 mistakes are left"):
        d.fit(CENTRED_XOR, [1, 1, -1, -1])
    assert d.outcome_ is Outcome.STATIONARY
    assert (d.n_iter_, d.n_mistakes_) == (1, 4)
    assert not d.coef_.any()
    # The proof: the extended samples, those of class -1 turned round, sum to 0.
    assert CENTRED_XOR[:2].sum(axis=0).tolist() == CENTRED_XOR[2:].sum(axis=0).tolist()


def test_a_tolerance_ends_a_descent_early_and_a_budget_too() -> None:
    with pytest.warns(UserWarning, match=r"no longer than tol=2.5, but 2 mistakes are left"):
        d = from_the_lecture(tol=2.5, eta0=0.1)
    assert d.outcome_ is Outcome.STATIONARY
    assert d.history_[-1].gradient <= 2.5 < d.history_[-2].gradient
    with pytest.warns(UserWarning, match=r"max_iter=2 steps were not enough, the last one found"):
        assert from_the_lecture(max_iter=2).outcome_ is Outcome.BUDGET


@ignore_mistakes
def test_a_class_that_is_done_waits_for_the_others() -> None:
    X = np.array([[0.0], [1.0], [2.0], [0.0]])
    d = CriterionDescent(max_iter=50).fit(X, ["a", "b", "c", "b"])
    assert d.outcome_ is Outcome.BUDGET
    alone = CriterionDescent(max_iter=50).fit(X, np.array([0, 0, 1, 0]))
    assert alone.outcome_ is Outcome.SEPARATED
    assert d.coef_[2].tolist() == alone.coef_[0].tolist()


@ignore_mistakes
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("store", [np.asarray, sp.csr_matrix])
def test_one_step_is_the_same_from_every_door(n_classes: int, store: Any) -> None:
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((20, 3)), np.resize(list("abc")[:n_classes], 20)
    whole = CriterionDescent(max_iter=1, eta0=0.3).fit(store(X), y)
    named = CriterionDescent(eta0=0.3).partial_fit(store(X), y, classes=np.unique(y))
    open_ended = CriterionDescent(eta0=0.3).partial_fit(store(X), y)
    for other in (named, open_ended):
        assert other.coef_.tobytes() == whole.coef_.tobytes()
        assert other.intercept_.tobytes() == whole.intercept_.tobytes()
        assert other.n_mistakes_ == whole.n_mistakes_
        assert other.history_[0][:5] == whole.history_[0][:5]
        assert (other.n_iter_, other.outcome_) == (1, Outcome.STREAM)


@given(data=st.data(), ties=st.sampled_from(["mistake", "positive", "negative"]))
@settings(max_examples=30)
def test_single_samples_make_the_perceptrons_run(data: st.DataObject, ties: str) -> None:
    X = data.draw(matrices(TENTHS, st.integers(2, 8), st.integers(1, 4)))
    y = data.draw(labels(len(X), list("abc")))
    parameters = {"eta0": 0.7, "ties": ties, "start": "random", "random_state": 5}
    d, p = CriterionDescent(**parameters), Perceptron(**parameters)
    for x, label in zip(X, y.tolist(), strict=True):
        assert d.predict_one(x) == p.predict_one(x)
        d.learn_one(x, label)
        p.learn_one(x, label)
    assert d.coef_.tobytes() == p.coef_.tobytes()
    assert d.intercept_.tobytes() == p.intercept_.tobytes()
    assert d.n_mistakes_ == p.n_mistakes_
    assert d.history_ == []  # as with the perceptron, single samples are not recorded


def test_chunks_go_on_where_fit_stopped_and_the_rate_decays_on() -> None:
    d = CriterionDescent(schedule="decaying", max_iter=3)
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((30, 2)), np.resize([0, 1], 30)
    with pytest.warns(UserWarning, match="max_iter=3"):
        d.fit(X, y)
    for _ in range(2):
        d.partial_fit(X, y)
    with pytest.warns(UserWarning, match="max_iter=5"):
        whole = CriterionDescent(schedule="decaying", max_iter=5).fit(X, y)
    assert d.coef_.tobytes() == whole.coef_.tobytes()
    assert [s.rate for s in d.history_] == [1 / np.sqrt(t) for t in range(1, 6)]
    assert (d.n_iter_, d.outcome_) == (5, Outcome.STREAM)


@ignore_mistakes
def test_weights_of_samples_count_like_repetitions() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.integers(-3, 4, (12, 2)).astype(float), np.resize([0, 1], 12)
    weight = rng.integers(0, 4, 12)
    weighted = CriterionDescent(max_iter=9).fit(X, y, sample_weight=weight)
    repeated = CriterionDescent(max_iter=9).fit(X.repeat(weight, axis=0), y.repeat(weight))
    assert weighted.coef_.tolist() == repeated.coef_.tolist()
    assert [s.criterion for s in weighted.history_] == [s.criterion for s in repeated.history_]


def test_a_matrix_of_labels() -> None:
    X, Y = [[0.0], [1.0], [2.0]], [[1, 0], [1, 1], [0, 1]]
    d = CriterionDescent().fit(X, Y)
    assert d.predict(X).tolist() == Y
    assert d.outcome_ is Outcome.SEPARATED
    one = CriterionDescent(max_iter=1).partial_fit(X, Y)
    assert one.multilabel_
    for column, coef in zip(np.transpose(Y), d.coef_, strict=True):
        assert CriterionDescent().fit(X, column).coef_[0].tolist() == coef.tolist()
    with pytest.raises(InputError, match="2 columns of 0 and 1"):
        one.partial_fit(X, [[1, 0, 1]] * 3)


@ignore_mistakes
@pytest.mark.parametrize("fitted", ["never", "fit", "stream"])
def test_save_load_pickle_and_clone(tmp_path: Path, fitted: str) -> None:
    d = CriterionDescent(schedule="decaying", eta0=0.2, max_iter=7)
    X, y = np.array([[0.1, 2.0], [1.5, 0.3], [-0.7, 0.2]]), ["a", "b", "a"]
    if fitted == "fit":
        d.fit(X, y)
    elif fitted == "stream":
        d.partial_fit(X, y)
    save(d, tmp_path / "model")
    for copy in (load(tmp_path / "model"), pickle.loads(pickle.dumps(d))):
        assert copy.get_params() == d.get_params() == clone(d).get_params()
        if fitted != "never":
            assert copy.history_ == d.history_
            assert all(isinstance(step, Step) for step in copy.history_)
            assert copy.coef_.tobytes() == d.coef_.tobytes()
            assert copy.partial_fit(X, y).coef_.tobytes() == (
                pickle.loads(pickle.dumps(d)).partial_fit(X, y).coef_.tobytes()
            )
    save(d, tmp_path / "lean", record=False)
    lean = load(tmp_path / "lean")
    before = 0 if fitted == "never" else d.n_iter_
    assert lean.partial_fit(X, y).n_iter_ == before + 1


def test_a_file_that_contradicts_itself_is_refused(tmp_path: Path) -> None:
    def no_steps(document: dict, _tensors: dict) -> None:
        document["run"]["run"]["history"] = {"list": [1]}

    def averaged(document: dict, _tensors: dict) -> None:
        drift = document["learned"]["learned"]["weights"]
        document["learned"]["learned"]["kept"] = {"average": {"drift": drift}}

    for change, message in ((no_steps, "history"), (averaged, "not what a CriterionDescent")):
        saved_with(from_the_lecture(), tmp_path / "model", change)
        with pytest.raises(InputError, match=message):
            load(tmp_path / "model")


@pytest.mark.parametrize(
    ("parameters", "complaint"),
    [
        ({"eta0": 0}, "eta0=0 is not accepted"),
        ({"schedule": "cosine"}, "schedule='cosine' is not accepted: use 'fixed' or 'decaying'"),
        ({"tol": -1.0}, "tol=-1.0 is not accepted: use a finite number of at least 0"),
        ({"tol": float("nan")}, "tol=nan is not accepted"),
        ({"max_iter": 0}, "max_iter=0 is not accepted"),
        ({"fit_intercept": 1}, "fit_intercept=1 is not accepted"),
        ({"start": "ones"}, "start='ones' is not accepted"),
        ({"ties": None}, "ties=None is not accepted"),
        ({"random_state": "x"}, "random_state='x' is not accepted"),
    ],
)
def test_parameters_are_checked(parameters: dict[str, Any], complaint: str) -> None:
    d = CriterionDescent(**parameters)
    for learn in (d.fit, d.partial_fit):
        with pytest.raises(InputError, match=complaint):
            learn(SIX, SIDES)
    with pytest.raises(InputError, match=complaint):
        d.learn_one(SIX[0], 1)


def test_bad_input_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    d = from_the_lecture()
    before = pickle.dumps(d)
    for X, y, complaint in [
        (SIX, np.ones(6), "one class only"),
        (SIX * 1e300, SIDES, "so long that its square|not a finite number"),
        (SIX, ["a", "b"] * 3, "all text or all numbers"),
    ]:
        learn = d.partial_fit if complaint.startswith("all") else d.fit
        with pytest.raises(InputError, match=complaint):
            learn(X, y)
    with pytest.raises(InputError, match="zero everywhere"):
        d.fit(SIX, SIDES, sample_weight=np.zeros(6))
    with pytest.raises(InputError, match="the sample is a dict"):
        d.learn_one({"sun": 1.0}, 1)

    def interrupted(*_arguments: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(rosenblatt.training.rules.criterion_rule, "measure_criterion", interrupted)
    for learn in (d.fit, d.partial_fit):
        with pytest.raises(KeyboardInterrupt):
            learn(SIX[:, :1], SIDES) if learn == d.fit else learn(SIX, SIDES)
    assert pickle.dumps(d) == before


@ignore_mistakes
def test_the_page_shows_what_the_benchmark_prints(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "topics" / "criterion.md").read_text()
    benchmark = runpy.run_path(str(ROOT / "benchmarks" / "criterion.py"))
    for name in ("print_separable", "print_overlapping"):
        benchmark[name]()
        table = capsys.readouterr().out
        assert f"```text\n{table}```" in page


def test_short_samples_do_not_make_the_gradient_vanish() -> None:
    model = CriterionDescent(fit_intercept=False).fit([[1e-170], [-1e-170]], [1, 0])
    assert model.outcome_ is Outcome.SEPARATED
