"""Files of labelled samples: CSV and libsvm, each with errors that name the line.

What is read accounts for every line of a file, or the file is refused.
"""

import re
from pathlib import Path

from rosenblatt.core.errors import InputError
from rosenblatt.core.files import check_readable
from rosenblatt.io.csv_file import read_csv
from rosenblatt.io.libsvm_file import read_libsvm
from rosenblatt.io.number_syntax import NUMBER
from rosenblatt.io.table import Table
from rosenblatt.io.text_file import open_bytes

_HEAD = 2**20
_PACKED = {
    b"\x1f\x8b": "gzip, for which its name must end with .gz",
    b"BZh": "bzip2, for which its name must end with .bz2",
    b"\xfd7zXZ": "xz, which is not read: unpack it, or use gzip or bzip2",
    b"\x28\xb5\x2f\xfd": "zstd, which is not read: unpack it, or use gzip or bzip2",
    b"PK\x03\x04": "zip, which is not read: unpack it, or use gzip or bzip2",
}
# A label and an index:value pair; where the label is a number, also a pair with a mistake in it, which
# the libsvm reader then names.
_BEGINNING = re.compile(rf"\S+ [0-9]+:\S+|{NUMBER} [^\s:,;]+:[^\s,;]*".encode())


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
    whether its first line has names (None: find out). ``expect`` describes the samples that a model has
    learned from: the file may then come without labels, its columns are matched by name where both sides
    have names, it must have the same number of features, and its labels are where the model's were.
    """
    check_readable(path)
    head = _head(path)
    if kind == "auto":
        kind = "libsvm" if _looks_like_libsvm(head) else "csv"
    if kind == "libsvm":
        return read_libsvm(path, expect=expect)
    return read_csv(path, label=label, header=header, expect=expect)


def _head(path: Path) -> bytes:
    """Return the beginning of a file; raise if it is compressed or not text."""
    with open_bytes(path) as file:
        head = file.read(_HEAD)
    for beginning, name in _PACKED.items():
        if head.startswith(beginning) and b"\0" in head:
            raise InputError(f"{path}: this file is compressed with {name}")
    if b"\0" in head:
        number = head.count(b"\n", 0, head.index(b"\0")) + 1
        raise InputError(
            f"{path}, line {number}: there is a NUL byte: this is not a text file in UTF-8"
        )
    return head


def _looks_like_libsvm(head: bytes) -> bool:
    """Say whether the first sample is a label followed by index:value pairs."""
    for line in head.splitlines():
        fields = line.partition(b"#")[0].split(maxsplit=2)
        if fields:
            return _BEGINNING.fullmatch(b" ".join(fields[:2])) is not None
    return False


__all__ = ["Table", "read"]
