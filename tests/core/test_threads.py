"""Work that is shared out: its results, its failures, and where the threads may run afterwards."""

import os
import threading

import pytest

from rosenblatt.core.threads import run_in_threads


def test_every_work_is_done_once_and_in_its_place() -> None:
    for n_threads in (1, 2, 5):
        assert run_in_threads([lambda n=n: n * n for n in range(20)], n_threads) == [
            n * n for n in range(20)
        ]


def test_threads_work_at_the_same_time() -> None:
    both_are_here = threading.Barrier(2, timeout=60)
    places = run_in_threads([both_are_here.wait, both_are_here.wait], 2)
    assert sorted(places) == [0, 1]


def test_a_failure_is_raised_when_all_have_ended() -> None:
    ended = []

    def fails() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        run_in_threads([fails, lambda: ended.append(1)], 2)
    assert ended == [1]


def test_a_work_may_share_out_works_of_its_own() -> None:
    def shares() -> list[int]:
        return run_in_threads([lambda: 1, lambda: 2, lambda: 3], 3)

    assert run_in_threads([shares] * 4, 3) == [[1, 2, 3]] * 4


def test_nobody_waits_for_helpers_that_are_busy_elsewhere() -> None:
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
    both_are_here = threading.Barrier(2, timeout=60)

    def allowed() -> set[int]:
        both_are_here.wait()  # so that the second work is a helper's
        return os.sched_getaffinity(0)

    assert run_in_threads([allowed, allowed], 2) == [os.sched_getaffinity(0)] * 2
