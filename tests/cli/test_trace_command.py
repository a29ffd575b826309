"""`rosenblatt trace`: options, formats and errors."""

import csv
import io
import json
from pathlib import Path

import pytest

from commands import AND, IRIS_LIKE, document
from rosenblatt import trace
from rosenblatt.cli import run
from rosenblatt.lectures.trace import worked_example

X, Y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "and.csv"
    path.write_text(AND)
    return path


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["trace", *arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def complaint(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["trace", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("rosenblatt: ")
    assert err.count("\n") == 1
    return err.removeprefix("rosenblatt: ").removesuffix("\n")


@pytest.mark.parametrize(
    ("options", "parameters"),
    [
        ("--start-weights -1,0.5,2", {"intercept_init": -1, "coef_init": [0.5, 2]}),
        ("--start-weights 1,-2 --no-intercept", {"coef_init": [1, -2], "fit_intercept": False}),
        ("--start-weights 1,0,0 --eta0 0.25", {"intercept_init": 1, "eta0": 0.25}),
        ("--order shuffle --seed 3", {"order": "shuffle", "random_state": 3}),
        ("--order random --seed 4", {"order": "random", "random_state": 4}),
        ("--ties negative", {"ties": "negative"}),
        ("--no-intercept --ties positive", {"fit_intercept": False, "ties": "positive"}),
        ("--max-epochs 1", {"max_iter": 1}),
        ("--margin 1.5", {"margin": 1.5}),
    ],
)
def test_options_reach_the_run(
    data: Path, capsys: pytest.CaptureFixture[str], options: str, parameters: dict
) -> None:
    parameters = {"max_iter": 10, "random_state": 0, **parameters}
    expected = trace(X, Y, **parameters)
    assert expected.to_csv() != trace(X, Y, max_iter=10).to_csv()
    assert printed(capsys, str(data), *options.split(), "--csv") == expected.to_csv()
    example = worked_example(**parameters)
    assert printed(capsys, *options.split(), "--csv") == example.to_csv()


def test_one_label_is_traced_without_an_intercept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "one.csv"
    path.write_text("a,b,y\n1,2,yes\n-2,1,yes\n")
    expected = trace([[1, 2], [-2, 1]], ["yes", "yes"], fit_intercept=False)
    assert printed(capsys, str(path), "--no-intercept", "--csv") == expected.to_csv()
    assert "or one with --no-intercept" in complaint(capsys, str(path))


def test_ties_and_no_intercept_in_the_worked_example(
    capsys: pytest.CaptureFixture[str],
) -> None:
    # By hand: from (0, 0), a score of 0 is correct for the first three samples and wrong for the others.
    text = printed(capsys, "--no-intercept", "--ties", "positive", "--csv")
    lines = list(csv.DictReader(io.StringIO(text)))
    assert [int(line["row"]) for line in lines if line["update"] == "true"] == [3, 4, 5]
    assert [lines[-1]["after1"], lines[-1]["after2"]] == ["2.0", "-1.0"]


def test_the_three_formats_of_a_trace(capsys: pytest.CaptureFixture[str]) -> None:
    run = worked_example()
    assert printed(capsys) == run.table() + "\n"
    assert printed(capsys, "--csv") == run.to_csv()
    assert json.loads(printed(capsys, "--json")) == json.loads(json.dumps(run.to_dict()))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            "--start-weights 1,0",
            "--start-weights has length 2, but length 3 is needed: the intercept first, then the "
            "coefficients of the features in their order",
        ),
        (
            "--start-weights 1,0,0 --no-intercept",
            "--start-weights has length 3, but length 2 is needed: the coefficients of the features in "
            "their order",
        ),
        (
            "--start-weights 1,x,0",
            "--start-weights '1,x,0' is not a list of finite numbers: separate them with commas, "
            "such as 1,0,0",
        ),
        (
            "--start-weights 1,inf,0",
            "--start-weights '1,inf,0' is not a list of finite numbers: separate them with commas, "
            "such as 1,0,0",
        ),
        ("--eta0 0", "eta0=0.0 is not accepted: use a number from 1e-100 to 1e100"),
        ("--json --csv", "--json does not go with --csv: leave one of them out"),
    ],
)
def test_wrong_options_are_one_sentence(
    data: Path, capsys: pytest.CaptureFixture[str], options: str, sentence: str
) -> None:
    assert complaint(capsys, *options.split()) == sentence
    assert complaint(capsys, str(data), *options.split()) == sentence


@pytest.mark.parametrize("option", ["--label 1", "--header", "--no-header", "--format libsvm"])
def test_options_for_files_need_a_file(capsys: pytest.CaptureFixture[str], option: str) -> None:
    name = option.split()[0]
    assert complaint(capsys, *option.split()) == (
        f"{name} describes a file, but the worked example has none: give a file, or leave "
        f"{name} out"
    )


def test_a_file_that_cannot_be_traced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    three = tmp_path / "three.csv"
    three.write_text(IRIS_LIKE)
    arguments = [str(three), "--start-weights", "1,0,0"]
    assert complaint(capsys, *arguments) == f"{three}: y has 3 classes: give samples of two classes"


def test_a_json_document_has_every_visit(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    facts = document(["trace", str(data), "--start-weights", "-4,3,2"], capsys)
    assert [visit["row"] for visit in facts["visits"]] == [0, 1, 2, 3]
    assert (facts["outcome"], facts["weights"]) == ("SEPARATED", [-4.0, 3.0, 2.0])
