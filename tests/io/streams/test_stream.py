"""The chunks of a stream equal the sources read whole, and reading can resume at each chunk."""

import io
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rosenblatt import Perceptron
from rosenblatt.core.errors import InputError
from rosenblatt.estimators.streaming.stream_learning import StreamLearning
from rosenblatt.io import Reading, Table, read
from rosenblatt.io.sources.source import sources_of
from rosenblatt.io.streams.line_chunks import LineChunks, LineReading
from rosenblatt.io.streams.sample_stream import Stream
from sample_files import rows, written

LINES = ["1 1:2 3:-0.5", "-1", "# nothing", "", "3 2:0.25 # x", "-1 7:1e-3\r", "0 1:1 9:1"]
contents = st.lists(st.sampled_from(LINES), max_size=12).map("\n".join)


def stream(paths: Sequence[str | Path], **reading: Any) -> Stream:
    sources = sources_of(paths)
    return Stream(sources, LineChunks(sources, LineReading(**reading)))


def samples(tables: Sequence[Table]) -> list[tuple[object, ...]]:
    """Return each sample: its label, its values, its place."""
    found: list[tuple[object, ...]] = []
    for table in tables:
        table.X.check_format(full_check=True)
        assert table.X.indices.dtype == table.X.indptr.dtype == np.int32
        dense = table.X.copy()
        dense.resize(table.n_samples, 10)
        places = table.places_of(np.arange(table.n_samples))
        assert table.y is not None
        found += zip(table.y.tolist(), map(tuple, dense.toarray().tolist()), places, strict=True)
    return found


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.lists(contents, min_size=1, max_size=3),
    size=st.integers(1, 60),
    chunk_rows=st.none() | st.integers(1, 9),
    digests=st.booleans(),
)
def test_chunks_equal_the_whole(
    tmp_path: Path, texts: list[str], size: int, chunk_rows: int | None, digests: bool
) -> None:
    before = set(threading.enumerate())
    paths = [written(tmp_path, text, f"{k}") for k, text in enumerate(texts)]
    opened = stream(paths, piece_size=size, chunk_rows=chunk_rows, has_digests=digests)
    has_samples = [
        any(line.partition("#")[0].strip() for line in text.split("\n")) for text in texts
    ]
    if not any(has_samples):
        with pytest.raises(InputError, match="there are no samples; give at least one"):
            list(opened)
        return
    found = list(opened)
    if all(has_samples):
        assert samples(found) == samples([read(paths, Reading("libsvm"))])
    assert sum(chunk.n_samples for chunk in found) == found[-1].end.rows
    assert 0 < opened.n_read <= (opened.n_bytes or 0)
    if chunk_rows is not None:
        assert {chunk.n_samples for chunk in found[:-1]} <= {chunk_rows}
        assert 0 < found[-1].n_samples <= chunk_rows
    for k, chunk in enumerate(found):
        end = chunk.end
        content = paths[end.source].read_bytes()
        assert (
            content[: end.offset].count(b"\n") + (content[: end.offset][-1:] != b"\n") == end.line
        )
        again = stream(paths, piece_size=size, chunk_rows=chunk_rows, has_digests=digests)
        rest = list(again.chunks(end))
        assert [one.end for one in rest] == [one.end for one in found[k + 1 :]]
        assert samples(rest) == samples(found[k + 1 :])
    assert set(threading.enumerate()) <= before


def test_indices_that_begin_at_0(tmp_path: Path) -> None:
    path = written(tmp_path, "1 0:1 2:3\n" * 10 + "-1 2:1\n" * 10)
    chunks = list(stream([path], piece_size=50))
    assert {chunk.first_index for chunk in chunks} == {0}
    assert rows(chunks[-1])[0] == [0.0, 0.0, 1.0]
    (chunk,) = stream([written(tmp_path, "1 1:5\n")], zero_based=True)
    assert rows(chunk) == [[0.0, 5.0]]
    late = written(tmp_path, "1 1:1\n" * 20 + "\n-1 0:1\n")
    with pytest.raises(InputError, match=r"data, line 22: there is an index 0, .*zero_based=True"):
        list(stream([late], piece_size=50))
    assert next(iter(stream([late], piece_size=500))).first_index == 0


def test_labels_of_one_type(tmp_path: Path) -> None:
    texts = written(tmp_path, "1.5 1:1\n" + "2 1:1\n" * 20)
    assert [chunk.y.tolist() for chunk in stream([texts], chunk_rows=2)][:2] == [
        ["1.5", "2"],
        ["2"] * 2,
    ]
    later = written(tmp_path, "2 1:1\n" * 20 + "1.5 1:1\n")
    with pytest.raises(
        InputError, match=r"data, line 21: the label 1.5 is not a whole number, but th"
    ):
        list(stream([later], piece_size=50))
    assert {label for chunk in stream([later], text_labels=True) for label in chunk.y} == {
        "2",
        "1.5",
    }
    with pytest.raises(
        InputError, match=r"line 1: the label 1e\+16 is so large that float64 rounds"
    ):
        list(stream([written(tmp_path, "10000000000000000 1:1\n")]))


def test_too_large_index_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "1 1:1\n-1 2000000000:8\n")
    with pytest.raises(InputError, match=r"data, line 2: the index 2000000000 is too large: a mo"):
        list(stream([path]))


def test_stopping_early_leaves_no_threads(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    path = written(tmp_path, "1 1:1\n" * 1000 + "x\n")
    chunks = stream([path], piece_size=100).chunks()
    next(chunks)
    chunks.close()
    assert set(threading.enumerate()) <= before
    with pytest.raises(InputError, match=r"data, line 1001: the label: 'x' is not a number"):
        list(stream([path], piece_size=100))
    assert set(threading.enumerate()) <= before


def test_standard_input_resumes_with_explicit_options(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"1 0:1\n-1 2:1\n" * 20
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    end = next(iter(stream(["-"], chunk_rows=7))).end
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    with pytest.raises(InputError, match=r"standard input: to resume .* set zero_based and text"):
        list(stream(["-"], chunk_rows=7).chunks(end))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    known = stream(["-"], zero_based=True, text_labels=False)
    (rest,) = known.chunks(end)
    assert rest.n_samples == 33
    assert rest.y.tolist()[:2] == [-1, 1]


def test_slow_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading) as stdin, os.fdopen(writing, "wb", buffering=0) as producer:
        monkeypatch.setattr(sys, "stdin", stdin)
        opened = stream(["-"], chunk_rows=2, zero_based=False, text_labels=False)
        producer.write(b"# some\n\n1 1:1\n2 1:")
        assert opened.sources[0].head(2**20, waits=False) == b"# some\n\n1 1:1\n2 1:"
        producer.write(b"1\n3 1:1\n")
        chunks = opened.chunks()
        assert next(chunks).y.tolist() == [1, 2]
        producer.write(b"4 1:1")
        producer.close()
        assert next(chunks).y.tolist() == [3, 4]
        assert list(chunks) == []


def test_chunk_without_pairs_can_be_learned(tmp_path: Path) -> None:
    path = written(tmp_path, "1\n-1 2:1\n1\n")
    assert [table.X.shape for table in stream([path], chunk_rows=1)] == [(1, 1), (1, 2), (1, 1)]
    learning = StreamLearning(Perceptron())
    for table in stream([path], chunk_rows=1):
        learning.learn(table.X, table.y)
    assert learning.visited == 3
