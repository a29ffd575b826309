"""The label column of a table: which one it is, and whether it holds whole numbers, booleans or text.

By default it is the column named class, label, target, y or outcome, or else the last one.
"""

import re
from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa

from rosenblatt.core.errors import InputError
from rosenblatt.core.number_syntax import is_number
from rosenblatt.core.types import Labels
from rosenblatt.io.samples.table import Expected, Reading, column_number, some_names
from rosenblatt.tables.cells import are_booleans, as_decimals, is_text, texts_of

_USUAL_NAMES = ("class", "label", "target", "y", "outcome")
# More distinct numbers than this are a measurement, not classes.
_MOST_NUMBERS = 30
_BOOLEANS = ("true", "false")


def label_position(
    file: str, names: Sequence[str], reading: Reading, *, has_header: bool
) -> int | None:
    """Return the position of the label column, or None if a file to predict has no labels."""
    if reading.label is not None:
        return column_number(file, reading.label, names, "label ")
    if reading.expect is not None:
        return _expected_position(file, names if has_header else [], len(names), reading)
    found = _column_with_usual_name(names, range(len(names)))
    return len(names) - 1 if found is None else found


def _column_with_usual_name(names: Sequence[str], among: Iterable[int]) -> int | None:
    """Return which of some columns has a usual label name, or None."""
    positions = {names[k].lower(): k for k in reversed(list(among))}
    return next((positions[name] for name in _USUAL_NAMES if name in positions), None)


def _expected_position(
    file: str, names: Sequence[str], n_columns: int, reading: Reading
) -> int | None:
    """Return the position of the label column, given the columns that the model expects."""
    expect = reading.expect
    assert expect is not None
    if expect.label_name is not None and expect.label_name in names:
        return names.index(expect.label_name)
    if names and expect.has_names:
        return _only_other_column(file, names, expect, reading.id_column)
    if n_columns == expect.n_features:
        return None
    if n_columns != expect.n_features + 1:
        return n_columns - 1  # not the model's features: the caller raises
    return expect.label_column - 1 if expect.label_column > 0 else n_columns + expect.label_column


def _only_other_column(
    file: str, names: Sequence[str], expect: Expected, id_column: str | None
) -> int | None:
    """Return the only column that the model does not know, or else one with a usual label name."""
    known = set(expect.names or ())
    if id_column is not None:
        known.add(names[column_number(file, id_column, names)])
    others = [k for k, name in enumerate(names) if name not in known]
    if len(others) == 1 and len(names) == len(known) + 1:
        return others[0]
    return _column_with_usual_name(names, others)


def labels_of(cells: pa.ChunkedArray) -> tuple[Labels, Labels]:
    """Return the labels in the type that fits all of them, and which samples have one.

    >>> labels_of(pa.chunked_array([["1", "2", None]]))
    (array([1, 2]), array([ True,  True, False]))
    >>> labels_of(pa.chunked_array([["True", "false"]]))[0]
    array([ True, False])
    """
    texts = texts_of(cells, rewrite=as_decimals)
    present = texts.codes >= 0
    kind = label_kind(texts.values, cells.type)
    return typed_labels(texts.values, kind)[texts.codes[present]], present


def label_kind(texts: pa.Array, stored: pa.DataType) -> str:
    """Return the kind of the labels: "whole" numbers, "truth" (booleans), or "text".

    Fractions are text, written as float64 is: 2.50 is the class 2.5.
    """
    if len(texts) and (pa.types.is_integer(stored) or _are_whole(texts.to_pylist())):
        return "whole"
    if pa.types.is_boolean(stored) or (len(texts) and is_text(stored) and are_booleans(texts)):
        return "truth"
    return "text"


def typed_labels(texts: pa.Array, kind: str) -> Labels:
    """Convert label text to whole numbers, booleans or strings.

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
    """Return the position of the first label that is not of this kind, and why; None if all are."""
    if kind == "whole":
        what = "is not a whole number, but the labels before it are"
        wrong = [k for k, text in enumerate(texts.to_pylist()) if not _are_whole([text])]
    elif kind == "truth":
        what = "is not true or false, but the labels before it are"
        wrong = [k for k, text in enumerate(texts.to_pylist()) if text.lower() not in _BOOLEANS]
    else:
        return None
    return (wrong[0], what) if wrong else None


def _are_whole(values: list[str]) -> bool:
    return all(re.fullmatch(r"-?(?:0|[1-9][0-9]{0,17})", value) for value in values)


def check_label(
    file: str, classes: Labels, n_samples: int, label: str, others: Sequence[str]
) -> None:
    """Raise InputError if there are too many distinct labels for classes."""
    n_distinct = len(classes)
    if n_distinct > _MOST_NUMBERS and all(is_number(str(label)) for label in classes.tolist()):
        raise InputError(
            f"{file}: the label {label} has {n_distinct:,} different numbers, so it looks like a "
            f"measurement, not a class; choose another label column ({some_names(others)}), or make "
            f"{label!r} categorical if each number is a class"
        )
    if n_distinct > _MOST_NUMBERS and 2 * n_distinct > n_samples:
        raise InputError(
            f"{file}: the label {label} has {n_distinct:,} different values in {n_samples:,} samples, "
            f"so it looks like an ID or text, not a class; choose another label column "
            f"({some_names(others)}), or make {label!r} categorical if each value is a class"
        )
