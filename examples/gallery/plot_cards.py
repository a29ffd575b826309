"""
The cards of 1958
=================

A machine with 400 photocells is shown cards with a square on the left or on the right, and learns
to tell which.
"""

import numpy as np

from rosenblatt.lectures import Mark1, draw_cards
from rosenblatt.plots import CardsDisplay

machine, cards = Mark1(seed=1), draw_cards(np.random.default_rng(1))
CardsDisplay.from_cards(machine.show(next(cards)) for _ in range(10))
