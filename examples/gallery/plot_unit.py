"""
The threshold unit
==================

Each input is multiplied by its weight; the unit fires if the sum reaches the threshold.
"""

from rosenblatt.lectures.pictures import UnitDisplay
from rosenblatt.lectures.units import ThresholdUnit

UnitDisplay.from_unit(ThresholdUnit([1, 1, -2], 1))
