"""Several files with the same columns are read as one table."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pa_parquet
import pytest

from rosenblatt.core.errors import InputError
from rosenblatt.io import Reading, read
from sample_files import rows, written


def test_columns_are_matched_by_name(tmp_path: Path) -> None:
    first = written(tmp_path, "a,b,y\n1,red,p\n2,blue,q\n", "1.csv")
    second = written(tmp_path, "\ny,b,a\n\np,red,3\nq,?,4\n", "2.csv")
    third = tmp_path / "3.parquet"
    pa_parquet.write_table(pa.table({"b": ["blue"], "a": [5], "y": ["p"]}), third)
    table = read([first, second, third])
    assert table.names == ["a", "b"]
    assert [row[0] for row in rows(table)] == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert [row[1] for row in rows(table)] == ["red", "blue", "red", "?", "blue"]
    assert table.y.tolist() == ["p", "q", "p", "q", "p"]
    assert table.places_of(np.array([1, 3, 4])) == [
        f"{first}, line 3",
        f"{second}, line 5",
        f"{third}, row 1",
    ]
    assert table.place("unused", 2) == f"{second}, line 4"


def test_no_files_are_refused() -> None:
    with pytest.raises(InputError, match="there are no files to read"):
        read([])


def test_numbers_in_one_file_and_text_in_another(tmp_path: Path) -> None:
    first = written(tmp_path, "a,y\n1,1\n2.5,2\n1000000,2\n", "1")
    second = written(tmp_path, "a,y\nx,1\n1,?\n", "2")
    table = read([first, second])
    assert rows(table) == [["1"], ["2.5"], ["1000000"], ["x"]]
    assert (table.y.tolist(), table.n_unlabeled) == ([1, 2, 2, 1], 1)


def test_labels_of_different_types(tmp_path: Path) -> None:
    """Labels become text if the files have different types."""
    whole = written(tmp_path, "a,y\n1,1\n2,3\n", "1")
    halves = written(tmp_path, "a,y\n1,1.5\n2,3\n", "2")
    words = written(tmp_path, "a,y\n1,p\n2,3\n", "3")
    truths = written(tmp_path, "a,y\n1,true\n2,false\n", "4")
    none = written(tmp_path, "a,y\n1,?\n", "5")
    assert read([whole, halves]).y.tolist() == ["1", "3", "1.5", "3"]
    assert read([whole, words]).y.tolist() == ["1", "3", "p", "3"]
    assert read([none, whole]).y.tolist() == [1, 3]
    assert read([truths, none]).y.tolist() == [True, False]
    with pytest.raises(InputError, match="some of the files have only true and false as labels"):
        read([words, truths])


def test_libsvm_files_are_as_wide_as_the_widest(tmp_path: Path) -> None:
    first, second = (
        written(tmp_path, "1 1:1\n", "1"),
        written(tmp_path, "#\n-1 3:2\n", "2"),
    )
    table = read([first, second])
    assert rows(table) == [[1.0, 0.0, 0.0], [0.0, 0.0, 2.0]]
    assert table.y.tolist() == [1, -1]
    assert table.place("unused", 1) == f"{second}, line 2"


def test_index_0_in_one_of_several_libsvm_files(tmp_path: Path) -> None:
    """An index means the same column in all files."""
    first, second = written(tmp_path, "1 0:1\n-1 1:2\n", "1"), written(tmp_path, "1 1:3\n", "2")
    expected = [[1.0, 0.0], [0.0, 2.0], [0.0, 3.0]]
    table = read([first, second])
    assert (rows(table), table.first_index) == (expected, 0)
    table = read([second, first])
    assert (rows(table), table.first_index) == (expected[2:] + expected[:2], 0)


@pytest.mark.parametrize(
    ("text", "label", "message"),
    [
        (
            "a,c,y\n1,2,p\n",
            None,
            r"2: the columns are not those of .*1: only one of the two has b, c",
        ),
        ("a,y\n1,p\n", None, r"2: the columns are not those of .*1: only one of the two has b$"),
        (
            "a,b,z\n1,2,p\n",
            None,
            r"2: the label is 'z', but in .*1 it is 'y'; choose a label col",
        ),
        ("1,2,p\n2,3,p\n", None, r"2: the label is column 3, but in .*1 it is 'y'"),
        ("a,b,z\n1,2,p\n", "y", r"2, line 1: there is no label column 'y'"),
        (
            "1 1:2\n-1 1:3\n",
            None,
            r"2: .*2 is a libsvm file and .*1 is not; give files of one kind",
        ),
        ("a,b,y\n1,2\n", None, r"2, line 2: expected 3 columns, found 2"),
    ],
)
def test_mismatched_files_are_refused(
    tmp_path: Path, text: str, label: str | None, message: str
) -> None:
    first = written(tmp_path, "a,b,y\n1,2,p\n2,3,q\n", "1")
    with pytest.raises(InputError, match=message):
        read([first, written(tmp_path, text, "2")], Reading(label=label))
