"""
Many separators of the same samples
===================================

The last weights of a run, their average, the pocket weights, a vote, and the maximum margin, all from
the same samples: their margins differ.
"""

from sklearn.datasets import make_blobs

from rosenblatt.plots import SeparatorsDisplay

X, y = make_blobs([20, 20], centers=[[-2, 0], [1, 1]], cluster_std=0.7, random_state=4)
SeparatorsDisplay.from_samples(X, y)
