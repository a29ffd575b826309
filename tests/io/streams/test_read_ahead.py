"""Results come in order, few ahead, and no thread outlives its caller."""

import contextlib
import io
import os
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.io.streams.read_ahead import run_ahead, share_processors


class ExpectedError(Exception):
    pass


@given(
    waits=st.lists(st.sampled_from([0.0, 0.001]), max_size=20),
    n_threads=st.integers(1, 4),
    taken=st.integers(0, 20),
)
def test_results_come_in_order(waits: list[float], n_threads: int, taken: int) -> None:
    begun: list[int] = []

    def tasks() -> Iterator[Callable[[], int]]:
        for k, wait in enumerate(waits):
            begun.append(k)
            yield lambda k=k, wait=wait: time.sleep(wait) or k

    before = set(threading.enumerate())
    results = run_ahead(tasks(), n_threads)
    for k in range(min(taken, len(waits))):
        assert next(results) == k
        assert len(begun) <= k + 1 + 2 * n_threads
    results.close()
    assert set(threading.enumerate()) <= before
    assert list(run_ahead(tasks(), n_threads)) == list(range(len(waits)))
    assert set(threading.enumerate()) <= before


def test_callers_that_share_all_processors_get_one_thread_each() -> None:
    def n_new() -> int:
        return len(set(threading.enumerate()) - before)

    def n_working() -> None:
        caller = n_new()
        found.append(max(run_ahead(iter([n_new] * 5))) - caller)

    def shared() -> None:
        share_processors(os.cpu_count() or 1)
        n_working()

    found: list[int] = []
    before = set(threading.enumerate())
    for work in (n_working, shared, n_working):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert found == [2, 1, 2]


@pytest.mark.parametrize("where", ["task", "iterator"])
def test_exceptions_come_in_order(where: str) -> None:
    is_closed = threading.Event()

    def fail() -> int:
        raise ExpectedError

    def tasks() -> Iterator[Callable[[], int]]:
        try:
            yield lambda: 0
            yield lambda: time.sleep(0.01) or 1
            if where == "iterator":
                raise ExpectedError
            yield fail
            yield lambda: 3
            yield from iter(lambda: lambda: 4, None)
        finally:
            is_closed.set()

    before = set(threading.enumerate())
    results = run_ahead(tasks())
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(ExpectedError):
        next(results)
    assert is_closed.is_set()
    assert set(threading.enumerate()) <= before


def test_ctrl_c_while_a_thread_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    def tasks() -> Iterator[Callable[[], int]]:
        with contextlib.closing(events):
            time.sleep(0.2)  # the thread is here when the caller stops
            yield lambda: 1

    def start(thread: threading.Thread) -> None:
        original(thread)
        time.sleep(0.05)
        raise KeyboardInterrupt

    events = io.StringIO()
    original = threading.Thread.start
    monkeypatch.setattr(threading.Thread, "start", start)
    with pytest.raises(KeyboardInterrupt):
        next(run_ahead(tasks()))
    assert events.closed
