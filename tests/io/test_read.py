"""Files as people write them, right and wrong."""

import bz2
import gzip
import lzma
from pathlib import Path

import numpy as np
import pytest

from rosenblatt.core.errors import InputError
from rosenblatt.io import Table, read
from rosenblatt.io.data import sonar


def written(folder: Path, text: str, name: str = "data") -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        (
            "a.csv",
            gzip.compress(b"1,a\n2,b\n"),
            "compressed with gzip, for which its name must end",
        ),
        ("a.csv.xz", lzma.compress(b"1,a\n2,b\n"), "compressed with xz, which is not read"),
    ],
    ids=["gzip", "xz"],
)
def test_a_compression_that_the_name_does_not_say(
    tmp_path: Path, name: str, data: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=message):
        read(tmp_path / name)


def test_a_compressed_file_in_capitals(tmp_path: Path) -> None:
    (tmp_path / "A.CSV.GZ").write_bytes(gzip.compress(b"1,a\n2,b\n"))
    assert read(tmp_path / "A.CSV.GZ").y.tolist() == ["a", "b"]


def test_the_bundled_data_is_what_its_description_says() -> None:
    table = read(sonar())
    assert table.X.shape == (208, 60)
    assert dict(zip(*np.unique(table.y, return_counts=True), strict=True)) == {"M": 111, "R": 97}
    assert table.X.min() == 0.0
    assert table.X.max() == 1.0


@pytest.mark.parametrize(
    "text",
    [
        "1,2,yes\n3,4.5,no\n",
        "1;2;yes\n3;4.5;no\n",
        "1\t2\tyes\n3\t4.5\tno",
        "\ufeff1,2,yes\r\n\r\n3,4.5,no\r\n",
        ' 1, 2, "yes"\n3 ,4.5,no\n'.replace(', "', ',"'),
        "width,height,kind\n1,2,yes\n3,4.5,no\n",
        '\n\n"width","height","kind"\n1,2,"yes"\n\n3,4.5,no\n\n',
    ],
)
def test_csv_in_its_many_forms(tmp_path: Path, text: str) -> None:
    table = read(written(tmp_path, text))
    assert table.X.tolist() == [[1.0, 2.0], [3.0, 4.5]]
    assert table.y.tolist() == ["yes", "no"]
    if "width" in text:
        assert table.feature_names == ["width", "height"]
        assert table.label_name == "kind"
    else:
        assert table.feature_names is None


@pytest.mark.parametrize("label", ["kind", "1", "-3"])
def test_the_label_column_by_name_or_number(tmp_path: Path, label: str) -> None:
    table = read(written(tmp_path, "kind,a,b\nyes,1,2\nno,3,4\n"), label=label)
    assert table.y.tolist() == ["yes", "no"]
    assert table.feature_names == ["a", "b"]


def test_numbers_are_read_to_the_last_bit(tmp_path: Path) -> None:
    values = np.random.default_rng(0).standard_normal((50, 3)) * 10.0 ** np.arange(-150, 300, 150)
    text = "\n".join(",".join([*map(repr, row), "a"]) for row in values.tolist())
    assert read(written(tmp_path, text)).X.tobytes() == values.tobytes()


@pytest.mark.parametrize("open_", [gzip.open, bz2.open])
@pytest.mark.parametrize("text", ["1,2,yes\n3,4,no\n", "+1 1:1 2:2\n-1 1:3 2:4\n"])
def test_compressed_files(tmp_path: Path, open_: object, text: str) -> None:
    path = tmp_path / ("data.gz" if open_ is gzip.open else "data.bz2")
    with open_(path, "wt") as file:
        file.write(text)
    X = read(path).X
    dense = X if isinstance(X, np.ndarray) else X.toarray()
    assert dense.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_libsvm(tmp_path: Path) -> None:
    table = read(written(tmp_path, "# a comment\n+1 1:0.5 3:2 # more\n-1 2:-1e-3\n"))
    assert table.X.toarray().tolist() == [[0.5, 0.0, 2.0], [0.0, -0.001, 0.0]]
    assert table.X.indices.dtype == np.int32
    assert table.y.tolist() == [1, -1]
    halves = read(written(tmp_path, "0.5 1:1\n1.5 1:2\n"))
    assert halves.y.tolist() == ["0.5", "1.5"]


WRONG = {
    "": r"data: the file is empty",
    " \n\n": r"data, line 1: there are only blanks",
    "1,2,a\n3,nan,b\n": r"data, line 2, column 2: 'nan' is not finite",
    "1,2,a\n3,4,b\n-inf,4,b\n": r"data, line 3, column 1: '-inf' is not finite",
    "1,2,a\n3,1e999,b\n": r"data, line 2, column 2: '1e999' is not finite",
    "1,2,a\n\n3,b\n": r"data, line 3: this line has 2 columns, but the first one has 3",
    "1,2,a\n3,4,5,b\n": r"data, line 2: this line has 4 columns, but the first one has 3",
    "x,y,c\n1,2,a\n3,oops,b\n": r"data, line 3, column 2 \(y\): 'oops' is not a number",
    "1,oops,a\n": r"data, line 1, column 2: 'oops' is not a number; .*say --header",
    "1,2,a\n3,1_000,b\n": r"data, line 2, column 2: '1_000' is not a number; write it as in 12",
    "1,2,a\n3,१,b\n": r"data, line 2, column 2: '१' is not a number",
    "1,2,a\n3,,b\n": r"data, line 2, column 2: this cell is empty; a number is expected",
    "1,2,a\n3, ,b\n": r"data, line 2, column 2: this cell is empty; a number is expected",
    "1,2,a\n3,4,\n": r"data, line 2, column 3: the label is missing",
    "1,2,a\n3,4, \n": r"data, line 2, column 3: the label is missing",
    "x,y,c\n": r"data: there is a header but no sample below it",
    "5\n6\n": r"data, line 1: there is one column only \('5'\)",
    "a,a,y\n1,2,3\n": r"data, line 1: two columns are named 'a'",
    "+1 1:2 3:4\n-1 2:x\n": r"data, line 2: '2:x': after the colon, 'x' is not a number",
    "+1 1:2\n-1 1:\n": r"data, line 2: '1:' has no value after the colon; a number is expected",
    "+1 1:2\n-1 1:nan\n": r"data, line 2: '1:nan': after the colon, 'nan' is not finite",
    "+1 1:2\n\n-1 1:1e999\n": r"data, line 3: '1:1e999': after the colon, '1e999' is not finite",
    "+1 1:2\n#\n1e999 1:1\n": r"data, line 3: the label: '1e999' is not finite",
    "+1 1:2 3:4\n-1 4:1 2:1\n": r"data, line 2: index 2 follows index 4; they must ascend",
    "+1 1:2\nmine 1:2\n": r"data, line 2: the label: 'mine' is not a number",
    "+1 1:2\n-1 junk\n": r"data, line 2: 'junk' is not an index:value pair",
    "+1 1:2\n-1 -1:3\n": r"data, line 2: '-1:3' is not an index:value pair",
    "+1 1:2\n-1 +1:3\n": r"data, line 2: '\+1:3' is not an index:value pair",
    "+1 1:2\n-1 -0:3\n": r"data, line 2: '-0:3' is not an index:value pair",
    "+1 1:2\n-1 1_1:1\n": r"data, line 2: '1_1:1' is not an index:value pair",
    "1 1_1:1\n-1 2:1\n": r"data, line 1: '1_1:1' is not an index:value pair",
    "+1 1:0.50_849\n": r"data, line 1: '1:0.50_849': after the colon, '0.50_849' is not a number",
    "+1 1:१\n": r"data, line 1: '1:१': after the colon, '१' is not a number",
    "+1 1:2 qid:3 4:5\n": r"data, line 1: 'qid:3' must come directly after the label",
    "+1 1:2\r-1 2:3\r": r"data, line 1: a carriage return \(CR\) is inside the line",
    "+1 1:2\n+1 9999999999:2\n": r"data, line 2: the index '9999999999' is larger than 2147483647",
    f"1,{'9' * 200_000},a\n": r"data, line 1, column 2: '9{59}…' is not finite",
}


@pytest.mark.parametrize("text", list(WRONG), ids=lambda text: repr(text[:40]))
def test_a_wrong_file_gets_one_sentence_that_names_the_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match=WRONG[text]) as error:
        read(written(tmp_path, text))
    assert "\n" not in str(error.value)


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(bytes(range(256)))
    with pytest.raises(InputError, match="not a text file"):
        read(path)
    path = tmp_path / "data.gz"
    path.write_bytes(b"not compressed")
    with pytest.raises(InputError, match="cannot be read"):
        read(path)
    with pytest.raises(InputError, match="there is no such file"):
        read(tmp_path / "nothing")
    with pytest.raises(InputError, match="this is a folder"):
        read(tmp_path)


@pytest.mark.parametrize("label", ["colour", "0", "4", "-4", "१", "9" * 5000])
def test_a_label_column_that_is_not_there(tmp_path: Path, label: str) -> None:
    with pytest.raises(InputError, match=rf"line 1: there is no label column '{label[:59]}.*give"):
        read(written(tmp_path, "a,b,kind\n1,2,yes\n"), label=label)


class TestForAModel:
    names = Table(None, None, 2, ["a", "b"], "kind")
    plain = Table(None, None, 2)

    def test_columns_are_matched_by_name(self, tmp_path: Path) -> None:
        table = read(written(tmp_path, "kind,b,a\nyes,2,1\nno,4,3\n"), expect=self.names)
        assert table.X.tolist() == [[1.0, 2.0], [3.0, 4.0]]
        assert table.y.tolist() == ["yes", "no"]

    def test_labels_may_be_missing(self, tmp_path: Path) -> None:
        assert read(written(tmp_path, "b,a\n2,1\n"), expect=self.names).X.tolist() == [[1.0, 2.0]]
        assert read(written(tmp_path, "1,2\n"), expect=self.plain).y is None
        assert read(written(tmp_path, "1,2,yes\n"), expect=self.plain).y is not None

    @pytest.mark.parametrize("text", ["1\n", "1,2,3,yes\n", "1 1:2 3:1\n"])
    def test_more_or_fewer_features(self, tmp_path: Path, text: str) -> None:
        with pytest.raises(
            InputError, match=r"(features, but the model has learned from 2)|one col"
        ):
            read(written(tmp_path, text), expect=self.plain)

    def test_the_label_is_where_the_model_had_it(self, tmp_path: Path) -> None:
        first = read(written(tmp_path, "M,1,2\nR,3,4\n"), label="1")
        table = read(written(tmp_path, "R,5,6\n"), expect=first)
        assert table.X.tolist() == [[5.0, 6.0]]
        assert table.y.tolist() == ["R"]
        assert read(written(tmp_path, "5,6\n"), expect=first).y is None

    def test_a_model_that_does_not_know_where_its_label_was(self, tmp_path: Path) -> None:
        forgotten = Table(None, None, 2, label_column=None)
        assert read(written(tmp_path, "1,2\n"), expect=forgotten).y is None
        path = written(tmp_path, "1,2,3\n")
        with pytest.raises(InputError, match=r"line 1: .* does not say which is the label; say it"):
            read(path, expect=forgotten)
        assert read(path, label="1", expect=forgotten).X.tolist() == [[2.0, 3.0]]

    def test_the_one_column_that_is_no_feature_is_the_label(self, tmp_path: Path) -> None:
        table = read(written(tmp_path, "class,a,b\nyes,1,2\nno,3,4\n"), expect=self.names)
        assert table.X.tolist() == [[1.0, 2.0], [3.0, 4.0]]
        assert table.label_name == "class"

    def test_names_of_numbers_are_a_header_if_the_model_has_them(self, tmp_path: Path) -> None:
        years = Table(None, None, 2, ["2019", "2020"], "kind")
        assert read(written(tmp_path, "2019,2020\n1,2\n"), expect=years).X.tolist() == [[1.0, 2.0]]

    def test_a_sample_of_these_numbers_is_not_taken_for_a_header(self, tmp_path: Path) -> None:
        counted = Table(None, None, 2, ["0", "1"], "y")
        assert len(read(written(tmp_path, "1,0\n0,0\n1,1\n"), expect=counted).X) == 3

    def test_a_line_whose_label_the_model_has_is_a_sample(self, tmp_path: Path) -> None:
        path = written(tmp_path, "1,2,M\n3,4,R\n5,6,R\n")
        assert len(read(path, expect=Table(None, np.array(["M", "R"]), 2)).X) == 3
        with pytest.raises(InputError, match="this may be a header or a sample"):
            read(path, expect=Table(None, np.array(["R", "S"]), 2))

    def test_a_missing_column_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="line 1: the column 'b', which the model has learned"):
            read(written(tmp_path, "a,c,kind\n1,2,yes\n"), expect=self.names)

    def test_libsvm_may_name_fewer_features(self, tmp_path: Path) -> None:
        wide = Table(None, None, 9)
        assert read(written(tmp_path, "1 1:2 3:1\n"), expect=wide).X.shape == (1, 9)


class TestWhatIsAmbiguous:
    def test_a_label_by_number_is_not_a_value(self, tmp_path: Path) -> None:
        table = read(written(tmp_path, "5,1,2,1\n1,2,5,0\n4,1,2,1\n"), label="1")
        assert table.y.tolist() == ["5", "1", "4"]

    def test_a_line_that_counts_the_columns(self, tmp_path: Path) -> None:
        path = written(tmp_path, "0,1,2,label\n5,1,2,M\n1,2,5,R\n4,1,2,M\n")
        with pytest.raises(InputError, match="say --header or --no-header"):
            read(path)
        assert read(path, header=True).feature_names == ["0", "1", "2"]
        assert read(path, header=False).X.shape == (4, 3)
        assert read(written(tmp_path, "0,1,2,M\n5,1,2,M\n1,2,5,R\n")).X.shape == (3, 3)

    @pytest.mark.parametrize(
        "text",
        [
            "2019,2020,label\n1,2,M\n3,4,R\n5,6,R\n",
            "2019,2020,label\n1,2,0\n3,4,1\n",
            "10,20,30\n1,2,M\n3,4,R\n5,6,R\n",
            "\n7,3,kind\n1,2,M\n3,4,M\n",
        ],
    )
    def test_a_header_of_numbers_is_no_sample(self, tmp_path: Path, text: str) -> None:
        path = written(tmp_path, text)
        n_lines = len(text.split())
        with pytest.raises(
            InputError, match=r"line [12]: this may be a header or a sample, for the l"
        ):
            read(path)
        assert read(path, header=True).X.shape == (n_lines - 1, 2)
        assert read(path, header=False).X.shape == (n_lines, 2)

    def test_a_label_that_occurs_once_may_be_first(self, tmp_path: Path) -> None:
        assert read(written(tmp_path, "0,0,no\n0,1,yes\n1,0,yes\n1,1,yes\n")).X.shape == (4, 2)
        assert read(written(tmp_path, "1,a\n2,b\n3,c\n")).X.shape == (3, 1)

    def test_a_sample_without_numbers_is_no_header(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=r"line 1, column 1: '\?' is not a number"):
            read(written(tmp_path, "?,M\n1,M\n2,R\n"))
        path = written(tmp_path, "NA,M\n1,M\n2,R\n")
        with pytest.raises(
            InputError, match="line 1: this may be a header, or a sample without num"
        ):
            read(path)
        assert read(path, header=True).label_name == "M"

    @pytest.mark.parametrize("sign", [";", "\t"])
    def test_a_decimal_comma_is_no_separator(self, tmp_path: Path, sign: str) -> None:
        with pytest.raises(InputError, match=r"line 1: .* two signs that may separate columns"):
            read(written(tmp_path, f"1,5{sign}M\n2,5{sign}R\n"))
        for text in (f"1,2,M{sign}x\n", f'1,"5{sign}M"\n'):
            assert read(written(tmp_path, text)).X.shape[0] == 1

    def test_the_first_index_of_libsvm_is_the_models(self, tmp_path: Path) -> None:
        learned = read(written(tmp_path, "1 0:1 1:5\n-1 0:-1 1:4\n"))
        assert learned.first_index == 0
        a = read(written(tmp_path, "1 1:5\n"), expect=learned)
        b = read(written(tmp_path, "1 0:0 1:5\n"), expect=learned)
        assert a.X.toarray().tolist() == b.X.toarray().tolist() == [[0.0, 5.0]]
        with pytest.raises(InputError, match="there is an index 0"):
            read(written(tmp_path, "1 0:1\n"), expect=Table(None, None, 2))

    def test_libsvm_labels_beyond_whole_numbers(self, tmp_path: Path) -> None:
        table = read(written(tmp_path, "1e300 1:1\n2e300 1:2\n1 1:3\n"))
        assert table.y.tolist() == ["1e+300", "2e+300", "1"]
        ids = "1 1:2\n9007199254740992 1:1\n9007199254740993 1:2\n"
        with pytest.raises(InputError, match="line 3: the label '9007199254740993' is so large"):
            read(written(tmp_path, ids))


def test_damaged_and_odd_files(tmp_path: Path) -> None:
    path = tmp_path / "data.csv.gz"
    content = bytearray(gzip.compress(b"1,2,yes\n" * 5000))
    content[30] ^= 255
    path.write_bytes(bytes(content))
    with pytest.raises(InputError, match="cannot be read"):
        read(path)
    with pytest.raises(InputError, match="cannot be read"):
        read(tmp_path / ("x" * 300))
