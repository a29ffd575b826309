"""Positions in a stream of samples."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Position:
    """A position between two samples of a stream.

    ``source`` is the number of the source. ``offset`` counts its decompressed bytes (for a Parquet file:
    row groups) before the position, ``line`` its lines, and ``rows`` the samples of all sources.
    ``digest`` is the SHA-256 of all decompressed bytes before, from the beginning of the first source,
    or empty if not requested.

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
