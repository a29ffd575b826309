"""What texts of which nothing is known are taken for, by the different ones among them.

The rules, in this order: truth values, numbers and dates are known by how they are written, all of them.
Texts that are all different (of twenty or more: nearly all) are free text if they are twenty and have
four words or more on average; else they are ids and left out, as are whole numbers that are all
different in a column whose name says so. Of other texts, those of two words and more, most of which are
rare, are free text, and the rest are categories. Where most, but not all, different texts are numbers,
somebody must say what the others are.
"""

from typing import NamedTuple

import numpy as np
import pyarrow.compute as pc

from rosenblatt.core.errors import quoted
from rosenblatt.core.types import Flags
from rosenblatt.tables.cells import (
    CellError,
    are_numbers,
    are_numbers_with_commas,
    date_format,
    matches,
    truth_values,
)
from rosenblatt.tables.facts import EMPTY, ID, is_called_id
from rosenblatt.tables.text_counts import TextCounts

# A column of at least so many texts is an id, too, if nearly all of them differ.
_FEW, _NEARLY_ALL = 20, 0.95
_WORDS_OF_A_SENTENCE = 4
_MEASURED = {
    r"^[0-9]{1,4}[-/. ](?:[0-9]{1,2}|[A-Za-z]{3,9})[-/. ][0-9]{1,4}\b": "dates",
    r"^[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?: ?[AaPp][Mm])?$": "times",
    r"^[$€£]? ?[+-]?[0-9][0-9.,]*(?:[eE][+-]?[0-9]+)? ?(?:%|[$€£]|[A-Za-zµ°]{1,3})$|^[$€£] ?[0-9]": (
        "numbers with a sign or a unit"
    ),
}


class TextKind(NamedTuple):
    """What texts are: "number", "boolean", "date", "text", "category" or "left out".

    ``dates`` is how dates are written, ``reason`` why texts are left out.
    """

    name: str
    dates: str = ""
    reason: str = ""


def text_kind(column: str, texts: TextCounts, min_count: int) -> TextKind:
    """Return what the texts of a column are; raise if somebody must say it.

    >>> import pyarrow as pa
    >>> from rosenblatt.tables.cells import texts_of
    >>> days = texts_of(pa.chunked_array([["2020-12-31", "2021-01-01"]]))
    >>> text_kind("day", TextCounts.of(days), min_count=1)
    TextKind(name='date', dates='ISO 8601', reason='')
    """
    if len(texts.values) == 0:
        return TextKind("left out", reason=EMPTY)
    if truth_values(texts.values):
        return TextKind("boolean")
    if _are_numbers(column, texts):
        is_id = is_called_id(column) and _is_numbering(texts)
        return TextKind("left out", reason=ID) if is_id else TextKind("number")
    dates = date_format(texts.values)
    if dates is not None:
        return TextKind("date", dates)
    if _is_free(texts, min_count):
        return TextKind("text")
    if _is_id(texts):
        _check_measured(column, texts)
        return TextKind("left out", reason=ID)
    return TextKind("category")


def _check_measured(name: str, texts: TextCounts) -> None:
    """Raise if most texts that all differ are dates, or numbers with a sign or a unit: no ids."""
    for pattern, what in _MEASURED.items():
        found = matches(texts.values, pattern)
        n_found = int(np.count_nonzero(found))
        if 2 * n_found > len(found):
            place = int(np.argmin(found))  # the first that is not such, else the first
            raise CellError(
                name,
                texts.row_of(place),
                f"{quoted(texts.values[place].as_py())}: {n_found:,} of the {len(found):,} different "
                f"values in this column are {what}, which are not learned from as they are; write plain "
                "numbers or dates such as 2020-12-31, say that this value stands for a missing one or "
                "that the column is categorical, or ignore it",
            )


def _is_free(texts: TextCounts, min_count: int) -> bool:
    """Say whether texts are sentences rather than names of groups."""
    n_different = len(texts.values)
    if n_different < _FEW:
        return False
    blanks = int(pc.sum(pc.count_substring(texts.values, " ")).as_py())
    if _is_id(texts):
        return blanks >= (_WORDS_OF_A_SENTENCE - 1) * n_different
    rare = texts.counts < min_count
    return 2 * int(rare.sum()) > n_different and blanks >= n_different


def _is_id(texts: TextCounts) -> bool:
    n_cells, n_different = texts.n_cells, len(texts.values)
    if n_cells < _FEW:
        return n_cells == n_different > 1
    return n_different >= _NEARLY_ALL * n_cells


def _are_numbers(name: str, texts: TextCounts) -> bool:
    """Say whether texts are numbers; codes such as 007 are not, though all are digits."""
    is_number = are_numbers(texts.values)
    n_numbers = int(np.count_nonzero(is_number))
    if n_numbers == len(is_number):
        return not matches(texts.values, "^[+-]?0[0-9]").any()
    with_commas = ~is_number & are_numbers_with_commas(texts.values)
    if (is_number | with_commas).all():
        raise _fault(
            name,
            texts,
            with_commas,
            "has a comma; if that is a decimal point, say --decimal ','; if it separates thousands, "
            "take it out; if not,",
        )
    if 2 * n_numbers < len(is_number):
        return False
    raise _fault(
        name,
        texts,
        ~is_number,
        f"is not a number, but {n_numbers:,} of the {len(is_number):,} different values in this "
        "column are;",
    )


def _fault(name: str, texts: TextCounts, wrong: Flags, fault: str) -> CellError:
    """Return the error for the first of the texts that are wrong, and the ways out."""
    place = int(np.argmax(wrong))
    return CellError(
        name,
        texts.row_of(place),
        f"{quoted(texts.values[place].as_py())} {fault} say that the column is categorical "
        "(--categorical), or that this value stands for a missing one (--missing)",
    )


def _is_numbering(texts: TextCounts) -> bool:
    """Say whether all of two or more texts are whole numbers, and no two the same."""
    return 1 < len(texts.values) == texts.n_cells and bool(
        matches(texts.values, "^[+-]?[0-9]+$").all()
    )
