"""Finds out what a column of a table holds, by its different values, and what is to be kept of it.

A column that was named is what it was said to be. Numbers, truth values and dates are known by how they
are stored; a column that is stored as a dictionary of such values was declared as categories. What texts
are is decided by all of them: see `rosenblatt.tables.text_kind`.

Parts of a table may be looked at each by itself, and what was gathered of them is joined in the order of
the parts: that is what one reading of all of them, chunk by chunk, gathers, or there is an exception
which says what must be known first.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from rosenblatt.core.errors import InputError
from rosenblatt.tables.cells import CellError, Cells, check_type, is_text, texts_of
from rosenblatt.tables.columns import LeftOut
from rosenblatt.tables.facts import (
    EMPTY,
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
    moved,
)
from rosenblatt.tables.text_counts import TextCounts
from rosenblatt.tables.text_kind import TextKind, text_kind


@dataclass(frozen=True)
class Wishes:
    """What the user has said about columns; those that are not named are found out.

    ``kinds`` has those columns of texts of which somebody has found out already what they are.
    """

    categorical: Collection[str] = ()
    ignored: Collection[str] = ()
    text: Collection[str] = ()
    missing: Mapping[str | None, Sequence[str]] = field(default_factory=dict)
    min_count: int = 1
    kinds: Mapping[str, TextKind] = field(default_factory=dict)

    def missing_in(self, name: str) -> tuple[str, ...]:
        """Return what stands for a missing value in a column, beside the usual signs."""
        return (*self.missing.get(None, ()), *self.missing.get(name, ()))


class UndecidedError(Exception):
    """What the texts of a column are is decided by some of its first ones, which no part has alone."""


class OtherKindError(Exception):
    """The texts of a part were taken for what all texts of the column are not."""

    def __init__(self, kind: TextKind) -> None:
        super().__init__()
        self.kind = kind


class ColumnFacts:
    """What has been gathered of a column, of which nothing may be known but its name.

    >>> facts = ColumnFacts("size", Wishes())
    >>> facts.add(pa.chunked_array([["S", "L"]]))
    >>> facts.add(pa.chunked_array([["S", "?"]]))
    >>> facts.found().column
    Category(name='size', values=('L', 'S'), rare=(), indicates=True)
    """

    def __init__(self, name: str, wishes: Wishes, limits: Limits = UNLIMITED) -> None:
        self.name, self._wishes, self._limits = name, wishes, limits
        self._n_rows = 0
        self._type: pa.DataType | None = None
        self._facts: Facts | None = None
        self.fault: InputError | None = None  # of a part: it may be none, or another, in the whole

    @property
    def kind(self) -> TextKind | None:
        """What the column's texts are, if it has some, and that is decided."""
        return self._facts.kind if isinstance(self._facts, TextFacts) else None

    def add(self, cells: Cells) -> None:
        """Add the cells of the next chunk."""
        if self.name in self._wishes.ignored:
            return
        check_type(self.name, cells.type)
        if pa.types.is_null(cells.type):
            self._add_missing(len(cells))
        else:
            self._begin(cells.type).add(cells, self._n_rows)
        self._n_rows += len(cells)

    def join(self, later: "ColumnFacts") -> None:
        """Add what was gathered of a later part of the column.

        Raise `UndecidedError` or `OtherKindError` if that cannot be what one reading gathers.

        >>> one, other = ColumnFacts("size", Wishes()), ColumnFacts("size", Wishes())
        >>> one.add(pa.chunked_array([["S", "L"]]))
        >>> other.add(pa.chunked_array([["S", "?"]]))
        >>> one.join(other)
        >>> one.found().column
        Category(name='size', values=('L', 'S'), rare=(), indicates=True)
        """
        if later.fault is not None:
            known = later._wishes.kinds.get(self.name)
            raise self._judged(later.fault, known)
        if later._facts is None or later._type is None:
            self._add_missing(later._n_rows)
        else:
            self._begin(later._type).join(later._facts, self._n_rows)
        self._n_rows += later._n_rows

    def found(self) -> Found:
        """Return what the column holds."""
        if self.name in self._wishes.ignored:
            return Found(LeftOut(self.name, IGNORED))
        if self._facts is None:
            return Found(LeftOut(self.name, EMPTY), self._n_rows)
        return self._facts.found()

    def _add_missing(self, n: int) -> None:
        if self._facts is not None:
            self._facts.n_missing += n

    def _judged(self, fault: InputError, known: TextKind | None) -> Exception:
        """Return a part's fault, unless its texts may be others than it knew, or took them for."""
        if isinstance(self._facts, TextFacts):
            if self._facts.kind not in (None, known):
                return OtherKindError(self._facts.kind)
            if self._facts.kind is None and not self._facts.is_empty:
                return UndecidedError()
        return moved(fault, self._n_rows)

    def _begin(self, kind: pa.DataType) -> Facts:
        """Return what gathers the facts about cells of this type."""
        if self._facts is None or self._type is None:
            self._type, self._facts = kind, self._begun(kind)
            self._facts.n_missing = self._n_rows
        stored, before = _stored_as(kind), _stored_as(self._type)
        if stored != before:
            raise CellError(
                self.name,
                self._n_rows,
                f"this table holds {stored} in the column, and those before hold {before}; "
                "give all tables the same types",
            )
        return self._facts

    def _begun(self, kind: pa.DataType) -> Facts:
        """Return what gathers the facts about a column that is stored as this type."""
        name, wishes, limits = self.name, self._wishes, self._limits
        missing = wishes.missing_in(name)
        if name in wishes.text:
            return WordFacts(name, missing, limits)
        is_declared = pa.types.is_dictionary(kind) and not is_text(kind)
        if name in wishes.categorical or is_declared:
            return CategoryFacts(name, missing, limits, wishes.min_count)
        if is_text(kind):
            return TextFacts(name, missing, limits, wishes.min_count, wishes.kinds.get(name))
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
        """Whether there was no text yet, and nothing is decided."""
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
        """Add different texts as often as they occur."""
        if self._decided is not None:
            self._decided.add_texts(texts)
            return
        self._texts = self._texts.joined(texts, 0)
        if exceeds(self._texts, self._limits):
            raise UndecidedError

    def join(self, later: Facts, n_before: int) -> None:
        """Add what was gathered of a later part, before which there are as many rows as said."""
        assert isinstance(later, TextFacts)
        if later.kind is not None and self.kind is None:
            if not self.is_empty:
                raise UndecidedError
            self._decide(later.kind)
        if later.kind is None:
            self.add_texts(TextCounts.none().joined(later._texts, n_before))
        elif later.kind != self.kind:
            assert self.kind is not None
            raise OtherKindError(self.kind)
        else:
            assert self._decided is not None
            assert later._decided is not None
            self._decided.join(later._decided, n_before)
        self.n_missing += later.n_missing

    def found(self) -> Found:
        """Return what the column holds."""
        if self._decided is None:
            self._decide(text_kind(self._name, self._texts, self._min_count))
        assert self._decided is not None
        self._decided.n_missing += self.n_missing
        self.n_missing = 0
        return self._decided.found()

    def _decide(self, kind: TextKind) -> None:
        """Go on with the texts as what they are."""
        self.kind, self._decided = kind, self._new(kind)
        self._decided.add_texts(self._texts)
        self._texts = TextCounts.none()

    def _new(self, kind: TextKind) -> Facts:
        name, missing, limits = self._name, self._missing, self._limits
        match kind.name:
            case "left out":
                return UnusedFacts(name, missing, kind.reason)
            case "text":
                return WordFacts(name, missing, limits)
            case "category":
                return CategoryFacts(name, missing, limits, self._min_count)
        return NumberFacts(name, missing, limits, kind=kind.name, dates=kind.dates)
