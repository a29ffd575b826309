"""No line of a file is lost: compared with readers that take one line at a time."""

import bz2
import csv
import datetime
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
from rosenblatt.core.number_syntax import number_fault
from rosenblatt.io import Reading, Table, read
from rosenblatt.io.csv.line_count import count_lines
from rosenblatt.io.samples import text_file
from rosenblatt.io.samples.table import Expected
from sample_files import rows, written

CELLS = [
    "1",
    "2.5",
    " 3",
    '"4"',
    "-0",
    "1e2",
    "M",
    "R ",
    '"M"',
    '"R',
    'M"',
    '""',
    '"a""b"',
    "x",
    "it's",
]
CELLS += ["?", "", " ", "NA", " null", "007", "1_000", "true", "FALSE", "5.0", "2019-01-31"]
csv_lines = st.lists(
    st.sampled_from(CELLS),
    min_size=1,
    max_size=3,
).map(",".join)
plain_lines = st.sampled_from(["1,2,M", "3,4,R", "5, x,1", "6,x,0", "1,2,true", ""])
csv_texts = st.lists(csv_lines | plain_lines, max_size=6).flatmap(
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


Lines = tuple[Table, list[str]]
"""A table, and the places of its samples."""


def _read(content: bytes, kind: str) -> Lines | None:
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), content)
        try:
            table = read(path, Reading(kind=kind))
        except InputError as error:
            sentence = str(error)
        else:
            return table, table.places_of(np.arange(table.n_samples))
    assert "\n" not in sentence
    assert "cannot be read as" not in sentence
    return None


def _is_missing(text: str) -> bool:
    return text in ("", "?", "NA", "null")


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?[0-9]+(\.[0-9]+)?(e[0-9]+)?", text, re.ASCII) is not None


def _labels(texts: list[str]) -> list[object]:
    """Return labels in the type that fits all of them."""
    texts = [text.removesuffix(".0") for text in texts]
    if all(re.fullmatch("-?(0|[1-9][0-9]*)", text) for text in texts):
        return [int(text) for text in texts]
    if all(text.lower() in ("true", "false") for text in texts):
        return [text.lower() == "true" for text in texts]
    return list(texts)


def _check_column(found: dict[int, Any], texts: list[str]) -> None:
    """Compare the cells of some rows with the text of all rows, which decides the column's type."""
    present = [text for text in texts if not _is_missing(text)]
    are_numbers = all(map(_is_number, present)) and not any(text[:2] == "00" for text in present)
    for row, cell in found.items():
        if _is_missing(texts[row]):
            assert cell is None or cell.strip() == texts[row]
        elif isinstance(cell, datetime.datetime):
            assert set(present) == {f"{cell:%Y-%m-%d}"} == {texts[row]}
        elif are_numbers:
            assert (type(cell), cell) == (float, float(texts[row]))
        else:
            assert (type(cell), cell.strip()) == (str, texts[row])


@given(csv_texts)
@example('1,2,M\n3,4,"R\n5,6,M\n7,8,R\n')
@example('1,2,M\n3,4,"R\n5,6",M\n7,8,R\n')
@example('1,2,"M')
@example('1,"2"3,M\n')
@example('\n"a","b","kind"\n\n1,2,M\n3,4,R\n')
@example("1,x\n2,y\n\n3,?\n4,x\n")
@example("1,true\r\n2,FALSE\r\n")
def test_csv(text: str) -> None:
    found = _read(text.encode(), "csv")
    if found is None:
        return
    table, places = found
    lines = [(k, line) for k, line in enumerate(re.split(r"\r\n|\r|\n", text), start=1) if line]
    fields = [next(csv.reader([line], strict=True)) for _, line in lines]
    samples = [[field.strip() for field in row] for row in fields]
    if table.has_names:
        assert samples.pop(0) == [*table.names, table.label_name] == table.columns
        lines.pop(0)
    kept = [k for k, row in enumerate(samples) if not _is_missing(row[-1])]
    assert table.n_unlabeled == len(samples) - len(kept)
    assert places == [f"line {lines[k][0]}" for k in kept]
    expected = _labels([samples[k][-1] for k in kept])
    assert [(type(label), label) for label in table.y.tolist()] == [(type(e), e) for e in expected]
    assert table.n_samples == len(kept)
    assert len(table.names) + 1 == len(samples[0])
    for j, column in enumerate(table.X.columns):
        cells = dict(zip(kept, column.to_pylist(), strict=True))
        _check_column(cells, [row[j] for row in samples])


@given(libsvm_texts)
@example("\r #")
@example("\f\n1 1:1\n")
def test_libsvm(text: str) -> None:
    found = _read(text.encode(), "libsvm")
    if found is None:
        return
    table, places = found
    lines = [line.partition("#")[0].split() for line in text.split("\n")]
    samples = [fields for fields in lines if fields]
    assert places == [f"line {k}" for k, fields in enumerate(lines, start=1) if fields]
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
        # Quotes are closed within a line, so pieces of whole lines give the same result.
        assert pieces == whole
        # CR LF may count as two line ends, but a blank line is always detected.
        assert whole.has_blank or all(line for line in lines[:-1])


def test_unclosed_quote_does_not_swallow_rows(tmp_path: Path) -> None:
    rows = [f"{k},{k % 7},{'MR'[k % 2]}" for k in range(1003)]
    path = tmp_path / "data.csv"
    path.write_text("\n".join(rows))
    assert read(path).n_samples == 1003
    path.write_text("\n".join([*rows[:2], '2,2,"M', *rows[3:]]))
    with pytest.raises(InputError, match=r"line 3, column 3: stray quote in '\"M'"):
        read(path)


@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz", "data.csv.bz2"])
@pytest.mark.parametrize("content", [b"1,a\n2,a\0\n3,b\n", b"1,a\n2,\xff\n3,b\n"])
def test_binary_content_is_refused_with_its_line(tmp_path: Path, name: str, content: bytes) -> None:
    pack = {".gz": gzip.compress, ".bz2": bz2.compress}.get(Path(name).suffix, bytes)
    (tmp_path / name).write_bytes(pack((b"0" * 97 + b",b\n") * 12_000 + content))
    with pytest.raises(
        InputError, match=r"line 12002: (found a NUL byte|this is not text in UTF-8)"
    ):
        read(tmp_path / name)


class TestLimits:
    def test_huge_index_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "data"
        path.write_text("1 1:1\n\n-1 999999999:1\n")
        with pytest.raises(
            InputError, match="line 3: the index 999999999 is too large: a model has a weight"
        ):
            read(path)
        path.write_text("1 1:1\n\n-1 30000000:1\n")
        assert read(path).X.shape == (2, 30_000_000)

    def test_line_longer_than_a_mebibyte(self, tmp_path: Path) -> None:
        values = np.random.default_rng(0).random((5, 1000))
        path = tmp_path / "data.csv"
        lines = [
            ",".join(f"{value:.1200f}" for value in row) + f",{k % 2}\n"
            for k, row in enumerate(values)
        ]
        path.write_text("".join(lines))
        assert np.array(rows(read(path))).tobytes() == values.tobytes()

    def test_endless_line_is_refused(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(text_file, "LONGEST_LINE", 1000)
        for text in ("1" * 2000, "1,a\n" + "1" * 300_000, "1 1:1\n2 1:" + "1" * 2000):
            (tmp_path / "data").write_text(text)
            with pytest.raises(
                InputError, match=r"line [12]: this line is longer than 1,000 bytes"
            ):
                read(tmp_path / "data")

    def test_hundred_gigabytes_of_zeros_are_refused_at_once(self, tmp_path: Path) -> None:
        with (tmp_path / "data").open("wb") as file:
            file.truncate(100 * 2**30)
        with pytest.raises(InputError, match="line 1: found a NUL byte"):
            read(tmp_path / "data")

    def test_many_columns_by_name(self, tmp_path: Path) -> None:
        names = [f"x{k}" for k in range(20_000)]
        path = tmp_path / "data.csv"
        path.write_text(",".join([*names[::-1], "kind"]) + "\n" + "1," * 20_000 + "a\n")
        started = time.perf_counter()
        expect = Expected(20_000, np.array(["a", "b"]), names, True, label_name="kind")
        assert read(path, Reading(expect=expect)).X.shape == (1, 20_000)
        assert (
            time.perf_counter() - started < 10.0
        )  # comparing all pairs of names would take minutes


_EXIT = """
import sys
from pathlib import Path
from rosenblatt.core.errors import InputError
from rosenblatt.io import Reading
from rosenblatt.io.csv import csv_file as csv

def explain(*_):
    raise InputError("refused")

csv.explain = explain
path = Path(sys.argv[1])
reading = Reading()
layout = csv.find_layout(str(path), csv.text_lines(path), reading)
try:
    csv._columns(path, layout, csv.LineCount(20, 1, True, False), reading)  # blocks too small
except InputError as error:
    print(error)
"""


@pytest.mark.slow
def test_failed_read_does_not_keep_python_from_exiting(tmp_path: Path) -> None:
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
