"""Colors, markers and line styles that are easy to distinguish on any background.

The colors are M. Okabe and K. Ito's palette for color-blind readers. Each class also has its own marker,
and each line its own dashes, so pictures work in grayscale. On a dark background, such as that of
`theme("dark")` or Matplotlib's dark styles, the colors are lighter.

Matplotlib is imported when the first picture is drawn.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rosenblatt.core.checks import check_choice
from rosenblatt.core.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.legend import Legend

Color = tuple[float, float, float]
"""Red, green and blue, each from 0 to 1."""

Points = Any
"""Two columns of coordinates."""

THEMES = ("light", "dark")

PALETTE = {
    "blue": "#0072B2",
    "orange": "#E69F00",
    "green": "#009E73",
    "purple": "#CC79A7",
    "vermilion": "#D55E00",
    "sky": "#56B4E9",
    "yellow": "#F0E442",
}
"""The palette of Okabe and Ito, except black: see `ink`."""

_CLASS_COLORS = ("blue", "orange", "green", "purple", "vermilion", "sky", "yellow")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h")
_LINE_COLORS = ("blue", "vermilion", "green", "purple", "sky", "orange")
_DASHES = ("solid", (0, (6, 2)), (0, (1, 1.4)), (0, (7, 2, 1.5, 2)), (0, (3, 1.5)))

_LIGHTER = 0.3
"""The share of white mixed into a color on a dark background."""

_MAX_CHARACTERS = 32
"""Longer names are shortened."""

_INK = {"light": "#1B1F24", "dark": "#E8EAED"}
_BACKGROUND = {"light": "#FFFFFF", "dark": "#15191F"}
_GRID = {"light": "#D9DDE3", "dark": "#39414C"}


class ClassStyle(NamedTuple):
    """How the samples of a class are drawn."""

    color: Color
    marker: str


class LineStyle(NamedTuple):
    """How one of several lines is drawn."""

    color: Color
    dashes: Any  # a name, or (offset, (on, off, ...)) for Matplotlib


def pyplot() -> ModuleType:
    """Return Matplotlib's pyplot; raise InputError if it is not installed."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise InputError(
            "pictures need Matplotlib, which is not installed: pip install 'rosenblatt[plot]'"
        ) from error
    return plt


@contextmanager
def theme(name: str = "light") -> Iterator[None]:
    """Draw on a "light" or "dark" background inside a ``with`` block; save figures before it ends.

    >>> from rosenblatt import plots, separate
    >>> X, y = [[0, 0], [1, 1]], [0, 1]
    >>> with plots.theme("dark"):
    ...     display = plots.PlaneDisplay.from_separation(separate(X, y), X, y)
    >>> plots.style.is_dark(display.ax_)
    True
    """
    check_choice("theme", name, THEMES)
    ink, background_color = _INK[name], _BACKGROUND[name]
    settings = {
        "axes.edgecolor": ink,
        "axes.facecolor": background_color,
        "axes.grid": False,
        "axes.labelcolor": ink,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlecolor": ink,
        "figure.edgecolor": background_color,
        "figure.facecolor": background_color,
        "grid.color": _GRID[name],
        "legend.edgecolor": _GRID[name],
        "legend.facecolor": background_color,
        "legend.labelcolor": ink,
        "savefig.edgecolor": background_color,
        "savefig.facecolor": background_color,
        "text.color": ink,
        "xtick.color": ink,
        "ytick.color": ink,
    }
    with pyplot().rc_context(settings):
        yield


def figure_and_axes(
    ax: "Axes | None", *, size: tuple[float, float] | None = None
) -> "tuple[Figure | SubFigure, Axes]":
    """Return the figure and axes to draw on: ``ax``, or new ones of a size in inches."""
    figure, axes = figure_and_panels(ax, 1, size=size)
    return figure, axes[0]


def figure_and_panels(
    ax: "Axes | Sequence[Axes] | None", n_panels: int, *, size: tuple[float, float] | None = None
) -> "tuple[Figure | SubFigure, list[Axes]]":
    """Return the figure and one axes per panel: the given ones, or new ones in a row.

    >>> figure, panels = figure_and_panels(None, 2)
    >>> figure_and_panels(panels, 3)
    Traceback (most recent call last):
    ...
    rosenblatt.core.errors.InputError: ax has 2 axes, but this display has 3 panels: give None or 3 axes
    """
    plt = pyplot()
    from matplotlib.axes import Axes

    if ax is None:
        figure, grid = plt.subplots(1, n_panels, figsize=size, layout="compressed", squeeze=False)
        return figure, grid[0].tolist()
    axes = [ax] if isinstance(ax, Axes) else list(np.ravel(np.asarray(ax, dtype=object)))
    if not all(isinstance(each, Axes) for each in axes):
        raise InputError(f"ax={ax!r} is not accepted: give Matplotlib axes, or None")
    if len(axes) != n_panels:
        n_axes = f"{len(axes)} axes" if len(axes) != 1 else "1 axes"
        panels = "1 panel" if n_panels == 1 else f"{n_panels} panels"
        raise InputError(
            f"ax has {n_axes}, but this display has {panels}: give None or {n_panels} axes"
        )
    return axes[0].figure, axes


def background(ax: "Axes") -> Color:
    """Return the background color of the axes, or of the figure if they are transparent."""
    from matplotlib.colors import to_rgba

    shown = (1.0, 1.0, 1.0)
    for face in (ax.figure.get_facecolor(), ax.get_facecolor()):
        red, green, blue, share = to_rgba(face)
        shown = mixed((red, green, blue), shown, 1.0 - share)
    return shown


def is_dark(ax: "Axes") -> bool:
    """Return whether the axes have a dark background."""
    red, green, blue = background(ax)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.4


def ink(ax: "Axes") -> Color:
    """Return the color of lines and text: nearly black, or nearly white on a dark background."""
    return _rgb(_INK["dark" if is_dark(ax) else "light"])


def faint(ax: "Axes", share: float = 0.55) -> Color:
    """Return a muted text color, mixed with a share of the background, for grids and hints."""
    return mixed(ink(ax), background(ax), share)


def color(ax: "Axes", name: str) -> Color:
    """Return a palette color, lighter if these axes are dark."""
    rgb = _rgb(PALETTE[name])
    return mixed(rgb, (1.0, 1.0, 1.0), _LIGHTER) if is_dark(ax) else rgb


def tint(ax: "Axes", rgb: Color, share: float = 0.82) -> Color:
    """Return an opaque color for areas: the given one mixed with a share of the background."""
    return mixed(rgb, background(ax), share)


def class_style(ax: "Axes", k: int) -> ClassStyle:
    """Return the color and marker of class k; the first 77 classes are all different."""
    name = _CLASS_COLORS[k % len(_CLASS_COLORS)]
    return ClassStyle(color(ax, name), _MARKERS[k % len(_MARKERS)])


def line_style(ax: "Axes", k: int) -> LineStyle:
    """Return the color and dashes of line k; the first 30 lines are all different."""
    name = _LINE_COLORS[k % len(_LINE_COLORS)]
    return LineStyle(color(ax, name), _DASHES[k % len(_DASHES)])


def mixed(one: Color, other: Color, share: float) -> Color:
    """Return a color with a share, from 0 to 1, of another color mixed in.

    >>> mixed((0.0, 0.0, 0.0), (1.0, 0.5, 0.0), 0.5)
    (0.5, 0.25, 0.0)
    """
    red, green, blue = ((1.0 - share) * a + share * b for a, b in zip(one, other, strict=True))
    return red, green, blue


def color_map(colors: "Sequence[Color | str]") -> "Colormap":
    """Return a color map that blends from each color to the next."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("blend", colors)


def ring(ax: "Axes", points: Points, label: str | None = None, **options: Any) -> "PathCollection":
    """Draw a ring around each point, and return the rings."""
    points = np.reshape(np.asarray(points, dtype=np.float64), (-1, 2))
    settings = {"s": 130, "linewidths": 1.6, "edgecolors": [ink(ax)], "zorder": 4, **options}
    return ax.scatter(points[:, 0], points[:, 1], facecolors="none", label=label, **settings)


def shown_name(name: object) -> str:
    r"""Return a class or feature name as text for Matplotlib; long names are cut in the middle.

    Matplotlib treats text between dollar signs as a formula, and leaves names that begin with an
    underscore out of legends.

    >>> shown_name("price in $"), shown_name("_id"), shown_name("a" * 40 + "b" * 40)
    ('price in \\$', ' _id', 'aaaaaaaaaaaaaaaa…bbbbbbbbbbbbbbb')
    """
    text = " ".join(str(name).splitlines())
    text = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    if len(text) > _MAX_CHARACTERS:
        half = _MAX_CHARACTERS // 2
        text = f"{text[:half]}…{text[1 - half :]}"
    text = text.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def set_labels(ax: "Axes", x: str, y: str, title: str | None = None) -> None:
    """Label both axes and the picture, unless they already have labels."""
    if not ax.get_xlabel():
        ax.set_xlabel(x)
    if not ax.get_ylabel():
        ax.set_ylabel(y)
    if title is not None and not ax.get_title():
        ax.set_title(title)


def legend(ax: "Axes", *, outside: bool = False, **options: Any) -> "Legend | None":
    """Draw the legend, if anything has a label: where it covers least, or to the right of the axes."""
    handles, _ = ax.get_legend_handles_labels()
    if not handles:
        return None
    position: dict[str, Any] = {"loc": "best", "framealpha": 0.9}
    if outside:
        position = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "frameon": False}
    text = {"fontsize": "small", "title_fontsize": "small", "alignment": "left"}
    return ax.legend(**{**text, **position, **options})


def _rgb(text: str) -> Color:
    red, green, blue = (int(text[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return red, green, blue
