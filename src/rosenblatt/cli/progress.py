"""Progress on a terminal; nothing in a pipe."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from rosenblatt.core.compiling import notified_of_compiling

_COMPILING = "compiling (only the first time)"
_fixed_lines: list[str] = []
"""The lines of `fixed_line` that the terminal shows now."""


@contextmanager
def spinning(text: str) -> Iterator[None]:
    """Show a spinner while work goes on."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(text):
        yield


@contextmanager
def fixed_line(text: str) -> Iterator[None]:
    """Show a line that does not move: an animation would disturb what is being timed."""
    if not sys.stderr.isatty():
        yield
        return
    line = text[: shutil.get_terminal_size().columns - 1]
    _fixed_lines.append(line)
    print(line, end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        _fixed_lines.remove(line)
        print(_erased(line), end="", file=sys.stderr, flush=True)


@contextmanager
def compile_notice() -> Iterator[None]:
    """Print one line when the first function is compiled, if standard error is a terminal."""
    is_printed = sys.stderr is None or not sys.stderr.isatty()

    def notify() -> None:
        nonlocal is_printed
        if not is_printed:
            is_printed = True
            with suppress(OSError, ValueError):  # the terminal may be closed
                print_line(_COMPILING)

    with notified_of_compiling(notify):
        yield


def print_line(text: str) -> None:
    """Print a line that stays, above the fixed line if there is one; spinners do so themselves."""
    fixed = _fixed_lines[-1] if _fixed_lines else ""
    print(_erased(fixed) + text, file=sys.stderr)
    print(fixed, end="", file=sys.stderr, flush=True)


def _erased(line: str) -> str:
    """Return the characters that erase a line and move the cursor to its start."""
    return f"\r{' ' * len(line)}\r" if line else ""
