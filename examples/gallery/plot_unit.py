"""
The threshold unit
==================

Inputs, each times its weight, a sum, and a threshold that the sum must reach.
"""

from rosenblatt.lectures.units import ThresholdUnit
from rosenblatt.plots import UnitDisplay

UnitDisplay.from_unit(ThresholdUnit([1, 1, -2], 1))
