"""Weights as images, where samples are images."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.core.checks import whole
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

_MOST_IN_A_ROW = 5
_INCHES = 2.1

# Images of up to this many pixels have a minus on negative pixels, unless they are nearly 0.
_MOST_SIGNS = 400
_FAINT = 0.05


class WeightsDisplay:
    """The weights of each class as an image: what speaks for it, and what against it.

    All images have the same colours: those of the background are weights of 0, blue ones speak for the
    class, orange ones against it, and the deeper the colour, the more. In small images those against it
    have a minus as well. The intercept is not shown.

    Parameters
    ----------
    images : array of shape (n_images, height, width)
        The weights.
    names : list of str
        What each image is called.

    Attributes
    ----------
    axes_, figure_
        Matplotlib's axes, one for each image, and figure, once it is drawn.
    ax_
        The first of the axes.

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

    axes_: "list[Axes]"
    ax_: "Axes"
    figure_: "Figure | SubFigure"

    def __init__(self, *, images: Any, names: list[str]) -> None:
        self.images: Floats = np.asarray(images, dtype=np.float64)
        self.names = names
        if self.images.ndim != 3 or len(self.images) != len(names) or not self.images.size:
            raise InputError(
                f"images has shape {self.images.shape}, and there are {len(names)} names: give an array "
                "of (n_images, height, width), and a name for each image"
            )

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        shape: tuple[int, int] | None = None,
        ax: "Axes | Sequence[Axes] | None" = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the weights of a fitted learner, or of a pipeline that ends with one.

        Parameters
        ----------
        estimator : Perceptron, or another linear learner
            One image for each class; two classes have one.
        shape : (height, width), default=None
            The shape of an image; None: a square.
        ax : Matplotlib axes, one for each image, or None, default=None
            Where to draw; None is a new figure.
        **kwargs
            For Matplotlib's `imshow`.
        """
        weights = weights_of(parts_of(estimator))
        height, width = _shape(shape, weights.coef.shape[1])
        positives = weights.positives.tolist()
        names = [shown_name(label) for label in positives]
        if len(names) == 1:
            others = [shown_name(one) for one in estimator.classes_.tolist() if one != positives[0]]
            names = [", against ".join([f"for {names[0]}", *others])]
        images = weights.coef.reshape(-1, height, width)
        return cls(images=images, names=names).plot(ax, **kwargs)

    def plot(self, ax: "Axes | Sequence[Axes] | None" = None, **kwargs: Any) -> Self:
        """Draw on the axes, or on a new figure, and return the display."""
        self.figure_, self.axes_ = _panels(ax, len(self.images))
        self.ax_ = self.axes_[0]
        largest = float(np.abs(self.images).max()) or 1.0
        settings = {"cmap": self._colors(), "vmin": -largest, "vmax": largest, **kwargs}
        drawn = None
        for own, image, name in zip(self.axes_, self.images, self.names, strict=True):
            drawn = own.imshow(image, interpolation="nearest", **settings)
            own.set_title(name)
            self._mark_negative(own, image, largest)
        assert drawn is not None  # there is at least one image
        label = "weight: for the class (+) or against it (−)"
        self.figure_.colorbar(drawn, ax=self.axes_, label=label, shrink=0.9)
        return self

    def _colors(self) -> Any:
        """Return the colours from orange through the background to blue, which all eyes tell apart."""
        names = ["vermilion", "orange", "", "sky", "blue"]
        return color_map([PALETTE.get(name, background(self.ax_)) for name in names])

    def _mark_negative(self, ax: "Axes", image: Floats, largest: float) -> None:
        """Put a minus on pixels that speak against the class, so that the image can be read in grey."""
        if image.size <= _MOST_SIGNS:
            rows, columns = np.nonzero(image < -_FAINT * largest)
            ax.scatter(columns, rows, marker="_", s=16, linewidths=1, color=[ink(ax)])


def _panels(
    ax: "Axes | Sequence[Axes] | None", n_images: int
) -> "tuple[Figure | SubFigure, list[Axes]]":
    """Return the figure and one axes without ticks for each image: the given axes, or new ones."""
    figure: Figure | SubFigure
    if ax is not None or n_images == 1:
        figure, axes = figure_and_panels(ax, n_images)
    else:
        columns = min(n_images, _MOST_IN_A_ROW)
        rows = math.ceil(n_images / columns)
        size = (_INCHES * columns, _INCHES * rows)
        figure, grid = pyplot().subplots(
            rows, columns, figsize=size, layout="constrained", squeeze=False
        )
        axes = grid.ravel().tolist()
        for spare in axes[n_images:]:
            spare.remove()
        axes = axes[:n_images]
    for own in axes:
        own.set(xticks=[], yticks=[])
        own.spines[:].set(visible=True, color=faint(own), linewidth=0.8)
    return figure, axes


def _shape(shape: tuple[int, int] | None, n_features: int) -> tuple[int, int]:
    """Return the height and the width of an image, or raise if the features do not make one."""
    if shape is None:
        side = math.isqrt(n_features)
        if side * side != n_features:
            raise InputError(
                f"there are {n_features} weights, which make no square image: give shape=(height, width)"
            )
        return side, side
    try:
        height, width = shape
    except (TypeError, ValueError) as error:
        raise InputError(f"shape={shape!r} is not accepted: give (height, width)") from error
    if whole("shape", height, 1) * whole("shape", width, 1) != n_features:
        raise InputError(
            f"shape={shape!r} makes {height * width} pixels, but there are {n_features} weights"
        )
    return height, width
