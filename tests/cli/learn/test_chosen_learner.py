"""`learn --learner --keep --multiclass --class-weight`: results and errors."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from commands import XOR, document, refused
from rosenblatt import load
from rosenblatt.cli import run
from rosenblatt.io.data import loans

LOANS = loans()
LEARNERS = {
    "auto": "Perceptron",
    "perceptron": "Perceptron",
    "passive-aggressive": "PassiveAggressive",
    "winnow": "Winnow",
    "kernel": "KernelPerceptron",
    "max-margin": "MaxMargin",
}
FRAME = pd.DataFrame(
    {
        "a": [0.9, 0.1, 0.8, 0.2, 0.7, 0.05],
        "b": [0.1, 0.9, 0.3, 0.6, 0.2, 0.8],
        "kind": ["p", "q", "p", "q", "p", "q"],
    }
)


def predicted(model: Path, data: Path, capsys: pytest.CaptureFixture[str]) -> tuple[Any, Any]:
    """Return the predictions of the command line and of Python."""
    frame = pd.read_csv(data).iloc[:, :-1]
    command = document(["predict", str(model), str(data)], capsys)["predictions"]
    return command, load(model).predict(frame).tolist()


@pytest.mark.parametrize("learner", LEARNERS)
def test_each_learner_learns_and_comes_back(
    learner: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, model = tmp_path / "data.csv", tmp_path / "model"
    FRAME.to_csv(data, index=False)
    arguments = ["learn", str(data), "--learner", learner, "--model", str(model), "--scale", "none"]
    facts = document(arguments, capsys)
    assert facts["learner"] == LEARNERS[learner] == type(load(model)["learner"]).__name__
    verdict = None if learner == "kernel" else "SEPARABLE"  # the verdict is about hyperplanes
    assert (facts["verdict"], facts["training_mistakes"]) == (verdict, 0)
    assert facts["parameters"] == load(model)["learner"].get_params()
    command, python = predicted(model, data, capsys)
    assert command == python == FRAME["kind"].tolist()
    assert run(arguments) == 0
    out = capsys.readouterr().out
    assert ("\nLearner " in out) == (learner not in ("auto", "perceptron"))


@pytest.mark.parametrize(
    "options",
    [
        "--learner passive-aggressive --keep average",
        "--learner kernel --keep vote",
        "--keep last",
        "--keep pocket",
        "--keep vote",
        "--class-weight balanced",
        "--class-weight yes=2.5,no=1",
        "--scale standard",
        "--scale none",
    ],
)
def test_classes_that_overlap_are_learned_too(
    options: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "model"
    arguments = ["learn", str(LOANS), *options.split(), "--max-epochs", "3", "--model", str(model)]
    facts = document(arguments, capsys)
    verdict = None if "kernel" in options else "INSEPARABLE"
    assert (facts["verdict"], facts["epochs"]) == (verdict, 3)
    command, python = predicted(model, LOANS, capsys)
    assert command == python
    truth = pd.read_csv(LOANS)["repaid"]
    assert facts["training_mistakes"] == np.count_nonzero(np.array(python) != truth)


def test_the_kept_weights_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    said = {
        "average": "the average of all",
        "pocket": "the weights with",
        "vote": "a vote of all",
    }
    for keep, words in said.items():
        assert run(["learn", str(LOANS), "--keep", keep, "--max-epochs", "2"]) == 0
        (line,) = [s for s in capsys.readouterr().out.splitlines() if s.startswith("Learned")]
        assert line.split(maxsplit=1)[1].startswith(words)
        assert "over 2 epochs" in line


@pytest.mark.parametrize("multiclass", ["one-vs-rest", "joint"])
def test_many_classes_one_by_one_or_jointly(
    multiclass: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, model = tmp_path / "data.csv", tmp_path / "model"
    data.write_text("a,b,kind\n1,0,x\n0,1,y\n-1,-1,z\n2,0,x\n0,2,y\n-2,-2,z\n")
    arguments = ["learn", str(data), "--multiclass", multiclass, "--model", str(model)]
    facts = document([*arguments, "--learner", "perceptron"], capsys)
    assert facts["parameters"]["multiclass"] == load(model)["learner"].multiclass == multiclass
    assert (facts["mistake_bound"] is None) == (multiclass == "joint")
    command, python = predicted(model, data, capsys)
    assert command == python == ["x", "y", "z"] * 2


def test_passive_aggressive_classes_learn_jointly_by_default(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 3))
    kinds = np.array(list("abc"))[(X + 0.5 * rng.standard_normal((120, 3))).argmax(axis=1)]
    data, model = tmp_path / "data.csv", tmp_path / "model"
    pd.DataFrame(X, columns=["u", "v", "w"]).assign(kind=kinds).to_csv(data, index=False)
    chosen = ["--learner", "passive-aggressive"]
    facts = document(["learn", str(data), "--model", str(model), *chosen], capsys)
    learner = load(model)["learner"]
    expected = {"multiclass": "joint", "C": "auto", "keep": "average", "max_iter": 10}
    assert facts["parameters"].items() >= expected.items()
    assert (facts["outcome"], facts["epochs"]) == ("AVERAGED", 10)
    assert 0.0 < learner.C_ < 1.0
    command, python = predicted(model, data, capsys)
    assert command == python
    assert run(["learn", str(data), *chosen]) == 0
    made = f"the average of all weights over 10 epochs, {learner.n_updates_:,} updates\n"
    assert made in capsys.readouterr().out  # also on the right side, so they are not all mistakes
    options = ["--multiclass", "one-vs-rest", "--keep", "last", "--max-epochs", "3"]
    facts = document(["learn", str(data), *chosen, *options], capsys)
    expected = {"multiclass": "one-vs-rest", "C": "auto", "keep": "last", "max_iter": 3}
    assert facts["parameters"].items() >= expected.items()
    document(["stream", str(data), "--model", str(model), *chosen], capsys)
    assert load(model)["learner"].multiclass == "joint"


@pytest.mark.parametrize(
    ("learner", "option"),
    [
        ("max-margin", "--max-epochs 3"),
        ("max-margin", "--order cyclic"),
        ("winnow", "--no-intercept"),
        ("winnow", "--keep vote"),
        ("kernel", "--eta0 2"),
        ("kernel", "--multiclass joint"),
        ("kernel", "--class-weight balanced"),
        ("passive-aggressive", "--ties positive"),
    ],
)
def test_options_that_a_learner_does_not_have(
    learner: str, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["learn", str(LOANS), "--learner", learner, *option.split()]
    assert refused(arguments, capsys) == (
        f"rosenblatt: {option.split()[0]} is not an option of --learner {learner}: leave one of "
        "them out\n"
    )


@pytest.mark.parametrize(
    ("weights", "labels", "expected"),
    [
        (["balanced"], ["p", "q"], "balanced"),
        (["p=2", "q=0.5"], ["p", "q"], {"p": 2.0, "q": 0.5}),
        (["a=b=3"], ["a=b", "q"], {"a=b": 3.0}),
        (["1=3"], [1, 2], {1: 3.0}),
        (["False=0"], [True, False], {False: 0.0}),
    ],
)
def test_class_weights_have_the_labels_types(
    weights: list[str],
    labels: list[Any],
    expected: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    data, model = tmp_path / "data.csv", tmp_path / "model"
    FRAME.assign(kind=labels * 3).to_csv(data, index=False)
    options = [part for weight in weights for part in ("--class-weight", weight)]
    document(["learn", str(data), "--model", str(model), "--max-epochs", "5", *options], capsys)
    found = load(model)["learner"].class_weight
    assert found == expected
    assert found == "balanced" or {type(one) for one in found} == {type(labels[0])}


@pytest.mark.parametrize(
    ("weights", "complaint"),
    [
        (
            ["maybe=2"],
            "--class-weight 'maybe=2': there is no class 'maybe'; the classes are 'no', 'y",
        ),
        (["=2"], "--class-weight '=2': there is no class ''"),
        (["yes"], "--class-weight 'yes': use balanced alone, or LABEL=WEIGHT"),
        (["yes=x"], "--class-weight 'yes=x': use balanced alone"),
        (["yes=inf"], "--class-weight 'yes=inf': use balanced alone"),
        (["yes=-1"], "--class-weight 'yes=-1': use balanced alone"),
        (["yes=1", "balanced"], "--class-weight 'balanced': use balanced alone"),
    ],
)
def test_invalid_class_weights(
    weights: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [part for weight in weights for part in ("--class-weight", weight)]
    assert complaint in refused(["learn", str(LOANS), *options], capsys)


def test_max_margin_of_inseparable_samples_names_the_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    complaint = refused(["learn", str(LOANS), "--learner", "max-margin"], capsys)
    assert f"{LOANS}: there is no margin to maximize, because no hyperplane" in complaint
    assert "lines 42 (customer C1280) and 219 (customer C2519) are equal but have" in complaint
    path = tmp_path / "xor.csv"
    path.write_text(f"a,b,kind\n{XOR}")
    complaint = refused(["learn", str(path), "--learner", "max-margin"], capsys)
    assert "lines 2 and 5 with label 'no' and lines 3 and 4 with label 'yes' overlap" in complaint


def test_fractions_as_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    FRAME.assign(kind=[0.5, 1.5] * 3).to_csv(tmp_path / "data.csv", index=False)
    facts: Any = document(["learn", str(tmp_path / "data.csv")], capsys)
    assert facts["data"]["classes"] == {"0.5": 3, "1.5": 3}
