"""
Weights as images
=================

Where samples are images, so are the weights: what speaks for a digit, and what against it.
"""

from sklearn.datasets import load_digits

from rosenblatt import Perceptron
from rosenblatt.plots import WeightsDisplay

X, y = load_digits(return_X_y=True)
WeightsDisplay.from_estimator(Perceptron(keep="average", max_iter=10).fit(X, y))
