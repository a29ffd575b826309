"""The effect of the learning rate on a descent of the criterion: the tables of docs/topics/criterion.md.

python benchmarks/criterion.py
"""

import numpy as np

from rosenblatt.core.types import Labels, MatrixLike
from rosenblatt.lectures.criterion import perceptron_criterion
from rosenblatt.lectures.gradient_descent import Descent, gradient_descent

SIX = [[1, 1], [1, -1], [0, -1], [-1, -1], [-1, 1], [0, 1]]
SIDES = [1, 1, 1, -1, -1, -1]


def overlapping() -> tuple[MatrixLike, Labels]:
    """Return a hundred samples in the plane, of two classes that overlap."""
    y = np.repeat([-1, 1], 50)
    return np.random.default_rng(0).normal(size=(100, 2)).round(2) + 0.8 * y[:, None], y


def descend(
    X: MatrixLike, y: Labels | list[int], start: list[float], step: float, max_steps: int
) -> Descent:
    """Descend the criterion of the samples."""
    return gradient_descent(
        lambda w: perceptron_criterion(w, X, y).value,
        lambda w: perceptron_criterion(w, X, y).gradient,
        start,
        step,
        max_steps=max_steps,
    )


def print_separable() -> None:
    print("six samples of the lectures, from the weights (1, 0, 0)")
    print("rate     steps  first criteria                  highest")
    for rate in (0.001, 0.01, 0.1, 0.5, 1.0, 10.0, 100.0):
        down = descend(SIX, SIDES, [0, 0, 1], rate, 10_000)
        first = "  ".join(f"{value:<8.4g}" for value in down.values[:3])
        print(f"{rate:<9g}{down.n_steps:<7}{first:<32}{down.values.max():.4g}")


def print_overlapping() -> None:
    X, y = overlapping()
    print("a hundred samples that overlap, from the weights (0, -1, 0), after 1,000 steps")
    print("rate     criterion, mean of the last 100  length of the weights  mistakes")
    for rate in (0.0001, 0.01, 1.0, 100.0):
        down = descend(X, y, [-1, 0, 0], rate, 1000)
        mean, last = down.values[-100:].mean(), down.points[-1]
        mistakes = perceptron_criterion(last, X, y).n_mistakes
        print(f"{rate:<9g}{mean:<33.3g}{np.linalg.norm(last):<23.3g}{mistakes}")


if __name__ == "__main__":
    print_separable()
    print()
    print_overlapping()
