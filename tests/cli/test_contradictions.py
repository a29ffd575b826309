"""Options that contradict each other, or have no effect, are refused."""

import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pa_parquet
import pytest

from commands import refused
from rosenblatt import TableEncoder, read, stream
from rosenblatt.cli import run
from rosenblatt.core.errors import InputError

TABLE = "a,b,class\n" + "".join(f"{k % 3},{k},{'yes' if k > 9 else 'no'}\n" for k in range(20))
SPARSE = "+1 1:1\n-1 1:-1\n" * 10
READERS = ["learn", "separate", "stream", "learn --shards 2", "learn --folds 3"]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "table.csv").write_text(TABLE)
    (tmp_path / "sparse.svm").write_text(SPARSE)
    columns = {"a": np.arange(20.0), "class": ["no"] * 10 + ["yes"] * 10}
    pa_parquet.write_table(pa.table(columns), tmp_path / "table.parquet")
    return tmp_path


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ("sparse.svm --label nope", "label has no effect on a libsvm file; leave it out"),
        ("sparse.svm --header", "header has no effect on a libsvm file"),
        ("sparse.svm --decimal ,", "decimal has no effect on a libsvm file"),
        ("table.parquet --header", "header has no effect on a parquet file"),
        ("table.parquet --decimal ,", "decimal has no effect on a parquet file"),
        ("table.csv --ignore a --categorical a", "'a' is in both categorical and ignore"),
        ("table.csv --ignore a --categorical 1", "'a' is in both categorical and ignore"),
        ("table.csv --text a --categorical a", "'a' is in both categorical and text"),
        ("table.csv --text a -i a", "'a' is in both ignore and text"),
        ("table.csv --label class --ignore class", "'class' is the label, so it cannot be ignored"),
        ("table.csv -l a --numeric a", "'a' is the label, so it cannot be numeric"),
        ("table.csv -l a -i a", "'a' is the label, so it cannot be ignored"),
        ("table.csv -i -1", "'class' is the label, so it cannot be ignored"),
    ],
)
def test_contradictions_are_refused(
    reader: str, options: str, complaint: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, *rest = shlex.split(options)
    assert complaint in refused([*reader.split(), str(files / name), *rest], capsys)


def test_contradictions_are_refused_in_python(files: Path) -> None:
    for load in (read, lambda *path, **options: list(stream(*path, **options))):
        for option in ({"label": "1"}, {"header": True}, {"decimal": ","}):
            with pytest.raises(InputError, match="has no effect on a libsvm file"):
                load(files / "sparse.svm", **option)
    frame = pd.DataFrame({"a": [1, 2], "b": [1, 2]})
    encoder = TableEncoder(ignore=["a"], categorical=["b", "a"])
    for fit in (encoder.fit, lambda table: encoder.fit_stream([table])):
        with pytest.raises(InputError, match="column 'a' is in both categorical and ignore"):
            fit(frame)


def test_a_model_reads_with_options_that_fit(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, table, sparse = (str(files / name) for name in ("model", "table.csv", "sparse.svm"))
    assert run(["learn", sparse, "--model", model]) == 0
    for command, *more in (["predict"], ["evaluate"], ["explain", "--row", "1"]):
        arguments = [command, model, sparse, "--label", "1", *more]
        assert "label has no effect on a libsvm file" in refused(arguments, capsys)
    assert run(["learn", table, "--model", model, "--label", "class"]) == 0
    complaint = refused(["predict", model, table, "-o", str(files / "p.zzz")], capsys)
    assert "the ending .zzz names no format; use .txt, .csv, .jsonl or .parquet" in complaint
    assert not (files / "p.zzz").exists()
    for output in (["p.zzz", "--as", "text"], ["p.txt"], ["p"]):
        assert run(["predict", model, table, "-o", str(files / output[0]), *output[1:]]) == 0
