"""Detection of a text column's kind, from its distinct texts.

The rules, in this order: a column is boolean, a number or a date if all its texts are written that way,
except that distinct whole numbers in a column with the name of an id are ids. Numbers with thousands
separators, amounts of money and percentages are refused, because they would become categories. Texts
that all differ (nearly all, of twenty or more) are free text if there are at least twenty with four or
more words on average; otherwise they are ids. Ids are excluded. Other texts are free text if most are
rare and they have two or more words on average; otherwise they are categories. If most but not all
distinct texts are numbers, the user must say what the others are.
"""

from typing import NamedTuple

import numpy as np
import pyarrow.compute as pc

from rosenblatt.core.errors import quoted
from rosenblatt.core.types import Flags
from rosenblatt.tables.cells import (
    CellError,
    are_booleans,
    are_numbers,
    are_numbers_with_commas,
    date_format,
    matches,
)
from rosenblatt.tables.facts import EMPTY, ID, has_id_name
from rosenblatt.tables.text_counts import TextCounts

# A column with at least _FEW texts is also an id if nearly all of them differ.
_FEW, _NEARLY_ALL = 20, 0.95
_WORDS_OF_A_SENTENCE = 4
_QUANTITIES = {
    r"^[0-9]{1,4}[-/. ](?:[0-9]{1,2}|[A-Za-z]{3,9})[-/. ][0-9]{1,4}\b": "dates",
    r"^[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?: ?[AaPp][Mm])?$": "times",
    r"^[$€£]? ?[+-]?[0-9][0-9.,]*(?:[eE][+-]?[0-9]+)? ?(?:%|[$€£]|[A-Za-zµ°]{1,3})$|^[$€£] ?[0-9]": (
        "numbers with a sign or a unit"
    ),
}
_CURRENCY = r"(?:\p{Sc}|%|‰|USD|EUR|GBP|CHF|JPY|CNY|INR)"
_BLANK = "[ \u00a0\u202f]?"
_DIGITS = "[0-9.][0-9.,' \u00a0\u202f]*"  # with any marks between them
# an amount of money or a percentage, such as $1,810.00, (5 EUR) or 18.7 %
_AMOUNT = f"^[-+−(]?(?:{_CURRENCY}{_BLANK}[-+−]?{_DIGITS}|{_DIGITS}{_CURRENCY})[)]?$"


class TextKind(NamedTuple):
    """The kind of a text column: "number", "boolean", "date", "text", "category" or "left out".

    ``dates`` is the format of dates, ``reason`` why the column is excluded.
    """

    name: str
    dates: str = ""
    reason: str = ""


def text_kind(column: str, texts: TextCounts, min_count: int) -> TextKind:
    """Return the kind of a text column; raise if the user must decide.

    >>> import pyarrow as pa
    >>> from rosenblatt.tables.cells import texts_of
    >>> days = texts_of(pa.chunked_array([["2020-12-31", "2021-01-01"]]))
    >>> text_kind("day", TextCounts.of(days), min_count=1)
    TextKind(name='date', dates='ISO 8601', reason='')
    """
    if len(texts.values) == 0:
        return TextKind("left out", reason=EMPTY)
    if are_booleans(texts.values):
        return TextKind("boolean")
    if _are_numbers(column, texts):
        is_id = has_id_name(column) and _are_distinct_integers(texts)
        return TextKind("left out", reason=ID) if is_id else TextKind("number")
    dates = date_format(texts.values)
    if dates is not None:
        return TextKind("date", dates)
    if _is_free_text(texts, min_count):
        return TextKind("text")
    if _is_id(texts):
        _check_no_quantities(column, texts)
        return TextKind("left out", reason=ID)
    return TextKind("category")


def _check_no_quantities(name: str, texts: TextCounts) -> None:
    """Raise if most of a column's ids are dates, times, or numbers with a sign or a unit."""
    for pattern, quantity in _QUANTITIES.items():
        found = matches(texts.values, pattern)
        n_found = int(np.count_nonzero(found))
        if 2 * n_found > len(found):
            index = int(np.argmin(found))  # the first text that does not match, or the first of all
            raise CellError(
                name,
                texts.row_of(index),
                f"{quoted(texts.values[index].as_py())}: {n_found:,} of the {len(found):,} different "
                f"values in this column are {quantity}, in a form that cannot be learned from; write "
                "plain numbers or dates such as 2020-12-31, declare this value missing or the column "
                "categorical, or ignore the column",
            )


def _is_free_text(texts: TextCounts, min_count: int) -> bool:
    """Return whether texts are sentences rather than names of groups."""
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
    """Return whether texts are numbers; codes such as 007 are not, although they are digits."""
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
            "has a comma; if it is a decimal point, read the file with decimal=','; if it separates "
            "thousands, remove it; otherwise",
        )
    amounts = matches(texts.values, _AMOUNT)
    if (is_number | with_commas | amounts).all():
        raise _fault(
            name,
            texts,
            amounts,
            "is an amount of money or a percentage; write plain numbers, such as 1810 or 18.7; "
            "otherwise",
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
    """Return the error for the first wrong text, with the ways out."""
    index = int(np.argmax(wrong))
    return CellError(
        name,
        texts.row_of(index),
        f"{quoted(texts.values[index].as_py())} {fault} declare the column categorical, or this value "
        "missing",
    )


def _are_distinct_integers(texts: TextCounts) -> bool:
    """Return whether there are two or more texts, all different whole numbers."""
    return 1 < len(texts.values) == texts.n_cells and bool(
        matches(texts.values, "^[+-]?[0-9]+$").all()
    )
