"""
The ledger: which samples were mistaken, and when
=================================================

Few samples make most of the mistakes. Their counts are the dual of the weights: replayed, they give
the same weights to the last bit.
"""

from sklearn.datasets import make_blobs

from rosenblatt import Perceptron
from rosenblatt.plots import LedgerDisplay

X, y = make_blobs([15, 15], centers=[[-2, 0], [1, 1]], cluster_std=0.8, random_state=2)
LedgerDisplay.from_estimator(Perceptron(record=True, order="cyclic").fit(X, y))
