"""
Cover's transition
==================

Of all labelings of P points in N dimensions hyperplanes give nearly all while P is below 2N, half
at 2N, and nearly none above. The more dimensions, the sharper.
"""

from rosenblatt.lectures.pictures import CapacityDisplay

CapacityDisplay.from_dimensions([5, 20, 100])
