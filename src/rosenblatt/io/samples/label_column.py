"""Which column of a table is the label, and what its labels are: whole numbers, truth values, or text.

Where nobody says, the label is the column called class, label, target, y or outcome, else the last one.
"""

import re
from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa

from rosenblatt.core.errors import InputError
from rosenblatt.core.number_syntax import is_number
from rosenblatt.core.types import Labels
from rosenblatt.io.samples.table import Expected, Reading, column_number, some_names
from rosenblatt.tables.cells import Texts, is_text, texts_of, truth_values

_USUAL = ("class", "label", "target", "y", "outcome")
# More different numbers than these are measured, not named; words may be as many as they like.
_MOST_NUMBERS = 30


def label_position(
    place: str, names: Sequence[str], reading: Reading, *, has_header: bool
) -> int | None:
    """Return which column is the label, or None in a file to predict that has no labels."""
    if reading.label is not None:
        return column_number(place, reading.label, names, "label ")
    if reading.expect is not None:
        return _learned_position(place, names if has_header else [], len(names), reading)
    found = _usual(names, range(len(names)))
    return len(names) - 1 if found is None else found


def _usual(names: Sequence[str], among: Iterable[int]) -> int | None:
    """Return the column whose name says that it is the label."""
    places = {names[k].lower(): k for k in reversed(list(among))}
    return next((places[name] for name in _USUAL if name in places), None)


def _learned_position(
    place: str, names: Sequence[str], n_columns: int, reading: Reading
) -> int | None:
    """Return which column is the label, from what is known about the samples of the model."""
    expect = reading.expect
    assert expect is not None
    if expect.label_name is not None and expect.label_name in names:
        return names.index(expect.label_name)
    if names and expect.has_names:
        return _only_other(place, names, expect, reading.id_column)
    if n_columns == expect.n_features:
        return None
    if n_columns != expect.n_features + 1:
        return n_columns - 1  # these are not the model's features; the caller raises
    if expect.label_column is None:
        raise InputError(
            f"{place}: there is one column more than the model has features, and the model, from an "
            "earlier version, does not say which is the label; say it with --label, -1 for the last"
        )
    return expect.label_column - 1 if expect.label_column > 0 else n_columns + expect.label_column


def _only_other(
    place: str, names: Sequence[str], expect: Expected, id_column: str | None
) -> int | None:
    """Return the one column that the model has not learned from, or one that is called a label."""
    learned = set(expect.names or ())
    if id_column is not None:
        learned.add(names[column_number(place, id_column, names)])
    others = [k for k, name in enumerate(names) if name not in learned]
    if len(others) == 1 and len(names) == len(learned) + 1:
        return others[0]
    return _usual(names, others)


def labels_of(cells: pa.ChunkedArray) -> tuple[Labels, Labels]:
    """Return the labels in their own type, and which samples have one.

    >>> labels_of(pa.chunked_array([["1", "2", None]]))
    (array([1, 2]), array([ True,  True, False]))
    >>> labels_of(pa.chunked_array([["True", "false"]]))[0]
    array([ True, False])
    """
    if pa.types.is_floating(cells.type) or pa.types.is_null(cells.type):
        values = cells.cast(pa.float64()).to_numpy(zero_copy_only=False)
        present = ~np.isnan(values)
        values = values[present]
        if (values == np.floor(values)).all() and (np.abs(values) < 2**53).all():
            return values.astype(np.int64), present
        return np.array([repr(value).removesuffix(".0") for value in values.tolist()]), present
    texts = texts_of(cells)
    present = texts.codes >= 0
    return _typed(cells, texts)[texts.codes[present]], present


def _typed(cells: pa.ChunkedArray, texts: Texts) -> Labels:
    """Return the different labels: whole numbers stay such; fractions are classes, named as written."""
    values = texts.values.to_pylist()
    if not values:
        return np.empty(0, np.str_)
    if pa.types.is_integer(cells.type) or _are_whole(values):
        return np.array([int(value) for value in values])
    if pa.types.is_boolean(cells.type) or (is_text(cells.type) and truth_values(texts)):
        return np.array([value.lower() == "true" for value in values])
    return np.array(values, dtype=np.str_)


def _are_whole(values: list[str]) -> bool:
    return all(re.fullmatch(r"-?(?:0|[1-9][0-9]{0,17})", value) for value in values)


def check_label(place: str, y: Labels, label: str, others: Sequence[str]) -> None:
    """Raise if the labels are numbers that look measured: there are too many different ones."""
    different = np.unique(y)
    n_different = len(different)
    if n_different > _MOST_NUMBERS and all(is_number(str(label)) for label in different.tolist()):
        raise InputError(
            f"{place}: the label {label} has {n_different:,} different numbers, so that it looks like a "
            f"measurement, not a class; choose another column with --label ({some_names(others)}), or "
            f"say --categorical {label!r} if each number is a class"
        )
    if n_different > _MOST_NUMBERS and 2 * n_different > len(y):
        raise InputError(
            f"{place}: the label {label} has {n_different:,} different values in {len(y):,} samples, so "
            f"that it looks like an id or a text, not a class; choose another column with --label "
            f"({some_names(others)}), or say --categorical {label!r} if each is a class"
        )
