"""
How long each hypothesis lived
==============================

Weights stay as they are until the next mistake. In a vote each has the weight of its lifetime, so
the ones that lasted decide.
"""

import numpy as np

from rosenblatt import Perceptron
from rosenblatt.plots import LivesDisplay

generator = np.random.default_rng(0)
X = generator.normal(size=(300, 4))
y = X @ [1, -2, 3, 0] + generator.normal(scale=0.5, size=300) > 0
LivesDisplay.from_estimator(Perceptron(keep="vote", max_iter=3).fit(X, y))
