"""Column options, by name or by number, with and without a header."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt.core.errors import InputError
from rosenblatt.io import Reading, read
from sample_files import numbers, written

NAMED = "age,code,note,y\n1,7,good work,p\n99,8,bad work,q\n2,7,good,p\n3,8,bad,q\n"
BARE = NAMED.partition("\n")[2]


@pytest.mark.parametrize(("text", "by_name"), [(NAMED, True), (NAMED, False), (BARE, False)])
def test_column_options(tmp_path: Path, text: str, by_name: bool) -> None:
    path = written(tmp_path, text)
    age, code, note = ("age", "code", "note") if by_name else ("1", "2", "-2")
    a, c, n = ("age", "code", "note") if text == NAMED else ("column 1", "column 2", "column 3")
    reading = Reading(texts=[code, note])
    names, X = numbers(path, reading, categorical=[code], text=[note], missing=[f"{age}=99"])
    assert names == [a, f"{a} is missing", f"{c}=7", f"{c}=8", f"{n}:bad", f"{n}:good", f"{n}:work"]
    assert [row[:4] for row in X] == [
        [1.0, 0.0, 1.0, 0.0],
        [2.0, 1.0, 0.0, 1.0],
        [2.0, 0.0, 1.0, 0.0],
        [3.0, 0.0, 0.0, 1.0],
    ]
    assert [np.flatnonzero(row[4:]).tolist() for row in X] == [[1, 2], [0, 2], [1], [0]]
    names, X = numbers(path, ignore=[age, note])
    assert (names, X) == ([c], [[7.0], [8.0], [7.0], [8.0]])


def test_missing_value_of_all_columns(tmp_path: Path) -> None:
    path = written(tmp_path, "a,b,y\n-9,red,p\n1,-9,q\n2,red,-9\n3,blue,q\n3,blue,p\n3,blue,p\n")
    reading = Reading(missing=["-9"])
    assert read(path, reading).n_unlabeled == 0  # the label may be any value
    names, X = numbers(path, reading, missing=["-9"], min_count=3)
    assert names == ["a", "a is missing", "b=blue", "b is rare", "b is missing"]
    assert X[0] == [2.4, 1.0, 0.0, 1.0, 0.0]
    assert X[1] == [1.0, 0.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ignore": ["agee"]}, "data: there is no column 'agee'; give a number from 1 to 4 or one"),
        ({"categorical": ["0"]}, "data: there is no column '0'; give a number from 1 to 4 or one"),
        ({"text": ["x" * 99]}, "data: there is no column 'x{59}…'; give a number"),
        ({"missing": ["agee=7"]}, "data: there is no column 'agee'; .* age, code, note, y"),
        (
            {"ignore": ["age", "2", "-2"]},
            r"data: no column is left to learn from: age \(as requested\), code \(as requested\), note",
        ),
    ],
)
def test_unusable_column_options_are_refused(tmp_path: Path, options: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        numbers(written(tmp_path, NAMED), **options)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("blank", [False, True])
def test_the_line_of_a_cell(tmp_path: Path, end: str, blank: bool) -> None:
    """Lines are numbered as in the file, blank ones included, whatever ends them."""
    lines = ["", "a,b,y", "", "1,2,p", "3,4,?", "", "5,oops,q", "7,8,p", ""]
    if not blank:
        lines = [line for line in lines if line]
    path = written(tmp_path, end.join(lines) + end)
    number = lines.index("5,oops,q") + 1
    with pytest.raises(InputError, match=f"data, line {number}, column b: 'oops' is not a number"):
        numbers(path)
    found = read(path).places_of(np.arange(3))
    assert found == [f"line {lines.index(x) + 1}" for x in ("1,2,p", "5,oops,q", "7,8,p")]


def test_whole_numbers_that_float64_would_merge_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "9007199254740992,a\n9007199254740993,b\n9007199254740994,a\n1,b\n")
    with pytest.raises(InputError, match=r"data, line 2, column 1: .*9007199254740993"):
        numbers(path)
    _, X = numbers(written(tmp_path, "9007199254740992,a\n9007199254740994,b\n1e300,b\n1,a\n"))
    assert X == [[2.0**53], [2.0**53 + 2], [1e300], [1.0]]
