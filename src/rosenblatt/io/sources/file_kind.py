"""What kind of samples a file has: its first bytes say so, whatever its name."""

import re

from rosenblatt.core.errors import InputError
from rosenblatt.core.number_syntax import NUMBER

HEAD = 2**20
"""How many bytes are looked at."""
ARROW_BEGINNINGS = {b"PAR1": "parquet", b"ARROW1": "arrow", b"FEA1": "arrow"}
"""How the files begin that Arrow reads."""
_PACKED = {
    b"\xfd7zXZ": "xz, which is not read: unpack it, or use gzip, bzip2 or zstd",
    b"PK\x03\x04": "zip, which is not read: save a workbook as CSV, or unpack the file",
}
# A label and an index:value pair, which a time of day before a comma is not; where the label is a
# number, also a pair with a mistake in it, which the libsvm reader then names.
_BEGINNING = re.compile(rf"\S+ [0-9]+:[^\s,;:]+|{NUMBER} [^\s:,;]+:[^\s,;]*".encode())


def file_kind(name: str, head: bytes, wanted: str = "auto") -> str:
    """Return the kind that is wanted, or that of a file which begins like this; raise if it is not read.

    >>> file_kind("a", b"+1 3:0.5"), file_kind("b", b"age,class"), file_kind("c", b"PAR1")
    ('libsvm', 'csv', 'parquet')
    >>> file_kind("d", b"7,2020-01-31 12:30,no")
    'csv'
    """
    for beginning, packed in _PACKED.items():
        if head.startswith(beginning) and b"\0" in head:
            raise InputError(f"{name}: this file is compressed with {packed}")
    kind = _kind(head) if wanted == "auto" else wanted
    if b"\0" in head and kind not in ARROW_BEGINNINGS.values():
        number = head.count(b"\n", 0, head.index(b"\0")) + 1
        raise InputError(
            f"{name}, line {number}: there is a NUL byte: this is not a UTF-8 text file"
        )
    return kind


def _kind(head: bytes) -> str:
    for beginning, kind in ARROW_BEGINNINGS.items():
        if head.startswith(beginning):
            return kind
    for line in head.splitlines():  # the first sample tells
        fields = line.partition(b"#")[0].split(maxsplit=2)
        if fields:
            return "libsvm" if _BEGINNING.fullmatch(b" ".join(fields[:2])) else "csv"
    return "csv"
