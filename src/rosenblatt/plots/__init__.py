"""Pictures of samples, separators, runs and lectures.

A display follows scikit-learn's convention: ``__init__`` takes data, the class methods ``from_…``
compute it and draw, and ``plot(ax=None)`` draws again and returns the display. Its ``ax_`` and
``figure_`` (``axes_`` if there are several panels) are Matplotlib's own, to draw more on or to change.

Samples
    `PlaneDisplay`: samples, regions, the separator and its margin, or the hulls that meet;
    `SeparatorsDisplay`: many separators of the same samples.

Learners
    `MistakesDisplay`, `MarginDisplay`, `LivesDisplay`, `WeightsDisplay`.

Lectures
    `UnitDisplay`, `UpdateDisplay`, `ConvergenceDisplay`, `CriterionDisplay`, `DescentDisplay`,
    `CapacityDisplay`.

`theme` chooses a dark or light background; without it the displays follow the axes they are drawn on.
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
    from rosenblatt.plots.plane.update_display import UpdateDisplay
    from rosenblatt.plots.style import theme

# Where each public name lives, imported on first use.
_HOMES = {
    "CapacityDisplay": "lectures.capacity_display",
    "ConvergenceDisplay": "runs.convergence_display",
    "CriterionDisplay": "lectures.criterion_display",
    "DescentDisplay": "lectures.descent_display",
    "LivesDisplay": "runs.lives_display",
    "MarginDisplay": "run_display",
    "MistakesDisplay": "run_display",
    "PlaneDisplay": "plane.plane_display",
    "SeparatorsDisplay": "plane.separators_display",
    "UnitDisplay": "lectures.unit_display",
    "UpdateDisplay": "plane.update_display",
    "WeightsDisplay": "weights_display",
    "theme": "style",
}

__all__ = [
    "CapacityDisplay",
    "ConvergenceDisplay",
    "CriterionDisplay",
    "DescentDisplay",
    "LivesDisplay",
    "MarginDisplay",
    "MistakesDisplay",
    "PlaneDisplay",
    "SeparatorsDisplay",
    "UnitDisplay",
    "UpdateDisplay",
    "WeightsDisplay",
    "style",
    "theme",
]


def __getattr__(name: str) -> Any:
    if name == "style":
        return import_module("rosenblatt.plots.style")
    if name not in _HOMES:
        raise AttributeError(f"module 'rosenblatt.plots' has no attribute {name!r}")
    return getattr(import_module(f"rosenblatt.plots.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
