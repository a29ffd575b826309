"""The weights that a run starts from, as an option has them: numbers with commas between them."""

import math
from typing import Annotated

import typer

from rosenblatt.core.errors import InputError

StartWeights = Annotated[
    str | None,
    typer.Option(
        "--start-weights",
        help="The weights before the first visit, such as 1,0,0: the intercept, if any, is first; "
        "by default zeros, but not in the example.",
        show_default=False,
    ),
]


def start_numbers(start_weights: str) -> list[float]:
    """Return numbers that are separated by commas."""
    try:
        numbers = [float(part) for part in start_weights.split(",")]
    except ValueError:
        numbers = [math.nan]
    if not all(map(math.isfinite, numbers)):
        raise InputError(
            f"--start-weights {start_weights!r} is not accepted: give finite numbers with commas "
            "between them, such as 1,0,0"
        )
    return numbers


def start_parts(
    numbers: list[float] | None, n_features: int, no_intercept: bool
) -> tuple[list[float] | None, float | None]:
    """Return the coefficients and the intercept to start from, or None for those that are not given."""
    if numbers is None:
        return None, None
    needed = n_features if no_intercept else n_features + 1
    if len(numbers) != needed:
        first = "" if no_intercept else "the intercept first, then "
        raise InputError(
            f"--start-weights has length {len(numbers)}, but length {needed} is needed: {first}"
            "the coefficients of the features in their order"
        )
    return (numbers, None) if no_intercept else (numbers[1:], numbers[0])
