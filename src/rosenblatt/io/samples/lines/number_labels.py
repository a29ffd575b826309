"""Labels that are numbers: integers when all are whole, else the numbers as text."""

import re
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import numpy as np

from rosenblatt.core.constants import WHOLE
from rosenblatt.core.errors import InputError, quoted
from rosenblatt.core.types import Floats, Labels
from rosenblatt.io.samples.text_file import byte_lines, open_bytes


def number_labels(path: Path, y: Floats, lines: Sequence[int]) -> Labels:
    """Return the labels of a file, the first words of its lines with these numbers.

    >>> number_labels(Path("data"), np.array([1.0, 2.5]), [1, 2]).tolist()
    ['1', '2.5']
    """
    large = np.abs(y) >= WHOLE
    if not large.any() and (y == np.round(y)).all():
        return y.astype(np.int64)
    if large.any():
        _check_whole(path, y, lines)
    return np.array([repr(label).removesuffix(".0") for label in y.tolist()])


def _check_whole(path: Path, y: Floats, lines: Sequence[int]) -> None:
    """Raise if a label is a whole number that float64 rounds to another one."""
    with open_bytes(path) as file:
        rows = dict(zip(lines, y.tolist(), strict=True))
        for number, line in enumerate(byte_lines(path, file), start=1):
            text = line.partition(b"#")[0].split()[0].decode() if number in rows else ""
            if re.fullmatch(r"[+-]?[0-9]+", text) and Decimal(text) != Decimal(rows[number]):
                raise InputError(
                    f"{path}, line {number}: the label {quoted(text)} is so large that float64 "
                    f"rounds it to another number; give whole numbers of at most {WHOLE}"
                )
