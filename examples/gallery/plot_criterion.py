"""
The way down the perceptron criterion
=====================================

Gradient descent on the sum of the scores that are on the wrong side, from weights that are wrong
about every sample to a cone of weights that are right about all.
"""

import matplotlib.pyplot as plt

from rosenblatt import CriterionDescent
from rosenblatt.lectures import gradient_descent, objectives_along
from rosenblatt.plots import CriterionDisplay, DescentDisplay

X, y = [[1, 1], [1, -1], [0, -1], [-1, -1], [-1, 1], [0, 1]], [1, 1, 1, -1, -1, -1]
d = CriterionDescent(eta0=0.1, fit_intercept=False).fit(X, y, coef_init=[-2, 1])
CriterionDisplay.from_estimator(d, X, y, coef_init=[-2, 1])

# %%
# Why not descend on the number of mistakes itself? It has no slope to follow. The criterion has.

along = objectives_along(X, y, start=(1, -2, 1), end=(0, 2, -1))
_, (stair, slopes) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
stair.plot(along.positions, along.mistakes, drawstyle="steps-mid")
stair.set(xlabel="from the first weights (0) to the last (1)", ylabel="mistakes")
slopes.plot(along.positions, along.criterion)
slopes.set(xlabel="from the first weights (0) to the last (1)", ylabel="criterion E(w)")

# %%
# The same idea in one variable: go against the slope, with steps that shorten as it does.


def square(x: float) -> float:
    """Return the function to descend on."""
    return (x - 2) ** 2


def slope(x: float) -> float:
    """Return its derivative."""
    return 2 * (x - 2)


DescentDisplay.from_descent(gradient_descent(square, slope, start=-1.0, step=0.2), square)
