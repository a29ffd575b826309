"""Counting of a file's lines, so that a reader can account for each of them.

Quoted fields must not contain line breaks. So lines can be counted, and unclosed quotes are detected.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.core.types import Counts
from rosenblatt.io.samples.text_file import pieces

_LF, _CR = b"\n"[0], b"\r"[0]


class LineCount(NamedTuple):
    """The number of lines that are not empty, the longest one in bytes, and whether all can be split.

    Lines cannot be split if they contain NUL, or a quote that does not open or close a whole field and
    is not doubled within one. ``has_blank`` may be true for lines that end with CR LF, because each of
    the two counts as a line end.
    """

    lines: int
    longest: int
    can_be_split: bool
    has_blank: bool


def count_lines(path: Path, delimiter: str, quote: str = '"') -> LineCount:
    """Count the lines of a CSV file piece by piece: memory does not grow with the file."""
    lines, longest, can_be_split, has_blank = 0, 0, True, False
    for piece in pieces(path):
        own = lines_in(piece, delimiter, quote)
        lines, longest = lines + own.lines, max(longest, own.longest)
        can_be_split, has_blank = can_be_split and own.can_be_split, has_blank or own.has_blank
    return LineCount(lines, longest, can_be_split, has_blank)


def lines_in(piece: bytes, delimiter: str, quote: str = '"') -> LineCount:
    r"""Count the lines of a piece of text that consists of whole lines.

    >>> lines_in(b"1,a\n\n2,bc\n", ",")
    LineCount(lines=2, longest=4, can_be_split=True, has_blank=True)
    """
    signs, mark = np.frombuffer(piece, np.uint8), quote.encode()
    ends = np.flatnonzero((signs == _LF) | (signs == _CR))
    lengths = np.diff(ends, prepend=-1, append=len(signs)) - 1
    # Searching bytes costs almost nothing; most files contain neither NUL nor quotes.
    can_be_split = b"\0" not in piece and (
        mark not in piece or _are_quotes_paired(signs, ends, delimiter, mark[0])
    )
    return LineCount(
        int(np.count_nonzero(lengths)), int(lengths.max()), can_be_split, not lengths[:-1].all()
    )


def _are_quotes_paired(signs: NDArray[np.uint8], ends: Counts, delimiter: str, quote: int) -> bool:
    """Return whether quotes alternately open and close whole fields, each pair on one line.

    A doubled quote within a field closes and reopens it.
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
