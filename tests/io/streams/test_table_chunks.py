"""The chunks of a table equal the table read whole, and reading can resume at each chunk."""

import gzip
import io
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather as pa_feather
import pyarrow.parquet as pa_parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rosenblatt.core.errors import InputError
from rosenblatt.io import Reading, Table, read
from rosenblatt.io.csv import csv_file
from rosenblatt.io.samples.label_text import label_texts
from rosenblatt.io.samples.preparation import ColumnOptions, encoded, prepared
from rosenblatt.io.samples.table import Expected
from rosenblatt.io.sources.file_kind import file_kind
from rosenblatt.io.sources.source import sources_of
from rosenblatt.io.streams.encoding_pass import learn_encoding
from rosenblatt.io.streams.sample_stream import Stream
from rosenblatt.io.streams.table_chunks import table_reader
from rosenblatt.io.streams.tables import csv_beginning
from rosenblatt.io.streams.tables.table_form import FormChangedError, TableForm
from rosenblatt.tables.encoder import TableEncoder
from sample_files import written


@pytest.fixture(autouse=True)
def _short_heads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guess types from few lines, so that later lines may contradict them."""
    for module in (csv_file, csv_beginning):
        monkeypatch.setattr(module, "HEAD", 60)


NUMBERS = ["1", "2.5", " 3", "-0.25", "1e2", "?", ""]
TEXTS = ["red", " blue", '"a, b"', "it's", "007", "true", "2019-01-31", "9007199254740993", "NA"]
DAYS = ["2020-01-31", "1999-12-01", "2020-01-31 12:30:00", ""]
LABELS = {
    "whole": ["1", "2", "-3"],
    "truth": ["TRUE", "false"],
    "text": ["a", "b", "1"],
    "some missing": ["a", "b", "?", ""],
}


@st.composite
def csv_texts(draw: st.DrawFn) -> str:
    """Columns of numbers, text, days, and numbers with text in later lines; and labels."""
    n = draw(st.integers(2, 14))
    late = [*NUMBERS] * 3 + TEXTS
    kinds = [NUMBERS, TEXTS, DAYS, draw(st.sampled_from([NUMBERS, late]))]
    labels = LABELS[draw(st.sampled_from(sorted(LABELS)))]
    rows = [
        ",".join([*(draw(st.sampled_from(kind)) for kind in kinds), draw(st.sampled_from(labels))])
        for _ in range(n)
    ]
    if draw(st.booleans()):
        rows.insert(0, "size,what,when,some,class")
    for _ in range(draw(st.integers(0, 2))):
        rows.insert(draw(st.integers(0, len(rows))), "")
    return draw(st.sampled_from(["\n", "\r\n"])).join(rows) + draw(st.sampled_from(["", "\n"]))


def stream(
    paths: Sequence[str | Path],
    reading: Reading | None = None,
    form: TableForm | None = None,
    **options: Any,
) -> Stream:
    sources, reading = sources_of(paths), reading or Reading()
    kind = file_kind(sources[0].name, sources[0].head(100), reading.kind)
    opened = Stream(sources, table_reader(sources, kind, reading, **options))
    if form is not None:
        opened.reader.take({"form": form.to_json()})
    return opened


def cells(tables: Sequence[Table]) -> list[tuple[Any, ...]]:
    """Return each sample: its cells, its label and its type, its place."""
    found: list[tuple[Any, ...]] = []
    for table in tables:
        columns = [column.to_pylist() for column in table.X.columns]
        places = table.places_of(np.arange(table.n_samples))
        labels = [None] * table.n_samples if table.y is None else table.y.tolist()
        found += zip(*columns, map(str, map(type, labels)), labels, places, strict=True)
    return found


def whole_or_fault(paths: Sequence[Path], reading: Reading) -> Table | str:
    try:
        return read(list(paths), reading)
    except InputError as error:
        return str(error)


def check_chunks(paths: Sequence[Path], reading: Reading, **options: Any) -> list[Table] | None:
    """Compare chunks with the whole table, and with the chunks read from each position on."""
    before = set(threading.enumerate())
    whole, opened = whole_or_fault(paths, reading), stream(paths, reading, **options)
    if isinstance(whole, str) or whole.n_samples == 0:
        with pytest.raises(InputError):
            list(opened)
        return None
    found = list(opened)
    assert cells(found) == cells([whole])
    if len(paths) == 1:
        assert {tuple(chunk.X.schema.types) for chunk in found} == {tuple(whole.X.schema.types)}
    assert (found[-1].end.rows, opened.reader.n_unlabeled) == (whole.n_samples, whole.n_unlabeled)
    first = found[0]
    assert (first.columns, first.has_names, first.label_name, first.label_column) == (
        whole.columns,
        whole.has_names,
        whole.label_name,
        whole.label_column,
    )
    form = opened.reader.form
    for k, chunk in enumerate(found):
        rest = list(stream(paths, reading, form=form, **options).chunks(chunk.end))
        assert [one.end for one in rest] == [one.end for one in found[k + 1 :]]
        assert cells(rest) == cells(found[k + 1 :])
    assert set(threading.enumerate()) <= before
    return found


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(csv_texts(), st.integers(1, 80), st.none() | st.integers(1, 5), st.booleans())
def test_csv(tmp_path: Path, text: str, size: int, chunk_rows: int | None, digests: bool) -> None:
    path = written(tmp_path, text)
    found = check_chunks(
        [path], Reading(), piece_size=size, chunk_rows=chunk_rows, has_digests=digests
    )
    if found is not None and chunk_rows is not None:
        assert {chunk.n_samples for chunk in found[:-1]} <= {chunk_rows}
    try:
        expected, X = prepared(str(path), read(path), ColumnOptions(scale=None))
    except InputError:
        with pytest.raises(InputError):
            learn_encoding(stream([path], piece_size=size), ColumnOptions(scale=None))
        return
    opened = stream([path], piece_size=size, chunk_rows=chunk_rows)
    encoder = learn_encoding(opened, ColumnOptions(scale=None))
    assert str(encoder.columns_) == str(expected.columns_)
    chunks = [encoder.transform(chunk.X) for chunk in opened]
    assert {type(one) for one in chunks} == {type(X)}
    dense = [one if isinstance(one, np.ndarray) else one.toarray() for one in [*chunks, X]]
    assert np.vstack(dense[:-1]).tolist() == dense[-1].tolist()
    classes, counts = np.unique(read(path).y, return_counts=True)
    assert opened.reader.labels.classes.tolist() == classes.tolist()
    assert opened.reader.labels.counts.tolist() == counts.tolist()


def test_later_lines_contradict_the_first(tmp_path: Path) -> None:
    """Several columns turn out to be text, one after another, within three passes."""
    rows = [f"{k},{k / 7},2020-01-0{1 + k % 9},it's,{'ab'[k % 2]}" for k in range(300)]
    rows[100] = "x,1,2020-01-01,it's,a"
    rows[200] = "1,x,2020-01-01,it's,a"
    rows[290] = "1,1,someday,it's,a"
    path = written(tmp_path, "\n".join(rows))
    found = check_chunks([path], Reading(), piece_size=3000)
    assert found is not None
    opened = stream([path], piece_size=3000)
    n_passes = 0
    while opened.reader.form is None:
        n_passes += 1
        try:
            list(opened.reader.survey())
        except FormChangedError:
            continue
    assert n_passes == 3
    apostrophes = ["'a',1", "'b',2"] + ["it's,1"] * 40
    check_chunks([written(tmp_path, "\n".join(apostrophes))], Reading(), piece_size=100)


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_parquet_and_arrow_files(tmp_path: Path, kind: str) -> None:
    n = 57
    rng = np.random.default_rng(0)
    table = pa.table(
        {
            "a": [None if k % 5 == 0 else float(k) for k in range(n)],
            "b": rng.choice(["x", "y"], n),
            "label": [None if k in (0, 30, 56) else k % 3 for k in range(n)],
            "__index_level_0__": range(n),
        }
    )
    paths = [tmp_path / "one", tmp_path / "two"]
    for path, part in zip(paths, (table, table.select([2, 1, 0, 3]).slice(7, 30)), strict=True):
        if kind == "parquet":
            pa_parquet.write_table(part, path, row_group_size=10)
        else:
            pa_feather.write_feather(part, str(path), chunksize=10)
    for options in ({"most_rows": 4}, {"most_rows": 25}, {"most_rows": 25, "chunk_rows": 7}):
        assert check_chunks(paths[:1], Reading(), **options) is not None
        assert check_chunks(paths, Reading(), **options) is not None
    chunk = next(iter(stream(paths[:1], most_rows=10)))
    assert (chunk.end.offset, chunk.end.line, chunk.end.rows) == (1, 10, 9)
    opened = stream(paths, most_rows=10)
    shown = [opened.n_read for _ in opened]
    assert 0 < shown[0] < shown[3] < shown[-1] == opened.n_bytes
    assert shown == sorted(shown)


def test_several_files(tmp_path: Path) -> None:
    one = written(tmp_path, "a,b,class\n1,x,1\n2,y,0\n" + "2,y,0\n" * 20, "one")
    two = written(tmp_path, "\nb,a,class\nx,3,0\n,4,1\n", "two")
    for chunk_rows in (None, 3):
        check_chunks([one, two, one], Reading(), piece_size=30, chunk_rows=chunk_rows)
    other = written(tmp_path, "b,c,class\n1,3,0\n2,4,1\n", "other")
    with pytest.raises(
        InputError, match=r"other: the columns are not those of .*one: only one of the"
    ):
        list(stream([one, other]))
    mixed = written(tmp_path, "1 1:2\n", "libsvm")
    with pytest.raises(InputError, match=r"libsvm: this file has the kind libsvm, but .*csv"):
        stream([one, mixed])


def test_chunks_for_a_model(tmp_path: Path) -> None:
    """Types and labels come from the model, in one pass; a cell that does not fit is named."""
    expect = Expected(2, np.array([False, True]), ["a", "b"], True, ["b"], "class")
    text = "b,a,class\nx,1,TRUE\ny,2,false\n" + "x,3,true\n" * 20
    path = written(tmp_path, text)
    reading = Reading(expect=expect)
    chunks = list(stream([path], reading, piece_size=20))
    whole = read(path, reading)
    assert [cell[:2] for cell in cells(chunks)] == [cell[:2] for cell in cells([whole])]
    labels = [label for chunk in chunks for label in chunk.y.tolist()]
    assert labels == label_texts(whole.y).tolist()
    encoder = TableEncoder(min_count=1).fit(whole.X)
    path.write_text(text + "x,four,true\n")
    *_, last = stream([path], reading, piece_size=20)
    with pytest.raises(InputError, match=r"line 24, column a: 'four' is not a number"):
        encoded(str(path), last, encoder.transform)
    without = written(tmp_path, "b,a\nx,1\n")
    assert [chunk.y for chunk in stream([without], reading)] == [None]


def test_standard_input_is_readable_for_a_model_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = b"a,class\n" + b"1,x\n2,y\n" * 20
    expect = Expected(1, np.array(["x", "y"]), ["a"], True, (), "class")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    chunks = list(stream(["-"], Reading(expect=expect), piece_size=30))
    packed = written(tmp_path, gzip.compress(text))
    assert [cell[:3] for cell in cells(chunks)] == [cell[:3] for cell in cells(stream([packed]))]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    with pytest.raises(InputError, match="standard input: learning from a table reads it more"):
        learn_encoding(stream(["-"]), ColumnOptions())


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1,2,a\n" * 9 + "1,2\n", "line 10: expected 3 columns, found 2"),
        ("1,2,a\n" * 9 + '1,"2,a\n', "line 10, column 2: stray quote in"),
        ("1,2,a\n" * 9 + "\n1,\xff,a\n", "line 11: this is not text in UTF-8"),
        ("1,y,a\n" + "1,2,b\n1,3,c\n" * 9, "line 1: this may be a header or a sample: the label"),
        ("1,2,?\n" * 9, "no sample has a label; choose another label column"),
        ("a,b,c\n", "there are no samples below the header"),
    ],
)
def test_malformed_lines_are_named(tmp_path: Path, text: str, sentence: str) -> None:
    path = written(tmp_path, text.encode("latin-1"))
    with pytest.raises(InputError, match=sentence):
        list(stream([path], piece_size=20))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1,a\n" * 9 + "inf,b\n", "line 10, column 1: inf is not finite"),
        ("1,a\n2,b\n3,a\n" * 9 + "\nx,b\n1,b\n", "line 29, column 1: 'x' is not a number, but 3"),
        ("7,b\n" * 9 + "18%,a\n", "line 10, column 1: '18%' is an amount of money or a percentage"),
        ("x,a\n" * 9 + "x,b\n", "no column is left to learn from: column 1"),
    ],
)
def test_unusable_cells_are_named(tmp_path: Path, text: str, sentence: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(InputError, match=sentence):
        learn_encoding(stream([path], piece_size=20), ColumnOptions())


def test_later_label_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "1,2\n1,3\n" * 9 + "1,x\n")
    form = TableForm({"column 1": "number"}, label_kind="whole")
    with pytest.raises(InputError, match="data, line 19: the label 'x' is not a whole number"):
        list(stream([path], form=form, piece_size=10))


def test_late_apostrophes_and_lone_cr_are_refused(tmp_path: Path) -> None:
    late = written(tmp_path, "'a',1\n'b',2\n" + "it,1\n" * 900 + "it's,1\n" * 40)
    expect = Expected(1, np.array([1, 2]), ["x"], False, ["x"])
    with pytest.raises(InputError, match=r"line \d+: from here on ' does not enclose whole fie"):
        list(stream([late], Reading(expect=expect), piece_size=100))
    returns = written(tmp_path, "1,a\r2,b\r")
    check_chunks([returns], Reading())
    with pytest.raises(InputError, match="line 1: from here on lines end with CR alone"):
        list(stream([returns], chunk_rows=1))


def test_decimal_commas(tmp_path: Path) -> None:
    rows = ["1,5;1.234,5;a", "2,5;7,25;b"] * 20
    check_chunks([written(tmp_path, "\n".join(rows))], Reading(decimal=","), piece_size=50)
    rows[-1] = "x;7,25;b"
    check_chunks([written(tmp_path, "\n".join(rows))], Reading(decimal=","), piece_size=50)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b'a,y\n"1,x\n2,z\n', "data, line 2, column 1: stray quote in "),
        (b"\na,y\n\n1,\xff\n2,z\n", "data, line 4: this is not text in UTF-8"),
    ],
)
def test_malformed_first_sample_is_named(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = written(tmp_path, content)
    for reader in (read, lambda path: list(stream([path]))):
        with pytest.raises(InputError, match=sentence):
            reader(path)


def test_byte_order_mark_within_a_file_is_text(tmp_path: Path) -> None:
    """Concatenated files have such marks; Arrow would skip one at the beginning of each piece."""
    path = written(tmp_path, "\ufeffa,y\n1,x\n\ufeff2,z\n3,x\n\ufeff\ufeff4,z\n")
    for size in range(1, 40):
        found = list(stream([path], piece_size=size))
        assert [row[0] for row in cells(found)] == ["1", "\ufeff2", "3", "\ufeff\ufeff4"]
