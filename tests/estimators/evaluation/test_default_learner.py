"""The default learner of `decide_and_learn` and the command line, and when a separator replaces it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from commands import document, refused, write_csv
from rosenblatt import InputError, MaxMargin, Outcome, Perceptron, Verdict, decide_and_learn, load
from rosenblatt.bounds import held_out_risk_bound
from rosenblatt.cli import run
from rosenblatt.estimators.evaluation.default_learner import default_epochs, default_learner


def above_zero(n_samples: int = 300, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return samples whose class is whether a column, mostly 0 or far above it, is above 0."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_samples, 2)).round(3)
    X[:, 0] = np.where(rng.random(n_samples) < 0.5, 0.0, np.exp(2.0 * X[:, 0]).round(3))
    return X, np.where(X[:, 0] > 0.0, "yes", "no")


def overlapping(n_samples: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_samples, 3)).round(3)
    return X, np.digitize(X[:, 0] + rng.standard_normal(n_samples), [-0.5, 0.5])


def test_the_default_is_an_average_with_a_margin() -> None:
    X, y = overlapping()
    report = decide_and_learn(X, y)
    same = Perceptron(margin="auto", multiclass="joint", keep="average", max_iter=20).fit(X, y)
    assert report.learner.get_params() == same.get_params()
    assert report.learner.coef_.tolist() == same.coef_.tolist()
    assert report.learner.outcome_ is Outcome.AVERAGED
    assert report.choice is None  # nothing separates these classes
    assert (default_epochs(29_999), default_epochs(30_000)) == (20, 3)
    assert decide_and_learn(X, y, max_epochs=4, order="cyclic").learner.n_iter_ == 4


@pytest.mark.parametrize(
    "store", [np.asarray, sp.csr_array, np.float32, pd.DataFrame, np.ndarray.tolist]
)
def test_a_better_separator_is_kept(store: Callable[[np.ndarray], Any]) -> None:
    X, y = above_zero()
    rows = store(X)
    report = decide_and_learn(rows, y)
    assert isinstance(report.learner, MaxMargin)
    assert report.training_mistakes == 0
    assert report.learner.coef_.tolist() == MaxMargin().fit(rows, y).coef_.tolist()
    choice, tested = report.choice, report.held_out
    assert choice is not None
    assert tested is not None
    assert choice.is_separator
    assert choice.comparison is not None
    samples, corrected, added = choice.comparison
    assert samples == tested.samples == 60
    assert corrected - added > 2 * (corrected + added) ** 0.5
    assert tested.risk == held_out_risk_bound(tested.mistakes, 60, 0.05 / 2)  # two candidates
    assert "Kept            the separator with the largest margin: on 60 held-out rows" in str(
        report
    )


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("eta0", [1.0, 0.1])
def test_the_updates_have_a_bound(fit_intercept: bool, eta0: float) -> None:
    X = np.random.default_rng(0).standard_normal((80, 2))
    y = X[:, 0] > X[:, 1]
    learner = default_learner().set_params(fit_intercept=fit_intercept, eta0=eta0)
    report = decide_and_learn(X, y, learner, keep="average")
    bound, (separation,) = report.guarantee.mistake_bound, report.guarantee.separations
    assert bound is not None
    assert separation.mistake_bound is not None
    assert learner.n_mistakes_ <= learner.n_updates_ <= bound
    assert bound > separation.mistake_bound  # that is the bound without a margin
    assert f"{learner.n_updates_:,} updates of at most {bound:,}, " in str(report)
    weighted = default_learner().set_params(class_weight="balanced")
    assert decide_and_learn(X, y, weighted).guarantee.mistake_bound is None


def test_ties_that_are_right_are_not_proved_wrong() -> None:
    zeros = default_learner().set_params(ties="negative", fit_intercept=False)
    report = decide_and_learn([[0.0], [1.0]], [0, 1], zeros)
    assert report.guarantee.verdict is Verdict.UNDECIDED
    assert report.learner.outcome_ is not Outcome.INSEPARABLE
    assert report.training_mistakes == 0


def test_a_separator_that_is_not_better_is_not_kept() -> None:
    """With more columns than samples, a hyperplane separates labels drawn at random."""
    X = np.random.default_rng(0).standard_normal((60, 100))
    report = decide_and_learn(X, np.arange(60) % 2)
    assert isinstance(report.learner, Perceptron)
    assert report.choice is not None
    assert str(report.choice).startswith("the average of all weights: on 12 held-out rows, the ")
    assert str(report.choice).endswith(", no better than chance")


def test_three_classes_need_a_hyperplane_for_each() -> None:
    X, y = above_zero(400)
    y = np.where(X[:, 1] > 0.5, "high", y)
    X = np.column_stack([X, y == "no", 9.0 * (y == "high")])
    report = decide_and_learn(X, y)
    assert report.guarantee.verdict.name == "SEPARABLE"
    assert "a hyperplane separates each of the 3 classes from the others" in str(report)
    assert report.choice is not None
    X, y = overlapping()
    assert "INSEPARABLE: a hyperplane separates 0 of 3 classes" in str(decide_and_learn(X, y))


def test_few_samples_are_compared_on_themselves() -> None:
    X = [[0.0], [1e-3], [5.0], [9.0]]
    report = decide_and_learn(X, ["no", "yes", "yes", "yes"])
    assert report.held_out is None
    assert report.training_mistakes == 0
    assert isinstance(report.learner, MaxMargin)
    assert str(report.choice) == (
        "the separator with the largest margin: the average misclassifies 1 of the 4 samples"
    )
    X, y = above_zero()
    many = decide_and_learn(X, y, hold_out=False)
    assert isinstance(many.learner, Perceptron)
    assert str(many.choice) == (
        f"the average of all weights: the average misclassifies {many.training_mistakes} of the 300 "
        "samples, but none were held out to compare it with the separator"
    )
    easy = decide_and_learn([[0.0], [1.0]], ["no", "yes"])
    assert str(easy.choice) == "the average of all weights: it separates all samples, too"


def test_a_separator_that_takes_too_long_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def fit(_self: MaxMargin, _X: np.ndarray, _y: np.ndarray) -> MaxMargin:
        raise InputError("undecided within time_limit=1.0 seconds")

    monkeypatch.setattr(MaxMargin, "fit", fit)
    report = decide_and_learn(*above_zero())
    assert isinstance(report.learner, Perceptron)
    assert str(report.choice) == (
        "the average of all weights: the separator with the largest margin could not be computed in "
        "the time of the run"
    )


@pytest.mark.parametrize(
    "options", [{"keep": "last"}, {"keep": "average"}, {"learner": Perceptron()}]
)
def test_weights_that_were_asked_for_are_kept(options: dict[str, Any]) -> None:
    X, y = above_zero()
    report = decide_and_learn(X, y, max_epochs=3, **options)
    assert isinstance(report.learner, Perceptron)
    assert report.choice is None
    assert "but the classes are separable: MaxMargin makes none" in str(report)


@pytest.mark.parametrize("keep", ["pocket", "vote"])
def test_pockets_and_votes_learn_each_class_against_the_rest(keep: str) -> None:
    X, y = overlapping()
    report = decide_and_learn(X, y, keep=keep)
    assert (report.learner.keep, report.learner.multiclass) == (keep, "one-vs-rest")


def test_the_command_saves_what_it_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    X, y = above_zero()
    path, model = write_csv(tmp_path / "data.csv", X, y), tmp_path / "model"
    arguments = ["learn", str(path), "--scale", "none", "--model", str(model), "--folds", "5"]
    facts = document(arguments, capsys)
    assert (facts["learner"], facts["outcome"]) == ("MaxMargin", "MAXIMUM")
    assert facts["kept"]["separator"]
    assert facts["kept"]["corrected"] > 4
    assert facts["folds"]["error"] < 0.05
    (certificate,) = [load(model)["learner"].certificate_]
    assert certificate.verify(X, y)
    assert run(["show", str(model)]) == 0
    assert capsys.readouterr().out.startswith("Model     MaxMargin(")
    found = document(["predict", str(model), str(path)], capsys)["predictions"]
    assert found == y.tolist()
    averaged = document(["learn", str(path), "--scale", "none", "--keep", "average"], capsys)
    assert (averaged["learner"], averaged["kept"]) == ("Perceptron", None)


@pytest.mark.parametrize("suffix", ["csv", "svm"])
@pytest.mark.parametrize("command", ["learn", "learn --shards 2", "stream"])
def test_every_command_learns_by_the_default_rule(
    command: str, suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    X, y = overlapping(120)
    path, model = tmp_path / f"data.{suffix}", tmp_path / "model"
    if suffix == "csv":
        write_csv(path, X, y)
    else:
        lines = [f"{label} 1:{a} 2:{b} 3:{c}\n" for label, (a, b, c) in zip(y, X, strict=True)]
        path.write_text("".join(lines))
    document([*command.split(), str(path), "--model", str(model)], capsys)
    learner = load(model)
    parameters = (learner if suffix == "svm" else learner["learner"]).get_params()
    asked = {key: parameters[key] for key in ("margin", "multiclass", "keep", "max_iter")}
    assert asked == {
        "margin": "auto",
        "multiclass": "joint",
        "keep": "average",
        "max_iter": 20,
    }


def test_options_change_the_default_learner(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(write_csv(tmp_path / "data.csv", *overlapping(60)))
    facts = document(["learn", path, "--ties", "positive", "--class-weight", "balanced"], capsys)
    assert facts["parameters"]["multiclass"] == "one-vs-rest"
    assert facts["parameters"]["class_weight"] == "balanced"
    many = document(["learn", path, "--shards", "2", "--max-epochs", "7"], capsys)
    assert many["max_epochs"] == 7
    assert "--keep is not an option of --learner max-margin" in refused(
        ["learn", path, "--learner", "max-margin", "--keep", "vote"], capsys
    )
