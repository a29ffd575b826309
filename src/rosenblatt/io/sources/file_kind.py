"""Detection of a file's kind (CSV, libsvm, Parquet, Arrow) from its first bytes, not its name."""

import re

from rosenblatt.core.errors import InputError
from rosenblatt.core.number_syntax import NUMBER

HEAD = 2**20
"""The number of bytes to look at."""
ARROW_BEGINNINGS = {b"PAR1": "parquet", b"ARROW1": "arrow", b"FEA1": "arrow"}
"""The first bytes of the files that Arrow reads."""
_PACKED = {
    b"\xfd7zXZ": "xz, which is not supported: decompress it, or use gzip, bzip2 or zstd",
    b"PK\x03\x04": "zip, which is not supported: save a workbook as CSV, or unzip the file",
}
# A label and an index:value pair (not a time of day before a comma). If the label is a number, a
# malformed pair counts too: the libsvm reader then reports it.
_BEGINNING = re.compile(rf"\S+ [0-9]+:[^\s,;:]+|{NUMBER} [^\s:,;]+:[^\s,;]*".encode())


def file_kind(name: str, head: bytes, requested: str = "auto") -> str:
    """Return the requested kind, or the one that ``head`` shows; raise InputError if it is unsupported.

    >>> file_kind("a", b"+1 3:0.5"), file_kind("b", b"age,class"), file_kind("c", b"PAR1")
    ('libsvm', 'csv', 'parquet')
    >>> file_kind("d", b"7,2020-01-31 12:30,no")
    'csv'
    """
    for beginning, packed in _PACKED.items():
        if head.startswith(beginning) and b"\0" in head:
            raise InputError(f"{name}: this file is compressed with {packed}")
    kind = _kind(head) if requested == "auto" else requested
    if b"\0" in head and kind not in ARROW_BEGINNINGS.values():
        number = head.count(b"\n", 0, head.index(b"\0")) + 1
        raise InputError(f"{name}, line {number}: found a NUL byte: this is not a UTF-8 text file")
    return kind


def _kind(head: bytes) -> str:
    for beginning, kind in ARROW_BEGINNINGS.items():
        if head.startswith(beginning):
            return kind
    for line in head.splitlines():  # the first sample decides
        fields = line.partition(b"#")[0].split(maxsplit=2)
        if fields:
            return "libsvm" if _BEGINNING.fullmatch(b" ".join(fields[:2])) else "csv"
    return "csv"
