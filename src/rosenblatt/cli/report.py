"""Printing: a few aligned lines for people, one JSON document for programs."""

import json
import math
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from rosenblatt.core.errors import InputError

if TYPE_CHECKING:
    from rosenblatt.estimators.common.run import Progressive

Facts = dict[str, object]
"""A JSON document."""

_MOST_CLASSES = 20
_FEW_SAMPLES = 20


def print_facts(facts: dict[str, str]) -> None:
    """Print names and texts, aligned."""
    width = max(len(name) for name in facts)
    for name, text in facts.items():
        print_line(f"{name.ljust(width)}  {text}")


def print_columns(cells: list[str], widths: list[int]) -> None:
    """Print one line of a table: the first column left-aligned, the others right-aligned."""
    aligned = [
        cell.rjust(width) if column else cell.ljust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    print_line("  ".join(aligned).rstrip())


def print_table(head: list[str], rows: list[list[str]], left: Collection[int] = (0,)) -> None:
    """Print a table: the columns in ``left`` left-aligned, the others right-aligned."""
    lines = [[printable(cell) for cell in cells] for cells in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for cells in lines:
        aligned = [
            cell.ljust(width) if k in left else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        print_line("  ".join(aligned).rstrip())


def print_line(text: str, file: TextIO | None = None) -> None:
    """Print one line, to standard output unless a file is given; nothing in it controls a terminal."""
    print(printable(text), file=file, flush=True)


def printable(text: str, keep: str = "") -> str:
    r"""Escape the characters that control a terminal, except those in ``keep``.

    >>> print(printable("\x1b[31mred\u202e\n"))
    \x1b[31mred\u202e\n
    """
    return "".join(
        char if char.isprintable() or char in keep else char.encode("unicode_escape").decode()
        for char in text
    )


def printable_json(text: str) -> str:
    r"""Return the same JSON, with all characters escaped that control a terminal, except line breaks.

    >>> print(printable_json('"é\x9b\u202e"'))
    "é\u009b\u202e"
    """
    return "".join(
        char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1] for char in text
    )


def print_json(document: Facts) -> None:
    """Print one JSON document."""
    print(printable_json(json.dumps(document, indent=2, allow_nan=False, ensure_ascii=False)))


@contextmanager
def named_in_errors(path: Path | str) -> Iterator[None]:
    """Add the file's name to errors about its content."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def classes_text(counts: Mapping[str, int]) -> str:
    """Return the classes with their sample counts, or the first of many.

    >>> classes_text({"no": 1350, "yes": 2})
    'no (1,350), yes (2)'
    """
    named = [f"{name} ({count:,})" for name, count in counts.items()]
    more = len(named) - _MOST_CLASSES
    return ", ".join(named[:_MOST_CLASSES]) + (f" and {more:,} more" if more > 0 else "")


def lone_class_lines(counts: Mapping[str, int]) -> dict[str, str]:
    """Return a warning about classes with one sample, unless there are too few samples to tell.

    >>> lone_class_lines({"Adelie": 151, "Gentoo": 123, "adelie": 1, "Gento": 1})
    {'Warning': 'classes with only one sample: adelie (1), Gento (1); is this a typo?'}
    >>> lone_class_lines({"no": 3, "yes": 1})
    {}
    """
    alone = {name: count for name, count in counts.items() if count == 1}
    if not alone or sum(counts.values()) < _FEW_SAMPLES:
        return {}
    return {"Warning": f"classes with only one sample: {classes_text(alone)}; is this a typo?"}


def progressive_text(progressive: "Progressive", within: str) -> str:
    """Return the progressive error, and what it is."""
    return (
        f"{progressive.error:.4f}: {progressive.mistakes:,} of {progressive.samples:,} samples were "
        f"mispredicted just before they were learned, in the first {within}; this is not a held-out "
        "error"
    )


def finite_or_none(value: float) -> float | None:
    """Return the value, or None if it is infinite, which JSON cannot represent."""
    return value if math.isfinite(value) else None


def time_text(seconds: float, compile_seconds: float) -> str:
    """Return a duration, with the time to compile added separately.

    >>> time_text(1.94, 9.1), time_text(0.01, 0.0)
    ('1.9 s, and 9.1 s to compile (only the first time)', '10 ms')
    """
    if compile_seconds == 0.0:
        return seconds_text(seconds)
    compiled = seconds_text(compile_seconds)
    return f"{seconds_text(seconds)}, and {compiled} to compile (only the first time)"


def seconds_text(seconds: float) -> str:
    """Return a duration in a suitable unit.

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
