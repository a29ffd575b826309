"""
The ledger: mistakes by sample and in sequence
==============================================

A few samples cause most of the mistakes. The counts of mistakes are the dual of the weights: replaying
them gives the same weights, bit for bit.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from rosenblatt import Perceptron

X, y = make_blobs([15, 15], centers=[[-2, 0], [1, 1]], cluster_std=0.8, random_state=2)
ledger = Perceptron(record=True, order="cyclic").fit(X, y).ledger_

_, (left, right) = plt.subplots(1, 2, sharey=True, figsize=(9, 4.5), layout="constrained")
left.barh(np.arange(len(X)), ledger.mistake_counts[0])
left.set(xlabel="mistakes", ylabel="sample (row of X)")
(sequence,) = ledger.sequences
right.scatter(np.arange(1, len(sequence) + 1), sequence, s=12)
right.set(xlabel="mistake", title="the sample of each mistake")
right.invert_yaxis()
