"""Drawing functions for the plane: samples, regions, lines, bands, hulls and vectors."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.core.types import Counts, Floats
from rosenblatt.plots import style
from rosenblatt.plots.plane.geometry import Box, Line, clipped, hull

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.contour import QuadContourSet
    from matplotlib.lines import Line2D
    from matplotlib.patches import Polygon
    from matplotlib.text import Annotation

_REGIONS, _BAND, _LINES, _SAMPLES, _RINGS = 0.5, 0.8, 2.0, 3.0, 4.0
"""The drawing order (Matplotlib's zorder)."""

_RASTER = 1_000
"""If there are more samples than this, a PDF or SVG stores them as one image."""


def frame(ax: "Axes", box: Box, *, equal: bool) -> None:
    """Set the axis limits to a box; with ``equal``, use the same scale in both directions."""
    ax.set_xlim(box.left, box.right)
    ax.set_ylim(box.bottom, box.top)
    if equal:
        ax.set_aspect("equal", adjustable="box")


def marker_size(n_samples: int) -> float:
    """Return the area of a marker in square points; the more samples, the smaller."""
    return float(np.clip(60.0 * (40.0 / max(n_samples, 1)) ** 0.4, 8.0, 60.0))


def draw_samples(
    ax: "Axes", points: Floats, codes: Counts, names: Sequence[object], **options: Any
) -> "list[PathCollection]":
    """Draw the samples of each class; classes without samples are left out of the legend."""
    size = marker_size(len(points))
    settings = {
        "s": size,
        "alpha": 1.0 if len(points) <= _RASTER else 0.6,
        "edgecolors": [style.background(ax)],
        "linewidths": 0.7 if size > 15 else 0.3,
        "rasterized": len(points) > _RASTER,
        "zorder": _SAMPLES,
        **options,
    }
    drawn = []
    for code, name in enumerate(names):
        color, marker = style.class_style(ax, code)
        members = points[codes == code]
        look = {"color": [color], "marker": marker, **settings}
        label = style.shown_name(name) if len(members) else None
        drawn.append(ax.scatter(members[:, 0], members[:, 1], label=label, **look))
    return drawn


def draw_regions(ax: "Axes", coef: Floats, intercept: Floats, box: Box) -> "list[Polygon | None]":
    """Fill the part of the box where each class is predicted; None for a class that has no part.

    A single row of weights is for class 1 against class 0; otherwise each class has its own score. If
    all weights are 0, nothing is drawn.
    """
    if not coef.any() and not intercept.any():
        return []
    if len(coef) == 1:
        coef = np.vstack([-coef, coef])
        intercept = np.array([-intercept[0], intercept[0]])
    drawn: list[Polygon | None] = []
    for k in range(len(coef)):
        polygon = box.corners
        for j in range(len(coef)):
            if j != k and len(polygon):
                boundary = Line(coef[k] - coef[j], float(intercept[k] - intercept[j]))
                polygon = clipped(polygon, boundary)
        drawn.append(_filled(ax, polygon, k, edges=len(coef) > 2))
    return drawn


def _filled(ax: "Axes", polygon: Floats, code: int, *, edges: bool) -> "Polygon | None":
    from matplotlib.patches import Polygon

    if len(polygon) < 3:
        return None
    color = style.tint(ax, style.class_style(ax, code).color)
    edge = style.ink(ax) if edges else "none"
    patch = Polygon(
        polygon, closed=True, facecolor=color, edgecolor=edge, linewidth=1.2, zorder=_REGIONS
    )
    ax.add_patch(patch)
    return patch


def draw_response(
    ax: "Axes", xx0: Floats, xx1: Floats, response: Floats, n_classes: int
) -> "list[QuadContourSet]":
    """Fill the regions of a response computed on a grid, and draw the boundary between them.

    The boundary, if any, is the last artist. If every score is 0, nothing is drawn.
    """
    two = n_classes == 2
    parts = [-response, response] if two else [(response == k) - 0.5 for k in range(n_classes)]
    drawn = []
    for k, part in enumerate(parts):
        if part.max() > 0.0:
            color = style.tint(ax, style.class_style(ax, k).color)
            levels = [0.0, float(part.max()) * 1.01]
            drawn.append(ax.contourf(xx0, xx1, part, levels, colors=[color], zorder=_REGIONS))
    settings: dict[str, Any] = {"colors": [style.ink(ax)], "linewidths": 1.8, "zorder": _LINES}
    drawn += [
        ax.contour(xx0, xx1, part, [0.0], **settings)
        for part in parts[1:]
        if part.min() < 0.0 < part.max()
    ]
    if drawn and not drawn[-1].filled:  # legends cannot show contours
        ax.plot([], [], color=style.ink(ax), linewidth=1.8, label="separator")
    return drawn


def draw_line(ax: "Axes", line: Line, box: Box, **options: Any) -> "Line2D | None":
    """Draw the part of a line inside the box; return None if the line misses it."""
    ends = line.segment_in(box)
    if ends is None:
        return None
    settings = {"color": style.ink(ax), "linewidth": 1.8, "zorder": _LINES, **options}
    return ax.plot(ends[:, 0], ends[:, 1], **settings)[0]


def draw_band(
    ax: "Axes", line: Line, box: Box, margin: float, label: str
) -> "tuple[Polygon | None, list[Line2D]]":
    """Fill the band of points closer to the line than the margin, and draw its edges."""
    from matplotlib.patches import Polygon

    near, far = line.shifted(margin), line.shifted(-margin)
    corners = clipped(clipped(box.corners, far), Line(-near.coef, -near.intercept))
    patch = None
    if len(corners) >= 3:
        color = style.faint(ax, 0.84)
        patch = Polygon(
            corners, closed=True, facecolor=color, edgecolor="none", zorder=_BAND, alpha=0.55
        )
        ax.add_patch(patch)
    options = {"linewidth": 1.2, "linestyle": (0, (5, 3))}
    edges = [draw_line(ax, far, box, label=label, **options), draw_line(ax, near, box, **options)]
    return patch, [edge for edge in edges if edge is not None]


def draw_hull(ax: "Axes", points: Floats, codes: Counts) -> "Polygon":
    """Draw the convex hull of some samples, in their class's color if all have the same class."""
    from matplotlib.patches import Polygon

    code = int(codes[0])
    color = style.class_style(ax, code).color if (codes == code).all() else style.faint(ax, 0.3)
    patch = Polygon(
        hull(points),
        closed=True,
        facecolor=(*color, 0.16),
        edgecolor=color,
        linewidth=1.6,
        linestyle=style.line_style(ax, code).dashes,
        zorder=_LINES,
    )
    ax.add_patch(patch)
    return patch


def draw_crossing(ax: "Axes", point: Floats, label: str) -> "PathCollection":
    """Mark a point that both hulls contain."""
    return ax.scatter(
        [point[0]],
        [point[1]],
        marker="*",
        s=210,
        color=[style.color(ax, "vermilion")],
        edgecolors=[style.background(ax)],
        linewidths=0.8,
        zorder=_RINGS + 1,
        label=label,
    )


def draw_vector(ax: "Axes", tail: Floats, tip: Floats, **look: Any) -> "Annotation":
    """Draw an arrow from one point to another."""
    arrow = {
        "arrowstyle": "-|>",
        "linewidth": 2.4,
        "mutation_scale": 17,
        "shrinkA": 0.0,
        "shrinkB": 0.0,
        **look,
    }
    start, end = (float(tail[0]), float(tail[1])), (float(tip[0]), float(tip[1]))
    return ax.annotate("", xy=end, xytext=start, arrowprops=arrow, zorder=_RINGS + 1)


def label_vector(ax: "Axes", tail: Floats, tip: Floats, text: str, side: int) -> None:
    """Write text next to the middle of an arrow: left (1) or right (-1) of it, seen from its tail."""
    from matplotlib.patheffects import withStroke

    along = (tip - tail) / np.hypot(*(tip - tail))
    aside = side * np.array([-along[1], along[0]])
    middle = (tail + tip) / 2
    # Text is wide: it needs more space next to a vertical arrow than above a horizontal one.
    offset = aside * (10.0 + 2.6 * len(text) * abs(aside[0]))
    ax.annotate(
        text,
        xy=(float(middle[0]), float(middle[1])),
        xytext=(float(offset[0]), float(offset[1])),
        textcoords="offset points",
        ha="center",
        va="center",
        color=style.ink(ax),
        zorder=_RINGS + 2,
        path_effects=[withStroke(linewidth=3, foreground=style.background(ax))],
    )
