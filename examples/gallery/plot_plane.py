"""
The separator with the largest margin
=====================================

Two classes in the plane, the line that stays furthest from both, and the rows that decide where it
is.
"""

from sklearn.datasets import make_blobs

from rosenblatt import MaxMargin
from rosenblatt.plots import PlaneDisplay

X, y = make_blobs([30, 30], centers=[[-2, 0], [2, 1]], cluster_std=0.8, random_state=1)
PlaneDisplay.from_estimator(MaxMargin().fit(X, y), X, y)
