"""CSV files as people write them, valid and invalid."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from rosenblatt.core.errors import InputError
from rosenblatt.io import Reading, read
from rosenblatt.io.data import sonar
from sample_files import numbers, rows, written


def test_the_bundled_data_matches_its_description() -> None:
    table = read(sonar())
    X = np.array(rows(table))
    assert X.shape == (208, 60)
    assert dict(zip(*np.unique(table.y, return_counts=True), strict=True)) == {"M": 111, "R": 97}
    assert (X.min(), X.max()) == (0.0, 1.0)


@pytest.mark.parametrize(
    "text",
    [
        "1,2,yes\n3,4.5,no\n",
        "1;2;yes\n3;4.5;no\n",
        "1\t2\tyes\n3\t4.5\tno",
        "\ufeff1,2,yes\r\n\r\n3,4.5,no\r\n",
        ' 1, 2,"yes"\n3 ,4.5,no\n',
        "'1',2,'yes'\n3,4.5,'no'\n",
        "width,height,kind\n1,2,yes\n3,4.5,no\n",
        '\n\n"width","height","kind"\n1,2,"yes"\n\n3,4.5,no\n\n',
        "'width','height','kind'\n1,2,'yes'\n3,4.5,no\n",
    ],
)
def test_csv_dialects(tmp_path: Path, text: str) -> None:
    table = read(written(tmp_path, text))
    assert rows(table) == [[1.0, 2.0], [3.0, 4.5]]
    assert table.X.schema.types == [pa.float64(), pa.float64()]
    assert table.y.tolist() == ["yes", "no"]
    if "width" in text:
        assert table.has_names
        assert (table.names, table.label_name) == (["width", "height"], "kind")
    else:
        assert not table.has_names
        assert (table.names, table.label_name) == (["column 1", "column 2"], None)


def test_numbers_are_read_to_the_last_bit(tmp_path: Path) -> None:
    values = np.random.default_rng(0).standard_normal((50, 3)) * 10.0 ** np.arange(-150, 300, 150)
    text = "\n".join(",".join([*map(repr, row), "a"]) for row in values.tolist())
    assert np.array(rows(read(written(tmp_path, text)))).tobytes() == values.tobytes()


@pytest.mark.parametrize("sign", ["", " ", "?", "NA", "nan", "NaN", "null", "None", "N/A", '""'])
@pytest.mark.parametrize("rest", ["{},b\n", "7,{}\n", "oops,b\n{},b\n"])
def test_missing_values_in_numbers_labels_and_texts(tmp_path: Path, sign: str, rest: str) -> None:
    table = read(written(tmp_path, "2,b\n3,a\n" + rest.format(sign)))
    assert table.n_unlabeled == rest.count(",{}")
    cells = [row[0] for row in rows(table)]
    if rest == "{},b\n":
        assert cells == [2.0, 3.0, None]
    elif rest == "7,{}\n":
        assert (cells, table.y.tolist()) == ([2.0, 3.0], ["b", "a"])
    else:
        assert [cell.strip() for cell in cells] == ["2", "3", "oops", sign.strip(' "')]
        names, _ = numbers(tmp_path / "data", categorical=["1"])
        assert names[-1] == "column 1 is missing"


def test_blanks_after_commas(tmp_path: Path) -> None:
    text = "age, job, pay\n39, clerk, low\n ?, ?, high\n50, smith, low\n50, clerk , high\n" + (
        "45, clerk, low\n"
    )
    names, X = numbers(written(tmp_path, text), min_count=3)
    assert names == ["age", "age is missing", "job=clerk", "job is rare", "job is missing"]
    assert X[1] == [46.0, 1.0, 0.0, 0.0, 1.0]
    assert [row[2] for row in X] == [1.0, 0.0, 0.0, 1.0, 1.0]
    assert read(tmp_path / "data").y.tolist() == ["low", "high", "low", "high", "low"]


def test_codes_with_leading_zeros_are_not_numbers(tmp_path: Path) -> None:
    path = written(tmp_path, "zip,size,y\n01067,1,a\n10115,2,b\n01067,3,a\n10115,0,b\n")
    names, _ = numbers(path)
    assert names == ["zip=01067", "zip=10115", "size"]
    labels = read(written(tmp_path, "1,007\n2,12\n"))
    assert labels.y.tolist() == ["007", "12"]


MESSAGES = {
    "": r"data: the file is empty",
    " \n\n": r"data, line 1: the line is blank",
    "1,2,b\n3,4,b\n-inf,4,a\n": r"data, line 3, column 1: -inf is not finite",
    "1,2,a\n3,1e999,b\n": r"data, line 2, column 2: inf is not finite",
    "1,2,a\n\n3,b\n": r"data, line 3: expected 3 columns, found 2",
    "1,2,a\n3,4,5,b\n": r"data, line 2: expected 3 columns, found 4",
    "x,z,c\n1,2,a\n3,oops,b\n": r"data, line 3, column z: 'oops' is not a number, but 1 of the 2 di",
    "1,2,a\n3,1_000,b\n": r"data, line 2, column 2: '1_000' is not a number, .*column categorical",
    "1,2,a\n3,१,b\n": r"data, line 2, column 2: '१' is not a number",
    "1;2;a\n3;4,5;b\n": r"data, line 2, column 2: '4,5' has a comma; .*with decimal=','; .*otherwise",
    'a,y\n"1,000",a\n"1,500",b\n': r"data, line 2, column a: '1,000' has a comma",
    "a,y\n5,a\n39.10 €,b\n": r"data, line 3, column a: '39.10 €' is an amount of money or a perc",
    "x,z,c\n": r"data: there are no samples below the header",
    "5\n6\n": r"data, line 1: there is only one column \('5'\)",
    "a,a,y\n1,2,3\n": r"data, line 1: two columns are named 'a'",
    f"1,{'9' * 200_000},a\n": r"data, line 1, column 2: inf is not finite",
    f"1,2,a\n3,{'x' * 99},b\n": r"data, line 2, column 2: 'x{59}…' is not a number",
    f"{'x' * 99}\n": r"data, line 1: there is only one column \('x{59}…'\)",
    f'1,2,a\n3,"{"x" * 99},b\n': r"""data, line 2, column 2: stray quote in '"x{58}…'""",
}


@pytest.mark.parametrize("text", list(MESSAGES), ids=lambda text: repr(text[:40]))
def test_an_invalid_file_gets_one_line_that_names_the_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match=MESSAGES[text]) as error:
        numbers(written(tmp_path, text))
    assert "\n" not in str(error.value)


class TestDecimalCommas:
    german = Reading(decimal=",")

    @pytest.mark.parametrize("sign", [";", "\t"])
    def test_numbers(self, tmp_path: Path, sign: str) -> None:
        text = f"1,5{sign}-2{sign}M\n,5{sign}1,25e2{sign}R\n"
        table = read(written(tmp_path, text), self.german)
        assert rows(table) == [[1.5, -2.0], [0.5, 125.0]]
        assert table.y.tolist() == ["M", "R"]

    @pytest.mark.parametrize("many", [0, 60_000], ids=["first line", "far below"])
    def test_one_bad_cell_is_named_and_does_not_turn_its_column_into_text(
        self, tmp_path: Path, many: int
    ) -> None:
        text = "a;b;y\n" + "1,5;2;M\n" * many + "1,5;2,25;M\n2;1,5;R\n3,5;oops;M\n4;7;R\n"
        path = written(tmp_path, text)
        with pytest.raises(InputError, match=rf"line {many + 4}, column b: 'oops' is not a number"):
            numbers(path, self.german)
        names, X = numbers(path, self.german, missing=["b=oops"])
        assert names == ["a", "b", "b is missing"]
        assert [X[many][:2], X[-1][:2]] == [[1.5, 2.25], [4.0, 7.0]]

    def test_texts_keep_their_commas(self, tmp_path: Path) -> None:
        text = "a;b;y\n1,5;red, big;M\n2;blue;R\noops;red, big;R\n3,5;blue;M\n"
        names, X = numbers(written(tmp_path, text), self.german, missing=["oops"])
        assert names == ["a", "a is missing", "b=blue", "b=red, big"]
        assert [row[0] for row in X] == [1.5, 2.0, pytest.approx(7 / 3), 3.5]

    def test_other_decimal_points_are_refused(self) -> None:
        with pytest.raises(InputError, match=r"decimal='::' is not accepted: use '.' or ','"):
            Reading(decimal="::")


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1.201", "951", "1,5"], [1201.0, 951.0, 1.5]),
        (["8.898,50", "-1.000.000", "7,25"], [8898.5, -1e6, 7.25]),
        (["1.5", "2,5", "3,5"], None),
    ],
)
def test_points_separate_thousands_if_commas_are_decimal(
    tmp_path: Path, cells: list[str], expected: list[float] | None
) -> None:
    lines = "".join(f"{cell};{k};{'ab'[k % 2]}\n" for k, cell in enumerate([*cells, "2,0"]))
    path = written(tmp_path, "price;k;y\n" + lines)
    if expected is None:
        with pytest.raises(InputError, match=r"line 2, column price: '1·5' is not a number"):
            numbers(path, Reading(decimal=","))
    else:
        assert [row[0] for row in numbers(path, Reading(decimal=","))[1]] == [*expected, 2.0]
