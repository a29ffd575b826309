"""`predict --shards` and `evaluate --shards` print and write what they do without shards."""

import gzip
import re
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.feather as pa_feather
import pyarrow.ipc as pa_ipc
import pyarrow.parquet as pa_parquet
import pytest

from commands import refused
from rosenblatt import Perceptron, cluster, load, save
from rosenblatt.cli import run
from rosenblatt.cli.models import prediction_file
from rosenblatt.cluster.models import model_shard, waiting_parts
from rosenblatt.io.ranges import file_ranges, range_reader
from rosenblatt.io.streams.line_chunks import LineReading
from rosenblatt.io.streams.tables import csv_beginning, csv_parts

Printed = tuple[int, str, str]


@pytest.fixture(autouse=True)
def small_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let ranges, steps and chunks be so small that short files have many."""
    monkeypatch.setattr(file_ranges, "RANGE", 150)
    monkeypatch.setattr(model_shard, "RANGE", 150)
    monkeypatch.setattr(range_reader, "LineReading", partial(LineReading, piece_size=60))
    monkeypatch.setattr(waiting_parts, "_MOST_BYTES", 100)
    monkeypatch.setattr(prediction_file, "_BLOCK_ROWS", 7)
    monkeypatch.setattr(prediction_file, "_ROW_GROUP", 500)


def lines(folder: Path, sign: str) -> tuple[Path, list[Path]]:
    """Return a model of lines, and files of them: some labels are unknown, some samples have none."""
    rng = np.random.default_rng(0)
    paths = []
    for number in range(2):
        x = rng.integers(-9, 10, size=40).tolist()
        labels = [one if k % 5 else "" for k, one in enumerate(["1", "-1", "7"] * 14)][:40]
        if sign == ":":
            texts = [f"{label or 1} 1:{a} 3:{a * 2}" for label, a in zip(labels, x, strict=True)]
        else:
            texts = [f"{label} | a:{a} b".lstrip() for label, a in zip(labels, x, strict=True)]
        paths.append(folder / f"{number}.txt")
        paths[-1].write_bytes("\r\n".join([*texts, ""] if number else texts).encode())
    (folder / "learn").write_text("1 1:1\n-1 3:1\n" if sign == ":" else "1 | a:1\n-1 | b\n")
    assert run(["stream", str(folder / "learn"), "--model", str(folder / "model")]) == 0
    return folder / "model", paths


def tables(folder: Path, kind: str) -> tuple[Path, list[Path]]:
    """Return a model of a table, and tables, whose columns are in another order each."""
    towns, kinds = ["oslo", "rome", "lima"], ["yes", "no", None, "other"]
    known = pa.table({"town": towns[:2] * 4, "a": [1.0, -1.0] * 4, "kind": kinds[:2] * 4})
    pa_csv.write_csv(known, folder / "learn.csv")
    names, paths = ["who", "kind", "a", "town", "more"], []
    for number, n in enumerate((30, 1, 17)):
        new = pa.table(
            {
                "kind": [kinds[k % 4] for k in range(n)],
                "who": [100 + k for k in range(n)],
                "a": [(k % 7) - 3.25 for k in range(n)],
                "town": [towns[k // 2 % 3] for k in range(n)],
                "more": ["x"] * n,
            }
        ).select(names[number:] + names[:number])
        paths.append(folder / f"{number}.{kind}")
        if kind == "parquet":
            pa_parquet.write_table(new, paths[-1], row_group_size=7)
        elif kind == "arrow":
            with pa_ipc.new_file(paths[-1], new.schema) as file:
                file.write_table(new, max_chunksize=7)
        else:
            pa_csv.write_csv(new, paths[-1])
            if kind == "gz":
                paths[-1].write_bytes(gzip.compress(paths[-1].read_bytes()))
    model = folder / "model"
    assert run(["learn", str(folder / "learn.csv"), "--model", str(model)]) == 0
    return model, paths


def printed(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> Printed:
    capsys.readouterr()
    code = run(arguments)
    return code, *capsys.readouterr()


def written(
    arguments: list[str], output: Path, capsys: pytest.CaptureFixture[str]
) -> tuple[Printed, bytes]:
    output.unlink(missing_ok=True)
    return printed([*arguments, "-o", str(output)], capsys), output.read_bytes()


@pytest.mark.parametrize("kind", ["libsvm", "vw", "csv", "gz", "parquet", "arrow"])
def test_shards_change_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    is_table = kind not in ("libsvm", "vw")
    if is_table:
        model, paths = tables(tmp_path, kind)
    else:
        model, paths = lines(tmp_path, ":" if kind == "libsvm" else "|")
    files = [str(model), *map(str, paths)]
    options = ["--scores", *(["--id", "1"] if is_table else [])]
    plain = [
        ["predict", *files, *options, "--as", "jsonl"],
        ["predict", *files, *options, "--json"],
        ["predict", *files],
        ["evaluate", *files],
        ["evaluate", *files, "--json"],
    ]
    parquet = ["predict", *files, *options]
    wanted = [printed(arguments, capsys) for arguments in plain]
    assert [code for code, _, _ in wanted] == [0] * 5
    wanted_file = written(parquet, tmp_path / "out.parquet", capsys)
    assert pa_parquet.ParquetFile(tmp_path / "out.parquet").num_row_groups > 1
    for shards in ("1", "3"):
        sharded = ["--shards", shards]
        assert [printed([*arguments, *sharded], capsys) for arguments in plain] == wanted
        found = written([*parquet, *sharded], tmp_path / "out.parquet", capsys)
        assert found == wanted_file


def test_processes_and_python_have_the_same_labels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, paths = lines(tmp_path, ":")
    files = [str(model), *map(str, paths)]
    engine = ["--shards", "3", "--engine", "processes", "--workers", "2"]
    wanted = printed(["predict", *files], capsys)
    assert printed(["predict", *files, *engine], capsys) == wanted
    labels = list(map(int, wanted[1].split()))
    for one in (model, load(model)):
        assert np.concatenate(list(cluster.predict(one, paths, shards=2))).tolist() == labels
    found = cluster.evaluate(model, tmp_path / "*.txt", shards=2)
    assert f"Mistakes  {found.mistakes}\n" in printed(["evaluate", *files], capsys)[1]
    assert sum(count for _, count in found.confusion) == 80


@pytest.mark.parametrize("kind", ["libsvm", "csv", "parquet", "arrow"])
def test_a_fault_is_named_as_without_shards(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    """Where the line is a range does not know; it is found out when it is to be said."""
    save(Perceptron().fit(pd.DataFrame({"a": [1.0, -1.0]}), [1, 0]), tmp_path / "model")
    paths = [tmp_path / f"{number}.{kind}" for number in range(2)]
    for number, path in enumerate(paths):
        values: list[float | None] = [(-1.0) ** k for k in range(60)]
        if number == 1:
            values[50] = None
        if kind == "libsvm":
            path.write_text("".join(f"1 1:{'x' if a is None else a}\n" for a in values))
            continue
        table = pa.table({"a": values, "who": ["x"] * 60})
        if kind == "csv":
            pa_csv.write_csv(table, path)
        elif kind == "parquet":
            pa_parquet.write_table(table, path, row_group_size=9)
        else:
            pa_feather.write_feather(table, path, chunksize=9)
    arguments = ["predict", str(tmp_path / "model"), *map(str, paths), "-o", str(tmp_path / "out")]
    complaint = refused(arguments, capsys)
    number, noun = (51, "row") if kind in ("parquet", "arrow") else (51 + (kind == "csv"), "line")
    assert f": {paths[1]}, {noun} {number}" in complaint
    assert refused([*arguments, "--shards", "3"], capsys) == complaint
    assert not (tmp_path / "out").exists()


def test_what_turns_out_late(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ids that are not all whole numbers, and apostrophes that looked like quotes."""
    monkeypatch.setattr(csv_beginning, "HEAD", 12)
    monkeypatch.setattr(csv_beginning, "_LINES_LOOKED_AT", 2)
    monkeypatch.setattr(csv_parts, "_LINES_IN_PIECE", 1)
    model, _ = tables(tmp_path, "csv")
    data, output = tmp_path / "data.csv", tmp_path / "out"
    arguments = ["predict", str(model), str(data), "--id", "who", "--as", "jsonl"]
    for who, town in product(("7", "x7"), ("'lima'", "it's")):
        head = "who,town,a,kind\n" + "1,'oslo',1,yes\n" * 30
        data.write_text(head + f"{who},{town},-2,no\n" + "3,'rome',-2,no\n" * 30)
        wanted = written(arguments, output, capsys)
        assert written([*arguments, "--shards", "2"], output, capsys) == wanted
        assert (b'"who": 1' in wanted[1]) == (who == "7")
        code, _, error = printed([*arguments, "--shards", "1"], capsys)
        assert (code == 0) == (who == "7" and town == "'lima'")
        if town == "it's":
            assert re.search("csv, line 3[0-2]: from here on ' does not go around", error)
        elif code:
            assert "begins with whole numbers, but has others; write to a file" in error


def test_what_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, paths = lines(tmp_path, "|")
    arguments = [str(model), str(paths[0])]
    for command in ("predict", "evaluate"):
        complaint = refused([command, *arguments, "--workers", "2"], capsys)
        assert "--workers needs --shards" in complaint
        complaint = refused([command, str(model), "-", "--shards", "2"], capsys)
        assert "standard input: a shard is read by several workers" in complaint
    paths[0].write_text("| a\n" * 40)
    for own in ([], ["--shards", "2"]):
        complaint = refused(["evaluate", *arguments, *own], capsys)
        assert complaint == (
            f"rosenblatt: {paths[0]}: there is no sample with a label; give at least one\n"
        )
