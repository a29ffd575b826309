"""
The convergence theorem on a run
================================

Each mistake lengthens the weights along the separator by at least the margin, and their squared
length by at most the squared radius. The curves of these two bounds meet at the bound on the number of
mistakes; the run ends earlier.
"""

import numpy as np

from rosenblatt import Perceptron, convergence
from rosenblatt.lectures.pictures import ConvergenceDisplay

X = np.random.default_rng(0).normal(size=(60, 2))
scores = X @ [1, -2] + 0.5
X, y = X[abs(scores) > 0.3], scores[abs(scores) > 0.3] > 0
p = Perceptron(record=True, order="cyclic").fit(X, y)
ConvergenceDisplay.from_convergence(convergence(p, X=X, y=y))
