"""What must be known of a table before any of its chunks can be read like all others."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import pyarrow as pa

from rosenblatt.core.errors import InputError
from rosenblatt.io.csv.csv_parsing import TEXT

_TYPES = {
    "number": pa.float64(),
    "moment": pa.timestamp("us"),
    "text": pa.string(),
    "repeated text": TEXT,
}
_LABELS = (None, "whole", "truth", "text")


@dataclass(frozen=True)
class TableForm:
    """The kinds of columns of a CSV file that are not repeated text, and of the labels of any table.

    Columns ``with_points`` are texts whose decimal commas become points; sources in ``apostrophes``
    have these where their beginning looked as if they were quotes.

    >>> form = TableForm({"age": "number"}, label_kind="whole")
    >>> TableForm.from_json(form.to_json()) == form
    True
    """

    kinds: Mapping[str, str]
    with_points: frozenset[str] = frozenset()
    apostrophes: frozenset[int] = frozenset()
    label_kind: str | None = None

    @staticmethod
    def of_types(types: Mapping[str, pa.DataType]) -> "TableForm":
        """Return the form of columns that are stored as these types."""
        kinds = {kind: name for name, kind in _TYPES.items()}
        return TableForm({name: kinds[kind] for name, kind in types.items()})

    def type_of(self, name: str) -> pa.DataType:
        """Return the type that a column is read as."""
        return _TYPES[self.kinds.get(name, "repeated text")]

    def type_class(self, name: str) -> str:
        """Return the kind of a column: texts are texts, whether they repeat or not.

        >>> TableForm({"town": "text"}).type_class("town")
        'repeated text'
        """
        kind = self.kinds.get(name, "repeated text")
        return "repeated text" if kind == "text" else kind

    def with_texts(self, names: Iterable[str]) -> "TableForm":
        """Return the form in which some columns are text."""
        return replace(self, kinds={**self.kinds, **dict.fromkeys(names, "repeated text")})

    def to_json(self) -> dict[str, object]:
        """Return the form as JSON has it."""
        return {
            **asdict(self),
            "kinds": dict(self.kinds),
            "with_points": sorted(self.with_points),
            "apostrophes": sorted(self.apostrophes),
        }

    @staticmethod
    def from_json(document: Mapping[str, Any]) -> "TableForm":
        """Return the form that was written as JSON; raise if it is none."""
        try:
            form = TableForm(
                dict(document["kinds"]),
                frozenset(document["with_points"]),
                frozenset(document["apostrophes"]),
                document["label_kind"],
            )
            is_form = set(form.kinds.values()) <= set(_TYPES) and form.label_kind in _LABELS
        except (KeyError, TypeError, ValueError):
            is_form = False
        if not is_form:
            raise InputError("this does not describe the columns of a table")
        return form


class FormChangedError(Exception):
    """What was known of a table is not true of all of it: whoever reads it must begin again."""
