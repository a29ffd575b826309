"""Seeded tables that are hard on rounding: ties, decimals, wide exponents, sums that almost cancel."""

import random
from typing import Any

Table = list[list[float]]

Label = str | int | float

Samples = Any
"""A matrix as the package accepts it: lists, an array, a sparse matrix."""

Model = Any
"""Any estimator of the package."""

Json = Any
"""A value of a JSON document, or sent back by a process."""

FAMILIES = ("grid", "halves", "decimals", "floats", "wide", "cancelling", "single")


def table(rng: random.Random, n_rows: int, n_columns: int, family: str) -> Table:
    """Return a table of one of the families; float32 represents "single" exactly."""
    return [[number(rng, family) for _ in range(n_columns)] for _ in range(n_rows)]


def number(rng: random.Random, family: str) -> float:
    """Return one number."""
    if family == "grid":
        return float(rng.randint(-2, 2))
    if family == "halves":
        return rng.randint(0, 2) / 2
    if family == "decimals":
        return rng.randint(-9, 9) / 10
    if family == "wide":
        return rng.choice([-1.0, 1.0]) * rng.random() * 2.0 ** rng.randint(-60, 60)
    if family == "cancelling":
        big = rng.choice([2.0**30, -(2.0**30), 0.0, 2.0**53])
        return big + rng.choice([-1.0, 1.0, 2.0**-22])
    if family == "single":
        return rng.randint(-(2**24), 2**24) / 2.0 ** rng.randint(0, 30)
    return rng.gauss(0.0, 1.0)
