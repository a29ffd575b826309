"""What is gathered of a column that is known to hold numbers, categories or words, chunk by chunk.

Whatever is gathered adds up, so that it is the same however a table is cut into chunks, or into parts
that are looked at each by itself and then joined.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rosenblatt.core.errors import InputError
from rosenblatt.tables.cells import (
    ISO,
    CellError,
    Cells,
    numbers_of,
    text_numbers,
    texts_of,
    whole_numbers_of,
)
from rosenblatt.tables.columns import Category, Learned, LeftOut, Number, Words
from rosenblatt.tables.moments import Moments
from rosenblatt.tables.text_counts import TextCounts
from rosenblatt.tables.word_counts import WordCounts

IGNORED, ID, SINGLE, EMPTY = "as you said", "an id: its values differ", "one value only", "no value"

_CALLED_ID = re.compile(r"(?i:(?:.*[_ .-])?id|index|unnamed: 0|rownames|)|.*[a-z]I[Dd]")


class Limits(NamedTuple):
    """How much is remembered of a column: different values, the bytes of texts, words."""

    values: float
    n_bytes: float
    words: float


UNLIMITED = Limits(np.inf, np.inf, np.inf)
"""For a table that is in memory anyway."""

OF_A_STREAM = Limits(2**18, 2**26, 2**22)
"""For tables that come in chunks."""


@dataclass(frozen=True)
class Found:
    """What was found out about a column: for numbers, also how many are missing, and how they lie."""

    column: Learned
    n_missing: int = 0
    mean: float = 0.0
    spread: float = 0.0
    largest: float = 0.0


class Facts(Protocol):
    """What has been gathered of a column."""

    n_missing: int

    def add(self, cells: Cells, first_row: int) -> None:
        """Add the cells of a chunk; its first row has this number."""

    def add_texts(self, texts: TextCounts) -> None:
        """Add different texts as often as they occur."""

    def join(self, later: Any, n_before: int) -> None:
        """Add what was gathered of a later part, before which there are as many rows as said."""

    def found(self) -> Found:
        """Return what the column holds."""


def moved(fault: InputError, n_rows: int) -> InputError:
    """Return the fault of a cell with the number that its row has after this many others."""
    if isinstance(fault, CellError):
        return CellError(fault.column, fault.row + n_rows, fault.fault)
    return fault


class NumberFacts:
    """Numbers, truth values or dates."""

    def __init__(
        self,
        name: str,
        missing: Sequence[str],
        limits: Limits,
        *,
        kind: str = "number",
        dates: str = "",
    ) -> None:
        self.n_missing = 0
        self._name, self._kind, self._missing, self._dates = name, kind, missing, dates
        self._moments = Moments()
        self._numbering = Numbering(limits) if kind == "number" and is_called_id(name) else None
        self._fault: InputError | None = None

    def add(self, cells: Cells, first_row: int) -> None:
        """Add the cells of a chunk; its first row has this number."""
        whole = None
        if self._numbering is not None and pa.types.is_integer(cells.type):
            # before they become float64, which may not hold them
            whole = whole_numbers_of(cells, self._missing)
            self._numbering.add(whole)
        try:
            values = numbers_of(self._name, cells, self._missing, self._dates)
        except CellError as error:
            fault = moved(error, first_row)
            if self._numbering is None or whole is None or not self._numbering.is_possible:
                raise fault from error
            self._fault = self._fault or fault
            self.n_missing += len(cells) - len(whole)
            return
        is_missing = np.isnan(values)
        self.n_missing += int(np.count_nonzero(is_missing))
        if self._numbering is not None and whole is None:
            self._numbering.add(values[~is_missing])
        self._moments.add(values)

    def add_texts(self, texts: TextCounts) -> None:
        """Add different texts, which are numbers or dates, as often as they occur."""
        values = text_numbers(self._name, texts, self._missing, self._dates)
        is_missing = np.isnan(values)
        self.n_missing += int(texts.counts[is_missing].sum())
        if self._numbering is not None:
            twice = np.minimum(texts.counts[~is_missing], 2)
            self._numbering.add(np.repeat(values[~is_missing], twice))
        self._moments.add(values, texts.counts)

    def join(self, later: "NumberFacts", n_before: int) -> None:
        """Add what was gathered of a later part, before which there are as many rows as said."""
        self.n_missing += later.n_missing
        self._moments.join(later._moments)
        if self._numbering is not None and later._numbering is not None:
            self._numbering.join(later._numbering)
        if later._fault is not None:
            self._fault = self._fault or moved(later._fault, n_before)

    def found(self) -> Found:
        """Return what the column holds."""
        if self._numbering is not None and self._numbering.is_found:
            return Found(LeftOut(self._name, ID), self.n_missing)
        if self._fault is not None:
            raise self._fault
        if self._moments.n == 0:
            return Found(LeftOut(self._name, EMPTY), self.n_missing)
        kind, dates = self._kind, self._dates
        mean, spread = self._moments.mean(), self._moments.spread()
        # days since 1970 are far from 0; the first of a column's own days is not
        center = float(np.floor(self._moments.lowest)) if kind == "date" else 0.0
        if kind == "date" and not dates:
            dates = ISO  # as texts will write them
        column = Number(self._name, kind, mean, self.n_missing > 0, center, 1.0, dates)
        return Found(column, self.n_missing, mean, spread, self._moments.largest)


class Numbering:
    """Whether two or more numbers are whole, and no two the same: they are then the numbers of samples.

    That is taken for certain when there are as many as are remembered.
    """

    def __init__(self, limits: Limits) -> None:
        self._most = limits.values
        self._seen: NDArray[Any] = np.empty(0, np.int64)
        # all that were added until it was decided, as they came: they decide when parts are joined
        self._added: list[NDArray[Any]] = []
        self._is_certain = False
        self.is_possible = True

    @property
    def is_found(self) -> bool:
        """Whether all numbers so far are such."""
        return self._is_certain or (self.is_possible and len(self._seen) > 1)

    def add(self, values: NDArray[Any]) -> None:
        """Add numbers that are not missing."""
        if self._is_certain or not self.is_possible:
            return
        self._added.append(values)
        all_values = np.concatenate([self._seen, values]) if len(self._seen) else values
        self._seen = np.sort(all_values)
        self.is_possible = bool(
            (self._seen[1:] != self._seen[:-1]).all() and (values == np.floor(values)).all()
        )
        self._is_certain = self.is_possible and len(self._seen) > self._most
        if self._is_certain or not self.is_possible:
            self._seen = self._seen[:0]

    def join(self, later: "Numbering") -> None:
        """Add the numbers of a later part: those that decided it, or all."""
        for values in later._added:
            self.add(values)


class CategoryFacts:
    """Names of groups."""

    def __init__(self, name: str, missing: Sequence[str], limits: Limits, min_count: int) -> None:
        self.n_missing = 0
        self._name, self._missing, self._limits = name, missing, limits
        self._min_count = min_count
        self._texts = TextCounts.none()

    def add(self, cells: Cells, first_row: int) -> None:
        """Add the cells of a chunk; its first row has this number."""
        texts = texts_of(cells, self._missing, names=True)
        self.n_missing += int(np.count_nonzero(texts.codes < 0))
        self._join(TextCounts.of(texts), first_row)

    def add_texts(self, texts: TextCounts) -> None:
        """Add different texts as often as they occur."""
        self._join(texts.in_one_spelling(), 0)

    def join(self, later: "CategoryFacts", n_before: int) -> None:
        """Add what was gathered of a later part, before which there are as many rows as said."""
        self.n_missing += later.n_missing
        self._join(later._texts, n_before)

    def _join(self, later: TextCounts, n_before: int) -> None:
        texts = self._texts.joined(later, n_before)
        if exceeds(texts, self._limits):
            raise InputError(
                f"column {self._name} has {len(texts.values):,} different values in the first "
                f"{texts.n_cells:,} samples, too many for categories; leave it out (--ignore), or have "
                "its words counted (--text)"
            )
        self._texts = texts

    def found(self) -> Found:
        """Return what the column holds."""
        texts, n_missing = self._texts, self.n_missing
        if len(texts.values) + (n_missing > 0) < 2:
            return Found(LeftOut(self._name, SINGLE if len(texts.values) else EMPTY), n_missing)
        counted = sorted(zip(texts.values.to_pylist(), texts.counts.tolist(), strict=True))
        most = max((count for _, count in counted), default=0)
        # where all are rare, all are kept
        fewest = self._min_count if most >= self._min_count else 1
        common = tuple(value for value, count in counted if count >= fewest)
        rare = tuple(value for value, count in counted if count < fewest)
        return Found(Category(self._name, common, rare, n_missing > 0), n_missing)


class WordFacts:
    """Free text."""

    def __init__(self, name: str, missing: Sequence[str], limits: Limits) -> None:
        self.n_missing = 0
        self._name, self._missing, self._limits = name, missing, limits
        self._n_texts, self._words = 0, WordCounts()

    def add(self, cells: Cells, first_row: int) -> None:
        """Add the cells of a chunk; its first row has this number."""
        del first_row
        texts = texts_of(cells, self._missing)
        self.n_missing += int(np.count_nonzero(texts.codes < 0))
        self.add_texts(TextCounts.of(texts))

    def add_texts(self, texts: TextCounts) -> None:
        """Add different texts as often as they occur."""
        self._n_texts += texts.n_cells
        self._words.add(texts)
        self._check()

    def _check(self) -> None:
        if len(self._words) > self._limits.words:
            raise InputError(
                f"column {self._name} has {len(self._words):,} different words in the first "
                f"{self._n_texts + self.n_missing:,} samples, more than are remembered, and to forget "
                "some would change the result; leave the column out (--ignore)"
            )

    def join(self, later: "WordFacts", n_before: int) -> None:
        """Add what was gathered of a later part."""
        del n_before
        self.n_missing += later.n_missing
        self._n_texts += later._n_texts
        self._words.join(later._words)
        self._check()

    def found(self) -> Found:
        """Return what the column holds."""
        for at_least in (2, 1):  # a word of one text says nothing about others, unless all are such
            words = self._words.words(at_least)
            if words:
                weights = self._words.weights(words, self._n_texts + self.n_missing)
                return Found(Words(self._name, tuple(words), weights), self.n_missing)
        return Found(LeftOut(self._name, EMPTY), self.n_missing)


class UnusedFacts:
    """What is not learned from; missing values are counted."""

    def __init__(self, name: str, missing: Sequence[str], reason: str) -> None:
        self.n_missing = 0
        self._name, self._missing, self._reason = name, missing, reason

    def add(self, cells: Cells, first_row: int) -> None:
        """Add the cells of a chunk; its first row has this number."""
        del first_row
        self.n_missing += int(np.count_nonzero(texts_of(cells, self._missing).codes < 0))

    def add_texts(self, texts: TextCounts) -> None:
        """Do nothing: texts are not missing."""

    def join(self, later: "UnusedFacts", n_before: int) -> None:
        """Add what was gathered of a later part."""
        del n_before
        self.n_missing += later.n_missing

    def found(self) -> Found:
        """Return what the column holds."""
        return Found(LeftOut(self._name, self._reason), self.n_missing)


def exceeds(texts: TextCounts, limits: Limits) -> bool:
    """Say whether there are more different texts than are remembered."""
    return len(texts.values) > limits.values or texts.values.nbytes > limits.n_bytes


def is_called_id(name: str) -> bool:
    """Say whether a column's name says that its numbers are ids.

    >>> is_called_id("customer_id"), is_called_id("paid")
    (True, False)
    """
    return _CALLED_ID.fullmatch(name) is not None
