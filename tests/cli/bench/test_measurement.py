"""Times are taken in turn, the first call is kept apart, and a row is compared with what is asked."""

import numpy as np
import pytest

from rosenblatt import Perceptron
from rosenblatt.cli.bench.bench_data import Source
from rosenblatt.cli.bench.measurement import Times, interleaved, measure, reading
from rosenblatt.cli.bench.works import WORKS


def test_runs_take_turns() -> None:
    calls: list[str] = []
    runs = {name: lambda name=name: calls.append(name) for name in "ab"}
    times = interleaved(runs, 3)
    assert calls == list("abababab")
    assert all(len(one.later) == 3 for one in times.values())


def test_the_first_call_is_apart() -> None:
    times = Times(5.0, [1.0, 3.0, 2.0])
    assert times.median == 2.0
    assert times.warm_up == 3.0
    assert Times(1.0, [2.0]).warm_up == 0.0


def test_reading_touches_every_whole_word() -> None:
    a, b = np.arange(6, dtype=np.int32), np.arange(6, dtype=np.float32).reshape(2, 3)
    first, second = reading([a, b])()
    assert first == a.view(np.int64).sum()
    assert second == b.reshape(-1).view(np.int64).sum()
    assert reading([np.ones(3, dtype=np.float32)])() == [np.ones(2, np.float32).view(np.int64)[0]]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_row_knows_whether_it_reached_what_was_asked() -> None:
    (work,) = [work for work in WORKS if work.name == "dense-binary"]
    source = Source(None, 100)
    row = measure(work, source, 1)
    assert row.seconds("ours") == row.times["ours"].median
    assert row._replace(work=work._replace(asked=0.0, asked_limit=None)).reached
    assert not row._replace(work=work._replace(asked=0.0, asked_limit=0.0)).reached
    assert not row._replace(work=work._replace(asked=1e9)).reached
    model = Perceptron(order="cyclic", max_iter=1).fit(*source.shirts()[1:])
    assert row.exactness is not None
    assert row.exactness[:3] == (1, model.n_mistakes_, model.n_exact_)
