"""Weights drawn as bars or, for samples that are images, as images."""

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
    color,
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

# If there are more features than this, bars are drawn for those with the largest weights.
_MAX_BARS = 15
_BAR_INCHES, _PANEL_INCHES = 0.26, (3.6, 1.0)

# Features without names are taken for pixels if they fill a square of at least this many.
_MIN_PIXELS = 64

# In images of at most this many pixels, negative weights that are not near 0 are marked with a minus.
_MAX_SIGNED_PIXELS = 400
_NEAR_ZERO = 0.05


@dataclass(kw_only=True, eq=False, repr=False)
class WeightsDisplay:
    """The weights of each class: evidence for the class and against it, as bars or as an image.

    Bars are drawn for the features with the largest weights of any class. Images share one color scale:
    blue is evidence for the class, orange against it, and the background color is a weight of 0. In
    small images, negative weights also have a minus sign. The intercept is not shown.

    Parameters
    ----------
    images : array of shape (n_images, height, width)
        The weights; for bars, the height is 1.
    names : list of str
        The title of each image.
    features : list of str or None, default=None
        The name of each bar, if bars are drawn.
    n_more : int, default=0
        The number of features with smaller weights that have no bar.

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
    >>> display.features, display.ax_.get_title()
    (['x1', 'x2', 'x3', 'x4'], 'for light, against dark')
    >>> WeightsDisplay.from_estimator(p, shape=(2, 2)).images.shape
    (1, 2, 2)
    """

    images: Floats
    names: list[str]
    features: list[str] | None = None
    n_more: int = 0

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        shape: tuple[int, int] | None = None,
        features: Sequence[str] | None = None,
        ax: "Axes | Sequence[Axes] | None" = None,
    ) -> Self:
        """Draw the weights of a fitted linear learner, or of a pipeline that ends with one.

        Parameters
        ----------
        estimator : Perceptron, or another linear learner
            One panel per class; a single one for two classes.
        shape : (height, width), default=None
            Draw images of this shape. By default, bars are drawn, unless the features have no names and
            fill a square of at least 8 × 8.
        features : sequence of str or None, default=None
            The names of the features; by default, the learner's own.
        ax : Matplotlib axes, one per panel, or None, default=None
            Where to draw; by default, on a new figure.
        """
        parts = parts_of(estimator)
        known = weights_of(parts)
        coef, n_features = known.coef, known.coef.shape[1]
        is_named = features is not None or known.features != [f"x{k}" for k in range(n_features)]
        listed = known.features if is_named else [f"x{k}" for k in range(1, n_features + 1)]
        listed = listed if features is None else list(features)
        if len(listed) != n_features:
            raise InputError(
                f"features has {len(listed)} names, but there are {n_features} weights"
            )
        positives = known.positives.tolist()
        names = [shown_name(label) for label in positives]
        if len(names) == 1:
            others = [shown_name(one) for one in estimator.classes_.tolist() if one != positives[0]]
            names = [", against ".join([f"for {names[0]}", *others])]
        side = math.isqrt(n_features)
        if shape is None and not is_named and side * side == n_features >= _MIN_PIXELS:
            shape = (side, side)
        if shape is not None:
            height, width = _checked_shape(shape, n_features)
            return cls(images=coef.reshape(-1, height, width), names=names).plot(ax)
        largest = np.argsort(-np.abs(coef).max(axis=0), kind="stable")[:_MAX_BARS]
        drawn = np.sort(largest) if n_features <= _MAX_BARS else largest
        return cls(
            images=coef[:, None, drawn],
            names=names,
            features=[listed[k] for k in drawn.tolist()],
            n_more=n_features - len(drawn),
        ).plot(ax)

    def plot(self, ax: "Axes | Sequence[Axes] | None" = None) -> Self:
        """Draw on the axes, or on a new figure, and return the display."""
        self.figure_: Figure | SubFigure
        n_bars = None if self.features is None else len(self.features)
        self.figure_, self.axes_ = _panels(ax, len(self.images), n_bars)
        self.ax_ = self.axes_[0]
        if self.features is None:
            self._draw_images()
        else:
            self._draw_bars(self.features)
        return self

    def _draw_images(self) -> None:
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
        look: dict[str, Any] = {"location": "bottom", "shrink": 0.9, "aspect": 30}
        label = "weight: for the class (+) or against it (−)"
        self.figure_.colorbar(drawn, ax=self.axes_, label=label, **look)

    def _draw_bars(self, features: list[str]) -> None:
        largest = float(np.abs(self.images).max()) or 1.0
        heights = np.arange(len(features))
        for panel, (weights,), name in zip(self.axes_, self.images, self.names, strict=True):
            hues = [color(panel, "blue" if one > 0 else "vermilion") for one in weights.tolist()]
            panel.barh(heights, weights, color=hues)
            panel.axvline(0.0, color=faint(panel), linewidth=0.8)
            panel.set(title=name, xlim=(-1.08 * largest, 1.08 * largest), xlabel="weight")
            panel.set_yticks(heights, [shown_name(one) for one in features])
            panel.invert_yaxis()
            panel.locator_params(axis="x", nbins=5)
        if self.n_more:
            more = f"features with smaller weights: {self.n_more:,}"
            self.ax_.set_ylabel(more, fontsize="small", color=faint(self.ax_, 0.35))


def _panels(
    ax: "Axes | Sequence[Axes] | None", n_panels: int, n_bars: int | None
) -> "tuple[Figure | SubFigure, list[Axes]]":
    """Return the figure and one axes per panel: the given ones, or new ones in rows."""
    width, height, most = _INCHES, _INCHES, _MAX_COLUMNS
    if n_bars is not None:
        width, height = _PANEL_INCHES[0], _PANEL_INCHES[1] + _BAR_INCHES * n_bars
        most = 3
    if ax is not None or n_panels == 1:
        size = None if n_bars is None else (1.6 * width, height)
        return figure_and_panels(ax, n_panels, size=size)
    columns = min(n_panels, most)
    rows = math.ceil(n_panels / columns)
    size = (width * columns, height * rows + (1.0 if n_bars is None else 0.0))
    figure, grid = pyplot().subplots(
        rows, columns, figsize=size, layout="compressed", squeeze=False
    )
    axes = grid.ravel().tolist()
    for spare in axes[n_panels:]:
        spare.remove()
    return figure, axes[:n_panels]


def _checked_shape(shape: tuple[int, int], n_features: int) -> tuple[int, int]:
    """Return the height and width of an image; raise InputError if they do not fit the features."""
    try:
        height, width = shape
    except (TypeError, ValueError) as error:
        raise InputError(f"shape={shape!r} is not accepted: give (height, width)") from error
    if whole_number("shape", height, 1) * whole_number("shape", width, 1) != n_features:
        raise InputError(
            f"shape={shape!r} has {height * width} pixels, but there are {n_features} weights"
        )
    return height, width
