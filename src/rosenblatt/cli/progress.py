"""Progress on a terminal, nothing in a pipe."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def spinning(text: str) -> Iterator[None]:
    """Show that work is going on, on a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(text):
        yield


@contextmanager
def standing(text: str) -> Iterator[None]:
    """Show a line that does not move, on a terminal: a moving one would disturb what is timed."""
    if not sys.stderr.isatty():
        yield
        return
    width = shutil.get_terminal_size().columns - 1
    print(text[:width], end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        print("\r" + " " * min(len(text), width), end="\r", file=sys.stderr, flush=True)
