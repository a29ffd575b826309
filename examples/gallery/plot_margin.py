"""
The interval of the margin narrows
==================================

During the run, the counts of mistakes bound the maximum margin from above; weights that separate bound
it from below.
"""

import numpy as np

from rosenblatt import Perceptron
from rosenblatt.plots import MarginDisplay

X = np.random.default_rng(0).normal(size=(200, 5))
y = X @ [1, -2, 3, 0, 1] > 0.1
MarginDisplay.from_estimator(Perceptron(order="cyclic").fit(X, y))
