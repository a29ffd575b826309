"""
One update as vectors
=====================

Adding a misclassified sample to the weights turns the line toward it.
"""

from rosenblatt import trace
from rosenblatt.lectures.pictures import UpdateDisplay

run = trace([[2, 1], [1, -2]], [1, -1], fit_intercept=False, coef_init=[1, -1])
UpdateDisplay.from_trace(run)
