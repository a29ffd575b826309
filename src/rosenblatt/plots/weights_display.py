"""Weights drawn as images, for samples that are images."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.core.checks import whole_number
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats
from rosenblatt.inspection.model_parts import parts_of, weights_of
from rosenblatt.plots.style import (
    PALETTE,
    background,
    color_map,
    faint,
    figure_and_panels,
    ink,
    pyplot,
    shown_name,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_MAX_COLUMNS = 5
_INCHES = 2.1

# In images of at most this many pixels, negative weights that are not near 0 are marked with a minus.
_MAX_SIGNED_PIXELS = 400
_NEAR_ZERO = 0.05


@dataclass(kw_only=True, eq=False, repr=False)
class WeightsDisplay:
    """The weights of each class as an image: evidence for the class and against it.

    All images share one color scale: blue is evidence for the class, orange against it, and the
    background color is a weight of 0. In small images, negative weights also have a minus sign. The
    intercept is not shown.

    Parameters
    ----------
    images : array of shape (n_images, height, width)
        The weights.
    names : list of str
        The title of each image.

    Attributes
    ----------
    axes_, figure_
        Matplotlib's axes, one per image, and figure; ``ax_`` is the first axes.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.plots import WeightsDisplay
    >>> p = Perceptron().fit(np.eye(4), ["dark", "light", "dark", "light"])
    >>> display = WeightsDisplay.from_estimator(p)
    >>> display.images.shape, display.ax_.get_title()
    ((1, 2, 2), 'for light, against dark')
    """

    images: Floats
    names: list[str]

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        shape: tuple[int, int] | None = None,
        ax: "Axes | Sequence[Axes] | None" = None,
    ) -> Self:
        """Draw the weights of a fitted linear learner, or of a pipeline that ends with one.

        Parameters
        ----------
        estimator : Perceptron, or another linear learner
            One image per class; a single image for two classes.
        shape : (height, width), default=None
            The shape of an image; by default, a square.
        ax : Matplotlib axes, one per image, or None, default=None
            Where to draw; by default, on a new figure.
        """
        weights = weights_of(parts_of(estimator))
        height, width = _shape(shape, weights.coef.shape[1])
        positives = weights.positives.tolist()
        names = [shown_name(label) for label in positives]
        if len(names) == 1:
            others = [shown_name(one) for one in estimator.classes_.tolist() if one != positives[0]]
            names = [", against ".join([f"for {names[0]}", *others])]
        return cls(images=weights.coef.reshape(-1, height, width), names=names).plot(ax)

    def plot(self, ax: "Axes | Sequence[Axes] | None" = None) -> Self:
        """Draw on the axes, or on a new figure, and return the display."""
        self.figure_: Figure | SubFigure
        self.figure_, self.axes_ = _panels(ax, len(self.images))
        self.ax_ = self.axes_[0]
        largest = float(np.abs(self.images).max()) or 1.0
        blend = ["vermilion", "orange", "", "sky", "blue"]
        colors = color_map([PALETTE.get(name, background(self.ax_)) for name in blend])
        for panel, image, name in zip(self.axes_, self.images, self.names, strict=True):
            drawn = panel.imshow(
                image, interpolation="nearest", cmap=colors, vmin=-largest, vmax=largest
            )
            panel.set(xticks=[], yticks=[], title=name)
            panel.spines[:].set(visible=True, color=faint(panel), linewidth=0.8)
            if image.size <= _MAX_SIGNED_PIXELS:  # readable in grayscale
                rows, columns = np.nonzero(image < -_NEAR_ZERO * largest)
                panel.scatter(columns, rows, marker="_", s=16, linewidths=1, color=[ink(panel)])
        label = "weight: for the class (+) or against it (−)"
        self.figure_.colorbar(drawn, ax=self.axes_, label=label, shrink=0.9)
        return self


def _panels(
    ax: "Axes | Sequence[Axes] | None", n_images: int
) -> "tuple[Figure | SubFigure, list[Axes]]":
    """Return the figure and one axes per image: the given ones, or new ones in rows."""
    if ax is not None or n_images == 1:
        return figure_and_panels(ax, n_images)
    columns = min(n_images, _MAX_COLUMNS)
    rows = math.ceil(n_images / columns)
    size = (_INCHES * columns, _INCHES * rows)
    figure, grid = pyplot().subplots(
        rows, columns, figsize=size, layout="constrained", squeeze=False
    )
    axes = grid.ravel().tolist()
    for spare in axes[n_images:]:
        spare.remove()
    return figure, axes[:n_images]


def _shape(shape: tuple[int, int] | None, n_features: int) -> tuple[int, int]:
    """Return the height and width of an image; raise InputError if they do not fit the features."""
    if shape is None:
        side = math.isqrt(n_features)
        if side * side != n_features:
            raise InputError(
                f"{n_features} weights do not fill a square image: give shape=(height, width)"
            )
        return side, side
    try:
        height, width = shape
    except (TypeError, ValueError) as error:
        raise InputError(f"shape={shape!r} is not accepted: give (height, width)") from error
    if whole_number("shape", height, 1) * whole_number("shape", width, 1) != n_features:
        raise InputError(
            f"shape={shape!r} has {height * width} pixels, but there are {n_features} weights"
        )
    return height, width
