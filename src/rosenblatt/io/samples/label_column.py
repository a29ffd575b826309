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
from rosenblatt.tables.cells import are_booleans, is_text, texts_of

_USUAL = ("class", "label", "target", "y", "outcome")
# More different numbers than these are measured, not named; words may be as many as they like.
_MOST_NUMBERS = 30
_TRUTH = ("true", "false")


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
    texts = texts_of(cells)
    present = texts.codes >= 0
    kind = label_kind(texts.values, cells.type)
    return typed_labels(texts.values, kind)[texts.codes[present]], present


def label_kind(texts: pa.Array, stored: pa.DataType) -> str:
    """Return what all labels of a column are: "whole" numbers, "truth" values, or "text".

    Fractions are classes, named as written.
    """
    if len(texts) and (pa.types.is_integer(stored) or _are_whole(texts.to_pylist())):
        return "whole"
    if pa.types.is_boolean(stored) or (len(texts) and is_text(stored) and are_booleans(texts)):
        return "truth"
    return "text"


def typed_labels(texts: pa.Array, kind: str) -> Labels:
    """Return labels of a kind in the type that they have outside.

    >>> typed_labels(pa.array(["7", "-1"]), "whole"), typed_labels(pa.array(["TRUE"]), "truth")
    (array([ 7, -1]), array([ True]))
    """
    values = texts.to_pylist()
    if kind == "whole" and values:
        return np.array([int(value) for value in values])
    if kind == "truth":
        return np.array([value.lower() == "true" for value in values], np.bool_)
    return np.array(values, dtype=np.str_)


def label_fault(texts: pa.Array, kind: str) -> tuple[int, str] | None:
    """Return which label, and why, is not of a kind that all are said to have; None if all are."""
    if kind == "whole":
        what = "is not a whole number, as those before are"
        wrong = [k for k, text in enumerate(texts.to_pylist()) if not _are_whole([text])]
    elif kind == "truth":
        what = "is not true or false, as those before are"
        wrong = [k for k, text in enumerate(texts.to_pylist()) if text.lower() not in _TRUTH]
    else:
        return None
    return (wrong[0], what) if wrong else None


def _are_whole(values: list[str]) -> bool:
    return all(re.fullmatch(r"-?(?:0|[1-9][0-9]{0,17})", value) for value in values)


def check_label(
    place: str, classes: Labels, n_samples: int, label: str, others: Sequence[str]
) -> None:
    """Raise if the labels are numbers that look measured: there are too many different ones."""
    n_different = len(classes)
    if n_different > _MOST_NUMBERS and all(is_number(str(label)) for label in classes.tolist()):
        raise InputError(
            f"{place}: the label {label} has {n_different:,} different numbers, so that it looks like a "
            f"measurement, not a class; choose another column with --label ({some_names(others)}), or "
            f"say --categorical {label!r} if each number is a class"
        )
    if n_different > _MOST_NUMBERS and 2 * n_different > n_samples:
        raise InputError(
            f"{place}: the label {label} has {n_different:,} different values in {n_samples:,} samples, "
            f"so that it looks like an id or a text, not a class; choose another column with --label "
            f"({some_names(others)}), or say --categorical {label!r} if each is a class"
        )
