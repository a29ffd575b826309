"""Finds out what a column of a table holds, by its different values, and what is to be kept of it.

The rules, in this order: a column that was named is what it was said to be. Numbers, truth values and
dates are known by how they are stored or, all of them, written; a column that is stored as a dictionary
of such values was declared as categories. Texts that are all different (of twenty or more: nearly all)
are free text if they are twenty and have four words or more on average; else they are ids and left out,
as are whole numbers that are all different in a column whose name says so. Of other texts, those of two
words and more, most of which are rare, are free text, and the rest are categories. Where most, but not
all, different texts are numbers, somebody must say what the others are.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rosenblatt.core.errors import quoted
from rosenblatt.core.types import Flags, Floats
from rosenblatt.tables.cells import (
    ISO,
    CellError,
    Cells,
    Texts,
    check_type,
    date_format,
    is_text,
    matches,
    numbers_of,
    texts_of,
    truth_values,
)
from rosenblatt.tables.columns import (
    Category,
    Learned,
    LeftOut,
    Number,
    Words,
    new_vectorizer,
    plain_texts,
)

_CALLED_ID = re.compile(r"(?i:(?:.*[_ .-])?id|index|unnamed: 0|rownames|)|.*[a-z]I[Dd]")
_MOST_WORDS = 2**18
# A column of at least so many texts is an id, too, if nearly all of them differ.
_FEW, _NEARLY_ALL = 20, 0.95
_WORDS_OF_A_SENTENCE = 4
# A sum in pairs, as NumPy adds, rounds a value no more often; a smaller spread is rounding.
_ROUNDINGS = 64
_MEASURED = {
    r"^[0-9]{1,4}[-/. ](?:[0-9]{1,2}|[A-Za-z]{3,9})[-/. ][0-9]{1,4}\b": "dates",
    r"^[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?: ?[AaPp][Mm])?$": "times",
    r"^[$€£]? ?[+-]?[0-9][0-9.,]*(?:[eE][+-]?[0-9]+)? ?(?:%|[$€£]|[A-Za-zµ°]{1,3})$|^[$€£] ?[0-9]": (
        "numbers with a sign or a unit"
    ),
}
IGNORED, ID, SINGLE, EMPTY = "as you said", "an id: its values differ", "one value only", "no value"


@dataclass(frozen=True)
class Wishes:
    """What the user has said about columns; those that are not named are found out."""

    categorical: Collection[str] = ()
    ignored: Collection[str] = ()
    text: Collection[str] = ()
    missing: Mapping[str | None, Sequence[str]] = field(default_factory=dict)
    min_count: int = 1

    def missing_in(self, name: str) -> tuple[str, ...]:
        """Return what stands for a missing value in a column, beside the usual signs."""
        return (*self.missing.get(None, ()), *self.missing.get(name, ()))


@dataclass(frozen=True)
class Found:
    """What was learned of a column, how many of its values are missing, and how they lie."""

    column: Learned
    n_missing: int = 0
    mean: float = 0.0
    spread: float = 0.0
    largest: float = 0.0


def learned_of(name: str, cells: Cells, wishes: Wishes) -> Found:
    """Return what a column holds.

    >>> learned_of("size", pa.chunked_array([["S", "L", "S", "?"]]), Wishes()).column
    Category(name='size', values=('L', 'S'), rare=(), indicates=True)
    >>> learned_of("size", pa.chunked_array([[1.0, 2.0]]), Wishes()).column
    Number(name='size', kind='number', fill=1.5, indicates=False, center=0.0, scale=1.0, dates='')
    """
    if name in wishes.ignored:
        return Found(LeftOut(name, IGNORED))
    check_type(name, cells.type)
    if pa.types.is_null(cells.type):
        return Found(LeftOut(name, EMPTY), len(cells))
    if name in wishes.text:
        return _words(name, texts_of(cells, wishes.missing_in(name)))
    missing = wishes.missing_in(name)
    is_declared = pa.types.is_dictionary(cells.type) and not is_text(cells.type)
    if name in wishes.categorical or is_declared:
        return _category(name, texts_of(cells, missing, names=True), wishes.min_count)
    if not is_text(cells.type):
        return _number(name, cells, missing)
    return _text(name, cells, missing, wishes.min_count)


def _text(name: str, cells: Cells, missing: Sequence[str], min_count: int) -> Found:
    """Return what a column of texts holds."""
    texts = texts_of(cells, missing)
    if len(texts.values) == 0:
        return Found(LeftOut(name, EMPTY), len(cells))
    if truth_values(texts):
        return _number(name, cells, missing, kind="boolean")
    if _are_numbers(name, texts):
        return _number(name, cells, missing)
    way = date_format(texts)
    if way is not None:
        return _number(name, cells, missing, kind="date", dates=way)
    if _is_free(texts, min_count):
        return _words(name, texts)
    if _is_id(texts):
        _check_measured(name, texts)
        return Found(LeftOut(name, ID), int(np.count_nonzero(texts.codes < 0)))
    return _category(name, texts_of(cells, missing, names=True), min_count)


def _check_measured(name: str, texts: Texts) -> None:
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


def _is_free(texts: Texts, min_count: int) -> bool:
    """Say whether texts are sentences rather than names of groups."""
    n_different = len(texts.values)
    if n_different < _FEW:
        return False
    blanks = int(pc.sum(pc.count_substring(texts.values, " ")).as_py())
    if _is_id(texts):
        return blanks >= (_WORDS_OF_A_SENTENCE - 1) * n_different
    rare = texts.counts() < min_count
    return 2 * int(rare.sum()) > n_different and blanks >= n_different


def _is_id(texts: Texts) -> bool:
    n_cells, n_different = int(np.count_nonzero(texts.codes >= 0)), len(texts.values)
    if n_cells < _FEW:
        return n_cells == n_different > 1
    return n_different >= _NEARLY_ALL * n_cells


def _are_numbers(name: str, texts: Texts) -> bool:
    """Say whether texts are numbers; codes such as 007 are not, though all are digits."""
    are_numbers = texts.are_numbers()
    n_numbers = int(np.count_nonzero(are_numbers))
    if n_numbers == len(are_numbers):
        return not any(re.match(r"[+-]?0[0-9]", text) for text in texts.values.to_pylist())
    with_commas = ~are_numbers & texts.are_numbers_with_commas()
    if (are_numbers | with_commas).all():
        raise _fault(
            name,
            texts,
            with_commas,
            "has a comma; if that is a decimal point, say --decimal ','; if it separates thousands, "
            "take it out; if not,",
        )
    if 2 * n_numbers < len(are_numbers):
        return False
    raise _fault(
        name,
        texts,
        ~are_numbers,
        f"is not a number, but {n_numbers:,} of the {len(are_numbers):,} different values in this "
        "column are;",
    )


def _fault(name: str, texts: Texts, wrong: Flags, fault: str) -> CellError:
    """Return the error for the first of the texts that are wrong, and the ways out."""
    place = int(np.argmax(wrong))
    return CellError(
        name,
        texts.row_of(place),
        f"{quoted(texts.values[place].as_py())} {fault} say that the column is categorical "
        "(--categorical), or that this value stands for a missing one (--missing)",
    )


def _number(
    name: str, cells: Cells, missing: Sequence[str], *, kind: str = "number", dates: str = ""
) -> Found:
    if pa.types.is_temporal(cells.type):
        kind = "date"
    elif pa.types.is_boolean(cells.type):
        kind = "boolean"
    is_named_id = kind == "number" and _CALLED_ID.fullmatch(name) is not None
    # before they become float64, which may not hold them
    if is_named_id and (is_text(cells.type) or pa.types.is_integer(cells.type)):
        texts = texts_of(cells, missing)
        if _is_numbering(texts):
            return Found(LeftOut(name, ID), int(np.count_nonzero(texts.codes < 0)))
    values = numbers_of(name, cells, missing, dates)
    present = values[~np.isnan(values)] if np.isnan(values).any() else values
    n_missing = len(values) - len(present)
    if len(present) == 0:
        return Found(LeftOut(name, EMPTY), n_missing)
    if is_named_id and _all_differ(present):
        return Found(LeftOut(name, ID), n_missing)
    mean, spread, largest = _measured(present)
    # days since 1970 are far from 0; the first of a column's own days is not
    center = float(np.floor(present.min())) if kind == "date" else 0.0
    if kind == "date" and not dates:
        dates = ISO  # as texts will write them
    column = Number(name, kind, mean, n_missing > 0, center, 1.0, dates)
    return Found(column, n_missing, mean, spread, largest)


def _measured(values: Floats) -> tuple[float, float, float]:
    """Return the mean, the standard deviation and the largest absolute value, of numbers of any size."""
    largest = float(np.abs(values).max())
    # a power of 2, so that nothing is rounded; squares neither overflow nor vanish
    exponent = int(np.frexp(largest)[1])
    near_one = np.ldexp(values, -exponent)
    mean = np.clip(near_one.mean(), near_one.min(), near_one.max())
    spread = float(near_one.std())
    if spread <= min(len(values), _ROUNDINGS) * np.finfo(np.float64).eps:
        spread = 0.0
    return float(np.ldexp(mean, exponent)), float(np.ldexp(spread, exponent)), largest


def _is_numbering(texts: Texts) -> bool:
    """Say whether all of two or more texts are whole numbers, and no two the same."""
    return 1 < len(texts.values) == np.count_nonzero(texts.codes >= 0) and all(
        re.fullmatch("[+-]?[0-9]+", text) for text in texts.values.to_pylist()
    )


def _all_differ(values: Floats) -> bool:
    """Say whether all of two or more values are whole numbers, and no two the same."""
    return (
        len(values) > 1
        and bool((values == np.floor(values)).all())
        and len(np.unique(values)) == len(values)
    )


def _category(name: str, texts: Texts, min_count: int) -> Found:
    n_missing = int(np.count_nonzero(texts.codes < 0))
    if len(texts.values) + (n_missing > 0) < 2:
        return Found(LeftOut(name, SINGLE if len(texts.values) else EMPTY), n_missing)
    counted = sorted(zip(texts.values.to_pylist(), texts.counts().tolist(), strict=True))
    most = max((count for _, count in counted), default=0)
    fewest = min_count if most >= min_count else 1  # where all are rare, all are kept
    common = tuple(value for value, count in counted if count >= fewest)
    rare = tuple(value for value, count in counted if count < fewest)
    return Found(Category(name, common, rare, n_missing > 0), n_missing)


def _words(name: str, texts: Texts) -> Found:
    n_missing = int(np.count_nonzero(texts.codes < 0))
    for fewest in (2, 1):  # a word that one text has says nothing about others, unless all are such
        vectorizer = new_vectorizer(min_df=fewest, max_features=_MOST_WORDS)
        try:
            vectorizer.fit(plain_texts(texts))
        except ValueError:  # no word is left
            continue
        words = tuple(vectorizer.get_feature_names_out().tolist())
        return Found(Words(name, words, vectorizer.idf_), n_missing)
    return Found(LeftOut(name, EMPTY), n_missing)
