"""Statistics of columns of a known kind (numbers, categories or words), gathered chunk by chunk.

The statistics add up, so they do not depend on how a table is cut into chunks, or into parts that are
read separately and then joined.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rosenblatt.core.constants import WHOLE
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats
from rosenblatt.tables.cells import (
    ISO,
    CellError,
    Cells,
    as_names,
    numbers_of,
    text_numbers,
    texts_of,
    whole_numbers_of,
)
from rosenblatt.tables.columns import Category, Learned, LeftOut, Number, Words
from rosenblatt.tables.moments import Moments
from rosenblatt.tables.text_counts import TextCounts
from rosenblatt.tables.word_counts import WordCounts

IGNORED, ID, SINGLE, EMPTY = (
    "as requested",
    "an id: all values differ",
    "one value only",
    "no value",
)
WAY_BACK = "declare it numeric to keep it"
# Without an intercept, a constant takes its place.
COUNTER, CONSTANT = f"counts the rows; {WAY_BACK}", f"{SINGLE}; {WAY_BACK}"
_FEWEST_COUNTED, _YEARS = 20, (1500, 2100)

_CALLED_ID = re.compile(r"(?i:(?:.*[_ .-])?id|index|unnamed: 0|rownames|)|.*[a-z]I[Dd]")


class Limits(NamedTuple):
    """The most distinct values, bytes of text and distinct words kept for a column."""

    values: float
    n_bytes: float
    words: float


UNLIMITED = Limits(np.inf, np.inf, np.inf)
"""For a table in memory."""

OF_A_STREAM = Limits(2**18, 2**26, 2**22)
"""For a table in chunks."""


@dataclass(frozen=True)
class Summary:
    """A learned column and its missing values; for numbers, mean and spread, and whether all are 0 or 1.

    The missing values of an excluded column are not counted.
    """

    column: Learned
    n_missing: int = 0
    mean: float = 0.0
    spread: float = 0.0
    is_zero_or_one: bool = False


class Facts(Protocol):
    """Statistics of a column."""

    n_missing: int

    def add(self, cells: Cells, first_row: int) -> None:
        """Add the cells of a chunk; its first row has this number."""

    def add_texts(self, texts: TextCounts) -> None:
        """Add distinct texts with their counts."""

    def join(self, later: Any, n_before: int) -> None:
        """Add the statistics of a later part, whose first row has the number ``n_before``."""

    def summary(self) -> Summary:
        """Return the learned column."""


def shifted(fault: InputError, n_rows: int) -> InputError:
    """Return a cell's error with ``n_rows`` added to its row."""
    if isinstance(fault, CellError):
        return CellError(fault.column, fault.row + n_rows, fault.fault)
    return fault


class NumberFacts:
    """Statistics of numbers, booleans or dates."""

    def __init__(
        self,
        name: str,
        missing: Sequence[str],
        limits: Limits,
        *,
        kind: str = "number",
        dates: str = "",
        is_declared: bool = False,
    ) -> None:
        self.n_missing = 0
        self._name, self._kind, self._missing, self._dates = name, kind, missing, dates
        self._moments, self._is_declared = Moments(), is_declared
        may_be_id = kind == "number" and not is_declared and has_id_name(name)
        self._id_detector = IdDetector(limits) if may_be_id else None
        self._counter = RowCounter()
        self._fault: InputError | None = None

    def add(self, cells: Cells, first_row: int) -> None:
        """Add the cells of a chunk; its first row has this number."""
        whole = None
        if self._id_detector is not None and pa.types.is_integer(cells.type):
            # exactly, before they are converted to float64
            whole = whole_numbers_of(cells, self._missing)
            self._id_detector.add(whole)
        try:
            values = numbers_of(self._name, cells, self._missing, self._dates, self._kind)
        except CellError as error:
            fault = shifted(error, first_row)
            if self._id_detector is None or whole is None or not self._id_detector.is_possible:
                raise fault from error
            self._fault = self._fault or fault
            self.n_missing += len(cells) - len(whole)
            return
        is_missing = np.isnan(values)
        self.n_missing += int(np.count_nonzero(is_missing))
        if self._id_detector is not None and whole is None:
            self._id_detector.add(values[~is_missing])
        self._counter.add(values)
        self._moments.add(values)

    def add_texts(self, texts: TextCounts) -> None:
        """Add distinct texts, which are numbers or dates, with their counts."""
        values = text_numbers(self._name, texts, self._missing, self._dates, self._kind)
        is_missing = np.isnan(values)
        self.n_missing += int(texts.counts[is_missing].sum())
        twice = np.repeat(values, np.minimum(texts.counts, 2))
        if self._id_detector is not None:
            self._id_detector.add(twice[~np.isnan(twice)])
        self._counter.add(twice)
        self._moments.add(values, texts.counts)

    def join(self, later: "NumberFacts", n_before: int) -> None:
        """Add the statistics of a later part, whose first row has the number ``n_before``."""
        self.n_missing += later.n_missing
        self._moments.join(later._moments)
        self._counter.join(later._counter)
        if self._id_detector is not None and later._id_detector is not None:
            self._id_detector.join(later._id_detector)
        if later._fault is not None:
            self._fault = self._fault or shifted(later._fault, n_before)

    def summary(self) -> Summary:
        """Return the learned column."""
        if self._id_detector is not None and self._id_detector.is_id:
            return Summary(LeftOut(self._name, ID))
        if self._fault is not None:
            raise self._fault
        if self._moments.n == 0:
            return Summary(LeftOut(self._name, EMPTY))
        if reason := self._reason_to_exclude():
            return Summary(LeftOut(self._name, reason))
        kind, dates = self._kind, self._dates
        mean, spread = self._moments.mean(), self._moments.spread()
        # days since 1970 are far from 0, so count from the column's first day
        center = float(np.floor(self._moments.lowest)) if kind == "date" else 0.0
        if kind == "date" and not dates:
            dates = ISO  # the format if later cells are text
        column = Number(self._name, kind, mean, self.n_missing > 0, center, 1.0, dates)
        return Summary(column, self.n_missing, mean, spread, self._moments.are_zero_or_one())

    def _reason_to_exclude(self) -> str | None:
        if self._is_declared or self.n_missing:
            return None
        if self._kind == "number" and self._counter.counts_rows:
            return COUNTER
        # of one sample, every value is the only one
        is_single = self._moments.lowest == self._moments.highest and self._moments.n > 1
        if not is_single:
            return None
        return CONSTANT if self._kind == "number" else SINGLE


class RowCounter:
    """Detects numbers that count the rows: each is one more than the one before, and they are not years.

    >>> counter = RowCounter()
    >>> for start in (7, 19):
    ...     counter.add(np.arange(start, start + 12.0))
    >>> counter.counts_rows
    True
    """

    def __init__(self) -> None:
        self._first, self._n, self._is_possible = 0.0, 0, True

    @property
    def counts_rows(self) -> bool:
        """Whether there are at least 20 numbers that count the rows."""
        last = self._first + self._n - 1
        are_years = _YEARS[0] <= self._first and last <= _YEARS[1]
        return self._is_possible and self._n >= _FEWEST_COUNTED and not are_years

    def add(self, values: Floats) -> None:
        """Add the numbers of the next rows; NaN counts nothing."""
        if self._is_possible and len(values):
            first = float(values[0])
            counts = abs(first) < WHOLE / 2 and first.is_integer()  # 2**53 + 1 is 2**53
            counts = counts and bool((values[1:] == values[:-1] + 1.0).all())
            self._append(first, len(values), is_possible=counts)

    def join(self, later: "RowCounter") -> None:
        """Add the numbers of a later part."""
        if later._n:
            self._append(later._first, later._n, is_possible=later._is_possible)

    def _append(self, first: float, n: int, *, is_possible: bool) -> None:
        self._first = self._first if self._n else first
        self._is_possible &= is_possible and first == self._first + self._n
        self._n += n


class IdDetector:
    """Detects ids: two or more whole numbers, all different.

    The answer is final when there are more numbers than the limit.
    """

    def __init__(self, limits: Limits) -> None:
        self._most = limits.values
        self._seen: NDArray[Any] = np.empty(0, np.int64)
        # all numbers added before the answer was final, in order: `join` adds them again
        self._added: list[NDArray[Any]] = []
        self._is_certain = False
        self.is_possible = True

    @property
    def is_id(self) -> bool:
        """Whether all numbers so far are ids."""
        return self._is_certain or (self.is_possible and len(self._seen) > 1)

    def add(self, values: NDArray[Any]) -> None:
        """Add numbers, without missing values."""
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

    def join(self, later: "IdDetector") -> None:
        """Add the numbers of a later part, up to those that made its answer final."""
        for values in later._added:
            self.add(values)


class CategoryFacts:
    """Counts of the names of groups."""

    def __init__(self, name: str, missing: Sequence[str], limits: Limits, min_count: int) -> None:
        self.n_missing = 0
        self._name, self._missing, self._limits = name, missing, limits
        self._min_count = min_count
        self._texts = TextCounts.none()

    def add(self, cells: Cells, first_row: int) -> None:
        """Add the cells of a chunk; its first row has this number."""
        texts = texts_of(cells, self._missing, as_names)
        self.n_missing += int(np.count_nonzero(texts.codes < 0))
        self._join(TextCounts.of(texts), first_row)

    def add_texts(self, texts: TextCounts) -> None:
        """Add distinct texts with their counts."""
        self._join(texts.rewritten(as_names), 0)

    def join(self, later: "CategoryFacts", n_before: int) -> None:
        """Add the statistics of a later part, whose first row has the number ``n_before``."""
        self.n_missing += later.n_missing
        self._join(later._texts, n_before)

    def _join(self, later: TextCounts, n_before: int) -> None:
        texts = self._texts.joined(later, n_before)
        if exceeds(texts, self._limits):
            raise InputError(
                f"column {self._name} has {len(texts.values):,} different values in the first "
                f"{texts.n_cells:,} samples, too many for categories; ignore it or declare it text"
            )
        self._texts = texts

    def summary(self) -> Summary:
        """Return the learned column."""
        texts, n_missing = self._texts, self.n_missing
        if len(texts.values) + (n_missing > 0) < 2:
            return Summary(LeftOut(self._name, SINGLE if len(texts.values) else EMPTY))
        counted = sorted(zip(texts.values.to_pylist(), texts.counts.tolist(), strict=True))
        most = max((count for _, count in counted), default=0)
        # if all are rare, keep all
        fewest = self._min_count if most >= self._min_count else 1
        common = tuple(value for value, count in counted if count >= fewest)
        rare = tuple(value for value, count in counted if count < fewest)
        return Summary(Category(self._name, common, rare, n_missing > 0), n_missing)


class WordFacts:
    """Counts of the words of free text."""

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
        """Add distinct texts with their counts."""
        self._n_texts += texts.n_cells
        self._words.add(texts)
        self._check()

    def _check(self) -> None:
        if len(self._words) > self._limits.words:
            raise InputError(
                f"column {self._name} has {len(self._words):,} different words in the first "
                f"{self._n_texts + self.n_missing:,} samples, more than the limit of "
                f"{self._limits.words:,}; ignore the column"
            )

    def join(self, later: "WordFacts", n_before: int) -> None:
        """Add the statistics of a later part."""
        del n_before
        self.n_missing += later.n_missing
        self._n_texts += later._n_texts
        self._words.join(later._words)
        self._check()

    def summary(self) -> Summary:
        """Return the learned column."""
        for at_least in (2, 1):  # words of a single text are used only if there are no others
            words = self._words.words(at_least)
            if words:
                weights = self._words.weights(words, self._n_texts + self.n_missing)
                return Summary(Words(self._name, tuple(words), weights), self.n_missing)
        return Summary(LeftOut(self._name, EMPTY))


class ExcludedFacts:
    """Nothing: the column is excluded."""

    def __init__(self, name: str, reason: str) -> None:
        self.n_missing = 0
        self._name, self._reason = name, reason

    def add(self, cells: Cells, first_row: int) -> None:
        """Do nothing."""

    def add_texts(self, texts: TextCounts) -> None:
        """Do nothing."""

    def join(self, later: "ExcludedFacts", n_before: int) -> None:
        """Do nothing."""

    def summary(self) -> Summary:
        """Return the excluded column."""
        return Summary(LeftOut(self._name, self._reason))


def exceeds(texts: TextCounts, limits: Limits) -> bool:
    """Return whether there are more distinct texts than the limits allow."""
    return len(texts.values) > limits.values or texts.values.nbytes > limits.n_bytes


def has_id_name(name: str) -> bool:
    """Return whether a column has the name of an id.

    >>> has_id_name("customer_id"), has_id_name("paid")
    (True, False)
    """
    return _CALLED_ID.fullmatch(name) is not None
