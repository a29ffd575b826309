"""What the learning rate does to a descent on the criterion: the tables of docs/topics/criterion.md.

python benchmarks/criterion.py
"""

import warnings

import numpy as np

from rosenblatt import CriterionDescent
from rosenblatt.core.types import Labels, MatrixLike

SIX = [[1, 1], [1, -1], [0, -1], [-1, -1], [-1, 1], [0, 1]]
SIDES = [1, 1, 1, -1, -1, -1]


def overlapping() -> tuple[MatrixLike, Labels]:
    """Return a hundred samples in the plane, of two classes that overlap."""
    y = np.repeat([-1, 1], 50)
    return np.random.default_rng(0).normal(size=(100, 2)).round(2) + 0.8 * y[:, None], y


def print_separable() -> None:
    print("six samples of the lectures, from the weights (1, 0, 0)")
    print("rate     schedule  looks  first criteria                  highest")
    for schedule in ("fixed", "decaying"):
        for eta0 in (0.001, 0.01, 0.1, 0.5, 1.0, 10.0, 100.0):
            learner = CriterionDescent(eta0=eta0, schedule=schedule, max_iter=100_000)
            steps = learner.fit(SIX, SIDES, coef_init=[0, 0], intercept_init=1).history_
            first = "  ".join(f"{step.criterion:<8.4g}" for step in steps[:3])
            highest = max(step.criterion for step in steps)
            print(f"{eta0:<9g}{schedule:10}{len(steps):<7}{first:<32}{highest:.4g}")


def print_overlapping() -> None:
    X, y = overlapping()
    print("a hundred samples that overlap, from the weights (0, -1, 0), after 1,000 steps")
    print("rate     schedule  criterion, mean of the last 100  length of the weights  mistakes")
    for schedule in ("fixed", "decaying"):
        for eta0 in (0.0001, 0.01, 1.0, 100.0):
            learner = CriterionDescent(eta0=eta0, schedule=schedule)
            steps = learner.fit(X, y, coef_init=[-1, 0], intercept_init=0).history_
            mean = np.mean([step.criterion for step in steps[-100:]])
            last = f"{steps[-1].norm:<23.3g}{steps[-1].mistakes}"
            print(f"{eta0:<9g}{schedule:10}{mean:<33.3g}{last}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print_separable()
    print()
    print_overlapping()
