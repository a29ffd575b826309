"""
Cover's transition
==================

Hyperplanes realize nearly all labelings of P points in N dimensions if P is below 2N, half of them at
2N, and almost none above. The more dimensions, the sharper the transition.
"""

from rosenblatt.lectures.pictures import CapacityDisplay

CapacityDisplay.from_dimensions([5, 20, 100])
