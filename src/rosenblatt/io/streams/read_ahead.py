"""Running tasks ahead on threads: results in order, few at a time."""

import os
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Lock, Semaphore, Thread, local
from typing import Generic, TypeVar

Result = TypeVar("Result")

# Longer than any task takes, unless it waits for input.
_JOIN_TIMEOUT = 2.0


class _Caller(local):
    """Settings of the thread that uses the results."""

    n_threads = 2


_CALLER = _Caller()


def share_processors(n_callers: int) -> None:
    """Declare that this thread is one of ``n_callers`` that run tasks ahead all the time.

    With fewer than two processors per caller, each gets one thread instead of two: more would only wait
    for each other.
    """
    _CALLER.n_threads = max(1, min(2, (os.cpu_count() or 1) // n_callers))


def run_ahead(
    tasks: Iterator[Callable[[], Result]], n_threads: int | None = None
) -> Generator[Result, None, None]:
    """Yield the results of tasks in order, while threads (two by default) run the next ones.

    The threads also advance the iterator, one thread at a time, and run at most two tasks per thread
    ahead of the caller. An error of the iterator or of a task is raised after the results before it.
    When the caller stops, the threads end and the iterator is closed. (A thread that waits for standard
    input cannot end until input arrives; it does not keep Python from exiting.)

    >>> list(run_ahead(iter([lambda: 1, lambda: 2])))
    [1, 2]
    """
    n_threads = _CALLER.n_threads if n_threads is None else n_threads
    queue = _TaskQueue(tasks, 2 * n_threads)
    threads = [Thread(target=queue.run, daemon=True) for _ in range(n_threads)]
    try:
        for thread in threads:
            thread.start()
        while (waiting := queue.next()) is not None:
            yield waiting.result()
    finally:
        queue.stop(n_threads)
        # Ctrl-C may come while a thread starts: one that is not alive yet will take no task.
        for thread in threads:
            if thread.is_alive():
                thread.join(_JOIN_TIMEOUT)
        if not any(thread.is_alive() for thread in threads):
            queue.close()


class _TaskQueue(Generic[Result]):
    """Tasks in order: the started ones, and an iterator of the others."""

    def __init__(self, tasks: Iterator[Callable[[], Result]], depth: int) -> None:
        self._tasks = tasks
        self._begun: SimpleQueue[Future[Result] | None] = SimpleQueue()
        self._slots = Semaphore(depth)
        self._taking = Lock()
        self._is_over = False

    def run(self) -> None:
        """Run one task after another; each thread calls this."""
        while (taken := self._take()) is not None:
            task, waiting = taken
            try:
                waiting.set_result(task())
            except BaseException as error:  # reraised for the caller
                waiting.set_exception(error)
            del taken, task, waiting  # keep nothing large while this thread waits

    def next(self) -> Future[Result] | None:
        """Return the next started task, or None at the end."""
        waiting = self._begun.get()
        self._slots.release()
        return waiting

    def stop(self, n_threads: int) -> None:
        """Let the threads end after their current tasks."""
        self._is_over = True
        self._slots.release(n_threads)

    def close(self) -> None:
        """Close the iterator, if it is a generator."""
        close = getattr(self._tasks, "close", None)
        if close is not None:
            close()

    def _take(self) -> tuple[Callable[[], Result], Future[Result]] | None:
        with self._taking:  # also keeps the tasks in order
            self._slots.acquire()
            if self._is_over:
                return None
            waiting: Future[Result] = Future()
            try:
                work = next(self._tasks)
            except StopIteration:
                self._end()
                return None
            except BaseException as error:
                waiting.set_exception(error)
                self._begun.put(waiting)
                self._end()
                return None
            self._begun.put(waiting)
            return work, waiting

    def _end(self) -> None:
        self._is_over = True
        self._begun.put(None)
        self._slots.release()  # for the next thread, which then ends
