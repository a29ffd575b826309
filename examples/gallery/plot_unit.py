"""
The threshold unit
==================

Inputs, each times its weight, a sum, and a threshold that the sum must reach.
"""

from rosenblatt.circuits import ThresholdUnit, xor
from rosenblatt.plots import NetworkDisplay, UnitDisplay

UnitDisplay.from_unit(ThresholdUnit([1, 1, -2], 1))

# %%
# One unit cannot compute XOR. A network of three can.

NetworkDisplay.from_network(xor())
