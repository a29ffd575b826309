"""Labelled samples to draw: those of files, or examples that show something without one."""

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # loaded when the command runs, not for its help
    from rosenblatt.core.types import Labels, MatrixLike


class LabelledSamples(NamedTuple):
    """Samples as numbers, their labels, what the features are called (None: by number), and the file."""

    X: "MatrixLike"
    y: "Labels"
    names: list[str] | None = None
    file: str | None = None


def name_axes(display: Any, names: list[str] | None) -> Any:
    """Call the axes by the features' names, where features are what they show; return the display."""
    from rosenblatt.plots.style import shown_name

    if names is not None and len(names) <= 2:  # more are projected
        display.ax_.set_xlabel(shown_name(names[0]))
        display.ax_.set_ylabel("" if len(names) == 1 else shown_name(names[1]))
    return display


def worked_samples() -> LabelledSamples:
    """Return the six samples of the lectures' worked example.

    >>> worked_samples().X.shape
    (6, 2)
    """
    import numpy as np

    X = np.array([[1, 1], [1, -1], [0, -1], [-1, -1], [-1, 1], [0, 1]], dtype=float)
    return LabelledSamples(X, np.array([1, 1, 1, -1, -1, -1]))


def conjunction() -> LabelledSamples:
    """Return the truth table of "x1 and x2".

    >>> conjunction().y.tolist()
    ['no', 'no', 'no', 'yes']
    """
    import numpy as np

    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
    return LabelledSamples(X, np.array(["no", "no", "no", "yes"]))


def sepals() -> LabelledSamples:
    """Return the sepals of a hundred irises of two species: separable, but by a small margin.

    >>> sepals().X.shape, sorted(set(sepals().y.tolist()))
    ((100, 2), ['setosa', 'versicolor'])
    """
    return _irises(0, 1)


def irises() -> LabelledSamples:
    """Return the lengths of sepals and petals of the same irises: separable by a large margin.

    >>> irises().names
    ['sepal length (cm)', 'petal length (cm)']
    """
    return _irises(0, 2)


def _irises(*columns: int) -> LabelledSamples:
    from sklearn.datasets import load_iris

    flowers = load_iris()
    chosen = flowers.target < 2
    labels = flowers.target_names[flowers.target[chosen]]
    names = [flowers.feature_names[column] for column in columns]
    return LabelledSamples(flowers.data[chosen][:, columns], labels, names)


def handwritten_digits() -> LabelledSamples:
    """Return 1,797 digits, written by hand, as images of 8 × 8 numbers.

    >>> handwritten_digits().X.shape
    (1797, 64)
    """
    from sklearn.datasets import load_digits

    digits = load_digits()
    return LabelledSamples(digits.data, digits.target)
