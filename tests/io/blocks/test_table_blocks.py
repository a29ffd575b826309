"""Blocks of tables: combined surveys equal one pass, joined blocks equal the stream."""

import gzip
import os
import pickle
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather as pa_feather
import pyarrow.ipc as pa_ipc
import pyarrow.parquet as pa_parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rosenblatt.core.errors import InputError
from rosenblatt.io.blocks.agreement import combine_surveys
from rosenblatt.io.blocks.block import Agreement, Block, SurveyOptions
from rosenblatt.io.blocks.block_reader import BlockReader
from rosenblatt.io.blocks.survey import sources_to_survey, survey_source
from rosenblatt.io.blocks.table_agreement import SurveyAgainError
from rosenblatt.io.blocks.tables import row_blocks
from rosenblatt.io.samples.preparation import ColumnOptions, encoded, reading_of
from rosenblatt.io.samples.table import Reading
from rosenblatt.io.streams.encoding_pass import learn_encoding
from rosenblatt.io.streams.line_chunks import LineReading
from rosenblatt.io.streams.sample_stream import open_stream
from rosenblatt.io.streams.tables import csv_beginning, row_files
from rosenblatt.tables.facts import Limits
from rosenblatt.training.shards.dealing import block_starts
from sample_files import written

CELLS = {
    "size": ["1", "2.5", "-0.25", "1e2", "?", ""],
    "town": ["Rome", "Oslo", "New York", '"a, b"', "NA"],
    "when": ["2020-01-31", "1999-12-01", ""],
    "paid": ["true", "FALSE", "True"],
    "note": ["good wine", "very bad wine indeed", "007", "it's", "3"],
    "id": ["1", "2", "3", "4", "5", "6", "7", "8", "9", "1e3"],
    "price": ["7"] * 20 + ["$5", "18.7%"],
    "late": ["1"] * 20 + ["x", "2020-01-01"],
}
TYPED = {
    "size": [1.0, 2.5, -0.25, None, 100.0],
    "town": ["Rome", "Oslo", "New York", None],
    "when": [None, "2020-01-31", "1999-12-01"],
    "paid": [True, False, None],
    "note": ["good wine", "very bad wine indeed", "3"],
    "id": [*range(30), 2**60 + 1],
}
LABELS = [["1", "2", "-3"], ["TRUE", "false"], ["a", "b", "1", "?", ""]]


def surveyed(
    paths: Sequence[str | Path], options: SurveyOptions, most_rounds: int = 5
) -> tuple[list[str], Agreement]:
    """Return the paths of all sources, and their combined surveys, as if made on many machines."""
    sources, options = sources_to_survey(paths, options)

    def survey(number: int, *start: Any) -> Any:
        found = survey_source(sources[number], number, options, *start)
        return pickle.loads(pickle.dumps(found))

    surveys = [survey(number) for number in range(len(sources))]
    for _ in range(most_rounds):
        try:
            return sources, pickle.loads(pickle.dumps(combine_surveys(surveys, options)))
        except SurveyAgainError as again:
            for number in again.numbers:
                surveys[number] = survey(number, again.start)
    raise AssertionError("the surveys do not agree")


class Whole:
    """All samples of the stream, encoded, as a run on one machine gets them."""

    def __init__(self, paths: Sequence[Path], options: SurveyOptions) -> None:
        stream = open_stream(paths, reading_of(options.reading, options.columns), options.lines)
        self.encoder = learn_encoding(stream, options.columns)
        tables = list(stream)
        matrices = [encoded(stream.name, table, self.encoder.transform) for table in tables]
        self.is_sparse = not isinstance(matrices[0], np.ndarray)
        self.X = np.vstack([X.toarray() if self.is_sparse else X for X in matrices])
        self.y = np.concatenate([table.y for table in tables])
        self.places = [
            place for table in tables for place in table.places_of(np.arange(table.n_samples))
        ]
        self.labels = stream.reader.labels
        self.n_unlabeled = stream.reader.n_unlabeled


def check_blocks(names: Sequence[str], found: Agreement, whole: Whole, orders: Any) -> None:
    """Compare blocks, read in several orders, with all samples."""
    blocks = found.blocks
    starts = np.cumsum([0, *(block.n_rows for block in blocks)])
    with closing(BlockReader(names, found.form)) as reader:
        for chosen in orders:
            done: list[Block] = []
            for table, own in reader.tables([blocks[k] for k in chosen]):
                numbers = chosen[len(done) : len(done) + len(own)]
                rows = np.concatenate([np.arange(starts[k], starts[k + 1]) for k in numbers])
                assert isinstance(table.X, np.ndarray) != whole.is_sparse
                X = table.X.toarray() if whole.is_sparse else table.X
                assert X.tobytes() == whole.X[rows].tobytes()
                assert table.y.dtype.kind == whole.y.dtype.kind
                assert table.y.tolist() == whole.y[rows].tolist()
                places = table.places_of(np.arange(len(rows)))
                assert places == [whole.places[row] for row in rows]
                done.extend(own)
            assert done == [blocks[k] for k in chosen]


def check_agreement(found: Agreement, whole: Whole, *, by_groups: bool = False) -> None:
    assert str(vars(found.form.encoder)) == str(vars(whole.encoder))
    for own, other in zip(found.form.encoder.columns_, whole.encoder.columns_, strict=True):
        assert str(own) == str(other)
    assert found.n_features == whole.X.shape[1]
    assert found.n_samples == len(whole.y)
    assert found.n_unlabeled == whole.n_unlabeled
    assert found.classes.tolist() == whole.labels.classes.tolist()
    assert found.class_counts.tolist() == whole.labels.counts.tolist()
    for number in range(len(found.sources)):
        own = [block for block in found.blocks if block.source == number]
        n_own = sum(block.n_rows for block in own)
        if not by_groups:
            assert [*(block.row for block in own), n_own] == block_starts(n_own).tolist()


def check_surveys(
    paths: Sequence[Path], options: SurveyOptions, data: st.DataObject, *, by_groups: bool = False
) -> None:
    """Compare surveys and blocks with one pass, including its errors."""
    whole = whole_or_error(paths, options)
    if isinstance(whole, str):
        with pytest.raises(InputError) as error:
            surveyed(paths, options)
        if len(paths) == 1:
            assert str(error.value) == whole
        return
    names, found = surveyed(paths, options)
    check_agreement(found, whole, by_groups=by_groups)
    shard = list(range(len(found.blocks)))[:: options.n_shards]
    orders = [shard, data.draw(st.permutations(shard)), list(range(len(found.blocks)))]
    check_blocks(names, found, whole, orders)


def whole_or_error(paths: Sequence[Path], options: SurveyOptions) -> Whole | str:
    try:
        return Whole(paths, options)
    except InputError as error:
        return str(error)


def csv_text(columns: dict[str, list[str]], *, end: str, has_header: bool) -> str:
    """Return columns as CSV; cells are already quoted if needed."""
    rows = [",".join(columns)] if has_header else []
    rows += [",".join(cells) for cells in zip(*columns.values(), strict=True)]
    return end.join(rows)


@st.composite
def csv_columns(draw: st.DrawFn, names: Sequence[str], labels: list[str]) -> dict[str, list[str]]:
    n = draw(st.integers(1, 12)) * draw(st.sampled_from([1, 1, 1, 1, 1, 60]))
    seed = draw(st.integers(0, 2**32))
    rng = np.random.default_rng(seed)
    columns = {name: rng.choice(CELLS[name], n).tolist() for name in names}
    if draw(st.booleans()) and "note" in columns:
        columns["note"] = [f"text number {k} of {rng.integers(100)}" for k in range(n)]
    return {**columns, "class": rng.choice(labels, n).tolist()}


@pytest.fixture(autouse=True)
def _short_heads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guess types from few lines, so that later lines may contradict them."""
    monkeypatch.setattr(csv_beginning, "HEAD", 60)


SETTINGS = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@SETTINGS
@given(st.data(), st.integers(1, 3), st.sampled_from([64, 2**22]), st.booleans())
def test_csv(data: st.DataObject, n_files: int, piece_size: int, has_header: bool) -> None:
    """One source or several, with columns whose type only later lines show."""
    names = data.draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, unique=True))
    labels = data.draw(st.sampled_from(LABELS))
    columns = data.draw(
        st.sampled_from(
            [
                ColumnOptions(),
                ColumnOptions(scale=None, min_count=2),
                ColumnOptions(missing=["3"]),
            ]
        )
    )
    options = SurveyOptions(
        Reading("csv", header=has_header),
        LineReading(piece_size=piece_size),
        columns,
        n_shards=data.draw(st.integers(1, 3)),
    )
    with TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.csv" for number in range(n_files)]
        for path in paths:
            columns = data.draw(csv_columns(names, labels))
            order = data.draw(st.permutations(list(columns))) if has_header else list(columns)
            end = data.draw(st.sampled_from(["\n", "\r\n", "\n\n"]))
            text = csv_text({name: columns[name] for name in order}, end=end, has_header=has_header)
            content = (text + data.draw(st.sampled_from(["", "\n"]))).encode()
            if data.draw(st.booleans()):
                content = gzip.compress(content)
            path.write_bytes(content)
        check_surveys(paths, options, data)


def typed_column(rng: np.random.Generator, name: str, n: int, *, is_declared: bool) -> pa.Array:
    """Return a column as Parquet and Arrow store it."""
    chosen = rng.integers(0, len(TYPED[name]), n).tolist()
    values: list[Any] = [TYPED[name][k] for k in chosen]
    if name == "when":
        return pa.array(values).cast(pa.timestamp("us"))
    cells = pa.array(values)
    if is_declared and name == "town":
        return cells.cast(pa.string()).dictionary_encode()
    return cells  # without a type if all are missing


@st.composite
def typed_tables(draw: st.DrawFn, names: Sequence[str], labels: list[Any]) -> pa.Table:
    n = draw(st.integers(1, 12)) * draw(st.sampled_from([1, 1, 1, 1, 1, 60]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    is_declared = draw(st.booleans())
    columns = {name: typed_column(rng, name, n, is_declared=is_declared) for name in names}
    columns["class"] = pa.array([labels[k] for k in rng.integers(0, len(labels), n).tolist()])
    return pa.table({name: columns[name] for name in draw(st.permutations(list(columns)))})


def write_rows(table: pa.Table, path: Path, kind: str, size: int) -> None:
    if kind == "parquet":
        pa_parquet.write_table(table, path, row_group_size=size, use_dictionary=["town"])
    elif kind == "arrow":
        pa_feather.write_feather(table, str(path), chunksize=size)
    else:  # uncompressed
        with pa_ipc.new_file(str(path), table.schema) as file:
            file.write_table(table, max_chunksize=size)


@SETTINGS
@given(st.data(), st.sampled_from(["parquet", "arrow", "plain arrow"]), st.integers(1, 3))
def test_rows(
    monkeypatch: pytest.MonkeyPatch, data: st.DataObject, kind: str, n_files: int
) -> None:
    """Few large groups, or many small ones that are blocks; some are too large for the cache."""
    names = data.draw(st.lists(st.sampled_from(sorted(TYPED)), min_size=1, unique=True))
    labels = data.draw(st.sampled_from([[1, 2, None], [True, False], ["a", "b", "?", None]]))
    columns = data.draw(st.sampled_from([ColumnOptions(), ColumnOptions(scale=None, min_count=2)]))
    options = SurveyOptions(Reading(), columns=columns, n_shards=data.draw(st.integers(1, 3)))
    monkeypatch.setattr(row_blocks, "_LARGE", data.draw(st.sampled_from([0, 300, 2**25])))
    monkeypatch.setattr(row_blocks, "_CACHE_BYTES", data.draw(st.sampled_from([0, 600, 2**26])))
    monkeypatch.setattr(row_blocks, "_ROWS", data.draw(st.sampled_from([1, 7, 2**14])))
    monkeypatch.setattr(row_files, "_BYTES", data.draw(st.sampled_from([100, 2**24])))
    monkeypatch.setattr(row_blocks, "_MOST_OPEN", data.draw(st.sampled_from([1, 32])))
    with TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}" for number in range(n_files)]
        for path in paths:
            table = data.draw(typed_tables(names, labels))
            write_rows(table, path, kind, data.draw(st.sampled_from([1, 10, 1000, 1000])))
        check_surveys(paths, options, data, by_groups=True)


MANY: dict[str, Callable[[int], str]] = {
    "number": lambda k: f"{k}.5",
    "days": lambda k: f"{1 + k % 28}.{1 + k // 28 % 12}.2020",
    "sentence": lambda k: f"this is text {k} of them",
    "words": lambda k: f"word{k % 7} word{k}",
    "code": lambda k: f"code-{k}",
    "id": lambda k: f"{k}",
    "group": lambda k: f"group {k % 3}",
}


@SETTINGS
@given(st.data(), st.integers(1, 40), st.sampled_from(["csv", "parquet"]), st.integers(1, 4))
def test_more_texts_than_remembered(
    monkeypatch: pytest.MonkeyPatch, data: st.DataObject, most: int, kind: str, n_files: int
) -> None:
    """The first texts decide the kind, in whichever files they are, or the error is the same."""
    monkeypatch.setattr("rosenblatt.tables.encoder.OF_A_STREAM", Limits(most, np.inf, 100))
    monkeypatch.setattr(row_files, "_BYTES", 100)
    names = data.draw(st.lists(st.sampled_from(sorted(MANY)), min_size=1, max_size=3, unique=True))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    options = SurveyOptions(lines=LineReading(piece_size=100))
    mixes = [data.draw(st.sampled_from(["own", "own", "own", *MANY])) for _ in range(n_files)]
    with TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}" for number in range(n_files)]
        start = 0
        for path, mix in zip(paths, mixes, strict=True):
            n = int(rng.integers(1, 60))
            highest = data.draw(st.sampled_from([n, 3 * n, max(1, n // 3)]))
            numbers = start + rng.choice(highest, n, replace=n > highest)
            start += data.draw(st.sampled_from([0, highest]))
            columns = {
                name: [MANY[name if mix == "own" else mix](k) for k in numbers.tolist()]
                for name in names
            }
            columns["class"] = [f"c{k % 2}" for k in range(n)]
            if kind == "csv":
                path.write_text(csv_text(columns, end="\n", has_header=True))
            else:
                own = {name: pa.array(cells) for name, cells in columns.items()}
                if "id" in own and data.draw(st.booleans()):
                    own["id"] = pa.array(numbers)
                write_rows(pa.table(own), path, kind, 10)
        check_surveys(paths, options, data, by_groups=True)


def table_of(n: int) -> pa.Table:
    rng = np.random.default_rng(0)
    return pa.table(
        {
            "a": rng.normal(size=n),
            "b": rng.choice(["x", "y"], n),
            "class": [None if k % 7 == 0 else f"c{k % 2}" for k in range(n)],
        }
    )


def as_csv(table: pa.Table) -> bytes:
    names = table.column_names
    columns = [["" if x is None else str(x) for x in table.column(k).to_pylist()] for k in names]
    rows = zip(*columns, strict=True)
    return "\n".join([",".join(names), *map(",".join, rows)]).encode()


@pytest.mark.parametrize("kind", ["csv", "packed csv", "parquet", "arrow", "plain arrow"])
def test_changes_are_refused(tmp_path: Path, kind: str) -> None:
    """A changed byte with the same size and time; then another size."""
    path = tmp_path / "data"
    table, other = table_of(900), table_of(900).to_pydict()
    other["a"][700] += 1.0
    changed = pa.table(other, table.schema)
    if "csv" in kind:
        content, new = as_csv(table), as_csv(table).replace(b"class", b"clasp", 1)
        if "packed" in kind:
            content, new = (gzip.compress(one, 0, mtime=0) for one in (content, new))
    else:
        write_rows(table, path, kind, 100)
        content = path.read_bytes()
        write_rows(changed, path, kind, 100)
        new = path.read_bytes()
    path.write_bytes(content)
    status = os.stat(path)
    names, found = surveyed([path], SurveyOptions())
    assert found.n_unlabeled == 129
    path.write_bytes(new)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    same = [block for block in found.blocks if 100 < block.line < 500]
    with closing(BlockReader(names, found.form)) as reader:
        if kind != "parquet":  # whose footer stores the maximum of each group
            assert sum(table.n_samples for table, _ in reader.tables(same)) == len(same)
        with pytest.raises(InputError, match="data: it has changed since the first round"):
            list(reader.tables(found.blocks))
    path.write_bytes(content + b"\n")
    with (
        closing(BlockReader(names, found.form)) as reader,
        pytest.raises(InputError, match=f"it was {len(content)} bytes"),
    ):
        list(reader.tables(found.blocks[:1]))


def test_large_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A block larger than one read: most of its lines have no label."""
    monkeypatch.setattr("rosenblatt.io.blocks.tables.csv_blocks._LARGE", 50)
    rows = [f"{k},{'' if k % 40 else 'ab'[k // 40 % 2]}" for k in range(1, 400)]
    path = written(tmp_path, "\n\nsize,class\n" + "\n".join(rows))
    names, found = surveyed([path], SurveyOptions())
    assert [block.n_rows for block in found.blocks] == [1] * 9
    check_blocks(names, found, Whole([path], SurveyOptions()), [range(9), [3], [0], [8, 0]])


def test_later_sources(tmp_path: Path) -> None:
    """Column numbers refer to the first source; errors name the cell's own source."""
    first = written(tmp_path, "a,b,class\n1,1,x\n2,2,y\n1,1,x\n2,1,y\n", "first")
    second = written(tmp_path, "class,b,a\nx,1,1\ny,2,3\n\nx,z,3\n", "second")
    options = SurveyOptions(columns=ColumnOptions(categorical=["1"]))
    with pytest.raises(
        InputError, match=r"second, line 5, column b: 'z' is not a number, but 2 of"
    ):
        surveyed([first, second], options)
    second.write_text("class,b,a\nx,1,1\ny,2,3\n\n")
    names, found = surveyed([first, second], options)
    whole = Whole([first, second], options)
    check_agreement(found, whole)
    assert found.form.encoder.get_feature_names_out().tolist() == ["a=1", "a=2", "a=3", "b"]
    check_blocks(names, found, whole, [[5, 0, 3], range(6)])
    other = written(tmp_path, "a,c,class\n1,1,x\n2,2,y\n", "other")
    with pytest.raises(
        InputError, match=r"other: the columns are not those of .*first: only one of the"
    ):
        surveyed([first, other], options)
    nothing = written(tmp_path, "a,b,class\n1,1,\n2,2,?\n", "nothing")
    with pytest.raises(InputError, match="nothing: no sample has a label"):
        surveyed([nothing, nothing], SurveyOptions())
    measured = written(tmp_path, "a,class\n" + "".join(f"{k % 3},{k}.5\n" for k in range(40)), "m")
    with pytest.raises(InputError, match="the label class has 40 different numbers"):
        surveyed([measured], SurveyOptions())


def test_apostrophes_that_look_like_quotes(tmp_path: Path) -> None:
    """Only later lines show that the quotes at the beginning are apostrophes."""
    late = ["'a',1", "'b',2"] * 40 + ["it's,1"] * 40
    paths = [
        written(tmp_path, "\n".join(lines), name)
        for name, lines in (("one", ["'a',1", "'b',2"] * 20), ("two", late))
    ]
    options = SurveyOptions(lines=LineReading(piece_size=100))
    names, found = surveyed(paths, options)
    whole = Whole(paths, options)
    check_agreement(found, whole)
    check_blocks(names, found, whole, [range(len(found.blocks)), [70, 3, 150, 41]])
