"""`predict` and `evaluate` in chunks: same results, bounded memory, complete files or none."""

import gzip
import io
import json
import os
import sys
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pa_parquet
import pytest

from commands import document, refused
from compression import Pack, every_pack
from rosenblatt import Perceptron, load, read, save
from rosenblatt.cli import run
from rosenblatt.io.models import model_notes
from rosenblatt.io.models.model_notes import LoadedModel
from rosenblatt.io.predictions import evaluation
from rosenblatt.io.streams.line_chunks import LineReading
from rosenblatt.io.streams.tables import csv_beginning, csv_parts

Shrink = Callable[..., None]


@pytest.fixture
def shrink(monkeypatch: pytest.MonkeyPatch) -> Shrink:
    """Return a function that makes chunks small from then on."""

    def to(**sizes: int) -> None:
        monkeypatch.setattr(model_notes, "LineReading", partial(LineReading, **sizes))

    return to


def lines_of(n: int, seed: int = 0) -> str:
    """Return libsvm lines, two of them with labels unknown to the model."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-9, 10, size=(n, 3))
    labels = ["1" if x[0] > 0 else "-1" for x in X.tolist()]
    labels[n // 2], labels[-1] = "7", "2.5"
    rows = zip(labels, X.tolist(), strict=True)
    return "".join(f"{label} 1:{a} 3:{b} 4:{c}\n" for label, (a, b, c) in rows)


@pytest.fixture
def sparse(tmp_path: Path) -> tuple[Path, Path]:
    """Return a model of libsvm samples, and a file of them."""
    (tmp_path / "learn.svm").write_text("1 1:1\n-1 1:-1 4:0\n")
    (tmp_path / "data.svm").write_text(lines_of(40))
    model = tmp_path / "model"
    assert run(["stream", str(tmp_path / "learn.svm"), "--model", str(model)]) == 0
    return model, tmp_path / "data.svm"


@pytest.fixture
def table(tmp_path: Path) -> tuple[Path, Path]:
    """Return a model of a table, and a table with ids, new categories and missing labels."""
    towns, kinds = ["oslo", "rome", "lima"], ["yes", "no", None]
    known = pa.table({"town": towns[:2] * 4, "a": [1.0, -1.0] * 4, "kind": kinds[:2] * 4})
    new = pa.table(
        {
            "kind": [kinds[k % 3] for k in range(30)],
            "who": list(range(100, 130)),
            "a": [(k % 7) - 3.25 for k in range(30)],
            "town": [towns[k // 2 % 3] for k in range(30)],
        }
    )
    pa_csv.write_csv(known, tmp_path / "learn.csv")
    pa_csv.write_csv(new, tmp_path / "data.csv")
    pa_parquet.write_table(new, tmp_path / "data.parquet", row_group_size=7)
    model = tmp_path / "model"
    assert run(["learn", str(tmp_path / "learn.csv"), "--model", str(model)]) == 0
    return model, tmp_path / "data.csv"


def answers(
    model: Path, data: Path, options: list[str], capsys: pytest.CaptureFixture[str]
) -> tuple[bytes, str, Any]:
    """Return the predictions, the warnings and the evaluation."""
    capsys.readouterr()
    assert run(["predict", str(model), str(data), *options]) == 0
    said = capsys.readouterr().err
    facts = document(["evaluate", str(model), str(data)], capsys)
    return Path(options[-1]).read_bytes(), said, facts


@pytest.mark.parametrize("form", ["txt", "csv", "jsonl", "parquet"])
@pytest.mark.parametrize("kind", ["sparse", "table", "parquet"])
def test_results_do_not_depend_on_the_size_of_chunks(
    kind: str,
    form: str,
    shrink: Shrink,
    request: pytest.FixtureRequest,
    capsys: pytest.CaptureFixture[str],
) -> None:
    model, data = request.getfixturevalue(kind.replace("parquet", "table"))
    data = data.with_suffix(".parquet") if kind == "parquet" else data
    options = [] if form == "txt" else ["--scores"] if kind == "sparse" else ["--id", "who"]
    options += ["--output", str(data.with_name(f"out.{form}"))]
    whole = answers(model, data, options, capsys)
    assert whole[2]["unknown_labels"] == ({"2.5": 1, "7": 1} if kind == "sparse" else {})
    assert whole[2]["unseen_values"] == ({} if kind == "sparse" else {"town": 5})
    for sizes in ({"piece_size": 1}, {"piece_size": 60}, {"chunk_rows": 7}, {"chunk_rows": 1}):
        shrink(**sizes)
        assert answers(model, data, options, capsys) == whole


@pytest.mark.parametrize(
    ("ids", "written"),
    [
        (["1", "2", "x3", "4"], ["1", "2", "x3", "4"]),
        (["1", "2", "3", "4"], [1, 2, 3, 4]),
        (["1", "2", "", "4"], ["1", "2", "", "4"]),
    ],
)
def test_ids_have_one_type(
    tmp_path: Path,
    shrink: Shrink,
    capsys: pytest.CaptureFixture[str],
    ids: list[str],
    written: list[object],
) -> None:
    """Even if a value of another type comes after the first chunks are written."""
    save(Perceptron().fit(pd.DataFrame({"a": [1.0, -1.0]}), [1, 0]), tmp_path / "model")
    frame = "".join(f"{one},{k - 1.5}\n" for k, one in enumerate(ids))
    (tmp_path / "data.csv").write_text("who,a\n" + frame)
    arguments = ["predict", str(tmp_path / "model"), str(tmp_path / "data.csv"), "--id", "who"]
    for size in (None, 2):
        if size is not None:
            shrink(chunk_rows=size)
        assert run([*arguments, "-o", str(tmp_path / "out.jsonl")]) == 0
        lines = (tmp_path / "out.jsonl").read_text().splitlines()
        assert [json.loads(line)["who"] for line in lines] == written
        assert run([*arguments, "--json"]) == 0
        capsys.readouterr()
    code = run(arguments)
    assert (code == 2) == (written[0] == "1")
    if code:
        assert capsys.readouterr().err == (
            f"rosenblatt: {tmp_path / 'data.csv'}: column 'who' begins with whole numbers, but "
            "contains other values; write to a file with --output\n"
        )


def test_apostrophes_that_looked_like_quotes(
    table: tuple[Path, Path],
    shrink: Shrink,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    model, data = table
    data.write_text("town,a,kind\n'oslo',1,yes\n'rome',-2,no\nrome,3,no\nit's,4,yes\n")
    options = ["--output", str(data.with_name("out"))]
    whole = answers(model, data, options, capsys)
    assert whole[2]["unseen_values"] == {"town": 3}
    monkeypatch.setattr(csv_beginning, "HEAD", 12)
    monkeypatch.setattr(csv_beginning, "_N_LINES", 2)
    shrink(piece_size=1)
    monkeypatch.setattr(csv_parts, "_LINES_PER_PIECE", 1)
    assert answers(model, data, options, capsys) == whole
    assert run(["predict", str(model), str(data)]) == 2
    assert f"{data}, line 5: from here on ' does not enclose whole" in capsys.readouterr().err


def test_too_many_distinct_labels_are_refused(
    table: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model, data = table
    monkeypatch.setattr(evaluation, "_MAX_LABELS", 3)
    data.write_text("town,a,kind\n" + "".join(f"oslo,1,{k}\n" for k in ("yes", 1, 2, 3)))
    complaint = refused(["evaluate", str(model), str(data)], capsys)
    assert "found more than 3 distinct labels, too many for classes; specify" in complaint


def test_lines_with_unknown_features_are_named(
    sparse: tuple[Path, Path], shrink: Shrink, capsys: pytest.CaptureFixture[str]
) -> None:
    model, data = sparse
    shrink(piece_size=1)
    arguments = ["predict", str(model), str(data), "-o", str(data.with_name("out"))]
    for bad, complaint in (
        ("1 5:1", "the samples have 5 features, but the model expects 4"),
        ("1 0:1", "there is an index 0, but the model's indices start at 1"),
    ):
        data.write_text(f"1 1:1\n\n{bad}\n")
        assert refused(arguments, capsys) == f"rosenblatt: {data}, line 3: {complaint}\n"
    assert not data.with_name("out").exists()


@every_pack
def test_a_truncated_file_leaves_no_output(
    sparse: tuple[Path, Path], shrink: Shrink, capsys: pytest.CaptureFixture[str], pack: Pack
) -> None:
    model, data = sparse
    content = pack(lines_of(3000).encode())
    data.write_bytes(content[: len(content) // 2])
    shrink(piece_size=2000)
    before = sorted(os.listdir(data.parent))
    for form in ("txt", "parquet"):
        output = str(data.with_name(f"out.{form}"))
        complaint = refused(["predict", str(model), str(data), "-o", output], capsys)
        assert f"{data}: " in complaint
        assert sorted(os.listdir(data.parent)) == before


@pytest.mark.parametrize("form", ["txt", "parquet"])
def test_ctrl_c_keeps_the_old_output(
    sparse: tuple[Path, Path],
    shrink: Shrink,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    form: str,
) -> None:
    model, data = sparse
    output = data.with_name(f"out.{form}")
    output.write_bytes(b"before")
    shrink(chunk_rows=10)
    n_chunks = 0
    predicted = LoadedModel.predicted

    def interrupted(*arguments: Any) -> Any:
        nonlocal n_chunks
        n_chunks += 1
        if n_chunks == 3:
            raise KeyboardInterrupt
        return predicted(*arguments)

    monkeypatch.setattr(LoadedModel, "predicted", interrupted)
    before = sorted(os.listdir(data.parent))
    capsys.readouterr()
    assert run(["predict", str(model), str(data), "-o", str(output)]) == 130
    assert capsys.readouterr().err == "rosenblatt: interrupted; no file was left half-written\n"
    assert sorted(os.listdir(data.parent)) == before
    assert output.read_bytes() == b"before"


@pytest.mark.parametrize("form", ["txt", "parquet"])
def test_memory_does_not_grow(sparse: tuple[Path, Path], shrink: Shrink, form: str) -> None:
    model, data = sparse
    shrink(piece_size=2**15)
    arguments = ["predict", str(model), str(data), "-o", str(data.with_name(f"out.{form}"))]
    peaks = []
    for n in (1, 60, 200):  # the first run imports modules; all others have more than a MB
        data.write_text(lines_of(1000) * n)
        tracemalloc.start()
        assert run(arguments) == 0
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < 1.2 * peaks[1]


@pytest.mark.parametrize("kind", ["sparse", "table", "parquet"])
def test_standard_input(
    kind: str,
    shrink: Shrink,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    model, data = request.getfixturevalue(kind.replace("parquet", "table"))
    data = data.with_suffix(".parquet") if kind == "parquet" else data
    shrink(chunk_rows=3)
    for command in ("predict", "evaluate"):
        capsys.readouterr()
        assert run([command, str(model), str(data)]) == 0
        wanted = capsys.readouterr()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data.read_bytes())))
        assert run([command, str(model), "-"]) == 0
        found = capsys.readouterr()
        assert found.out == wanted.out.replace(str(data), "standard input")
        assert found.err == wanted.err.replace(str(data), "standard input")


def test_several_compressed_files(
    sparse: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    model, data = sparse
    for k in range(2):
        packed = data.with_name(f"part-{k}.svm.gz")
        packed.write_bytes(gzip.compress(lines_of(5, seed=k).encode()))
    data.write_text(lines_of(5, seed=0) + lines_of(5, seed=1))
    wanted = document(["predict", str(model), str(data)], capsys)["predictions"]
    pattern = str(data.with_name("part-*.gz"))
    assert document(["predict", str(model), pattern], capsys)["predictions"] == wanted
    assert document(["evaluate", str(model), pattern], capsys)["samples"] == 10


def test_a_checkpoint_is_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, model, checkpoint = (tmp_path / name for name in ("data", "model", "checkpoint"))
    data.write_text("".join(f"{k % 2} {k % 3}:1 {9 + k}:1\n" for k in range(20)))
    options = ["--every", "0s", "--chunk-rows", "20"]
    arguments = ["--model", str(model), "--checkpoint", str(checkpoint)]
    assert run(["stream", str(data), *arguments, *options]) == 0
    capsys.readouterr()
    wanted = document(["predict", str(model), str(data)], capsys)["predictions"]
    assert load(model).predict(read(data).X).tolist() == wanted
    assert document(["predict", str(checkpoint), str(data)], capsys)["predictions"] == wanted
