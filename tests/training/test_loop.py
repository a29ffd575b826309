"""When learning stops, and what the loop reports."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from rosenblatt import InputError, Outcome
from rosenblatt.kernels.epochs import panel_layout
from rosenblatt.kernels.rows import as_rows
from rosenblatt.training.blocks import Blocks
from rosenblatt.training.history import Epoch
from rosenblatt.training.loop import Log, orders, train
from rosenblatt.training.panel import Panel
from rosenblatt.training.problem import Problem
from rosenblatt.training.rules.perceptron_rule import PerceptronRule
from strategies import INTEGERS, labels, matrices

AND = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)


def _panel(X: np.ndarray, *signs: list[int], record: bool = False) -> Panel:
    """Return a panel with one halfspace per list of signs."""
    table = np.ascontiguousarray(np.array(signs, np.int8).T)
    weights, ones = np.zeros((len(signs), X.shape[1] + 1)), np.ones(len(X))
    problem = Problem(as_rows(X, 1.0), table, ones, np.ones((len(signs), 2)))
    return Panel(problem, weights, record=record)


def _learn(
    panel: Panel,
    epochs: Iterator[np.ndarray],
    budget: int,
    *,
    misses_samples: bool = False,
    **options: Any,
) -> Log:
    log, rule = Log(), PerceptronRule(panel, Blocks(panel), misses_samples=misses_samples)
    train(rule, epochs, budget, [log], **options)
    return log


def _cyclic(X: np.ndarray) -> Iterator[np.ndarray]:
    return orders("cyclic", len(X), np.random.RandomState(0))


class _StopAfter:
    """Stops the run after some epochs, and records its calls."""

    patient = False

    def __init__(self, epochs: int) -> None:
        self.left = epochs
        self.seen: list[Epoch | None] = []

    def epoch_begins(self) -> None:
        self.seen.append(None)

    def epoch_ends(self, epoch: Epoch, n_epochs: int) -> bool:
        assert n_epochs == 1
        self.seen.append(epoch)
        self.left -= 1
        return self.left == 0


@given(st.data(), st.integers(1, 12))
def test_run_stops_after_a_clean_epoch_or_at_the_budget(data: st.DataObject, budget: int) -> None:
    X = data.draw(matrices(INTEGERS, st.integers(2, 6), st.integers(1, 3)))
    signs = data.draw(labels(len(X), [-1, 1])).tolist()
    weights, epochs = naive.learn_cyclic(X, signs, budget, cycles=False)
    panel = _panel(X, signs, record=True)
    run = _learn(panel, _cyclic(X), budget)
    recorded = np.concatenate([*panel.sequences[0], np.zeros(0, np.int64)]).tolist()
    assert recorded == [i for epoch in epochs for i in epoch]
    assert run.history.mistakes.tolist() == [len(mistakes) for mistakes in epochs]
    assert panel.weights.tobytes() == weights.tobytes()
    separated = not epochs[-1]
    assert run.outcome is (Outcome.SEPARATED if separated else Outcome.BUDGET)
    assert panel.clean.tolist() == [separated]
    assert separated or len(epochs) == budget


def test_clean_halfspaces_are_no_longer_visited() -> None:
    panel = _panel(AND, [-1, -1, -1, -1], [-1, -1, -1, 1])
    run = _learn(panel, _cyclic(AND), 100)
    assert run.outcome is Outcome.SEPARATED
    assert len(run.history) == 9
    assert panel.counts.sum(axis=1).tolist() == panel.mistakes.tolist() == [1, 18]


@pytest.mark.parametrize(
    ("after", "outcome"), [(3, "STOPPED"), (9, "SEPARATED"), (99, "SEPARATED")]
)
def test_watcher_sees_every_epoch_and_may_stop_the_run(after: int, outcome: str) -> None:
    watch = _StopAfter(after)
    run = _learn(_panel(AND, [-1, -1, -1, 1]), _cyclic(AND), 100, watch=watch)
    assert run.outcome is Outcome[outcome]
    assert watch.seen[::2] == [None] * len(run.history)
    assert watch.seen[1::2] == list(run.history)
    assert len(run.history) == min(after, 9)


def test_order_that_misses_samples_continues_while_one_is_misclassified() -> None:
    panel = _panel(AND, [-1, -1, -1, 1])
    panel.weights[0] = [0.0, 0.0, -1.0]  # right on the first three samples
    first_three, all_four = np.array([0, 1, 2]), np.array([0, 1, 2, 3])
    epochs = iter([first_three, first_three] + [all_four] * 100)
    run = _learn(panel, epochs, 100, misses_samples=True)
    assert run.history.mistakes[:3].tolist() == [0, 0, 1]
    assert run.history.training_mistakes[:3].tolist() == [1, 1, -1]
    assert run.outcome is Outcome.SEPARATED
    assert run.history[-1].training_mistakes == 0


def test_orders() -> None:
    draws = {}
    for kind in ("cyclic", "shuffle", "random"):
        first, again = (orders(kind, 50, np.random.RandomState(3)) for _ in range(2))
        draws[kind] = [next(first).tolist() for _ in range(3)]
        assert draws[kind] == [next(again).tolist() for _ in range(3)]
    assert draws["cyclic"] == [list(range(50))] * 3
    assert all(sorted(order) == list(range(50)) for order in draws["shuffle"])
    assert draws["shuffle"][0] != draws["shuffle"][1] != list(range(50))
    for order in draws["random"]:
        assert len(order) == 50
        assert 10 < len(set(order)) < 50
        assert set(order) <= set(range(50))


def test_sample_that_is_not_finite_names_its_row_and_column() -> None:
    X = np.array([[1.0], [np.nan]])
    with pytest.raises(InputError, match="X contains NaN in row 1, column 0"):
        _learn(_panel(X, [1, -1]), _cyclic(X), 5)


@pytest.mark.parametrize("few", [-1, 1_000_000])
@pytest.mark.parametrize("n_jobs", [1, 2])
@given(X=matrices(INTEGERS, st.integers(2, 9), st.integers(1, 3)), data=st.data())
def test_several_epochs_at_once_equal_single_epochs(
    few: int, n_jobs: int, X: np.ndarray, data: st.DataObject
) -> None:
    height = data.draw(st.integers(1, 5))
    cells = st.lists(st.sampled_from([-1, 1]), min_size=height, max_size=height)
    table = np.array([data.draw(cells) for _ in X], dtype=np.int8)
    runs = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(panel_layout, "FEW", few)
        for steady in (False, True):
            ones = np.broadcast_to(1.0, len(X))
            problem = Problem(as_rows(X, 1.0), table, ones, np.ones((height, 2)))
            panel, log = Panel(problem, np.zeros((height, X.shape[1] + 1))), Log()
            rule = PerceptronRule(panel, Blocks(panel, n_jobs))
            epochs = orders("cyclic", len(X), np.random.RandomState(0))
            train(rule, epochs, 30, [log], steady=steady)
            records = [(one.mistakes, one.training_mistakes, one.norm) for one in log.history]
            sums = (panel.mass.tolist(), panel.energy.tolist(), panel.visits.tolist())
            arrays = (panel.weights.tobytes(), panel.counts.tobytes(), panel.mistakes.tolist())
            runs.append((records, sums, arrays, log.outcome, log.n_exact))
    assert runs[0] == runs[1]
