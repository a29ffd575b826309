"""Times are taken in turn, and the first call is kept apart."""

import numpy as np

from rosenblatt.cli.bench.timing import Times, interleaved, probed, reading


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


def test_probes_name_every_run() -> None:
    assert set(probed({"one": lambda: None, "two": lambda: None})) == {"one", "two"}


def test_reading_touches_every_whole_word() -> None:
    a, b = np.arange(6, dtype=np.int32), np.arange(6, dtype=np.float32).reshape(2, 3)
    first, second = reading([a, b])()
    assert first == a.view(np.int64).sum()
    assert second == b.reshape(-1).view(np.int64).sum()
    assert reading([np.ones(3, dtype=np.float32)])() == [np.ones(2, np.float32).view(np.int64)[0]]
