"""The command line, in this process: what it prints and which code it exits with."""

import re
from pathlib import Path

import numpy as np
import pytest
import typer.main

from commands import AND, IRIS_LIKE, XOR, document, write_csv
from rosenblatt import Outcome, Perceptron, __version__, load, save
from rosenblatt.cli import run
from rosenblatt.cli.app import app
from rosenblatt.cli.options import split_lists
from rosenblatt.io.data import loans, sonar


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "and.csv"
    path.write_text(AND)
    return path


@pytest.fixture
def model(data: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    path = data.with_suffix(".model")
    assert run(["learn", str(data), "--model", str(path)]) == 0
    capsys.readouterr()
    return path


def test_learn_without_a_file_finds_the_planted_conflicts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    facts = document(["learn"], capsys)
    assert facts["data"]["samples"] == 300
    (decided,) = facts["separability"]
    assert decided["verdict"] == "INSEPARABLE"
    planted = [[42, 219], [65, 263], [104, 171]]
    named = [[f"line {first}", f"line {second}"] for first, second in planted]
    assert [conflict["places"] for conflict in decided["conflicts"]] == named
    table = loans().read_text().splitlines()
    for first, second in planted:
        one, other = table[first - 1].split(","), table[second - 1].split(",")
        assert one[1:-1] == other[1:-1]
        assert one[-1] != other[-1]


def test_the_sonar_set_is_learned_to_separation(
    capsys: pytest.CaptureFixture[str],
) -> None:
    facts = document(["learn", str(sonar()), "--learner", "perceptron", "--scale", "none"], capsys)
    assert facts["outcome"] == "SEPARATED"
    assert (facts["epochs"], facts["mistakes"]) == (275_227, 2_729_231)
    assert facts["training_mistakes"] == 0
    assert facts["data"]["samples"] == 208
    assert 0 < facts["margins"][0]["lower"] < facts["margins"][0]["upper"] < 0.01
    assert facts["mistake_bound"] == 14_104_538
    (decided,) = facts["separability"]
    assert decided["verdict"] == "SEPARABLE"
    assert facts["margins"][0]["lower"] < decided["margin"]["lower"] < facts["margins"][0]["upper"]


def test_learn_reports_for_people(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["learn", str(data), "--learner", "perceptron"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == f"Data      {data}: 4 samples, 2 features, label both, classes no (3), yes (1)"
    assert out[1].startswith("Outcome   SEPARATED: no mistake is left")
    assert out[2:4] == ["Epochs    9", "Mistakes  18 of at most 51"]
    assert out[4] == "Margin    the maximum margin (augmented) is 0.242536, to six digits"
    assert out[5].startswith("Time      ")


def test_learn_reports_training_errors_and_the_remedy(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["learn", str(data), "--learner", "perceptron", "--max-epochs", "3"]) == 0
    out = capsys.readouterr().out
    assert "BUDGET" in out
    assert " of 4 (" in out
    assert "but the classes are separable: --learner max-margin makes none" in out


def test_learn_names_the_conflict_and_learns_the_average(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, model = tmp_path / "xor.csv", tmp_path / "model"
    path.write_text(2 * XOR)
    assert run(["learn", str(path), "--max-epochs", "50", "--model", str(model)]) == 0
    out = capsys.readouterr().out
    assert "INSEPARABLE" in out
    assert "lines 1 and 4 with label 'no' and lines 2 and 3 with label 'yes' overlap" in out
    assert "the average of all weights over 50 epochs" in out
    facts = document(["learn", str(path)], capsys)
    assert facts["epochs"] == facts["parameters"]["max_iter"] == 20
    assert (facts["parameters"]["keep"], facts["parameters"]["order"]) == ("average", "shuffle")
    plain = document(["learn", str(path), "--learner", "perceptron"], capsys)
    assert plain["epochs"] == plain["parameters"]["max_iter"] == 1000
    assert facts["mistake_bound"] is None
    learner = load(model)["learner"]
    assert learner.outcome_ is Outcome.INSEPARABLE
    assert learner.certificate_.verify(
        [[0, 0], [0, 1], [1, 0], [1, 1]] * 2, ["no", "yes", "yes", "no"] * 2
    )


def test_the_held_out_error_of_random_labels_is_a_half(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((400, 30)), rng.integers(0, 2, 400)
    path = write_csv(tmp_path / "noise.csv", X.round(4), y)
    facts = document(["learn", str(path), "--max-epochs", "20"], capsys)
    # Random labels can be learned in part, but not predicted.
    assert facts["training_mistakes"] / 400 < 0.42
    assert 0.35 < facts["held_out"]["error"] < 0.6 < facts["held_out"]["risk"]


def test_an_undecided_file_is_learned_within_the_budget(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((3000, 40)), rng.integers(0, 2, 3000)
    path = write_csv(tmp_path / "noise.csv", X.round(4), y)
    limits = ["--max-epochs", "2", "--time-limit", "0.001"]
    assert run(["learn", str(path), *limits]) == 0
    assert "AVERAGED" in capsys.readouterr().out
    assert run(["learn", str(path), "--learner", "perceptron", *limits]) == 0
    out = capsys.readouterr().out
    assert "BUDGET" in out
    assert "if a separating hyperplane exists, " in out


def test_options_reach_the_learner(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = "--order shuffle --ties positive --eta0 0.5 --seed 3"
    options += " --no-intercept --max-epochs 7"
    facts = document(["learn", str(data), *options.split()], capsys)
    assert facts["parameters"] == {
        "order": "shuffle",
        "ties": "positive",
        "eta0": 0.5,
        "random_state": 3,
        "fit_intercept": False,
        "class_weight": None,
        "keep": "average",
        "certify": False,
        "record": False,
        "max_iter": 7,
        "n_jobs": None,
        "shards": 1,
        "multiclass": "one-vs-rest",  # classes that learn jointly count a tie as a mistake
        "margin": "auto",
    }


def test_many_classes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "three.csv"
    path.write_text(IRIS_LIKE)
    facts = document(["learn", str(path), "--multiclass", "one-vs-rest"], capsys)
    assert [margin["positive"] for margin in facts["margins"]] == ["a", "b", "c"]
    (jointly,) = document(["learn", str(path)], capsys)["margins"]
    assert jointly["positive"] == "all classes jointly"
    for options, shown in ([], False), (["--verbose"], True):
        assert run(["learn", str(path), *options]) == 0
        assert ("Margin of b" in capsys.readouterr().out) == shown


def test_predict(model: Path, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["predict", str(model), str(data)]) == 0
    assert capsys.readouterr().out == "no\nno\nno\nyes\n"
    unlabeled = data.with_name("new.csv")
    unlabeled.write_text("x2,x1\n1,1\n0,5\n")
    assert document(["predict", str(model), str(unlabeled)], capsys)["predictions"] == [
        "yes",
        "yes",
    ]


def test_evaluate(model: Path, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["evaluate", str(model), str(data)]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "Error      0.0000 (0 wrong)",
        "Recall     no 1.0000, yes 1.0000",
        "Precision  no 1.0000, yes 1.0000",
    ]
    data.write_text(AND.replace("0,1,no", "0,1,yes"))
    facts = document(["evaluate", str(model), str(data)], capsys)
    assert (facts["samples"], facts["mistakes"], facts["accuracy"]) == (4, 1, 0.75)
    assert facts["error"] == 0.25
    assert facts["classes"] == [
        {"label": "no", "samples": 2, "recall": 1.0, "precision": 2 / 3},
        {"label": "yes", "samples": 2, "recall": 0.5, "precision": 1.0},
    ]
    assert {"label": "yes", "predicted": "no", "samples": 1} in facts["confusion"]
    data.write_text("x1,x2\n0,0\n")
    assert run(["evaluate", str(model), str(data)]) == 2
    assert (
        "there is no label column; to evaluate a model, specify which column it is"
        in capsys.readouterr().err
    )


def test_libsvm_files_in_learn_predict_and_evaluate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, model = tmp_path / "data.libsvm", tmp_path / "model"
    path.write_text("+1 1:1 3:2\n-1 2:1\n+1 3:1\n-1 1:-1 2:3\n")
    facts = document(["learn", str(path), "--model", str(model)], capsys)
    assert facts["data"]["classes"] == {"-1": 2, "1": 2}
    assert run(["predict", str(model), str(path)]) == 0
    assert capsys.readouterr().out.split() == ["1", "-1", "1", "-1"]
    assert document(["evaluate", str(model), str(path)], capsys)["accuracy"] == 1.0


def test_trace_prints_the_worked_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trace"]) == 0
    out = capsys.readouterr().out
    assert "1      (-1, 1, -1)  (0, 1, 1)       0    yes     (-1, 2, 0)     3\n" in out
    assert out.endswith("Final weights (0, 2, -1): the line 2·x1 - x2 = 0.\n")


def test_trace_of_a_file(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    facts = document(["trace", str(data), "--max-epochs", "20"], capsys)
    assert facts["outcome"] == "SEPARATED"
    assert sum(visit["update"] for visit in facts["visits"]) == 18
    assert facts["weights"] == [-4.0, 3.0, 2.0]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "the file is empty"),
        ("1,2,a\n3,4,a\n", "every sample has the label a; learning needs at least two labels"),
        ("1,2,a\n3,inf,b\n", "line 2, column 2: inf is not finite; give a finite number"),
        ("1,2,a\n3,b\n", "line 2: expected 3 columns, found 2"),
        ("1,2,a\n3,x,b\n", "line 2, column 2: 'x' is not a number"),
        ("1 1:1e200\n2 1:2e200\n", "shorter than 1e+150"),
    ],
)
def test_a_bad_file_is_one_sentence_and_exits_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, complaint: str
) -> None:
    path, model = tmp_path / "data.csv", tmp_path / "model"
    path.write_text(text)
    assert run(["learn", str(path), "--model", str(model)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("rosenblatt: ")
    assert err.count("\n") == 1
    assert str(path) in err
    assert complaint in err
    assert not model.exists()


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (["a,b", "c"], ["a", "b", "c"]),
        (['"a,b",c'], ["a,b", "c"]),
        (['say ""hi""', '5" disk'], ['say ""hi""', '5" disk']),
        ([" a , b"], [" a ", " b"]),
        (["a,,b", ""], ["a", "", "b"]),
        (None, None),
    ],
)
def test_lists_are_split_at_commas_outside_quotes(
    given: list[str] | None, found: list[str] | None
) -> None:
    assert split_lists(given) == found


def test_a_list_with_an_open_quote_is_refused(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["learn", str(data), "-i", '"x1']) == 2
    assert capsys.readouterr().err == (
        'rosenblatt: "x1 is not a list of names: separate them with commas, and put a name with a comma '
        "into double quotes\n"
    )


def test_lists_of_columns_may_be_repeated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "data.csv"
    path.write_text('"a,1",b,c,y\n1,5,3,p\n2,-,3,q\n3,?,1,p\n1,4,2,q\n')
    options = ["--ignore", '"a,1",c', "--missing", "-,?", "--categorical", "b", "-l", "y"]
    facts = document(["learn", str(path), *options], capsys)
    kinds = {column["name"]: (column["kind"], column["missing"]) for column in facts["columns"]}
    assert kinds == {"a,1": ("left out", 0), "b": ("category", 2), "c": ("left out", 0)}
    assert (
        document(["learn", str(path), "-i", '"a,1"', "-i", "c", *options[2:]], capsys)["columns"]
        == (facts["columns"])
    )


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_every_command_has_help_in_panels(
    option: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run([option]) == 0
    out = capsys.readouterr().out
    commands = typer.main.get_command(app).commands
    assert len(commands) <= 13
    for name, command in commands.items():
        sentence = command.help.split("\n")[0]
        assert re.search(rf"│ {name} +{re.escape(sentence)} +│\n", out), sentence
        assert run([name, option]) == 0
        page = capsys.readouterr().out
        assert "<bool>" not in page
        assert ("─ Reading the file ─" in page) == ("--header" in page)


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["-V"]) == 0
    assert capsys.readouterr().out == f"rosenblatt {__version__}\n"


def test_a_seed_that_numpy_refuses(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["learn", str(data), "--seed", "-1"]) == 2
    assert "--seed -1: use an integer from 0 to 4294967295" in capsys.readouterr().err


def test_other_bad_input(
    model: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def complaint(*arguments: str) -> str:
        assert run(list(arguments)) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert "Traceback" not in err
        return err

    assert "there is no such file" in complaint("learn", str(tmp_path / "nothing.csv"))
    assert "this is a folder" in complaint("learn", str(tmp_path))
    assert "there is no label column 'color'" in complaint("learn", str(data), "-l", "color")
    assert "eta0=-1.0 is not accepted" in complaint("learn", str(data), "--eta0", "-1")
    assert "there is no folder" in complaint("learn", "--model", str(tmp_path / "no" / "model"))
    assert "not a model file" in complaint("predict", str(data), str(data))
    assert "the table has no column 'x2', which the encoder needs" in complaint(
        "predict", str(model), str(_other_columns(tmp_path))
    )
    assert "have 60 features, but the model expects 2" in complaint(
        "predict", str(model), str(sonar())
    )
    assert complaint("lern").startswith("rosenblatt: no such command 'lern'")
    assert "no such option: --epochs" in complaint("learn", "--epochs", "3")
    assert complaint("learn", "--order", "odd") == (
        "rosenblatt: invalid value for '--order': 'odd' is not one of 'cyclic', 'shuffle', 'random'; "
        "see 'rosenblatt learn --help'\n"
    )


def test_without_arguments_help_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["lecture"]):
        assert run(arguments) == 2
        out, err = capsys.readouterr()
        assert "Usage: " in out
        assert err == ""


def _other_columns(folder: Path) -> Path:
    (folder / "other.csv").write_text("x1,x3\n1,2\n")
    return folder / "other.csv"


def test_numbers_are_compared_as_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(Perceptron().fit([[1.0], [-1.0]], [1.0, -1.0]), tmp_path / "model")
    (tmp_path / "data.csv").write_text("2,1\n-3,-1\n")
    arguments = ["evaluate", str(tmp_path / "model"), str(tmp_path / "data.csv")]
    assert document(arguments, capsys)["accuracy"] == 1.0
    (tmp_path / "data.csv").write_text("2,up\n")
    assert run(arguments) == 2
    assert "the file ('up') is one of the model's classes ('-1', '1')" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["learn -m", "separate --certificate"])
@pytest.mark.parametrize("kind", ["itself", "dots", "symbolic", "hard"])
def test_the_data_is_not_overwritten(
    data: Path, capsys: pytest.CaptureFixture[str], command: str, kind: str
) -> None:
    same = data.with_name("same")
    if kind == "symbolic":
        same.symlink_to(data)
    elif kind == "hard":
        same.hardlink_to(data)
    else:
        same = data if kind == "itself" else data.parent / ".." / data.parent.name / data.name
    verb, option = command.split()
    for source, target in ((data, same), (same, data)):
        assert run([verb, str(source), option, str(target)]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert f"would overwrite {source}, which is the same file" in err
        assert data.read_text() == AND
    assert run([verb, str(data), option, str(data.parent)]) == 2
    assert "this is a folder" in capsys.readouterr().err


def test_the_bundled_data_is_not_overwritten(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    same = data.with_name("same")
    same.symlink_to(loans())
    assert run(["learn", "--model", str(same)]) == 2
    assert "would overwrite" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["learn", "DATA", "--model", "LONG"],
        ["separate", "DATA", "--certificate", "LONG"],
        ["learn", "LONG"],
        ["separate", "LONG"],
        ["trace", "LONG"],
        ["verify", "LONG", "DATA"],
        ["predict", "LONG", "DATA"],
        ["predict", "MODEL", "LONG"],
        ["evaluate", "LONG", "DATA"],
    ],
    ids=" ".join,
)
def test_a_path_that_is_too_long_is_named(
    model: Path, data: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    long = str(data.parent / ("x" * 300))
    paths = {"DATA": str(data), "MODEL": str(model), "LONG": long}
    assert run([paths.get(argument, argument) for argument in arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert long in err
    assert "File name too long" in err
    assert "the output cannot be written" not in err


def test_an_endless_certificate_is_refused(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, complaint in [("/dev/zero", "not a regular file"), (str(data.parent), "a folder")]:
        assert run(["verify", name, str(data)]) == 2
        assert complaint in capsys.readouterr().err
        assert run(["predict", name, str(data)]) == 2
        assert complaint in capsys.readouterr().err


def test_the_exit_codes_are_described(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    for code in ("0 done", "1 the certificate is false", "2 bad input", "70", "130", "141"):
        assert code in out


@pytest.mark.parametrize("options", [[], ["--shards", "2"]])
def test_a_count_of_the_rows_is_excluded_unless_it_is_numeric(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    path = tmp_path / "turnout.csv"
    path.write_text("nr,age,y\n" + "".join(f"{k},{k % 7},{k // 30}\n" for k in range(60)))
    arguments = ["learn", str(path), *options]
    facts = document(arguments, capsys)
    assert [column["width"] for column in facts["columns"]] == [0, 1]
    assert facts["training_mistakes"] > 9
    assert document([*arguments, "--numeric", "nr"], capsys)["training_mistakes"] < 3
    assert run(arguments) == 0
    assert "nr (counts the rows; --numeric nr keeps it)" in capsys.readouterr().out
