"""What the lectures work through by hand, and the machine of 1958.

`worked_example` is the run of six samples, visit by visit; `gradient_descent` follows the slope of a
function of one variable, and `objectives_along` shows why the number of mistakes is no objective to
descend on; `odd_max_bit` makes samples of exponentially small margin. `Mark1` is the machine that learns
to tell the cards of `draw_cards`, `draw_two_cards` or `draw_letters` apart.

>>> from rosenblatt import lectures
>>> lectures.worked_example().weights
(0.0, 2.0, -1.0)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.lectures.letters import draw_letters
    from rosenblatt.lectures.mark1 import (
        Card,
        Mark1,
        Trial,
        draw_cards,
        draw_two_cards,
        last_mistake,
    )
    from rosenblatt.lectures.objective_lines import Objectives, objectives_along
    from rosenblatt.lectures.one_variable import Descent, DescentOutcome, gradient_descent
    from rosenblatt.lectures.small_margins import odd_max_bit
    from rosenblatt.lectures.trace import worked_example

# Imported on first use: see the package's own.
_HOMES = {
    "Card": "mark1",
    "Descent": "one_variable",
    "DescentOutcome": "one_variable",
    "Mark1": "mark1",
    "Objectives": "objective_lines",
    "Trial": "mark1",
    "draw_cards": "mark1",
    "draw_letters": "letters",
    "draw_two_cards": "mark1",
    "gradient_descent": "one_variable",
    "last_mistake": "mark1",
    "objectives_along": "objective_lines",
    "odd_max_bit": "small_margins",
    "worked_example": "trace",
}

__all__ = [
    "Card",
    "Descent",
    "DescentOutcome",
    "Mark1",
    "Objectives",
    "Trial",
    "draw_cards",
    "draw_letters",
    "draw_two_cards",
    "gradient_descent",
    "last_mistake",
    "objectives_along",
    "odd_max_bit",
    "worked_example",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rosenblatt.lectures' has no attribute {name!r}")
    return getattr(import_module(f"rosenblatt.lectures.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
