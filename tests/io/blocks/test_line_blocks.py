"""Blocks of lines: joined, they equal the stream; changed sources are refused."""

import gzip
import os
import re
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from object_store import object_store
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Labels
from rosenblatt.io.blocks.agreement import combine_surveys
from rosenblatt.io.blocks.block import Agreement, Block, SurveyOptions
from rosenblatt.io.blocks.block_reader import BlockReader
from rosenblatt.io.blocks.survey import sources_to_survey, survey_source
from rosenblatt.io.samples.table import Reading, Table
from rosenblatt.io.streams.line_chunks import LineReading
from rosenblatt.io.streams.sample_stream import open_stream
from rosenblatt.training.shards.dealing import block_starts

NUMBERS = st.sampled_from(["1", "-0.5", "3e-3", "0", "7.25"])
ENDS = st.sampled_from(["\n", "\r\n"])


@st.composite
def libsvm_lines(draw: st.DrawFn) -> str:
    """A line of libsvm text, with or without a sample."""
    if draw(st.integers(0, 5)) == 0:
        return draw(st.sampled_from(["", "   ", "# nothing", "\t"]))
    indices = sorted(draw(st.sets(st.integers(1, 40), max_size=4)))
    pairs = [f"{index}:{draw(NUMBERS)}" for index in indices]
    return " ".join([draw(st.sampled_from(["+1", "-1", "2"])), *pairs])


@st.composite
def contents(draw: st.DrawFn) -> bytes:
    """The bytes of a file, compressed or not."""
    lines = draw(st.lists(libsvm_lines(), max_size=12)) * draw(st.sampled_from([1, 1, 1, 60]))
    end = draw(ENDS)
    text = end.join(lines) + (end if draw(st.booleans()) else "")
    data = (b"\xef\xbb\xbf" if draw(st.booleans()) else b"") + text.encode()
    return gzip.compress(data) if draw(st.booleans()) else data


def surveyed(paths: Sequence[str | Path], options: SurveyOptions) -> tuple[list[str], Agreement]:
    """Return the paths of all sources, and their combined surveys."""
    sources, options = sources_to_survey(paths, options)
    surveys = [survey_source(path, number, options) for number, path in enumerate(sources)]
    return sources, combine_surveys(surveys, options)


class Samples(NamedTuple):
    """Samples of tables."""

    X: sp.csr_matrix
    y: Labels

    def among(self, rows: Counts) -> "Samples":
        """Return some samples."""
        return Samples(self.X[rows], self.y[rows])


def samples(tables: Sequence[Table], n_features: int) -> Samples:
    """Return the samples of tables as one."""
    for table in tables:
        table.X.resize(table.n_samples, n_features)
    return Samples(
        sp.vstack([table.X for table in tables], format="csr"),
        np.concatenate([labels(table) for table in tables]),
    )


def labels(table: Table) -> Labels:
    """Return the labels of a table that has labels."""
    assert table.y is not None
    return table.y


def assert_equal(found: Samples, expected: Samples) -> None:
    """Check that samples are the same, bit by bit."""
    assert found.X.shape == expected.X.shape
    for name in ("data", "indices", "indptr"):
        own, other = getattr(found.X, name), getattr(expected.X, name)
        assert own.dtype == other.dtype
        assert own.tobytes() == other.tobytes()
    assert found.y.dtype.kind == expected.y.dtype.kind
    assert found.y.tolist() == expected.y.tolist()


@settings(deadline=None)
@given(st.data(), st.integers(1, 4), st.sampled_from([64, 2**22]))
def test_blocks_equal_the_stream(data: st.DataObject, n_shards: int, size: int) -> None:
    """Blocks equal the rows of the stream, read in order, alone, in any order, and repeatedly."""
    files = data.draw(st.lists(contents(), min_size=1, max_size=3))
    lines = LineReading(piece_size=size, zero_based=False)
    reading = Reading("libsvm")
    with TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}" for number in range(len(files))]
        for path, content in zip(paths, files, strict=True):
            path.write_bytes(content)
        options = SurveyOptions(reading, lines, n_shards=n_shards)
        try:
            found = list(open_stream(paths, reading, lines))
        except InputError as error:
            with pytest.raises(InputError, match=re.escape(str(error))):
                surveyed(paths, options)
            return
        names, agreement = surveyed(paths, options)
        n_features = agreement.n_features
        assert n_features == max(table.X.shape[1] for table in found)
        everything = samples(found, n_features)
        assert agreement.n_samples == len(everything.y)
        classes, counts = np.unique(everything.y, return_counts=True)
        assert agreement.classes.tolist() == classes.tolist()
        assert agreement.class_counts.tolist() == counts.tolist()
        blocks = agreement.blocks
        sizes = [block.n_rows for block in blocks]
        starts = np.cumsum([0, *sizes])
        for number in range(len(files)):
            own = [block.row for block in blocks if block.source == number]
            n_own = sum(block.n_rows for block in blocks if block.source == number)
            assert [*own, n_own] == block_starts(n_own).tolist()
        places_of_all = [
            place for table in found for place in table.places_of(np.arange(table.n_samples))
        ]
        with closing(BlockReader(names, agreement.form)) as reader:

            def check(chosen: Sequence[int]) -> None:
                done: list[Block] = []
                for table, own in reader.tables([blocks[k] for k in chosen]):
                    numbers = chosen[len(done) : len(done) + len(own)]
                    rows = np.concatenate([np.arange(starts[k], starts[k + 1]) for k in numbers])
                    assert table.X.has_canonical_format
                    assert_equal(samples([table], n_features), everything.among(rows))
                    places = table.places_of(np.arange(len(rows)))
                    assert places == [places_of_all[row] for row in rows]
                    done.extend(own)
                assert done == [blocks[k] for k in chosen]

            shard = data.draw(st.integers(0, n_shards - 1))
            own = list(range(len(blocks)))[shard::n_shards]
            check(data.draw(st.permutations(own)))
            check(range(len(blocks)))
            for number in data.draw(st.lists(st.sampled_from(range(len(blocks))), max_size=3)):
                check([number])


@pytest.mark.parametrize("packed", [False, True])
def test_changes_are_refused(tmp_path: Path, packed: bool) -> None:
    """A changed byte with the same size and time, another size, and later another time."""
    path = tmp_path / "data.svm"
    text = b"".join(b"%+d 1:%d 2:0.5\n" % ((-1) ** k, k % 7) for k in range(700))

    def write(content: bytes) -> None:
        path.write_bytes(gzip.compress(content, 0, mtime=0) if packed else content)

    write(text)
    names, agreement = surveyed([path], SurveyOptions())
    status = os.stat(path)
    place = text.index(b"1:3") + 2
    changed = text[:place] + b"4" + text[place + 1 :]
    write(changed)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert os.stat(path).st_size == status.st_size
    changed_line = text[:place].count(b"\n") + 1
    with closing(BlockReader(names, agreement.form)) as reader:
        before = [block for block in agreement.blocks if block.line < changed_line]
        assert sum(table.n_samples for table, _ in reader.tables(before)) == len(before)
        with pytest.raises(
            InputError, match=f"data.svm.*changed.*differ from line {changed_line} on"
        ):
            list(reader.tables(agreement.blocks))
    write(text)  # a copy with another time is the same file
    with closing(BlockReader(names, agreement.form)) as reader:
        assert sum(table.n_samples for table, _ in reader.tables(agreement.blocks)) == 700
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 10**9))
        with pytest.raises(InputError, match=r"data\.svm.*has changed since the first round"):
            list(reader.tables(agreement.blocks))
    write(text + b"1 1:1\n")
    with (
        closing(BlockReader(names, agreement.form)) as reader,
        pytest.raises(InputError, match="first round"),
    ):
        list(reader.tables(agreement.blocks[:1]))


def test_later_sources_contradict(tmp_path: Path) -> None:
    """Surveys report the same errors as a stream: an index 0, a fraction, a too large index."""
    first, second = tmp_path / "first.svm", tmp_path / "second.svm"
    first.write_text("+1 1:1\n-1 2:1\n")
    for text in (
        "+1 1:2\n# and\n-1 0:1\n",
        "1 1:1\n0.5 1:1\n",
        "1 1:1\n1 999999999:1\n",
        "9007199254740993 1:1\n",
    ):
        second.write_text(text)
        with pytest.raises(InputError) as streamed:
            list(open_stream([first, second]))
        with pytest.raises(InputError) as agreeing:
            surveyed([first, second], SurveyOptions())
        assert str(agreeing.value) == str(streamed.value)
        assert "second.svm, line" in str(agreeing.value)
    second.write_text("1 1:1\n1 1:x\n")
    with pytest.raises(InputError, match=r"second\.svm, line 2"):
        surveyed([first, second], SurveyOptions())


def test_first_samples_decide_the_form(tmp_path: Path) -> None:
    """Indices from 0 and labels as text."""
    first, second = tmp_path / "first.svm", tmp_path / "second.svm"
    first.write_text("1.5 0:1\n-0.0 2:1\n")
    second.write_text("0 1:1\n1.5 1:2\n")
    names, agreement = surveyed([first, second], SurveyOptions())
    assert agreement.classes.tolist() == ["-0", "0", "1.5"]
    assert agreement.class_counts.tolist() == [1, 1, 2]
    assert agreement.n_features == 3
    with closing(BlockReader(names, agreement.form)) as reader:
        ((table, _),) = reader.tables(agreement.blocks)
    assert table.first_index == 0
    assert labels(table).tolist() == ["1.5", "-0", "0", "1.5"]


def test_large_blocks_and_many_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A block larger than one read, and more sources than are open at a time."""
    monkeypatch.setattr("rosenblatt.io.blocks.line_blocks._LARGE", 100)
    monkeypatch.setattr("rosenblatt.io.blocks.block_texts._BYTES_PER_READ", 100)
    monkeypatch.setattr("rosenblatt.io.blocks.block_texts._MOST_OPEN", 1)
    for k, name in enumerate("abc"):
        (tmp_path / name).write_text("# above\n" * 20 + f"{k} 1:1\n" + "# below\n" * 30)
    names, agreement = surveyed([tmp_path / "[abc]"], SurveyOptions())
    with closing(BlockReader(names, agreement.form)) as reader:
        for blocks in (agreement.blocks, agreement.blocks[::-1]):
            tables = list(reader.tables(blocks))
            assert [len(own) for _, own in tables] == [1, 1, 1]
            assert all(table.place("", 0).endswith("line 21") for table, _ in tables)


def test_remote_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small blocks and compressed sources are copied; other blocks are requested one by one."""
    monkeypatch.setattr("rosenblatt.io.blocks.block_texts._SMALL", 12)
    text = b"\xef\xbb\xbf" + b"".join(b"%d 1:%d\n" % (k % 3, k) for k in range(1, 600))
    with object_store() as store:
        store.allow(monkeypatch)
        store.objects = {"blocks/1.svm": text, "blocks/2.svm": gzip.compress(text)}
        names, agreement = surveyed(["s3://bucket/blocks/*.svm"], SurveyOptions())
        assert [source.is_packed for source in agreement.sources] == [False, True]
        with closing(BlockReader(names, agreement.form)) as reader:
            for blocks in (agreement.blocks[::2], agreement.blocks[::-1]):
                found = [
                    value for table, _ in reader.tables(blocks) for value in table.X.data.tolist()
                ]
                rows = [range(block.row, block.row + block.n_rows) for block in blocks]
                assert found == [row + 1 for own in rows for row in own]
            store.objects["blocks/1.svm"] = text + text
            with pytest.raises(
                InputError, match=r"^s3://bucket/blocks/1.svm: it has changed since the first"
            ):
                list(reader.tables(agreement.blocks))


def test_standard_input_is_refused() -> None:
    with pytest.raises(InputError, match="shards read it in each epoch"):
        sources_to_survey(["-"], SurveyOptions())


def test_too_many_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rosenblatt.io.blocks.line_survey.MOST_LABELS", 10)
    path = tmp_path / "data.svm"
    path.write_text("".join(f"{k} 1:1\n" for k in range(11)))
    with pytest.raises(InputError, match="11 different labels in 11 samples, too many"):
        surveyed([path], SurveyOptions())
