"""Files for a model are read like its training samples."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from rosenblatt import Perceptron, TableEncoder, save
from rosenblatt.core.errors import InputError
from rosenblatt.io import Reading, Table, read
from rosenblatt.io.models.model_file import write
from rosenblatt.io.models.model_notes import LoadedModel, notes_on, open_model, read_for_model
from rosenblatt.io.samples.table import Expected
from sample_files import rows, written

LABELS = np.array(["no", "yes"])
NAMES = Reading(expect=Expected(2, LABELS, ["a", "b"], True, label_name="kind"))
PLAIN = Reading(expect=Expected(2, LABELS))


def read_with(trained: LoadedModel, path: Path, label: str | None = None) -> tuple[Table, Any]:
    """Return a file's samples, and the numbers that the learner sees."""
    table = read_for_model(trained, [path], Reading(label=label))
    return table, np.asarray(trained.numbers(str(path), table)).tolist()


@pytest.fixture
def named(tmp_path: Path) -> LoadedModel:
    frame = pd.DataFrame({"a": [1.0, -1.0], "b": [5.0, 5.0]})
    save(Perceptron().fit(frame, ["yes", "no"]), tmp_path / "model")
    return open_model(tmp_path / "model")


def test_columns_are_matched_by_name(tmp_path: Path, named: LoadedModel) -> None:
    table, X = read_with(named, written(tmp_path, "kind,b,a\nyes,2,1\nno,4,3\n"))
    assert X == [[1.0, 2.0], [3.0, 4.0]]
    assert table.y.tolist() == ["yes", "no"]
    table, X = read_with(named, written(tmp_path, "b,id,class,a\n2,x7,yes,1\n"))
    assert (X, table.y.tolist()) == ([[1.0, 2.0]], ["yes"])
    assert named.unknown_columns(table) == ["id"]


def test_labels_may_be_missing(tmp_path: Path, named: LoadedModel) -> None:
    table, X = read_with(named, written(tmp_path, "b,a\n2,1\n"))
    assert (X, table.y) == ([[1.0, 2.0]], None)
    assert read(written(tmp_path, "1,2\n"), PLAIN).y is None
    assert read(written(tmp_path, "1,2,yes\n"), PLAIN).y is not None


def test_a_missing_column_is_named(tmp_path: Path, named: LoadedModel) -> None:
    path = written(tmp_path, "a,c,kind\n1,2,yes\n")
    with pytest.raises(
        InputError, match=r"data: the table has no column 'b', which the encoder needs"
    ):
        read_with(named, path)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("oops", "data, line 4, column b: 'oops' is not a number; write it like 12, -0.5 or 1e-3"),
        (
            "",
            "data, line 4, column b: this cell is empty; expected a number, because the model was",
        ),
        ("inf", "data, line 4, column b: inf is not finite; give a finite number"),
        ("x" * 99, "data, line 4, column b: 'x{59}…' is not a number"),
    ],
)
def test_a_cell_that_is_not_a_number_is_named(
    tmp_path: Path, named: LoadedModel, cell: str, message: str
) -> None:
    path = written(tmp_path, f"a,b\n1,2\n\n3,{cell}\n")
    with pytest.raises(InputError, match=message):
        read_with(named, path)


@pytest.mark.parametrize("text", ["1\n", "1,2,3,yes\n", "1 1:2 3:1\n"])
def test_more_or_fewer_features(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match=r"(features, but the model expects 2)|one col"):
        read(written(tmp_path, text), PLAIN)


def test_the_label_column_is_the_same_as_in_training(tmp_path: Path) -> None:
    first = read(written(tmp_path, "M,1,2\nR,3,4\n"), Reading(label="1"))
    learner = Perceptron().fit(rows(first), first.y)
    write(learner, tmp_path / "model", notes_on(first), record=False)
    trained = open_model(tmp_path / "model")
    table, X = read_with(trained, written(tmp_path, "R,5,6\n"))
    assert (X, table.y.tolist()) == ([[5.0, 6.0]], ["R"])
    assert read_with(trained, written(tmp_path, "5,6\n"))[0].y is None


def test_the_only_column_that_is_not_a_feature_is_the_label(tmp_path: Path) -> None:
    table = read(written(tmp_path, "which,a,b\nyes,1,2\nno,3,4\n"), NAMES)
    assert rows(table) == [[1.0, 2.0], [3.0, 4.0]]
    assert table.label_name == "which"


def test_a_header_of_numbers_that_the_model_knows(tmp_path: Path) -> None:
    years = Reading(expect=Expected(2, LABELS, ["2019", "2020"], True, label_name="kind"))
    assert rows(read(written(tmp_path, "2019,2020\n1,2\n"), years)) == [[1.0, 2.0]]


def test_a_sample_with_the_numbers_of_the_header(tmp_path: Path) -> None:
    counted = Reading(expect=Expected(2, LABELS, ["0", "1"], True, label_name="y"))
    assert read(written(tmp_path, "1,0\n0,0\n1,1\n"), counted).n_samples == 3


def test_a_first_line_with_a_known_label_is_a_sample(tmp_path: Path) -> None:
    path = written(tmp_path, "1,2,M\n3,4,R\n5,6,R\n")
    assert read(path, Reading(expect=Expected(2, np.array(["M", "R"])))).n_samples == 3
    with pytest.raises(InputError, match="this may be a header or a sample"):
        read(path, Reading(expect=Expected(2, np.array(["R", "S"]))))


def test_a_libsvm_file_instead_of_a_table_is_refused(tmp_path: Path, named: LoadedModel) -> None:
    encoder = TableEncoder().fit(pd.DataFrame({"a": [1.0, -1.0], "b": [5.0, 5.0]}))
    trained = replace(named, encoder=encoder)
    path = written(tmp_path, "1 1:2\n")
    with pytest.raises(InputError, match=r"data: this is a libsvm file, but .* the columns a, b$"):
        read_with(trained, path)


@pytest.mark.parametrize("header", ["x1,x0,kind\n", "a,b,kind\n", ""])
def test_a_model_without_names_knows_columns_by_position(tmp_path: Path, header: str) -> None:
    X = np.array([[0.0, 5.0], [1.0, 0.0], [0.0, 4.0], [2.0, 0.0]])
    model = make_pipeline(TableEncoder(), Perceptron()).fit(X, ["up", "right", "up", "right"])
    save(model, tmp_path / "model")
    path = written(tmp_path, header + "0,6,up\n3,0,right\n")
    trained = open_model(tmp_path / "model")
    table = read_for_model(trained, [path], Reading())
    assert trained.unknown_columns(table) == []
    assert trained.predicted(str(path), table).tolist() == ["up", "right"]


def test_names_that_look_like_column_numbers(tmp_path: Path) -> None:
    frame = pd.DataFrame({"column 1": [0.0, 1.0, 0.0, 2.0], "column 2": [5.0, 0.0, 4.0, 0.0]})
    model = make_pipeline(TableEncoder(), Perceptron()).fit(frame, ["up", "right", "up", "right"])
    save(model, tmp_path / "model")
    path = written(tmp_path, "column 2,column 1,kind\n6,0,up\n0,3,right\n")
    trained = open_model(tmp_path / "model")
    table = read_for_model(trained, [path], Reading())
    assert trained.predicted(str(path), table).tolist() == ["up", "right"]
