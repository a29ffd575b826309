"""Draw the README's picture, one verdict next to the other: ``python docs/readme_picture.py``."""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from sklearn.datasets import make_blobs

from rosenblatt import MaxMargin, plots, separate

mpl.use("agg")

PICTURE = Path(__file__).parent / "_static" / "verdicts.png"


def main() -> None:
    """Draw two tables: one that a line separates, one that no line can."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    X, y = make_blobs([30, 30], centers=[[-2, 0], [2, 1]], cluster_std=0.8, random_state=1)
    plots.PlaneDisplay.from_estimator(MaxMargin().fit(X, y), X, y, ax=left).legend_.remove()
    left.set_title("separable: the widest margin")
    X = [[0, 0], [3, 3], [1, -0.5], [0, 3], [3, 0], [3.5, 1]]
    y = [0, 0, 0, 1, 1, 1]
    plots.PlaneDisplay.from_separation(separate(X, y), X, y, ax=right).legend_.remove()
    right.set_title("not separable: a point inside both hulls proves it")
    figure.savefig(PICTURE, dpi=110, metadata={"Software": None})


if __name__ == "__main__":
    main()
