"""Pictures for the lectures, one display per topic; `rosenblatt.plots` explains how displays work.

Matplotlib is imported when the first picture is drawn.

>>> from rosenblatt.lectures import pictures
>>> display = pictures.CapacityDisplay.from_dimensions([5])
"""

from importlib import import_module
from typing import Any

# The module of each public name, imported on first use.
_MODULES = {
    "CapacityDisplay": "capacity_display",
    "ConvergenceDisplay": "convergence_display",
    "CriterionDisplay": "criterion_display",
    "DescentDisplay": "descent_display",
    "TraceDisplay": "trace_display",
    "UnitDisplay": "unit_display",
    "UpdateDisplay": "update_display",
}

__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'rosenblatt.lectures.pictures' has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
