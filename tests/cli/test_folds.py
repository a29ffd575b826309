"""`learn --folds`: cross-validation."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from commands import document, write_csv
from rosenblatt import Perceptron, cross_validate
from rosenblatt.cli import run
from rosenblatt.estimators.evaluation.default_learner import default_learner


@pytest.fixture
def noise(tmp_path: Path) -> tuple[Path, np.ndarray, np.ndarray]:
    """Return a file with overlapping classes, sorted by label."""
    rng = np.random.default_rng(0)
    y = np.repeat(["left", "right"], 60)
    X = rng.standard_normal((120, 3)) + np.where(y == "left", -0.7, 0.7)[:, None]
    return write_csv(tmp_path / "noise.csv", X, y), X, y


def _facts(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> Any:
    return document(["learn", *arguments], capsys)


def test_folds_of_separable_classes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    X = np.array([[k % 7, k % 5] for k in range(35)], dtype=float)
    y = np.where(X[:, 0] < X[:, 1], "below", "above")
    path = write_csv(tmp_path / "data.csv", X, y)
    cv = StratifiedKFold(7, shuffle=True, random_state=4)
    errors = (1.0 - cross_validate(Perceptron(order="cyclic"), X, y, cv=cv)["test_score"]).tolist()
    arguments = [str(path), "--folds", "7", "--seed", "4", "--scale", "none"]
    arguments += ["--learner", "perceptron"]
    facts = _facts(arguments, capsys)
    assert facts["outcome"] == "SEPARATED"
    assert facts["folds"] == {
        "folds": 7,
        "error": pytest.approx(np.mean(errors)),
        "spread": pytest.approx(np.std(errors, ddof=1)),
        "errors": errors,
        "untested": {},
    }
    assert run(["learn", *arguments]) == 0
    (line,) = [s for s in capsys.readouterr().out.splitlines() if s.startswith("Folds")]
    mean, spread = facts["folds"]["error"], facts["folds"]["spread"]
    assert line.split(maxsplit=1)[1] == (
        f"error {mean:.4f} ± {spread:.4f} (mean and standard deviation of 7 folds)"
    )
    assert _facts(arguments[:1], capsys)["folds"] is None


def test_folds_and_the_held_out_error_are_both_reported(
    noise: tuple[Path, np.ndarray, np.ndarray], capsys: pytest.CaptureFixture[str]
) -> None:
    path, X, y = noise
    arguments = [str(path), "--folds", "4", "--max-epochs", "20", "--seed", "1", "--scale", "none"]
    facts = _facts(arguments, capsys)
    assert facts["outcome"] == "INSEPARABLE"
    assert facts["held_out"]["samples"] == 24
    assert facts["parameters"]["order"] == "shuffle"
    cv = StratifiedKFold(4, shuffle=True, random_state=1)
    learner = default_learner().set_params(max_iter=20, random_state=1)
    expected = 1.0 - cross_validate(learner, X, y, cv=cv)["test_score"]
    assert facts["folds"]["errors"] == expected.tolist()
    assert run(["learn", *arguments]) == 0
    out = capsys.readouterr().out
    assert "Held-out error   " in out
    assert "Folds            error " in out


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("order", ["cyclic", "shuffle", "random"])
def test_folds_use_the_given_order(
    noise: tuple[Path, np.ndarray, np.ndarray], capsys: pytest.CaptureFixture[str], order: str
) -> None:
    path, X, y = noise
    arguments = [
        str(path),
        "--folds",
        "3",
        "--max-epochs",
        "5",
        "--order",
        order,
        "--scale",
        "none",
    ]
    cv = StratifiedKFold(3, shuffle=True, random_state=0)
    learner = default_learner().set_params(max_iter=5, order=order)
    expected = 1.0 - cross_validate(learner, X, y, cv=cv)["test_score"]
    assert _facts(arguments, capsys)["folds"]["errors"] == expected.tolist()


@pytest.mark.parametrize(
    ("counts", "folds", "complaint"),
    [
        ((5, 3), "6", "a class with 6 samples, but the largest has 5: use at most 5"),
        ((1, 1), "2", "a class with 2 samples, but the largest has 1: leave --folds out"),
    ],
)
def test_classes_smaller_than_the_number_of_folds(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    counts: tuple[int, int],
    folds: str,
    complaint: str,
) -> None:
    path = write_csv(
        tmp_path / "data.csv", np.arange(float(sum(counts)))[:, None], np.repeat(["a", "b"], counts)
    )
    assert run(["learn", str(path), "--folds", folds]) == 2
    assert capsys.readouterr() == ("", f"rosenblatt: {path}: --folds {folds} needs {complaint}\n")


@pytest.mark.parametrize("order", ["cyclic", "shuffle"])
@pytest.mark.parametrize("learner", ["perceptron", "kernel"])
def test_small_classes_are_learned_in_each_fold_and_tested_in_none(
    noise: tuple[Path, np.ndarray, np.ndarray],
    capsys: pytest.CaptureFixture[str],
    learner: str,
    order: str,
) -> None:
    path, X, y = noise
    y = y.astype(object)
    y[[7, 90]], y[50] = ["up"] * 2, "rihgt"
    write_csv(path, X, y)
    order_option = ["--order", order] if learner == "perceptron" else []
    arguments = [str(path), "--folds", "3", "--learner", learner, *order_option]
    found = _facts([*arguments, "--max-epochs", "5"], capsys)["folds"]
    assert found["untested"] == {"rihgt": 1, "up": 2}
    assert found["folds"] == 3
    assert all(round(39 * error, 9) % 1 == 0 for error in found["errors"])  # of 117 tested rows
    assert run(["learn", *arguments, "--max-epochs", "5"]) == 0
    assert (
        "3 folds); classes with fewer than 3 samples are learned in each fold and tested in none: "
        "rihgt (1), up (2)\n"
    ) in capsys.readouterr().out


@pytest.mark.parametrize("folds", ["1", "0", "-3", "many"])
def test_invalid_numbers_of_folds(folds: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["learn", "--folds", folds]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "--folds" in err
    assert "Traceback" not in err


def test_large_files_are_learned_on_threads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    X = np.array([[k % 7, k % 5] for k in range(35)], dtype=float)
    path = write_csv(tmp_path / "data.csv", X, np.where(X[:, 0] < X[:, 1], "below", "above"))
    arguments = [str(path), "--folds", "3"]
    expected = _facts(arguments, capsys)["folds"]
    monkeypatch.setattr("rosenblatt.cli.learn.folds_report._LARGE", 0)
    assert _facts(arguments, capsys)["folds"] == expected
