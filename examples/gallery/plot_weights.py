"""
Weights as images
=================

If samples are images, so are the weights: evidence for a digit and against it.
"""

from sklearn.datasets import load_digits

from rosenblatt import Perceptron
from rosenblatt.plots import WeightsDisplay

X, y = load_digits(return_X_y=True)
WeightsDisplay.from_estimator(Perceptron(keep="average", max_iter=10).fit(X, y))
