"""
The separator with the largest margin
=====================================

Two classes in the plane, the line that is farthest from both, and the rows that determine it.
"""

from sklearn.datasets import make_blobs

from rosenblatt import MaxMargin
from rosenblatt.plots import PlaneDisplay

X, y = make_blobs([30, 30], centers=[[-2, 0], [2, 1]], cluster_std=0.8, random_state=1)
PlaneDisplay.from_estimator(MaxMargin().fit(X, y), X, y)
