"""scikit-learn's callback protocol: each epoch is a subtask of the fit."""

import pickle
import threading
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import InputError, Outcome, Perceptron

callback = pytest.importorskip("sklearn.callback", reason="scikit-learn 1.9 brought callbacks")

X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
AND = np.array([0, 0, 0, 1])


class Watcher:
    """Records every task and stops the run after some epochs."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.stop_after = stop_after
        self.begun: list[str] = []
        self.ended: list[str] = []
        self.scores: list[float] = []
        self.set_up: list[tuple[str, str]] = []
        self.torn_down: list[tuple[str, str]] = []

    def setup(self, estimator: Any, context: Any) -> None:
        self.set_up.append((type(estimator).__name__, context.task_name))

    def teardown(self, estimator: Any, context: Any) -> None:
        self.torn_down.append((type(estimator).__name__, context.task_name))

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        assert isinstance(estimator, Perceptron)
        self.begun.append(context.task_name)

    def on_fit_task_end(
        self, estimator: Any, context: Any, *, X: Any, y: Any, fitted_estimator: Any
    ) -> bool:
        assert estimator.get_params() == fitted_estimator.get_params()
        self.ended.append(context.task_name)
        self.scores.append(fitted_estimator.score(X, y))
        return self.ended.count("epoch") == self.stop_after


def test_each_epoch_is_a_subtask_of_fit() -> None:
    watcher = Watcher()
    p = Perceptron().set_callbacks(watcher).fit(X, AND)
    assert watcher.begun == ["fit"] + ["epoch"] * 9
    assert watcher.ended == ["epoch"] * 9 + ["fit"]
    assert watcher.set_up == watcher.torn_down == [("Perceptron", "fit")]
    assert watcher.scores[-1] == 1.0
    assert watcher.scores[0] < 1.0
    assert p.coef_.tobytes() == Perceptron().fit(X, AND).coef_.tobytes()


def test_callback_can_stop_the_run() -> None:
    watcher = Watcher(stop_after=3)
    p = Perceptron(keep="last", record=True).set_callbacks(watcher).fit(X, AND)
    assert p.outcome_ is Outcome.STOPPED
    assert p.n_iter_ == 3
    with pytest.warns(ConvergenceWarning):
        q = Perceptron(keep="last", max_iter=3).fit(X, AND)
    assert p.coef_.tobytes() == q.coef_.tobytes()
    assert p.margin_ == q.margin_


def test_stop_after_clean_epoch_is_separated() -> None:
    p = Perceptron().set_callbacks(Watcher(stop_after=9)).fit(X, AND)
    assert p.outcome_ is Outcome.SEPARATED


def test_callbacks_are_torn_down_when_fit_fails() -> None:
    watcher = Watcher()
    with pytest.raises(InputError):
        Perceptron().set_callbacks(watcher).fit([[1.0], [np.nan]], [0, 1])
    assert watcher.set_up == watcher.torn_down == [("Perceptron", "fit")]


def test_copies_wait_until_the_callbacks_are_torn_down() -> None:
    learner, copies = Perceptron(), []

    class Copying(Watcher):
        def teardown(self, estimator: Any, context: Any) -> None:
            super().teardown(estimator, context)
            self.thread = threading.Thread(target=lambda: copies.append(pickle.dumps(learner)))
            self.thread.start()
            self.thread.join(0.2)
            assert copies == []

        def __reduce__(self) -> tuple[type, tuple[()]]:
            return Watcher, ()

    watcher = Copying()
    learner.set_callbacks(watcher).fit(X, AND)
    watcher.thread.join()
    assert "_callback_fit_ctx" not in vars(pickle.loads(copies[0]))


def test_warning_points_at_the_caller() -> None:
    with pytest.warns(ConvergenceWarning) as caught:
        Perceptron(keep="last", max_iter=2).set_callbacks(Watcher()).fit(X, AND)
    assert caught[0].filename == __file__


def test_scoring_monitor_logs_each_epoch() -> None:
    monitor = callback.ScoringMonitor(scoring="accuracy")
    p = Perceptron(keep="last").set_callbacks(monitor).fit(X, AND)
    log = monitor.get_logs()
    epochs = [row["accuracy"] for row in log.data if row["task_name"] == "epoch"]
    assert len(epochs) == p.n_iter_ == 9
    expected = []
    for n in range(1, 9):
        with pytest.warns(ConvergenceWarning):
            expected.append(Perceptron(keep="last", max_iter=n).fit(X, AND).score(X, AND))
    assert epochs == [*expected, 1.0]


def test_progress_bar(capsys: pytest.CaptureFixture) -> None:
    p = Perceptron().set_callbacks(callback.ProgressBar()).fit(X, AND)
    assert p.outcome_ is Outcome.SEPARATED
    assert "Perceptron" in capsys.readouterr().out


def test_clone_keeps_callbacks() -> None:
    watcher = Watcher()
    clone(Perceptron().set_callbacks(watcher)).fit(X, AND)
    assert watcher.ended.count("epoch") == 9


def test_in_a_pipeline_and_a_grid_search() -> None:
    watcher = Watcher()
    model = make_pipeline(StandardScaler(), Perceptron().set_callbacks(watcher))
    samples, y = np.tile(X, (6, 1)), np.tile(AND, 6)
    assert model.fit(samples, y).score(samples, y) == 1.0
    assert watcher.ended.count("epoch") == model[-1].n_iter_
    search = GridSearchCV(model, {"perceptron__max_iter": [50, 60]}, cv=2).fit(samples, y)
    assert search.best_score_ == 1.0
