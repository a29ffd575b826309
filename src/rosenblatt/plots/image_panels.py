"""Panels for images: in rows, without ticks, each in a thin frame."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rosenblatt.plots.style import faint, figure_and_panels, pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


def image_panels(
    ax: "Axes | Sequence[Axes] | None", n_images: int, *, in_a_row: int, size: tuple[float, float]
) -> "tuple[Figure | SubFigure, list[Axes]]":
    """Return the figure and an axes for each image: the given ones, or new ones of a size in inches.

    >>> figure, panels = image_panels(None, 7, in_a_row=5, size=(1.5, 1.5))
    >>> len(panels), figure.get_size_inches().tolist()
    (7, [7.5, 3.0])
    """
    if ax is not None or n_images == 1:
        figure, axes = figure_and_panels(ax, n_images)
    else:
        columns = min(n_images, in_a_row)
        rows = math.ceil(n_images / columns)
        inches = (size[0] * columns, size[1] * rows)
        figure, grid = pyplot().subplots(
            rows, columns, figsize=inches, layout="constrained", squeeze=False
        )
        axes = grid.ravel().tolist()
        for spare in axes[n_images:]:
            spare.remove()
        axes = axes[:n_images]
    for own in axes:
        own.set(xticks=[], yticks=[])
        own.spines[:].set(visible=True, color=faint(own), linewidth=0.8)
    return figure, axes
