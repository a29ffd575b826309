"""The report of `learn`: held-out error, advice, preparation of columns, conflicts."""

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta

from commands import XOR, document, write_csv
from rosenblatt import Perceptron
from rosenblatt.cli import run
from rosenblatt.estimators.evaluation.held_out import Split
from rosenblatt.estimators.evaluation.tried_advice import advice


def said(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """Return the lines of a report by their names."""
    assert run(["learn", *arguments]) == 0
    out = capsys.readouterr().out
    return dict(re.split("  +", line, maxsplit=1) for line in out.splitlines())


def noise(seed: int, n_samples: int = 100, n_columns: int = 2) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n_samples, n_columns)).round(3)


@pytest.mark.parametrize("folds", [[], ["--folds", "3"]])
@pytest.mark.parametrize(
    ("learner", "overlap"),
    [
        ("perceptron", False),
        ("perceptron", True),
        ("kernel", False),
        ("kernel", True),
        ("max-margin", False),
    ],
)
def test_every_report_has_a_held_out_error(
    learner: str,
    folds: list[str],
    overlap: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    X = noise(0)
    side = X[:, 0] + 0.6 * overlap * noise(1)[:, 0]
    y = np.where(side > np.sort(side)[59], "up", "down")  # 60 are down, 40 are up
    path = write_csv(tmp_path / "data.csv", X, y)
    options = [] if learner == "max-margin" else ["--max-epochs", "200"]
    arguments = [str(path), "--learner", learner, *folds, *options]
    facts = document(["learn", *arguments], capsys)
    verdict = "INSEPARABLE" if overlap else "SEPARABLE"
    assert facts["verdict"] == (None if learner == "kernel" else verdict)
    tested = facts["held_out"]
    mistakes = tested["mistakes"]
    assert (tested["samples"], tested["error"]) == (20, mistakes / 20)
    # the verdict chooses between two ways to learn a perceptron, and the bound holds for both
    sure = 0.975 if learner == "perceptron" else 0.95
    assert tested["risk"] == pytest.approx(beta.ppf(sure, mistakes + 1, 20 - mistakes))
    assert tested["guess"] == 7 / 20 > tested["error"]
    fact = "20 held-out rows cannot tell this from guessing; --folds 5 uses all 100"
    assert facts["advice"] in (None, *([] if folds else [fact]))
    assert (facts["folds"] is None) == (not folds)
    lines = said(arguments, capsys)
    assert lines["Held-out error"] == (
        f"{tested['error']:.4f} on 20 rows not learned from; at most "
        f"{math.ceil(1e4 * tested['risk']) / 1e4:.4f} with 95 % confidence; "
        "always guessing the largest class: 0.3500"
    )
    down, up = tested["classes"]
    assert (down["label"], down["samples"], up["label"], up["samples"]) == ("down", 13, "up", 7)
    assert 13 * down["recall"] + 7 * up["recall"] == pytest.approx(20 - mistakes)
    rates = [f"down {down[rate]:.4f}, up {up[rate]:.4f}" for rate in ("recall", "precision")]
    assert lines["Recall"] == f"{rates[0]} (held-out rows)"
    assert lines["Precision"] == f"{rates[1]} (held-out rows)"
    assert ("Folds" in lines) == bool(folds)
    assert lines.get("Advice") == facts["advice"]


def test_few_rows_get_neither_a_held_out_error_nor_advice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "xor.csv"
    path.write_text(4 * XOR)
    facts = document(["learn", str(path)], capsys)
    assert facts["held_out"] is facts["advice"] is None
    assert not {"Held-out error", "Advice"} & set(said([str(path)], capsys))
    path.write_text(5 * XOR)
    assert document(["learn", str(path)], capsys)["held_out"]["samples"] == 4


def test_each_class_that_has_a_conflict_reports_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    X, y = np.arange(40) // 2 % 12, np.repeat(["a", "b"], 20)
    y[[2, 3]], y[[8, 9]] = "c", ["d", "c"]
    path = write_csv(tmp_path / "data.csv", X[:, None], y)
    arguments = [str(path), "--multiclass", "one-vs-rest", "--max-epochs", "9"]
    lines = said(arguments, capsys)
    named = [name for name in lines if name.startswith("Conflict")]
    assert named == [f"Conflict of {label}" for label in "abcd"]
    assert all(f"{label!r}" in lines[f"Conflict of {label}"] for label in "abcd")
    found = document(["learn", *arguments], capsys)["separability"][0]["equal_pairs"]
    assert lines["Equal rows"] == (
        f"{found['found']} pairs have different labels; labels in random order would give "
        f"about {found['expected']:.0f}"
    )
    lines = said([str(path), "--multiclass", "joint", "--max-epochs", "9"], capsys)
    shown = " ".join(text for name, text in lines.items() if name.startswith("Conflict"))
    assert all(f"{label!r}" in shown for label in "abcd")


def test_classes_of_one_sample() -> None:
    split = Split.drawn(np.eye(20), np.arange(20), 0)
    assert split is not None
    found = split.measured(split.predicted(Perceptron()))
    assert (found.samples, found.error) == (4, 1.0)  # no class of the held-out samples was seen


def test_the_samples_held_out_were_not_learned_from() -> None:
    """Each sample has its own column, so labels can only be memorized."""
    y = np.arange(50) % 2
    split = Split.drawn(np.eye(50), y, 0)
    assert split is not None
    found = split.measured(split.predicted(Perceptron(max_iter=50)))
    assert found.samples == 10
    assert found.error == found.guess == 0.8  # all get the same class


def crossed(n_samples: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Return samples whose class is the sign of a product, which no linear rule can guess."""
    X = noise(0, n_samples)
    return X, np.where(X[:, 0] * X[:, 1] > 0, "same", "other")


def test_a_kernel_that_was_tried_and_helped_is_advised(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(write_csv(tmp_path / "data.csv", *crossed()))
    facts = document(["learn", path], capsys)
    found = re.fullmatch(
        r"--learner kernel --max-epochs 16 makes (\d+) errors? on the 40 held-out rows instead of "
        r"(\d+)",
        facts["advice"],
    )
    assert found is not None
    errors, before = map(int, found.groups())
    assert before == facts["held_out"]["mistakes"]
    assert said([path], capsys)["Advice"] == facts["advice"]
    taken = ["learn", path, "--learner", "kernel", "--max-epochs", "16"]
    better = document(taken, capsys)
    assert better["held_out"]["mistakes"] == errors < before
    assert better["advice"] is None


def test_a_scale_that_was_tried_and_helped_is_advised(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    X = noise(0, 400)
    y = np.where(X[:, 0] > 0, "up", "down")
    path = str(write_csv(tmp_path / "data.csv", X * [1.0, 1e6], y))
    arguments = [path, "--max-epochs", "3", "--order", "shuffle", "--keep", "average"]
    facts = document(["learn", *arguments, "--scale", "none"], capsys)
    found = re.fullmatch(
        r"--scale standard makes (\d+) errors? on the 80 held-out rows instead of (\d+)",
        facts["advice"],
    )
    assert found is not None
    assert int(found[2]) == facts["held_out"]["mistakes"] > 20
    scaled = document(["learn", *arguments, "--scale", "standard"], capsys)
    assert scaled["held_out"]["mistakes"] == int(found[1])
    assert scaled["advice"] is None


@pytest.mark.parametrize("learner", ["perceptron", "passive-aggressive", "kernel"])
def test_rows_that_cannot_tell_a_model_from_guessing(
    learner: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(write_csv(tmp_path / "data.csv", noise(1), np.arange(100) % 2))
    arguments = ["learn", path, "--max-epochs", "5", "--learner", learner]
    facts = document(arguments, capsys)
    assert facts["advice"] == (
        "20 held-out rows cannot tell this from guessing; --folds 5 uses all 100"
    )
    assert document([*arguments, "--folds", "5"], capsys)["advice"] is None


@pytest.mark.parametrize("options", [[], ["--class-weight", "balanced"]])
def test_advice_is_a_fact_if_a_class_is_rare(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    y = np.where(np.arange(300) % 20 == 0, "fraud", "fair")
    path = str(write_csv(tmp_path / "data.csv", noise(0, 300), y))
    told = document(["learn", path, "--max-epochs", "5", *options], capsys)["advice"]
    fact = "60 held-out rows cannot tell this from guessing; --folds 5 uses all 300"
    assert told in (fact, None)  # None if guessing is better beyond chance


def test_no_advice_for_a_model_that_beats_guessing() -> None:
    X, y = noise(0), np.arange(100) % 2
    split = Split.drawn(X, y, 0)
    assert split is not None
    labels = split.labels
    almost = labels.copy()
    almost[:2] = 1 - almost[:2]
    assert (
        advice(split, labels, Perceptron(), 1.0) is advice(split, almost, Perceptron(), 1.0) is None
    )
    found = advice(split, split.guessed(), Perceptron(), 0.0)
    assert found is not None
    assert found.remedy == "folds"
    worst = 1 - labels
    assert advice(split, worst, Perceptron(), 0.0) is None  # guessing is better beyond chance


@pytest.fixture
def people() -> pd.DataFrame:
    """Return a table with a column of every kind, none related to the class."""
    rows = range(60)
    return pd.DataFrame(
        {
            "id": rows,
            "age": [20.0 + k % 9 if k % 20 else None for k in rows],
            "income": [1000.0 * (k % 11) for k in rows],
            "town": [["Rome", "Oslo", "?"][k % 3] if k > 1 else f"Village {k}" for k in rows],
            "owner": [k % 4 == 0 for k in rows],
            "since": [f"2020-01-{1 + k % 28:02}" for k in rows],
            "note": [f"about word{k % 7} and thing{k} of {k % 5}" if k % 30 else "" for k in rows],
            "country": "x",
            "empty": None,
            "y": ["a" if k % 3 else "b" for k in rows],
        }
    )


def test_the_preparation_of_each_column(
    people: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "people.csv"
    people.to_csv(path, index=False)
    arguments = [str(path), "--max-epochs", "2", "--text", "note"]
    lines = said(arguments, capsys)
    assert lines["Columns"] == "2 numbers, 1 category, 1 true or false, 1 date, 1 text"
    assert lines["Rare"] == "town (2): values with few samples share a column"
    assert lines["Missing"].startswith(
        "age (3), town (20), note (2); missing numbers become the mean"
    )
    assert lines["Excluded"] == (
        "id (an id: all values differ), country (one value only), empty (no value)"
    )
    assert lines["Scale"].endswith("standard deviation 1")
    columns = {one["name"]: one for one in document(["learn", *arguments], capsys)["columns"]}
    assert list(columns) == people.columns[:-1].tolist()
    assert {name: one["missing"] for name, one in columns.items() if one["missing"]} == {
        "age": 3,
        "town": 20,
        "note": 2,
    }
    town = columns["town"]
    assert (town["kind"], town["values"]) == ("category", ["Oslo", "Rome"])
    assert (town["rare"], town["width"]) == (["Village 0", "Village 1"], 4)
    assert columns["income"]["center"] == pytest.approx(people["income"].mean())
    assert columns["income"]["scale"] == pytest.approx(people["income"].std(ddof=0))
    assert columns["age"]["fill"] == pytest.approx(people["age"].mean())
    assert columns["country"]["reason"] == "one value only"
    assert columns["country"]["width"] == 0


@pytest.mark.parametrize(
    ("text", "options", "scale"),
    [
        ("1,5,p\n2,7,q\n3,6,p\n2,5,q\n", [], "numbers scaled to mean 0 and standard deviation 1"),
        ("1,5,p\n2,7,q\n3,6,p\n2,5,q\n", ["--scale", "none"], None),
        ("1,0,p\n0,1,q\n0,1,p\n1,1,q\n", [], None),
        ("1 1:3 2:5\n2 1:4\n1 2:9\n2 1:1 2:1\n", [], None),
        (
            "1 1:3 2:5\n2 1:4\n1 2:9\n2 1:1 2:1\n",
            ["--scale", "standard"],
            "each column by its stan",
        ),
    ],
)
def test_scaling_is_reported(
    text: str,
    options: list[str],
    scale: str | None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "data").write_text(text)
    arguments = [str(tmp_path / "data"), "--max-epochs", "2", *options]
    lines = said(arguments, capsys)
    assert lines.get("Scale", "").startswith(scale or "")
    assert ("Scale" in lines) == (scale is not None)
    # nothing is reported about columns that are unchanged numbers
    assert not {"Columns", "Rare", "Missing", "Excluded"} & set(lines)


CONFLICT = pd.DataFrame(
    {
        "id": ["u", "v", "w", "x"],
        "a": [1.5, 2.5, 1.5, 4.5],
        "b": [3.0, 1.0, 3.0, 2.0],
        "y": ["p", "p", "q", "q"],
    }
)


@pytest.mark.parametrize(
    ("kind", "named", "places"),
    [
        ("csv", "lines 2 (id u) and 4 (id w)", ["line 2", "line 4"]),
        ("no ids", "lines 2 and 4", ["line 2", "line 4"]),
        ("parquet", "rows 1 (id u) and 3 (id w)", ["row 1", "row 3"]),
        ("files", "samples ONE, line 2 and TWO, line 2", ["ONE, line 2", "TWO, line 2"]),
        ("parquets", "samples ONE, row 1 and TWO, row 1", ["ONE, row 1", "TWO, row 1"]),
    ],
)
def test_a_conflict_names_the_samples(
    kind: str, named: str, places: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame: Any = CONFLICT if kind in ("csv", "parquet") else CONFLICT.drop(columns="id")
    paths = [tmp_path / "one", tmp_path / "two"][: 1 + kind.endswith("s") * (kind != "no ids")]
    for k, path in enumerate(paths):
        part = frame if len(paths) == 1 else frame.iloc[2 * k : 2 * k + 2]
        if kind.startswith("parquet"):
            part.to_parquet(path)
        else:
            part.to_csv(path, index=False)

    def shown(text: str) -> str:
        return text.replace("ONE", str(paths[0])).replace("TWO", str(paths[-1]))

    arguments = [*map(str, paths), "--max-epochs", "2"]
    lines = said(arguments, capsys)
    equal = "equal" if kind.startswith("parquet") else "equal as float64"
    expected = f"{shown(named)} are {equal} but have the labels 'p' and 'q'"
    assert lines["Conflict"].startswith(expected)
    (decided,) = document(["learn", *arguments], capsys)["separability"]
    assert decided["conflicts"][0]["places"] == [shown(place) for place in places]


def test_a_cycle_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corners, crossed = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), ["no", "yes", "yes", "no"]
    path, model = write_csv(tmp_path / "xor.csv", corners, crossed), tmp_path / "xor.model"
    arguments = [str(path), "--order", "cyclic", "--keep", "last", "--model", str(model)]
    lines = said(arguments, capsys)
    cycle = "epoch 1 ends with the weights of the start: the run would repeat forever"
    assert lines["Cycle"] == cycle
    assert "more epochs would not help" in lines["Training errors"]
    assert document(["learn", *arguments], capsys)["cycle"] == cycle
    assert run(["show", str(model)]) == 0
    assert cycle in capsys.readouterr().out


KNOWN_AFTERWARDS: dict[str, list[object]] = {
    "number": [100 * (k % 2) + k / 7 for k in range(60)],
    "truth": [str(k % 2 == 1) for k in range(60)],
    "date": [f"20{20 + k % 2}-{1 + k % 12:02}-{1 + k % 28:02}" for k in range(60)],
    "category": [["red", "blue", "green", "gray"][k % 4] for k in range(60)],
    "missing": ["" if k % 2 else f"{k % 13}.5" for k in range(60)],
}


@pytest.mark.parametrize("command", ["learn", "separate"])
@pytest.mark.parametrize("kind", KNOWN_AFTERWARDS)
def test_a_column_that_separates_the_classes_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, command: str
) -> None:
    path, rng = tmp_path / "titanic.csv", np.random.default_rng(0)
    table = {"age": rng.integers(0, 70, 60), "it's": KNOWN_AFTERWARDS[kind]}
    note = rng.choice(["a good one", "the other one", "one of many more"], 60)
    label = [f"c{k % 2}" for k in range(60)]
    frame = pd.DataFrame({**table, "note": note, "survived": label})
    frame.to_csv(path, index=False)
    arguments = [command, str(path), "--text", "note"]

    def leak(*options: str) -> str | None:
        assert run([*arguments, *options]) == 0
        lines = capsys.readouterr().out.splitlines()
        return next((line.split(maxsplit=1)[1] for line in lines if line.startswith("Leak")), None)

    assert leak() == (
        "column it's alone separates the classes; if it is only known afterward, use "
        """--ignore 'it'"'"'s'"""
    )
    assert leak("--ignore", "it's") is None
    assert document(arguments, capsys)["data"]["leaks"] == [{"column": "it's", "mistakes": 0}]
    frame["alive"] = np.where(np.arange(60) == 7, 0, np.arange(60) % 2)  # wrong in one row
    frame.to_csv(path, index=False, header=False)
    arguments[2:] = ["--label", "4", "--text", "3"]
    assert leak() == (
        "each of the columns 2 and 5 alone separates the classes in all but 1 row; if they are only "
        "known afterward, use --ignore 2,5"
    )
    alone = leak("--ignore", "1,5")  # next to the text
    assert alone is not None
    assert alone.startswith("column 2 alone separates the classes; ")
    arguments[2:] = ["--label", "4"]
    assert leak("--ignore", "1,3,5") is None  # the only column


def test_libsvm_files_have_no_leaks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "data.svm"
    path.write_text("".join(f"{k % 2} 1:{k % 2} 2:{k}\n" for k in range(60)))
    assert document(["learn", str(path)], capsys)["data"]["leaks"] == []
