"""Parquet and Arrow files: columns of any type, rows instead of lines."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather as pa_feather
import pyarrow.parquet as pa_parquet
import pytest

from rosenblatt.core.errors import InputError
from rosenblatt.io import Reading, read
from sample_files import numbers, rows

Write = Callable[[pa.Table, str], None]
every_kind = pytest.mark.parametrize(
    "write", [pa_parquet.write_table, pa_feather.write_feather], ids=["parquet", "arrow"]
)


def stored(folder: Path, write: Write, **columns: Any) -> Path:
    path = folder / "data"
    write(pa.table(columns), str(path))
    return path


@every_kind
def test_types_are_kept(tmp_path: Path, write: Write) -> None:
    day = pa.array([0, 1, 3, 0], pa.date32())
    columns = {"age": [1, None, 3, 2], "town": ["Rome", "Oslo", "Rome", "Rome"], "day": day}
    path = stored(tmp_path, write, **columns, paid=[True, False, None, True], y=[1, 2, 1, 2])
    table = read(path)
    assert table.X.num_columns == 4
    assert table.y.tolist() == [1, 2, 1, 2]
    assert (table.label_name, table.label_column) == ("y", 5)
    assert table.places_of(np.arange(3)) == ["row 1", "row 2", "row 3"]
    names, X = numbers(path, min_count=3)
    assert names == [
        *("age", "age is missing", "town=Rome", "town is rare"),
        *("day", "paid", "paid is missing"),
    ]
    assert [
        [1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0],
        [2.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0],
        [3.0, 0.0, 1.0, 0.0, 3.0, pytest.approx(2 / 3), 1.0],
        [2.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0],
    ] == X


@every_kind
@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([True, None, False], [True, False]),
        ([1.0, None, 2.0], [1, 2]),
        ([0.5, float("nan"), 2.0], ["0.5", "2"]),
        (["1", "?", "2"], [1, 2]),
        (["b", " ", "a"], ["b", "a"]),
        (pa.array([5, None, 6]).dictionary_encode(), [5, 6]),
    ],
)
def test_labels(tmp_path: Path, write: Write, labels: Any, expected: list[object]) -> None:
    table = read(stored(tmp_path, write, target=labels, a=[1.0, 2.0, 3.0]))
    assert [(type(label), label) for label in table.y.tolist()] == [(type(e), e) for e in expected]
    assert table.n_unlabeled == 1
    assert rows(table) == [[1.0], [3.0]]
    assert table.places_of(np.arange(2)) == ["row 1", "row 3"]


@every_kind
def test_errors_name_the_file_and_the_cell(tmp_path: Path, write: Write) -> None:
    def complaint(columns: dict[str, Any], **options: Any) -> str:
        with pytest.raises(InputError) as caught:
            numbers(stored(tmp_path, write, **columns), **options)
        return str(caught.value).removeprefix(f"{tmp_path}/")

    y = {"y": ["p", "q"]}
    lists = {"a": [[1], [2]], "b": [1, 2], **y}
    assert complaint(lists).startswith("data: column a holds values of type list<")
    assert complaint(lists, categorical=["a"]).startswith("data: column a holds values of type")
    assert complaint({"a": [1, 2], "y": [[1], [2]]}).startswith("data: column y holds values of ty")
    assert complaint({"a": [b"\xff", b"x"], **y}).startswith(
        "data: column a holds values of type b"
    )
    infinite = {"a": [1.0, float("inf")], **y}
    assert complaint(infinite) == "data, row 2, column a: inf is not finite; give a finite number"
    assert complaint({"a": ["1", "x"], **y}).startswith(
        "data, row 2, column a: 'x' is not a number"
    )
    assert complaint(y) == "data: there is only one column ('y'); give columns and a label"
    assert complaint({"a": pa.array([], pa.float64())}) == (
        "data: the table has no rows; it needs at least one"
    )
    assert numbers(stored(tmp_path, write, **lists), ignore=["a"]) == (["b"], [[1.0], [2.0]])


@every_kind
def test_a_damaged_file(tmp_path: Path, write: Write) -> None:
    path = stored(tmp_path, write, a=[1, 2], y=[1, 2])
    content = path.read_bytes()
    path.write_bytes(content[:-20])
    with pytest.raises(InputError, match=r"data: cannot be read \(") as error:
        read(path)
    assert "\n" not in str(error.value)
    path.write_bytes(gzip.compress(content))
    with pytest.raises(InputError, match=r"data: this .* file is compressed as a whole"):
        read(path)


def test_kind_option_overrides_detection(tmp_path: Path) -> None:
    path = stored(tmp_path, pa_parquet.write_table, a=[1, 2], y=[1, 2])
    assert read(path, Reading(kind="parquet")).n_samples == 2
    for kind in ("csv", "arrow", "libsvm"):
        with pytest.raises(InputError, match=r"data(, line \d)?: (cannot be read|found a NUL)"):
            read(path, Reading(kind=kind))


def test_pandas_index_is_not_a_column(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "kind": ["x", "y", "x"]}, index=[5, 7, 9])
    frame.to_parquet(tmp_path / "data")
    table = read(tmp_path / "data")
    assert table.names == ["a"]
    assert table.label_name == "kind"


def test_damage_that_arrow_does_not_check_is_refused(tmp_path: Path) -> None:
    """Arrow trusts offsets, indices and text, and would read out of bounds."""
    label = ["a", "b", "a"]
    beyond = pa.DictionaryArray.from_arrays([0, 451, 1], ["red", "blue"], safe=False)
    path = stored(tmp_path, pa_feather.write_feather, x=beyond, y=label)
    with pytest.raises(InputError, match=r"data: cannot be read \(.*out of bounds"):
        read(path)
    no_text = pa.Array.from_buffers(
        pa.string(),
        3,
        [None, pa.py_buffer(np.array([0, 1, 2, 3], np.int32)), pa.py_buffer(b"a\xffb")],
    )
    path = stored(tmp_path, pa_feather.write_feather, x=no_text, y=label)
    with pytest.raises(InputError, match=r"data: cannot be read \(.*[Ii]nvalid UTF8"):
        read(path)


def test_column_name_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path = stored(tmp_path, pa_parquet.write_table, color=[1.0, 2.0], y=["a", "b"])
    path.write_bytes(path.read_bytes().replace(b"color", b"c\xfflor"))
    with pytest.raises(InputError, match=r"data: cannot be read \('utf-8' codec can't decode"):
        read(path)


def test_damaged_column_metadata_is_refused(tmp_path: Path) -> None:
    """Arrow aborts the process if asked for it, unless it read a row before."""
    path = stored(tmp_path, pa_parquet.write_table, color=["red", None], y=["a", "b"])
    content, optional = path.read_bytes(), b"%\x02\x18\x05color"
    assert content.count(optional) == 1
    path.write_bytes(content.replace(optional, b"%\x27\x18\x05color"))
    with pytest.raises(InputError, match=r"data: cannot be read \(Definition level histogram"):
        read(path)
