"""Everything from the lectures, one module per topic.

`units` and `circuits`
    Threshold units, networks of them, and the Boolean functions that a single unit can compute.
`trace` and `convergence`
    A run visit by visit, and the proof of the convergence theorem along it.
`criterion` and `gradient_descent`
    The perceptron criterion with its gradient, and gradient descent.
`counting` and `general_position`
    The labelings of points that a hyperplane can produce, counted and listed.
`mark1`
    Rosenblatt's machine of 1958.
`pictures`
    Displays for all of these topics.

>>> from rosenblatt import lectures
>>> lectures.trace.worked_example().weights
(0.0, 2.0, -1.0)
"""

from importlib import import_module
from typing import Any

__all__ = [
    "circuits",
    "convergence",
    "counting",
    "criterion",
    "general_position",
    "gradient_descent",
    "mark1",
    "pictures",
    "trace",
    "units",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'rosenblatt.lectures' has no attribute {name!r}")
    return import_module(f"rosenblatt.lectures.{name}")


def __dir__() -> list[str]:
    return __all__
