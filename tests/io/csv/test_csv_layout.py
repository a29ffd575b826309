"""Ambiguous CSV layouts: headers, delimiters, quotes."""

from pathlib import Path

import pytest

from rosenblatt.core.errors import InputError
from rosenblatt.io import Reading, read
from rosenblatt.io.streams.sample_stream import open_stream
from sample_files import rows, written


def test_a_label_number_is_a_column_not_a_value(tmp_path: Path) -> None:
    table = read(written(tmp_path, "5,1,2,1\n1,2,5,0\n4,1,2,1\n"), Reading(label="1"))
    assert table.y.tolist() == [5, 1, 4]


def test_a_header_of_column_numbers(tmp_path: Path) -> None:
    path = written(tmp_path, "0,1,2,label\n5,1,2,M\n1,2,5,R\n4,1,2,M\n")
    with pytest.raises(InputError, match="specify whether the file has a header"):
        read(path)
    assert read(path, Reading(header=True)).names == ["0", "1", "2"]
    assert read(path, Reading(header=False)).n_samples == 4
    assert read(written(tmp_path, "0,1,2,M\n5,1,2,M\n1,2,5,R\n")).n_samples == 3


@pytest.mark.parametrize(
    "text",
    [
        "2019,2020,label\n1,2,M\n3,4,R\n5,6,R\n",
        "2019,2020,label\n1,2,0\n3,4,1\n",
        "10,20,30\n1,2,M\n3,4,R\n5,6,R\n",
        "\n7,3,kind\n1,2,M\n3,4,M\n",
    ],
)
def test_an_ambiguous_header_of_numbers(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, text)
    n_lines = len(text.split())
    with pytest.raises(InputError, match=r"line [12]: this may be a header or a sample: the label"):
        read(path)
    assert read(path, Reading(header=True)).n_samples == n_lines - 1
    assert read(path, Reading(header=False)).n_samples == n_lines


def test_a_label_that_occurs_once_may_be_first(tmp_path: Path) -> None:
    assert read(written(tmp_path, "0,0,no\n0,1,yes\n1,0,yes\n1,1,yes\n")).n_samples == 4
    assert read(written(tmp_path, "1,a\n2,b\n3,c\n")).n_samples == 3


def test_a_first_sample_without_numbers(tmp_path: Path) -> None:
    for text in ("?,M\n1,M\n2,R\n", "NA,M\n1,M\n2,R\n"):
        table = read(written(tmp_path, text))
        assert rows(table) == [[None], [1.0], [2.0]]
        assert table.y.tolist() == ["M", "M", "R"]
    path = written(tmp_path, "a,b,M\n1,2,M\n2,3,R\n")
    with pytest.raises(InputError, match="line 1: this may be a header, or a sample without num"):
        read(path)
    assert read(path, Reading(header=True)).label_name == "M"
    assert read(path, Reading(header=False)).n_samples == 3


def test_a_first_sample_of_categories_is_not_a_header(tmp_path: Path) -> None:
    samples = "red,big,no\nred,small,yes\nblue,big,no\nblue,small,yes\n"
    table = read(written(tmp_path, samples))
    assert (table.has_names, table.n_samples) == (False, 4)
    named = read(written(tmp_path, "color,size,kind\n" + samples))
    assert (named.has_names, named.n_samples) == (True, 4)
    assert rows(named) == rows(table)


def test_numbers_with_decimal_commas_are_not_a_header(tmp_path: Path) -> None:
    path = written(tmp_path, "1,5\t2,5\tM\n2,5\t1,5\tR\n")
    assert read(path, Reading(decimal=",")).n_samples == 2


@pytest.mark.parametrize("sign", [";", "\t"])
def test_an_undeclared_decimal_comma(tmp_path: Path, sign: str) -> None:
    with pytest.raises(InputError, match=r"line 1: .* two possible delimiters, .*set decimal to"):
        read(written(tmp_path, f"1,5{sign}M\n2,5{sign}R\n"))
    for text in (f"1,2,M{sign}x\n", f'1,"5{sign}M"\n'):
        assert read(written(tmp_path, text)).n_samples == 1


def test_single_quotes_and_apostrophes(tmp_path: Path) -> None:
    quoted = read(written(tmp_path, "'x, y',1,a\n'it''s',2,b\n"))
    assert rows(quoted) == [["x, y", 1.0], ["it's", 2.0]]
    for text in ("it's,1,a\n'so',2,b\n", "'so',1,a\n'so',2,b\nit's,3,a\n"):
        table = read(written(tmp_path, text))
        assert [row[0] for row in rows(table)] == [line.split(",")[0] for line in text.split()]


def test_apostrophes_that_looked_like_quotes_stay_in_the_header(tmp_path: Path) -> None:
    path = written(tmp_path, "'y','size'\n'a','b'\n'c','it's'\n'a','b'\n")
    table = read(path)
    assert table.columns == ["'y'", "'size'"]
    assert table.label_name == "'size'"
    assert rows(table) == [["'a'"], ["'c'"], ["'a'"]]


def test_the_delimiter_is_the_sign_that_all_lines_contain(tmp_path: Path) -> None:
    path = written(tmp_path, "ham\tgo, now, then\nspam\tfree\nham\twell, ok\n")
    table = read(path, Reading(label="1", texts=["2"]))
    assert table.y is not None
    assert table.y.tolist() == ["ham", "spam", "ham"]


def test_header_detection_compares_cells_without_their_quotes(tmp_path: Path) -> None:
    quoted = read(written(tmp_path, "'a','b'\n'x','''b'\n"))
    assert quoted.columns == ["a", "b"]
    assert read(written(tmp_path, 'a,b\n"x,b",1\n"y,b",2\n')).columns == ["a", "b"]
    assert read(written(tmp_path, 'a,b\n"a",b\n')).n_samples == 2


def test_a_label_that_is_named_implies_a_header(tmp_path: Path) -> None:
    path = written(tmp_path, "2019,y,z\n1,a,5\n2,b,6\n3,a,8\n")
    table = read(path, Reading(label="y"))
    assert (table.columns, table.label_name, table.n_samples) == (["2019", "y", "z"], "y", 3)
    opened = next(iter(open_stream([path], Reading(label="y"))))
    assert (opened.label_name, opened.n_samples) == ("y", 3)
    assert read(path, Reading(label="-2", header=False)).n_samples == 4
    with pytest.raises(InputError, match="no label column 'y'; give a number from 1 to 3"):
        read(path, Reading(label="y", header=False))
