"""
Mistakes per epoch
==================

The run ends with the first epoch without a mistake. Before that, the number of mistakes goes up and
down: the perceptron does not minimize it.
"""

import numpy as np

from rosenblatt import Perceptron
from rosenblatt.plots import MistakesDisplay

X = np.random.default_rng(0).normal(size=(200, 5))
y = X @ [1, -2, 3, 0, 1] > 0.1
MistakesDisplay.from_estimator(Perceptron(order="cyclic").fit(X, y))
