"""Statistics of all columns of a table in chunks, and joining of the statistics of its parts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pyarrow as pa

from rosenblatt.core.errors import InputError, quoted
from rosenblatt.tables.facts import Limits
from rosenblatt.tables.learning import (
    ColumnFacts,
    EncoderOptions,
    KindMismatchError,
    UndecidedError,
)
from rosenblatt.tables.text_kind import TextKind


class TableFacts:
    """Statistics of the columns of a table, or of a part of one.

    An error in a part may depend on the other parts, so it is kept until the parts are joined.

    >>> facts = TableFacts(["age"], EncoderOptions(), Limits(9, 9, 9))
    >>> facts.add(pa.table({"age": [20, 40]}))
    >>> facts.n_rows, facts.columns[0].summary().mean
    (2, 30.0)
    """

    def __init__(
        self,
        names: Sequence[str],
        options: EncoderOptions,
        limits: Limits,
        *,
        is_part: bool = False,
    ) -> None:
        if not names:  # scikit-learn's estimator checks expect this message
            raise InputError("0 feature(s) (shape=(0, 0)) while a minimum of 1 is required.")
        repeated, times = Counter(names).most_common(1)[0]
        if times > 1:
            raise duplicate_columns_error(repeated)
        self.names, self.n_rows = list(names), 0
        self._options, self._limits, self._is_part = options, limits, is_part
        self.columns = [ColumnFacts(name, options, limits) for name in names]

    def add(self, table: pa.Table) -> None:
        """Add a chunk, whose columns may be in any order."""
        self._check_same(table.column_names)
        for own in self.columns:
            if own.fault is not None:
                continue
            try:
                own.add(table.column(own.name))
            except InputError as error:
                if not self._is_part:
                    raise
                own.fault = error
        self.n_rows += table.num_rows

    def _check_same(self, names: list[str]) -> None:
        """Raise unless a chunk has the columns of the first one, in any order."""
        if names != self.names and sorted(names) != sorted(self.names):
            differing = sorted(set(names) ^ set(self.names))
            raise InputError(
                f"the table after {self.n_rows:,} rows does not have the columns of the first one; only "
                f"one of the two has {some_names(differing)}"
            )

    def empty(
        self, names: Sequence[str], kinds: Mapping[str, TextKind] | None = None
    ) -> "TableFacts":
        """Return empty statistics for some columns with the same options, and more known kinds."""
        options = replace(self._options, kinds={**self._options.kinds, **(kinds or {})})
        return TableFacts(names, options, self._limits)


class PartsError(Exception):
    """The statistics of parts cannot be joined yet.

    The kinds of ``undecided`` columns must be detected by reading the table from its beginning. The
    parts with the indices ``parts`` must be read again with the ``kinds``.
    """

    def __init__(
        self, undecided: Sequence[str], kinds: Mapping[str, TextKind], parts: Sequence[int]
    ) -> None:
        super().__init__()
        self.undecided, self.kinds, self.parts = undecided, kinds, parts


def joined_facts(
    parts: Sequence[TableFacts],
    names: Sequence[str],
    kinds: Mapping[str, TextKind] | None = None,
) -> TableFacts:
    """Return the statistics of a table, in this column order, from those of its parts in order.

    ``kinds`` has the known kinds of text columns. The result is the same as reading all parts in order;
    raise `PartsError` if that needs more than the parts know.

    >>> parts = [TableFacts(["age"], EncoderOptions(), Limits(9, 9, 9)) for _ in range(2)]
    >>> for part, ages in zip(parts, ([20, None], [40]), strict=True):
    ...     part.add(pa.table({"age": ages}))
    >>> joined_facts(parts, ["age"]).columns[0].summary().mean
    30.0
    """
    whole = parts[0].empty(names, kinds)
    undecided: list[str] = []
    mismatched: dict[str, TextKind] = {}
    again: set[int] = set()
    for k, column in enumerate(whole.columns):
        for number, part in enumerate(parts):
            own = part.columns[k] if part.names == whole.names else _named(part, column.name)
            try:
                column.join(own)
            except UndecidedError:
                undecided.append(column.name)
                break
            except KindMismatchError as error:
                mismatched[column.name] = error.kind
                again.add(number)
    if undecided or again:
        raise PartsError(undecided, mismatched, sorted(again))
    whole.n_rows = sum(part.n_rows for part in parts)
    return whole


def _named(part: TableFacts, name: str) -> ColumnFacts:
    return next(own for own in part.columns if own.name == name)


def duplicate_columns_error(name: str) -> InputError:
    """Return the error for two columns with the same name."""
    return InputError(f"two columns are named {quoted(name)}; names must differ")


def some_names(names: Sequence[str]) -> str:
    """Return the first ten names for a message.

    >>> some_names(["age", "sex"])
    "'age', 'sex'"
    """
    return ", ".join(map(quoted, names[:10])) + (", …" if len(names) > 10 else "")
