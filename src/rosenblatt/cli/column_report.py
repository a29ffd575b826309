"""How the columns of a table were prepared, for programs and for people."""

from collections import Counter
from shlex import quote
from typing import Any

from sklearn.preprocessing import Normalizer

from rosenblatt.cli.report import Facts
from rosenblatt.inspection.description import column_facts
from rosenblatt.tables.columns import Category, LeftOut, Number
from rosenblatt.tables.encoder import TableEncoder
from rosenblatt.tables.facts import WAY_BACK

_KINDS = {
    "number": ("number", "numbers"),
    "boolean": ("true or false", "true or false"),
    "date": ("date", "dates"),
    "category": ("category", "categories"),
    "text": ("text", "texts"),
}
_MOST_NAMED = 8
_UNIT = "each row to length 1"
# Date formats that are easily confused.
_DATE_FORMATS = {"%m/%d": "month/day/year", "%d/%m": "day/month/year"}


def table_facts(preparation: Any) -> list[Facts] | None:
    """Return how each column was prepared; None if there are no columns."""
    if not isinstance(preparation, TableEncoder):
        return None
    counts = preparation.missing_counts_
    return [column_facts(one, counts.get(one.name, 0)) for one in preparation.columns_]


def column_lines(preparation: Any) -> dict[str, str]:
    """Return how the columns were prepared; nothing if all are numbers and unchanged."""
    if isinstance(preparation, Normalizer):
        return {"Scale": _UNIT}
    if not isinstance(preparation, TableEncoder):
        return {} if preparation is None else {"Scale": "each column by its standard deviation"}
    columns, counts = preparation.columns_, preparation.missing_counts_
    kinds = Counter(one.kind for one in columns if not isinstance(one, LeftOut))
    lines = {}
    if set(kinds) != {"number"}:
        lines["Columns"] = ", ".join(f"{n} {_KINDS[kind][n > 1]}" for kind, n in kinds.items())
    rare = {one.name: len(one.rare) for one in columns if isinstance(one, Category) and one.rare}
    if rare:
        lines["Rare"] = _listed(rare) + ": values with few samples share a column"
    if counts:
        lines["Missing"] = (
            _listed(counts) + "; missing numbers become the mean, missing categories a column"
        )
    slashed = {
        one.name: _DATE_FORMATS[one.dates[:5]]
        for one in columns
        if isinstance(one, Number) and one.dates[:5] in _DATE_FORMATS
    }
    if slashed:
        lines["Dates"] = ", ".join(f"{name} as {way}" for name, way in slashed.items())
    excluded = [_excluded(one) for one in columns if isinstance(one, LeftOut)]
    if excluded:
        lines["Excluded"] = _some(excluded)
    if preparation.is_scaled_:
        lines["Scale"] = "numbers scaled to mean 0 and standard deviation 1"
    elif preparation.scale == "unit":
        lines["Scale"] = _UNIT
    return lines


def _excluded(one: LeftOut) -> str:
    reason = one.reason.replace(WAY_BACK, f"--numeric {quote(one.name)} keeps it")
    return f"{one.name} ({reason})"


def _listed(counts: dict[str, int]) -> str:
    return _some([f"{name} ({count:,})" for name, count in counts.items()])


def _some(names: list[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
