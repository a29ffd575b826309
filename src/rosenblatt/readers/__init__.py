"""Files of labelled samples: CSV and libsvm, each with errors that name the line."""

import re
import stat
from pathlib import Path

from rosenblatt.errors import InputError
from rosenblatt.readers.csv import read_csv
from rosenblatt.readers.libsvm import read_libsvm
from rosenblatt.readers.table import Table, open_text

_PAIR = re.compile(r"^\d+:\S+$")


def read(
    path: Path,
    *,
    kind: str = "auto",
    label: str | None = None,
    header: bool | None = None,
    expect: Table | None = None,
) -> Table:
    """Read a file of samples.

    ``label`` names or numbers a CSV file's label column, the last one by default; ``header`` says
    whether its first line has names (None: find out). ``expect`` describes
    the samples that a model has learned from: the file may then come without labels, its columns are
    matched by name where both sides have names, and its features must be the same in number.
    """
    _check_file(path)
    if kind == "auto":
        kind = "libsvm" if _looks_like_libsvm(path) else "csv"
    if kind == "libsvm":
        return read_libsvm(path, expect=expect)
    return read_csv(path, label=label, header=header, expect=expect)


def _check_file(path: Path) -> None:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError as error:
        raise InputError(f"{path}: there is no such file") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    if stat.S_ISDIR(mode):
        raise InputError(f"{path}: this is a folder; give a CSV or libsvm file")
    if not stat.S_ISREG(mode):
        raise InputError(f"{path}: this is no ordinary file, which can be read more than once")


def _looks_like_libsvm(path: Path) -> bool:
    """Say whether the first sample is a label followed by index:value pairs."""
    with open_text(path) as lines:
        for line in lines:
            fields = line.split("#")[0].split()
            if fields:
                return len(fields) > 1 and _PAIR.match(fields[1]) is not None
    return False


__all__ = ["Table", "read"]
