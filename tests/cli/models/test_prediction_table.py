"""`predict --scores --id --as --output`: every format has the results of Python."""

import csv
import datetime
import io
import json
import math
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pa_parquet
import pytest

from commands import document, refused
from rosenblatt import Perceptron, load, save
from rosenblatt.cli import run

FRAME = pd.DataFrame(
    {"a": [1.25, -0.75, -1.5, 2.0, 0.125, -2.0], "b": [0.5, 2.0, -1.0, 0.25, 3.0, -2.5]}
)
LABELS: dict[str, list[Any]] = {
    "int": [3, -4, -4],
    "bool": [True, False, False],
    "float": [1.0, 2.0, 2.0],
    "str": ["yes", "no", "no"],
    "three": ["red", "green", "blue"],
}
NAMES = ["plain", "with, comma", 'with "quotes"', "ünï", "007", ""]
NUMBERS = [0, 10, -20, 30, 2**53 + 1, 50]


def saved(folder: Path, kind: str = "three") -> Path:
    """Save a model of the columns a and b, learned in Python."""
    save(Perceptron().fit(FRAME, LABELS[kind] * 2), folder / "model")
    return folder / "model"


def table(folder: Path) -> Path:
    """Write the samples with two ids, their columns in another order, and no label."""
    with (folder / "data.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "b", "number", "a"])
        writer.writerows(zip(NAMES, FRAME["b"], NUMBERS, FRAME["a"], strict=True))
    return folder / "data.csv"


def columns_of(form: str, content: bytes) -> dict[str, list[Any]]:
    """Return the columns of the output; in CSV all are text."""
    if form == "parquet":
        read: dict[str, list[Any]] = pa_parquet.read_table(pa.BufferReader(content)).to_pydict()
        return read
    if form == "csv":
        head, *rows = csv.reader(io.StringIO(content.decode()))
    else:
        lines = [json.loads(line) for line in content.decode().splitlines()]
        head, rows = list(lines[0]), [list(line.values()) for line in lines]
    return dict(zip(head, map(list, zip(*rows, strict=True)), strict=True))


def as_csv(value: object) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def expected(model: Path) -> dict[str, list[Any]]:
    """Return the predictions and scores of the Python model."""
    learner = load(model)
    scores = learner.decision_function(FRAME)
    names = [f"score of {label}" for label in learner.classes_]
    by_class = {"score": scores} if scores.ndim == 1 else dict(zip(names, scores.T, strict=True))
    found = {name: values.tolist() for name, values in by_class.items()}
    return {"prediction": learner.predict(FRAME).tolist(), **found}


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_labels_and_scores_are_those_of_python(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, form: str
) -> None:
    model, output = saved(tmp_path, kind), tmp_path / f"out.{form}"
    arguments = ["predict", str(model), str(table(tmp_path)), "--scores", "--id", "number"]
    assert run([*arguments, "--output", str(output)]) == 0
    assert capsys.readouterr().out == f"6 predictions written to {output}\n"
    found, wanted = columns_of(form, output.read_bytes()), expected(model)
    assert list(found) == ["number", *wanted]
    numbers, labels = found.pop("number"), found.pop("prediction")
    own = wanted.pop("prediction")
    assert numbers == ([str(one) for one in NUMBERS] if form == "csv" else NUMBERS)
    assert labels == ([as_csv(label) for label in own] if form == "csv" else own)
    assert form == "csv" or {type(label) for label in labels} == {type(own[0])}
    assert {name: list(map(float, scores)) for name, scores in found.items()} == wanted
    if form != "parquet":  # the same on standard output
        assert run([*arguments, "--as", form]) == 0
        assert capsys.readouterr().out == output.read_bytes().decode()


@pytest.mark.parametrize("kind", LABELS)
def test_text_and_json_have_the_labels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    model, output = saved(tmp_path, kind), tmp_path / "out.txt"
    FRAME.to_csv(tmp_path / "same.csv", index=False)
    arguments = ["predict", str(model), str(tmp_path / "same.csv")]
    wanted = expected(model)
    labels = wanted.pop("prediction")
    assert run([*arguments, "--output", str(output)]) == 0
    assert output.read_text().splitlines() == [str(label) for label in labels]
    assert capsys.readouterr().out == f"6 predictions written to {output}\n"
    facts = document([*arguments, "--scores", "--id", "a"], capsys)
    assert facts["predictions"] == labels
    assert {type(label) for label in facts["predictions"]} == {type(labels[0])}
    assert {name: facts[name] for name in wanted} == wanted
    assert facts["a"] == FRAME["a"].tolist()


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_an_id_of_text_stays_as_it_is_written(tmp_path: Path, form: str) -> None:
    output = tmp_path / f"out.{form}"
    arguments = ["predict", str(saved(tmp_path)), str(table(tmp_path)), "--id", "1"]
    assert run([*arguments, "-o", str(output)]) == 0
    assert columns_of(form, output.read_bytes())["name"] == NAMES
    if form == "csv":
        assert '\n"with, comma","green"\n' in output.read_text()


def test_ids_of_every_type_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    days = [datetime.date(2020, 1, day) for day in (1, 2)]
    ids: dict[str, list[Any]] = {
        "day": days,
        "share": [math.nan, 0.5],
        "whole": [3.0, 4.0],
        "flag": [True, False],
        "gap": [7, None],
        "code": ["12", "34"],
        "note": ["56", None],
    }
    path, model = tmp_path / "data.parquet", saved(tmp_path)
    pa_parquet.write_table(pa.table({**ids, "a": [2.0, -2.0], "b": [0.25, -2.5]}), path)
    wanted = ids | {"day": ["2020-01-01", "2020-01-02"], "share": [None, 0.5], "whole": [3, 4]}
    for name in ids:
        arguments = ["predict", str(model), str(path), "--id", name]
        assert run([*arguments, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)[name] == wanted[name]
        assert run([*arguments, "--as", "jsonl"]) == 0
        assert columns_of("jsonl", capsys.readouterr().out.encode())[name] == wanted[name]
        assert run([*arguments, "-o", str(tmp_path / "out.parquet")]) == 0
        capsys.readouterr()
        written = columns_of("parquet", (tmp_path / "out.parquet").read_bytes())[name]
        assert written == (days if name == "day" else wanted[name])


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ("--as parquet", "--as parquet needs --output"),
        ("--as text --scores", "--as text has labels only; for --scores and --id use"),
        ("--as text --id name", "--as text has labels only; for --scores and --id use"),
        ("--id nix", "there is no column 'nix'; give a number from 1 to 6 or one of the names"),
        ("--id 7", "there is no column '7'; give a number from 1 to 6"),
        ("--label y --id -1", "the column 'y' is the label, not an id"),
        ("--id prediction", "the id column 'prediction' has the name of another output column"),
        ("--id score --scores", "the id column 'score' has the name of another output column"),
        ("--id file --json", "the id column 'file' has the name of another output column"),
        ("--json --as csv", "--json prints one document: it does not go with --as or"),
        ("--json --output OUT", "--json prints one document: it does not go with --as or"),
        ("--output DATA", "the output would overwrite"),
        ("--output MODEL", "the output would overwrite"),
    ],
)
def test_options_for_writing_that_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: str, complaint: str
) -> None:
    model, data = saved(tmp_path, "str"), tmp_path / "data.csv"
    FRAME.assign(file="x", score=1.0, prediction="yes", y="no").to_csv(data, index=False)
    paths = {"OUT": str(tmp_path / "out"), "DATA": str(data), "MODEL": str(model)}
    before = model.read_bytes()
    given = [paths.get(option, option) for option in options.split()]
    assert complaint in refused(["predict", str(model), str(data), *given], capsys)
    assert not (tmp_path / "out").exists()
    assert model.read_bytes() == before


def test_a_libsvm_file_has_no_id(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save(Perceptron().fit(FRAME.to_numpy(), LABELS["int"] * 2), tmp_path / "model")
    (tmp_path / "data").write_text("3 1:1.25 2:0.5\n")
    arguments = ["predict", str(tmp_path / "model"), str(tmp_path / "data")]
    complaint = refused([*arguments, "--id", "a"], capsys)
    assert "a libsvm file has no column 'a'" in complaint


def test_scores_of_a_model_without_scores_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, data = saved(tmp_path), table(tmp_path)
    monkeypatch.setattr(
        Perceptron, "decision_function", property(lambda _self: [].decision_function)
    )
    complaint = refused(["predict", str(model), str(data), "--scores"], capsys)
    assert f"{model}: this model has no scores" in complaint


def test_columns_are_matched_by_name_and_others_are_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, data = saved(tmp_path), table(tmp_path)
    labels = [f"{label}\n" for label in expected(model)["prediction"]]
    assert run(["predict", str(model), str(data)]) == 0
    assert capsys.readouterr() == (
        "".join(labels),
        f"{data}: columns unknown to the model are ignored: 'name', 'number'\n",
    )
    assert run(["predict", str(model), str(data), "--id", "name"]) == 0
    assert "'name'" not in capsys.readouterr().err
    data.write_text("name,b,c\nx,1,2\n")
    assert (
        "the table has no column 'a', which the encoder needs; its columns are 'name', 'b', 'c'"
        in refused(["predict", str(model), str(data)], capsys)
    )


def test_standard_input_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, data = saved(tmp_path), table(tmp_path)
    arguments = ["--scores", "--id", "name"]
    assert run(["predict", str(model), str(data), *arguments]) == 0
    wanted = capsys.readouterr()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data.read_bytes())))
    assert run(["predict", str(model), "-", *arguments]) == 0
    assert capsys.readouterr() == (wanted.out, wanted.err.replace(str(data), "standard input"))


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_samples_without_a_label_are_predicted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    """A file to predict may have labels for some samples only; all are predicted."""
    data, model = tmp_path / f"data.{form}", tmp_path / "model"
    frame = FRAME.assign(y=LABELS["three"] * 2)
    frame.to_csv(tmp_path / "learn.csv", index=False)
    assert run(["learn", str(tmp_path / "learn.csv"), "--model", str(model)]) == 0
    frame.loc[[1, 4], "y"] = None
    frame.to_csv(data, index=False) if form == "csv" else frame.to_parquet(data)
    capsys.readouterr()
    labels = document(["predict", str(model), str(data)], capsys)["predictions"]
    assert labels == LABELS["three"] * 2
    complaint = refused(["predict", str(model), str(data), "--id", "y"], capsys)
    assert f"{data}: the column 'y' is the label, not an id" in complaint
    assert (
        document(["explain", str(model), str(data), "--row", "6"], capsys)["prediction"] == "blue"
    )
    facts = document(["evaluate", str(model), str(data)], capsys)
    assert (facts["samples"], facts["unlabeled"]) == (4, 2)


def test_the_only_other_column_may_be_the_id(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without --id it would be taken for the label, whose name may differ between files."""
    data, model = tmp_path / "data.csv", saved(tmp_path)
    FRAME.assign(who=NUMBERS).to_csv(data, index=False)
    facts = document(["predict", str(model), str(data), "--id", "who"], capsys)
    assert facts["who"] == NUMBERS
    FRAME.assign(who=NUMBERS, kind=LABELS["three"] * 2).to_csv(data, index=False)
    facts = document(["predict", str(model), str(data), "--id", "who"], capsys)
    assert (facts["who"], facts["predictions"]) == (NUMBERS, LABELS["three"] * 2)


def test_several_labels_of_a_sample(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save(Perceptron().fit([[1.0], [-1.0], [3.0]], [[1, 0], [0, 0], [1, 1]]), tmp_path / "model")
    (tmp_path / "data.csv").write_text("1\n-1\n3\n")
    arguments = ["predict", str(tmp_path / "model"), str(tmp_path / "data.csv")]
    own = [["0"], [], ["0", "1"]]
    assert document(arguments, capsys)["predictions"] == own
    for form in ("jsonl", "csv"):
        assert run([*arguments, "--as", form]) == 0
        found = columns_of(form, capsys.readouterr().out.encode())["prediction"]
        assert found == (own if form == "jsonl" else ["0", "", "0 1"])
    assert run(arguments) == 0
    assert capsys.readouterr().out == "0\n\n0 1\n"
