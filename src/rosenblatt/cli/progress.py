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
    line = text[: shutil.get_terminal_size().columns - 1]
    _lines.append(line)
    print(line, end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        _lines.remove(line)
        print(_blank(line), end="", file=sys.stderr, flush=True)


def print_line(text: str) -> None:
    """Print a line that stays, above whatever is shown meanwhile."""
    # What spins prints such lines by itself.
    standing_now = _lines[-1] if _lines else ""
    print(_blank(standing_now) + text, file=sys.stderr)
    print(standing_now, end="", file=sys.stderr, flush=True)


_lines: list[str] = []
"""What stands on the terminal now."""


def _blank(line: str) -> str:
    """Return what wipes a line, and goes back to its begin."""
    return f"\r{' ' * len(line)}\r" if line else ""
