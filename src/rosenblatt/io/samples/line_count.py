"""How many lines a file has, counted in its bytes: a reader must account for each of them.

A quoted field of a CSV file may not contain a line break. That makes lines countable, and it is why a
quote that is never closed is found, whatever follows it.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.core.types import Counts
from rosenblatt.io.samples.text_file import pieces

_LF, _CR = b"\n"[0], b"\r"[0]


class LineCount(NamedTuple):
    """The number of lines that are not empty, the longest one's bytes, and whether all can be split.

    Lines cannot be split if they have a NUL, or a quote that neither opens nor closes a whole field nor
    is doubled within one. ``has_blank`` may be true of lines that end with CR LF, whose two signs it
    takes for two ends.
    """

    lines: int
    longest: int
    can_be_split: bool
    has_blank: bool


def count_lines(path: Path, delimiter: str, quote: str = '"') -> LineCount:
    """Count the lines of a CSV file, in pieces: the memory does not grow with the file."""
    lines, longest, can_be_split, has_blank = 0, 0, True, False
    mark = quote.encode()
    for piece in pieces(path):
        signs = np.frombuffer(piece, np.uint8)
        ends = np.flatnonzero((signs == _LF) | (signs == _CR))
        lengths = np.diff(ends, prepend=-1, append=len(signs)) - 1
        lines += int(np.count_nonzero(lengths))
        has_blank = has_blank or not lengths[:-1].all()
        longest = max(longest, int(lengths.max()))
        # Searching bytes costs next to nothing; most files have neither sign.
        if b"\0" in piece or (mark in piece and not _quotes_pair(signs, ends, delimiter, mark[0])):
            can_be_split = False
    return LineCount(lines, longest, can_be_split, has_blank)


def _quotes_pair(signs: NDArray[np.uint8], ends: Counts, delimiter: str, quote: int) -> bool:
    """Say whether quotes open and close whole fields in turn, each pair on one line.

    A doubled quote within a field closes it and opens it again.
    """
    quotes = np.flatnonzero(signs == quote)
    if len(quotes) % 2:
        return False
    opening, closing = quotes[0::2], quotes[1::2]
    around = np.full(len(signs) + 2, _LF, np.uint8)
    around[1:-1] = signs
    borders = np.array([_LF, _CR, quote, ord(delimiter)])
    return bool(
        np.isin(around[opening], borders).all()
        and np.isin(around[closing + 2], borders).all()
        and (np.searchsorted(ends, opening) == np.searchsorted(ends, closing)).all()
    )
