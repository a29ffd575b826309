"""Calls in another process with a time limit, where a crash or a hang is an answer."""

import multiprocessing
import resource
import signal
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, NamedTuple, Self

from attack.data import Json

FIRST_SECONDS = 300.0
"""The time limit of the first call, which may compile."""

GIGABYTES = 24
"""The memory limit of a call, to catch files that declare huge sizes."""


class Answer(NamedTuple):
    """An answer: "value", "error" with a traceback, "crash" with the signal, or "hang"."""

    kind: str
    value: Json


class Worker:
    """A process that runs one function; it is restarted after a crash or a hang."""

    def __init__(self, function: Callable[..., Any], seconds: float = 20.0) -> None:
        self._function = function
        self._seconds = seconds
        self._limit = FIRST_SECONDS
        self._process: Any = None
        self._pipe: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def call(self, *arguments: Any) -> Answer:
        """Call the function there, and wait for its answer."""
        if self._process is None:
            self._start()
        self._pipe.send(arguments)
        limit, self._limit = self._limit, self._seconds
        try:
            if self._pipe.poll(limit):
                return Answer(*self._pipe.recv())
        except (EOFError, ConnectionResetError):
            self._process.join()
            code = self._process.exitcode
            self._stop()
            return Answer("crash", signal.Signals(-code).name if code < 0 else f"exit {code}")
        self._stop()
        return Answer("hang", f"no answer in {limit:g} s")

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, self._function), daemon=True)
        self._process.start()
        other.close()
        self._pipe.recv()  # imports do not count as part of a call

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
        self._process = None


def _serve(pipe: Connection, function: Callable[..., Any]) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (GIGABYTES << 30, GIGABYTES << 30))
    pipe.send("ready")
    while True:
        try:
            arguments = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send(("value", function(*arguments)))
        except Exception:
            pipe.send(("error", traceback.format_exc(limit=-4)))
