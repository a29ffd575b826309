"""
The cards of 1958
=================

A machine with 400 photocells sees cards with a square on the left or on the right, and learns to tell
the side. The side is above each card, the machine's answer below.
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt.lectures.mark1 import Mark1, draw_cards

machine, cards = Mark1(seed=1), draw_cards(np.random.default_rng(1))
_, axes = plt.subplots(2, 5, figsize=(8, 4.4), layout="constrained")
for ax in axes.flat:
    trial = machine.show(next(cards))
    ax.imshow(np.reshape(trial.card.cells, (20, 20)), cmap="Greys")
    ax.set(xticks=[], yticks=[], title=f"{trial.number}: {trial.card.side}")
    sign = "✓" if trial.is_right else "✗"
    ax.set_xlabel(f"{sign} {trial.answer or 'no answer'}")
