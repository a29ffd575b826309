"""Pictures of samples, separators and runs.

Displays follow scikit-learn's convention: ``__init__`` takes the data, class methods ``from_…`` compute
it and draw, and ``plot(ax=None)`` draws again and returns the display. ``ax_`` and ``figure_``
(``axes_`` if there are several panels) are Matplotlib objects that you can change or draw on.

Samples
    `PlaneDisplay`: samples, regions, and the separator with its margin, or the hulls that intersect;
    `SeparatorsDisplay`: several separators of the same samples.

Learners
    `MistakesDisplay`, `MarginDisplay`, `WeightsDisplay`.

`theme` selects a dark or light background; without it, displays match the axes they are drawn on.
Matplotlib (``pip install 'rosenblatt[plot]'``) is imported when the first picture is drawn.

>>> from rosenblatt import MaxMargin, plots
>>> X, y = [[3, 3], [4, 3], [1, 1]], ["right", "right", "left"]
>>> display = plots.PlaneDisplay.from_estimator(MaxMargin().fit(X, y), X, y)
>>> display.ax_.get_xlabel(), display.ax_.get_ylabel()
('x1', 'x2')
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.plots import style
    from rosenblatt.plots.plane.plane_display import PlaneDisplay
    from rosenblatt.plots.plane.separators_display import SeparatorsDisplay
    from rosenblatt.plots.style import theme

# The module of each public name, imported on first use.
_MODULES = {
    "MarginDisplay": "run_display",
    "MistakesDisplay": "run_display",
    "PlaneDisplay": "plane.plane_display",
    "SeparatorsDisplay": "plane.separators_display",
    "WeightsDisplay": "weights_display",
    "theme": "style",
}

__all__ = [
    "MarginDisplay",
    "MistakesDisplay",
    "PlaneDisplay",
    "SeparatorsDisplay",
    "WeightsDisplay",
    "style",
    "theme",
]


def __getattr__(name: str) -> Any:
    if name == "style":
        return import_module("rosenblatt.plots.style")
    if name not in _MODULES:
        raise AttributeError(f"module 'rosenblatt.plots' has no attribute {name!r}")
    return getattr(import_module(f"rosenblatt.plots.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
