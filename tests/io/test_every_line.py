"""What is read accounts for every line of a file, against readers that take one line at a time."""

import bz2
import csv
import gzip
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rosenblatt.core.errors import InputError
from rosenblatt.io import Table, read, text_file
from rosenblatt.io.line_count import count_lines
from rosenblatt.io.number_syntax import number_fault

csv_lines = st.lists(
    st.sampled_from(
        ["1", "2.5", " 3", '"4"', "M", "R", '"M"', '"R', 'M"', '""', '"a""b"', "x", "?", "", " "]
    ),
    min_size=1,
    max_size=3,
).map(",".join)
csv_texts = st.lists(csv_lines | st.just("1,2,M") | st.just("3,4,R"), max_size=6).flatmap(
    lambda lines: st.sampled_from(["\n", "\r\n", "\r"]).map(lambda end: end.join(lines) + end)
)
libsvm_lines = st.lists(
    st.sampled_from(
        [
            "1",
            "-1",
            "+1",
            "1:1",
            "2:0.5",
            "3:-1e-3",
            "1_1:1",
            "2:1_0",
            "qid:3",
            "#",
            "x",
            "\t",
            "\r",
        ]
    ),
    max_size=4,
).map(" ".join)
libsvm_texts = st.lists(libsvm_lines | st.just("1 1:1 2:2") | st.just("-1 2:3"), max_size=6).map(
    "\n".join
)


def _read(content: bytes, **options: Any) -> Table | None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data"
        path.write_bytes(content)
        try:
            return read(path, **options)
        except InputError as error:
            sentence = str(error)
    assert "\n" not in sentence
    assert "cannot be read as" not in sentence
    return None


@given(csv_texts)
@example('1,2,M\n3,4,"R\n5,6,M\n7,8,R\n')
@example('1,2,M\n3,4,"R\n5,6",M\n7,8,R\n')
@example('1,2,"M')
@example('1,"2"3,M\n')
@example('\n"a","b","kind"\n\n1,2,M\n3,4,R\n')
def test_csv(text: str) -> None:
    table = _read(text.encode(), kind="csv")
    if table is None:
        return
    lines = [line for line in re.split(r"\r\n|\r|\n", text) if line]
    rows = [next(csv.reader([line], strict=True)) for line in lines]
    if table.feature_names is not None:
        names = [name.strip() for name in rows.pop(0)]
        assert names == [*table.feature_names, table.label_name]
    assert table.X.tolist() == [[float(value) for value in row[:-1]] for row in rows]
    assert table.y.tolist() == [row[-1].strip() for row in rows]


@given(libsvm_texts)
@example("\r #")
@example("\f\n1 1:1\n")
def test_libsvm(text: str) -> None:
    table = _read(text.encode(), kind="libsvm")
    if table is None:
        return
    samples = [line.partition("#")[0].split() for line in text.split("\n")]
    samples = [fields for fields in samples if fields]
    dense = np.zeros(table.X.shape)
    for row, (label, *pairs) in enumerate(samples):
        assert table.y[row] == float(label)
        for pair in pairs:
            index, _, value = pair.partition(":")
            if index != "qid":
                assert index.isdigit()
                assert number_fault(value) is None
                dense[row, int(index) - table.first_index] = float(value)
    assert table.X.toarray().tolist() == dense.tolist()
    assert len(samples) == len(dense)


@pytest.mark.slow
def test_many_more() -> None:
    for test in (test_csv, test_libsvm):
        settings(max_examples=5000)(test)()


@given(st.text('1,"\r\na', max_size=40))
def test_lines_are_counted_across_pieces(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder) / "data"
        path.write_bytes(text.encode())
        whole = count_lines(path, ",")
        lines = re.split(r"\r\n|\r|\n", text)
        assert whole.lines == sum(map(bool, lines))
        assert whole.longest == max(map(len, lines))
        if whole.can_be_split:
            for line in lines:
                list(csv.reader([line], strict=True))
        patch.setattr(text_file, "_PIECE", 3)
        pieces = count_lines(path, ",")
        assert pieces[:2] == whole[:2]
        # Quotes pair within a line, so that pieces, which are whole lines, tell the same.
        assert pieces.can_be_split == whole.can_be_split


def test_a_thousand_rows_are_not_swallowed(tmp_path: Path) -> None:
    rows = [f"{k},{k % 7},{'MR'[k % 2]}" for k in range(1003)]
    path = tmp_path / "data.csv"
    path.write_text("\n".join(rows))
    assert len(read(path).X) == 1003
    path.write_text("\n".join([*rows[:2], '2,2,"M', *rows[3:]]))
    with pytest.raises(InputError, match=r"line 3, column 3: a quote in '\"M' is out of place"):
        read(path)


@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz", "data.csv.bz2"])
@pytest.mark.parametrize("content", [b"1,a\n2,a\0\n3,b\n", b"1,a\n2,\xff\n3,b\n"])
def test_what_is_no_text_is_found_in_its_line(tmp_path: Path, name: str, content: bytes) -> None:
    pack = {".gz": gzip.compress, ".bz2": bz2.compress}.get(Path(name).suffix, bytes)
    (tmp_path / name).write_bytes(pack((b"0" * 97 + b",b\n") * 12_000 + content))
    with pytest.raises(
        InputError, match=r"line 12002: (there is a NUL byte|this is not text in UTF-8)"
    ):
        read(tmp_path / name)


class TestHugeClaims:
    def test_an_index_far_beyond_the_file(self, tmp_path: Path) -> None:
        path = tmp_path / "data"
        path.write_text("1 1:1\n\n-1 999999999:1\n")
        with pytest.raises(
            InputError, match="line 3: the index 999999999 is too large for a file of 22"
        ):
            read(path)
        path.write_text("1 1:1\n\n-1 30000000:1\n")
        assert read(path).X.shape == (2, 30_000_000)

    def test_a_line_of_more_than_a_mebibyte(self, tmp_path: Path) -> None:
        values = np.random.default_rng(0).random((5, 1000))
        path = tmp_path / "data.csv"
        lines = [
            ",".join(f"{value:.1200f}" for value in row) + f",{k % 2}\n"
            for k, row in enumerate(values)
        ]
        path.write_text("".join(lines))
        assert read(path).X.tobytes() == values.tobytes()

    def test_a_line_without_an_end(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(text_file, "LONGEST_LINE", 1000)
        for text in ("1" * 2000, "1,a\n" + "1" * 300_000, "1 1:1\n2 1:" + "1" * 2000):
            (tmp_path / "data").write_text(text)
            with pytest.raises(
                InputError, match=r"line [12]: this line is longer than 1,000 bytes"
            ):
                read(tmp_path / "data")

    def test_a_hundred_gigabytes_of_nothing(self, tmp_path: Path) -> None:
        with (tmp_path / "data").open("wb") as file:
            file.truncate(100 * 2**30)
        with pytest.raises(InputError, match="line 1: there is a NUL byte"):
            read(tmp_path / "data")

    def test_many_columns_by_name(self, tmp_path: Path) -> None:
        names = [f"x{k}" for k in range(20_000)]
        path = tmp_path / "data.csv"
        path.write_text(",".join([*names[::-1], "kind"]) + "\n" + "1," * 20_000 + "a\n")
        started = time.perf_counter()
        assert read(path, expect=Table(None, None, 20_000, names, "kind")).X.shape == (1, 20_000)
        assert time.perf_counter() - started < 10.0  # comparing each name with each takes minutes


_EXIT = """
import sys
from pathlib import Path
from rosenblatt.core.errors import InputError
from rosenblatt.io import csv_file as csv

def explain(*_):
    raise InputError("refused")

csv._explain = explain
path = Path(sys.argv[1])
layout = csv.find_layout(path, None, None, None)
try:
    csv._read_arrow(path, layout, csv.LineCount(20, 1, True))  # blocks that are too small
except InputError as error:
    print(error)
"""


@pytest.mark.slow
def test_a_read_that_fails_does_not_keep_python_from_exiting(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text(("0.123456," * 150_000 + "a\n") * 20)
    done = subprocess.run(
        [sys.executable, "-c", _EXIT, str(path)],
        capture_output=True,
        timeout=100,
        text=True,
        check=True,
    )
    assert done.stdout == "refused\n"
