"""Detection of a column's kind, and gathering of its statistics.

The user's options come first. Numbers, booleans and dates are known by their stored type; a column that
is stored as a dictionary of such values is categorical. The kind of a text column is decided by all its
texts: see `rosenblatt.tables.text_kind`.

Parts of a table may be read separately and their statistics joined in order. The result is the same as
reading all parts chunk by chunk, or an exception says what must be known first.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from rosenblatt.core.errors import InputError
from rosenblatt.tables.cells import CellError, Cells, check_type, is_text, stored_kind, texts_of
from rosenblatt.tables.columns import LeftOut
from rosenblatt.tables.facts import (
    EMPTY,
    IGNORED,
    UNLIMITED,
    CategoryFacts,
    ExcludedFacts,
    Facts,
    Limits,
    NumberFacts,
    Summary,
    WordFacts,
    exceeds,
    shifted,
)
from rosenblatt.tables.text_counts import TextCounts
from rosenblatt.tables.text_kind import TextKind, text_kind


@dataclass(frozen=True)
class EncoderOptions:
    """The user's options for columns; the kinds of other columns are detected.

    ``kinds`` has the kinds of text columns that are known already.
    """

    categorical: Collection[str] = ()
    ignored: Collection[str] = ()
    text: Collection[str] = ()
    missing: Mapping[str | None, Sequence[str]] = field(default_factory=dict)
    min_count: int = 1
    kinds: Mapping[str, TextKind] = field(default_factory=dict)
    numeric: Collection[str] = ()

    def missing_in(self, name: str) -> tuple[str, ...]:
        """Return the user's missing markers for a column."""
        return (*self.missing.get(None, ()), *self.missing.get(name, ()))


class UndecidedError(Exception):
    """A text column's kind depends on its first texts, which no single part has."""


class KindMismatchError(Exception):
    """A part assumed a different kind for a text column than the whole column has."""

    def __init__(self, kind: TextKind) -> None:
        super().__init__()
        self.kind = kind


class ColumnFacts:
    """Statistics of a column, whose kind may not be known yet.

    >>> facts = ColumnFacts("size", EncoderOptions())
    >>> facts.add(pa.chunked_array([["S", "L"]]))
    >>> facts.add(pa.chunked_array([["S", "?"]]))
    >>> facts.summary().column
    Category(name='size', values=('L', 'S'), rare=(), indicates=True)
    """

    def __init__(self, name: str, options: EncoderOptions, limits: Limits = UNLIMITED) -> None:
        self.name, self._options, self._limits = name, options, limits
        self._n_rows = 0
        self._type: pa.DataType | None = None
        self._facts: Facts | None = None
        self.fault: InputError | None = None  # of a part; the whole table may have a different one

    @property
    def kind(self) -> TextKind | None:
        """The kind of a text column, if it is decided."""
        return self._facts.kind if isinstance(self._facts, TextFacts) else None

    def add(self, cells: Cells) -> None:
        """Add the cells of the next chunk."""
        if self.name in self._options.ignored:
            return
        check_type(self.name, cells.type)
        if pa.types.is_null(cells.type):
            self._add_missing(len(cells))
        else:
            self._facts_for(cells.type).add(cells, self._n_rows)
        self._n_rows += len(cells)

    def join(self, later: "ColumnFacts") -> None:
        """Add the statistics of a later part of the column.

        Raise `UndecidedError` or `KindMismatchError` if reading both in order may differ.

        >>> one, other = ColumnFacts("size", EncoderOptions()), ColumnFacts("size", EncoderOptions())
        >>> one.add(pa.chunked_array([["S", "L"]]))
        >>> other.add(pa.chunked_array([["S", "?"]]))
        >>> one.join(other)
        >>> one.summary().column
        Category(name='size', values=('L', 'S'), rare=(), indicates=True)
        """
        if later.fault is not None:
            known = later._options.kinds.get(self.name)
            raise self._error_of(later.fault, known)
        if later._facts is None or later._type is None:
            self._add_missing(later._n_rows)
        else:
            self._facts_for(later._type).join(later._facts, self._n_rows)
        self._n_rows += later._n_rows

    def summary(self) -> Summary:
        """Return the learned column."""
        if self.name in self._options.ignored:
            return Summary(LeftOut(self.name, IGNORED))
        if self._facts is None:
            return Summary(LeftOut(self.name, EMPTY))
        return self._facts.summary()

    def _add_missing(self, n: int) -> None:
        if self._facts is not None:
            self._facts.n_missing += n

    def _error_of(self, fault: InputError, known: TextKind | None) -> Exception:
        """Return a part's error, or a different one if the part may have assumed the wrong kind."""
        if isinstance(self._facts, TextFacts):
            if self._facts.kind not in (None, known):
                return KindMismatchError(self._facts.kind)
            if self._facts.kind is None and not self._facts.is_empty:
                return UndecidedError()
        return shifted(fault, self._n_rows)

    def _facts_for(self, kind: pa.DataType) -> Facts:
        """Return the statistics, created if needed; raise if they are not of this type."""
        if self._facts is None or self._type is None:
            self._type, self._facts = kind, self._new_facts(kind)
            self._facts.n_missing = self._n_rows
        stored, before = _stored_as(kind), _stored_as(self._type)
        if stored != before:
            raise CellError(
                self.name,
                self._n_rows,
                f"this table has {stored} in the column, but earlier tables have {before}; "
                "give all tables the same types",
            )
        return self._facts

    def _new_facts(self, kind: pa.DataType) -> Facts:
        """Return empty statistics for a column that is stored as this type."""
        name, options, limits = self.name, self._options, self._limits
        missing = options.missing_in(name)
        if name in options.text:
            return WordFacts(name, missing, limits)
        if name in options.numeric and not pa.types.is_temporal(kind):
            return NumberFacts(name, missing, limits, is_declared=True)
        is_declared = pa.types.is_dictionary(kind) and not is_text(kind)
        if name in options.categorical or is_declared:
            return CategoryFacts(name, missing, limits, options.min_count)
        if is_text(kind):
            return TextFacts(name, missing, limits, options.min_count, options.kinds.get(name))
        return NumberFacts(name, missing, limits, kind=stored_kind(kind))


def _stored_as(kind: pa.DataType) -> str:
    if is_text(kind):
        return "text"
    if pa.types.is_dictionary(kind):
        return "categories"
    return f"{stored_kind(kind)}s"


class TextFacts:
    """Statistics of texts whose kind is decided when all have been added.

    If there are more than the limits, the kind is decided by those added so far.
    """

    def __init__(
        self,
        name: str,
        missing: Sequence[str],
        limits: Limits,
        min_count: int,
        kind: TextKind | None = None,
    ) -> None:
        self.n_missing = 0
        self._name, self._missing, self._limits = name, missing, limits
        self._min_count = min_count
        self._texts = TextCounts.none()
        self._decided: Facts | None = None
        self.kind = kind
        if kind is not None:
            self._decide(kind)

    @property
    def is_empty(self) -> bool:
        """Whether no text was added and no kind is decided."""
        return self.kind is None and len(self._texts.values) == 0

    def add(self, cells: Cells, first_row: int) -> None:
        """Add the cells of a chunk; its first row has this number."""
        if self._decided is not None:
            self._decided.add(cells, first_row)
            return
        texts = texts_of(cells, self._missing)
        self.n_missing += int(np.count_nonzero(texts.codes < 0))
        self._texts = self._texts.joined(TextCounts.of(texts), first_row)
        if exceeds(self._texts, self._limits):
            self._decide(text_kind(self._name, self._texts, self._min_count))

    def add_texts(self, texts: TextCounts) -> None:
        """Add distinct texts with their counts."""
        if self._decided is not None:
            self._decided.add_texts(texts)
            return
        self._texts = self._texts.joined(texts, 0)
        if exceeds(self._texts, self._limits):
            raise UndecidedError

    def join(self, later: Facts, n_before: int) -> None:
        """Add the statistics of a later part, whose first row has the number ``n_before``."""
        assert isinstance(later, TextFacts)
        if later.kind is not None and self.kind is None:
            if not self.is_empty:
                raise UndecidedError
            self._decide(later.kind)
        if later.kind is None:
            self.add_texts(TextCounts.none().joined(later._texts, n_before))
        elif later.kind != self.kind:
            assert self.kind is not None
            raise KindMismatchError(self.kind)
        else:
            assert self._decided is not None
            assert later._decided is not None
            self._decided.join(later._decided, n_before)
        self.n_missing += later.n_missing

    def summary(self) -> Summary:
        """Return the learned column."""
        if self._decided is None:
            self._decide(text_kind(self._name, self._texts, self._min_count))
        assert self._decided is not None
        self._decided.n_missing += self.n_missing
        self.n_missing = 0
        return self._decided.summary()

    def _decide(self, kind: TextKind) -> None:
        """Set the kind, and move the texts to its statistics."""
        self.kind, self._decided = kind, self._new(kind)
        self._decided.add_texts(self._texts)
        self._texts = TextCounts.none()

    def _new(self, kind: TextKind) -> Facts:
        name, missing, limits = self._name, self._missing, self._limits
        match kind.name:
            case "left out":
                return ExcludedFacts(name, kind.reason)
            case "text":
                return WordFacts(name, missing, limits)
            case "category":
                return CategoryFacts(name, missing, limits, self._min_count)
        return NumberFacts(name, missing, limits, kind=kind.name, dates=kind.dates)
