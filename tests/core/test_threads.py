"""Tasks in threads: their results, their errors, and the processors that the threads may use."""

import os
import threading

import pytest

from rosenblatt.core.threads import run_in_threads


def test_every_task_runs_once_and_results_are_in_order() -> None:
    for n_threads in (1, 2, 5):
        assert run_in_threads([lambda n=n: n * n for n in range(20)], n_threads) == [
            n * n for n in range(20)
        ]


def test_tasks_run_at_the_same_time() -> None:
    barrier = threading.Barrier(2, timeout=60)
    indices = run_in_threads([barrier.wait, barrier.wait], 2)
    assert sorted(indices) == [0, 1]


def test_an_error_is_raised_after_all_tasks_have_ended() -> None:
    ended = []

    def fails() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        run_in_threads([fails, lambda: ended.append(1)], 2)
    assert ended == [1]


def test_a_task_may_run_tasks_in_threads() -> None:
    def nested() -> list[int]:
        return run_in_threads([lambda: 1, lambda: 2, lambda: 3], 3)

    assert run_in_threads([nested] * 4, 3) == [[1, 2, 3]] * 4


def test_busy_helper_threads_are_not_waited_for() -> None:
    go_on, is_held = threading.Event(), threading.Event()

    def holds() -> None:
        is_held.set()
        assert go_on.wait(60)

    other = threading.Thread(target=run_in_threads, args=([holds, holds], 2))
    other.start()
    assert is_held.wait(60)
    assert run_in_threads([lambda: 1, lambda: 2], 2) == [1, 2]
    go_on.set()
    other.join(60)


@pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity"), reason="the system has no processors to choose"
)
def test_no_thread_is_bound_to_a_processor() -> None:
    barrier = threading.Barrier(2, timeout=60)

    def allowed() -> set[int]:
        barrier.wait()  # so that a helper runs the second task
        return os.sched_getaffinity(0)

    assert run_in_threads([allowed, allowed], 2) == [os.sched_getaffinity(0)] * 2
