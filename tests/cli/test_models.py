"""`show`, `explain` and `convert`: output, files written and errors."""

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from commands import AND, document, refused
from rosenblatt import KernelPerceptron, Perceptron, TableEncoder, save
from rosenblatt.cli import run

TABLE = pd.DataFrame(
    {
        "size": [1.0, np.nan, 300.0, 5.0],
        "town": ["Rome", "Oslo", "Rome", "Bern"],
        "name": ["a", "b", "c", "d"],
    }
)


@pytest.fixture
def model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Return the model of a file with column names."""
    (tmp_path / "and.csv").write_text(AND)
    path = tmp_path / "and.safetensors"
    options = ["--learner", "perceptron", "--model", str(path)]
    assert run(["learn", str(tmp_path / "and.csv"), *options]) == 0
    capsys.readouterr()
    return path


@pytest.fixture
def pipeline(tmp_path: Path) -> Path:
    """Return a model of a table of mixed columns."""
    learner = make_pipeline(TableEncoder(min_count=2), Perceptron())
    save(learner.fit(TABLE, ["yes", "no", "yes", "no"]), tmp_path / "table.safetensors")
    return tmp_path / "table.safetensors"


def test_show_prints_parameters_training_and_weights(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", str(model), "--top", "1"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Model     Perceptron(")
    assert "Outcome   SEPARATED: no mistake is left" in out
    assert "\nEpochs    9\nMistakes  18\n" in out
    assert "\nyes vs no    weight\nx1               +3\n(intercept)      -4\n" in out
    assert "and 1 more weights, all smaller; --top shows more, --json shows all" in out


def test_show_prints_how_a_table_is_prepared(
    pipeline: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", str(pipeline)]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "Steps TableEncoder(min_count=2)" in lines
    spread = f"{np.std([1.0, 300.0, 5.0]):.6g}"
    assert f"size number 2 1 (value - 102) / {spread}; 102 if missing" in lines
    assert "town category 2 0 Rome, 2 rare" in lines
    assert any(line.startswith("name excluded 0 0 an id: ") for line in lines)


def test_show_prints_all_weights_for_programs(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    facts = document(["show", str(model), "--top", "1"], capsys)
    assert facts["weights"] == [
        {
            "class": "yes",
            "intercept": -4.0,
            "weights": [{"feature": "x1", "weight": 3.0}, {"feature": "x2", "weight": 2.0}],
        }
    ]
    assert run(["show", str(model), "--csv"]) == 0
    rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert rows == [
        ["class", "feature", "weight"],
        ["yes", "(intercept)", "-4.0"],
        ["yes", "x1", "3.0"],
        ["yes", "x2", "2.0"],
    ]


def test_show_of_many_features_is_short(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    X = np.eye(3, 20_000)
    save(Perceptron().fit(X, ["a", "b", "c"]), tmp_path / "wide", record=False)
    assert run(["show", str(tmp_path / "wide")]) == 0
    out = capsys.readouterr().out
    assert out.count("\n") < 90
    assert out.count(" vs not ") == 3
    assert out.count("and 19,980 more weights") == 3


def test_models_that_cannot_be_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "model")
    assert "there is no such file" in refused(["show", path], capsys)
    save(Perceptron(), path)
    assert "model: this Perceptron has not learned anything yet" in refused(["show", path], capsys)
    assert "leave one of them out" in refused(["show", path, "--json", "--csv"], capsys)
    save(KernelPerceptron().fit([[0.0], [1.0]], [0, 1]), path)
    assert "a sum over support samples" in refused(["show", path, "--csv"], capsys)
    assert run(["show", path]) == 0
    assert "Weights   none: a KernelPerceptron has no weights" in capsys.readouterr().out


def test_explain_prints_what_each_column_contributes(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = str(model.with_name("and.csv"))
    assert run(["explain", str(model), data, "--row", "4", "--top", "1"]) == 0
    assert capsys.readouterr().out == (
        f"Sample      4 ({data}, line 5)\n"
        "Prediction  yes\n"
        "Score       1 for yes: yes if above 0, no if below\n"
        "\n"
        "column              value  contribution\n"
        "x1                      1            +3\n"
        "and 1 more columns                   +2\n"
        "(intercept)                          -4\n"
        "score                                +1\n"
    )
    facts = document(["explain", str(model), data, "--row", "2"], capsys)
    assert (facts["prediction"], facts["class"], facts["score"]) == ("no", "yes", -2.0)
    assert facts["contributions"][0] == {"column": "x2", "value": 1.0, "contribution": 2.0}


def test_explain_lists_the_words_of_a_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, model = tmp_path / "sms.csv", str(tmp_path / "model")
    rows = ["win a prize now,spam", "see you soon,ham", "win now,spam", "soon at home,ham"]
    data.write_text("\n".join(["message,label", *rows]))
    assert run(["learn", str(data), "--text", "message", "--model", model]) == 0
    capsys.readouterr()
    assert run(["explain", model, str(data), "--row", "1", "--top", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()[5:]
    column, first, rest = lines[:3]
    assert re.fullmatch(r"message +win a prize now +\+[0-9.]+", column)
    assert re.fullmatch(r"  (now|win) +\+[0-9.]+", first)
    assert re.fullmatch(r"  and 1 more words +\+[0-9.]+", rest)
    words = document(["explain", model, str(data), "--row", "1"], capsys)["contributions"][0][
        "words"
    ]
    assert {one["word"] for one in words} == {"now", "win"}


def test_explain_of_several_classes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "data.csv").write_text("1,0\n0,1\n-1,-1\n")
    learner = Perceptron().fit([[1, 0], [0, 1], [-1, -1]], ["a", "b", "c"])
    save(learner, tmp_path / "model")
    arguments = ["explain", str(tmp_path / "model"), str(tmp_path / "data.csv"), "--row", "3"]
    assert run(arguments) == 0
    assert " more than for " in capsys.readouterr().out
    assert document(arguments, capsys)["prediction"] == "c"


def test_models_and_rows_that_cannot_be_explained(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = str(model.with_name("and.csv"))
    complaint = refused(["explain", str(model), data, "--row", "5"], capsys)
    assert "and.csv: there is no sample 5; the data has 4" in complaint
    save(KernelPerceptron().fit([[0.0, 0.0], [1.0, 1.0]], ["no", "yes"]), model)
    complaint = refused(["explain", str(model), data, "--row", "1"], capsys)
    assert "and.safetensors: a KernelPerceptron has no weights for the columns" in complaint


def test_convert_to_json(pipeline: Path, capsys: pytest.CaptureFixture[str]) -> None:
    readable = pipeline.with_suffix(".json")
    assert run(["convert", str(pipeline), str(readable)]) == 0
    assert capsys.readouterr().out == f"Written  {readable}\n"
    assert json.loads(readable.read_text())["weights"][0]["weights"][0][0] == "size"
    assert f"{readable}: this is a JSON document" in refused(["show", str(readable)], capsys)


@pytest.mark.extra("onnx", "onnxruntime")
def test_convert_to_onnx(model: Path) -> None:
    import onnxruntime

    assert run(["convert", str(model), str(model.with_name("graph")), "--to", "onnx"]) == 0
    session = onnxruntime.InferenceSession(str(model.with_name("graph")))
    X = np.array([[0.0, 1.0], [1.0, 1.0]])
    assert session.run(["label"], {"X": X})[0].tolist() == ["no", "yes"]
    assert json.loads(session.get_modelmeta().custom_metadata_map["columns"]) == ["x1", "x2"]


def test_models_that_cannot_be_converted(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    complaint = refused(["convert", str(model), "model.txt"], capsys)
    assert "the name does not end with .json or .onnx; choose the format with --to" in complaint
    complaint = refused(["convert", str(model), str(model), "--to", "json"], capsys)
    assert "the output would overwrite" in complaint
    data, onnx = str(model.with_name("and.csv")), str(model.with_suffix(".onnx"))
    assert "this is not a model file" in refused(["convert", data, onnx], capsys)
    assert not Path(onnx).exists()


@pytest.mark.extra("onnx")
def test_votes_cannot_be_converted(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    onnx = str(model.with_suffix(".onnx"))
    save(Perceptron(keep="vote").fit([[0.0], [1.0]], [0, 1]), model)
    assert "all hypotheses of its run vote" in refused(["convert", str(model), onnx], capsys)
    assert not Path(onnx).exists()
