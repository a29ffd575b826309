"""`decide_and_learn`: the guarantee, learning, and the report."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from commands import write_csv
from rosenblatt import (
    InputError,
    KernelPerceptron,
    MaxMargin,
    Outcome,
    PassiveAggressive,
    Perceptron,
    Verdict,
    Winnow,
    decide_and_learn,
)
from rosenblatt.cli import run
from rosenblatt.estimators.evaluation.decide_and_learn import Progress
from rosenblatt.training.history import Epoch

X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
AND, XOR = [0, 0, 0, 1], [0, 1, 1, 0]
MORE = np.tile(X, (5, 1))


@pytest.mark.parametrize("store", [np.asarray, sp.csr_array, sp.coo_matrix, np.ndarray.tolist])
def test_separable_classes_are_learned_without_mistakes(store: Any) -> None:
    report = decide_and_learn(store(X), AND, Perceptron())
    assert report.learner.outcome_ is Outcome.SEPARATED
    assert report.guarantee.verdict is Verdict.SEPARABLE
    assert report.learner.n_mistakes_ <= report.guarantee.mistake_bound
    assert report.training_mistakes == 0
    assert report.held_out is None  # there are fewer than 20 samples
    assert report.learner.coef_.tolist() == Perceptron(order="cyclic").fit(X, AND).coef_.tolist()


def test_inseparable_classes_are_averaged_and_tested() -> None:
    samples, labels = MORE, XOR * 5
    report = decide_and_learn(samples, labels, max_epochs=7)
    learner = report.learner
    assert learner.outcome_ is Outcome.INSEPARABLE
    assert learner.certificate_.verify(samples, labels)
    assert learner.conflicts_
    assert (learner.keep, learner.order, learner.n_iter_) == ("average", "shuffle", 7)
    assert report.held_out.samples == 4
    assert report.training_mistakes == (learner.predict(samples) != labels).sum() > 0
    assert decide_and_learn(samples, labels, hold_out=False).held_out is None


def test_ties_that_are_right_are_learned() -> None:
    report = decide_and_learn([[0.0], [0.0], [1.0]], [1, 1, 0], Perceptron(ties="positive"))
    assert report.learner.outcome_ is Outcome.SEPARATED
    same = decide_and_learn(
        [[0.0], [1.0], [-1.0]], [0, 1, 1], Perceptron(ties="positive", fit_intercept=False)
    )
    assert same.learner.outcome_ is Outcome.INSEPARABLE
    zeros = Perceptron(ties="negative", fit_intercept=False)
    report = decide_and_learn([[0.0], [1.0]], [0, 1], zeros)
    assert not hasattr(report.learner, "certificate_")
    assert report.guarantee.verdict is Verdict.UNDECIDED
    assert report.learner.outcome_ is Outcome.SEPARATED


def test_feature_names_are_kept() -> None:
    frame = pd.DataFrame(X, columns=["wide", "high"])
    report = decide_and_learn(frame, AND)
    assert report.learner.feature_names_in_.tolist() == ["wide", "high"]
    assert report.training_mistakes == 0


class Shown(Progress):
    """Records the progress."""

    patient = False

    def __init__(self) -> None:
        self.told: list[Any] = []

    @contextmanager
    def stage(self, text: str) -> Iterator[None]:
        self.told.append(text)
        yield

    @contextmanager
    def epochs(self, most: int, mistake_bound: int | None) -> Iterator[Any]:
        self.told.append((most, mistake_bound))
        yield self

    def epoch_begins(self) -> None:
        pass

    def epoch_ends(self, _epoch: Epoch, _n_epochs: int) -> bool:
        self.told.append("epoch")
        return False


def test_progress_is_displayed() -> None:
    shown = Shown()
    report = decide_and_learn(MORE, AND * 5, Perceptron(), max_epochs=50, progress=shown)
    epochs = ["epoch"] * report.learner.n_iter_
    first, *last = (
        "deciding whether the classes are separable",
        "learning without a fifth of the samples",
        "trying another learner",
    )
    assert shown.told == [first, (50, 51), *epochs, *last]


@pytest.mark.parametrize(
    ("learner", "options", "message"),
    [
        (Perceptron(eta0=0), {}, "eta0=0 is not accepted"),
        (None, {"max_epochs": 0}, "max_epochs=0 is not accepted"),
        (None, {"order": "sorted"}, "order='sorted' is not accepted"),
        (None, {"time_limit": -1.0}, "time_limit=-1.0 is not accepted"),
    ],
)
def test_bad_arguments(learner: Any, options: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        decide_and_learn(X, AND, learner, **options)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "learner",
    [
        Perceptron(multiclass="joint"),
        Perceptron(class_weight="balanced", max_iter=30),
        Perceptron(shards=2),
        PassiveAggressive(),
        MaxMargin(),
    ],
)
def test_other_learners_have_no_mistake_bound(learner: Any) -> None:
    """They are fitted with their own parameters."""
    report = decide_and_learn(MORE, AND * 5, learner)
    assert report.guarantee.verdict is Verdict.SEPARABLE
    assert report.guarantee.mistake_bound is None
    assert report.held_out.samples == 4
    same = clone(learner).fit(MORE, AND * 5)
    assert report.learner.coef_.tolist() == same.coef_.tolist()
    assert report.training_mistakes == (same.predict(MORE) != AND * 5).sum()


def test_error_is_compared_with_guessing() -> None:
    """For random labels the report gives advice."""
    samples, labels = np.tile(X, (25, 1)), np.array(XOR * 25)
    report = decide_and_learn(samples, labels, max_epochs=20)
    assert report.held_out.guess == 0.5
    assert report.held_out.error >= 0.5
    advice = str(report.advice)
    assert advice.startswith("KernelPerceptron(max_iter=")
    assert "makes 0 errors on the 20 held-out rows instead of 1" in advice
    far = decide_and_learn(samples * [1.0, 1000.0], labels, max_epochs=20)
    assert far.advice.remedy == "folds"  # scaling was tried, and did not help
    better = decide_and_learn(np.tile(X, (25, 1)), AND * 25)
    assert (better.held_out.mistakes, better.advice) == (0, None)
    assert better.held_out.guess == 0.2


@pytest.mark.parametrize(
    ("learner", "scale"),
    [(None, 1e60), (KernelPerceptron(kernel="linear", max_iter=2), 1e60), (Winnow(), 1e-3)],
)
def test_a_trial_that_is_refused_gives_no_advice(learner: Any, scale: float) -> None:
    samples = np.random.default_rng(0).random((100, 2)) * [scale, min(scale, 1.0) * scale]
    report = decide_and_learn(samples, np.arange(100) % 2, learner)
    assert report.held_out is not None
    assert report.advice is None or report.advice.remedy == "folds"


def test_labels_keep_their_type() -> None:
    with pytest.raises(InputError, match="labels must be all text or all numbers"):
        decide_and_learn(X, [1, "1", 0, 0])


@pytest.mark.parametrize("shift", [0.0, 3.0])
def test_a_printed_report_has_the_lines_of_learn(
    shift: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(100) % 2
    samples = (rng.standard_normal((100, 2)) + 4 * shift * y[:, None]).round(3)
    path = write_csv(tmp_path / "data.csv", samples, y)
    assert run(["learn", str(path), "--scale", "none"]) == 0
    printed = capsys.readouterr().out.replace("--folds 5", "cross_validate with cv=5")

    def lines(text: str) -> dict[str, str]:
        return dict(re.split("  +", line, maxsplit=1) for line in text.splitlines())

    found, shown = lines(str(decide_and_learn(samples, y))), lines(printed)
    assert list(found) == [name for name in shown if name not in ("Data", "Scale", "Time")]
    same = [name for name in found if not name.startswith(("Conflict", "Leak"))]
    assert [found[name] for name in same] == [shown[name] for name in same]
    assert "Held-out error" in same
