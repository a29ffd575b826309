"""What has been gathered of all columns of a table that comes in chunks, or of parts of it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pyarrow as pa

from rosenblatt.core.errors import InputError, quoted
from rosenblatt.tables.facts import Limits
from rosenblatt.tables.learning import ColumnFacts, OtherKindError, UndecidedError, Wishes
from rosenblatt.tables.text_kind import TextKind


class TableFacts:
    """What has been gathered of the columns of a table, or of a part that is not all of it.

    Whether something is wrong with texts of a part is known when its facts are joined with others: what
    is found is kept until then.

    >>> facts = TableFacts(["age"], Wishes(), Limits(9, 9, 9))
    >>> facts.add(pa.table({"age": [20, 40]}))
    >>> facts.n_rows, facts.columns[0].found().mean
    (2, 30.0)
    """

    def __init__(
        self, names: Sequence[str], wishes: Wishes, limits: Limits, *, is_part: bool = False
    ) -> None:
        if not names:  # scikit-learn's sentence, whose checks look for it
            raise InputError("0 feature(s) (shape=(0, 0)) while a minimum of 1 is required.")
        repeated, times = Counter(names).most_common(1)[0]
        if times > 1:
            raise two_columns(repeated)
        self.names, self.n_rows = list(names), 0
        self._wishes, self._limits, self._is_part = wishes, limits, is_part
        self.columns = [ColumnFacts(name, wishes, limits) for name in names]

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
        """Raise unless a table has the columns of the first one, in any order."""
        if names != self.names and sorted(names) != sorted(self.names):
            differing = sorted(set(names) ^ set(self.names))
            raise InputError(
                f"the table after {self.n_rows:,} rows does not have the columns of the first one: one "
                f"of the two lacks {some_names(differing)}"
            )

    def begun(
        self, names: Sequence[str], kinds: Mapping[str, TextKind] | None = None
    ) -> "TableFacts":
        """Return no facts, to gather those about some columns, and what the texts of some are."""
        wishes = replace(self._wishes, kinds={**self._wishes.kinds, **(kinds or {})})
        return TableFacts(names, wishes, self._limits)


class PartsError(Exception):
    """Facts about parts that cannot be joined as they are.

    What the texts of ``undecided`` columns are must be found out by one who reads the table from its
    beginning; then, or because of what others have shown, ``parts`` must be looked at again, by
    somebody who knows ``kinds``.
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
    """Return the facts about a table, of columns in this order, from those about its parts, in theirs.

    ``kinds`` says of columns of texts what they are known to be. The facts are what one reading of all
    parts gathers; `PartsError` is raised where they cannot be.

    >>> parts = [TableFacts(["age"], Wishes(), Limits(9, 9, 9)) for _ in range(2)]
    >>> for part, ages in zip(parts, ([20, None], [40]), strict=True):
    ...     part.add(pa.table({"age": ages}))
    >>> joined_facts(parts, ["age"]).columns[0].found().mean
    30.0
    """
    whole = parts[0].begun(names, kinds)
    undecided: list[str] = []
    others: dict[str, TextKind] = {}
    again: set[int] = set()
    for k, column in enumerate(whole.columns):
        for number, part in enumerate(parts):
            own = part.columns[k] if part.names == whole.names else _named(part, column.name)
            try:
                column.join(own)
            except UndecidedError:
                undecided.append(column.name)
                break
            except OtherKindError as error:
                others[column.name] = error.kind
                again.add(number)
    if undecided or again:
        raise PartsError(undecided, others, sorted(again))
    whole.n_rows = sum(part.n_rows for part in parts)
    return whole


def _named(part: TableFacts, name: str) -> ColumnFacts:
    return next(own for own in part.columns if own.name == name)


def two_columns(name: str) -> InputError:
    """Return the error of a table in which two columns have the same name."""
    return InputError(f"two columns are named {quoted(name)}; names must differ")


def some_names(names: Sequence[str]) -> str:
    """Return the first few names, for a message.

    >>> some_names(["age", "sex"])
    "'age', 'sex'"
    """
    return ", ".join(map(quoted, names[:10])) + (", …" if len(names) > 10 else "")
