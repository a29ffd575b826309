"""How far a stream of samples has been read."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Position:
    """A place between two samples of a stream.

    ``source`` is the number of the source; ``offset`` what of it is done, in bytes as unpacked (of a
    Parquet file: row groups), and ``line`` how many of its lines; ``rows`` counts the samples of all
    sources that are done. ``digest`` is the SHA-256 of all bytes before, unpacked, from the beginning
    of the first source on, or empty if nobody asked for it.

    >>> Position(offset=100, line=3, rows=3) == Position()
    False
    """

    source: int = 0
    offset: int = 0
    line: int = 0
    rows: int = 0
    digest: str = ""


BEGINNING = Position()
"""Before the first sample."""
