"""A progress bar for streams: bytes, samples per second, and the time left."""

import sys
import time
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.progress import Progress

    from rosenblatt.io.samples.table import Table
    from rosenblatt.io.streams.sample_stream import Stream

_SECONDS_BETWEEN = 0.1


class Sized(Protocol):
    """A source that knows how many bytes were read, and perhaps how many there are."""

    @property
    def n_bytes(self) -> int | None:
        """The number of bytes, if known."""

    @property
    def n_read(self) -> int:
        """The number of bytes read so far."""


class StreamBar:
    """Shows how much of a stream was read, if standard error is a terminal."""

    def __init__(self, what: str, *, is_shown: bool = True) -> None:
        self._bar = _new_bar() if is_shown and sys.stderr.isatty() else None
        self._task = None if self._bar is None else self._bar.add_task(what, total=None, numbers="")
        self._next_update = self._began = time.monotonic()

    def __enter__(self) -> "StreamBar":
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def start(self) -> None:
        """Show the bar."""
        if self._bar is not None:
            self._bar.start()

    def stop(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()

    def begin(self, what: str) -> None:
        """Start again at zero, with another description."""
        self._began = time.monotonic()
        if self._bar is not None and self._task is not None:
            self._bar.reset(self._task, description=what)

    def show(self, stream: Sized, n_samples: int, before: str = "") -> None:
        """Show how much of a stream was read, at most ten times per second."""
        now = time.monotonic()
        if self._bar is None or self._task is None or now < self._next_update:
            return
        self._next_update = now + _SECONDS_BETWEEN
        done, total = stream.n_read, stream.n_bytes
        rate = n_samples / max(now - self._began, 1e-9)
        size = f"{_bytes(done)} of {_bytes(total)}" if total else _bytes(done)
        numbers = f"{before}{n_samples:,} samples, {size}, {rate:,.0f} samples/s"
        self._bar.update(self._task, completed=done, total=total, numbers=numbers)

    def watched(self, stream: "Stream") -> "Generator[Table, None, None]":
        """Yield the chunks of a stream, and move the bar after each."""
        n_samples = 0
        with closing(stream.chunks()) as chunks:
            for chunk in chunks:
                yield chunk
                n_samples += chunk.n_samples
                self.show(stream, n_samples)

    @contextmanager
    def above(self) -> Iterator[None]:
        """Print above the bar, if it is on the same terminal."""
        if not sys.stdout.isatty():
            yield
            return
        self.stop()
        yield
        self.start()


def _new_bar() -> "Progress":
    # imported here because it takes longer than predicting a small file
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[numbers]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,  # standard output may be a pipe
    )


def _bytes(n: int) -> str:
    """Return a number of bytes in a suitable unit.

    >>> _bytes(999), _bytes(1_234_567)
    ('999 B', '1.2 MB')
    """
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n >= size:
            return f"{n / size:.1f} {unit}"
    return f"{n} B"
