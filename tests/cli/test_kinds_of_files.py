"""Every kind of file, from a path and from standard input."""

import bz2
import gzip
import io
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather as pa_feather
import pyarrow.parquet as pa_parquet
import pytest

from commands import document
from object_store import object_store
from rosenblatt.cli import run

LINES = [(0.5, 1, "no"), (2, 1.5, "yes"), (1, 1, "no"), (2, 3, "yes"), (0, 0.25, "no")]
CSV = "a,b,kind\n" + "".join(f"{a},{b},{kind}\n" for a, b, kind in LINES)
LIBSVM = "".join(f"{'+1' if kind == 'yes' else -1} 1:{a} 2:{b}\n" for a, b, kind in LINES)


def stored(write: Callable[[pa.Table, Any], None]) -> bytes:
    names = ["a", "b", "kind"]
    content = io.BytesIO()
    write(pa.table(dict(zip(names, zip(*LINES, strict=True), strict=True))), content)
    return content.getvalue()


def zstd(content: bytes) -> bytes:
    packed: bytes = pa.compress(content, codec="zstd", asbytes=True)
    return packed


KINDS: dict[str, tuple[bytes, list[str]]] = {
    "commas": (CSV.encode(), []),
    "semicolons": (CSV.replace(",", ";").encode(), []),
    "tabs": (CSV.replace(",", "\t").encode(), []),
    "decimal commas": (CSV.replace(",", ";").replace(".", ",").encode(), ["--decimal", ","]),
    "no header": (CSV.partition("\n")[2].encode(), ["--no-header"]),
    "quotes": (CSV.replace("no", "'no'").replace("yes", "'yes'").encode(), []),
    "gzip": (gzip.compress(CSV.encode(), mtime=0), []),
    "bzip2": (bz2.compress(CSV.encode()), []),
    "zstd": (zstd(CSV.encode()), []),
    "parquet": (stored(pa_parquet.write_table), []),
    "arrow": (stored(pa_feather.write_feather), []),
    "libsvm": (LIBSVM.encode(), []),
    "libsvm, gzip": (gzip.compress(LIBSVM.encode(), mtime=0), ["--format", "libsvm"]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_samples_get_the_same_answer(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    content, options = KINDS[kind]
    (tmp_path / "data").write_bytes(content)
    found = document(["separate", str(tmp_path / "data"), "--exact", *options], capsys)
    assert (found["verdict"], found["squared_margin"]) == ("SEPARABLE", "1/13")
    assert (found["data"]["samples"], found["data"]["features"]) == (5, 2)
    assert sorted(found["data"]["classes"].values()) == [2, 3]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    same = document(["separate", "-", "--exact", *options], capsys)
    assert same["data"].pop("file") == "standard input"
    assert found["data"].pop("file") == str(tmp_path / "data")
    for facts in (same, found):
        del facts["seconds"], facts["compile_seconds"]
    assert same == found


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "standard input: the file is empty; give one sample per line, its label last"),
        (
            b"1,2,a\n3,b\n",
            "standard input, line 2: expected 3 columns, found 2",
        ),
        (
            gzip.compress(CSV.encode(), mtime=0)[:-9],
            "standard input: cannot be read (the compressed file is truncated",
        ),
        (
            b"a,y\n1,p\n2,q\n\nx,q\n",
            "standard input, line 5, column a: 'x' is not a number, but 2 of",
        ),
    ],
)
def test_errors_name_standard_input(
    content: bytes,
    complaint: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert run(["learn", "-"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"rosenblatt: {complaint}")
    assert err.count("\n") == 1


def test_several_files_and_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "data.csv"
    path.write_text(CSV)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"kind,b,a\nyes,1,1\n")))
    assert run(["separate", str(path), "-", "--label", "kind"]) == 0
    out = capsys.readouterr().out
    assert "standard input: 6 samples, 2 features, label kind, classes no (3), yes (3)\n" in out
    assert f"samples {path}, line 4 and standard input, line 2 are equal but have the l" in out


def test_patterns_and_urls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first, *rest = LIBSVM.splitlines(keepends=True)
    (tmp_path / "part-1.svm").write_text(first)
    (tmp_path / "part-2.svm").write_text("".join(rest))
    whole = document(["learn", f"{tmp_path}/part-*.svm"], capsys)
    assert whole["data"]["samples"] == len(LINES)
    assert run(["learn", f"{tmp_path}/part-?.csv"]) == 2
    assert capsys.readouterr().err.endswith("part-?.csv: no file matches this pattern\n")
    output = tmp_path / "part-1.svm"
    assert run(["learn", f"{tmp_path}/part-*.svm", "--model", str(output)]) == 2
    assert "the model would overwrite" in capsys.readouterr().err
    with object_store() as store:
        store.allow(monkeypatch)
        store.objects["data.svm.gz"] = gzip.compress(LIBSVM.encode())
        remote = document(["learn", "s3://bucket/data.svm.gz"], capsys)
        assert remote["data"]["file"] == "s3://bucket/data.svm.gz"
        assert remote["mistakes"] == whole["mistakes"]
        store.objects["data.svm.gz"] = b"1 1:x\n"
        assert run(["learn", "s3://bucket/data.svm.gz"]) == 2
        assert capsys.readouterr().err.startswith(
            "rosenblatt: s3://bucket/data.svm.gz, line 1: '1:x'"
        )


def test_the_preparation_of_columns_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [f"{k},{20 + k % 9},{'mfm?'[k % 4]},{'ab'[k % 3 % 2]},x\n" for k in range(40)]
    path = tmp_path / "people.csv"
    path.write_text("id,age,sex,y,country\n" + "".join(lines))
    assert run(["learn", str(path), "--max-epochs", "5"]) == 0
    said = dict(re.split("  +", line, maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert said["Data"].startswith(
        f"{path}: 40 samples, 4 features, label y, classes a (27), b (13)"
    )
    assert said["Columns"] == "1 number, 1 category"
    assert (
        said["Missing"] == "sex (10); missing numbers become the mean, missing categories a column"
    )
    assert said["Excluded"] == "id (an id: all values differ), country (one value only)"
    assert "(id " in said["Conflict"]
    facts = document(["learn", str(path), "--max-epochs", "5"], capsys)
    kinds = {column["name"]: column["kind"] for column in facts["columns"]}
    assert kinds == {"id": "left out", "age": "number", "sex": "category", "country": "left out"}
    assert facts["held_out"]["guess"] == 1 / 4


@pytest.mark.parametrize("command", [["separate"], ["learn"], ["learn", "--shards", "2"]])
def test_classes_with_one_sample_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    path = tmp_path / "penguins.csv"
    labels = ["Adelie"] * 12 + ["Gentoo"] * 10 + ["adelie", "Gento"]
    rows = [f"{k % 7},{k},{label}" for k, label in enumerate(labels)]
    path.write_text("\n".join(["a,b,species", *rows]) + "\n")
    assert run([*command, str(path)]) == 0
    (line,) = [one for one in capsys.readouterr().out.splitlines() if one.startswith("Warning")]
    assert line.split(maxsplit=1)[1] == (
        "classes with only one sample: Gento (1), adelie (1); is this a typo?"
    )
