"""Work done ahead on threads: results in order, only a few at a time."""

import os
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Lock, Semaphore, Thread, local
from typing import Generic, TypeVar

Result = TypeVar("Result")

# Longer than any work takes, unless it waits for bytes that do not come.
_PATIENCE = 2.0


class _Caller(local):
    """What is known of the thread that asks for results."""

    n_threads = 2


_CALLER = _Caller()


def share_processors(n_callers: int) -> None:
    """Know, from now on, that this thread is one of several that have work done ahead all the time.

    Where there are not twice as many processors, one thread tasks ahead for each, not two: more would
    wait for each other.
    """
    _CALLER.n_threads = max(1, min(2, (os.cpu_count() or 1) // n_callers))


def ahead(
    tasks: Iterator[Callable[[], Result]], n_threads: int | None = None
) -> Generator[Result, None, None]:
    """Yield the results of tasks, in order, while threads, by default two, do the next ones.

    The threads also take the tasks from their iterator, one thread at a time. At most two tasks a thread
    are begun and not yet asked for. What the iterator or a work raises is raised in its place, after the
    results before it. Whenever the caller stops, the threads end, and the iterator is closed. (A thread
    that waits for standard input cannot end before it comes; it does not keep Python from ending.)

    >>> list(ahead(iter([lambda: 1, lambda: 2])))
    [1, 2]
    """
    n_threads = _CALLER.n_threads if n_threads is None else n_threads
    line = _Line(tasks, 2 * n_threads)
    threads = [Thread(target=line.work, daemon=True) for _ in range(n_threads)]
    begun = []
    try:
        for thread in threads:
            thread.start()
            begun.append(thread)
        while (waiting := line.next()) is not None:
            yield waiting.result()
    finally:
        line.stop(n_threads)
        for thread in begun:
            thread.join(_PATIENCE)
        if not any(thread.is_alive() for thread in begun):
            line.close()


class _Line(Generic[Result]):
    """Works in order: those that are begun, and those that nobody has taken yet."""

    def __init__(self, tasks: Iterator[Callable[[], Result]], depth: int) -> None:
        self._tasks = tasks
        self._begun: SimpleQueue[Future[Result] | None] = SimpleQueue()
        self._room = Semaphore(depth)
        self._taking = Lock()
        self._is_over = False

    def work(self) -> None:
        """Run one task after another."""
        while (taken := self._take()) is not None:
            task, waiting = taken
            try:
                waiting.set_result(task())
            except BaseException as error:  # whatever it is, the caller gets it
                waiting.set_exception(error)
            del taken, task, waiting  # while this thread waits, nothing that is large is kept

    def next(self) -> Future[Result] | None:
        """Return the work that was begun first and not yet asked for; None at the end."""
        waiting = self._begun.get()
        self._room.release()
        return waiting

    def stop(self, n_threads: int) -> None:
        """Let the threads end after what they are doing."""
        self._is_over = True
        self._room.release(n_threads)

    def close(self) -> None:
        """Close the iterator, if it is a generator."""
        close = getattr(self._tasks, "close", None)
        if close is not None:
            close()

    def _take(self) -> tuple[Callable[[], Result], Future[Result]] | None:
        with self._taking:  # also the order of the tasks
            self._room.acquire()
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
        self._room.release()  # for the thread that takes next, and finds that there is nothing
