"""Finds out what a column of a table holds, by its different values, and what is to be kept of it.

The rules, in this order: a column that was named is what it was said to be. Numbers, truth values and
dates are known by how they are stored or, all of them, written; a column that is stored as a dictionary
of such values was declared as categories. Texts that are all different (of twenty or more: nearly all)
are free text if they are twenty and have four words or more on average; else they are ids and left out,
as are whole numbers that are all different in a column whose name says so. Of other texts, those of two
words and more, most of which are rare, are free text, and the rest are categories. Where most, but not
all, different texts are numbers, somebody must say what the others are.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rosenblatt.core.errors import quoted
from rosenblatt.core.types import Flags
from rosenblatt.tables.cells import (
    CellError,
    Cells,
    are_numbers,
    are_numbers_with_commas,
    check_type,
    date_format,
    is_text,
    matches,
    texts_of,
    truth_values,
)
from rosenblatt.tables.columns import LeftOut
from rosenblatt.tables.facts import (
    EMPTY,
    ID,
    IGNORED,
    UNLIMITED,
    CategoryFacts,
    Facts,
    Found,
    Limits,
    NumberFacts,
    UnusedFacts,
    WordFacts,
    exceeds,
    is_called_id,
)
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


class ColumnFacts:
    """What has been gathered of a column, of which nothing may be known but its name.

    >>> facts = ColumnFacts("size", Wishes())
    >>> facts.add(pa.chunked_array([["S", "L"]]))
    >>> facts.add(pa.chunked_array([["S", "?"]]))
    >>> facts.found().column
    Category(name='size', values=('L', 'S'), rare=(), indicates=True)
    """

    def __init__(self, name: str, wishes: Wishes, limits: Limits = UNLIMITED) -> None:
        self._name, self._wishes, self._limits = name, wishes, limits
        self._n_rows = 0
        self._stored = ""
        self._facts: Facts | None = None

    def add(self, cells: Cells) -> None:
        """Add the cells of the next chunk."""
        if self._name in self._wishes.ignored:
            return
        check_type(self._name, cells.type)
        if not pa.types.is_null(cells.type):
            stored = _stored_as(cells.type)
            if self._facts is None:
                self._stored, self._facts = stored, self._begun(cells.type)
                self._facts.n_missing = self._n_rows
            if stored != self._stored:
                raise CellError(
                    self._name,
                    self._n_rows,
                    f"this table holds {stored} in the column, and those before hold {self._stored}; "
                    "give all tables the same types",
                )
            self._facts.add(cells, self._n_rows)
        elif self._facts is not None:
            self._facts.n_missing += len(cells)
        self._n_rows += len(cells)

    def found(self) -> Found:
        """Return what the column holds."""
        if self._name in self._wishes.ignored:
            return Found(LeftOut(self._name, IGNORED))
        if self._facts is None:
            return Found(LeftOut(self._name, EMPTY), self._n_rows)
        return self._facts.found()

    def _begun(self, kind: pa.DataType) -> Facts:
        """Return what gathers the facts about a column that is stored as this type."""
        name, wishes, limits = self._name, self._wishes, self._limits
        missing = wishes.missing_in(name)
        if name in wishes.text:
            return WordFacts(name, missing, limits)
        is_declared = pa.types.is_dictionary(kind) and not is_text(kind)
        if name in wishes.categorical or is_declared:
            return CategoryFacts(name, missing, limits, wishes.min_count)
        if is_text(kind):
            return TextFacts(name, missing, limits, wishes.min_count)
        if pa.types.is_temporal(kind):
            return NumberFacts(name, missing, limits, kind="date")
        own = "boolean" if pa.types.is_boolean(kind) else "number"
        return NumberFacts(name, missing, limits, kind=own)


def _stored_as(kind: pa.DataType) -> str:
    if is_text(kind):
        return "texts"
    if pa.types.is_dictionary(kind):
        return "categories"
    if pa.types.is_temporal(kind):
        return "dates"
    return "truth values" if pa.types.is_boolean(kind) else "numbers"


class TextFacts:
    """Texts of which it is not known yet what they are: that is decided when all are there.

    Where they are more than are remembered, it is decided by those that are there; they must be no
    categories then.
    """

    def __init__(self, name: str, missing: Sequence[str], limits: Limits, min_count: int) -> None:
        self.n_missing = 0
        self._name, self._missing, self._limits = name, missing, limits
        self._min_count = min_count
        self._texts = TextCounts.none()
        self._decided: Facts | None = None

    def add(self, cells: Cells, first_row: int) -> None:
        """Add the cells of a chunk; its first row has this number."""
        if self._decided is not None:
            self._decided.add(cells, first_row)
            return
        texts = texts_of(cells, self._missing)
        self.n_missing += int(np.count_nonzero(texts.codes < 0))
        self._texts = self._texts.joined(TextCounts.of(texts), first_row)
        if exceeds(self._texts, self._limits):
            self._decide()

    def found(self) -> Found:
        """Return what the column holds."""
        if self._decided is None:
            self._decide()
        assert self._decided is not None
        self._decided.n_missing += self.n_missing
        self.n_missing = 0
        return self._decided.found()

    def _decide(self) -> None:
        self._decided = self._kind()
        self._texts = TextCounts.none()

    def _kind(self) -> Facts:
        """Return what goes on with the texts, as what they are."""
        name, texts, missing, limits = self._name, self._texts, self._missing, self._limits
        if len(texts.values) == 0:
            return UnusedFacts(name, missing, EMPTY)
        if truth_values(texts.values):
            return self._numbers(kind="boolean")
        if _are_numbers(name, texts):
            is_id = is_called_id(name) and _is_numbering(texts)
            return UnusedFacts(name, missing, ID) if is_id else self._numbers()
        way = date_format(texts.values)
        if way is not None:
            return self._numbers(kind="date", dates=way)
        if _is_free(texts, self._min_count):
            words = WordFacts(name, missing, limits)
            words.add_texts(texts)
            return words
        if _is_id(texts):
            _check_measured(name, texts)
            return UnusedFacts(name, missing, ID)
        categories = CategoryFacts(name, missing, limits, self._min_count)
        categories.add_texts(texts.in_one_spelling())
        return categories

    def _numbers(self, *, kind: str = "number", dates: str = "") -> NumberFacts:
        numbers = NumberFacts(self._name, self._missing, self._limits, kind=kind, dates=dates)
        numbers.add_texts(self._texts)
        return numbers


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
