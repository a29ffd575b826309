"""How results are printed: a few aligned lines for people, one JSON document for programs."""

import json
import math
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from rosenblatt.core.errors import InputError

Facts = dict[str, object]
"""A JSON document."""


def print_facts(facts: dict[str, str]) -> None:
    """Print names and what they are, aligned."""
    width = max(len(name) for name in facts)
    for name, text in facts.items():
        print(_printable(f"{name.ljust(width)}  {text}"))


def print_columns(cells: list[str], widths: list[int]) -> None:
    """Print one line of a table: the first column to the left, the others to the right."""
    aligned = [
        cell.rjust(width) if column else cell.ljust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    print(_printable("  ".join(aligned).rstrip()), flush=True)


def print_table(head: list[str], rows: list[list[str]], left: Collection[int] = (0,)) -> None:
    """Print a table, aligned: the columns in ``left`` to the left, the others to the right."""
    lines = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for cells in lines:
        aligned = [
            cell.ljust(width) if k in left else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        print(_printable("  ".join(aligned).rstrip()))


def _printable(text: str) -> str:
    """Return text without signs that would command a terminal.

    >>> _printable(chr(27) + "[31mred") == chr(92) + "x1b[31mred"
    True
    """
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text
    )


def print_json(document: Facts) -> None:
    """Print one JSON document."""
    print(json.dumps(document, indent=2, allow_nan=False, ensure_ascii=False))


@contextmanager
def named_in_errors(path: Path | str) -> Iterator[None]:
    """Put a file's name in front of what is wrong with its content."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def finite_or_none(value: float) -> float | None:
    """Return the value, or None for infinity, which JSON does not have."""
    return value if math.isfinite(value) else None


def time_text(seconds: float, compile_seconds: float) -> str:
    """Return how long something took, and apart from that how long it took to compile it.

    >>> time_text(1.94, 9.1), time_text(0.01, 0.0)
    ('1.9 s, and 9.1 s to compile, once for this machine', '10 ms')
    """
    if compile_seconds == 0.0:
        return seconds_text(seconds)
    compiled = seconds_text(compile_seconds)
    return f"{seconds_text(seconds)}, and {compiled} to compile, once for this machine"


def seconds_text(seconds: float) -> str:
    """Return a duration in words.

    >>> seconds_text(4.2e-6), seconds_text(0.0123), seconds_text(3.21), seconds_text(75.0)
    ('4.2 µs', '12.3 ms', '3.2 s', '1 min 15 s')
    """
    if seconds < 1e-3:
        return f"{1e6 * seconds:.3g} µs"
    if seconds < 1.0:
        return f"{1000 * seconds:.3g} ms"
    if seconds < 60.0:
        return f"{seconds:.1f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"
