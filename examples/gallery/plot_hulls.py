"""
A proof that no line separates two classes
==========================================

The two convex hulls share a point: four rows and their weights prove it, and anyone can check the proof.
"""

from rosenblatt import separate
from rosenblatt.plots import PlaneDisplay

X = [[0, 0], [3, 3], [1, -0.5], [0, 3], [3, 0], [3.5, 1]]
y = ["same", "same", "same", "different", "different", "different"]
answer = separate(X, y)
print(answer.conflicts[0])
PlaneDisplay.from_separation(answer, X, y)
