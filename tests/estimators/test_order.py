"""The default order: reproducible, and good for files sorted by class."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score

from bundled import sonar_arrays
from rosenblatt import KernelPerceptron, Outcome, PassiveAggressive, Perceptron, Winnow

ignore_budget = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

LEARNERS = {
    "perceptron": Perceptron(),
    "average": Perceptron(keep="average", max_iter=100),
    "passive-aggressive": PassiveAggressive(max_iter=100),
    "winnow": Winnow(variant="balanced", promotion=1.1, max_iter=100),
    "kernel": KernelPerceptron(gamma="scale", max_iter=20),
}


def _sonar() -> tuple[np.ndarray, np.ndarray]:
    """Return the bundled data set, whose rows are sorted by class."""
    X, y = sonar_arrays()
    assert np.count_nonzero(y[1:] != y[:-1]) == 1
    return X, y


def _accuracy(learner: Any, X: np.ndarray, y: np.ndarray) -> float:
    """Return the mean accuracy over two runs of five folds whose training parts stay sorted."""
    folds = [StratifiedKFold(5, shuffle=True, random_state=seed) for seed in range(2)]
    return float(np.mean([cross_val_score(learner, X, y, cv=cv) for cv in folds]))


@ignore_budget
@pytest.mark.parametrize("name", LEARNERS)
def test_sorted_samples_are_learned_as_well_as_shuffled_ones(name: str) -> None:
    X, y = _sonar()
    mixed = np.random.default_rng(0).permutation(len(y))
    as_sorted = _accuracy(LEARNERS[name], X, y)
    assert as_sorted >= 0.65
    assert as_sorted >= _accuracy(LEARNERS[name], X[mixed], y[mixed]) - 0.05


@ignore_budget
@pytest.mark.parametrize("name", LEARNERS)
def test_default_fit_is_reproducible(name: str) -> None:
    X, y = _sonar()
    learner = clone(LEARNERS[name]).set_params(max_iter=3)
    scores = {clone(learner).fit(X, y).decision_function(X).tobytes() for _ in range(2)}
    assert len(scores) == 1
    cyclic = clone(learner).set_params(order="cyclic").fit(X, y)
    assert cyclic.decision_function(X).tobytes() not in scores


@pytest.mark.parametrize(
    ("learner", "keeps"),
    [
        (Perceptron(), ["average", "pocket", "vote"]),
        (Perceptron(shards=2), ["average"]),
        (Perceptron(order="cyclic"), ["average"]),
        (PassiveAggressive(), ["average"]),
        (KernelPerceptron(), ["average", "vote"]),
    ],
)
def test_average_pocket_and_vote_do_not_warn(learner: Any, keeps: list[str]) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 2)), rng.integers(0, 2, 60)
    X[1], y[:2] = X[0], [0, 1]  # equal samples, which are inseparable
    grid = {"keep": keeps, "max_iter": [1, 5]}
    search = GridSearchCV(learner, grid, cv=3).fit(X, y)  # where a warning is an error
    expected = Outcome.MIXED if getattr(learner, "shards", 1) > 1 else Outcome.BUDGET
    if isinstance(learner, PassiveAggressive):  # the epoch limit is an average's ordinary end
        expected = Outcome.AVERAGED
    assert search.best_estimator_.outcome_ is expected
