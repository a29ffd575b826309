"""
One update, as vectors
======================

A sample on the wrong side is added to the weights, which turns the line towards it.
"""

from rosenblatt import trace
from rosenblatt.lectures.pictures import UpdateDisplay

run = trace([[2, 1], [1, -2]], [1, -1], fit_intercept=False, coef_init=[1, -1])
UpdateDisplay.from_trace(run)
