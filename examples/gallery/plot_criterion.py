"""
Descending the perceptron criterion
===================================

Gradient descent on the sum of the scores of misclassified samples: from weights that misclassify every
sample to the cone of weights that classify all correctly.
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt.core.types import Floats
from rosenblatt.lectures.criterion import Criterion, perceptron_criterion
from rosenblatt.lectures.gradient_descent import gradient_descent
from rosenblatt.lectures.pictures import CriterionDisplay, DescentDisplay

X, y = [[1, 1], [1, -1], [0, -1], [-1, -1], [-1, 1], [0, 1]], [1, 1, 1, -1, -1, -1]


def criterion(w: Floats) -> Criterion:
    """Return the criterion of weights on these samples."""
    return perceptron_criterion(w, X, y)


down = gradient_descent(
    lambda w: criterion(w).value, lambda w: criterion(w).gradient, start=[-2, 1], step=0.1
)
CriterionDisplay.from_descent(down, X, y)

# %%
# Why not descend the number of mistakes itself? It has no slope to follow. The criterion does.

first, last, shares = np.array([-2, 1, 1]), np.array([2, -1, 0]), np.linspace(0, 1, 201)
along = [criterion((1 - t) * first + t * last) for t in shares]
_, (stair, slopes) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
stair.plot(shares, [one.n_mistakes for one in along], drawstyle="steps-mid")
stair.set(xlabel="from the first weights (0) to the last (1)", ylabel="mistakes")
slopes.plot(shares, [one.value for one in along])
slopes.set(xlabel="from the first weights (0) to the last (1)", ylabel="criterion E(w)")

# %%
# The same idea in one variable: step against the slope; the flatter it is, the shorter the step.


def square(x: float) -> float:
    """Return the function to descend."""
    return (x - 2) ** 2


def slope(x: float) -> float:
    """Return its derivative."""
    return 2 * (x - 2)


DescentDisplay.from_descent(gradient_descent(square, slope, start=-1.0, step=0.2), square)
