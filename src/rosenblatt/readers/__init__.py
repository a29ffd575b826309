"""Files of labelled samples: CSV and libsvm, each with errors that name the line."""

import re
from pathlib import Path

from rosenblatt.errors import InputError
from rosenblatt.readers.csv import read_csv
from rosenblatt.readers.libsvm import read_libsvm
from rosenblatt.readers.table import Table, open_text

FORMATS = ("auto", "csv", "libsvm")

_PAIR = re.compile(r"^\d+:\S+$")


def read(
    path: Path,
    *,
    kind: str = "auto",
    label: str | None = None,
    expect: Table | None = None,
) -> Table:
    """Read a file of samples.

    ``label`` names or numbers a CSV file's label column, the last one by default. ``expect`` describes
    the samples that a model has learned from: the file may then come without labels, its columns are
    matched by name where both sides have names, and its features must be the same in number.
    """
    if not path.exists():
        raise InputError(f"{path}: there is no such file")
    if path.is_dir():
        raise InputError(f"{path}: this is a folder; give a CSV or libsvm file")
    if kind == "auto":
        kind = "libsvm" if _looks_like_libsvm(path) else "csv"
    if kind == "libsvm":
        return read_libsvm(path, expect=expect)
    return read_csv(path, label=label, expect=expect)


def _looks_like_libsvm(path: Path) -> bool:
    """Say whether the first sample is a label followed by index:value pairs."""
    with open_text(path) as lines:
        for line in lines:
            fields = line.split("#")[0].split()
            if fields:
                return len(fields) > 1 and _PAIR.match(fields[1]) is not None
    return False


__all__ = ["FORMATS", "Table", "read"]
