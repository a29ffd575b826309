"""
The threshold unit
==================

Inputs, each times its weight, a sum, and a threshold that the sum must reach.
"""

from rosenblatt.lectures.pictures import UnitDisplay
from rosenblatt.lectures.units import ThresholdUnit

UnitDisplay.from_unit(ThresholdUnit([1, 1, -2], 1))
