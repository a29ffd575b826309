"""`predict` and `evaluate`: files are matched to the columns and labels of the model."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from rosenblatt import Perceptron, save
from rosenblatt.cli import run
from rosenblatt.io.models.model_file import write

FIRST = "M,1,2\nR,-3,4\nM,2,1\nR,-1,5\n"
LAST = "1,2,M\n-3,4,R\n2,1,M\n-1,5,R\n"


def learned(folder: Path, text: str, *options: str) -> Path:
    (folder / "data.csv").write_text(text)
    model = folder / "model"
    assert run(["learn", str(folder / "data.csv"), "--model", str(model), *options]) == 0
    return model


def answer(
    command: str, model: Path, text: str, capsys: pytest.CaptureFixture[str], *options: str
) -> Any:
    """Return the JSON document, or the error."""
    path = model.with_name("new.csv")
    path.write_text(text)
    capsys.readouterr()
    code = run([command, str(model), str(path), "--json", *options])
    out, err = capsys.readouterr()
    assert code == (2 if err else 0)
    return err or json.loads(out)


def test_the_label_column_is_the_one_learned_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = learned(tmp_path, FIRST, "--label", "1")
    assert answer("predict", model, FIRST, capsys)["predictions"] == ["M", "R", "M", "R"]
    assert answer("evaluate", model, FIRST, capsys)["accuracy"] == 1.0
    assert "line 1, column 3: 'M' is not a number; write it" in answer(
        "predict", model, LAST, capsys
    )
    complaint = answer("evaluate", model, LAST, capsys)
    assert (
        "no label in the file ('-3', '-1', '1', …) is one of the model's classes ('M', 'R')"
        in complaint
    )
    assert answer("evaluate", model, LAST, capsys, "--label", "-1")["accuracy"] == 1.0
    bare = "1,2\n-3,4\n"
    assert answer("predict", model, bare, capsys)["predictions"] == ["M", "R"]


def test_numeric_labels_are_not_used_as_features(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = FIRST.replace("M", "1").replace("R", "2")
    model = learned(tmp_path, text, "--label", "1")
    assert answer("predict", model, text, capsys)["predictions"] == [1, 2, 1, 2]
    assert answer("evaluate", model, text, capsys)["mistakes"] == 0


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("feature_names", ["a"]),
        ("feature_names", ["a", "a"]),
        ("feature_names", "ab"),
        ("label_name", 3),
        ("label_column", 4),
        ("label_column", 0),
        ("label_column", True),
        ("label_column", "1"),
        ("first_index", 2),
    ],
)
def test_notes_that_do_not_fit_the_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], key: str, value: object
) -> None:
    learner = Perceptron().fit([[1.0, 2.0], [-1.0, 0.0]], ["a", "b"])
    write(learner, tmp_path / "model", {key: value}, record=False)
    complaint = answer("predict", tmp_path / "model", "1,2\n", capsys)
    assert "the notes in the model file do not match its 2 features" in complaint


def test_labels_unknown_to_the_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = learned(tmp_path, LAST)
    complaint = answer("evaluate", model, "1,2,X\n-3,4,Y\n", capsys)
    assert "no label in the file ('X', 'Y') is one of the model's classes ('M', 'R')" in complaint
    many = "".join(f"1,2,{k}\n" for k in range(9))
    assert "('0', '1', '2', …)" in answer("evaluate", model, many, capsys)
    facts = answer("evaluate", model, "1,2,M\n-3,4,X\n2,1,X\n", capsys)
    assert (facts["mistakes"], facts["unknown_labels"]) == (2, {"X": 2})
    assert run(["evaluate", str(model), str(tmp_path / "new.csv")]) == 0
    assert (
        "  2 samples, counted as errors, have labels that the model never learned: 'X'\n"
        in capsys.readouterr().out
    )


def test_a_period_after_every_label_is_ignored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = learned(tmp_path, LAST)
    facts = answer("evaluate", model, "1,2,M.\n-3,4,R.\n2,1,M.\n", capsys)
    assert facts["unknown_labels"] == {}
    complaint = answer("evaluate", model, "1,2,M.\n-3,4,X\n", capsys)
    assert "no label in the file" in complaint


def test_labels_that_contain_digits_stay_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "1,2,v1\n-3,4,v1.0\n2,1,v1\n-1,5,v1.0\n"
    model = learned(tmp_path, text)
    assert answer("predict", model, "1,2\n-3,4\n", capsys)["predictions"] == ["v1", "v1.0"]
    swapped = "1,2,v1.0\n-3,4,v1\n"
    assert answer("evaluate", model, swapped, capsys)["accuracy"] == 0.0


@pytest.mark.parametrize(
    ("classes", "labels", "accuracy"),
    [
        ([1, -1], ["1.0", "-1"], 1.0),
        ([2.0, 1.0], ["0.2e1", "1"], 1.0),
        ([1, 2], ["1", "1e-99999999999999999999999"], 0.5),
        ([True, False], ["True", "0"], 1.0),
        ([2**53 + 1, 2**53], [str(2**53 + 1), str(2**53)], 1.0),
        ([2**53 + 1, 2**53], [str(2**53), str(2**53 + 1)], 0.0),
    ],
)
def test_numeric_labels_are_compared_by_value(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], classes: Any, labels: Any, accuracy: float
) -> None:
    save(Perceptron().fit([[1.0, 0.0], [-1.0, 0.0]], classes), tmp_path / "model")
    text = f"1,0,{labels[0]}\n-1,0,{labels[1]}\n"
    assert answer("evaluate", tmp_path / "model", text, capsys)["accuracy"] == accuracy


def test_columns_of_a_file_are_matched_to_a_data_frame(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = pd.DataFrame({"a": [1.0, -1.0], "b": [5.0, 5.0]})
    model = tmp_path / "model"
    save(Perceptron().fit(frame, ["p", "n"]), model)
    swapped = "b,kind,a\n5,p,1\n5,n,-1\n"
    assert answer("predict", model, swapped, capsys)["predictions"] == ["p", "n"]
    assert answer("evaluate", model, swapped, capsys)["accuracy"] == 1.0
    assert (
        "the table has no column 'a', which the encoder needs; its columns are 'c', 'b'"
        in answer("predict", model, "c,b\n1,5\n", capsys)
    )
    save(Perceptron().learn_one({"a": 1.0, "b": 5.0}, 1).learn_one({"a": -1.0}, 0), model)
    assert answer("evaluate", model, "b,a,y\n0,1,1\n0,-1,0\n", capsys)["accuracy"] == 1.0


def test_evaluating_multilabel_models_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(Perceptron().fit([[1.0], [-1.0]], [[1, 0], [0, 1]]), tmp_path / "model")
    complaint = answer("evaluate", tmp_path / "model", "1,0\n-1,1\n", capsys)
    assert "predicts several labels per sample" in complaint


def test_predict_takes_more_missing_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "age,town,class\n" + "1,Rome,a\n9,Oslo,b\n9,Rome,a\n1,Oslo,b\n" * 4
    model = learned(tmp_path, text)
    new = "age,town\n-9,Rome\n,Rome\nx,Oslo\n,Oslo\n"
    assert "line 4, column age: 'x' is not a number" in answer("predict", model, new, capsys)
    facts = answer("predict", model, new, capsys, "--missing", "x,age=-9")
    assert facts["predictions"] == ["a", "a", "b", "b"]
    labeled = "age,town,class\n-9,Rome,a\nx,Oslo,b\n"
    assert answer("evaluate", model, labeled, capsys, "--missing", "x,age=-9")["samples"] == 2
    assert "no column 'size'" in answer("predict", model, new, capsys, "--missing", "size=1")
