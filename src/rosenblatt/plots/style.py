"""The look of every picture: colors, markers and lines that are easy to tell apart, on any background.

The colors are those of M. Okabe and K. Ito, which color-blind people can tell apart. Each class also has
its own marker, and each line its own dashes, so that pictures work in gray. On axes with a dark
background, such as Matplotlib's dark styles or `theme` make, the colors are lighter.

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
"""The colors of Okabe and Ito without black, for which there is `ink`."""

_CLASS_COLORS = ("blue", "orange", "green", "purple", "vermilion", "sky", "yellow")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h")
_LINE_COLORS = ("blue", "vermilion", "green", "purple", "sky", "orange")
_DASHES = ("solid", (0, (6, 2)), (0, (1, 1.4)), (0, (7, 2, 1.5, 2)), (0, (3, 1.5)))

_LIGHTER = 0.3
"""The share of white that is mixed with a color on a dark background."""

_MOST_LETTERS = 32
"""The longest name that is shown in full."""

_INK = {"light": "#1B1F24", "dark": "#E8EAED"}
_PAPER = {"light": "#FFFFFF", "dark": "#15191F"}
_GRID = {"light": "#D9DDE3", "dark": "#39414C"}


class ClassStyle(NamedTuple):
    """The look of the samples of a class."""

    color: Color
    marker: str


class LineStyle(NamedTuple):
    """The look of one of several lines."""

    color: Color
    dashes: Any  # a name, or Matplotlib's (offset, (on, off, ...))


def pyplot() -> ModuleType:
    """Return Matplotlib's pyplot; raise if it is not installed."""
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
    ink, paper = _INK[name], _PAPER[name]
    settings = {
        "axes.edgecolor": ink,
        "axes.facecolor": paper,
        "axes.grid": False,
        "axes.labelcolor": ink,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlecolor": ink,
        "figure.edgecolor": paper,
        "figure.facecolor": paper,
        "grid.color": _GRID[name],
        "legend.edgecolor": _GRID[name],
        "legend.facecolor": paper,
        "legend.labelcolor": ink,
        "savefig.edgecolor": paper,
        "savefig.facecolor": paper,
        "text.color": ink,
        "xtick.color": ink,
        "ytick.color": ink,
    }
    with pyplot().rc_context(settings):
        yield


def figure_and_axes(
    ax: "Axes | None", *, size: tuple[float, float] | None = None
) -> "tuple[Figure | SubFigure, Axes]":
    """Return the figure and the axes to draw on: those of ``ax``, or new ones of a size in inches."""
    figure, axes = figure_and_panels(ax, 1, size=size)
    return figure, axes[0]


def figure_and_panels(
    ax: "Axes | Sequence[Axes] | None", n_panels: int, *, size: tuple[float, float] | None = None
) -> "tuple[Figure | SubFigure, list[Axes]]":
    """Return the figure and an axes for each panel: the given ones, or new ones in a row.

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
    if not all(isinstance(one, Axes) for one in axes):
        raise InputError(f"ax={ax!r} is not accepted: give Matplotlib axes, or None")
    if len(axes) != n_panels:
        n_axes = f"{len(axes)} axes" if len(axes) != 1 else "1 axes"
        panels = "1 panel" if n_panels == 1 else f"{n_panels} panels"
        raise InputError(
            f"ax has {n_axes}, but this display has {panels}: give None or {n_panels} axes"
        )
    return axes[0].figure, axes


def background(ax: "Axes") -> Color:
    """Return the color behind what is drawn on the axes; if they are transparent, the figure's."""
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
    """Return the color of lines and words: nearly black on light paper, nearly white on dark."""
    return _rgb(_INK["dark" if is_dark(ax) else "light"])


def faint(ax: "Axes", share: float = 0.55) -> Color:
    """Return the ink mixed with a share of the background, for grids and hints."""
    return mixed(ink(ax), background(ax), share)


def color(ax: "Axes", name: str) -> Color:
    """Return a color of the palette as it is drawn on these axes."""
    own = _rgb(PALETTE[name])
    return mixed(own, (1.0, 1.0, 1.0), _LIGHTER) if is_dark(ax) else own


def tint(ax: "Axes", own: Color, share: float = 0.82) -> Color:
    """Return a color mixed with a share of the background, for areas. It is opaque, so it prints."""
    return mixed(own, background(ax), share)


def class_style(ax: "Axes", k: int) -> ClassStyle:
    """Return the color and the marker of class k; the first 77 classes all differ."""
    name = _CLASS_COLORS[k % len(_CLASS_COLORS)]
    return ClassStyle(color(ax, name), _MARKERS[k % len(_MARKERS)])


def line_style(ax: "Axes", k: int) -> LineStyle:
    """Return the color and the dashes of line k; the first 30 lines all differ."""
    name = _LINE_COLORS[k % len(_LINE_COLORS)]
    return LineStyle(color(ax, name), _DASHES[k % len(_DASHES)])


def mixed(one: Color, other: Color, share: float) -> Color:
    """Return a color with a share, from 0 to 1, of another one mixed in.

    >>> mixed((0.0, 0.0, 0.0), (1.0, 0.5, 0.0), 0.5)
    (0.5, 0.25, 0.0)
    """
    red, green, blue = ((1.0 - share) * a + share * b for a, b in zip(one, other, strict=True))
    return red, green, blue


def color_map(colors: "Sequence[Color | str]") -> "Colormap":
    """Return the map that blends from each color to the next."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("blend", colors)


def ring(ax: "Axes", points: Points, label: str | None = None, **options: Any) -> "PathCollection":
    """Draw a ring around each point, and return the rings."""
    points = np.reshape(np.asarray(points, dtype=np.float64), (-1, 2))
    settings = {"s": 130, "linewidths": 1.6, "edgecolors": [ink(ax)], "zorder": 4, **options}
    return ax.scatter(points[:, 0], points[:, 1], facecolors="none", label=label, **settings)


def shown_name(name: object) -> str:
    r"""Return the name of a class or a feature for Matplotlib; of a long name, both ends.

    Matplotlib reads text between dollars as a formula, and leaves names that begin with an underscore
    out of legends.

    >>> shown_name("price in $"), shown_name("_id"), shown_name("a" * 40 + "b" * 40)
    ('price in \\$', ' _id', 'aaaaaaaaaaaaaaaa…bbbbbbbbbbbbbbb')
    """
    text = " ".join(str(name).splitlines())
    if len(text) > _MOST_LETTERS:
        half = _MOST_LETTERS // 2
        text = f"{text[:half]}…{text[1 - half :]}"
    text = text.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def set_labels(ax: "Axes", x: str, y: str, title: str | None = None) -> None:
    """Name both axes, and the picture, unless they already have names."""
    if not ax.get_xlabel():
        ax.set_xlabel(x)
    if not ax.get_ylabel():
        ax.set_ylabel(y)
    if title is not None and not ax.get_title():
        ax.set_title(title)


def legend(ax: "Axes", *, outside: bool = False, **options: Any) -> "Legend | None":
    """Draw the legend, if anything has a label: where it covers least, or outside, to the right."""
    handles, _ = ax.get_legend_handles_labels()
    if not handles:
        return None
    place: dict[str, Any] = {"loc": "best", "framealpha": 0.9}
    if outside:
        place = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "frameon": False}
    text = {"fontsize": "small", "title_fontsize": "small", "alignment": "left"}
    return ax.legend(**{**text, **place, **options})


def _rgb(text: str) -> Color:
    red, green, blue = (int(text[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return red, green, blue
