"""The column types of a table and the kind of its labels, which all of its chunks share."""

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
    """The kinds of the columns of a CSV file, and of the labels of any table.

    Columns that are not in ``kinds`` are repeated text. Columns ``with_points`` are text whose decimal
    commas become points. In the sources in ``apostrophes``, single quotes are not quotes.

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
        """Return the form of columns of these types."""
        kinds = {kind: name for name, kind in _TYPES.items()}
        return TableForm({name: kinds[kind] for name, kind in types.items()})

    def type_of(self, name: str) -> pa.DataType:
        """Return the Arrow type of a column."""
        return _TYPES[self.kinds.get(name, "repeated text")]

    def type_class(self, name: str) -> str:
        """Return the kind of a column, the same for repeated and other text.

        >>> TableForm({"town": "text"}).type_class("town")
        'repeated text'
        """
        kind = self.kinds.get(name, "repeated text")
        return "repeated text" if kind == "text" else kind

    def with_texts(self, names: Iterable[str]) -> "TableForm":
        """Return the form with these columns as text."""
        return replace(self, kinds={**self.kinds, **dict.fromkeys(names, "repeated text")})

    def to_json(self) -> dict[str, object]:
        """Return the form as JSON."""
        return {
            **asdict(self),
            "kinds": dict(self.kinds),
            "with_points": sorted(self.with_points),
            "apostrophes": sorted(self.apostrophes),
        }

    @staticmethod
    def from_json(document: Mapping[str, Any]) -> "TableForm":
        """Return the form that JSON describes; raise InputError if it is malformed."""
        try:
            form = TableForm(
                dict(document["kinds"]),
                frozenset(document["with_points"]),
                frozenset(document["apostrophes"]),
                document["label_kind"],
            )
            is_valid = set(form.kinds.values()) <= set(_TYPES) and form.label_kind in _LABELS
        except (KeyError, TypeError, ValueError):
            is_valid = False
        if not is_valid:
            raise InputError("this does not describe the columns of a table")
        return form


class FormChangedError(Exception):
    """The form of a table was guessed wrong: read the table again from the beginning."""
